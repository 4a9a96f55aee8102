#!/bin/bash
# Random traces: the sorted output of `paje dump` is that of pj_dump, byte for byte.
# usage: tests/read/differential.sh [TRACES [FIRST]]     20, or 600 in make check-full, by number from FIRST (1) on
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/differential
traces=${1:-$([ "${FULL:-}" ] && echo 600 || echo 20)} first=${2:-1} per=50
[ "$traces" -gt $per ] || per=$traces
mkdir -p $dir
if ! command -v pj_dump >/dev/null; then
    echo 'SKIP differential: no pj_dump (install pajeng)'
    exit
fi
make -s build/paje build/bench/generate || exit 1

# among N...: prints one of the arguments, chosen by the number of the trace: the same on every machine
among() {
    local choices=("$@")
    state=$(((state * 1103515245 + 12345) & 0x7fffffff))
    chosen=${choices[(state >> 16) % $#]}
}

# pj_dump prints messages on standard output, too.  Without -e it loses the last entities; it rounds values of variables
# to single precision.
same_dump() {
    pj_dump -e 1e300 "$@" $dir/trace 2>/dev/null | grep -aE '^(Container|State|Variable|Event|Link), ' |
        LC_ALL=C sort >$dir/theirs
    build/paje dump --single -e 1e300 "$@" $dir/trace 2>$dir/err | LC_ALL=C sort >$dir/ours
    [ -s $dir/ours ] && cmp -s $dir/ours $dir/theirs
}

failed=0 wrong=0
for ((number = first; number < first + traces; number++)); do
    state=$(((number * 2654435761) & 0x7fffffff)) options="-s $number" dump=
    for option in '-b 2000 20000 200000' '-c 1 2 3 10 300' '-m 74,12,7 100,0,0 50,0,30 0,100,0 0,0,100 0,0,0 30,30,30' \
        '-a words integers hex long' '-d 0 1 3 6 9' '-k 1 2 8 40' '-v 1 2 16 300' '-l 1 2 256 5000' '-e 1 2 5' \
        '-u 0 0 1 3 12' '-w 1 8 40' '-n 0 10'; do
        among ${option#* }
        options+=" ${option%% *} $chosen"
    done
    among '' -t
    options+=" $chosen"
    among '' -q
    if [[ $options == *,0,* ]]; then options+=" $chosen"; else options+=' -n 0'; fi
    for option in -u -l9 -l0 -z; do
        among '' '' $option
        dump+=" $chosen"
    done
    build/bench/generate $options >$dir/trace
    if ! same_dump $dump; then
        wrong=$((wrong + 1))
        echo "FAIL differential/$number: generate $options; dump$dump:" \
            "$(diff -a $dir/theirs $dir/ours | grep -a -m 2 '^[<>]' | tr '\n' '|')$(head -n 1 $dir/err)"
        failed=1
    fi
    if [ $(((number - first + 1) % per)) = 0 ]; then
        [ $wrong = 0 ] && echo "PASS differential/traces $((number - per + 1)) to $number"
        wrong=0
    fi
done
exit $failed
