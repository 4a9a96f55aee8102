# What tests/tool/sql.sh and tests/full/sql.sh ask of a database.  Sourced after lib.sh by a script that defines
#   sql             runs the SQL of its argument, or else of its standard input; prints rows with tabs between columns
#   hex COLUMN      the SQL that makes hexadecimal digits of a text's bytes
#   dialect         an array: the options of `paje sql`
#   bulk FOLDER     runs the load.sql in a folder
#   fresh           goes on with a database that is empty
. tests/tool/lib-hostile.sh

# same_as_dump CONDITION NAME TRACE [NAME TRACE]...: what the database holds of the files whose numbers are so is what
# the dumps of these traces print
same_as_dump() {
    local of="e.file_id $1"
    local named="c.file_id = e.file_id AND c.id = e.container_id AND t.file_id = e.file_id AND t.id = e.type_id"
    local times='e.start_time, e.end_time'
    local value
    value=$(hex "COALESCE(e.value_text, (SELECT v.name FROM entity_value v WHERE v.file_id = e.file_id AND
        v.id = e.value_id))")
    shift
    sql >"$dir/rows" <<END
SELECT e.file_id, 'Container', $(hex p.name), $(hex t.name), $times, $(hex e.name) FROM container e, container p, type t
    WHERE $of AND t.file_id = e.file_id AND t.id = e.type_id AND p.file_id = e.file_id AND
    p.id = COALESCE(e.parent_id, e.id);
SELECT e.file_id, 'State', $(hex c.name), $(hex t.name), $times, e.imbrication, $(hex v.name)
    FROM state e, container c, type t, entity_value v WHERE $of AND $named AND v.file_id = e.file_id AND
    v.id = e.value_id;
SELECT e.file_id, 'Event', $(hex c.name), $(hex t.name), e.time, $value FROM event e, container c, type t
    WHERE $of AND $named;
SELECT e.file_id, 'Variable', $(hex c.name), $(hex t.name), $times, e.value FROM variable e, container c, type t
    WHERE $of AND $named;
SELECT e.file_id, 'Link', $(hex c.name), $(hex t.name), $times, $value, $(hex a.name), $(hex b.name), $(hex e.link_key)
    FROM link e, container c, container a, container b, type t WHERE $of AND $named AND a.file_id = e.file_id AND
    a.id = e.start_container_id AND b.file_id = e.file_id AND b.id = e.end_container_id;
END
    python3 tests/tool/lib-sql.py "$paje" "$group" "$dir/rows" "$@" || failed=1
}

# as_dump NAME TRACE OPTIONS...: loads it, and what the database holds is what the dump prints
as_dump() {
    local name=$1 trace=$2
    shift 2
    "$paje" sql "${dialect[@]}" "$@" "$trace" 2>"$dir/paje.err" | sql >"$dir/load.out" 2>"$dir/load.err"
    if [ -s "$dir/load.out" ] || [ -s "$dir/load.err" ]; then
        fail "$name" "$(cat "$dir/load.out" "$dir/load.err" | head -n 2 | tr '\n' '|')"
    else
        same_as_dump '= (SELECT MAX(id) FROM file)' "$name" "$trace"
    fi
}

# is NAME EXPECTED SQL: of one row, where blanks stand for tabs
is() {
    local got
    got=$(sql "$3" 2>&1 | tr '\t' ' ')
    if [ "$got" = "$2" ]; then pass "$1"; else fail "$1" "$got in place of $2"; fi
}

