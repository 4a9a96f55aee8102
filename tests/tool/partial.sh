#!/bin/bash
# Partial outcomes: what stands in the output while the input has to wait is valid, and all that is known so far, even
# if the command is killed then.  That an input which ends half-way gives valid output is tested with each command.
. "$(dirname "$0")/lib.sh"

mkfifo "$dir/in" || exit 3
awaited=marker
# Half a trace: the marker is in it, and enough behind it for a batch of rows; it ends within a line.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '0 T H Thread' '1 S T State' '2 E T Event' '3 P T Power 1' '4 L H T T Mail' \
        '6 0 h H 0 host 1' '6 0 gone T h gone 1' '6 0 t T h t 1'
    awk 'BEGIN {
        for (i = 0; i < 500; i++) {
            t = i % 2 ? "t" : "gone"
            print "11 " i " S " t " busy x 1\n20 " i " P " t " " i "\n40 " i " L h " t " m " i " 1"
            print "12 " i + 0.5 " S " t " x\n41 " i + 0.5 " L h t m " i " x"
        }
        print "7 500 T gone\n11 500 S t open x 1\n40 500 L h t m open 1\n30 501 E t marker x 1"
        for (i = 502; i < 700; i++)
            print "30 " i " E t event x 1"
    }'
    printf '30 701 E t ev'
} >"$dir/half.trace"

# killed NAME FILE COMMAND...: runs it on half the trace, until the marker is in the file, and kills it
killed() {
    local name=$1 file=$2 pid
    shift 2
    "$@" "$dir/in" >"$dir/out" 2>"$dir/err" &
    pid=$!
    exec 3>"$dir/in"
    cat "$dir/half.trace" >&3
    check "$name: all is there while the input waits" wait_for 10 grep -q $awaited "$file"
    kill -9 $pid
    wait $pid 2>/dev/null
    exec 3>&-
}

killed dump "$dir/out" "$paje" dump -l 9
cp "$dir/out" "$dir/dump"
check 'dump: the last line is whole' test "$(tail -n 1 "$dir/dump")" = 'Event, t, Event, 699.000000000, event'

awaited=^/host/gone
killed profile "$dir/out" "$paje" profile --format csv --own
awaited=marker
check 'profile: of what has ended' grep -q '^/host/gone,gone,State,State,S,busy,250,125,' "$dir/out"

if ! command -v python3 >/dev/null; then
    skip 'tables and events' 'no python3 (install python3)'
    exit $failed
fi
count() { grep -c "^$1," "$dir/dump"; }

killed csv "$dir/tables/events.csv" "$paje" csv -d "$dir/tables"
cat >"$dir/rows.py" <<'END'
import csv, sys
for kind, rows in zip(["Container", "State", "Event", "Variable", "Link"], sys.argv[2:]):
    with open("%s/%ss.csv" % (sys.argv[1], kind.lower()), newline="") as file:
        table = list(csv.reader(file, strict=True))
    assert len({len(row) for row in table}) == 1 and len(table) - 1 == int(rows), (kind, rows, len(table) - 1)
END
check 'csv: the tables are whole' python3 "$dir/rows.py" "$dir/tables" "$(count Container)" "$(count State)" \
    "$(count Event)" "$(count Variable)" "$(count Link)"

killed chrome "$dir/out" "$paje" chrome
cat >"$dir/events.py" <<'END'
import collections, json, sys
# The closing bracket is optional in the format, as is the end of slices.
phases = collections.Counter(e["ph"] for e in json.loads(open(sys.argv[1]).read() + "]"))
states, events, variables, links = map(int, sys.argv[2:])
got = [phases[phase] for phase in "BEiCsf"]
assert got == [states + 1, states, events, variables, links + 1, links], got
END
check 'chrome: the events are whole' python3 "$dir/events.py" "$dir/out" "$(count State)" "$(count Event)" \
    "$(count Variable)" "$(count Link)"

killed sql "$dir/out" "$paje" sql --batch 100
if ! command -v sqlite3 >/dev/null; then
    skip 'sql' 'no sqlite3 (install sqlite3)'
    exit $failed
fi
check 'sql: it loads' sh -c "sqlite3 -bail '$dir/t.db' <'$dir/out'"
line=$(sqlite3 "$dir/t.db" 'SELECT line FROM file')
head -n "$line" "$dir/half.trace" | "$paje" dump >"$dir/expected"
check 'sql: behind the marker' test "$line" -gt "$(grep -n marker "$dir/half.trace" | cut -d: -f1)"
for kind in event link; do
    check "sql: all of each ${kind} until there" test "$(sqlite3 "$dir/t.db" "SELECT COUNT(*) FROM $kind")" = \
        "$(grep -ic "^$kind" "$dir/expected")"
done
check 'sql: not complete' test "$(sqlite3 "$dir/t.db" 'SELECT complete FROM file')" = 0

exit $failed
