#!/bin/bash
# paje efficiency: programs whose figures are computed by hand, and random traces against the longest path through the
# graph of their events.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

# trace NAME: the header, types and two to four processes from 0, and what comes on standard input
trace() {
    {
        cat tests/tool/header.trace
        cat <<'END'
%EventDef PajePushState 90
%  Time date
%  Type string
%  Container string
%  Value string
%  Communicator string
%  Root int
%  Bytes int
%  Instance int
%  Rank int
%  Size int
%EndEventDef
0 P 0 Process
0 T P Thread
1 S T State
4 L 0 T T Message
END
        cat
    } >"$dir/$1.trace"
}
processes() { for ((i = 0; i < $1; i++)); do printf '6 0 p%d P 0 "rank %d" x\n6 0 t%d T p%d main x\n' $i $i $i $i; done; }
# figures NAME OPTIONS...: processes, run time, useful, parallel, balance, communication, serialization, transfer of the whole
figures() {
    "$paje" efficiency --format csv "${@:2}" "$dir/$1.trace" 2>"$dir/err" | awk -F, -v OFS=' ' '$1 == "whole" {print $5, $6, $7, $11, $12, $13, $14, $15}'
}

# Process r computes for r + 1 seconds, then waits at a barrier, which takes no time.
{
    processes 4
    for r in 0 1 2 3; do echo "90 $((r + 1)) S t$r MPI_Barrier w -1 0 1 $r 4"; done
    for r in 0 1 2 3; do echo "12 4 S t$r x"; done
} | trace imbalance
check 'imbalance' test "$(figures imbalance)" = '4 4 10 0.625 0.625 1 1 1'
# Processes that wait at a barrier for some that a filter leaves out wait for what the trace does not tell.
sed 's/^90 \(.*\) w .*/11 \1 x 1/' "$dir/imbalance.trace" >"$dir/plain.trace"
for one in imbalance plain; do
    check "$one: a barrier with processes that are left out" test "$(figures $one --container 'rank [01]')" = '2 4 3 0.375 0.75 0.5  '
    check "$one: which is said" grep -q 'wait for containers that --container leaves out' "$dir/err"
    check "$one: clocks are not blamed" test "$(grep -c 'clocks differ' "$dir/err")" = 0
    check "$one: none is left out" test "$(figures $one --container 'rank *')" = '4 4 10 0.625 0.625 1 1 1'
