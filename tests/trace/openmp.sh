#!/bin/bash
# `paje trace` on programs with OpenMP: what is in the trace is what the program counts itself, whether clang or gcc has
# compiled it, and with whose library it runs; whatever ends it leaves a valid trace.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tests/openmp paje=$PWD/build/paje FULL=${FULL:-} failed=0
rm -rf "$dir"
mkdir -p "$dir/tmp"
make -s paje || exit 1
export TMPDIR=$dir/tmp OMP_CANCELLATION=true OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
unset OMP_TOOL OMP_TOOL_LIBRARIES
pass() { echo "PASS trace_openmp/$1"; }
fail() { echo "FAIL trace_openmp/$1: $2"; failed=1; }
skip() { echo "SKIP trace_openmp/$1"; }
if ! [ -e build/libpajetrace-omp.so ]; then
    skip 'all: the library is for Linux with glibc'
    exit 0
fi

# valid NAME TRACE: strictly
valid() {
    local log
    log=$("$paje" validate --strict "$2" 2>&1) && grep -q ' 0 warnings: valid' <<<"$log" && return 0
    fail "$1: strictly valid" "$(head -n 1 <<<"$log")"
    return 1
}
# counted NAME PROGRAM ARGUMENTS...: the trace has what the program prints, and each thread is in some state all its life
counted() {
    local log
    rm -f t.trace
    if ! timeout 60 "$paje" trace $options -o t.trace "${@:2}" >counts 2>err || [ -s err ]; then
        fail "$as: $1" "exit status $?: $(head -n 2 err)"
    elif ! valid "$as: $1" t.trace; then
        return
    elif ! "$paje" csv -d csv t.trace || ! log=$(awk -f "$root/tests/trace/openmp_check.awk" -v sections=$sections \
        -v within=$([ "$as" != gcc ] || echo 1) counts csv/containers.csv csv/states.csv) || [ "$log" ]; then
        fail "$as: $1" "$(head -n 3 <<<"$log" | paste -sd';')"
    else
        pass "$as: $1"
    fi
}
# ends NAME STATUS PROGRAM ARGUMENTS...: a program that ends by itself, with that status
ends() {
    local status
    rm -f t.trace
    timeout 60 "$paje" trace $options -o t.trace "${@:3}" >out 2>err
    status=$?
    if [ $status != "$2" ] || [ -s err ]; then
        fail "$as: $1" "exit status $status: $(head -n 2 err)"
    elif valid "$as: $1" t.trace; then
        pass "$as: $1"
    fi
}
# expect NAME EXPECTED COMMAND...: the command prints that
expect() {
    local got
    got=$("${@:3}" 2>&1)
    if [ "$got" = "$2" ]; then pass "$as: $1"; else fail "$as: $1" "\`$(head -c 300 <<<"$got")\`, expected \`$2\`"; fi
}
# named PATTERN: how many states have such a name; links TYPE: how many links there are
named() { "$paje" dump t.trace | awk -F', ' -v pattern="^omp $1\$" '$1 == "State" && $8 ~ pattern { n++ } END { print n + 0 }'; }
links() { "$paje" dump t.trace | grep -c "^Link, .*, $1, "; }
# ends_of_tasks: how many implicit tasks end with a region of theirs, and how many do not; of threads that end by themselves
# (gcc's) as well
ends_of_tasks() {
    "$paje" dump t.trace | awk -F', ' '$1 != "State" { next }
        $8 ~ /^omp parallel/ { ends[substr($8, 14), $5] }
        $8 ~ /^omp implicit/ { place[++n] = substr($8, 19); end[n] = $5 }
        END { for (i = 1; i <= n; i++) (place[i], end[i]) in ends ? good++ : bad++; print good + 0, bad + 0 }'
}
line_of() { grep -n "$1" "$root/tests/trace/openmp_program.c" | head -n 1 | cut -d: -f1; }

