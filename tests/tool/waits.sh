#!/bin/bash
# paje waits, against an independent computation from the states and the links of each trace.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    skip 'the numbers' 'no python3 (install python3)'
    exit $failed
fi
cat >"$dir/brute.py" <<'PY'
import importlib.util, math, sys
spec = importlib.util.spec_from_file_location("waits", "tests/tool/lib-waits.py")
waits = importlib.util.module_from_spec(spec)
spec.loader.exec_module(waits)
paje, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
failed, compared = 0, 0

def expected(states, links, paths, receive, send, low, high):
    found, places = {}, waits.by_place(states)
    def add(pattern, container, partner, type, value, start, end):
        start, end = max(start, low), min(end, high)
        if end > start:
            row = found.setdefault((pattern, paths[container], paths[partner] if partner else "", type, value), [])
            row.append(end - start)
    for l in links:
        receiver = waits.until(places, l.target, l.end, lambda s: receive in ("", s.value))
        sender = waits.at(places, l.source, l.start, lambda s: send in ("", s.value))
        if receiver:
            add("late sender", l.target, l.source, receiver.type, receiver.value, receiver.start, min(l.start, l.end))
        if receiver and sender:
            add("late receiver", l.source, l.target, sender.type, sender.value, l.start,
                min(receiver.start, sender.end))
        wait = l.done is not None and waits.until(places, l.source, l.done, lambda s: send in ("", s.value))
        if receiver and wait and wait.start >= l.start:
            add("late receiver", l.source, l.target, wait.type, wait.value, wait.start, min(receiver.start, l.done))
    for place, mine in places.items():
        for type in {s.type for s in mine}:
            bottom = sorted(((s.start, s.end) for s in mine if s.type == type and s.depth == 0))
            for before, after in zip(bottom, bottom[1:]):
                add("idle", place, None, type, "", before[1], after[0])
    return found

def compare(name, trace, model, receive="", send="", low=-math.inf, high=math.inf):
    global failed, compared
    words = [w for option, value in (("--receive", receive), ("--send", send)) if value for w in (option, value)]
    if low > -math.inf:
        words += ["-s", "%.17g" % low, "-e", "%.17g" % high]
    want = expected(*model, receive, send, low, high)
    got = {(r["Pattern"], r["Container"], r["Partner"], r["Type"], r["Value"]):
           (int(r["Count"]), float(r["Total"]), float(r["Max"]), float(r["Mean"]))
           for r in waits.rows(paje, "waits", "--format", "csv", *words, trace)}
    compared += len(want)
    def same(a, b):
        return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-3)
    for key in want.keys() | got.keys():
        w, g = want.get(key, []), got.get(key, (0, 0, 0, 0))
        if len(w) != g[0] or not same(sum(w), g[1]) or w and not (same(max(w), g[2]) and same(sum(w) / len(w), g[3])):
            failed += 1
            print("FAIL tool waits: %s %s: %s: %s in place of %s" % (name, words, key, g, w))
            return

for seed in range(count):
    text, *model = waits.generate(seed, waits=True)
    trace = "%s/random.trace" % folder
    open(trace, "w").write(text)
    compare("seed %d" % seed, trace, model)
    compare("seed %d" % seed, trace, model, "recv", "send")
    compare("seed %d" % seed, trace, model, "", "wait", 7, 31.25)
if not failed:
    print("PASS tool waits: %d random traces" % count)
failed = 0
dumps = 0
for trace in sys.argv[4:]:
    try:
        model = waits.read(paje, trace)
    except (KeyError, IndexError, ValueError):
        continue  # of names with commas, or that end nowhere
    if model and waits.is_ordered(trace):
        compare(trace, trace, model)
        dumps += 1
if not failed:
    print("PASS tool waits: the same from %d dumps, %d rows in all" % (dumps, compared))
