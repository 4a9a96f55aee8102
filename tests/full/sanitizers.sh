#!/bin/bash
# What was never written is not read: the tests in C under clang's memory sanitizer, and the tool under valgrind, command
# by command.  Address, undefined behaviour, alignment and threads: tests/build.sh, write.sh, ring.sh, truncate.sh, fuzz.sh.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/sanitizers
mkdir -p $dir
failed=0
make -s build/paje build/bench/generate || exit 1

# tell NAME COMMAND...: passes if it succeeds; the command is not a test of its own here
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

# memory SOURCE ARGUMENTS...
memory() {
    if clang -std=c99 -g -O1 -fsanitize=memory -fno-omit-frame-pointer -I. "tests/$1.c" -o $dir/$1 -pthread -lm 2>$dir/err
    then
        tell "memory sanitizer, $1" $dir/"$@"
    else
        echo "FAIL sanitizers/memory sanitizer, $1: $(head -n 1 $dir/err)"
        failed=1
    fi
}
if echo 'int main(void) { return 0; }' | clang -fsanitize=memory -x c - -o $dir/works 2>/dev/null && $dir/works; then
    build/bench/generate -b 100000 -c 50 -a long -q -t -n 20 -u 2 -e 3 >$dir/odd.trace
    memory prose -l 61 tests/prose/[a-z]*.md
    memory callbacks
    memory fast 5 tests/traces/*.trace $dir/odd.trace
    memory travel tests/traces/{crlf,dialects,tour}.trace
    memory number 1
    memory cost 300
    memory write
    memory write-threads 20000
else
    echo 'SKIP sanitizers/memory: clang makes no such programs (install clang libclang-rt-14-dev)'
fi

if command -v valgrind >/dev/null; then
    grind() { tell "valgrind, $1" valgrind -q --error-exitcode=99 --leak-check=no build/paje "${@:2}"; }
    cp tests/traces/stencil.trace $dir/stencil.trace
    trace=$dir/stencil.trace
    rm -f $trace.pajeidx
    for command in dump info validate null parse profile svg html sql chrome; do
        grind $command $command $trace
    done
    grind csv csv -d $dir/csv $trace
    grind equals equals $trace $trace
    cp $trace $dir/other.trace
    grind merge merge --align -o $dir/merged $trace $dir/other.trace
    grind index index $trace
    grind at at $trace 0.001
    grind 'dump of a part' dump -s 0.001 -e 0.0011 $trace
    grind 'dump in parts' dump -j 2 $trace
    grind 'view --once' view --once $trace
else
    echo 'SKIP sanitizers/valgrind: it is not there (install valgrind)'
fi
exit $failed
