#!/bin/bash
# Counts instructions, so that a slowdown is seen however noisy the machine is: those of an event in the reader, the
# dump and the writer, on fixed traces, by valgrind's callgrind; compared with tests/builds/instructions.expected.
#   --record  writes that file
# With the compiler of the record, 3 % in either direction are allowed: record it after you have made something faster.
# Other compilers generate other code, and without AVX2 another path is chosen: 50 % are allowed then.
set -u
cd "$(dirname "$0")/../.." || exit 3
expected=tests/builds/instructions.expected dir=build/tests/builds/instructions.d

if ! command -v valgrind >/dev/null; then
    echo 'SKIP instructions: valgrind is not there (install valgrind)'
    exit
fi
if [[ $(${CC:-cc} -dumpmachine) != x86_64-* ]]; then
    echo 'SKIP instructions: recorded on x86_64 (nothing to install)'
    exit
fi
compiler=$(${CC:-cc} --version | head -n 1)
if [ "$compiler" != "$(cat $dir/compiler 2>/dev/null)" ]; then
    rm -rf $dir
    mkdir -p $dir
    echo "$compiler" >$dir/compiler
fi
make -s build/bench/generate build/paje || exit 1
make -s CFLAGS='-O2 -g' BUILD=$dir $dir/tests/builds/instructions || exit 1

# count NAME EVENTS COMMAND...: prints NAME and the instructions of each event, counted in functions that match TOGGLE
count() {
    if ! valgrind --tool=callgrind ${TOGGLE:+"--toggle-collect=$TOGGLE"} --callgrind-out-file=$dir/out "${@:3}" \
        >$dir/stdout 2>$dir/stderr; then
        echo "$1 0 $(tail -n 1 $dir/stderr)"
        return
    fi
    awk -v name="$1" -v events="$2" '/^totals:/ { printf "%s %.1f\n", name, $2 / events }' $dir/out
}

build/bench/generate -b 500000 -c 100 >$dir/plain.trace
build/bench/generate -b 1000000 -c 100 -a long -q -t -n 20 -u 2 -e 3 >$dir/odd.trace
{
    for trace in plain odd; do
        file=$dir/$trace.trace
        events=$(grep -c '^[0-9]' $file)
        for mode in strict lenient callbacks parse; do
            TOGGLE=measured_replay count $trace-$mode "$events" $dir/tests/builds/instructions $mode $file
        done
        # The record was made with the Makefile's own flags.
        [ "${CFLAGS:--O2 -g}" != '-O2 -g' ] || count $trace-dump "$events" build/paje dump $file
    done
    TOGGLE=measured_states count write-states 10000 $dir/tests/builds/instructions states 10000
    TOGGLE=measured_states count write-table 10000 $dir/tests/builds/instructions table 10000
    TOGGLE=measured_variables count write-variables 10000 $dir/tests/builds/instructions variables 10000
    TOGGLE=measured_ints count write-ints 10000 $dir/tests/builds/instructions ints 10000
    TOGGLE=measured_tracks count write-tracks 10000 $dir/tests/builds/instructions tracks 10000
} >$dir/found

if [ "${1:-}" = --record ]; then
    ! grep ' 0[. ]' $dir/found || exit 1
    { echo "# instructions of an event, with $compiler"; cat $dir/found; } >$expected
    exit
fi
low=0.97 high=1.03
if ! grep -qxF "# instructions of an event, with $compiler" $expected || ! grep -qw avx2 /proc/cpuinfo; then
    low=0 high=1.5
fi
awk -v low=$low -v high=$high '
    FNR == NR { if (!/^#/) recorded[$1] = $2; next }
    $2 > 0 && $2 >= low * recorded[$1] && $2 <= high * recorded[$1] { print "PASS instructions/" $1; next }
    { failed = 1 }
    $2 == 0 { print "FAIL instructions/" $1 ": ended badly: " $0; next }
    { printf "FAIL instructions/%s: %.1f an event, recorded are %.1f (is that meant? tests/builds/instructions.sh --record)\n",
          $1, $2, recorded[$1] }
    END { exit failed }' $expected $dir/found
