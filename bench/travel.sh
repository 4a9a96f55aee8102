#!/bin/bash
# The experiment of Kreutz and Stein again: time to the first 10,000 events, and to any window, and memory, against the size
# of the trace; by default, the smaller ones of their table.
#   SIZES    megabytes ("1 17 55"; all of their table: "1 17 55 83 479 955 1721")
#   WINDOWS  how many (100)
set -u
cd "$(dirname "$0")/.." || exit 3
. bench/lib.sh
for megabytes in ${SIZES:-1 17 55}; do
    trace travel $((megabytes * 1000000)) -c 512
    rm -f "$file.pajeidx"
    build/paje index "$file" >build/bench/travel.index || exit 1
    build/bench/travel "$megabytes" "$file" "$file.pajeidx" "${WINDOWS:-100}" 64 || exit 1
    echo "bench $megabytes/index/size $(stat -c %s "$file.pajeidx") bytes"
done
