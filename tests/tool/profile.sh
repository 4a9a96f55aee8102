#!/bin/bash
# paje profile, against sums that are computed in another way from the lines of `paje dump`.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
hostile_trace >"$dir/hostile.trace"
"$paje" profile --depth 0 "$dir/whole.trace" | sed 's/  */ /g; s/ $//' >"$dir/got"
cat >"$dir/expected" <<'END'
 Kind Count Total Exclusive Mean Min Max Share Integral Type Value
/
 State 3 4.5 3.5 1.5 0.25 4 0.333333 Thread state Running
 State 1 1 0.75 1 1 1 0.0714286 Thread state waiting
 State 1 0.25 0.25 0.25 0.25 0.25 0.0238095 Thread state polling
 Variable 3 6.5 693.615 4.5 1000 0.928571 4508.5 Power
 Link 1 1.625 1.625 1.625 1.625 Message Mail
 Event 1 Alarm out of paper
 Container 2 10.5 5.25 4.75 5.75 Thread
 Container 1 7 7 7 7 Host
 Container 1 7 7 7 7 0
END
same 'a table, by time' "$dir/expected" "$dir/got"
# order ORDER: the values of the states, in that order
order() { "$paje" profile --depth 0 --sort $1 "$dir/whole.trace" | sed -n 's/.*Thread state *//p' | tr '\n' ' '; }
check '--sort count' test "$(order count)" = 'Running waiting polling '
check '--sort name' test "$(order name)" = 'Running polling waiting '
expect '--sort of no order' 2 '`size`: no order: time, count or name' "$paje" profile --sort size
{
    cat "$dir/whole.trace"
    for i in $(seq 40); do echo "30 8 E H1 value-$i a $i"; done
    printf '%s\n' '30 8 E H1 twice a 1' '30 8 E H1 twice a 2' '30 8 F H1 single a 2'
} | sed 's/ H1 / h2 /; /^6 0 h1 /i 2 F H Other\n2 E2 H Alarm2\n6 0 h2 H 0 second 1
         s/^30 8 E /30 8 E2 /' >"$dir/events.trace"
"$paje" profile --own "$dir/events.trace" | sed -n '/second/,/^[/]/s/^  Event *//p' | sed 's/  */ /g' >"$dir/got"
printf '%s\n' '2 Alarm2 twice' '40 Alarm2 (40 values, once each)' '1 Other single' >"$dir/expected"
same 'values of events that occur once share a row' "$dir/expected" "$dir/got"
check 'but not in CSV' test "$("$paje" profile --own --format csv "$dir/events.trace" | grep -c second,.*Alarm2)" = 41
sed 's/Thread state/A type of states with a name that is far longer than a column/; s/waiting/a-value-with-a-long-name-too/' \
    "$dir/whole.trace" >"$dir/long.trace"
check 'columns stay where they are' test \
    "$("$paje" profile "$dir/long.trace" | cut -c 1-115 | grep -v ^/ | awk '{ print length }' | sort -u | wc -l)" = 1
check 'and long names are whole' sh -c "'$paje' profile '$dir/long.trace' | grep -q 'a name that is far longer than a column a-value-with-a-long-name-too$'"
check 'containers come when they are complete' test \
    "$("$paje" profile "$dir/whole.trace" | grep ^/ | tr '\n' '|')" = '/Host one/Thread one|/Host one/t2|/Host one|/|'
expect 'a format that is none' 2 '`xml`: no format: table, csv or json' "$paje" profile --format xml
expect 'a depth that is none' 2 '`1.5`: no such number' "$paje" profile --depth 1.5
expect 'an end before the start' 2 'profile: the end, -e, is before the start, -s' "$paje" profile -s 2 -e 1 "$dir/whole.trace"
[ ! -w /dev/full ] || expect 'a full disk' 3 'paje: standard output: No space' \
    sh -c "'$paje' profile '$dir/whole.trace' >/dev/full"

# Sums that are greater than any double.
cat tests/tool/header.trace - >"$dir/greatest.trace" <<'TRACE'
0 T 0 Thread
3 V T Power "1 0 0"
6 0 a T 0 a 1
6 0 b T 0 b 1
20 0 V a 1e308
20 0 V b -1e308
7 9 T a
7 9 T b
TRACE
"$paje" profile "$dir/greatest.trace" | awk '/ Variable /' | sed 's/  */ /g; s/ $//' >"$dir/got"
printf '%s\n' ' Variable 1 9 inf 1e+308 1e+308 1 inf Power' ' Variable 1 9 -inf -1e+308 -1e+308 1 -inf Power' \
    ' Variable 2 18 -1e+308 1e+308 1 Power' >"$dir/expected"
