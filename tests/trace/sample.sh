#!/bin/bash
# `paje trace --sample` and `--counters`: shares of functions are those of the program's own CPU clock, whatever takes
# the samples; what states use is counted right; the program runs as it does without.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=$PWD/build/tests/sample paje=$PWD/build/paje failed=0
rm -rf "$dir"
mkdir -p "$dir/tmp"
make -s paje || exit 1
pass() { echo "PASS sample/$1"; }
fail() { echo "FAIL sample/$1: $2"; failed=1; }
skip() { echo "SKIP sample/$1"; }
if ! [ -e build/libpajetrace.so ]; then
    skip 'all: the library is for Linux with glibc'
    exit 0
fi
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer -fno-optimize-sibling-calls \
    -Iexamples -o "$dir/program" tests/trace/sample.c -rdynamic -pthread -ldl || exit 1
cd "$dir" || exit 3
export TMPDIR=$dir/tmp

# sampled CASE STATUS [OUTPUT]: the case ends so and prints that; one trace appears, which is valid
sampled() {
    local status log
    rm -f t.trace
    "$paje" trace -v --sample -o t.trace ./program "$1" "$rounds" >out 2>err
    status=$?
    if [ $status != "$2" ]; then
        log="exit status $status, expected $2: $(head -n 3 err)"
    elif [ "$(cat out)" != "${3:-}" ]; then
        log="it prints \`$(head -c 200 out)\`, expected \`${3:-}\`"
    elif grep -q 'left out' err; then
        log=$(grep 'left out' err)
    elif [ "$(ls tmp)" ]; then
        log="it leaves $(ls tmp | head -n 1)"
    elif ! log=$("$paje" validate --strict t.trace 2>&1) || ! grep -q ' 0 warnings: valid' <<<"$log"; then
        log="not valid: $(head -n 1 <<<"$log")"
    else
        return 0
    fi
    echo "$1: $log" >>wrong
    return 1
} 2>/dev/null
# Total time of functions, with what they call: NAME SECONDS, a line each.
totals() {
    "$paje" dump t.trace | awk -F', ' '$1 == "State" && $3 == "Sampled" { sum[$8] += $6 }
        END { for (name in sum) print name, sum[name] }'
}
# about NAME FUNCTION SECONDS PERCENT: so much time (times a tenth of `rounds`) has samples of a function, within PERCENT
# of a second.  Where other programs run, a timer may fire after 50 ms only, or more, and what a thread has used since its
# last sample is in none: then any time up to that, and half of it at least where there are many rounds.
about() {
    local found
    found=$(totals | awk -v name="$2" '$1 == name { print $2 }')
    awk -v a="${found:-0}" -v b="$3" -v most="$4" -v rounds="$rounds" -v kind="$kind" 'BEGIN {
        b *= rounds / 10; most /= 100
        exit !((a >= b - most || (kind == "timers" && (rounds == 10 ? a > 0 : a >= b / 2))) && a <= b + most) }' ||
        { echo "$1: $2 has ${found:-no time}, expected $3 times $rounds / 10" >>wrong; return 1; }
}
# Repeats what depends on when the machine runs the program: three times at most, and one has to be right.
tries() { # NAME FUNCTION
    for _ in 1 2 3; do
        : >wrong
        "$2" && pass "$1" && return
    done
    fail "$1" "$(head -n 1 wrong)"
}

