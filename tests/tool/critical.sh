#!/bin/bash
# paje critical, against a walk back through the states and links of each trace.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    skip 'the path' 'no python3 (install python3)'
    exit $failed
fi
cat >"$dir/brute.py" <<'PY'
import importlib.util, math, sys
spec = importlib.util.spec_from_file_location("waits", "tests/tool/lib-waits.py")
waits = importlib.util.module_from_spec(spec)
spec.loader.exec_module(waits)
paje, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
failed, compared, jumps = 0, 0, 0

def parts(states, paths, place, start, end):
    """What a place does from start to end: (start, end, path, value), the state that began last at each instant."""
    mine = states[place]
    times = sorted({t for s in mine for t in (s.start, s.end) if start < t < end} | {start, end})
    found = []
    for a, b in zip(times, times[1:]):
        on = max((s for s in mine if s.start <= a and s.end >= b), key=lambda s: (s.start, s.depth), default=None)
        value = (on.type, on.value) if on else ("", "")
        if found and found[-1][3] == value:
            found[-1] = (found[-1][0], b) + found[-1][2:]
        else:
            found.append((a, b, paths[place], value))
    return found

def expected(states, links, paths, receive, operations=()):
    """The pieces of the path, in order; by a walk back from the state that ends last."""
    global jumps
    if not states:
        return []
    places = waits.by_place(states)
    def waited(l):
        if l.end < l.start:
            return False
        on = waits.until(places, l.target, l.end, lambda s: receive in ("", s.value))
        if on:
            return on.start < l.start
        if receive or waits.until(places, l.target, l.end):
            return False
        return max((s.end for s in places[l.target] if s.start < s.end and s.start < l.end), default=-math.inf) < l.start
    arrivals = [(max(l.sent, l.received), i, l) for i, l in enumerate(links) if waited(l)]
    arrivals = sorted(arrivals + [(l.received, -1 - i, l) for i, l in enumerate(operations)])
    last = max(s.end for s in states)
    first = min((s for s in states if s.end == last), key=lambda s: s.order)
    place, time, order, path = first.place, last, first.order + 0.5, []
    while True:
        before = [a for a in arrivals if a[2].target == place and a[0] < order and a[2].end <= time]
        if not before:
            start = min([s.start for s in places[place] if s.start <= time] + [time])
            return parts(places, paths, place, start, time) + path
        jumps += 1
        at, number, l = before[-1]
        for other in reversed(before):  # of links that end at once the one that began last
            if number < 0 or other[1] < 0 or other[2].end != l.end:
                break
            if other[2].start > l.start:
                at, number, l = other
        if number < 0:  # a collective operation: its state goes on from where the last one has begun
            path = parts(places, paths, place, l.start, time) + path
        else:
            path = parts(places, paths, place, l.end, time) + path
            path = [(l.start, l.end, paths[place], (l.type, l.value))] + path
        place, time, order = l.source, l.start, l.sent

def compare(name, trace, model, receive=""):
    global failed, compared
    words = ["--receive", receive] if receive else []
    want = expected(*model, receive)
    got = [(float(r["Start"]), float(r["End"]), r["Container"], (r["Type"], r["Value"]))
           for r in waits.rows(paje, "critical", "--format", "csv", *words, trace)]
    compared += len(want)
    if want != got:
        failed += 1
        at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
        print("FAIL tool critical: %s %s: piece %d of %d: %s in place of %s" %
              (name, words, at, len(want), got[at:at + 1], want[at:at + 1]))
        return
    # The table has the same, from one pass: the sums by container and value.
    sums = {}
    for a, b, path, value in want:
        what = value[1] if value[0] != "Message" else "Message " + value[1]
        old = sums.get(path + ": " + (what or "(in no state)"), (0, 0))
        sums[path + ": " + (what or "(in no state)")] = (old[0] + b - a, old[1] + 1)
    table = waits.table(paje, "critical", "--top", "0", *words, trace)
    if name != trace and {k: ("%.6g" % v[0], v[1]) for k, v in sums.items()} != table:
        failed += 1
        print("FAIL tool critical: %s %s: the table: %s in place of %s" % (name, words, table, sums))

spec = importlib.util.spec_from_file_location("mpi", "tests/tool/lib-mpi.py")
mpi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mpi)

def collective_model(program):
    """The states and links of a random program, and its operations as links from the process that is waited for."""
    lines, order, stacks, states, halves, links, operations = {}, 0, {}, [], {}, [], []
    for e in program.events:
        lines.setdefault(e.text % e.time + "\n", []).append(e)
    at = {}
    for line in program.order:
        order += 1
        if line not in lines:
            continue
        e = lines[line].pop(0)
        at[e] = order
        place = "t%d" % e.rank
        if e.kind == "push":
            stacks.setdefault(place, []).append((e, order))
        elif e.kind == "pop":
            begin, _ = stacks[place].pop()
            states.append(waits.State(place, "State", begin.value, begin.time, e.time, len(stacks[place]), order))
            at[begin, "end"] = e.time, order
        elif e.kind == "start":
            halves[e.bytes] = e, order
        else:
            start, sent = halves[e.after[0].bytes]
            links.append(waits.Link("Message", "m", "t%d" % start.rank, place, start.time, e.time, sent, order))
    for value, name, number, members in program.operations:
        for rank, (begin, needed) in members.items():
            if not needed:
                continue
            last = max(needed, key=lambda e: (e.time, at[e]))
            end, received = at[begin, "end"]
            if last.time > begin.time:
                operations.append(waits.Link("", "", "t%d" % last.rank, "t%d" % rank, last.time, end, at[last], received))
    paths = {"t%d" % r: "/P%d/main" % r for r in range(program.ranks)}
    return states, links, paths, "", operations