done
# Each computes for a second when it has the message of the one before it; the barriers have no numbers.
{
    processes 4
    cat <<'END'
11 0 S t1 MPI_Recv x 1
11 0 S t2 MPI_Recv x 1
11 0 S t3 MPI_Recv x 1
40 1 L 0 t0 m a 8
11 1 S t0 MPI_Barrier x 1
41 1 L 0 t1 m a x
12 1 S t1 x
40 2 L 0 t1 m b 8
11 2 S t1 MPI_Barrier x 1
41 2 L 0 t2 m b x
12 2 S t2 x
40 3 L 0 t2 m c 8
11 3 S t2 MPI_Barrier x 1
41 3 L 0 t3 m c x
12 3 S t3 x
11 4 S t3 MPI_Barrier x 1
12 4 S t0 x
12 4 S t1 x
12 4 S t2 x
12 4 S t3 x
END
} | trace pipeline
check 'a pipeline waits for itself' test "$(figures pipeline)" = '4 4 4 0.25 1 0.25 0.25 1'
# A link of which neither end is in a call, as of a platform, does not tell for whom a receive waits.
{
    processes 2
    cat <<'END'
40 0.25 L 0 t0 m a 8
41 0.5 L 0 t1 m a x
11 1 S t1 MPI_Recv x 1
11 2 S t0 MPI_Send x 1
12 3 S t0 x
12 3 S t1 x
6 4 p2 P 0 last x
END
} | trace links
check 'links outside of calls' test "$(figures links)" = '2 4 5 0.625 0.8333333333333334 0.75  '
check 'which is said' grep -q 'does not tell for whom calls wait' "$dir/err"
# A message does, also where its ends are listed outside of the calls that begin and end then.
sed -e '/^4[01] /d' -e 's/^11 2 /40 2 L 0 t0 m a 8\n&/' -e 's/^12 3 S t1.*/&\n41 3 L 0 t1 m a x/' "$dir/links.trace" >"$dir/message.trace"
check 'a message at the edges of its calls' test "$(figures message)" = '2 4 5 0.625 0.8333333333333334 0.75 1 0.75'
# Processes that wait for one that a filter leaves out wait for what the trace does not tell.
check 'a message from a process that is left out' test "$(figures message --container 'rank 1')" = '1 4 2 0.5 1 0.5  '
check 'which is said, too' grep -q 'wait for containers that --container leaves out' "$dir/err"
check 'no link that counts is left out' test "$(figures message --container 'rank *')" = '2 4 5 0.625 0.8333333333333334 0.75 1 0.75'
# Two compute for a second and exchange messages that take three, which one has to wait for on any network: none.
{
    processes 2
    cat <<'END'
11 1 S t0 MPI_Sendrecv x 1
40 1 L 0 t0 m a 8
11 1 S t1 MPI_Sendrecv x 1
40 1 L 0 t1 m b 8
41 4 L 0 t0 m b x
12 4 S t0 x
41 4 L 0 t1 m a x
12 4 S t1 x
END
} | trace transfer
check 'messages that take long' test "$(figures transfer)" = '2 4 2 0.25 1 0.25 1 0.25'
# sizes OPTION...: calls, messages and bytes of the processes
sizes() {
    "$paje" efficiency --format csv "$@" "$dir/transfer.trace" 2>"$dir/err" |
        awk -F, '$1 == "process" {print $16, $17, "[" $18 "]"}' | uniq
}
check 'calls, messages, bytes' test "$(sizes --bytes Size)" = '1 1 [8]'
check 'bytes: a field of another usual name' test "$(sizes)" = '1 1 [8]'
check 'bytes: nothing is said' test ! -s "$dir/err"
check 'bytes: no such field' test "$(sizes --bytes Sise)" = '1 1 []'
check 'bytes: no such field is said' grep -q 'no message has a user field `Sise` that is a number' "$dir/err"
expect 'bytes: no such field, as a table' 0 ' 1 +1 +-  /rank 0/main$' "$paje" efficiency --bytes Sise "$dir/transfer.trace"
sed '/^4[01] /s/ m / 24 /' "$dir/transfer.trace" >"$dir/value.trace"
expect 'bytes: values of links' 0 ' 1 +1 +24  /rank 0/main$' "$paje" efficiency --bytes Value "$dir/value.trace"
sed 's/Size int/Volume int/' "$dir/transfer.trace" >"$dir/volume.trace"
expect 'bytes: not known, as JSON' 0 '"messages": 2, "bytes": null' "$paje" efficiency --format json "$dir/volume.trace"
# The root of a broadcast is late, then that of a reduction waits; rank 0 of the communicator is process 1.
{
    processes 2
    cat <<'END'
90 1 S t0 MPI_Bcast c 0 8 1 1 2
90 3 S t1 MPI_Bcast c 0 8 1 0 2
12 3 S t1 x
12 3 S t0 x
90 4 S t1 MPI_Reduce c 0 8 2 0 2
90 8 S t0 MPI_Reduce c 0 8 2 1 2
12 8 S t0 x
12 8 S t1 x
END
} | trace roots
check 'roots by their ranks in the communicator' test "$(figures roots)" = '2 8 10 0.625 0.8333333333333334 0.75 0.75 1'
# What is before the last MPI_Init has ended, and from the first MPI_Finalize on.
{
    processes 2
    cat <<'END'
11 0 S t0 MPI_Init x 1
11 2 S t1 MPI_Init x 1
12 3 S t0 x
12 4 S t1 x
90 5 S t0 MPI_Barrier w -1 0 1 0 2
90 6 S t1 MPI_Barrier w -1 0 1 1 2
12 6 S t0 x
12 6 S t1 x
11 8 S t1 MPI_Finalize x 1
11 9 S t0 MPI_Finalize x 1
12 10 S t0 x
12 10 S t1 x
END
} | trace range
check 'from MPI_Init to MPI_Finalize' test "$(figures range)" = '2 4 7 0.875 0.875 1 1 1'
check '--whole' test "$(figures range --whole)" = '2 10 11 0.55 0.9166666666666666 0.6  '
expect 'what the trace does not tell is not told' 0 'not known: the trace does not tell for whom calls wait that take' \
    "$paje" efficiency --whole "$dir/range.trace"
check '-s and -e' test "$(figures range -s 4.5 -e 6.5)" = '2 2 3 0.75 0.75 1 1 1'
expect 'the range is told' 0 '^2 processes from 4 to 8, after MPI_Init and before MPI_Finalize$' "$paje" efficiency "$dir/range.trace"

