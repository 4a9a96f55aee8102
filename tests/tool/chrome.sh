#!/bin/bash
# paje chrome: strict JSON, and in it the entities of the tables of `paje csv`, which tests/tool/csv.sh holds equal to
# the dump.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
hostile_trace >"$dir/hostile.trace"
expect 'a unit that is none' 2 '`h`: no unit' "$paje" chrome -t h "$dir/whole.trace"
check '-t ms' sh -c "'$paje' chrome -t ms '$dir/whole.trace' | grep -q '\"ph\":\"i\".*\"ts\":1800,'"
[ ! -w /dev/full ] || expect 'a full disk' 3 'paje: standard output: No space' \
    sh -c "'$paje' chrome '$dir/whole.trace' >/dev/full"

if ! command -v python3 >/dev/null; then
    skip 'the events' 'no python3 (install python3)'
    exit $failed
fi
cat >"$dir/compare.py" <<'END'
import codecs, collections, csv, json, os, sys

# What JSON has in place of bytes that are no UTF-8.
codecs.register_error("each", lambda e: ("\ufffd" * (e.end - e.start), e.end))

def rows(name):
    with open(os.path.join(sys.argv[2], name + ".csv"), encoding="latin-1", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            yield {k: v.encode("latin-1").decode("utf-8", "each") for k, v in row.items()}

def ns(text):
    size = float(text) * 1e9
    return int(size - 0.5 if size < 0 else size + 0.5)

def unique(pairs):
    assert len(dict(pairs)) == len(pairs), "a name comes twice: %s" % pairs
    return dict(pairs)

def refuse(text):
    raise ValueError(text + " is no JSON")

with open(sys.argv[1], "rb") as file:
    events = json.loads(file.read().decode("utf-8"), parse_constant=refuse, object_pairs_hook=unique)

path, thread, last = {}, {}, {}
stacks = collections.defaultdict(list)
got = collections.Counter()
flows, slices = {}, collections.defaultdict(list)
for e in events:
    phase, pid, tid = e["ph"], e["pid"], e.get("tid")
    if phase == "M":
        if e["name"] == "process_name":
            assert pid not in path
            path[pid] = e["args"]["name"]
        elif e["name"] == "thread_name":
            assert tid not in thread and tid not in path
            thread[tid] = e["args"]["name"]
        continue
    time = round(e["ts"] * 1000)
    if phase in "BE":
        assert time >= last.get(tid, time), "back in time"
        last[tid] = time
    if phase == "B":
        stacks[tid].append((time, e["name"]))
    elif phase == "E":
        start, name = stacks[tid].pop()
        slices[tid].append((start, time))
        got["State", path[pid], thread[tid], start, time, len(stacks[tid]), name] += 1
    elif phase == "i":
        got["Event", path[pid], thread[tid], time, e["name"]] += 1
    elif phase == "C":
        got["Variable", path[pid], e["name"], time, e["args"]["value"]] += 1
    elif phase == "X":
        slices[tid].append((time, time + 1))
    else:
        assert phase in "sf" and e["bp"] == "e"
        flows.setdefault((e["id"], e["name"]), {}).setdefault(phase, []).append((pid, tid, time))
assert not any(stacks.values()), "slices that do not end"
for (id, name), ends in flows.items():
    for (pid, tid, time), (to_pid, to_tid, to_time) in zip(ends.get("s", []), ends.get("f", [])):
        got["Link", name, path[pid], path[to_pid], time, to_time] += 1
        for thread_id, at in (tid, time), (to_tid, to_time):
            if len(slices[thread_id]) < 1000:
                assert any(a <= at <= b for a, b in slices[thread_id]), "an arrow without a slice"

# As the importer of ui.perfetto.dev sees them: in order of time, and of the file where that is the same.  An arrow goes
# from and to the topmost slice that is open on its thread then; a number stands for one flow only.
def imported(events):
    open_slices, ended, sources = collections.defaultdict(list), set(), {}
    pids = {e["pid"] for e in events}
    for e in sorted((e for e in events if e["ph"] != "M"), key=lambda e: e["ts"]):
        phase, time, stack = e["ph"], round(e["ts"] * 1000), open_slices[e.get("tid")]
        assert all(type(e[key]) is int and 0 < e[key] < 2 ** 32 for key in ("pid", "tid") if key in e), e
        assert e.get("tid") not in pids, "a thread and a process of one number"
        if phase == "C":
            assert type(e["args"]["value"]) in (int, float), e
            continue
        end = time + round(e.get("dur", 0) * 1000)
        if phase in "BXi":
            while stack and stack[-1] is not None and stack[-1] <= time and not stack[-1] == time == end:
                stack.pop()
            inner = [one for one in stack if one is not None]
            assert phase == "B" or not inner or end <= inner[-1], ("it overlaps what is open", e)
            stack.append(None if phase == "B" else end)
        elif phase == "E":
            assert stack and stack.pop() is None, ("an end of no slice", e)
        else:
            assert stack and (stack[-1] is None or stack[-1] >= time), ("an arrow without a slice", e)
            flow = e["id"], e["name"], e["cat"]
            if phase == "s":
                assert flow not in sources, ("a flow that begins twice", e)
                sources[flow] = time
            else:
                assert flow not in ended, ("a flow that ends twice", e)
                ended.add(flow)
                if flow not in sources:
                    backward.append(flow)
    assert not any(None in stack for stack in open_slices.values()), "slices that do not end"

backward = []
if not sys.argv[3]:
    imported(events)
    # Of the links of the table, the importer may leave out only those that end before they start.
    whole = {id for (id, _), ends in flows.items() if len(ends) == 2}
    assert sum(id in whole for id, *_ in backward) == sum(ns(r["End"]) < ns(r["Start"]) for r in rows("links"))

expected = collections.Counter()
for r in rows("states"):
    expected["State", r["Container"], r["Type"], ns(r["Start"]), ns(r["End"]), int(r["Imbrication"]), r["Value"]] += 1
if sys.argv[3]: # times went back: those of states were changed
    for states in got, expected:
        for one in [one for one in states if one[0] == "State"]:
            states["State", *one[1:3], one[6]] += states.pop(one)
for r in rows("events"):
    expected["Event", r["Container"], r["Type"], ns(r["Time"]), r["Value"]] += 1
for r in rows("variables"):
    expected["Variable", r["Container"], r["Type"], ns(r["Start"]), float(r["Value"])] += 1
for r in rows("links"):
    expected["Link", r["Type"], r["From"], r["To"], ns(r["Start"]), ns(r["End"])] += 1
for entity in (expected - got), (got - expected):
    for one in list(entity)[:2]:
        print("only", "in the tables:" if one in expected else "in JSON:", one)
sys.exit(expected != got)
END

# as_tables NAME TRACE
as_tables() {
    rm -rf "$dir/tables"
    "$paje" csv -d "$dir/tables" "$2" 2>/dev/null
    "$paje" chrome "$2" >"$dir/got.json" 2>"$dir/err"
    check "$1" python3 "$dir/compare.py" "$dir/got.json" "$dir/tables" "$(grep 'began or ended' "$dir/err")"
}

make -s build/bench/generate || exit 3
build/bench/generate -b 300000 -c 40 -d 9 >"$dir/generated.trace"
head -c 150000 "$dir/generated.trace" >"$dir/cut.trace"
for trace in "$dir"/{whole,hostile,generated,cut}.trace $traces/*.trace \
    ${CORPUS:+$(find "$CORPUS" -name '*.trace' | LC_ALL=C sort)}; do
    as_tables "as the tables: ${trace#"${trace%/*/*}/"}" "$trace"