failed = 0
for seed in range(count):
    program = mpi.Program(seed)
    trace = "%s/program.trace" % folder
    open(trace, "w").write(program.text())
    want = expected(*collective_model(program))
    got = [(float(r["Start"]), float(r["End"]), r["Container"], (r["Type"], r["Value"]))
           for r in waits.rows(paje, "critical", "--format", "csv", trace)]
    if want != got:
        failed += 1
        at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
        print("FAIL tool critical: program %d: piece %d of %d: %s in place of %s" % (seed, at, len(want), got[at:at + 1], want[at:at + 1]))
if not failed:
    print("PASS tool critical: %d random programs with collective operations" % count)
failed = 0

for seed in range(count):
    text, *model = waits.generate(seed + 1000, 1 if seed % 10 else 10)
    trace = "%s/random.trace" % folder
    open(trace, "w").write(text)
    compare("seed %d" % seed, trace, model)
    if seed % 2:
        compare("seed %d" % seed, trace, model, "recv")
if not failed:
    print("PASS tool critical: %d random traces" % count)
failed = 0
dumps = 0
for trace in sys.argv[4:]:
    try:
        model = waits.read(paje, trace)
    except (KeyError, IndexError, ValueError):
        continue
    if model and waits.is_ordered(trace):
        compare(trace, trace, model)
        dumps += 1
if not failed:
    print("PASS tool critical: the same from %d dumps, %d pieces in all, over %d links" % (dumps, compared, jumps))
