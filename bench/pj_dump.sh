#!/bin/bash
# The whole way from a file to the lines of `pj_dump`, with pj_dump and with paje: processes, output to /dev/null.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=build/bench file=$dir/dump.trace
$dir/generate -b 16777216 -c 512 >"$file" || exit 3

# seconds COMMAND...: user and system time of the best of three
seconds() {
    local best='' TIMEFORMAT='%U %S' times
    for _ in 1 2 3; do
        times=$({ time "$@" >/dev/null; } 2>&1) || return 1
        best=$(echo "$times ${best:-1e9}" | awk '{ t = $1 + $2; print t < $3 ? t : $3 }')
    done
    echo "$best"
}

report() {
    awk -v name="$1" -v size="$(stat -c %s "$file")" -v t="$2" \
        'BEGIN { printf "bench dump/%s/time %.2f s\nbench dump/%s/speed %.1f MB/s\n", name, t, name, size / t / 1e6 }'
}

if [ -x build/paje ]; then
    t=$(seconds build/paje dump --strict "$file") && report paje "$t"
fi
if command -v pj_dump >/dev/null; then
    t=$(seconds pj_dump "$file") && report pj_dump "$t"
else
    echo 'bench/pj_dump.sh: pj_dump is not compared (install pajeng)' >&2
fi
