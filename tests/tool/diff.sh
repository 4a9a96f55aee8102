#!/bin/bash
# paje diff, against sums that are computed in another way, and its picture.
. "$(dirname "$0")/lib.sh"

stencil=$traces/stencil.trace
# A run in which halo messages and the time in compute are longer, on containers of other aliases.
awk '/^31 /{ $2 += 0.00001 } { print }' $stencil | sed 's/\bp3\b/q3/g' >"$dir/b.trace"
"$paje" diff $stencil "$dir/b.trace" >"$dir/got"
check 'a table' grep -Eq '^ +0.01533 +0.01677 +\+0.00144 +\+9.4 % +144 +144  Message halo$' "$dir/got"
check 'nothing else differs' test "$(sed -n '/Time in/,/by container/p' "$dir/got" | grep -c ' +0  ')" = 6
check 'from a pipe' sh -c "'$paje' diff $stencil - <'$dir/b.trace' | sed 's|^B: .*|B: $dir/b.trace|' | cmp - '$dir/got'"
expect 'equal runs' 0 ' 0.01533 +0.01533 +\+0 +\+0.0 % +144 +144  Message halo$' "$paje" diff $stencil $stencil
for unit in ms us; do
    { echo "# unit of times: $unit" && cat "$stencil"; } >"$dir/$unit.trace"
done
units='us.trace: its times are microseconds, which a comment says, but those of a trace before it milliseconds: none are converted$'
expect 'traces of different units' 0 "$units" "$paje" diff "$dir/ms.trace" "$dir/us.trace"
expect 'traces of different units in one picture' 0 "$units" "$paje" diff -o "$dir/units.svg" "$dir/ms.trace" "$dir/us.trace"
"$paje" diff --unit ms -o "$dir/units.svg" "$dir/ms.trace" "$dir/us.trace" 2>"$dir/err"
check 'none where --unit says it' test ! -s "$dir/err"
expect '--unit' 0 ' 1.533e-05 +1.533e-05 ' "$paje" diff --unit ms $stencil $stencil
expect '--top' 0 '^  .6 more; --top 0 prints all.$' "$paje" diff --top 1 $stencil $stencil
expect 'one file' 2 'it takes 2 files' "$paje" diff $stencil
expect 'no format' 2 '`xml`: no format: table or csv' "$paje" diff --format xml $stencil $stencil
sed 's/Worker 3.2/Worker 3.9/' $stencil >"$dir/other.trace"
"$paje" diff --top 0 $stencil "$dir/other.trace" | sed -n '/^Containers/,$p' >"$dir/got"
printf '%s\n' 'Containers only in A:' '  /Node 1/Process 3/Worker 3.2' '' 'Containers only in B:' \
    '  /Node 1/Process 3/Worker 3.9' >"$dir/expected"
same 'containers of one run only' "$dir/expected" "$dir/got"

# Two containers of one name are matched by their aliases; one alone is matched whatever its alias.
run() {
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    for alias; do
        printf '%s\n' "6 0 $alias T 0 same 0" "10 1 S $alias x m" "13 $((1 + ${#alias})) S $alias m"
    done
}
run a bb >"$dir/two.trace"
run ccc bb >"$dir/bb.trace"
run dddd >"$dir/one.trace"
run eeeee >"$dir/single.trace"
"$paje" diff --format csv "$dir/two.trace" "$dir/bb.trace" | grep State | LC_ALL=C sort >"$dir/got"
printf '%s\n' '/same (a),State,State,x,1,0,1,0,-1' '/same (bb),State,State,x,1,1,2,2,0' \
    '/same (ccc),State,State,x,0,1,0,3,3' >"$dir/expected"
same 'containers of one path: by alias' "$dir/expected" "$dir/got"
check 'and else by path' test "$("$paje" diff --format csv "$dir/one.trace" "$dir/single.trace" | grep State)" = \
    '/same,State,State,x,1,1,4,5,1'
check 'which is in both' test "$("$paje" diff "$dir/one.trace" "$dir/single.trace" | grep -c 'only in')" = 0

# The picture: both from their first event on.
{ sed -n '/^%/p' $stencil; grep -v '^[%#]' $stencil | awk '$1 > 5 { $2 = sprintf("%.6f", $2 + 1000) } { print }'; } >"$dir/later.trace"
cp "$dir/later.trace" "$dir/x.trace"
"$paje" diff -o "$dir/later.svg" $stencil "$dir/x.trace" 2>"$dir/err"
cp $stencil "$dir/x.trace"
"$paje" diff --svg $stencil "$dir/x.trace" >"$dir/now.svg"
sorted "$dir/now.svg" >"$dir/expected"
sorted "$dir/later.svg" >"$dir/got"
same 'a picture: runs are aligned' "$dir/expected" "$dir/got"
check 'each value is in the legend once' test "$(grep -c '>exchange</text>' "$dir/now.svg")" = 1
check 'twice as many bars of states as in one' test "$("$paje" svg $stencil | grep -o 'Main [0-9]: Thread state' | wc -l)" = \
    "$(($(grep -o 'Main [0-9]: Thread state' "$dir/now.svg" | wc -l) / 2))"
