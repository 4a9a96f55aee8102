#!/bin/bash
# Measures what recording adds to a program with OpenMP while it runs: it is switched off and on in every other turn of
# the program's main loop.  So machines whose speed changes from run to run measure less than a per cent.  What LLVM's
# library takes for any tool, and making the trace, is not in it.
# usage: bench/turns.sh NAME COMMAND...      as: bench/turns.sh lulesh ./lulesh2.0 -s 30 -i 800
# Prints lines `bench turns/NAME/WHAT RATIO times`, WHAT being elapsed and cpu: medians of RUNS runs, each of which is the
# median of its pairs of turns; and the standard error of one of these.
#   RUNS   how many (5)
#   PAJE   the tool (build/paje)
set -u
top=$(cd "$(dirname "$0")/.." && pwd) name=${1:?} runs=${RUNS:-5}
shift
paje=${PAJE:-$top/build/paje}
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -std=gnu11 -O2 -shared -fPIC -o "$folder/turns.so" "$top/bench/openmp_turns.c" -ldl || exit 1
for ((run = 0; run < runs; run++)); do
    # shellcheck disable=SC2016
    "$paje" trace -o "$folder/t.trace" sh -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' "$folder/turns.so" "$@" 2>&1 >/dev/null |
        grep '^turns '
done | sort -k2,2 -k3,3n | awk -v name="$name" '
    function out() { if (n) printf "bench turns/%s/%s %.4f times\nbench turns/%s/%s/error %.4f times\n", name, what,
        ratio[int((n + 1) / 2)], name, what, error[int((n + 1) / 2)] }
    $2 != what { out(); n = 0; what = $2 }
    { n++; ratio[n] = $3; error[n] = $4 }
    END { out(); exit !n }'