PY
corpus
python3 "$dir/brute.py" "$paje" "$dir" ${FULL:+1}50 $traces/stencil.trace $traces/tour.trace $traces/emitters/*.trace \
    "${corpus[@]}" >"$dir/out" 2>&1 ||
    fail 'the comparison' "$(tail -n 1 "$dir/out")"
cat "$dir/out"
! grep -q ^FAIL "$dir/out" || failed=1
check 'something was compared' grep -Eq 'from ([4-9]|[1-9][0-9]+) dumps, [0-9]{4,} rows in all' "$dir/out"

cat >"$dir/collectives.py" <<'PY'
import csv, importlib.util, math, subprocess, sys
spec = importlib.util.spec_from_file_location("mpi", "tests/tool/lib-mpi.py")
mpi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mpi)
paje, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])

def rows(*words):
    text = subprocess.run([paje, "waits", *words, folder + "/t.trace"], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(text.splitlines()))

failed, compared = [], 0
for seed in range(count):
    program = mpi.Program(seed)
    open(folder + "/t.trace", "w").write(program.text())
    waits, operations, begins = {}, {}, {}
    for value, name, number, members in program.operations:
        total = 0
        for rank, (begin, needed) in members.items():
            time = max([e.time for e in needed] + [begin.time]) - begin.time
            total += time
            begins[value, name, number, "/P%d/main" % rank] = begin.time
            if time:
                waits.setdefault(("/P%d/main" % rank, value), []).append(time)
        times = [begin.time for begin, needed in members.values()]
        operations[value, name, number] = [min(times), max(times), max(times) - min(times), total, len(times)]
    got = {}
    for r in rows("--format", "csv", "--top", "0"):
        if r["Pattern"] == "collective":
            one = got.setdefault((r["Container"], r["Value"]), [0, 0])
            one[0] += float(r["Total"])
            one[1] += int(r["Count"])
    if got != {key: [sum(times), len(times)] for key, times in waits.items()}:
        failed.append("seed %d: %s in place of %s" % (seed, got, waits))
    for r in rows("--collectives", "--format", "csv"):
        key = r["Call"], r["Communicator"], int(r["Instance"])
        one = [float(r[name]) for name in ("First", "Last", "Spread", "Waiting", "Processes")]
        if one != operations.pop(key) or begins[key + (r["FirstContainer"],)] != one[0] or begins[key + (r["LastContainer"],)] != one[1]:
            failed.append("seed %d: %s: %s" % (seed, key, r))
        compared += 1
    if operations:
        failed.append("seed %d: missing: %s" % (seed, operations))
print("FAIL tool waits: " + failed[0] if failed else "PASS tool waits: %d collective operations" % compared)
PY
python3 "$dir/collectives.py" "$paje" "$dir" ${FULL:+3}41 >"$dir/out" 2>&1 || fail 'collective operations' "$(tail -n 1 "$dir/out")"
cat "$dir/out"
! grep -q ^FAIL "$dir/out" || failed=1
check '--collectives, as a table' sh -c "'$paje' waits --collectives --top 3 '$dir/t.trace' | awk 'NR > 3 && /^ +[0-9]/ {n++; if (n > 1 && \$1 > last) exit 1; last = \$1} END {exit n < 3}'"

# Filters choose operations of two communicators.
{ cat tests/tool/header.trace; printf '%s\n' '%EventDef PajePushState 90' '% Time date' '% Type string' '% Container string' \
    '% Value string' '% Communicator string' '% Instance int' '% Rank int' '% Root int' '% Size int' %EndEventDef '0 H 0 Host' \
    '1 S H State' '6 0 a H 0 a 0' '6 0 b H 0 b 0' '6 0 c H 0 c 0' '6 0 d H 0 d 0' '90 1 S a MPI_Barrier AB 1 0 -1 2' \
    '90 3 S b MPI_Barrier AB 1 1 -1 2' '12 3 S a x' '12 3 S b x' '90 5 S c MPI_Barrier CD 1 0 -1 2' \
    '90 9 S d MPI_Barrier CD 1 1 -1 2' '12 9 S c x' '12 9 S d x'; } >"$dir/two.trace"
sed 's/MPI_Barrier CD/MPI_Ibarrier CD/' "$dir/two.trace" >"$dir/later.trace"
for command in waits critical 'critical --format csv'; do
    expect "$command: operations that are waited for later are told" 0 \
        '^paje: [^ ]*later.trace: 2 calls of collective operations such as MPI_Ibarrier are left out' "$paje" $command "$dir/later.trace"
    check "$command: they are told once" test "$("$paje" $command "$dir/later.trace" 2>&1 >/dev/null | wc -l)" = 1
    check "$command: nothing is told of others" test -z "$("$paje" $command "$dir/two.trace" 2>&1 >/dev/null)"
done
sed 's/\(CD 1 [01] -1\) 2$/\1 0/' "$dir/two.trace" >"$dir/groups.trace"
expect 'so are those that join two groups' 0 ': 2 calls of collective operations such as MPI_Barrier are left out' \
    "$paje" waits "$dir/groups.trace"
for case in ';2;AB CD' '--container a;1;AB' '--container d;1;CD' '-s 4;1;CD' '-e 4;1;AB'; do
    IFS=';' read -r options count names <<<"$case"
    "$paje" waits --collectives $options "$dir/two.trace" >"$dir/got"
    check "--collectives $options: how many" grep -q "^$count collective operations\$" "$dir/got"
    check "--collectives $options: no more are left" sh -c "! grep -q more '$dir/got'"
    check "--collectives $options: which" [ "$(sed -n 's/.* of \([A-D]*\)$/\1/p' "$dir/got" | sort | xargs)" = "$names" ]
    check "$options: how many" sh -c "'$paje' waits $options '$dir/two.trace' | grep -q '^0 links; $count collective'"
done
"$paje" merge --offset=1=1732971234.25 -o "$dir/since.trace" "$dir/two.trace"
check '--collectives: times since 1970' \
    test "$("$paje" waits --collectives "$dir/since.trace" | awk 'NR > 3 { print $4 }' | xargs)" = '1732971243.25 1732971237.25'

"$paje" waits $traces/stencil.trace >"$dir/got"
check 'a table, by weight' sh -c "sed -n 4,8p '$dir/got' | awk '{ if (NR > 1 && \$1 > last) exit 1; last = \$1 }'"
for glob in exchange X 'Thread state' S; do # a value by its name or alias, and a type
    "$paje" waits --receive "$glob" $traces/stencil.trace >"$dir/chosen"
    same "--receive $glob" "$dir/got" "$dir/chosen"
done
check 'of a pipe' sh -c "'$paje' waits - <$traces/stencil.trace | cmp - '$dir/got'"
check '--unit' test "$("$paje" waits --unit ms $traces/stencil.trace | awk 'NR == 4 { printf "%.6g", $1 * 1000 }')" = \
    "$(awk 'NR == 4 { print $1 }' "$dir/got")"
check '--container: where links begin or end there' test "$("$paje" waits --format csv --container 'Process 0' \
    $traces/stencil.trace | grep -c '^late')" = "$("$paje" waits --format csv $traces/stencil.trace | grep -c '^late.*Main 0')"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 A T A' '1 B T B' '4 L 0 T T Link' '6 0 r T 0 r 1' '6 0 s T 0 s 1' '10 0 A s work x' \
        '10 1 B r of-b x' '10 1 A r of-a x' '40 3 L 0 s v k 1' '41 4 L 0 r v k 1' '7 5 T r' '7 5 T s'
} >"$dir/types.trace"
expect 'of states that begin at once, the one whose type was defined first waits' 0 'late sender +/r in of-a for /s' \
    "$paje" waits "$dir/types.trace"
sed '/^41 4 L/i 10 4 A r next x' "$dir/types.trace" >"$dir/types-over.trace"
expect 'also if it is over then, and the other is not' 0 'late sender +/r in of-a for /s' "$paje" waits "$dir/types-over.trace"
# A container whose type has no states is stood for by the first of 64 at most within it that has any.
for others in 63 64; do
    {
        cat tests/tool/header.trace
        printf '%s\n' '0 P 0 Process' '0 Q P Queue' '0 T P Thread' '1 S T State' '4 L 0 P P Link' '6 0 p P 0 p 1' '6 0 s P 0 s 1'
        for ((i = 1; i <= others; i++)); do echo "6 0 q$i Q p q$i 0"; done
        printf '%s\n' '6 0 t T p t 0' '10 1 S t receive x' '40 3 L 0 s v k 1' '41 4 L 0 p v k 1' '7 5 P p' '7 5 P s'
    } >"$dir/queues.trace"
    expect "a thread behind $others queues" 0 "$([ $others = 63 ] && echo 'late sender +/p/t in receive for /s' || echo '1 end in no state')" \
        "$paje" waits "$dir/queues.trace"
done
expect '--top' 0 '10 more; --top 0 prints all' "$paje" waits --top 1 $traces/stencil.trace
expect 'no such state' 0 '^144 links; 144 end in no state that receives' "$paje" waits --receive NOPE $traces/stencil.trace
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' '40 2 L 0 a m k 0' \
        '41 2 L 0 b m k 1' '41 3 L 0 b m l 1' '40 4 L 0 a m l 0' '40 5 L 0 a m m 0' '41 5 L 0 b m m 1' \
        '10 5 S a send x' '13 5.5 S a 0' '40 6 L 0 a m n 0' '41 6 L 0 b m n 1'
} >"$dir/once.trace"
expect 'links that are complete at once, or end before they start, are counted where no state sends' 0 \
    '^4 links; 4 end in no state that receives; 3 begin in no state that sends$' "$paje" waits "$dir/once.trace"
expect 'nothing' 0 '^nothing waits$' "$paje" waits --receive NOPE $traces/stencil.trace
expect 'a state that no state is like' 0 'stencil.trace: no state has a value or type like .NOPE. \(--send\)' \
    "$paje" waits --receive exchange --send exch* --send NOPE $traces/stencil.trace
check 'a state that no state is like: only that is told' test "$("$paje" waits --receive exchange --send 'exch*' \
    --send NOPE --send exchange $traces/stencil.trace 2>&1 >/dev/null | wc -l)" = 1
expect 'no format' 2 '`xml`: no format: table or csv' "$paje" waits --format xml $traces/stencil.trace

{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' '10 1 S a recv x' \
        '10 5 S b work x' '40 4 L 0 b m k 0' '41 4.5 L 0 a m k x' '10 6 S a work x'
} >"$dir/late.trace"
expect 'ends of links out of order are told' 0 'late.trace: 2 ends of links come after lines of later times: ' \
    "$paje" waits "$dir/late.trace"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' \
        '40 4 L 0 b m k 0' '41 4.5 L 0 a m k x' '10 1 S a recv x' '10 5 S a work x'
} >"$dir/states-last.trace"
expect 'so are states that come after later links' 0 \
    'last.trace: 1 beginnings and ends of states come after later ends of links of their' \
    "$paje" waits "$dir/states-last.trace"
check 'in order nothing is told' test -z "$("$paje" waits $traces/stencil.trace 2>&1 >/dev/null)"
# One-sided calls use the memory of a process that does not wait for them, unless it synchronizes the window.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 Process' '0 T P Thread' '1 S T State' '4 A 0 T P Access' '6 0 p P 0 p 0' '6 0 a T p a 0' '6 0 q P 0 q 0' \
        '6 0 b T q b 0' '10 0 S b compute x' '10 1 S a work x' '40 3 A 0 a put k 0' '41 4 A 0 q put k x' '10 5 S a done x' \
        '10 9 S b end x' '13 10 S b x'
} >"$dir/put.trace"
check 'one-sided: a process that computes does not wait' sh -c "! '$paje' waits '$dir/put.trace' | grep 'late sender '"
check 'one-sided: critical goes on in that' test "$("$paje" critical --format csv "$dir/put.trace" | cut -d, -f1,2,4,7 |
    tail -n +2 | xargs)" = '0,9,/q/b,compute 9,10,/q/b,end'
sed 's/S b compute/S b MPI_Win_fence/' "$dir/put.trace" >"$dir/fence.trace"
expect 'one-sided: in a fence it does' 0 ' 3 +1 +3 +3 +late sender +/q/b in MPI_Win_fence for /p/a' "$paje" waits "$dir/fence.trace"
check 'one-sided: critical goes to the origin' test "$("$paje" critical --format csv "$dir/fence.trace" | cut -d, -f1,2,4,7 |
    tail -n +2 | xargs)" = '1,3,/p/a,work 3,4,/q/b,put 4,9,/q/b,MPI_Win_fence 9,10,/q/b,end'
# Links of a collective operation (paje trace --record=collective-links), which counts by itself.
{
    sed '/^10 /,$d; /^90 /,$d' "$dir/two.trace"
    printf '%s\n' '4 L 0 H H Message' '90 1 S a MPI_Bcast AB 1 0 1 2' '90 3 S b MPI_Bcast AB 1 1 1 2' '40 3 L 0 b collective k 0' \
        '41 4 L 0 a collective k x' '12 4 S a x' '12 4 S b x' '90 5 S a MPI_Recv AB x -1 -1 2' '40 7 L 0 b m l 0' '41 8 L 0 a m l x' \
        '12 8 S a x'
} >"$dir/links.trace"
check 'what waits in a collective operation counts once' test "$("$paje" waits --format csv "$dir/links.trace" 2>"$dir/err" |
    grep -v '^idle' | cut -d, -f1-7 | tail -n +2 | sort | xargs)" = \
    'collective,/a,/b,State,MPI_Bcast,1,2 late sender,/a,/b,State,MPI_Recv,1,2'
sed '/^12 4 S a/d; s/^41 4 L.*/12 4 S a x\n&/' "$dir/links.trace" >"$dir/links-last.trace"
check 'also where the operation ends in a line before' test "$("$paje" waits --format csv "$dir/links-last.trace" |
    grep -c '^late sender,/a')" = 1