shares() { # 70 to 30, within 3 %; and each function in the state that the program has set around it
    local most=0.03 samples
    sampled split 0 || return
    samples=$(sed -n 's/^paje: t.trace: \([0-9]*\) samples.*/\1/p' err)
    # Timers take so few, some for ten times as long as others, that chance may have more: 3.5 standard deviations.
    [ $kind = perf ] ||
        most=$(awk -v n="$samples" 'BEGIN { d = 3.5 * sqrt(0.7 * 0.3 / (n + 1)); print (d > 0.03 ? d : 0.03) }')
    awk -v most="$most" '{ time[$1] = $2 }
        END { part = time["seventy"] / (time["seventy"] + time["thirty"] + 1e-9); print part
        exit !(part > 0.7 - most && part < 0.7 + most) }' <(totals) >share ||
        { echo "seventy has $(cat share) of 1 in $samples samples" >>wrong; return 1; }
    "$paje" dump t.trace | awk -F', ' '
        $1 == "State" && $3 == "State" && $8 ~ /^state of / { from[++n] = $4; to[n] = $5; name[n] = substr($8, 10) }
        $1 == "State" && $3 == "Sampled" && $8 ~ /^(seventy|thirty)$/ { at[++m] = $5; function_of[m] = $8 }
        END {
            for (i = 1; i <= m; i++)
                for (k = 1; k <= n; k++)
                    if (at[i] > from[k] && at[i] <= to[k]) { seen++; agree += name[k] == function_of[i] }
            print agree " of " seen " samples agree with states"
            exit !(seen > 10 && agree == seen) }' >agree || { cat agree >>wrong; return 1; }
}
of_threads() {
    sampled threads 0 || return
    about 'a thread' in_thread 0.12 2 && about 'another thread' in_other 0.06 2 && about '64 KiB' in_small 0.06 2 &&
        about 'one that sleeps' run_sleep 0 0.5
}
of_stacks() { # a stack deeper than is recorded, one of sigaltstack that longjmp leaves, frames that are none
    sampled stacks 0 || return
    about 'deep' in_deep 0.06 2 && about 'sigaltstack' in_handler 0.06 2 &&
        [ "$("$paje" dump -u t.trace | awk -F', ' '$3 == "Sampled" && $7 > deepest { deepest = $7 } END { print deepest }')" = 63.000000 ]
}
of_processes() { # a child that calls nothing; one that is killed long after its last call
    sampled processes 0 && about 'a child of fork' in_child 0.08 2 &&
        sampled killed 137 && about 'killed' seventy 0.08 2
}
of_signals() {
    sampled signals 0 '1 1 100 99 0 0 1 -1 0' && about 'all signals are blocked' in_blocked 0.08 2 &&
        about 'signals were blocked' in_unblocked 0.08 2 && about 'a child blocked them' in_forked 0.08 2
}
quietly() {
    sampled quiet 0 && about 'nothing is called' in_quiet 0.08 2
}
rounds=10
for kind in perf timers; do
    [ $kind = perf ] || rounds=${FULL:+100}
    rounds=${rounds:-10}
    export PAJETRACE=sampler=$kind
    if "$paje" trace --sample -o t.trace true 2>&1 | grep -q 'the system takes no samples'; then
        skip "$kind: the system refuses them (sysctl kernel.perf_event_paranoid=2)"
        continue
    fi
    tries "$kind: shares of functions; samples and states agree" shares
    tries "$kind: threads" of_threads
    tries "$kind: stacks" of_stacks
    tries "$kind: processes" of_processes
    tries "$kind: signals of the program" of_signals
    [ $kind = perf ] || tries 'the handler allocates nothing' quietly
done
unset PAJETRACE
rounds=10 kind=perf

# What nothing can be preloaded into.
echo '#include <time.h>
volatile int x;
__attribute__((noinline)) void in_static(void) { while (clock() < CLOCKS_PER_SEC / 20) for (int i = 0; i < 20000; i++) x = i; }
int main(void) { in_static(); return 0; }' >static.c
static() { "$paje" trace --sample -o t.trace ./static >/dev/null 2>err && about 'a static program' in_static 0.05 2; }
if "$paje" trace --sample -o t.trace true 2>&1 | grep -q 'the system takes no samples'; then
    skip 'a static program: the system takes no samples'
elif ${CC:-cc} -O1 -fno-omit-frame-pointer -static static.c -o static 2>/dev/null; then
    tries 'a static program' static
