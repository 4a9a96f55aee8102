#!/bin/bash
# Loads the output of `paje sql` into MariaDB and PostgreSQL: servers that this test starts in a folder of its own,
# without a network, and stops.
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
    dialect=(--dialect mysql)
    hex() { echo "HEX($1)"; }
    sql() {
        mariadb --no-defaults -u root -S "$home/s" -N -B --raw --default-character-set=utf8mb4 ${1:+-e "$1"} $database
    }
    group=mariadb
    if start_mariadb; then
        . tests/tool/lib-sql.sh
        check_database
        check_queries
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
    dialect=(--dialect postgresql)
    hex() { echo "upper(encode(convert_to($1, 'UTF8'), 'hex'))"; }
    sql() { psql -X -q -A -t -F $'\t' -v ON_ERROR_STOP=1 -h "$home" -U paje ${1:+-c "$1"} postgres; }
    if start_postgres; then
        . tests/tool/lib-sql.sh
        check_database
        check_queries
    else
        fail 'the server' "$(tail -n 3 "$dir/server.log" | tr '\n' '|')"
    fi
    stop
else
    skip 'a database' 'no initdb (install postgresql)'
fi

exit $failed
