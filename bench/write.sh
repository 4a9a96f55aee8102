#!/bin/bash
# Measures the cost of writing: builds the plug-ins of bench/write.c whose packages are installed, runs it several times,
# and prints the median of each figure over the runs.
#   WRITE_RUNS    number of runs (5)
#   WRITE_ROUNDS  number of rounds in each (7)
set -u
cd "$(dirname "$0")/.." || exit 3
runs=${WRITE_RUNS:-5} rounds=${WRITE_ROUNDS:-7} dir=build/bench
plugins=()

# plugin NAME PKG-CONFIG-NAME PACKAGES
plugin() {
    local flags
    if ! flags=$(pkg-config --cflags --libs "$2" 2>/dev/null); then
        echo "bench/write.sh: $1 is not compared (install $3)" >&2
        return 1
    fi
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 ${CFLAGS:--O2 -g} -I. -shared -fPIC -o "$dir/$1.so" "bench/$1.c" $flags
}

# Starts recording the events of bench/lttng.c.  Uses a running session daemon, or starts one.
session=pajewrite-bench-$$ daemon=''
begin_session() {
    if ! command -v lttng >/dev/null || ! command -v lttng-sessiond >/dev/null; then
        echo 'bench/write.sh: lttng is not compared (install lttng-tools)' >&2
        return 1
    fi
    if ! lttng --no-sessiond list >/dev/null 2>&1; then
        lttng-sessiond --no-kernel --background --pidfile="$PWD/$dir/lttng.pid" >"$dir/lttng.log" 2>&1
        daemon=$(cat "$dir/lttng.pid" 2>/dev/null)
    fi
    rm -rf "$dir/lttng"
    {
        lttng --no-sessiond create "$session" --output="$PWD/$dir/lttng" &&
        lttng --no-sessiond enable-channel --userspace --subbuf-size=1M --num-subbuf=16 events &&
        lttng --no-sessiond enable-event --userspace --channel=events 'pajewrite_bench:*' &&
        lttng --no-sessiond start
    } >>"$dir/lttng.log" 2>&1 && return
    echo "bench/write.sh: lttng is not compared (no session: see $dir/lttng.log)" >&2
    return 1
}

# Prints how many events were lost, and their size, after $1 rounds with slices of $2 events (one thread, then two).
end_session() {
    lttng --no-sessiond stop "$session" >>"$dir/lttng.log" 2>&1
    lttng --no-sessiond list "$session" |
        awk '/[Dd]iscarded events:/ { n += $NF } END { print "bench write/lttng/discarded " n + 0 " events" }'
    lttng --no-sessiond destroy "$session" >>"$dir/lttng.log" 2>&1
    find "$dir/lttng" -type f -name 'events_*' ! -name '*.idx' -printf '%s\n' |
        awk -v events=$((3 * $1 * $2)) '{ n += $1 } END { printf "bench write/lttng/size %.1f bytes\n", n / events }'
}

plugin otf2 otf2 'pkg-config libopen-trace-format2-dev' && plugins+=("$dir/otf2.so")
if plugin lttng lttng-ust 'pkg-config liblttng-ust-dev lttng-tools'; then
    trap '[ "$daemon" ] && kill "$daemon"' EXIT
    begin_session && plugins+=("$dir/lttng.so") && recording=1
fi
rm -f "$dir"/write-*.trace
for ((run = 0; run < runs; run++)); do
    $dir/write "$rounds" "${plugins[@]}" || exit 1
done >"$dir/write.log"
echo "bench write/runs $runs runs"
# Sorted by name, unit and value, the medians are in the middle.
sort -k 2,2 -k 4,4 -k 3,3n "$dir/write.log" | awk -v runs="$runs" '(NR - 1) % runs == int(runs / 2)'
status=0
for trace in "$dir"/write-*.trace; do
    if [ -x build/paje ] && ! build/paje validate --strict "$trace" >"$dir/validate.log" 2>&1; then
        echo "bench/write.sh: $trace is not valid: see $dir/validate.log" >&2
        status=1
    fi
done
[ "${recording:-}" ] && end_session $((runs * rounds)) "$(awk '$2 == "write/slice" { print $3; exit }' "$dir/write.log")"
exit "$status"