# A link of a process whose thread has the states is chosen by the name of either.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 Process' '0 T P Thread' '1 S T State' '4 L 0 P P Message' '6 0 P0 P 0 P0 0' '6 0 P1 P 0 P1 0' \
        '6 0 T0 T P0 T0 0' '6 0 T1 T P1 T1 0' '11 0 S T0 recv x 1' '11 0 S T1 work x 1' '40 2 L 0 P1 m k 0' '41 3 L 0 P0 m k x' \
        '12 3 S T0 x' '12 3 S T1 x'
} >"$dir/threads.trace"
"$paje" waits "$dir/threads.trace" >"$dir/expected"
for glob in T0 T1 P0 P1; do
    "$paje" waits --container $glob "$dir/threads.trace" >"$dir/got"
    same "--container $glob: links of a process, waits of its thread" "$dir/expected" "$dir/got"
done
check '--container: critical follows them, too' sh -c "'$paje' critical --container 'T*' '$dir/threads.trace' |
    grep -q 'over 1 links and 2 containers'"
# A probe waits for the first message that is sent meanwhile and received behind it, not for others.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' '6 0 c T 0 c 0' '10 0 S b work x' \
        '10 0 S c sleep x' '10 1 S a MPI_Probe x' '40 2 L 0 c m other 0' '40 4 L 0 b m first 0' '40 4.5 L 0 b m second 0' \
        '10 5 S a MPI_Wait x' '41 5.25 L 0 a m other x' '10 5.5 S a MPI_Recv x' '41 6 L 0 a m first x' '10 6 S a MPI_Recv x' \
        '41 7 L 0 a m second x' '10 7 S a work x' '10 9 S a end x' '13 10 S a x'
} >"$dir/probe.trace"
for options in '' '--receive MPI_*' '--receive MPI_Probe'; do
    check "a probe${options:+, $options}" test "$("$paje" waits --format csv $options "$dir/probe.trace" | grep '^late sender')" = \
        'late sender,/a,/b,State,MPI_Probe,1,3,3,3,a,b'
done
check 'a receiver that the option leaves out' sh -c "! '$paje' waits --receive MPI_Recv '$dir/probe.trace' | grep 'late sender '"
sed 's/MPI_Probe/MPI_Mprobe/; s/5.5 S a MPI_Recv/5.5 S a MPI_Mrecv/' "$dir/probe.trace" >"$dir/mprobe.trace"
expect 'a matched probe' 0 'late sender +/a in MPI_Mprobe for /b' "$paje" waits "$dir/mprobe.trace"
sed 's/MPI_Probe/MPI_Iprobe/' "$dir/probe.trace" >"$dir/iprobe.trace"
check 'a probe that does not wait' sh -c "! '$paje' waits '$dir/iprobe.trace' | grep 'late sender '"
check 'critical: from a probe the path goes to the sender' test "$("$paje" critical --format csv "$dir/probe.trace" |
    cut -d, -f1,2,4,5,7,8 | tail -n +2 | xargs)" = \
    '0,4,/b,State,work, 4,6,/a,Link,m,/b 6,7,/a,State,MPI_Recv, 7,9,/a,State,work, 9,10,/a,State,end,'
expect '--container: or tells' 0 'containers wait 1 times for others' "$paje" critical --container T0 "$dir/threads.trace"
exit $failed
