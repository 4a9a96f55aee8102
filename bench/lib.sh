# Shared by the scripts of this folder; they start in the top-level folder.
dir=build/bench/traces
mkdir -p $dir

# One benchmark at a time: they share build/bench, and would disturb each other.
one_at_a_time() {
    exec 9>build/bench/lock
    if command -v flock >/dev/null && ! flock -n 9; then
        echo 'bench: waits for another benchmark to end' >&2
        flock 9
    fi
}

# trace NAME BYTES OPTION... generates $dir/NAME.trace and sets $file to its path.  An existing file is reused if it was
# made with the same options and is younger than the generator.
trace() {
    file=$dir/$1.trace
    local made="-b ${*:2}"
    if [ ! -e "$file" ] || [ build/bench/generate -nt "$file" ] || [ "$made" != "$(cat "$file.options")" ]; then
        # shellcheck disable=SC2086
        build/bench/generate $made >"$file" || exit 3
        echo "$made" >"$file.options"
    fi
}

# arenas PREFIX: the arena that the simulation of $file needs
arenas() {
    local mode
    for mode in lenient strict; do
        build/paje null --$mode --stats "$file" 2>&1 >/dev/null |
            sed -n "s,.*: \([0-9]*\) bytes of the arena used.*,bench $1/null-$mode/arena \1 bytes,p"
    done
}
