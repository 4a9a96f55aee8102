#!/bin/bash
# paje merge: names of functions, and lines of the source, of what `paje trace` has kept.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    skip 'functions and places' 'no python3 (install python3)'
    exit 0
fi
if ! [ -e build/libpajetrace.so ]; then
    skip 'functions and places' 'paje trace is for Linux with glibc'
    exit 0
fi
"$paje" trace -o "$dir/t.trace" --keep="$dir/kept" --record=threads sh -c : || exit 1
python3 tests/tool/lib-elf.py "$paje" "$dir" "$dir/kept" || failed=1

exit $failed
