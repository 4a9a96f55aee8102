#!/bin/bash
# mirctl poke: variables and calls of processes that were not prepared.
set -u
cd "$(dirname "$0")/../.." || exit 3
. tests/tool/lib.sh
mirctl=$PWD/build/examples/mir/mirctl
make -s build/examples/mir/mirctl 2>/dev/null && [ -x "$mirctl" ] || { echo 'SKIP poke: on Linux only'; exit 0; }
compile() { ${CC:-cc} -O2 -w "$@" tests/live/poked.c tests/live/poked_other.c -pthread 2>/dev/null; }
compile -o "$dir/poked" || exit 3

# begin PROGRAM [calm]: starts it; its number is in $program
begin() {
    : >"$dir/poked.out"
    "$@" >>"$dir/poked.out" 2>&1 &
    program=$!
    wait_for 10 grep -q ready "$dir/poked.out"
}
poke() { timeout 60 "$mirctl" poke "$program" "$@"; }
# ended NAME [REGULAR EXPRESSION]: ends it by a variable; it has ended well, and has seen nothing
ended() {
    poke --set more=0 >/dev/null
    wait "$program"
    local status=$?
    expect "$1" 0 "${2:-wrong 0 interrupted 0 children well}" cat "$dir/poked.out"
    [ $status = 0 ] || fail "$1" "exit status $status"
}

begin "$dir/poked" calm
poke --get workers >"$dir/first" 2>&1
if grep -q 'forbids' "$dir/first"; then
    kill "$program"
    skip 'all' "$(cat "$dir/first")"
    exit 0
fi

# ---- variables, while it runs

expect 'variables: integers of any size, and others' 0 'workers +value 4' poke --get workers --get small
expect 'a small one' 0 'small +value -7' poke --get small
expect 'a large one' 0 'large +value 9223372036854775807' poke --get large
expect 'a double' 0 'tolerance:double +value 0.5' poke --get tolerance:double
expect 'a float, changed' 0 'ratio:float +status applied +old 0.25 +new 0.75' poke --set ratio:float=0.75
expect 'an integer, changed' 0 'workers +status applied +old 4 +new 9' poke --set workers=9
expect 'as JSON' 0 '"name": "workers".*"value": "9"' poke --get workers --json
expect 'one of another file' 0 'applied +old 2 +new 40' poke --set poked_other.c/twice=40
expect 'two of a name' 3 'more than one; name the file: poked.c/twice, poked_other.c/twice' poke --get twice
expect 'one that is constant' 1 'refused +reason it is constant' poke --set constant=4
expect 'one that is no number' 3 'has 20 bytes, so it is no number' poke --get table
expect 'one of each thread' 3 'thread-local' poke --get of_thread
expect 'none of this name' 3 'no variable of this name' poke --get nothing
expect 'a value that does not fit' 2 'no value of this variable' poke --set small=256
expect 'a type that does not fit' 3 'has 4 bytes, not the 8' poke --set workers:double=1
expect 'no value' 2 'no value of this variable' poke --set workers=x
expect 'no process' 3 'no such process' "$mirctl" poke 4194305 --get x
expect 'no number of a process' 3 'number of a process is expected' "$mirctl" poke x --get x
expect 'a process that was not compiled by us, without symbols' 3 'no symbols|no variable' "$mirctl" poke $$ --get workers
expect 'options' 2 'usage: mirctl poke' "$mirctl" poke

# ---- at a function, and calls

if [ "$(uname -m)" != x86_64 ]; then
    ended 'the program has not noticed'
    skip 'at a function' 'on x86-64 only'
    exit $failed
fi
expect 'a call needs a place' 2 'needs --at' poke --call add
expect 'a function that is not there' 3 'no function of this name' poke --get workers --at no_such
expect 'in a thread that enters a function' 0 'add +status applied +result 6 +stopped 0' poke --set workers=10 --call add:1,2,3 --at iteration
expect 'a call that calls the function itself' 0 'nested +status applied +result 2' poke --call nested --at iteration
expect 'a call that crashes is given up' 1 'signal 11' poke --call crash --at iteration
expect 'calls that do not return are given up, and the next one is made' 1 'add +status applied +result 7' \
    poke --call forever --call spin --call add:7 --at iteration --wait 100ms
expect 'a function that is not entered' 1 'expired +reason the function was not entered' poke --set workers=11 --at never --wait 100ms
expect 'nothing was changed' 0 'value 10' poke --get workers
kill -USR1 "$program"
ended 'the program has not noticed: registers, calls of the system, children'
check 'a signal came through' grep -q 'signals 1' "$dir/poked.out"

# ---- while threads run at full speed, the tool is killed at any moment, and the program gets signals and stops

