#!/bin/bash
# Adversarial traces: the instructions and the arena that a replay takes grow linearly.  For four times the input they
# may grow four and a half times; quadratic growth would be sixteen times.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/costs
rm -rf $dir
mkdir -p $dir

if ! command -v valgrind >/dev/null; then
    echo 'SKIP cost: valgrind is not there (install valgrind)'
    exit
fi
make -s build/tests/read/cost build/tests/write/flight || exit 1

# replay SIZE COMMAND...: measures the growth of all cases
replay() {
    if ! "${@:2}" build/tests/read/cost "$1" >$dir/stdout 2>$dir/stderr; then
        cat $dir/stderr >&2
        grep '^FAIL' $dir/stdout || echo "FAIL cost/$1: ended badly"
        exit 1
    fi
    sed "s/\tarena/& at $1/" $dir/stdout
}
# halves SIZE: prints the instructions for dumping a flight recorder full of links that lack one end
halves() {
    valgrind --tool=callgrind --toggle-collect=pajewrite_flight_dump --callgrind-out-file=$dir/halves \
        build/tests/write/flight --halves "$1" >/dev/null 2>$dir/stderr && sed -n 's/^totals: //p' $dir/halves
}
{
    replay $([ "${FULL:-}" ] && echo 1000 || echo 500) valgrind --tool=callgrind --callgrind-out-file=$dir/out
    [ -z "${FULL:-}" ] || replay 60000 # the larger one has 240,000: more than references of 16 bits
    printf 'flight recorder full of halves of links\tinstructions\t%s\t%s\n' "$(halves 65536)" "$(halves 262144)"
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
