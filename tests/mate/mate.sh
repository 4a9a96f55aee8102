#!/bin/bash
# Tuning from a trace, in virtual time: the decisions and times that the design has, the same by a replay of the recorded
# trace and through collectors.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/mate-tests
make -s build/examples/mate/virtual build/examples/mate/virtual_chunks build/examples/mate/analyser build/tests/mate/collectors build/paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
virtual=$root/build/examples/mate/virtual chunks=$root/build/examples/mate/virtual_chunks analyser=$root/build/examples/mate/analyser paje=$root/build/paje
failed=0

# expect NAME OUTPUT COMMAND...
expect() {
    local output
    output=$("${@:3}" 2>err.txt; echo "status $?")
    if [ "$output" = "$2" ]; then
        echo "PASS mate/$1"
    else
        echo "FAIL mate/$1: $(diff <(echo "$2") <(echo "$output") | tr '\n' '|') $(head -n 1 err.txt)"
        failed=1
    fi
}

expect 'four times the load: decided as MATE does' 'load  1: Nopt = 11.243; T(11) = 2249091 ns is the least
load  4: Nopt = 22.054; T(22) = 4410909 ns is the least
iteration   0: 1 -> 11 workers
iteration 200: 11 -> 22 workers
       1 workers: 12.296000 s
       2 workers:  6.208000 s
       4 workers:  3.224000 s
       8 workers:  1.852000 s
      16 workers:  1.406000 s
      25 workers:  1.490240 s
best fixed, 18:    1.400882 s
tuned from 1:      1.343599 s, 4.1 % under the best fixed number; it ends with 22 workers
switched at once:  1.332000 s, 4.9 % under it, the most that can be gained
status 0' "$virtual" --persist=1 -o step.trace
expect 'three in a row' 'tuned from 1:      1.366803 s, 2.4 % under the best fixed number; it ends with 22 workers
status 0' sh -c "'$virtual' -q -o usual.trace | grep tuned"
expect 'lambda as printed: the number of workers runs away' '1 -> 11|11 -> 15|15 -> 18|18 -> 21|21 -> 30|30 -> 37|37 -> 43|43 -> 48|48 -> 52|52 -> 56|56 -> 60|60 -> 63|63 -> 66|66 -> 69|69 -> 72|72 -> 75|75 -> 78|78 -> 81
status 0' sh -c "'$virtual' --as-printed --persist=1 | sed -n 's/^iteration.*: \(.*\) workers/\1/p' | paste -sd'|'"
expect 'blocks of 64 times the load' 'tuned from 1:      7.468745 s, 30.7 % under the best fixed number; it ends with 88 workers
switched at once:  7.284545 s, 32.4 % under it, the most that can be gained
status 0' sh -c "'$virtual' -q --pattern=blocks --persist=1 -o blocks.trace | tail -n 2"
expect 'a ladder' '1 -> 11|11 -> 16|16 -> 22|22 -> 16|16 -> 11
status 0' sh -c "'$virtual' --pattern=ladder -o ladder.trace | sed -n 's/^iteration.*: \(.*\) workers/\1/p' | paste -sd'|'"

for trace in step usual blocks ladder; do
    expect "$trace: the trace is valid strictly" 'status 0' sh -c "'$paje' validate --strict $trace.trace >/dev/null"
    persist=3
    case $trace in step | blocks) persist=1 ;; esac
    expect "$trace: replayed, the same decisions" 'status 0' sh -c "'$analyser' --persist=$persist --replay $trace.trace >/dev/null"
done
expect 'step: how well workers were used' 'workers: 400 iterations in 1.343599 s, of 18.09 actors on average: speedup 8.93, efficiency 49.4 %; imbalance 0.0 %
status 0' sh -c "'$analyser' --report step.trace | tail -n 1"
expect 'a replay tells the first decision that differs' \
    'analyser: decision 1 differs: recorded is NOptWorkers 1 -> 11 in iteration 0, here is none
status 1' sh -c "'$analyser' --replay step.trace 2>&1 >/dev/null"
sed 's/ 11 22$/ 11 23/' step.trace >changed.trace
expect 'a replay tells a decision that was changed' \
    'analyser: decision 2 differs: recorded is NOptWorkers 11 -> 23 in iteration 200, here it is NOptWorkers 11 -> 22 in iteration 200
status 1' sh -c "'$analyser' --persist=1 --replay changed.trace 2>&1 >/dev/null"
expect 'what is decided for a trace' 'iteration   2: NOptWorkers 1 -> 11
iteration 202: NOptWorkers 11 -> 22
workers: 400 iterations; decisions: 2
status 0' sh -c "'$analyser' <usual.trace"
head -c 300000 usual.trace >cut.trace
expect 'a trace that is cut' 'iteration   2: NOptWorkers 1 -> 11
workers: 90 iterations; given up: 1; events too late: 0; of actors beyond 127: 0; decisions: 1
analyser: 1 lines were refused, 0 events had not all fields: `paje validate` has the lines
status 1' sh -c "'$analyser' cut.trace 2>&1"