begin "$dir/poked"
for ((i = 0; i < ${FULL:+300} + 0 || i < 30; i++)); do
    at=iteration
    [ $((i % 3)) != 0 ] || at=never
    "$mirctl" poke "$program" --set workers=$i --call add:1 --at $at >/dev/null 2>&1 &
    tool=$!
    kill -USR1 "$program"
    [ $((i % 7)) != 0 ] || { kill -STOP "$program"; kill -CONT "$program"; }
    sleep 0.0$((RANDOM % 5))$((RANDOM % 10))
    { kill -9 $tool; wait $tool; } 2>/dev/null
done
check 'a tool that is killed: the program is not traced any more' wait_for 10 grep -q 'TracerPid:.0$' "/proc/$program/status"
expect 'a tool that is killed: the next one works' 0 'add +status applied +result 3' poke --call add:1,2 --at iteration
ended 'a tool that is killed: the program goes on' 'wrong 0 .* children well' # SIGCONT ends epoll_wait
check 'signals came through all the time' grep -q 'signals [1-9][0-9]' "$dir/poked.out"

begin "$dir/poked" fork
for ((i = 0; i < 60; i++)); do
    poke --set workers=$i --at never --wait $((1 + RANDOM % 12))ms >/dev/null
done
ended 'children that are made while the breakpoint is taken out do not have it' 'children well'
begin "$dir/poked" fork all
for ((i = 0; i < 300; i++)); do
    poke --set workers=$i --at never --wait 1ms >/dev/null
done
ended 'children of several threads that are made while it is put in or taken out do not have it' 'children well'

# for the tool, two seconds pass between any two looks at the clock
cat >"$dir/standing.c" <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int passed;
    const int status = (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec += passed += 2;
    return status;
}
END
if ${CC:-cc} -shared -fPIC -o "$dir/standing.so" "$dir/standing.c" 2>/dev/null; then
    begin "$dir/poked"
    for ((i = 0; i < 30; i++)); do
        LD_PRELOAD=$dir/standing.so poke --set workers=$i --call add:1 --at iteration --wait 1s >/dev/null
    done
    ended 'a machine that stands still: the program goes on' 'wrong 0 .* children well'
else
    skip 'a machine that stands still' 'the compiler makes no libraries'
fi

begin "$dir/poked"
kill -STOP "$program"
expect 'a process that is stopped: its variables' 0 'new 5' poke --set workers=5
expect 'a process that is stopped enters nothing' 1 expired poke --set workers=6 --at iteration --wait 100ms
kill -CONT "$program"
expect 'the process ends in a call' 1 'ended in it' poke --call end --at iteration
wait "$program"
[ $? = 7 ] && pass 'with its own status' || fail 'with its own status' "it has another one"

# ---- programs of all kinds

for kind in pie no-pie static static-pie; do
    options=(-$kind)
    [ $kind != no-pie ] || options=(-no-pie -fno-pie)
    if compile "${options[@]}" -o "$dir/$kind" && begin "$dir/$kind" calm; then
        expect "$kind: a variable and a call" 0 'result 6' poke --set workers=3 --call add:1,2,3 --at iteration
        ended "$kind: the program goes on"
        check "$kind: it was changed" grep -q 'workers 3 called 1' "$dir/poked.out"
    else
        skip "$kind" 'the compiler makes no such programs'
    fi
done
strip -o "$dir/stripped" "$dir/pie"
begin "$dir/stripped" calm
expect 'a program that was stripped' 3 'no symbols, as it was stripped' poke --get workers
kill "$program"
compile -rdynamic -s -o "$dir/exporting" && begin "$dir/exporting" calm
expect 'one that was stripped, but exports' 0 'result 6' poke --set workers=3 --call add:1,2,3 --at iteration
rm "$dir/exporting"
ended 'one whose file is gone'

# ---- what is refused

begin "$dir/poked" calm
if command -v strace >/dev/null; then
    strace -qq -o "$dir/strace" -p "$program" 2>/dev/null &
    tracer=$!
    wait_for 10 grep -q 'TracerPid:.[1-9]' "/proc/$program/status"
    expect 'a process that is traced' 3 'traced by another one' poke --get workers
    { kill $tracer; wait $tracer; } 2>/dev/null
else
    skip 'a process that is traced' 'no strace (install strace)'
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$dir"
    cp "$mirctl" "$dir/mirctl"
    expect 'another user' 3 "another user's" setpriv --reuid 65534 --clear-groups "$dir/mirctl" poke "$program" --get workers
    setpriv --reuid 65534 --clear-groups sleep 60 &
    other=$!
    wait_for 10 grep -q 'Uid:.65534' /proc/$other/status
    expect "another user's process" 3 "another user's" "$mirctl" poke $other --get workers
    kill $other
else
    skip 'another user' 'this needs root and setpriv (install util-linux)'
fi
ended 'it goes on'
begin "$dir/poked" leave
wait_for 10 grep -q 'State:.Z' "/proc/$program/status"
expect 'a process whose main thread has ended' 3 'its main thread has ended' poke --get workers
kill "$program"
exit $failed
