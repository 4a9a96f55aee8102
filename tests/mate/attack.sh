#!/bin/bash
# Hostile programs and traces: documents and traces that are damaged at random, cut anywhere, too few descriptors. Mate, its
# collectors and analyser end as they should.
# usage: tests/mate/attack.sh [BUILD]     another folder of builds: one with sanitizers
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/attack-tests bin=$PWD/${1:-build}/examples/mate
[ "$(uname)" = Linux ] || { echo 'SKIP mate/attack: needs Linux'; exit 0; }
make -s build/examples/mate/nbody build/examples/mate/mate build/examples/mate/collector build/examples/mate/analyser build/examples/mate/virtual_chunks build/tests/mate/hostile build/paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
nbody=$root/build/examples/mate/nbody mate=$bin/mate analyser=$bin/analyser collector=$bin/collector hostile=$root/build/tests/mate/hostile
failed=0

# is NAME EXPECTED OUTPUT
is() {
    if [ "$3" = "$2" ]; then
        echo "PASS mate/attack: $1"
    else
        echo "FAIL mate/attack: $1: $(diff <(echo "$2") <(echo "$3") | tr '\n' '|')"
        failed=1
    fi
}
# odd NAME STATUS ALLOWED FILE: notes a status that is none of these, and what a sanitizer reports
odd() {
    [[ " $3 " = *" $2 "* ]] && ! grep -q 'runtime error\|Sanitizer' "$4" || wrong="$wrong $1: $2 $(grep -m 1 'runtime error\|Sanitizer' "$4")"
}

timeout 60 "$root/build/examples/mate/mate" -q -s 1 -o tuned "$nbody" -q -b 32 -i 60 -S 2000 -l 10 -m 4 >result.txt 2>err.txt
"$root/build/paje" merge -o tuned.trace tuned/*.trace >merge.txt 2>&1
is 'a trace is there' 'status 0' "$("$analyser" -s 1 --replay tuned.trace >replay.txt 2>&1; echo "status $?")"
"$root/build/examples/mate/virtual_chunks" -o chunks.trace >chunks.txt

# ---- traces

wrong= size=$(stat -c %s tuned.trace)
for ((i = 0; i < ${FULL:+4}40; i++)); do
    head -c $((i * 7919 % size)) tuned.trace >cut.trace
    timeout 20 "$analyser" --replay cut.trace >replay.txt 2>err.txt
    odd "cut at $((i * 7919 % size))" $? '0 1' err.txt
done
is 'a trace that is cut anywhere, replayed' '' "$wrong"
wrong= tunlets=(workers factoring time pipeline kernels chunk threads)
for ((i = 0; i < ${FULL:+4}40; i++)); do
    [ $((i % 3)) = 0 ] && from=chunks.trace || from=tuned.trace
    "$hostile" - $from $i $((i % 4 * 40 + 1)) >damaged.trace
    timeout 20 "$analyser" --replay -t "${tunlets[i % 2 ? i % 3 / 2 : i % 7]}" damaged.trace >replay.txt 2>err.txt
    odd "damage $i" $? '0 1' err.txt
done
is 'a trace that is damaged, replayed' '' "$wrong"

# ---- programs

wrong=
for ((i = 0; i < ${FULL:+4}8; i++)); do
    rm -rf live output && mkdir -m 700 live
    programs=
    for ((k = 0; k < 6; k++)); do
        "$hostile" live tuned.trace $((i * 10 + k)) 4 &
        programs="$programs $!"
    done
    for ((k = 0; k < 500; k++)); do [ "$(ls live | wc -l)" = 6 ] && break; sleep 0.01; done
    if [ $((i % 4)) = 3 ]; then
        printf '%s\n' live/* | timeout 20 "$collector" -t "${tunlets[i % 8 / 4]}" >collected.trace 2>err.txt
        odd "collector $i" $? '0 1' err.txt
        wait $programs
        continue
    fi
    [ $((i % 4)) = 2 ] && collectors=2 || collectors=0
    timeout -s TERM 20 "$mate" -s 1 -c $collectors --attach=live -o output 2>err.txt &
    tuner=$!
    wait $programs
    sleep 0.05
    kill -TERM $tuner 2>/dev/null # it may wait for others
    wait $tuner
    odd "mate $i" $? '0 143' err.txt
done 2>/dev/null
is 'programs that send anything' '' "$wrong"

# ---- descriptors

right=$("$nbody" -q -b 32 -i 300)
for limit in 6 12; do
    rm -rf live output && mkdir -m 700 live
    PAJE_LIVE=@live "$nbody" -q -b 32 -i 300 -S 1000 -m 8 >result.txt 2>program.err &
    program=$!
    for ((k = 0; k < 500; k++)); do [ "$(ls live | wc -l)" = 9 ] && break; sleep 0.01; done
    (ulimit -n $limit; exec "$root/build/examples/mate/mate" -q --attach=live -o output 2>err.txt) &
    tuner=$!
    wait $program; status=$?
    is "$limit descriptors: the program" "$right status 0" "$(cat result.txt program.err) status $status"
    sleep 0.1
    kill -TERM $tuner 2>/dev/null
    wait $tuner 2>/dev/null
    is "$limit descriptors: mate tells" yes "$(grep -q 'Too many open files' err.txt && echo yes)"
done
exit $failed
