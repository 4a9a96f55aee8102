#!/bin/bash
# Repeats the experiment of Kreutz and Stein: time to the first 10,000 events and to any window, and memory, against the
# size of the trace; by default, the smaller sizes of their table.
#   SIZES    megabytes ("1 17 55"; all of their table: "1 17 55 83 479 955 1721")
#   WINDOWS  number of windows (100)
#   OUTER    megabytes of one more trace, in which each thread is in an outermost state up to its last line (55)
set -u
cd "$(dirname "$0")/.." || exit 3
. bench/lib.sh
# measure NAME: measures the trace in $file
measure() {
    rm -f "$file.pajeidx"
    build/paje index "$file" >build/bench/travel.index || exit 1
    build/bench/travel "$1" "$file" "$file.pajeidx" "${WINDOWS:-100}" 64 || exit 1
    echo "bench $1/index/size $(stat -c %s "$file.pajeidx") bytes"
}

for megabytes in ${SIZES:-1 17 55}; do
    trace travel $((megabytes * 1000000)) -c 512
    measure "$megabytes"
done

trace travel $((${OUTER:-55} * 1000000)) -c 512
awk '$1 == 7 && $3 == "T" { print 13, $2, $4, "ST" }
    { print }
    $1 == 6 && $4 == "T" { print 12, $2, $3, "ST compute" }' "$file" >"$dir/outer.trace"
file=$dir/outer.trace
measure "${OUTER:-55}-outer"
