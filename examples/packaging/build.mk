# Installation: the tool with its manual page and completion, the headers with files for pkg-config and CMake, and the
# libraries and the viewer in a browser if they were built.  PJ_DUMP=1: the tool also as pj_dump and pj_equals.

LIBDIR   ?= $(PREFIX)/lib
SHARE     = $(PREFIX)/share
ALIASES  := pj_dump pj_equals
VIEWER   := $(wildcard $(BUILD)/paje-viewer.html)
MADE     := $(patsubst $(BUILD)/%.so,%,$(wildcard $(LIBRARIES)))
to        = '$(DESTDIR)$(1)'

# Descriptions that the tool prints, and where they go below share/.
DESCRIPTIONS := man:man/man1/paje.1 bash:bash-completion/completions/paje zsh:zsh/site-functions/_paje \
                fish:fish/vendor_completions.d/paje.fish

# write_pc NAME,DESCRIPTION,FLAGS: writes the file of a header for pkg-config.
write_pc = printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' 'Name: $(1)' 'Description: $(2)' \
    'Version: $(VERSION)' 'Cflags: -I$${includedir} $(3)' >$(call to,$(SHARE)/pkgconfig/$(1).pc) && \
    chmod 644 $(call to,$(SHARE)/pkgconfig/$(1).pc)

install: $(BUILD)/paje $(TRACE_LIBRARIES)
	install -d $(call to,$(PREFIX)/bin) $(call to,$(PREFIX)/include) $(call to,$(SHARE)/pkgconfig) \
	    $(call to,$(SHARE)/cmake/paje)
	install -m 755 $(BUILD)/paje $(call to,$(PREFIX)/bin/paje)
	$(if $(VIEWER),install -d $(call to,$(SHARE)/paje) && install -m 644 $(VIEWER) $(call to,$(SHARE)/paje/))
	$(if $(TRACE_LIBRARIES),install -d $(call to,$(LIBDIR)) && install -m 755 $(TRACE_LIBRARIES) $(call to,$(LIBDIR)/))
	@set -e; for name in $(if $(filter-out 0,$(PJ_DUMP)),$(ALIASES)); do \
	    ln -sf paje $(call to,$(PREFIX)/bin/)$$name; \
	done
	@set -e; for pair in $(DESCRIPTIONS); do \
	    file=$(call to,$(SHARE)/)$${pair#*:}; \
	    install -d "$$(dirname "$$file")"; \
	    $(BUILD)/paje --describe $${pair%%:*} >"$$file"; \
	    chmod 644 "$$file"; \
	done
	install -m 644 $(HEADERS) $(if $(TRACE_LIBRARIES),examples/trace/pajetrace.h) $(call to,$(PREFIX)/include/)
	@$(call write_pc,pajesim,Reader and simulator of Paje traces in one header,)
	@$(call write_pc,pajewrite,Writer of Paje traces in one header,-pthread)
	install -m 644 examples/packaging/pajeConfig.cmake $(call to,$(SHARE)/cmake/paje/)
	sed 's/@VERSION@/$(VERSION)/' examples/packaging/pajeConfigVersion.cmake \
	    >$(call to,$(SHARE)/cmake/paje/pajeConfigVersion.cmake)
	chmod 644 $(call to,$(SHARE)/cmake/paje/pajeConfigVersion.cmake)
	@set -e; for library in $(MADE); do \
	    lib=$(call to,$(LIBDIR)); pc=$$lib/pkgconfig/$$library.pc; \
	    install -d "$$lib/pkgconfig"; \
	    install -m 644 $(BUILD)/$$library.so "$$lib/$$library.so.$(ABI)"; \
	    ln -sf $$library.so.$(ABI) "$$lib/$$library.so"; \
	    printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(subst $(PREFIX)/,$${prefix}/,$(LIBDIR))' '' "Name: $$library" \
	        "Description: $${library#lib}.h, compiled" 'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' \
	        "Libs: -L\$${libdir} -l$${library#lib}" >"$$pc"; \
	    chmod 644 "$$pc"; \
	done

# Removes what `make install` put there with the same PREFIX, LIBDIR and DESTDIR.
uninstall:
	@set -e; for name in $(ALIASES); do \
	    file=$(call to,$(PREFIX)/bin/)$$name; \
	    if [ "$$(readlink "$$file")" = paje ]; then rm -f "$$file"; fi; \
	done
	@set -e; for pair in $(DESCRIPTIONS); do rm -f $(call to,$(SHARE)/)$${pair#*:}; done
	@set -e; for library in libpajesim libpajewrite; do \
	    lib=$(call to,$(LIBDIR)); \
	    rm -f "$$lib/$$library.so" "$$lib/$$library.so.$(ABI)" "$$lib/pkgconfig/$$library.pc"; \
	done
	rm -f $(call to,$(PREFIX)/bin/paje) $(patsubst $(BUILD)/%,$(call to,$(LIBDIR)/%),$(TRACE_LIBRARIES)) \
	    $(foreach header,$(HEADERS) pajetrace.h,$(call to,$(PREFIX)/include/$(header))) \
	    $(foreach name,pajesim pajewrite,$(call to,$(SHARE)/pkgconfig/$(name).pc))
	rm -rf $(call to,$(SHARE)/cmake/paje) $(call to,$(SHARE)/paje)