same 'sums that are greater than any double' "$dir/expected" "$dir/got"
check 'and in CSV' test "$("$paje" profile --format csv "$dir/greatest.trace" | grep Var | cut -d, -f14 | tr '\n' ' ')" = \
    '1.7976931348623157e+308 -1.7976931348623157e+308 null '

# Undefined values of events: as many as there are classes for them, then the type as a whole.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '2 E T Event' '6 0 t T 0 t 1'
    awk 'BEGIN { for (i = 0; i < 1000; i++) print "30 " i " E t value" i % 500 " x 1" }'
} >"$dir/values.trace"
check 'values without end' sh -c "'$paje' profile --format csv --own '$dir/values.trace' | grep ',Event,' |
    awk -F, '{ n[\$6 == \"\"] += \$7; rows++ } END { exit !(rows == 257 && n[0] == 512 && n[1] == 488) }'"

# A plain sum of so many tenths is 10000.0000000188.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '3 V T Tenth 1' '6 0 t T 0 t 1'
    awk 'BEGIN { for (i = 0; i <= 100000; i++) print "20 " i " V t 0.1" }'
} >"$dir/tenths.trace"
check 'sums do not drift' sh -c "'$paje' profile --format csv '$dir/tenths.trace' | grep -q '^/,.*,Tenth,.*,10000$'"

if ! command -v python3 >/dev/null; then
    skip 'the numbers' 'no python3 (install python3)'
    exit $failed
fi
cat >"$dir/brute.py" <<'END'
# PROFILE DUMP FROM TO OWN: the profile is CSV, of a trace without commas and with names that are all different
import bisect, collections, csv, math, sys

with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file, strict=True))
window, own = sys.argv[3:5], sys.argv[5] == "own"
low, high = (float(window[0]), float(window[1])) if window[0] else (-math.inf, math.inf)

parent, entities, bearer = {}, [], {}
for line in open(sys.argv[2]):
    f = line.rstrip("\n").split(", ")
    if f[0] == "Container":
        parent[f[6]] = f[1]
        entities.append([f[0], f[6], f[2], "", float(f[3]), float(f[4]), 0, 0])
    elif f[0] == "Event":
        entities.append([f[0], f[1], f[2], f[4], float(f[3]), float(f[3]), 0, 0])
    else:
        value = "" if f[0] == "Variable" else f[7] if f[0] == "State" else f[6]
        entities.append([f[0], f[1], f[2], value, float(f[3]), float(f[4]),
                         float(f[6]) if f[0] == "State" else 0, float(f[6]) if f[0] == "Variable" else 0])
# Container lines hold six digits only: the ends come from the entities of the containers, in the traces of this test.
first = min(e[4] for e in entities if e[0] != "Container")
types = {e[1]: e[2] for e in entities if e[0] == "Container"}

def path(name):
    return "/" if name == "0" else (path(parent[name]) if parent[name] != "0" else "") + "/" + name

def scope(name):
    while not own and name != "0":
        yield path(name)
        name = parent[name]
    yield path(name)

def cut(e):
    return max(e[4], low), min(e[5], high)

# For each state those right above it: they lie within it, one deeper.
above = collections.defaultdict(list)
for e in entities:
    if e[0] == "State":
        above[e[1], e[2], e[6]].append((e[4], e[5], e))
for stack in above.values():
    stack.sort(key=lambda s: s[:2])
def children(e):
    stack = above[e[1], e[2], e[6] + 1]
    at = bisect.bisect_left(stack, (e[4],), key=lambda s: s[:1])
    while at < len(stack) and stack[at][1] <= e[5]:
        yield stack[at][2]
        at += 1

parts = collections.defaultdict(list) # what a row is made of
for e in entities:
    start, end = cut(e)
    if start > end:
        continue
    for where in scope(e[1]):
        parts[where, e[0], e[2], e[3]].append((start, end, e))

wrong = 0
def compare(what, got, expected, scale):
    global wrong
    if abs(float(got) - expected) > 1e-12 * max(scale, 1e-3):
        wrong += 1
        print(what, "is", got, "in place of", repr(expected))