# Threads: the process computes for 4 s of 8, and so does one thread; another begins at 4 and waits from 6 on; one that was
# made within a call, and one of a process that does not communicate, do not count.
{
    processes 3
    cat <<'END'
6 0 w0 T p0 worker x
11 0 S w0 work x 1
11 1 S t0 MPI_Barrier x 1
11 1 S t1 MPI_Barrier x 1
6 2 h1 T p1 helper x
11 2 S h1 condition x 1
12 3 S t0 x
12 3 S t1 x
11 4 S w0 "omp barrier" x 1
6 4 w1 T p1 worker x
11 6 S w1 condition x 1
11 7 S w1 work x 1
12 7 S w1 x
12 8 S w1 x
11 8 S t0 MPI_Barrier x 1
11 8 S t1 MPI_Barrier x 1
12 8 S t0 x
12 8 S t1 x
12 8 S w0 x
END
} | trace hybrid
check 'threads' test "$("$paje" efficiency --format csv "$dir/hybrid.trace" | awk -F, '$1 == "whole" {print $5, $19, $20, $21, $22, $23}')" = \
    '2 4 0.5625 0.75 0.75 1'
expect 'threads, in the table' 0 '^Hybrid parallel efficiency +56.25 %$' "$paje" efficiency "$dir/hybrid.trace"
check 'only where threads wait' test "$("$paje" efficiency --waiting nothing "$dir/hybrid.trace" 2>/dev/null | grep -c -i hybrid)" = 0
# Two of four threads end at 4.
cat tests/tool/header.trace - >"$dir/fewer.trace" <<'TRACE'
0 P 0 Process
0 Q P Thread
1 S Q State
6 0 a P 0 a 0
6 0 m Q a main 0
6 0 u Q a u 0
6 0 v Q a v 0
6 0 w Q a w 0
11 1 S m MPI_Barrier x 1
12 2 S m x
11 2 S u barrier x 1
12 3 S u x
7 4 Q v
7 4 Q w
11 5 S u barrier x 1
12 6 S u x
11 7 S m MPI_Barrier x 1
12 8 S m x
7 10 P a
TRACE
threads() {
    "$paje" efficiency --format csv "$@" "$dir/fewer.trace" | awk -F, '/^(whole|slice)/ { print $19, $20, $21 }' | xargs
}
check 'threads that exist in a range' test "$(threads -s 4 -e 9), $(threads -s 3.5)" = '2 0.8 1, 4 0.46153846153846156 0.5454545454545455'
check 'threads that exist in a slice' test "$(threads --slice 5)" = '4 0.8 1 2 0.8 1'

# Without numbers: not of all processes; clocks that differ.
{
    processes 3
    printf '%s\n' '11 1 S t0 MPI_Barrier x 1' '11 2 S t1 MPI_Barrier x 1' '12 2 S t0 x' '12 2 S t1 x' '11 5 S t2 MPI_Barrier x 1' '12 5 S t2 x'
} | trace unnumbered
expect 'not all of all processes' 0 'not known: collective operations have no numbers, and are not all of all' \
    "$paje" efficiency "$dir/unnumbered.trace"
{
    processes 2
    printf '%s\n' '90 1 S t0 MPI_Barrier w -1 0 1 0 2' '12 2 S t0 x' '90 3 S t1 MPI_Barrier w -1 0 1 1 2' '12 3 S t1 x' \
        '11 4 S t1 MPI_Recv x 1' '41 5 L 0 t1 m k x' '12 5 S t1 x' '11 6 S t0 MPI_Send x 1' '40 6 L 0 t0 m k 8' '12 7 S t0 x'
} | trace skewed
expect 'operations that end before all have begun' 0 ': 1 collective operations end before all have begun them: clocks' \
    "$paje" efficiency "$dir/skewed.trace"
expect 'messages that end before they start' 0 ': 1 messages end before they start, and are left out' "$paje" efficiency "$dir/skewed.trace"
{
    processes 3
    for r in 0 1 2; do echo "90 1 S t$r MPI_Barrier w -1 0 1 0 1"; done
    for r in 0 1 2; do printf '%s\n' "12 $((r + 2)) S t$r x" "90 $((r + 2)) S t$r MPI_Scan w -1 0 2 0 1" "12 $((r + 2)) S t$r x"; done
} | trace crowded
expect 'more begin an operation than there are' 0 '^3 processes' "$paje" efficiency "$dir/crowded.trace"

"$paje" efficiency $traces/emitters/eztrace.trace >"$dir/got"
check 'EZTrace: barriers of all processes' grep -q '^    Serialization  .*[0-9] %$' "$dir/got"
check 'of a pipe' sh -c "'$paje' efficiency - <$traces/emitters/eztrace.trace | cmp - '$dir/got'"
expect '--states' 0 '^4 processes' "$paje" efficiency --states 'reduce*' $traces/stencil.trace
for option in states waiting phase; do
    check "a state that no state is like: --$option" test "$("$paje" efficiency --states exchange --$option NOPE \
        $traces/stencil.trace 2>&1 >/dev/null)" = "paje: $traces/stencil.trace: no state has a value or type like \`NOPE\` (--$option)"