# build COMPILER AS: the program, the same as a library, and one that allows the tracer little
build() {
    local flags='-std=gnu11 -O1 -g -Wall -Wextra -Werror -fopenmp -pthread'
    # shellcheck disable=SC2086
    $1 $flags -Iexamples -o "$dir/program.$2" tests/trace/openmp_program.c &&
        $1 $flags -Iexamples -fPIC -shared -o "$dir/library.$2.so" tests/trace/openmp_program.c &&
        $1 $flags -rdynamic -o "$dir/hot.$2" tests/trace/openmp_hot.c &&
        $1 $flags -o "$dir/rest.$2" tests/trace/openmp_rest.c
} 2>"$dir/log"

cases() {
    local options="$1" sections=$2 program=$dir/program.$compiler i child
    cd "$dir" || exit 3
    counted 'regions, work, locks, tasks' "$program" all
    [ "$sections" ] || expect 'named by lines' '3 20' echo "$(named "implicit task openmp_program.c:$(($(line_of 'omp_init_nest_lock(&nested)') + 2))")" \
        "$(named "critical openmp_program.c:$(line_of 'omp critical(named)')")"
    counted 'cancelling' "$program" cancel
    [ "$sections" ] || counted 'data that the library uses' "$program" special
    counted 'threads of the program' "$program" threads
    expect 'locks that are tested only' "$([ "$as" = gcc ] && echo 0 || echo 4)" named 'wait lock .*'
    if [ "$as" != gcc ]; then # whose own library does not tell dependences
        "$paje" trace $options -o t.trace "$program" depend >counts
        valid "$as: dependences of tasks" t.trace
        expect 'dependences of tasks' "$(awk '$1 == "dependences" { print $2 }' counts)" links Dependence
    fi
    for i in $(seq ${FULL:+1}9); do # LLVM's library tells a thread the region of another one, now and then
        rm -f t.trace
        "$paje" trace $options -o t.trace "$dir/rest.$compiler" nest || fail "$as: nested regions" "exit status $?"
        valid "$as: nested regions" t.trace || break
        [ "$(named 'implicit task .*') $(named 'parallel .*')" = '14400 5200' ] ||
            fail "$as: nested regions" "$(named 'implicit task .*') $(named 'parallel .*')"
    done
    pass "$as: nested regions"
    rm -f t.trace
    "$paje" trace $options -o t.trace "$dir/rest.$compiler" rest
    valid "$as: workers that rest" t.trace && expect 'workers that rest end with their region' '1212 0' ends_of_tasks
    rm -f t.trace
    "$paje" trace $options -o t.trace "$dir/rest.$compiler" loops
    expect 'lines of a loop' "$([ "$as" = clang ] && echo 11 || echo 7)" \
        awk '/^(9|10|11) / { n++ } END { printf "%d\n", n / 1000 }' t.trace
    counted 'fork' "$program" fork
    counted 'a library that is opened' "$dir/opener" "$dir/library.$compiler.so"
    if [ "$sections" ] && ! [ "$FULL" ]; then # clang's program has the same library
        cd "$root" && return
    fi
    ends 'exit inside a region' 3 "$program" exit
    counted 'switched off and on' "$program" once
    ends 'switched 1,000 times a second' 0 "$program" switch ${FULL:+1}200
    ends 'nothing allocated, locked, printed or looked up' 0 "$dir/hot.$compiler" ${FULL:+10}200
    [ "$as" != gcc ] || expect 'nothing allocated: others do' 'hot, calls of others' cat out
    for i in $(seq ${FULL:+2}3); do
        rm -f t.trace
        "$paje" trace $options -o t.trace timeout 20 "$program" work & pid=$!
        until child=$(pgrep -P "$(pgrep -P $pid -x timeout)" -x "program.$compiler"); do
            kill -0 $pid || break
        done
        sleep 0.0$((i * 7 % 10))5
        kill -9 "$child"
        wait $pid
        valid "$as: kill -9" t.trace || break
    done 2>/dev/null
    pass "$as: kill -9"
    cd "$root" || exit 3
}

cat >"$dir/opener.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW), *found = library ? dlsym(library, "count_all") : NULL;
    void (*count_all)(void);
    if (!found)
        return puts(dlerror()), 1;
    memcpy(&count_all, &found, sizeof found);
    count_all();
    return 0;
}
END
${CC:-cc} -o "$dir/opener" "$dir/opener.c" -ldl || exit 1

compiler=gcc as=gcc
gcc=${CC:-cc}
echo 'int main(void) { return 0; }' >"$dir/empty.c"
if ! "$gcc" --version 2>/dev/null | grep -q 'Free Software'; then
    gcc=gcc