if command -v xmllint >/dev/null; then
    check 'the picture is XML' xmllint --noout "$dir/now.svg"
else
    skip 'the picture is XML' 'no xmllint (install libxml2-utils)'
fi
expect 'only that container' 0 'Main 1' "$paje" diff --svg --container 'Main 1' $stencil $stencil
check 'and no other' test "$(grep -c 'Main 2' "$dir/out")" = 0
expect 'a range' 2 'the end, -e, is not after the start' "$paje" diff --svg -s 1 -e 1 $stencil $stencil

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

def sums(model, low, high):
    states, links, paths = model
    found = {}
    def add(key, count, time):
        old = found.get(key, (0, 0.0))
        found[key] = (old[0] + count, old[1] + time)
    for s in states:
        start, end = max(s.start, low), min(s.end, high)
        if start > end:
            continue
        # The time in which no deeper state of the type is on, from instant to instant.
        above = [o for o in states if o.place == s.place and o.type == s.type and o.depth > s.depth]
        times = sorted({t for o in above for t in (o.start, o.end) if start < t < end} | {start, end})
        own = sum(b - a for a, b in zip(times, times[1:]) if not any(o.start <= a and o.end >= b for o in above))
        add((paths[s.place], "State", s.type, s.value), 1, own)
    for l in links:
        if l.start <= high and l.end >= low:
            add(("/", "Link", l.type, l.value), 1, min(l.end, high) - max(l.start, low))
    return found

for seed in range(count):
    models = []
    for side in (0, 1):
        text, *model = waits.generate(2000 + 2 * seed + side)
        open("%s/%d.trace" % (folder, side), "w").write(text)
        models.append(model)
    for low, high in (-math.inf, math.inf), (7, 31.25):
        words = [] if low < 0 else ["-s", "%g" % low, "-e", "%g" % high]
        a, b = (sums(m, low, high) for m in models)
        got = {(r["Container"], r["Kind"], r["Type"], r["Value"]):
               (int(r["CountA"]), float(r["TimeA"]), int(r["CountB"]), float(r["TimeB"]), float(r["Difference"]))
               for r in waits.rows(paje, "diff", "--format", "csv", *words, folder + "/0.trace", folder + "/1.trace")}
        want = {k: a.get(k, (0, 0)) + b.get(k, (0, 0)) + (b.get(k, (0, 0))[1] - a.get(k, (0, 0))[1],) for k in a | b}
        compared += len(want)
        if want != got:
            failed += 1
            key = next(k for k in want.keys() | got.keys() if want.get(k) != got.get(k))
            print("FAIL tool diff: seed %d %s: %s: %s in place of %s" % (seed, words, key, got.get(key), want.get(key)))
if not failed:
    print("PASS tool diff: %d random pairs, %d rows" % (count, compared))
PY
python3 "$dir/brute.py" "$paje" "$dir" ${FULL:+1}15 >"$dir/out" 2>&1 || fail 'the comparison' "$(tail -n 1 "$dir/out")"
cat "$dir/out"
! grep -q ^FAIL "$dir/out" || failed=1
check 'something was compared' grep -Eq '[0-9]{3} rows$' "$dir/out"
# As many types as are drawn, and containers of them that are merged.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '0 P H Process' '1 S P State' '2 E P Event' '3 V P Variable "1 0 0"' '4 L 0 P P Link' '6 0 h H 0 h 0'
    awk 'BEGIN { for (i = 0; i < 5000; i++)
        printf "0 T%d H t%d\n1 S%d T%d s\n6 0 c%d T%d h x 0\n11 1 S%d c%d v x 1\n", i, i, i, i, i, i, i, i }'
} >"$dir/types.trace"
expect 'a picture of more types than are drawn' 0 '!' "$paje" diff -o "$dir/types.svg" "$dir/types.trace" "$dir/types.trace"

# Times whose sum is beyond the greatest double have no shares.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n6 -1.7e308 h H 0 host 1\n6 -1.7e308 g H 0 g 1\n'
    printf '11 -1.7e308 S %s a a 1\n12 0 S %s a\n' h h g g
} >"$dir/infinite.trace"
"$paje" diff "$dir/infinite.trace" "$dir/infinite.trace" >"$dir/out" 2>&1
check 'an infinite sum' bash -c "grep -q 'State' '$dir/out' && ! grep nan '$dir/out'"

exit $failed
