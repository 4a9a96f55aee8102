#!/bin/bash
# Counts instructions, so that a slowdown is seen however noisy the machine is: those of an event in the reader, the
# dump and the writer, on fixed traces, by valgrind's callgrind; those of the reader on AArch64 by a plugin of qemu-user
# (if FULL is set); compared with tests/builds/instructions.expected.
#   --record  writes that file (with FULL=1: all of it)
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

# count_neon NAME EVENTS ARGUMENTS...: prints NAME and the instructions of each event, of the program for AArch64
count_neon() {
    qemu-aarch64 -plugin $dir/count_insns.so $dir/neon "${@:3}" 2>&1 >$dir/stdout |
        awk -v name="$1" -v events="$2" '{ printf "%s %.1f\n", name, $1 / events }'
}
neon=
if [ -z "${FULL:-}" ]; then
    :
elif ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    echo 'SKIP instructions/neon: no compiler or emulator (install gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user)'
elif ! qemu-aarch64 --help | grep -q -e -plugin; then
    echo 'SKIP instructions/neon: this qemu-aarch64 has no plugins (nothing to install)'
else
    neon=1
    ${CC:-cc} -std=c99 -O2 -shared -fPIC -o $dir/count_insns.so tests/builds/count_insns.c || exit 1
    aarch64-linux-gnu-gcc -std=c99 -O2 -g -static -I. -o $dir/neon tests/builds/instructions.c || exit 1
fi
[ -z "${FULL:-}" ] || ${CC:-cc} -std=c99 -O2 -g -I. -DPAJESIM_SIMD=1 -o $dir/sse2 tests/builds/instructions.c || exit 1

build/bench/generate -b 500000 -c 100 >$dir/plain.trace
build/bench/generate -b 1000000 -c 100 -a long -q -t -n 20 -u 2 -e 3 >$dir/odd.trace
{
    for trace in plain odd; do
        file=$dir/$trace.trace
        events=$(grep -c '^[0-9]' $file)
        for mode in strict lenient callbacks parse; do
            TOGGLE=measured_replay count $trace-$mode "$events" $dir/tests/builds/instructions $mode $file
        done
        for mode in strict ${FULL:+callbacks parse}; do
            [ -z "$neon" ] || count_neon neon-$trace-$mode "$events" $mode $file
            [ -z "${FULL:-}" ] || TOGGLE=measured_replay count sse2-$trace-$mode "$events" $dir/sse2 $mode $file
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
# NEON takes at most 1.15 times the instructions of SSE2.
awk -v neon="$neon" '{ count[$1] = $2 }
    END {
        for (name in count)
            if (neon && sub(/^sse2-/, "", name)) {
                of = count["sse2-" name] ? count["neon-" name] / count["sse2-" name] : 0
                if (of > 0 && of <= 1.15)
                    print "PASS instructions/neon-" name " of SSE2"
                else
                    printf "FAIL instructions/neon-%s of SSE2: %.2f times as many, which has to be 1.15 at most, and more than 0\n", name, of
            }
    }' $dir/found >$dir/compared
cat $dir/compared
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
    END { exit failed }' $expected $dir/found && ! grep -q '^FAIL' $dir/compared
