#!/bin/bash
# paje sql, in SQLite.
. "$(dirname "$0")/lib.sh"

expect 'a dialect that is none' 2 '`oracle`: no dialect: sqlite, mysql, postgresql or duckdb' "$paje" sql --dialect oracle
expect 'a batch that is none' 2 '`-1`: no number of rows' "$paje" sql --batch -1
expect 'a file that is none' 3 'paje: nothing.trace: No such file' "$paje" sql nothing.trace
[ ! -w /dev/full ] || expect 'a full disk' 3 'paje: standard output: No space' \
    sh -c "'$paje' sql $traces/tour.trace >/dev/full"
for name in sqlite mysql postgresql duckdb; do
    "$paje" sql --dialect $name --schema-only >"$dir/schema" </dev/null
    indexes=$([ $name = duckdb ] && echo 0 || echo 5)
    check "--schema-only: $name" test "$(grep -c 'CREATE TABLE' "$dir/schema")" = 8 -a \
        "$(grep -c 'CREATE INDEX' "$dir/schema")" = "$indexes" -a "$(grep -c INSERT "$dir/schema")" = 0
    check "nothing is left of the templates: $name" sh -c "! grep -q '[$]' '$dir/schema'"
done

if ! command -v sqlite3 >/dev/null || ! command -v python3 >/dev/null; then
    skip 'a database' 'no sqlite3 or python3 (install sqlite3 python3)'
    exit $failed
fi

dialect=()
database=$dir/t.db
hex() { echo "hex($1)"; }
sql() { sqlite3 -batch -separator $'\t' "$database" "$@"; }
. tests/tool/lib-sql.sh
bulk() { (cd "$1" && sqlite3 -batch "$OLDPWD/$database" <load.sql); }
fresh() { database=$dir/fresh.db && rm -f "$database"; }
check_database
check_queries
is 'the database is sound' ok 'PRAGMA integrity_check'
is 'references lead somewhere' '' 'PRAGMA foreign_key_check'
check_bulk
check_parts

# Several files at once; and those of the corpus.
database=$dir/several.db
"$paje" sql "$dir/whole.trace" $traces/tour.trace - <"$dir/whole.trace" | sql
is 'several files' "$dir/whole.trace|$traces/tour.trace|<stdin>|" \
    "SELECT GROUP_CONCAT(name, '|') || '|' FROM (SELECT name FROM file WHERE complete = 1 ORDER BY id)"
corpus
if [ ${#corpus[@]} -gt 0 ]; then
    database=$dir/corpus.db
    "$paje" sql "${corpus[@]}" 2>"$dir/err" | sql
    names=()
    for trace in "${corpus[@]}"; do
        names+=("as dump: ${trace#"$CORPUS/"}" "$trace")
    done
    same_as_dump '> 0' "${names[@]}"
fi

# Undefined values that come and go get one row each.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 1'
    awk 'BEGIN { for (i = 0; i < 20000; i++) print "10 " i " S t value" i % 1000 " x" }'
} >"$dir/values.trace"
database=$dir/values.db
"$paje" sql "$dir/values.trace" | sql
is 'undefined values' 1000 'SELECT COUNT(*) FROM entity_value'

exit $failed