PY
corpus
python3 "$dir/brute.py" "$paje" "$dir" ${FULL:+1}50 $traces/stencil.trace $traces/tour.trace $traces/emitters/*.trace \
    "${corpus[@]}" >"$dir/out" 2>&1 ||
    fail 'the comparison' "$(tail -n 1 "$dir/out")"
cat "$dir/out"
! grep -q ^FAIL "$dir/out" || failed=1
check 'something was compared' grep -Eq 'from ([4-9]|[1-9][0-9]+) dumps, [0-9]{4,} pieces in all, over [0-9]{3,} links' "$dir/out"

stencil=$traces/stencil.trace
"$paje" critical --last 'Main*' $stencil >"$dir/got"
check '--last: the path ends there' grep -q '^critical path: 0.04063 of 0.04083 .* over 23 links and 3 containers' "$dir/got"
"$paje" critical --last 'Main*' --format csv $stencil >"$dir/csv"
check 'its pieces leave no gap' awk -F, 'NR > 2 && $1 != end { exit 1 } { end = $2 }' "$dir/csv"
check 'a pipe' sh -c "'$paje' critical --last 'Main*' - <$stencil | cmp - '$dir/got'"
expect 'the pieces of a pipe' 2 'csv reads the trace twice: it needs a file' "$paje" critical --format csv -
# sum OPTIONS...: of the pieces; of the table
sum() { "$paje" critical --format csv "$@" $stencil | awk -F, 'NR > 1 { sum += $3 } END { printf "%.5g", sum }'; }
table() { "$paje" critical "$@" $stencil | awk 'NR == 1 { printf "%.5g", $3 }'; }
check '-s, -e: the part between them' test "$(sum -s 0.01 -e 0.02) $(table -s 0.01 -e 0.02)" = '0.01 0.01'
# The state `busy` sends a message on its way that never arrives.
cat tests/tool/header.trace - >"$dir/branch.trace" <<'TRACE'
0 T 0 Thread
1 S T State
4 L 0 T T Message
6 0 a T 0 a 0
6 0 b T 0 b 0
11 1 S a busy x 1
40 2 L 0 a m k 0
12 5 S a x
TRACE
check 'a state that another path leaves is one piece' test "$("$paje" critical -z "$dir/branch.trace" 2>/dev/null |
    awk '/% .* busy$/ { print $1, $4 }' | uniq)" = '4 1'
check '--unit' test "$(table --unit ms --last 'Main*')" = 4.063e-05
check '--unit, in CSV' test "$(sum --unit ms --last 'Main*')" = 4.063e-05
check '--receive' test "$(table --last 'Main*' --receive NOPE 2>/dev/null) $("$paje" critical --last 'Main*' --receive NOPE \
    $stencil 2>/dev/null | grep -c 'over 0 links and 1 containers')" = '0.04073 1'
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 1'
    awk 'BEGIN { for (i = 0; i < 66000; i++) print "10 " i " S t v" i " x"; print "7 66000 T t" }'
} >"$dir/values.trace"
expect 'of more than 65536 values the rest is one' 0 '^ *464( |\.0).*\(others\)' "$paje" critical "$dir/values.trace"
check '--container: others take no part' sh -c "'$paje' critical --last 'Main*' --container 'Node 0' $stencil >'$dir/got'
    grep -q 'over [1-9][0-9]* links and 2 containers' '$dir/got' && ! grep 'Node 1' '$dir/got'"
{
    cat tests/tool/header.trace
    printf '%s\n' '%EventDef PajePushState 90' '% Time date' '% Type string' '% Container string' '% Value string' \
        '% Communicator string' '% Root int' '% Instance int' '% Rank int' '% Size int' '%EndEventDef' \
        '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' '6 0 c T 0 c 0' \
        '11 0 S a recv x 1' '11 0 S b work x 1' '40 2 L 0 b m k 0' '41 3 L 0 a m k x' '12 3 S a x' '12 4 S b x'
    for call in '4 5 6 MPI_Barrier -1 0' '8 9 10 MPI_Bcast 0 1' '12 13 14 MPI_Scan -1 2'; do
        set -- $call
        printf '90 %s S %s %s w %s %s %s 3\n' $1 c $4 $5 $6 2 $1 a $4 $5 $6 1 $2 b $4 $5 $6 0
        printf '12 %s S %s x\n' $3 a $3 b $3 c
    done
} >"$dir/outer.trace"
check 'all that wait go on in others' test \
    "$("$paje" critical --format csv "$dir/outer.trace" 2>&1 | awk -F, 'NR > 1 { printf "%s", $4 }')" = /b/b/b/b/b/b/a
for format in table csv; do
    expect "--container, $format: waits for those that it leaves out are told" 0 \
        'outer.trace: containers wait 4 times for others that --container leaves out' "$paje" critical --container a \
        --format $format "$dir/outer.trace"
    check "--container, $format: no others are left out" test -z "$("$paje" critical --container '[ab]' --format $format \
        "$dir/outer.trace" 2>&1 >/dev/null)"
done
check '-s, -e: of the path of the whole trace' sh -c "'$paje' critical --last 'Main*' --format csv -s 0.01 -e 0.02 $stencil |
    sed '2d; \$d' | grep -vxFf '$dir/csv' | wc -l | grep -qx 0"
expect 'no states' 0 '^there is no path: no states$' "$paje" critical --type NONE $stencil
expect 'no container of --last' 0 '^there is no path: no container that --last chooses has states$' "$paje" critical \
    --last NONE $stencil
expect 'no format' 2 '`xml`: no format: table or csv' "$paje" critical --format xml $stencil
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' '10 1 S a x m' \
        '10 1 S b y m' '13 3 S b m' '13 5 S a m' '40 6 L 0 b m k 0' '41 7 L 0 a m k x'
} >"$dir/after.trace"
check 'what arrives after the last state is not on its path' test \
    "$("$paje" critical --format csv "$dir/after.trace" | tail -n +2)" = '1,5,4,/a,State,State,x,,a,'
expect 'nor in the table' 0 '^critical path: 4 of 4 .* over 0 links' "$paje" critical "$dir/after.trace"
expect '--top' 0 '5 more; --top 0 prints all' "$paje" critical --top 1 --last 'Main*' $stencil
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Link' '6 0 a T 0 a x' '6 0 b T 0 b x' '40 1 L 0 a m k 1' \
        '41 2 L 0 b m k x' '11 2 S b work x 1' '11 3 S a late x 1' '12 4 S a x' '12 5 S b x'
} >"$dir/first.trace"
check 'a path that begins with a message names its sender' test \
    "$("$paje" critical --format csv "$dir/first.trace" | tail -n +2 | tr '\n' ' ')" = \
    '1,2,1,/b,Link,Link,m,/a,b,a 2,5,3,/b,State,State,work,,b, '
sed 's/^11 3.75 /11 1.25 /; s/^41 3.5/41 1.5/; s/^12 4 /12 4.1 /' tests/tool/body.trace | cat tests/tool/header.trace - >"$dir/back.trace"
expect 'links that end before they start are told' 0 'back.trace: 1 links end before they start, and are not followed' \
    "$paje" critical "$dir/back.trace"
for format in table csv; do
    check "a state that no state is like: $format" test "$("$paje" critical --format $format --receive NOPE --receive exchange \
        $stencil 2>&1 >/dev/null)" = "paje: $stencil: no state has a value or type like \`NOPE\` (--receive)"
done
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 0' '6 0 b T 0 b 0' \
        '40 4 L 0 b m k 0' '41 4.5 L 0 a m k x' '10 1 S a recv x' '10 5 S a work x' '12 6 S a x'
} >"$dir/states-last.trace"
expect 'states that come after later links are told' 0 \
    'last.trace: 1 beginnings and ends of states come after later times of their' "$paje" critical "$dir/states-last.trace"
expect 'also where none waits for these' 0 'last.trace: 1 beginnings and ends of states come after later times' \
    "$paje" critical --receive recv "$dir/states-last.trace"
check 'in order nothing is told' test -z "$("$paje" critical $stencil 2>&1 >/dev/null)"
exit $failed
