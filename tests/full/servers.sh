#!/bin/bash
# Loads the output of `paje sql` into MariaDB and PostgreSQL, servers that this test starts in a folder of its own,
# without a network, and stops; and into DuckDB, which npm installs into build/duckdb.
. "$(dirname "$0")/../tool/lib.sh"

home=$(mktemp -d) # the name of a socket must be short
server=''
stop() {
    [ ! "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
    server=''
}
trap 'stop; rm -rf "$home"' EXIT
trap 'exit 3' INT TERM

if ! command -v python3 >/dev/null; then
    skip 'databases' 'no python3 (install python3)'
    exit 0
fi
is_up() { sql 'SELECT 1'; }

# What check_bulk compares with: the same traces in SQLite, whose tests are in tests/tool/sql.sh.
if command -v sqlite3 >/dev/null; then
    make -s build/bench/generate || exit 3
    build/bench/generate -b 200000 -c 20 >"$dir/generated.trace"
    "$paje" sql "$dir/generated.trace" $traces/tour.trace | sqlite3 -batch "$dir/first.db"
    sqlite3 -batch -separator $'\t' "$dir/first.db" <examples/read/queries.sql >"$dir/queries-first"
fi

# ---- MariaDB, or MySQL

start_mariadb() {
    local user=()
    [ "$(id -u)" != 0 ] || user=(--user=root)
    mkdir "$home/mariadb"
    mariadb-install-db --no-defaults "${user[@]}" --datadir="$home/mariadb" --auth-root-authentication-method=normal \
        --skip-test-db >"$dir/server.log" 2>&1 || return 1
    "$(PATH=$PATH:/usr/sbin command -v mariadbd)" --no-defaults "${user[@]}" --datadir="$home/mariadb" \
        --socket="$home/s" --pid-file="$home/pid" --skip-networking --skip-grant-tables >>"$dir/server.log" 2>&1 &
    server=$!
    database=''
    wait_for 60 is_up || return 1
    sql 'CREATE DATABASE paje'
    database=paje
}

if command -v mariadb-install-db >/dev/null; then
    dialect=(--dialect mysql) quote='`'
    hex() { echo "HEX($1)"; }
    client() {
        mariadb --no-defaults -u root -S "$home/s" -N -B --raw --default-character-set=utf8mb4 --local-infile "$@"
    }
    sql() { client ${1:+-e "$1"} $database; }
    bulk() { (cd "$1" && client $database <load.sql); }
    fresh() { client -e "DROP DATABASE IF EXISTS fresh; CREATE DATABASE fresh" && database=fresh; }
    group=mariadb
    if start_mariadb; then
        . tests/tool/lib-sql.sh
        check_database
        check_queries
        check_bulk
    else
        fail 'the server' "$(tail -n 3 "$dir/server.log" | tr '\n' '|')"
    fi
    stop
else
    group=mariadb skip 'a database' 'no mariadb-install-db (install mariadb-server)'
fi

# ---- PostgreSQL, which refuses to run as root

as_postgres() { if [ "$(id -u)" = 0 ]; then (cd "$home" && runuser -u postgres -- "$@"); else "$@"; fi; }

start_postgres() {
    mkdir "$home/postgres"
    [ "$(id -u)" != 0 ] || chown postgres "$home" "$home/postgres"
    as_postgres "$programs/initdb" -D "$home/postgres" -U paje -A trust -E UTF8 --no-locale >"$dir/server.log" 2>&1 ||
        return 1
    # A child of this shell, so that `kill` reaches the server itself.
    local command=("$programs/postgres" -D "$home/postgres" -k "$home" -c listen_addresses=)
    [ "$(id -u)" != 0 ] || command=(setpriv --reuid=postgres --regid=postgres --clear-groups "${command[@]}")
    "${command[@]}" >>"$dir/server.log" 2>&1 &
    server=$!
    wait_for 60 is_up
}

group=postgresql
programs=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -n 1)" 2>/dev/null)
[ -x "$programs/initdb" ] || programs=$(dirname "$(command -v initdb || echo none/initdb)")
if [ -x "$programs/initdb" ]; then
    dialect=(--dialect postgresql) quote='"'
    hex() { echo "upper(encode(convert_to($1, 'UTF8'), 'hex'))"; }
    database=postgres
    client() { psql -X -q -A -t -F $'\t' -v ON_ERROR_STOP=1 -h "$home" -U paje "$@"; }
    sql() { client ${1:+-c "$1"} $database; }
    bulk() { (cd "$1" && client -f load.sql $database); }
    fresh() {
        database=postgres
        client -c 'DROP DATABASE IF EXISTS fresh' postgres && client -c 'CREATE DATABASE fresh' postgres &&
            database=fresh
    }
    if start_postgres; then
        . tests/tool/lib-sql.sh
        check_database
        check_queries
        check_bulk
    else
        fail 'the server' "$(tail -n 3 "$dir/server.log" | tr '\n' '|')"
    fi
    stop
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
fi

exit $failed
