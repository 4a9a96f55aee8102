#!/bin/bash
# paje html: one page, valid and complete, that holds what `paje dump` says.  tests/full/html.sh looks at it in a
# browser.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

header=tests/tool/header.trace
trace=$dir/whole.trace
cat $header tests/tool/body.trace >"$trace"
: >"$dir/empty.trace"
head -c 9000 $traces/stencil.trace >"$dir/cut.trace"
hostile_trace >"$dir/hostile.trace"
expect 'a page' 0 '^<!DOCTYPE html>$' "$paje" html "$trace"
expect 'rows that are none' 2 'no number of rows' "$paje" html --rows 2 "$trace"
"$paje" html "$trace" | sed 's/"name":"whole.trace"/"name":"<stdin>"/' >"$dir/expected"
cat "$trace" | "$paje" html | sed 's/u003cstdin/<stdin/; s/\\</</' >"$dir/got"
same 'from a pipe: the same page' "$dir/expected" "$dir/got"

# The page comes in one piece: nothing is loaded, and nothing may be.
"$paje" html "$dir/hostile.trace" >"$dir/page.html" 2>/dev/null
sed '/id="data"/,/^<.script>/d' "$dir/page.html" >"$dir/frame.html"
check 'nothing is loaded' sh -c "! grep -Eiq 'src *=|href *=|url\(|import|https?:' '$dir/frame.html'"
check 'and nothing may be' grep -q "^  content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">" "$dir/page.html"

if ! command -v python3 >/dev/null; then
    skip 'what it holds' 'no python3 (install python3)'
    exit $failed
fi
cat >"$dir/holds.py" <<'END_OF_PYTHON'
"""The page's data beside `paje dump`: each entity; or, where they are summed up, counts and times of each value."""
import collections, html.parser, json, sys

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.tags, self.text = [], [], ""
    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append(dict(attributes))
    def handle_data(self, text):
        if self.tags[-1:] == ["script"] and len(self.scripts) == 1:
            self.text += text

page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert page.scripts == [{"type": "application/json", "id": "data"}, {}], page.scripts
data = json.loads(page.text)
types, values = data["types"], data["values"]
held, counted, exact = collections.Counter(), collections.Counter(), True
for parent, name, prefix, members, start, end, lanes in data["nodes"]:
    name = name.split(" / ")[-1]
    exact &= members == 1
    for kind, type_, depth, entities, bins in lanes:
        exact &= not bins
        for entity in entities:
            if kind == "state":
                held["State", name, types[type_][0], entity[0], entity[1], depth, values[entity[2]][1]] += 1
            elif kind == "event":
                held["Event", name, types[values[entity[1]][0]][0], entity[0], values[entity[1]][1]] += 1
            else:
                held["Variable", name, types[type_][0], *entity] += 1
            weight = entity[4] if kind == "state" and members > 1 else 1
            value = values[entity[1 if kind == "event" else 2]][1] if kind != "variable" else ""
            counted[kind, value, "count"] += weight
            if kind == "state":
                counted[kind, value, "time"] += entity[3] if members > 1 else entity[1] - entity[0]
        for one in bins:
            value = values[one[1]][1] if kind != "variable" else ""
            counted[kind, value, "count"] += one[-1]
            if kind == "state":
                counted[kind, value, "time"] += one[2]
for link in data["links"]:
    counted["link", "", "count"] += link[6]

told, sums = collections.Counter(), collections.Counter()
flat = collections.defaultdict(lambda: True)
fields = {"State": 7, "Event": 4}
lines = [line.rstrip("\n").split(", ", fields.get(line.split(",")[0], -1))
         for line in open(sys.argv[2], encoding="utf-8")]
for line in lines:
    if line[0] == "Variable":
        flat[line[2]] &= float(line[6]) == 0
for line in lines:
    if line[0] == "State":
        _, name, type_, start, end, _, depth, value = line
        if float(depth) < 8: # deeper ones are not shown as such
            told["State", name, type_, float(start), float(end), int(float(depth)), value] += 1
        sums["state", value, "count"] += 1
        sums["state", value, "time"] += float(end) - float(start)
    elif line[0] == "Event":
        told["Event", line[1], line[2], float(line[3]), line[4]] += 1
        sums["event", line[4], "count"] += 1
    elif line[0] == "Variable" and not flat[line[2]]:
        told["Variable", line[1], line[2], float(line[3]), float(line[4]), float(line[6])] += 1
        sums["variable", "", "count"] += 1

what = sys.argv[3]
wrong = []
if what == "exact":
    assert exact
    wrong = [f"not there: {one}" for one in told - held] + [f"not in the trace: {one}" for one in held - told]
elif what == "names":
    names = [value[1] for value in values]
    assert "</script><script>alert(1)</script>" in names and "<b>&amp;</b>" in names and "]]>" in names, names
else: # times of the innermost states where rows are shared: the sum over all values is that of the bottom ones
    assert not exact
    for key in sums:
        if key[0] == "state" or what == "binned":
            if key[2] == "count" or what == "binned":
                if abs(sums[key] - counted[key]) > 1e-4 * sums[key]:
                    wrong.append(f"{key}: {counted[key]} in place of {sums[key]}")
    bottom = sum(float(line[4]) - float(line[3]) for line in lines if line[0] == "State" and float(line[6]) == 0)
    time = sum(counted[key] for key in counted if key[0] == "state" and key[2] == "time")
    if what == "shared" and abs(time - bottom) > 1e-4 * bottom:
        wrong.append(f"{time} in place of {bottom}")
print("\n".join(wrong[:4]))
sys.exit(bool(wrong))
END_OF_PYTHON

# holds WHAT NAME TRACE OPTIONS...
holds() {
    local what=$1 name=$2 one=$3
    shift 3
    "$paje" html "$@" "$one" >"$dir/page.html" 2>/dev/null
    "$paje" dump -l 12 "$one" 2>/dev/null >"$dir/dump"
    check "$name" python3 "$dir/holds.py" "$dir/page.html" "$dir/dump" "$what"
}
holds exact 'each entity: whole' "$trace"
holds exact 'each entity: tour' $traces/tour.trace
holds exact 'each entity: stencil' $traces/stencil.trace
holds exact 'each entity: of a trace that was cut' "$dir/cut.trace"
if [ "${CORPUS:-}" ]; then
    for one in pajengr/starpu.buggy pajengr/simgrid deepshutdown/wl190_easy_bf_schedule gtg/testVar; do
        holds exact "each entity: $one" "$CORPUS/$one.trace"
    done
fi
make -s build/bench/generate || exit 3
build/bench/generate -b 15000000 -c 2 >"$dir/long.trace"
build/bench/generate -b 3000000 -c 1000 >"$dir/wide.trace"
holds binned 'counts and times where bins sum up' "$dir/long.trace"
check 'the page is small' test "$(wc -c <"$dir/page.html")" -lt 12000000
holds shared 'counts and times where containers share rows' "$dir/wide.trace" --rows 100
rm -f "$dir/long.trace" "$dir/wide.trace"
holds exact 'an empty trace' "$dir/empty.trace"
"$paje" html "$dir/hostile.trace" >"$dir/page.html" 2>/dev/null
: >"$dir/none"
check 'hostile names stay within the data' sh -c "python3 '$dir/holds.py' '$dir/page.html' '$dir/none' names"
if [ -w /dev/full ]; then
    expect 'a full disk' 3 'standard output: No space left' sh -c "'$paje' html '$trace' >/dev/full"
fi

exit $failed
