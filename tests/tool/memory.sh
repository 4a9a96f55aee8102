#!/bin/bash
# Memory that does not grow with the trace, nor do pictures.
. "$(dirname "$0")/lib.sh"

make -s lib build/bench/generate build/tests/read/peak || exit 3

# measure WHICH BYTES COMMAND...: of a trace so long, through a pipe: $dir/WHICH.kb, and the output, $dir/WHICH.out
measure() {
    local which=$dir/$1 bytes=$2
    shift 2
    build/bench/generate -c 64 -b "$bytes" | build/tests/read/peak "$which.kb" "$@" >"$which.out" 2>"$dir/err"
    echo "${PIPESTATUS[1]}" >"$which.status"
    wc -c <"$which.out" >"$which.size"
}

# bounded NAME KILOBYTES COMMAND...: of a trace of so many (half of it unless FULL is set), and of one three times as long
bounded() {
    local name=$1 bytes=${2}000
    [ "${FULL:-}" ] || bytes=$((bytes / 2))
    shift 2
    measure small "$bytes" "$@"
    measure large $((3 * bytes)) "$@"
    check "$name: it succeeds" test "$(cat "$dir"/{small,large}.status | paste -sd' ')" = '0 0'
    check "$name: memory" test "$(cat "$dir/large.kb")" -lt $(($(cat "$dir/small.kb") * 115 / 100 + 300))
}

# The output may be twice as large: bins of time double.
output() { check "$1: output" test "$(cat "$dir/large.size")" -lt $(($(cat "$dir/small.size") * 2)); }

bounded dump 4000 "$paje" dump
bounded csv 3000 "$paje" csv -d "$dir/tables"
bounded sql 4000 "$paje" sql
bounded 'sql --batch 0' 4000 "$paje" sql --batch 0
bounded chrome 4000 "$paje" chrome
bounded perfetto 4000 "$paje" perfetto
bounded waits 4000 "$paje" waits --receive MPI_Recv --send MPI_Send
bounded critical 4000 "$paje" critical
bounded efficiency 4000 "$paje" efficiency --phase 'MPI_*'
bounded diff 4000 "$paje" diff tests/traces/tour.trace -
bounded profile 4000 "$paje" profile
output profile
bounded slices 10000 "$paje" slices --format csv --slices 20
bounded matrix 6000 "$paje" matrix
bounded histogram 4000 "$paje" histogram --by value
bounded paraver 3000 "$paje" paraver --memory 8K -o "$dir/paraver"
bounded svg 6000 "$paje" svg --width 400 --height 100
output svg
bounded html 30000 "$paje" html --rows 20
output html
if command -v python3 >/dev/null; then
    cat >"$dir/loop.py" <<'END'
import sys
sys.path.insert(0, "examples/bindings/python")
import paje
for entity in paje.entities(sys.stdin.buffer):
    pass
END
    bounded examples/bindings/python 500 python3 -B "$dir/loop.py"
else
    skip examples/bindings/python 'no python3 (install python3)'
fi
rm -rf "$dir/tables" "$dir"/*.out "$dir"/paraver.*

exit $failed
