# Database servers in a folder of their own, without a network.  Sourced by a script that defines
#   home            a folder with a short name, as that of a socket must be
#   log             a file for what servers print
# After start_mariadb or start_postgres, `server` is the process, and client_mariadb or client_postgres the command of a
# client, without the name of a database.  Both return 1 if the server is not there within a minute.

# wait_for_client COMMAND...: until it can reach the server
wait_for_client() {
    local tenths=600
    while ! "$@" >/dev/null 2>&1; do
        [ $((tenths -= 1)) -ge 0 ] || return 1
        sleep 0.1
    done
}

client_mariadb() {
    mariadb --no-defaults -u root -S "$home/s" -N -B --raw --default-character-set=utf8mb4 --local-infile "$@"
}

start_mariadb() {
    local user=()
    [ "$(id -u)" != 0 ] || user=(--user=root)
    mkdir "$home/mariadb"
    mariadb-install-db --no-defaults "${user[@]}" --datadir="$home/mariadb" --auth-root-authentication-method=normal \
        --skip-test-db >"$log" 2>&1 || return 1
    "$(PATH=$PATH:/usr/sbin command -v mariadbd)" --no-defaults "${user[@]}" --datadir="$home/mariadb" \
        --socket="$home/s" --pid-file="$home/pid" --skip-networking --skip-grant-tables >>"$log" 2>&1 &
    server=$!
    wait_for_client client_mariadb -e 'SELECT 1'
}

# PostgreSQL refuses to run as root.
as_postgres() { if [ "$(id -u)" = 0 ]; then (cd "$home" && runuser -u postgres -- "$@"); else "$@"; fi; }

client_postgres() { psql -X -q -A -t -F $'\t' -v ON_ERROR_STOP=1 -h "$home" -U paje "$@"; }

# Sets `programs` to the folder of the server's programs.
find_postgres() {
    programs=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -n 1)" 2>/dev/null)
    [ -x "$programs/initdb" ] || programs=$(dirname "$(command -v initdb || echo none/initdb)")
    [ -x "$programs/initdb" ]
}

start_postgres() {
    mkdir "$home/postgres"
    [ "$(id -u)" != 0 ] || chown postgres "$home" "$home/postgres"
    as_postgres "$programs/initdb" -D "$home/postgres" -U paje -A trust -E UTF8 --no-locale >"$log" 2>&1 || return 1
    # A child of this shell, so that `kill` reaches the server itself.
    local command=("$programs/postgres" -D "$home/postgres" -k "$home" -c listen_addresses=)
    [ "$(id -u)" != 0 ] || command=(setpriv --reuid=postgres --regid=postgres --clear-groups "${command[@]}")
    "${command[@]}" >>"$log" 2>&1 &
    server=$!
    wait_for_client client_postgres -c 'SELECT 1' postgres
}

stop_server() {
    [ ! "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
    server=''
}
