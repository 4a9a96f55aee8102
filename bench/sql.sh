#!/bin/bash
# Loads a small, a medium and a big trace into a database, all at once and in batches, each half as large as the one
# before; then runs examples/read/queries.sql on the big one.
#   DATABASE             sqlite, mariadb or postgresql, whose server is started and stopped (sqlite)
#   TIMES                how often each load is done, in random order; the median is printed (1)
#   SIZE, MEDIUM, SMALL  bytes of the traces (67108864, an eighth of it, 131072)
set -u
cd "$(dirname "$0")/.." || exit 3
size=${SIZE:-67108864} medium=${MEDIUM:-$((size / 8))} small=${SMALL:-131072} dir=build/bench/sql-loads
database=${DATABASE:-sqlite} times=${TIMES:-1} dialect=$database client=sqlite3 one=''
mkdir -p $dir
. tests/lib/servers.sh
home=$(mktemp -d) log=$dir/server.log server=''
trap 'stop_server; rm -rf "$home"' EXIT
trap 'exit 3' INT TERM

lacks() {
    echo "bench/sql.sh: $1" >&2
    exit
}
case $database in
sqlite) command -v sqlite3 >/dev/null || lacks 'sqlite3 is not there (install sqlite3)' ;;
mariadb)
    command -v mariadb-install-db >/dev/null || lacks 'mariadb-install-db is not there (install mariadb-server)'
    start_mariadb || lacks "the server does not start: $(tail -n 1 $log)"
    dialect=mysql one=loads
    client() {
        client_mariadb -e "DROP DATABASE IF EXISTS $1; CREATE DATABASE $1"
        client_mariadb --unbuffered "$1"
    } ;;
postgresql)
    find_postgres || lacks 'initdb is not there (install postgresql)'
    start_postgres || lacks "the server does not start: $(tail -n 1 $log)"
    one=loads
    client() {
        client_postgres -c "DROP DATABASE IF EXISTS $1" postgres
        client_postgres -c "CREATE DATABASE $1" postgres
        client_postgres "$1"
    } ;;
*) lacks "DATABASE=$database is none of sqlite, mariadb, postgresql" ;;
esac
if [ $one ]; then # a program of its own, which knows the server
    {
        echo '#!/bin/bash'
        declare -p home
        declare -f client client_mariadb client_postgres
        echo 'client "$1"'
    } >"$home/client"
    chmod +x "$home/client"
    client=$home/client
fi

loads=()
for trace in small:$small medium:$medium big:$size; do
    name=${trace%:*}
    build/bench/generate -b "${trace#*:}" -c 512 >"$dir/$name.trace" || exit 3
    rows=$(build/paje sql --batch 0 "$dir/$name.trace" | grep -Ec '^(\(|UPDATE container)')
    loads+=("$name" "$dir/$name.trace" "${one:-$dir/$name.db}" "$rows")
    echo "bench sql/$name/rows $rows rows"
done
build/bench/sql $dir/loads.trace build/paje $dialect "$client" "$times" "${loads[@]}" >$dir/out || exit 1
# The median of each figure.
sort -k 2,2 -k 3,3n $dir/out | awk -v times="$times" '{ if (++n[$2] == int((times + 1) / 2)) print }'
build/paje validate --strict $dir/loads.trace >&2 || exit 1
[ $database = sqlite ] || exit 0
echo "bench sql/big/database $(stat -c %s $dir/big.db) bytes"
awk -v dir="$dir" '/^-- [a-z]*: / { name = dir "/" substr($2, 1, length($2) - 1) ".sql"; printf "" >name }
    name { print >>name }' examples/read/queries.sql
for query in "$dir"/*.sql; do
    TIMEFORMAT="bench sql/query-$(basename "$query" .sql)/time %R s"
    time sqlite3 $dir/big.db <"$query" >"${query%.sql}.out"
done 2>&1