done
expect 'a state that no state chosen is like' 0 'no state that the filters choose has a value or type like .sweep. ' \
    "$paje" efficiency --states exchange --states sweep --container 'Main*' $traces/stencil.trace
expect 'nothing communicates' 0 '^nothing communicates' "$paje" efficiency $traces/stencil.trace
check '--unit' test "$(figures range --unit ms -s 4.5 -e 6.5)" = '2 0.002 0.003 0.75 0.75 1 1 1'
check '--container' test "$(figures imbalance --container 'rank [01]' | cut -d' ' -f 1)" = 2
expect 'slices beyond measure' 0 'there would be more than 10000 slices' "$paje" efficiency --slice 1e-9 "$dir/imbalance.trace"
# A time beyond the greatest double is infinite.
{ cat "$dir/imbalance.trace"; echo '10 1e400 S t0 MPI_Barrier x'; } >"$dir/endless.trace"
expect 'slices of a trace without end' 0 'there would be more than 10000 slices' \
    timeout 60 "$paje" efficiency --slice 1 "$dir/endless.trace"
# Process 2 computes for two slices before its first call.
{
    processes 3
    for r in 0 1; do printf '%s\n' "90 1 S t$r MPI_Barrier w -1 0 1 0 1" "12 2 S t$r x"; done
    printf '%s\n' '90 9 S t2 MPI_Barrier w -1 0 1 0 1' '12 10 S t2 x'
} | trace late
slices() { "$paje" efficiency --slice 4 --format csv "$@" 2>/dev/null | grep '^slice' | cut -d, -f 3-5,7; }
same 'slices: who communicates later' <(printf '%s\n' 0,4,3,10 4,8,3,12 8,10,3,5) <(slices "$dir/late.trace")
same 'slices: of a pipe' <(printf '%s\n' 0,4,2,6 4,8,2,8 8,10,3,5) <(slices - <"$dir/late.trace")
expect 'slices: of a pipe: a message' 0 'it is a pipe, in slices of which processes count from their first call on' \
    sh -c "'$paje' efficiency --slice 4 - <'$dir/late.trace'"
# MPI_Finalize, -e or a slice ends the range while process 1 still waits in a barrier, as it would on an ideal network.
{
    processes 2
    printf '%s\n' '90 4 S t1 MPI_Barrier w -1 0 1 1 2' '90 10 S t0 MPI_Barrier w -1 0 1 0 2' '12 10.25 S t0 x' \
        '11 10.5 S t0 MPI_Finalize x 1' '12 11 S t1 x' '11 11 S t1 MPI_Finalize x 1' '12 12 S t0 x' '12 12 S t1 x'
} | trace cut
# waiting PART OPTIONS
waiting() { "$paje" efficiency --format csv "${@:2}" "$dir/cut.trace" 2>/dev/null | grep "^$1" | cut -d, -f 7-9 | xargs; }
check 'the end of the range cuts a wait' \
    test "$(waiting process) $(waiting process -s 0 -e 10.125) $(waiting process -s 0 -e 8)" = \
    '10.25,0,0.25 4,6,0.5 10,0,0.125 4,6,0.125 8,0,0 4,4,0'
check 'so do slices' test "$(waiting slice --slice 2 | cut -d' ' -f 1-5)" = '4,0,0 4,0,0 2,2,0 2,2,0 2,2,0'
# A call at each edge: three times 0.1 is no more than 0.3.
{
    processes 1
    for ((i = 0; i < 30; i++)); do
        printf '%s\n' "11 $((i / 10)).$((i % 10)) S t0 MPI_Send x 1" "12 $((i / 10)).$((i % 10))5 S t0 x"
    done
} | trace tenths
same 'slices of tenths: a call at each edge' <(awk 'BEGIN { for (i = 0; i < 30; i++) printf "%g,1\n", i / 10 }') \
    <("$paje" efficiency --slice 0.1 --format csv "$dir/tenths.trace" 2>"$dir/err" | grep '^slice' | cut -d, -f 3,16)
# Seconds since 1970 with their decimals.
"$paje" merge --offset=1=1732971234.25 -o "$dir/since.trace" "$dir/late.trace"
check 'slices: times since 1970' test "$("$paje" efficiency --slice 4 "$dir/since.trace" 2>"$dir/err" | awk 'NR > 2 { print $1 }' | xargs)" = \
    '1732971234.25 1732971236 1732971240 1732971244'
