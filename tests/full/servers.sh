#!/bin/bash
# Loads the output of `paje sql` into MariaDB and PostgreSQL, servers that this test starts in a folder of its own,
# without a network, and stops; and into DuckDB, which npm installs into build/duckdb.
. "$(dirname "$0")/../tool/lib.sh"

. tests/lib/servers.sh
home=$(mktemp -d)
log=$dir/server.log server=''
trap 'stop_server; rm -rf "$home"' EXIT
trap 'exit 3' INT TERM

if ! command -v python3 >/dev/null; then
    skip 'databases' 'no python3 (install python3)'
    exit 0
fi
# What check_bulk compares with: the same traces in SQLite, whose tests are in tests/tool/sql.sh.
if command -v sqlite3 >/dev/null; then
    make -s build/bench/generate || exit 3
    build/bench/generate -b 200000 -c 20 >"$dir/generated.trace"
    "$paje" sql "$dir/generated.trace" $traces/tour.trace | sqlite3 -batch "$dir/first.db"
    sqlite3 -batch -separator $'\t' "$dir/first.db" <examples/read/queries.sql >"$dir/queries-first"
fi

# ---- MariaDB, or MySQL

if command -v mariadb-install-db >/dev/null; then
    dialect=(--dialect mysql) quote='`'
    hex() { echo "HEX($1)"; }
    sql() { client_mariadb ${1:+-e "$1"} $database; }
    bulk() { (cd "$1" && client_mariadb $database <load.sql); }
    fresh() { client_mariadb -e "DROP DATABASE IF EXISTS fresh; CREATE DATABASE fresh" && database=fresh; }
    group=mariadb database=paje
    if start_mariadb && client_mariadb -e 'CREATE DATABASE paje'; then
        . tests/tool/lib-sql.sh
        check_database
        check_queries
        check_bulk
        check_parts
    else
        fail 'the server' "$(tail -n 3 "$log" | tr '\n' '|')"
    fi
    stop_server
else
    group=mariadb skip 'a database' 'no mariadb-install-db (install mariadb-server)'
fi

# ---- PostgreSQL

group=postgresql
if find_postgres; then
    dialect=(--dialect postgresql) quote='"'
    hex() { echo "upper(encode(convert_to($1, 'UTF8'), 'hex'))"; }
    database=postgres
    sql() { client_postgres ${1:+-c "$1"} $database; }
    bulk() { (cd "$1" && client_postgres -f load.sql $database); }
    fresh() {
        database=postgres
        client_postgres -c 'DROP DATABASE IF EXISTS fresh' postgres && client_postgres -c 'CREATE DATABASE fresh' postgres &&
            database=fresh
    }
    if start_postgres; then
        . tests/tool/lib-sql.sh
        check_database
        check_queries
        check_bulk
        check_parts
    else
        fail 'the server' "$(tail -n 3 "$log" | tr '\n' '|')"
    fi
    stop_server
else
    skip 'a database' 'no initdb (install postgresql)'
fi

# ---- DuckDB

group=duckdb
folder=build/duckdb
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    skip 'a database' 'no npm (install nodejs npm)'
elif [ ! -d $folder/node_modules/@duckdb/node-api ] &&
    ! { mkdir -p $folder && echo '{"private": true}' >$folder/package.json && timeout 300 npm install --prefix $folder \
        --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 >"$dir/npm.log" 2>&1; }; then
    skip 'a database' "npm cannot install @duckdb/node-api: $(tail -n 1 "$dir/npm.log")"
else
    dialect=(--dialect duckdb) quote='"'
    hex() { echo "hex($1)"; }
    database=$PWD/$dir/t.duckdb
    program=$PWD/tests/full/duckdb.mjs
    sql() { node "$program" "$modules" "$database" "$@"; }
    modules=$PWD/$folder
    bulk() { (cd "$1" && sql <load.sql); }
    fresh() { database=$PWD/$dir/fresh.duckdb && rm -f "$database"*; }
    . tests/tool/lib-sql.sh
    check_database
    check_queries
    check_bulk
    check_parts

    # The recipe of examples/bindings: from the tables of `paje csv` to Parquet.
    for trace in $traces/tour.trace "$dir/generated.trace"; do
        "$paje" csv --field-columns -d "$dir/parquet" "$trace"
        name=$(basename "$trace" .trace)
        check "parquet: $name" sh -c "cd $folder && node ../../examples/bindings/parquet/parquet.mjs '$PWD/$dir/parquet'"
        for table in containers states events variables links; do
            sql "FROM '$PWD/$dir/parquet/$table.parquet'" >"$dir/got"
            python3 -c 'import csv, sys
for row in list(csv.reader(sys.stdin))[1:]:
    print("\t".join(row))' <"$dir/parquet/$table.csv" >"$dir/expected"
            python3 tests/tool/lib-rows.py "$group: parquet: $name, $table" "$dir/expected" "$dir/got" || failed=1
        done
        types=$(sql "SELECT column_type FROM (DESCRIBE FROM '$PWD/$dir/parquet/links.parquet')" | tr '\n' ' ')
        check "parquet: types" test "${types#VARCHAR VARCHAR VARCHAR VARCHAR DOUBLE DOUBLE DOUBLE VARCHAR}" != "$types"
    done
    "$paje" csv -d "$dir/parquet" "$dir/it's"*.trace 2>"$dir/err"
    expect 'parquet: a name that is no UTF-8' 1 'parquet.mjs: .*CSV Error' \
        sh -c "cd $folder && node ../../examples/bindings/parquet/parquet.mjs '$PWD/$dir/parquet'"
fi

exit $failed
