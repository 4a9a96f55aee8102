# Both headers as shared libraries, and the Fortran module.  The binary interface may change with the minor version.

LIBRARIES := $(BUILD)/libpajesim.so $(BUILD)/libpajewrite.so
ABI        = $(basename $(VERSION))

lib: $(LIBRARIES)

$(BUILD)/libpajewrite.so: LDLIBS += -pthread

$(BUILD)/lib%.so: examples/bindings/lib/%.c
	@mkdir -p $(@D)
	$(COMPILE) -fPIC -fvisibility=hidden -shared -Wl,-soname,$(@F).$(ABI) -Wl,-z,defs $(LDFLAGS) -o $@ $< $(LDLIBS)
	@ln -sf $(@F) $@.$(ABI)

FORTRAN := $(BUILD)/examples/bindings/fortran

$(FORTRAN)/writer.o: examples/bindings/fortran/writer.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(FORTRAN)/ring: examples/bindings/fortran/pajewrite.f90 examples/bindings/fortran/ring.f90 $(FORTRAN)/writer.o
	mpifort -std=f2008 -Wall -Wextra -O2 -g -J$(@D) $(LDFLAGS) -o $@ $^ $(LDLIBS)

EXAMPLES += $(if $(call has,mpifort),$(FORTRAN)/ring)