fi
if build "$gcc" gcc; then
    cases '' ''
    cd "$dir" || exit 3
    options=--record=task-links,omp
    "$paje" trace --record=omp,task-links -o t.trace "$dir/program.gcc" all >counts
    valid 'gcc: links of tasks' t.trace
    expect 'links of tasks' "$(awk '$1 == "task" { print $2 }' counts)" links 'Task created'
    # Whatever the tables of lines in a program are, the trace can be made.
    rm -rf raw
    cp program.gcc damaged
    "$paje" trace --keep=raw -o t.trace "$dir/damaged" threads >/dev/null
    read -r at size < <(objdump -h program.gcc 2>/dev/null | awk '$2 == ".debug_line" { print "0x" $6, "0x" $3 }')
    if [ "${size:-}" ]; then
        for i in $(seq ${FULL:+20}8); do
            cp program.gcc damaged
            head -c $((i % 5 + 1)) /dev/urandom | dd of=damaged bs=1 seek=$((at + RANDOM % size)) conv=notrunc 2>/dev/null
            "$paje" merge -o t.trace raw 2>err && valid 'damaged lines' t.trace && continue
            fail 'damaged lines' "exit status $?: $(head -n 1 err)"
            break
        done
        [ "$i" != ${FULL:+20}8 ] || pass 'damaged lines'
    else
        skip 'damaged lines: no objdump (install binutils)'
    fi
    cd "$root" || exit 3
    if ldconfig -p 2>/dev/null | grep -q 'libomp.so.5'; then
        as='gcc with libomp'
        cases --omp=llvm for
    else
        skip 'gcc with libomp: there is none (install libomp5)'
    fi
else
    skip "gcc: it does not compile OpenMP (install gcc): $(head -n 1 "$dir/log")"
fi
compiler=clang as=clang
if command -v clang >/dev/null && build clang clang; then
    cases '' ''
    cd "$dir" || exit 3
    "$paje" trace --record=omp,task-links -o t.trace "$dir/program.clang" all >counts
    valid 'clang: links of tasks' t.trace
    expect 'links of tasks' "$(awk '$1 == "task" { print $2 }' counts)" links 'Task created'
    expect 'untied tasks go on elsewhere' yes sh -c "[ '$(named 'task resumed .*')' -gt 10 ] && echo yes"
    options='' sections=''
    counted omp_control_tool "$dir/program.clang" control
    rm -f t.trace
    clang -shared -fPIC -I"$root/examples" -o tool.so "$root/bench/openmp_tool.c"
    for tool in OMP_TOOL=disabled "OMP_TOOL_LIBRARIES=$dir/tool.so" "LD_PRELOAD=$dir/tool.so"; do
        rm -f t.trace
        env "$tool" "$paje" trace -o t.trace "$dir/program.clang" threads >/dev/null
        expect "${tool%%=*}: no tool, or another one" 0 named '.*'
    done
    cd "$root" || exit 3
else
    skip 'clang: it does not compile OpenMP (install clang and libomp-dev)'
fi

# What ompt.h declares is what LLVM has.
header=$(echo '#include <omp-tools.h>' | clang -E -H -x c - 2>&1 >/dev/null | sed -n 's/^\. \(.*omp-tools.h\)$/\1/p' | head -n 1)
as=ompt.h
if [ "$header" ]; then
    sed -n 's/^ *\(ompt_[a-z_]*\) = \([0-9xa-f]*\),*$/_Static_assert(\1 == \2, "\1");/p;
            s/^typedef enum .* { \(ompt_thread_initial\) = \(1\),.*/_Static_assert(\1 == \2, "\1");/p' \
        examples/trace/openmp/ompt.h >"$dir/values.c"
    [ "$(wc -l <"$dir/values.c")" -ge 50 ] || fail 'ompt.h' "only $(wc -l <"$dir/values.c") values are compared"
    expect "$(wc -l <"$dir/values.c") values" '' clang -w -fsyntax-only -include "$header" "$dir/values.c"
else
    skip 'ompt.h: there is nothing to compare it with (install clang and libomp-dev)'
fi
exit $failed