seen = collections.Counter()
for r in rows:
    key = r["Container"], r["Kind"], r["Type"], r["Value"]
    seen[key] += 1
    of, kind = parts[key], r["Kind"]
    if kind == "Container":
        continue # six digits
    compare((key, "count"), r["Count"], len(of), 0)
    if kind == "Event":
        continue
    total = [b - a for a, b, e in of]
    scale = math.fsum(total)
    compare((key, "total"), r["Total"], scale, scale)
    if kind == "State":
        taken = [b - a for _, _, e in of for a, b in [cut(c) for c in children(e)] if b > a]
        compare((key, "exclusive"), r["Exclusive"], math.fsum(total + [-x for x in taken]), scale)
    if kind == "Variable":
        area = math.fsum((b - a) * e[7] for a, b, e in of)
        compare((key, "integral"), r["Integral"], area, 1e5 * scale)
    measures = [e[7] if kind == "Variable" else b - a for a, b, e in of]
    compare((key, "min"), r["Min"], min(measures), 1)
    compare((key, "max"), r["Max"], max(measures), 1)
    if kind != "Variable":
        compare((key, "mean"), r["Mean"], scale / len(of), scale)
    elif scale:
        compare((key, "mean"), r["Mean"], area / scale, 1e5)
missing = {key for key in parts if key not in seen and key[1] != "Container"}
if missing:
    wrong += 1
    print("missing:", list(missing)[:3])
# Shares: the lifetimes are those of the rows themselves.
lifetime = {(r["Container"], r["Type"]): float(r["Total"]) for r in rows if r["Kind"] == "Container"}
bearers = {(e[0], e[2]): types[e[1]] for e in entities}
for r in rows:
    if r["Kind"] in ("State", "Variable"):
        of = lifetime[r["Container"], bearers[r["Kind"], r["Type"]]]
        compare((r, "share"), r["Share"], float(r["Exclusive"] or r["Total"]) / of, 1)
print(len(rows), "rows")
sys.exit(wrong > 0 or not rows)
END

# exact NAME FROM TO OWN OPTIONS...
exact() {
    local name=$1 from=$2 to=$3 own=$4
    shift 4
    "$paje" profile --format csv "$@" "$trace" >"$dir/profile.csv" 2>"$dir/err"
    check "$name" python3 "$dir/brute.py" "$dir/profile.csv" "$dir/dump" "$from" "$to" "$own"
}

make -s build/bench/generate || exit 3
trace=$dir/generated.trace
build/bench/generate -b 200000 -c 20 -d 6 >"$trace"
"$paje" dump -l 17 "$trace" >"$dir/dump"
exact 'exact' '' '' all
exact 'exact, --own' '' '' own --own
exact 'exact, -s -e' 1 3.3 all -s 1 -e 3.3
exact 'exact, -s -e --own' 0.5 4 own --own -s 0.5 -e 4
head -c 100000 "$trace" >"$dir/cut.trace"
trace=$dir/cut.trace
"$paje" dump -l 17 "$trace" >"$dir/dump" 2>"$dir/err"
exact 'exact, of half a trace' '' '' all
awk '/^%/ || /^[0-5] / { print; next } { $2 = sprintf("%.6f", $2 + 1.7e9); print }' "$dir/generated.trace" |
    grep -v '^6 .* 0 0 ' >"$dir/late.trace"
trace=$dir/late.trace
"$paje" dump -l 17 "$trace" >"$dir/dump"
exact 'exact, of a trace that begins in 2023' '' '' all

# A state begins before the one around it, which is not in the range.
cat tests/tool/header.trace - >"$dir/back.trace" <<'TRACE'
0 H 0 Host
1 S H State
6 0 h H 0 host x
11 5 S h outer x 1
11 2 S h inner x 1
12 3 S h x
12 8 S h x
7 9 H h
TRACE
states() { "$paje" "$@" 2>/dev/null | awk '$1 == "State" { printf "%s %s %s %s; ", $2, $4, $5, $NF }'; }
check 'times out of order' test "$(states profile --own "$dir/back.trace")" = '1 3 3 outer; 1 1 1 inner; '
check 'times out of order, a range' test "$(states profile --own -e 4 "$dir/back.trace")" = '1 1 1 inner; '
check 'times out of order, as diff' test "$("$paje" diff --format csv "$dir/back.trace" "$dir/back.trace" 2>/dev/null |
    grep outer)" = /host,State,State,outer,1,1,3,3,0

# --depth leaves rows out and changes none.
trace=$dir/generated.trace
for depth in 0 1 2 5; do
    for options in '' --own; do
        # shellcheck disable=SC2086
        "$paje" profile --format csv $options "$trace" |
            awk -F, -v depth=$depth 'NR == 1 || $1 == "/" || split($1, names, "/") <= depth + 1' >"$dir/expected"
        # shellcheck disable=SC2086
        "$paje" profile --format csv $options --depth $depth "$trace" >"$dir/got"
        same "--depth $depth $options" "$dir/expected" "$dir/got"
    done
done

# All formats say the same; hostile names do no harm.
corpus
python3 tests/tool/lib-profile.py "$paje" "$dir/tables" "$dir"/{whole,hostile,generated}.trace $traces/*.trace \
    "${corpus[@]}" || failed=1

exit $failed