done

# Times that go back are shown later, so that slices stay within each other, and that is told.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 1' '11 5 S t a x 1' '11 4 S t b x 1' \
        '12 6 S t x' '12 3 S t x'
} >"$dir/back.trace"
"$paje" chrome "$dir/back.trace" >"$dir/got" 2>"$dir/err"
check 'back in time' test "$(sed -n 's/.*"ts":\([0-9]*\).*/\1/p' "$dir/got" | tr '\n' ' ')" = \
    '5000000 5000000 6000000 6000000 '
check 'back in time: is told' grep -q 'back.trace: 2 states began or ended before' "$dir/err"

# An arrow does not go to a state that began later.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 1' '6 0 b T 0 b 1' \
        '11 5 S a x x 1' '11 5 S b x x 1' '40 1 L 0 a m k 1' '41 6 L 0 b m k x'
} >"$dir/early.trace"
as_tables 'a link before the state' "$dir/early.trace"

# A key is used again; an end comes before its start; a start is given up; what is sent comes back at once.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 1' '6 0 b T 0 b 1'
    for i in 1 2 3; do
        printf '%s\n' "40 $i L 0 a m k 1" "41 $i.5 L 0 b m k x" "41 $i.6 L 0 b m j x" "40 $i.55 L 0 a m j 1"
    done
    printf '%s\n' '6 4 h T 0 h 1' '40 4 L h h m k 1' '7 5 T h' '6 5 h T 0 h 1' '40 5 L h h m k 1' '41 5 L h h m k x' \
        '40 5 L h h m k 1' '41 5 L h h m k x'
    awk 'BEGIN {
        for (i = 0; i < 3000; i++) {
            print "40 " i + 6 " L 0 a m key" i % 300 + i % 7 " 1"
            print "41 " i + 6.5 " L 0 b m key" (i * 7) % 300 + i % 7 " x"
        }
    }'
} >"$dir/keys.trace"
as_tables 'keys that are used again' "$dir/keys.trace"

# Two variables of one name are two counters; one that is no number is left out.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '3 V T Power 1' '3 W T Power 1' '6 0 t T 0 t 1' '20 1 V t 1' '20 1 W t 2' '20 2 V t 1e999' '21 3 V t -1e999 x'
} >"$dir/twins.trace"
check 'counters of one name' sh -c "'$paje' chrome '$dir/twins.trace' | grep -o '\"name\":\"Power[^,]*' | tr '\n' ' ' |
    grep -qx '\"name\":\"Power\" \"name\":\"Power\" \"name\":\"Power (W)\" '"

exit $failed