# All that holds whatever the database is.
check_database() {
    cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
    local hostile="$dir/it's \\ \"hostile\" <b>.trace"
    hostile_trace >"$hostile"
    make -s build/bench/generate || exit 3
    build/bench/generate -b 200000 -c 20 >"$dir/generated.trace"
    head -c 100000 "$dir/generated.trace" >"$dir/cut.trace"

    as_dump 'as dump: whole' "$dir/whole.trace" -m "it's \\ a \"comment\""
    is 'the comment' "it's \\ a \"comment\"" "SELECT comment FROM file WHERE id = 1"
    as_dump 'as dump: hostile names' "$hostile"
    is 'the name of a file' "$hostile" 'SELECT name FROM file WHERE id = 2'
    as_dump 'as dump: generated' "$dir/generated.trace"
    as_dump 'as dump: batches of one' "$dir/whole.trace" --batch 1
    as_dump 'as dump: all in one batch' "$dir/generated.trace" --batch 0
    as_dump 'as dump: half a trace' "$dir/cut.trace" --batch 100
    as_dump 'as dump: tour' $traces/tour.trace
    is 'one file after the other' '7 1 7' 'SELECT COUNT(*), MIN(id), MAX(id) FROM file'
    is 'all are complete' 7 'SELECT COUNT(*) FROM file WHERE complete = 1'
    is 'batches of one' 25 "SELECT batches FROM file WHERE id = 4"
    is 'lines of the trace' "$(wc -l <"$dir/generated.trace")" 'SELECT line FROM file WHERE id = 3'
    is 'errors are told' 1 'SELECT COUNT(*) FROM file WHERE errors > 0'
    is 'views, with names' '5 1 3 1' 'SELECT (SELECT COUNT(*) FROM states WHERE file_id = 1),
        (SELECT COUNT(*) FROM events WHERE file_id = 1), (SELECT COUNT(*) FROM variables WHERE file_id = 1),
        (SELECT COUNT(*) FROM links WHERE file_id = 1)'
    is 'a path' '/Host one/Thread one 2 t1' \
        "SELECT path, depth, alias FROM container WHERE file_id = 1 AND name = 'Thread one'"
    is 'a colour' '0 1 0' "SELECT color FROM entity_value WHERE file_id = 1 AND name = 'Running'"

    is 'user fields: of links' '{"Size":"640"} {"Tag":"tagged"}' 'SELECT opening, closing FROM links WHERE file_id = 1'
    is 'user fields: of events' '{"Payload":"page 3","Size":"12"}' 'SELECT opening FROM events WHERE file_id = 1'
    is 'user fields: of containers' 3 \
        "SELECT COUNT(*) FROM container WHERE file_id = 1 AND opening LIKE '{\"Rank\":\"1%'"
    # Those of hostile names are what `paje csv` writes; where bytes are no UTF-8, U+FFFD.
    local of='file_id = 2 AND (opening IS NOT NULL'
    for table in container state variable link; do
        sql "SELECT $(hex opening), $(hex closing) FROM $table WHERE $of OR closing IS NOT NULL)"
    done >"$dir/fields"
    sql "SELECT $(hex opening), '' FROM event WHERE $of)" >>"$dir/fields"
    "$paje" csv -u -d "$dir/tables" "$hostile" 2>/dev/null
    check 'user fields: hostile names' python3 - "$dir/fields" "$dir"/tables/*.csv <<'END'
import csv, json, sys
load = lambda text: json.loads(text or "null")
rows = (line.rstrip("\n").split("\t") for line in open(sys.argv[1]))
got = [[load(bytes.fromhex(one.replace("NULL", "")).decode()) for one in row] for row in rows]
expected = [[load(row["Opening"]), load(row["Closing"])] for table in sys.argv[2:]
            for row in csv.DictReader(open(table, errors="replace", newline=""))]
expected = [row for row in expected if any(row)]
assert len(got) > 100 and sorted(map(str, got)) == sorted(map(str, expected)), (len(got), len(expected))
END

    # A link that ends after what it began at was destroyed.
    {
        cat tests/tool/header.trace
        printf '%s\n' '0 H 0 Host' '0 T H Thread' '4 L 0 T T Message' '6 0 h H 0 host 1' '6 0 a T h a 1' \
            '40 1 L 0 a m k 1' '7 2 H h' '6 3 g H 0 other 1' '6 3 c T g c 1' '41 4 L 0 c m k x'
    } >"$dir/gone.trace"
    as_dump 'as dump: an end that is gone' "$dir/gone.trace"
    is 'its path' /host/a 'SELECT start_container FROM links WHERE file_id = 8'

    # A load that is cut off anywhere leaves whole batches, and says where.
    "$paje" sql "${dialect[@]}" --batch 500 "$dir/generated.trace" >"$dir/whole.sql"
    local size at file=8 rows_of='' table line
    for table in type entity_value container state event variable link; do
        rows_of+="${rows_of:+ + }(SELECT COUNT(*) FROM $table WHERE file_id = f.id)"
    done
    size=$(wc -c <"$dir/whole.sql")
    for at in 30 55 80; do
        head -c $((size * at / 100)) "$dir/whole.sql" | sql >"$dir/load.out" 2>&1
        file=$((file + 1))
        # Within the load of states, no container has ended yet: each row is one of a batch, which ends with a line.
        is "cut at $at %: whole batches" 0 \
            "SELECT COUNT(*) FROM file f WHERE id = $file AND
                NOT (batches > 0 AND $rows_of >= 500 * batches AND $rows_of < 504 * batches)"
        is "cut at $at %: not complete" 0 "SELECT complete FROM file WHERE id = $file"
        line=$(sql "SELECT line FROM file WHERE id = $file")
        # It is what the dump prints up to that line, except for what is closed at its end.
        head -n "${line:-0}" "$dir/generated.trace" | "$paje" dump 2>/dev/null >"$dir/dump"
        is "cut at $at %: until the line that it says" \
            "$(grep -c '^Event' "$dir/dump") $(grep -c '^Link' "$dir/dump")" \
            "SELECT (SELECT COUNT(*) FROM event WHERE file_id = $file), COUNT(*) FROM link WHERE file_id = $file"
    done
    # One that loses a batch on its way is not complete either.
    awk '/^BEGIN;$/ { batch++ } batch != 3 || !/^(INSERT|UPDATE|\(|    )/' "$dir/whole.sql" | sql
    file=$((file + 1))
    is 'a batch that is lost' 0 "SELECT complete FROM file WHERE id = $file"
}

# The queries, each into $dir/query-NAME; those that awk can compute as well are compared with its results.
check_queries() {
    local name
    awk -v dir="$dir" '/^-- [a-z]*: / { name = dir "/query-" substr($2, 1, length($2) - 1) ".sql"; names++ }
        name { print >name } END { exit names < 5 }' examples/read/queries.sql || fail 'queries' 'fewer than five'
    for name in "$dir"/query-*.sql; do
        sql <"$name" >"${name%.sql}" 2>"$dir/err"
        check "query: $(basename "$name" .sql)" test -s "${name%.sql}" -a ! -s "$dir/err"
    done
    "$paje" dump -l 9 "$dir/generated.trace" >"$dir/dump"
    local only="\$1 == 3"
    awk -F', ' '$1 == "State" { key = $2 "\t" $3 "\t" $8; n[key]++; total[key] += $6 }
        END { for (key in n) printf "%s\t%d\t%.6f\n", key, n[key], total[key] }' "$dir/dump" | sorted >"$dir/expected"
    awk -F'\t' "$only"'{ sub(".*/", "", $2); printf "%s\t%s\t%s\t%d\t%.6f\n", $2, $3, $4, $5, $6 }' \
        "$dir/query-states" | sorted >"$dir/got"
    same 'query: states, as awk' "$dir/expected" "$dir/got"
    awk -F', ' '$1 == "Link" { key = $8 "\t" $9; n[key]++; total[key] += $6 }
        END { for (key in n) printf "%s\t%d\t%.4f\n", key, n[key], total[key] / n[key] }' "$dir/dump" |
        sorted >"$dir/expected"
    awk -F'\t' "$only"'{ sub(".*/", "", $3); sub(".*/", "", $4); printf "%s\t%s\t%d\t%.4f\n", $3, $4, $5, $6 }' \
        "$dir/query-messages" | sorted >"$dir/got"
    same 'query: messages, as awk' "$dir/expected" "$dir/got"
    # Ten in all, of the several files that hold the same ones.
    awk -F'\t' '{ printf "%.6f\n", $5 }' "$dir/query-waits" | uniq >"$dir/got"
    awk -F', ' '$1 == "State" && $8 ~ /Wait|Recv/ { printf "%.6f\n", $6 }' "$dir/dump" | LC_ALL=C sort -rn | uniq |
        head -n "$(wc -l <"$dir/got")" >"$dir/expected"
    same 'query: waits, as sort' "$dir/expected" "$dir/got"
    "$paje" profile --own --format csv "$dir/generated.trace" |
        awk -F, '$3 == "Variable" { printf "%s\t%.3f\t%.3f\n", $1, $10, $14 }' | sorted >"$dir/expected"
    awk -F'\t' "$only"'{ printf "%s\t%.3f\t%.3f\n", $2, $4, $5 }' "$dir/query-variables" | sorted >"$dir/got"
    same 'query: variables, as profile' "$dir/expected" "$dir/got"
    awk -F'\t' "$only"'{ total[$4] += $5 } END { for (v in total) printf "%s\t%.3f\n", v, total[v] }' \
        "$dir/query-slices" | sorted >"$dir/got"
    awk -F', ' '$1 == "State" { total[$8] += $6 } END { for (v in total) printf "%s\t%.3f\n", v, total[v] }' \
        "$dir/dump" | sorted >"$dir/expected"
    same 'query: slices, that add up' "$dir/expected" "$dir/got"
}

