#!/bin/bash
# The shared libraries of `make lib`, and examples/bindings/python on top of them.
. "$(dirname "$0")/lib.sh"

check 'make lib' make -s lib
abi=$(sed -n 's/^#define PAJESIM_VERSION_TEXT "\([0-9]*\.[0-9]*\).*/\1/p' pajesim.h)
for name in pajesim pajewrite; do
    library=build/lib$name.so
    if command -v nm >/dev/null; then
        # Functions that headers declare, except those of other options, and of the macros of zones.  Some functions are
        # there once more, or only, under names that carry the options.
        sed -n '/^#ifdef .*_IMPLEMENTATION$/q; /^[A-Z]*_\(_*API\|_CALL\) / { s/(.*//; s/.*[ *]//; p }' $name.h |
            grep -Ev '^pajewrite_(_ring_.*|_(enter_zone|leave_zone|mark|plot|plot_shared|message_out|message_in)$|read$|next_byte$|trace_file$)' |
            sorted -u >"$dir/expected"
        nm -D --defined-only $library | awk '{ print $3 }' | grep -Ev '_sizeof|_condition|_columns_|__ring_0_|__reference_|__shared_process' | sorted >"$dir/got"
        same "lib$name.so: what $name.h declares, and nothing else" "$dir/expected" "$dir/got"
        check "lib$name.so: its name has the version" \
            sh -c "readelf -d $library | grep -qF 'soname: [lib$name.so.$abi]'"
    else
        skip "lib$name.so: symbols" 'no nm (install binutils)'
    fi
done

# A program linked with the installed library counts what the dump counts.
check 'make install' make -s install DESTDIR="$PWD/$dir/root" PREFIX=/usr
cat >"$dir/linked.c" <<'END'
#include <fcntl.h>
#include <pajesim.h>
#include <pajewrite.h>
#include <stdio.h>

int main(void)
{
    static uint64_t arena[1 << 17];
    static char buffer[1 << 16], piece[1 << 16];
    const pajewrite_type thread = {1}, activity = {2};
    const pajewrite_container me = {1};
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajesim sim;
    pajewrite w;
    size_t size;
    if (pajesim_version() != PAJESIM_VERSION || pajewrite_version() != PAJEWRITE_VERSION)
        return 2;
    config.sink = pajewrite_to_stream;
    config.sink_data = tmpfile();
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, activity, thread, "Activity");
    pajewrite_create_container(&w, me, thread, PAJEWRITE_ROOT, "me");
    {
        PAJEWRITE_SCOPE(&w, me, activity, PAJEWRITE_VALUE(1));
        pajewrite_flush(&w);
    }
    pajewrite_finish(&w);
    rewind(config.sink_data);
    pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL);
    while ((size = fread(piece, 1, sizeof piece, config.sink_data)) > 0)
        pajesim_feed(&sim, piece, size, NULL);
    return !(pajesim_finish(&sim) == PAJESIM_OK && pajesim_count(&sim)->states == 1);
}
END
# The flags of the .pc files, which pkgconf knows how to find below another root.
flags() {
    sed -n "s,^\(Cflags\|Libs\): ,,p" "$dir"/root/usr/lib/pkgconfig/lib{pajesim,pajewrite}.pc |
        sed "s,\${libdir},\${prefix}/lib,g; s,\${prefix},$dir/root/usr,g"
}
# shellcheck disable=SC2046
check 'a program that links with them' ${CC:-cc} -std=c99 -o "$dir/linked" "$dir/linked.c" $(flags)
check 'and runs' env LD_LIBRARY_PATH="$dir/root/usr/lib" "$dir/linked"
cat >"$dir/zones.c" <<'END'
#define PAJEWRITE_ZONES 1
#include <pajewrite.h>

PAJEWRITE_MAIN("zones.trace");

int main(void)
{
    PAJEWRITE_ZONE("linked");
    return 0;
}
END
# shellcheck disable=SC2046
check 'a program with zones that links with them' ${CC:-cc} -o "$dir/zones" "$dir/zones.c" $(flags)
(cd "$dir" && LD_LIBRARY_PATH=root/usr/lib ./zones)
check 'and traces' grep -q linked "$dir/zones.trace"

if ! command -v python3 >/dev/null; then
    skip 'examples/bindings/python' 'no python3 (install python3)'
    exit $failed
fi
export PYTHONDONTWRITEBYTECODE=1
corpus
python3 tests/tool/lib-python.py "$paje" "$dir" $traces/*.trace "${corpus[@]}" || failed=1
# Columns, by a Python that has pandas: it may be another one than the first in PATH.
python=python3
python3 -c 'import pandas' 2>/dev/null || ! /usr/bin/python3 -c 'import pandas' 2>/dev/null || python=/usr/bin/python3
$python tests/tool/lib-columns.py "$paje" "$dir" $traces/*.trace "${corpus[@]}" || failed=1

expect 'hello.py' 0 '^12 tasks waited' python3 examples/bindings/python/hello.py "$dir/hello.trace"
check 'hello.py: its trace is valid' "$paje" validate --strict "$dir/hello.trace"
check 'hello.py: all tasks are in it' \
    sh -c "test \$('$paje' dump '$dir/hello.trace' | grep -c '^State, worker.*working\$') = 12"

# A library of another layout is refused before it does harm.
mkdir "$dir/other"
${CC:-cc} -DPAJESIM_REFERENCE=16 -I. -fPIC -shared -o "$dir/other/libpajesim.so.$abi" examples/bindings/lib/pajesim.c
expect 'a library of another layout' 1 'ImportError: libpajesim.so.*: its pajesim_[a-z_]* is another one' \
    env PAJE_LIBRARIES="$dir/other" PYTHONPATH=examples/bindings/python python3 -c 'import paje; paje.Simulation(None)'
: >"$dir/other/libpajesim.so.$abi"
expect 'a library that cannot be loaded' 1 'ImportError: .*: run `make lib`, or let PAJE_LIBRARIES name its folder' \
    env PAJE_LIBRARIES="$dir/other" PYTHONPATH=examples/bindings/python python3 -c 'import paje; paje.Simulation(None)'

exit $failed