else
    skip 'a static program: it makes none (install libc6-dev)'
fi

# Counters: fields of the ends of states, and variables.
"$paje" trace --counters=faults,cpu-time,switches -o t.trace ./program counters 2>err
"$paje" validate --strict t.trace >log 2>&1 && [ ! -s err ] || fail 'counters' "$(cat err log | head -n 2)"
# The fields, in the order of the table of counters: CpuTime, Faults, Switches.
if "$paje" dump -u t.trace | awk -F', ' '
    $3 == "State" { time[$8] = $9; faults[$8] = $10; switches[$8] = $11 }
    $1 == "Variable" && $3 == "Faults" { last = $7 }
    END {
        print time["burns"], time["all"], faults["faults"], faults["all"], switches["waits"], last
        exit !(time["burns"] >= 5e7 && time["burns"] < 6e7 && time["all"] >= time["burns"] + time["waits"] &&
               faults["faults"] >= 300 && faults["faults"] < 330 && faults["all"] >= faults["faults"] &&
               switches["waits"] >= 20 && switches["waits"] < 30 && last >= 300) }' >log; then
    pass 'counters'
else
    fail 'counters' "$(cat log), expected 5e7 and more, 300 and more, 20 and more"
fi
"$paje" trace --record=io --counters=faults -o t.trace sh -c 'echo a | cat' >out && "$paje" validate --strict t.trace >log 2>&1 &&
    [ "$("$paje" dump -u t.trace | awk -F', ' '$8 == "read" && NF == 10' | head -n 1)" ] && pass 'counters: with bytes, in all processes' ||
    fail 'counters: with bytes, in all processes' "$(head -n 2 log)"

# What cannot be: a message each.
"$paje" trace --counters=faults,instructions -o t.trace true >out 2>err
if ! [ -s err ] || grep -q '^paje: instructions is not counted: ' err; then
    pass 'counters of the processor, or why not'
else
    fail 'counters of the processor, or why not' "$(cat err)"
fi
"$paje" trace --live --sample --keep=kept -o t.trace true >out 2>err
[ $? = 0 ] && ! [ -s err ] && pass 'a run that is kept, while it goes on: nothing is said' || fail 'a run that is kept' "$(cat err)"
"$paje" trace --counters=fault true 2>&1 | grep -q 'counters=fault.: it has to be counters=cpu-time, faults, ' && pass 'a wrong counter' ||
    fail 'a wrong counter' 'no message'
"$paje" trace --sample=0 true >out 2>err
[ $? = 2 ] && grep -q 'sample=RATE, samples of a second of CPU time, from 1 to 20000; or off' err && pass 'a wrong rate' ||
    fail 'a wrong rate' "$(cat err)"
# A full btrfs, where each page that is written again needs another place, and is a SIGBUS if there is none.
mkdir -p disk
if ! PATH=$PATH:/sbin command -v mkfs.btrfs >/dev/null; then
    skip 'a full btrfs: no mkfs.btrfs (install btrfs-progs)'
elif truncate -s 200M image && PATH=$PATH:/sbin mkfs.btrfs -q image >/dev/null 2>&1 &&
    mount -o loop image disk 2>/dev/null; then
    # shellcheck disable=SC2016
    TMPDIR=$PWD/disk "$paje" trace --sample -o t.trace sh -c 'true | cat; sync -f disk
        for size in 1M 4k; do dd if=/dev/zero of=disk/$size bs=$size; sync -f disk; done 2>/dev/null; exit 5' >out 2>err
    status=$?
    umount disk
    if [ $status = 5 ] && grep -q 'samples are missing' err && "$paje" validate --strict t.trace >/dev/null; then
        pass 'a full btrfs'
    else
        fail 'a full btrfs' "exit status $status: $(head -n 2 err)"
    fi
fi # else there is no right to mount it
rm -f image
exit $failed