# Files in place of statements: what they hold is what the dump prints, and the queries return what they return of
# statements; whatever the database is, too.
check_bulk() {
    local name trace way
    for name in whole hostile generated gone; do
        trace=$dir/$name.trace
        [ $name != hostile ] || trace="$dir/it's \\ \"hostile\" <b>.trace"
        rm -rf "$dir/bulk"
        "$paje" sql "${dialect[@]}" -d "$dir/bulk" "$trace" 2>"$dir/paje.err"
        bulk "$dir/bulk" >"$dir/load.out" 2>"$dir/load.err"
        if [ -s "$dir/load.out" ] || [ -s "$dir/load.err" ]; then
            fail "files: $name" "$(cat "$dir/load.out" "$dir/load.err" | head -n 2 | tr '\n' '|')"
        else
            same_as_dump '= (SELECT MAX(id) FROM file)' "files: $name" "$trace"
        fi
    done
    is 'files: user fields' '{"Size":"640"} {"Tag":"tagged"}' "SELECT opening, closing FROM links WHERE file_id =
        (SELECT MIN(id) FROM file WHERE complete = 1 AND id > 12 AND name = '$dir/whole.trace')"
    for way in statements files; do
        check "$way: an empty database" fresh
        fresh
        for trace in "$dir/generated.trace" $traces/tour.trace; do
            if [ $way = statements ]; then
                "$paje" sql "${dialect[@]}" --field-columns "$trace" | sql
            else
                "$paje" sql "${dialect[@]}" --field-columns -d "$dir/bulk" "$trace"
                bulk "$dir/bulk"
            fi >"$dir/load.out" 2>&1
            check "$way: nothing is said" test ! -s "$dir/load.out"
        done
        # Otherwise a query may take minutes until the server has counted the rows by itself.
        [ "$group" != mariadb ] ||
            sql 'ANALYZE TABLE file, type, entity_value, container, state, event, variable, link' >"$dir/out"
        sql <examples/read/queries.sql | sed 's/NULL//g' >"$dir/queries-$way"
    done
    is 'files: fields as columns' 'input arrived' "SELECT ${quote:-\"}closing.Reason${quote:-\"} FROM states_fields
        WHERE ${quote:-\"}opening.Line${quote:-\"} = '42'"
    # Names of fields that are no columns, or the same one, in some database; the last is one in all.
    python3 - "$dir/names.trace" <<'END'
import sys
names = ["Size", "size", "é", "É", "\U0001f600", '"a "', "x" * 60, "x" * 60 + "y", "K"]
names += ["F%d" % i for i in range(2500)]
with open("tests/tool/header.trace", encoding="utf-8") as head, open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write(head.read() + "0 H 0 Host\n2 E H Event\n6 0 h H 0 h 0\n")
    for i, name in enumerate(names):
        out.write("%%EventDef PajeNewEvent e%d\n%% Time date\n%% Type string\n%% Container string\n%% Value string\n"
                  "%% %s string\n%%EndEventDef\ne%d 1 E h e %d\n" % (i, name, i, i))
END
    "$paje" sql "${dialect[@]}" --field-columns "$dir/names.trace" | sql >"$dir/load.out" 2>&1
    check 'fields as columns: hostile names' test ! -s "$dir/load.out"
    is 'fields as columns: hostile names are there' '0 8' "SELECT SUM(CAST(${quote:-\"}opening.Size${quote:-\"} AS INTEGER)),
        SUM(CAST(${quote:-\"}opening.K${quote:-\"} AS INTEGER)) FROM events_fields"
    python3 tests/tool/lib-rows.py "$group: queries, of statements and files" "$dir/queries-statements" \
        "$dir/queries-files" || failed=1
    [ ! -f "$dir/queries-first" ] || python3 tests/tool/lib-rows.py "$group: queries, as the database before" \
        "$dir/queries-first" "$dir/queries-files" || failed=1
    mv "$dir/queries-files" "$dir/queries-first"
}

# Parts: statements, each part by a client of its own and not in order, or in one session (DuckDB has but one client);
# and files, which the last part loads.
check_parts() {
    local name trace part loaded of='(SELECT MAX(id) FROM file)' order='1 3 5 2 4'
    part_of() { "$paje" sql "${dialect[@]}" --part "$1/5" "$trace" 2>"$dir/paje.err"; }
    for name in generated hostile; do
        trace=$dir/$name.trace
        [ $name != hostile ] || trace="$dir/it's \\ \"hostile\" <b>.trace" order='1 2 3 4 5'
        if [ "$group" = duckdb ]; then
            for part in 1 2 3 4 5; do part_of $part; done | sql
        else
            for part in $order; do part_of $part | sql; done
        fi >"$dir/load.out" 2>&1
        check "parts: $name: nothing is said" test ! -s "$dir/load.out"
        same_as_dump "= $of" "parts: $name" "$trace"
        is "parts: $name: complete, each a batch" "1 5 $(wc -l <"$trace")" \
            "SELECT complete, batches, line FROM file WHERE id = $of"
        rm -rf "$dir/bulk"
        for part in 1 2 3 4 5; do
            "$paje" sql "${dialect[@]}" -d "$dir/bulk" --part $part/5 "$trace" 2>"$dir/paje.err"
        done
        bulk "$dir/bulk" >"$dir/load.out" 2>&1
        check "parts as files: $name: nothing is said" test ! -s "$dir/load.out"
        same_as_dump "= $of" "parts as files: $name" "$trace"
        loaded=$(sql 'SELECT COUNT(*) FROM file')
        rm "$dir/bulk/state.3-of-5.csv"
        bulk "$dir/bulk" >"$dir/load.out" 2>&1
        check "parts as files: $name: one is missing: it is told" grep -q 'state.3-of-5.csv' "$dir/load.out"
        is "parts as files: $name: one is missing: nothing is loaded" "$loaded" 'SELECT COUNT(*) FROM file'
    done
    [ "$group" != duckdb ] || return 0
    trace=$dir/generated.trace
    for part in 1 2 4 5; do part_of $part | sql; done
    is 'parts: one is missing' '0 4' "SELECT complete, batches FROM file WHERE id = $of"
}
