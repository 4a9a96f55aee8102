#!/bin/bash
# Adversarial traces, and contexts of the writer that are large: the instructions and the arena that a replay or a call
# takes grow linearly.  For four times as much they may grow four and a half times; quadratic growth would be sixteen.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/costs
rm -rf $dir
mkdir -p $dir

if ! command -v valgrind >/dev/null; then
    echo 'SKIP cost: valgrind is not there (install valgrind)'
    exit
fi
make -s build/tests/read/cost build/tests/write/flight build/tests/write/growth || exit 1

# replay SIZE COMMAND...: measures the growth of all cases
replay() {
    if ! "${@:2}" build/tests/read/cost "$1" >$dir/stdout 2>$dir/stderr; then
        cat $dir/stderr >&2
        grep '^FAIL' $dir/stdout || echo "FAIL cost/$1: ended badly"
        exit 1
    fi
    sed "s/\tarena/& at $1/" $dir/stdout
}
# count FUNCTION COMMAND...: prints the instructions within the function
count() {
    valgrind --tool=callgrind --toggle-collect="$1" --callgrind-out-file=$dir/counted "${@:2}" >/dev/null \
        2>$dir/stderr && sed -n 's/^totals: //p' $dir/counted
}
halves() { count pajewrite_flight_dump build/tests/write/flight --halves "$1"; } # of links, each without the other one
growth() { count measured build/tests/write/growth "$@"; }
{
    replay $([ "${FULL:-}" ] && echo 1000 || echo 500) valgrind --tool=callgrind --callgrind-out-file=$dir/out
    [ -z "${FULL:-}" ] || replay 60000 # the larger one has 240,000: more than references of 16 bits
    printf 'flight recorder full of halves of links\tinstructions\t%s\t%s\n' "$(halves 65536)" "$(halves 262144)"
    for call in offers ends definitions containers flushes; do
        printf 'writer, %s\tinstructions\t%s\t%s\n' $call "$(growth $call 1000)" "$(growth $call 4000)"
    done
    # callgrind writes two dumps for each case
    for dump in $(ls $dir/out.* | sort -t . -k 2n); do
        sed -n 's/^desc: Trigger: Client Request: //p; s/^totals: //p' "$dump"
    done | paste -d '\t' - - - - | cut -f 1,2,4 | sed 's/\t/\tinstructions\t/'
} >$dir/found
awk -F '\t' '
    /^FAIL/ { print; failed = 1; next }
    $3 > 0 && $4 <= 4.5 * $3 { print "PASS cost/" $1 ": " $2; next }
    { failed = 1; printf "FAIL cost/%s: %s: %s, and %s for four times as much\n", $1, $2, $3, $4 }
    END { if (!NR) print "FAIL cost: nothing was measured"; exit failed || !NR }' $dir/found
