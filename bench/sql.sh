#!/bin/bash
# Loads a small, a medium and a big trace into SQLite, all at once and in batches, each half as large as the one before;
# then runs examples/read/queries.sql on the big one.
#   SIZE, MEDIUM, SMALL  bytes of the traces (67108864, an eighth of it, 131072)
set -u
cd "$(dirname "$0")/.." || exit 3
size=${SIZE:-67108864} medium=${MEDIUM:-$((size / 8))} small=${SMALL:-131072} dir=build/bench/sql-loads
if ! command -v sqlite3 >/dev/null; then
    echo 'bench/sql.sh: sqlite3 is not there (install sqlite3)' >&2
    exit
fi
mkdir -p $dir
loads=()
for one in small:$small medium:$medium big:$size; do
    name=${one%:*}
    build/bench/generate -b "${one#*:}" -c 512 >"$dir/$name.trace" || exit 3
    rows=$(build/paje sql --batch 0 "$dir/$name.trace" | grep -Ec '^(\(|UPDATE container)')
    loads+=("$name" "$dir/$name.trace" "$dir/$name.db" "$rows")
    echo "bench sql/$name/rows $rows rows"
done
build/bench/sql $dir/loads.trace build/paje sqlite3 "${loads[@]}" || exit 1
build/paje validate --strict $dir/loads.trace >&2 || exit 1
echo "bench sql/big/database $(stat -c %s $dir/big.db) bytes"
awk -v dir="$dir" '/^-- [a-z]*: / { name = dir "/" substr($2, 1, length($2) - 1) ".sql"; printf "" >name }
    name { print >>name }' examples/read/queries.sql
for query in "$dir"/*.sql; do
    TIMEFORMAT="bench sql/query-$(basename "$query" .sql)/time %R s"
    time sqlite3 $dir/big.db <"$query" >"${query%.sql}.out"
done 2>&1