# ---- chunks

for chunk in '1000,4,500000|146 38 24 15 9 6 4 2 2 1, one by one: 12, left: 0' \
    '1000,8,500000|62 21 14 9 6 4 3 2 1 1, one by one: 16, left: 0' '1000,4,0|250, one by one: 0, left: 0' \
    '10000,16,1000000|163 95 76 60 47 38 30 24 19 15, one by one: 928, left: 0' \
    '100,25,500000|1 1 1 1, one by one: 0, left: 0' '0,3,1|, one by one: 0, left: 0'; do
    expect "chunks of ${chunk%|*}" "${chunk#*|}
status 0" "$chunks" --chunks="${chunk%|*}"
done
expect 'chunks: tuned' "workers  no load: equal    load: equal  spread 1/2      tuned  of the loss is won back  at most
      2         2.001 s       5.001 s     3.667 s    3.542 s                    49 %    80 %
      4         1.002 s       2.502 s     1.672 s    1.501 s                    67 %    92 %
      8         0.503 s       1.253 s     0.751 s    0.679 s                    77 %    97 %
     16         0.256 s       0.627 s     0.338 s    0.317 s                    84 %   100 %
     25         0.170 s       0.410 s     0.222 s    0.209 s                    84 %   103 %
status 0" "$chunks" -o chunks.trace
expect 'chunks: the trace is valid strictly' 'status 0' sh -c "'$paje' validate --strict chunks.trace >/dev/null"
expect 'chunks: replayed, the same decisions' 'iteration  52: Spread 0 -> 721569
iteration 152: Spread 721569 -> 0
factoring: 200 iterations; decisions: 2
status 0' "$analyser" --tunlet=factoring --replay chunks.trace
used=$("$paje" dump chunks.trace | awk -F', ' '
    $1 == "State" && $3 == "Task" { busy[$2] += $6; all += $6 }
    $5 == "IterationStarts" { begin = $4 }
    $5 == "IterationFinishes" {
        time += $4 - begin; most = 0
        for (worker in busy) most = busy[worker] > most ? busy[worker] : most
        longest += 8 * most; split("", busy) }
    END { printf "speedup %.2f, efficiency %.1f %%; imbalance %.1f %%", all / time, 100 * all / time / 8, 100 * (longest / all - 1) }')
expect 'chunks: how well workers were used' "$used
status 0" sh -c "'$analyser' --tunlet=factoring --report chunks.trace | sed -n 's/.*average: //p'"
expect 'workers and chunks by two tunlets at once' 'equal chunks, best fixed, 8 workers: 1.135000 s
tuned, workers alone, from 1: 1.186350 s
tuned, chunks alone, of so many workers: 0.560760 s
tuned, both, from 1 worker: 0.612170 s, 46.1 % less than the best fixed number
iteration   2: NOptWorkers 1 -> 8
iteration  52: Spread 0 -> 721569
iteration 152: Spread 721569 -> 0
iteration 155: NOptWorkers 8 -> 4
status 0' "$chunks" --both -o both.trace
expect 'workers and chunks: the trace is valid strictly' 'status 0' sh -c "'$paje' validate --strict both.trace >/dev/null"
expect 'workers and chunks: replayed, the same decisions' 'status 0' sh -c "'$analyser' --tunlet=workers --tunlet=factoring --replay both.trace >/dev/null"
expect 'chunks: of what is none' "virtual_chunks: --chunks takes N,P,S: tasks, workers (1 to 128), millionths; not \`1,0,1\`
status 2" sh -c "'$chunks' --chunks=1,0,1 2>&1"
expect 'chunks: a full disk' 'virtual_chunks: /dev/full: it cannot be written whole
status 3' sh -c "'$chunks' -o /dev/full 2>&1 >/dev/null"

expect 'a pattern that is none' 'virtual: there is no pattern `steps`: step, ladder, blocks
status 2' sh -c "'$virtual' --pattern=steps 2>&1"
expect 'a persistence that is none' 'virtual: --persist takes a number from 1 to 15, not `16`
status 2' sh -c "'$virtual' --persist=16 2>&1"
expect 'a full disk' 'virtual: /dev/full: it cannot be written whole
status 3' sh -c "'$virtual' -o /dev/full 2>&1 >/dev/null"
expect 'a trace that is not there' 'analyser: nothing.trace: No such file or directory
status 3' sh -c "'$analyser' nothing.trace 2>&1"
expect 'a tunlet that is none' 'analyser: there is no tunlet `worker`, or there are too many; see --help
status 2' sh -c "'$analyser' -t worker 2>&1"
expect 'two tunlets with the same knob' 'analyser: two tunlets turn the same knob
status 2' sh -c "'$analyser' -t workers -t workers usual.trace 2>&1"

"$root/build/tests/mate/collectors" ${FULL:+4} || failed=1
exit $failed
