#!/bin/bash
# Progress on standard error: on a terminal, after a second, wiped out before anything else is printed.
. "$(dirname "$0")/lib.sh"

make -s build/bench/generate || exit 3
build/bench/generate -b 3000000 -c 24 >"$dir/t.trace"
if ! command -v python3 >/dev/null; then
    skip 'progress' 'no python3 (install python3)'
elif ! python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    skip 'progress' 'there is no pseudo terminal (mount /dev/pts)'
elif ! ${CC:-cc} -shared -fPIC -o "$dir/fast.so" tests/tool/lib-fast.c 2>"$dir/err"; then
    skip 'progress' 'no shared library to preload can be made (install gcc)'
else
    python3 tests/tool/lib-progress.py "$paje" "$PWD/$dir/fast.so" "$dir/t.trace" "$dir" || failed=1
    "$paje" dump "$dir/t.trace" 2>"$dir/err" >/dev/null
    LD_PRELOAD=$PWD/$dir/fast.so "$paje" dump "$dir/t.trace" 2>"$dir/err" >/dev/null
    check 'not where standard error is no terminal' test ! -s "$dir/err"
fi

exit $failed