expect 'the range: times since 1970' 0 '^3 processes from 1732971234.25 to 1732971244.25$' "$paje" efficiency "$dir/since.trace"
# t1 never communicates: it is no process, and its state makes the phase no longer.
cat tests/tool/header.trace - >"$dir/apart.trace" <<'TRACE'
0 P 0 Process
1 S P State
6 0 t0 P 0 t0 x
6 0 t1 P 0 t1 x
10 0 S t1 solve x
10 1 S t0 solve x
10 2 S t0 send x
10 3 S t0 rest x
10 9 S t1 rest x
TRACE
phase() {
    "$paje" efficiency --states send --phase solve --format csv "$@" 2>/dev/null | grep '^phase' | cut -d, -f 2,5-7
}
same 'a phase is that of processes' <(echo solve,1,1,1) <(phase "$dir/apart.trace")
same 'a phase, of a pipe' <(echo solve,1,9,1) <(phase - <"$dir/apart.trace")
cat tests/tool/header.trace - >"$dir/times.trace" <<'TRACE'
0 P 0 Process
1 S P State
6 0 a P 0 a x
TRACE
for i in 0 1 2 3 4 5; do
    printf '11 %s S a solve x 1\n11 %s.2 S a send x 1\n12 %s.4 S a x\n12 %s.5 S a x\n' $i $i $i $i >>"$dir/times.trace"
done
times() {
    "$paje" efficiency --states send --phase solve "$@" "$dir/times.trace" | awk '/ solve$/ { print $(NF - 2), $(NF - 3) }'
}
check 'a phase: how often it lasts, within a range' test "$(times) $(times -s 1.75 -e 3.25)" = '6 3 2 0.75'
expect 'a phase, of a pipe: a message' 0 'a pipe, in which phases last for containers that never communicate, too' \
    sh -c "'$paje' efficiency --states send --phase solve - <'$dir/apart.trace'"
# The end of a link stands before its start, and its container is gone in between.
cat tests/tool/header.trace - >"$dir/gone.trace" <<'TRACE'
0 P 0 Process
1 S P State
4 L 0 P P Link
6 0 a P 0 a x
6 0 b P 0 b x
41 5 L 0 b m k x
7 5 P b
40 5 L 0 a m k 1
TRACE
expect 'a link to a container that is gone' 0 '^nothing communicates' "$paje" efficiency "$dir/gone.trace"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' \
        '40 4 L 0 b m k 0' '41 4.5 L 0 a m k x' '10 1 S a MPI_Recv x' '10 5 S a work x' '10 6 S b work x'
} >"$dir/states-last.trace"
expect 'lines of states and links that are out of order are told' 0 \
    'last.trace: 1 times come after later ones: figures that go by their order may be wrong' \
    "$paje" efficiency "$dir/states-last.trace"
check 'in order nothing is told' test -z "$("$paje" efficiency "$dir/imbalance.trace" 2>&1 >/dev/null)"
expect 'no width' 2 'must be a time greater than 0' "$paje" efficiency --slice 0 "$dir/imbalance.trace"
expect 'no format' 2 '`xml`: no format: table, csv or json' "$paje" efficiency --format xml "$dir/imbalance.trace"
hostile_trace >"$dir/hostile.trace"
"$paje" efficiency --states '*' --phase '*' "$dir/hostile.trace" >"$dir/got" 2>&1
check 'names cannot control the terminal' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$dir/got'"

if ! command -v python3 >/dev/null; then
    skip 'random traces' 'no python3 (install python3)'
    exit $failed
fi
corpus
all=("$dir"/{range,hybrid,hostile}.trace $traces/*.trace $traces/emitters/*.trace "${corpus[@]}")
for one in "${all[@]}"; do
    "$paje" efficiency --states '*' --phase '*' --format json "$one" 2>/dev/null
done >"$dir/all"
check 'JSON' python3 -c 'import json, sys
decoder, text, at = json.JSONDecoder(), open(sys.argv[1], errors="surrogateescape").read().strip(), 0
left = int(sys.argv[2])
while at < len(text):
    value, at = decoder.raw_decode(text, at)
    left -= 1
    at += len(text[at:]) - len(text[at:].lstrip())
assert left == 0, left' "$dir/all" ${#all[@]}
mkdir -p "$dir/random"
python3 tests/tool/lib-efficiency.py "$paje" "$dir/random" ${FULL:+4}50 || failed=1
exit $failed
