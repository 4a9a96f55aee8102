#!/bin/bash
# `paje trace`: what a program prints and how it ends is as without; the trace is one file, strictly valid, however the
# program ends; what is in it is right.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tests/trace paje=$PWD/build/paje failed=0 FULL=${FULL:-}
rm -rf "$dir"
mkdir -p "$dir/empty" "$dir/tmp"
make -s paje || exit 1
pass() { echo "PASS trace/$1"; }
fail() { echo "FAIL trace/$1: $2"; failed=1; }
skip() { echo "SKIP trace/$1"; }
if ! [ -e build/libpajetrace.so ]; then
    skip 'all: the library is for Linux with glibc'
    exit 0
fi
${CC:-cc} -std=gnu11 -O1 -Wall -Wextra -Werror -Iexamples -o "$dir/program" tests/trace/program.c -pthread || exit 1
cd "$dir/empty" || exit 3
export TMPDIR=$dir/tmp

# expect NAME EXPECTED COMMAND...: the command prints that
expect() {
    local got
    got=$("${@:3}" 2>&1)
    if [ "$got" = "$2" ]; then pass "$1"; else fail "$1" "\`$(head -c 300 <<<"$got")\`, expected \`$2\`"; fi
}
command -v pj_dump >/dev/null || skip 'traces are valid to pj_dump, too: there is none (install pajeng)'
# valid NAME TRACE: strictly, and to pj_dump
valid() {
    local log
    if ! log=$("$paje" validate --strict "$2" 2>&1) || ! grep -q ' 0 warnings: valid' <<<"$log"; then
        fail "$1: strictly valid" "$(head -n 1 <<<"$log")"
        return 1
    elif ! [ "${quick:-}" ] && command -v pj_dump >/dev/null && ! pj_dump "$2" >../pj.txt 2>../pj.err; then
        fail "$1: pj_dump" "$(head -n 1 ../pj.err)"
        return 1
    fi
}
# traced NAME COMMAND...: standard output and exit status are as without, one file appears, which is valid
traced() {
    local name=$1 status expected
    rm -f ./*
    "${@:2}" >../expected 2>/dev/null
    expected=$?
    [ "$(ls -A)" = '' ] || fail "$name" "the program leaves $(ls -A)"
    "$paje" trace ${options:-} -o t.trace -- "${@:2}" >../out 2>../err
    status=$?
    if [ $status != $expected ]; then
        fail "$name" "exit status $status, expected $expected: $(head -n 2 ../err)"
    elif ! cmp -s ../out ../expected; then
        fail "$name" "the output differs: $(head -c 200 ../out)"
    elif [ "$(ls -A)" != t.trace ] || [ "$(ls -A ../tmp)" ]; then
        fail "$name" "files: $(ls -A | tr '\n' ' '), $(ls -A ../tmp)"
    elif [ "${says:-any}" != any ] && ! grep -q "$says" ../err; then
        fail "$name" "it does not say \`$says\`: $(head -n 2 ../err)"
    elif [ -z "${says:-}" ] && [ -s ../err ]; then
        fail "$name" "it says $(head -n 2 ../err)"
    elif valid "$name" t.trace; then
        pass "$name"
    fi
}
states() { "$paje" dump t.trace | awk -F', ' -v value="$1" '$1 == "State" && $8 == value { n++ } END { print n + 0 }'; }
containers() { "$paje" dump t.trace | grep -c "^Container, .*, $1, "; }
links() { "$paje" dump t.trace | grep -c "^Link, .*, $1, "; }
# at_least NUMBER COMMAND...: prints yes if the command prints as much
at_least() { local n; n=$("${@:2}"); if [ "$n" -ge "$1" ]; then echo yes; else echo "$n"; fi; }

# ---- threads

program=$dir/program
traced '1,000 threads at once, stacks of 64 KiB' "$program" at-once 1000
expect '1,000 threads at once: containers' 1001 containers Thread
expect '1,000 threads at once: barrier' 1001 states barrier
expect '1,000 threads at once: where they were created' 1000 links 'Thread created'
turns=${FULL:+100000}
traced 'threads in turn' "$program" in-turn ${turns:-3000}
expect 'threads in turn: containers' $((${turns:-3000} + 1)) containers Thread
expect 'threads in turn: reads and writes' "${turns:-3000} ${turns:-3000}" sh -c "echo $(states read) $(($(states write) - 0))"
options='--threads=slots' traced 'threads=slots' "$program" in-turn 500
expect 'threads=slots: containers' 2 containers Thread
traced 'waiting' "$program" waits
for state in 'create thread:2' 'join thread:2' lock:1 condition:2 semaphore:1 sleep:1 running:3; do
    expect "waiting: ${state%:*}" "${state#*:}" states "${state%:*}"
done
traced 'a lock that processes share' "$program" shared-lock
expect 'a lock that processes share: one waits' 1 states lock
${CC:-cc} -std=gnu11 -O1 -Wall -Wextra -Werror -o ../calls "$root/tests/trace/calls.c" -pthread || exit 1
traced 'each call' ../calls ../called
for state in condition:3 'join thread:4' sync:3 open:2 read:4 write:5 poll:6 connect:1 accept:1 send:3 \
    receive:3 sleep:7; do
    expect "each call: ${state%:*}" "${state#*:}" states "${state%:*}"
done
# How often there is something to wait for may depend on which thread is faster.
expect 'each call: lock' yes at_least 8 states lock
expect 'each call: semaphore' yes at_least 1 states semaphore
traced 'names of threads' "$program" names
expect 'names of threads: containers' 'a _quote_;by another;fifteen letters;first;main' sh -c \
    "'$paje' dump t.trace | sed -n 's/^Container, .*, Thread, .*, \(.*\)\$/\1/p' | sort | paste -sd';'"
expect 'names of threads: events' 4 sh -c "'$paje' dump t.trace | grep -c '^Event.*, named'"
traced 'pajetrace.h' "$program" user
expect 'pajetrace.h: states' '900 90 900 1' echo "$(states outer)" "$(states 'inner 3')" "$(states forgotten)" "$(states around)"
expect 'pajetrace.h: marks' 900 sh -c "'$paje' dump t.trace | grep -c '^Event.*, turn'"
expect 'pajetrace.h: too many names' yes at_least 900 sh -c "'$paje' dump t.trace | grep -c '^Event.*, mark [0-9]*'"
expect 'pajetrace.h: a variable' 9 sh -c "'$paje' dump t.trace | grep -c '^Variable.*, number, .*, 49.500000'"
options=--record=threads traced 'pajetrace.h: not recorded' "$program" user
expect 'pajetrace.h: not recorded: states' 0 states outer
for language in 'c -std=c99' 'c++ -std=c++11'; do
    for way in '' -DPAJETRACE_DISABLE; do
        # shellcheck disable=SC2086
        expect "pajetrace.h compiles: $language $way" '' sh -c "echo 'int main() { pajetrace_end(pajetrace_begin(\"a\")); pajetrace_mark(\"b\"); pajetrace_set(\"c\", 1); }' |
            ${CC:-cc} -x $language $way -Wall -Wextra -Wconversion -Wshadow -Werror -include '$root/examples/trace/pajetrace.h' -c -o ../compiled.o -"
    done
done
${CC:-cc} -std=gnu11 -O1 -Wall -Wextra -Werror -o ../heap "$root/tests/trace/heap.c" -pthread || exit 1
allocations() { "$paje" dump t.trace | grep -c "^Event, .*, Allocation, .*, $1"; }
# The bytes that each process has at its end, in units of 10,000.
heap_ends() {
    "$paje" dump t.trace | awk -F', ' '$1 == "Variable" { last[$2] = $7 }
        END { for (name in last) printf "%.0f\n", last[name] / 10000 }' | sort -n | paste -sd' '
}
if command -v gfortran >/dev/null; then
    gfortran -std=f2008 -Wall -Wextra -Werror -fopenmp -J .. -o ../fortran "$root/examples/trace/pajetrace.f90" \
        "$root/tests/trace/user.f90" || exit 1
    traced 'pajetrace.f90' ../fortran
    expect 'pajetrace.f90: states' '1 10 8' echo "$(states solve) $(states step) $(states 'in a thread')"
    expect 'pajetrace.f90: variables, a mark' '1 1 1' sh -c "for what in 'Variable.*, residual, .*, 0.000977' \
        'Variable.*, steps, .*, 10.000000' 'Event.*, converged'; do '$paje' dump t.trace | grep -c \"^\$what\"; done | paste -sd' '"
else
    skip 'pajetrace.f90: it is not compiled (install gfortran)'
fi
options=--record=heap,processes traced 'the heap' ../heap 20
expect 'the heap: events' '648 647' echo "$(allocations allocate)" "$(allocations free)"
expect 'the heap: what is left' '20 20 20 50' heap_ends
options='--record=heap --heap=1' traced 'the heap: small allocations' ../heap 1
expect 'the heap: small allocations' yes at_least 42 allocations allocate
options='--record=heap --heap=1M' traced 'the heap: large allocations' ../heap 2
expect 'the heap: large allocations' '4 4' echo "$(allocations allocate)" "$(allocations free)"
traced 'the heap: not recorded' ../heap 1
expect 'the heap: not recorded' 0 sh -c "'$paje' dump t.trace | grep -c '^Event\|^Variable'"
traced 'cancelled threads' "$program" cancel 60
traced 'longjmp out of a call' "$program" jump 100
expect 'longjmp out of a call: no state stays open' yes \
    sh -c "'$paje' dump t.trace | awk -F', ' '\$1 == \"State\" && \$8 == \"read\" && \$7 > 2 { deep++ } END { print deep ? deep : \"yes\" }'"

# ---- functions

loads=${FULL:+100} # turns of 10 and 9 loads of two libraries
loads=${loads:-10}
instrument="${CC:-cc} -std=gnu99 -O1 -fno-inline -finstrument-functions -w"
for way in '-fPIE -pie' -no-pie; do
    # shellcheck disable=SC2086
    $instrument $way "$root/tests/trace/functions.c" -o ../functions -pthread -ldl &&
        $instrument -DLIBRARY=in_library -fPIC -shared "$root/tests/trace/functions.c" -o ../library.so &&
        $instrument -DLIBRARY=in_other -fPIC -shared "$root/tests/trace/functions.c" -o ../other.so || exit 1
    traced "functions $way" ../functions ../library.so ../other.so $loads
    expect "functions $way: calls" '1188 600 1022 4 1' \
        echo "$(states fibonacci) $(states jump) $(states descend) $(states in_thread) $(states main)"
    expect "functions $way: of libraries at the same place in turn" "${loads}0 $((loads * 9))" echo "$(states in_library) $(states in_other)"
done
expect 'functions: longjmp leaves no stack that grows' yes sh -c \
    "'$paje' dump t.trace | awk -F', ' '\$1 == \"State\" && \$8 == \"fibonacci\" && \$7 > 30 { deep++ } END { print deep ? deep : \"yes\" }'"
options="--functions=fib*i,in_?h*" traced 'functions: some' ../functions ../library.so ../other.so $loads
expect 'functions: some: calls' '1188 4 0 0 0' \
    echo "$(states fibonacci) $(states in_thread) $(states jump) $(states main) $(states in_library)"
options="--functions=!in_*,!*scend" traced 'functions: all but some' ../functions ../library.so ../other.so $loads
expect 'functions: all but some: calls' '1188 600 0 1 0' \
    echo "$(states fibonacci) $(states jump) $(states descend) $(states main) $(states in_library)"
options=--throttle=50:1s says='[0-9]* calls of [2-4] functions are left out, after 50 calls each that took less than 1e+06 us' \
    traced 'functions: throttle' ../functions ../library.so ../other.so $loads
expect 'functions: throttle: calls' "${loads}0 1022 1 yes" echo "$(states in_library) $(states descend) $(states main) $([ "$(states fibonacci)" -lt 600 ] && echo yes)"
expect 'functions: throttle: marks' 'descend fibonacci' \
    sh -c "'$paje' dump t.trace | sed -n 's/^Event, .*, Left out, .*, //p' | grep -v loads | sort -u | paste -sd' '"
if ${CXX:-g++} -O1 -finstrument-functions "$root/tests/trace/functions.cc" -o ../exceptions 2>/dev/null; then
    traced 'functions of C++' ../exceptions
    expect 'functions of C++: names, exceptions' '101 100 50' echo "$(states 'inner::leave(int) const')" \
        "$(states 'int twice<int>(int)')" "$(states "operator'' _half(unsigned long long)")"
    expect 'functions of C++: an exception leaves no stack that grows' '' sh -c \
        "'$paje' dump t.trace | awk -F', ' '\$1 == \"State\" && \$7 > 12'"
    options=--names=mangled traced 'functions of C++: mangled' ../exceptions
    expect 'functions of C++: mangled: names' 100 states _Z5twiceIiET_S0_
else
    skip 'functions of C++: it is not compiled (install g++)'
fi
strip ../functions ../library.so 2>/dev/null
traced 'functions: stripped' ../functions ../library.so ../other.so $loads
expect 'functions: stripped: of the program by place, of the library by its dynamic symbol' "yes ${loads}0" \
    echo "$(at_least 4 sh -c "'$paje' dump t.trace | sed -n 's/^State.*, \(functions+0x[0-9a-f]*\)\$/\1/p' | sort -u | wc -l")" "$(states in_library)"

# ---- processes

traced 'fork with threads' "$program" fork 20
expect 'fork with threads: processes' 21 containers Process
expect 'fork with threads: names' 21 sh -c "'$paje' dump t.trace | grep -c 'Process, .*, program [0-9]*\$'"
expect 'fork with threads: links' 20 links 'Process created'
expect 'fork with threads: a thread in the child' 42 sh -c "echo $(($(containers Thread) - 1))"
traced 'clone, _Fork' "$program" copies
expect 'clone, _Fork: processes, and what each writes' '3 290' sh -c "echo $(containers Process) $(states write)"
traced 'vfork, system' "$program" spawn 20
expect 'vfork, system: processes' 22 containers Process
expect 'vfork: links' 20 links 'Process created'
traced 'exec of itself' "$program" execute 50
expect 'exec of itself: images' 51 containers Process
traced 'another environment' "$program" clean
expect 'another environment: programs' 4 containers Process
expect 'another environment: links' 2 links 'Process created'
traced 'env -i' env -i sh -c 'echo a | /usr/bin/sort'
expect 'env -i: programs' yes at_least 3 containers Process
traced 'all files closed' "$program" close-all 300
expect 'all files closed: writes' yes at_least 9000 states write
traced 'the main thread ends first' "$program" main-ends
traced '_exit in a thread' "$program" leave
traced 'a shell' sh -c 'ls /; echo "$0" | cat; exit 3' a b
expect 'a shell: the programs' 'cat ls sh' sh -c \
    "'$paje' dump t.trace | sed -n 's/^Container, .*, Process, .*, \([a-z]*\) [0-9]*\$/\1/p' | sort -u | paste -sd' '"
expect 'a shell: fork ends at the program that was executed' yes at_least 2 links 'Process created'

rm -f ./*
expect 'a process that goes on' 'hi
paje: t.trace: processes go on (1); what they do from now on is not in it' "$paje" trace -o t.trace sh -c 'sleep 8 >/dev/null 2>&1 & sleep 2; echo hi'
expect 'a process that goes on, and has not called anything' 'forked
paje: t.trace: processes go on (1); what they do from now on is not in it' "$paje" trace -o t.trace "$program" idle-child
for i in 1 2 3 4; do
    "$paje" trace -o t.trace "$program" working-child >/dev/null 2>&1
    quick=1 valid 'processes that go on working' t.trace || break
done && pass 'processes that go on working'
expect 'a trace within another' 'yes yes' sh -c "'$paje' trace -o outer '$paje' trace -o inner true &&
    for trace in outer inner; do '$paje' validate --strict \$trace >/dev/null && echo yes; done | paste -sd' '"

# ---- signals

quick=1 says=any traced 'signals at 10 kHz' "$program" signals 500
for signal in 6 11 15; do
    traced "signal $signal" "$program" crash $signal 2>/dev/null
done
expect 'death by a signal: the container ends' 1 containers Thread
kills=${FULL:+100} killed=0
for i in $(seq "${kills:-12}"); do
    rm -f ./*
    "$paje" trace -o t.trace "$program" work & pid=$!
    [ $((i % 3)) != 0 ] || until pgrep -P $pid -x program >/dev/null || ! kill -0 $pid; do :; done
    sleep 0.0$((i * 7 % 6))5
    child=$(pgrep -P $pid -x program)
    kill -9 "${child:-$pid}"
    wait $pid
    [ $? = 137 ] || { fail 'kill -9' 'exit status'; break; }
    [ -z "$child" ] || { quick=1 valid 'kill -9' t.trace && killed=$((killed + 1)); } || break
done 2>/dev/null
if [ $killed -gt 3 ]; then pass 'kill -9'; else fail 'kill -9' "$killed programs were killed"; fi
rm -rf ./* ../tmp/*
"$paje" trace -o t.trace sleep 100 & pid=$!
sleep 0.3
kill -TERM $pid
wait $pid 2>/dev/null
status=$?
expect 'SIGTERM is passed on' '143 1' echo $status "$(states sleep)"

# as `timeout` sends it: to the whole group, when the program may have ended and its trace is being made
rm -f ./*
mkfifo t.trace
setsid "$paje" trace -o t.trace true & pid=$!
until pgrep -s $pid -f 'paje merge' >/dev/null; do sleep 0.05; done # it waits for a reader now
kill -TERM -- -$pid
timeout 10 cat t.trace >whole.trace
wait $pid
status=$?
mv whole.trace t.trace
expect 'SIGTERM does not end what makes the trace' '0 1' echo $status "$(containers Thread)"
rm -rf ./* ../tmp/*

${CC:-cc} -std=gnu11 -O1 -Wall -I"$root/examples" -fno-inline -fno-builtin -finstrument-functions -rdynamic -o ../hot \
    "$root/tests/trace/hot.c" -pthread || exit 1
traced 'calls allocate nothing, take no lock, print and look up nothing' ../hot 20000
expect 'calls allocate nothing: states' '20000 20000' echo "$(states turn) $(states add)"

traced 'handlers of SIGBUS' "$program" set-handlers
rm -f ./*
expect 'signals that are ignored stay so, and the trace is made' '13 17 25 are ignored 0' \
    sh -c "'$program' ignoring '$paje' trace -o t.trace '$program' ignored | tr '\n' ' '; '$paje' validate --strict t.trace >/dev/null; echo \$?"

# ---- limits

says='could not be opened or could not grow' traced 'limits of files' "$program" limit 20000
expect 'limits of files: what fits is there' yes at_least 500 states write
# As on a full disk of btrfs, where a page that is written again is a SIGBUS.
says='it has not all: from .* could not' traced 'a file that cannot be written any more' "$program" lose-file 20000
expect 'a file that cannot be written any more: what was written is there' yes at_least 500 states write
says='it has not all: .* could not' traced 'a control page that cannot be written any more' "$program" lose-control 20000
expect 'a control page that cannot be written any more: what was written is there' yes at_least 20000 states write
expect 'a control page that cannot be written any more: nothing else is said' 1 grep -c . ../err
ln -s "$program" ../mpiexec # a launcher, which is not recorded
expect 'a control page that has been truncated: programs that begin go on' 'ok
paje: nothing was recorded' "$paje" trace -o t.trace ../mpiexec lose-execute
rm -f ./* ../mpiexec
traced 'a limit of 16 files for all' sh -c "ulimit -n 16; '$paje' trace -o ../limited.trace '$program' in-turn 20 &&
    '$paje' validate --strict ../limited.trace >/dev/null && echo valid"
quick=1 traced 'categories switched 500 times' "$program" switching 500
disk=$dir/disk
mkdir -p "$disk"
for as in 'unshare -m' 'unshare -rm'; do # where a file system may be mounted
    $as mount -t tmpfs none "$disk" 2>/dev/null || continue
    # shellcheck disable=SC2016
    TMPDIR=$disk $as sh -c 'mount -t tmpfs -o size=200k none "$TMPDIR" && exec "$@"' sh \
        "$paje" trace -o t.trace "$program" in-turn 3000 >../out 2>../err
    expect 'full disk: the program goes on' '0 done' echo $? "$(cat ../out)"
    expect 'full disk: it is said' 1 grep -c 'it has not all: from .* could not grow' ../err
    valid 'full disk' t.trace && pass 'full disk: strictly valid'
    break
done
rm -f ./*
TMPDIR=/nowhere expect 'no place for raw files' 'paje: $TMPDIR: No such file or directory: nothing is recorded
ok' "$paje" trace echo ok
expect 'no place for raw files: no trace' '' ls -A
expect 'no place for the trace: it is kept' 'ok 1' sh -c \
    "echo \$('$paje' trace -o /nowhere/t.trace echo ok 2>../err) \$(grep -c 'make a trace of it by .paje merge -o FILE' ../err)"
mv ../tmp/paje-trace-* raw
expect 'no place for the trace: it can be merged' 0 sh -c "'$paje' merge -o t.trace raw && '$paje' validate --strict t.trace >/dev/null; echo \$?"
rm -rf ./*
# shellcheck disable=SC2016
expect 'a damaged raw file: said, and the raw files stay' '1 1' sh -c \
    "'$paje' trace -o t.trace sh -c 'for raw in \$TMPDIR/paje-trace-*/*.raw; do echo 10 0.5 77 88 >>\$raw; done' 2>../err
    echo \$(grep -c 't.trace: the lines above are not in it; what was recorded is in' ../err) \$(ls -d ../tmp/paje-trace-* | wc -l)"
valid 'a damaged raw file' t.trace && pass 'a damaged raw file: the trace has the rest'
rm -rf ./* ../tmp/paje-trace-*

# ---- what cannot be traced

expect 'no such program' 127 sh -c "'$paje' trace ./nosuch 2>/dev/null; echo \$?"
touch plain
expect 'no program' 126 sh -c "'$paje' trace ./plain 2>/dev/null; echo \$?"
rm -f plain
loader=$(grep -ao '/[a-z0-9/]*/ld-linux[-_a-z0-9.]*' "$program" | head -n 1)
if [ -x "$loader" ]; then
    says='' traced 'a program run by the loader' "$loader" "$program" in-turn 10
    expect 'a program run by the loader: its threads' 11 containers Thread
else
    skip 'a program run by the loader: it is called otherwise here'
fi
if echo 'int main(void) { return 4; }' | ${CC:-cc} -static -x c - -o ../static 2>/dev/null; then
    says='linked statically' traced 'a static program' ../static
    expect 'a static program: its time' 1 states running
else
    skip 'a static program: it makes none (install libc6-dev)'
fi
cp "$program" ../other-user
if chown 65534 ../other-user 2>/dev/null && chmod 4755 ../other-user; then
    says='runs as another user or group (set-user-id)' traced 'a program that runs as another user' ../other-user in-turn 3
    expect 'a program that runs as another user: its time' '1 0' echo "$(states running) $(states read)"
else
    skip 'a program that runs as another user: it cannot be made (run as root)'
fi
if [ "$(id -u)" = 0 ] && type -P setpriv >/dev/null; then
    says='executed as another user is not in it (1 times)' traced 'a process that becomes another user' \
        setpriv --reuid=65534 --regid=65534 --clear-groups sh -c :
    says='nosuch' traced 'a process that becomes another user, and executes nothing' \
        setpriv --reuid=65534 --regid=65534 --clear-groups ./nosuch
    expect 'a process that becomes another user, and executes nothing: it says no more' 0 grep -c 'another user' ../err
else
    skip 'a process that becomes another user: it cannot (install util-linux, run as root)'
fi
cp "$(type -P true)" ../foreign
printf '\x28\x00' | dd of=../foreign bs=1 seek=18 conv=notrunc 2>/dev/null # ARM
expect 'another architecture' 1 sh -c "'$paje' trace -o t.trace ../foreign 2>&1 | grep -c 'for another architecture'"
rm -f ./*
mkdir -p ../alone && cp "$paje" ../alone/paje
expect 'no library' 1 sh -c "../alone/paje trace -o t.trace true 2>&1 | grep -c 'there is no libpajetrace.so beside paje or in ../lib'"
expect 'no library: its start and end' 1 states running
mkdir -p ../away/bin ../away/lib && cp "$paje" ../away/bin && cp "$root"/build/libpajetrace{,-omp}.so ../away/lib
rm -f ./*
expect 'installed' 'done' ../away/bin/paje trace -o t.trace "$program" in-turn 3
expect 'installed: reads' 3 states read

if echo 'int main(void) { return 4; }' | ${CC:-cc} -fsanitize=address -x c - -o ../sanitized 2>/dev/null && ! ../sanitized 2>/dev/null; then
    traced 'an address sanitizer' ../sanitized
    options=--record=heap traced 'an address sanitizer: the heap' ../sanitized
else
    skip 'an address sanitizer: it makes no such programs (install libasan8)'
fi

# ---- settings

rm -f ./*
PAJETRACE='record=threads # no more' traced 'settings of the environment' "$program" waits
expect 'settings of the environment: record' '2 0' sh -c "echo $(states 'join thread') $(states condition)"
wrong() { # NAME MESSAGE COMMAND...
    "${@:3}" >../out 2>../err
    expect "$1" "2 $2" sh -c "echo $? \$(cat ../err)"
}
PAJETRACE='record=io
  recrod=io' wrong 'a wrong key' 'paje: trace: PAJETRACE:2:3: there is no setting `recrod`; there are record, threads, names, functions, throttle, heap, methods, allocations, exceptions, beans, jvm, sample, sampler, counters, omp (see `paje trace --help`)' \
    "$paje" trace true
echo 'threads=some' >../settings
wrong 'a wrong value' 'paje: trace: ../settings:1:1: `threads=some`: it has to be threads=each or slots (see `paje trace --help`)' \
    "$paje" trace --config=../settings true
wrong 'a wrong category' 'paje: trace: --record:1:1: `record=io,lock`: it has to be record=threads, locks, io, processes, user, functions, heap, mpi, omp, task-links, java, collective-links, with commas between them (see `paje trace --help`)' \
    "$paje" trace --record=io,lock true
wrong 'no command' 'paje: trace: a command is needed, such as `paje trace ls -l` (see `paje trace --help`)' "$paje" trace
expect 'options of the command' 1 sh -c "'$paje' trace -o t.trace ls -d --color=never / | grep -c /"
"$paje" trace -o t.trace --keep=raw --record=threads sh -c "$paje trace --on io raw; sleep 0.01; $paje trace --off io raw; sleep 0.01" &&
    expect '--on and --off' 1 states sleep
expect '--keep: raw files are valid' '' sh -c "for raw in raw/*.raw; do '$paje' validate -z \$raw >../log 2>&1 || cat ../log; done"

# A folder that is merged later, and by the names of its files; what was killed, and what was cut.
cksum raw/* >../log
expect 'a folder that is merged by two processes' '' sh -c "'$paje' merge -j 2 raw | cmp - t.trace"
expect 'a folder that is merged later' '' sh -c "'$paje' merge raw | cmp - t.trace; '$paje' merge raw/*.raw | cmp - t.trace"
expect 'a folder that is merged stays as it is' '' sh -c "cksum raw/* | cmp - ../log"
expect 'a folder that is merged into a file that is read there' '2 1' \
    sh -c "'$paje' merge -o raw/control raw 2>../err; echo \$? \$(grep -c 'control. is to be read and written' ../err)"
expect 'and that stays as it was' '' sh -c "cksum raw/* | cmp - ../log"
{ "$paje" trace -o t.trace --keep=killed sh -c 'sleep 0.02; kill -9 $$'; } 2>/dev/null
valid 'killed' t.trace
expect 'killed, merged later' '' sh -c "'$paje' merge killed | cmp - t.trace"
size=$(LC_ALL=C awk '{size += length($0) + 1} NF {last = size} END {print last}' killed/1-*.raw)
truncate -s $((size - 3)) killed/1-*.raw
expect 'cut in the middle of a block: said' '0 1' sh -c "'$paje' merge -o cut.trace killed 2>../err; echo \$? \$(grep -c 'the last line has no end' ../err)"
valid 'cut in the middle of a block' cut.trace
mkdir part
cp killed/1-*.raw part/
expect 'without the file of its run: said' 1 \
    sh -c "'$paje' merge -o cut.trace part 2>&1 | grep -c '^paje: part/1-.*.raw: the file .control. of its run is not beside it'"
rm -r part
for size in 8 100000; do # its last byte is the version
    { head -c 7 killed/control; printf '!'; head -c $((size - 8)) /dev/zero; } >../control
    cp -r killed other
    cp ../control other/control
    expect "a folder of another version, $size bytes: refused" '3 1' sh -c \
        "'$paje' merge -o none.trace other 2>../err; echo \$? \$(grep -c 'other/control: .* of another version' ../err)"
    rm -r other
done
expect 'nothing is written' '' sh -c 'ls none.trace 2>/dev/null'
truncate -s 0 killed/1-*.raw
"$paje" merge -o cut.trace killed
valid 'a raw file without a byte' cut.trace
for i in {100..299}; do
    cp raw/1-*.raw raw/$i-$i.raw
done
expect 'two hundred processes, 64 descriptors' 0 \
    bash -c 'ulimit -n 64; "$1" merge --apart -o t.trace raw 2>../err; echo $?' - "$paje"
valid 'two hundred processes, 64 descriptors' t.trace
for run in one two; do
    "$paje" trace -o t.trace --keep=$run sh -c 'sleep 0.01; sleep 0.01; true'
done
"$paje" merge -o t.trace one two
valid 'two runs, merged later' t.trace
expect 'two runs, merged later: links' 4 links 'Process created'
rm -rf raw killed one two

# ---- a job after one of the same number that was killed, with all that belongs to it

rm -rf ./*
mkdir tmp
wait_for_two() { # until two processes are recorded
    for i in $(seq 100); do
        [ "$(ls tmp/*/*.raw 2>/dev/null | wc -l)" != 2 ] || break
        sleep 0.1
    done
}
rank() { # NUMBER COMMAND...
    TMPDIR=$PWD/tmp OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_MCA_ess_base_jobid=7 OMPI_COMM_WORLD_RANK=$1 \
        exec "$paje" trace -o t.trace "${@:2}" 2>>err
}
rank 0 sleep 60 & pids=$!
rank 1 sleep 60 & pids="$pids $!"
wait_for_two
pids="$pids $(ps -o pid= --ppid "${pids// /,}")" # with their programs, and the process that would make the trace
{
    # shellcheck disable=SC2086
    kill -STOP $pids # at once
    # shellcheck disable=SC2086
    kill -9 $pids
    wait
    # shellcheck disable=SC2086
    for i in $(seq 100); do
        ! ps -o stat= -p "$(echo $pids | tr ' ' ,)" | grep -qv Z || sleep 0.1
    done
} 2>/dev/null
expect 'a job that was killed: there is no trace' '' sh -c 'ls t.trace 2>/dev/null'
for job in 1 2; do
    rm -f t.trace
    (rank 0 true) & (rank 1 true) & wait
    for i in $(seq 100); do
        [ "$(ls -d tmp/* | wc -l)" != 1 ] || break
        sleep 0.1
    done
    expect "job $job after it: its ranks are in the trace" 2 sh -c "'$paje' dump t.trace | grep -c '^Container.*rank [01]\$'"
done
expect 'what it left is told once' 1 grep -c 'left that was killed: .paje merge -o FILE .* makes a trace of it' err
expect 'and can be merged' 0 sh -c "'$paje' merge -o left.trace tmp/paje-trace-*-*-* 2>merged; echo \$?"
valid 'what a killed job left' left.trace

# ---- jobs of Slurm, by what it tells the processes of a step

rm -rf ./*
mkdir tmp
task() { # RANK COMMAND...: of a step of two on this machine
    TMPDIR=$PWD/tmp SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=3 SLURM_STEP_TASKS_PER_NODE='1,2' SLURM_NODEID=1 SLURM_PROCID=$1 \
        exec "$paje" trace "${@:2}" 2>>err
}
(task 1 sleep 0.3) & (task 2 sleep 0.1) & wait
expect 'tasks of Slurm: one trace on each machine' "sleep.$(uname -n).trace" sh -c 'ls *.trace'
expect 'tasks of Slurm: each is in it' 2 sh -c "'$paje' dump *.trace | grep -c '^Container.*rank [12]\$'"
valid 'tasks of Slurm' ./*.trace
rm -f ./*.trace
task 1 sleep 60 & pids=$!
task 2 sleep 60 & pids="$pids $!"
wait_for_two
# shellcheck disable=SC2046,SC2086
{ kill $pids $(ps -o pid= --ppid "${pids// /,}"); wait; } 2>/dev/null
for i in $(seq 100); do # a launcher that it ends at once does not wait for the trace
    [ "$(ls tmp)" ] || break
    sleep 0.1
done
expect 'scancel, to all processes of the job: each task is in the trace' 2 sh -c "'$paje' dump *.trace | grep -c '^Container.*rank [12]\$'"
expect 'scancel: nothing is left' '' echo "$(ls tmp; cat err)"
SLURM_JOB_ID=7 SLURM_NTASKS=3 SLURM_PROCID=0 "$paje" trace true
expect 'the script of a batch job is no task' 1 sh -c "'$paje' dump true.trace | grep -c '^Container.*Process.*true [0-9]*\$'"
rm -f ./*.trace
for i in 0 1; do PMI_RANK=$i PMI_SIZE=2 "$paje" trace true; done
expect 'launchers that cannot find each other: each has a trace' "true.$(uname -n).0.trace true.$(uname -n).1.trace" sh -c 'echo *.trace'

# ---- a trace that grows

rm -rf ./*
rm -f ../go && mkfifo ../go || exit 1
"$paje" trace --live -o t.trace sh -c "'$program' in-turn 200; '$program' at-once 20; read line <../go" >/dev/null & pid=$!
for i in $(seq 100); do # it is a second late, and more if the machine is busy
    [ "$(states 'join thread' 2>/dev/null)" != 220 ] || break
    sleep 0.1
done
expect '--live: the trace is valid while the program runs' 0 sh -c "'$paje' validate --strict -z t.trace >/dev/null; echo \$?"
expect '--live: what it has then' '200 21 220' echo "$(states read) $(states barrier) $(states 'join thread')"
expect '--live: it can be viewed' yes at_least 1 sh -c "'$paje' view --once t.trace | grep -c 'wait for process'"
echo >../go
wait $pid
expect '--live: the whole trace takes its place' '0 20' sh -c "'$paje' validate --strict t.trace >/dev/null; echo \$? $(states sleep)"
rm -rf ./*
expect '--live: no such program' '127' sh -c "'$paje' trace --live ./nosuch 2>/dev/null; echo \$? \$(ls)"

# ---- programs of others

rm -rf ./*
here=$root
if command -v python3 >/dev/null; then
    python=$(python3 -c 'import sys; print(sys.executable)') # python3 may be a script of bash, whose handler of SIGCHLD waits
    traced 'python3' "$python" -c 'import subprocess, threading
def work(n): print(subprocess.run(["sh", "-c", "echo %d" % n], capture_output=True).stdout, flush=True)
for n in range(3):
    t = threading.Thread(target=work, args=(n,)); t.start(); t.join()'
else
    skip 'python3: there is none (install python3)'
fi
for tool in 'xz -T2 -c' 'sort --parallel=2' 'gzip -c'; do
    if command -v ${tool%% *} >/dev/null; then
        # shellcheck disable=SC2086
        traced "${tool%% *}" $tool "$here/pajewrite.h"
    else
        package=${tool%% *}
        skip "$package: there is none (install ${package/xz/xz-utils})"
    fi
done
if command -v sqlite3 >/dev/null; then
    traced sqlite3 sqlite3 :memory: 'create table t(a); insert into t values (1), (2); select sum(a) from t'
else
    skip 'sqlite3: there is none (install sqlite3)'
fi
mkdir -p ../small
printf 'all: %s\n\t@echo all\n%%.o: %%.c\n\t@$(CC) -c -o $@ $<\n' 'a.o b.o c.o' >../small/Makefile
for name in a b c; do echo "int $name;" >../small/$name.c; done
traced 'make -j2' sh -c "rm -f ../small/*.o; MAKEFLAGS= make -s -j2 -C ../small CC='${CC:-cc}'"
expect 'make -j2: links' yes at_least 8 links 'Process created'
expect 'make -j2: compilers' yes at_least 10 containers Process
exit $failed
