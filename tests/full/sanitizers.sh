#!/bin/bash
# No uninitialized memory is read: the tests in C under clang's memory sanitizer, and every command of the tool under
# valgrind.  For addresses, undefined behaviour, alignment and threads see tests/builds/build.sh, write.sh, ring.sh,
# truncate.sh and fuzz.sh.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/sanitizers
mkdir -p $dir
failed=0
make -s build/paje build/bench/generate || exit 1

# tell NAME COMMAND...: passes if the command succeeds, whatever cases it prints
tell() {
    local name=$1
    shift
    if "$@" >$dir/out 2>$dir/err; then
        echo "PASS sanitizers/$name"
    else
        echo "FAIL sanitizers/$name: $(cat $dir/err $dir/out | grep -m 1 -E 'WARNING|ERROR|==[0-9]+== [A-Z]|FAIL')"
        failed=1
    fi
}

# memory SOURCE ARGUMENTS...: compiled with $level
memory() {
    if clang -std=c99 -g $level -fsanitize=memory -fno-omit-frame-pointer -I. "tests/$1.c" -o "$dir/${1#*/}" -pthread -lm 2>$dir/err
    then
        tell "memory sanitizer, $1" "$dir/${1#*/}" "${@:2}"
    else
        echo "FAIL sanitizers/memory sanitizer, $1: $(head -n 1 $dir/err)"
        failed=1
    fi
}
if echo 'int main(void) { return 0; }' | clang -fsanitize=memory -x c - -o $dir/works 2>/dev/null && $dir/works; then
    build/bench/generate -b 100000 -c 50 -a long -q -t -n 20 -u 2 -e 3 >$dir/odd.trace
    level=-O0 # what takes longer to compile than to run
    memory read/callbacks
    memory read/arena
    memory read/queries
    memory read/fast 5 tests/traces/*.trace $dir/odd.trace
    memory read/cost 300
    memory write/threads 20000
    level=-O1
    memory read/prose -l 6007 tests/read/prose/[a-z]*.md
    memory read/travel tests/traces/{crlf,dialects,tour}.trace
    memory read/number 1
    memory write/write
else
    echo 'SKIP sanitizers/memory: clang makes no such programs (install clang libclang-rt-14-dev)'
fi

if command -v valgrind >/dev/null; then
    grind() { tell "valgrind, $1" valgrind -q --error-exitcode=99 --leak-check=no build/paje "${@:2}"; }
    cp tests/traces/stencil.trace $dir/stencil.trace
    trace=$dir/stencil.trace
    rm -f $trace.pajeidx
    while read -r command arguments; do
        set -f # there are globs among the arguments
        # shellcheck disable=SC2086
        grind "$command $arguments" $command $(sed "s|FILE|$trace|g; s|OUT|$dir/out-of-it|g" <<<"$arguments")
        set +f
        rm -rf $dir/out-of-it
    done < <(build/paje --commands)
else
    echo 'SKIP sanitizers/valgrind: it is not there (install valgrind)'
fi
exit $failed
