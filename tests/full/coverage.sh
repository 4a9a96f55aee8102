#!/bin/bash
# Measures how much of both headers the tests reach, by gcov: lines, branches, and a list of the lines that no test
# reaches.  A comment `unreached: why` explains the lines after it, up to the next one that is reached.
# usage: tests/full/coverage.sh        (CC must be a gcc; the list is in build/coverage/missed)
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=$PWD/build/coverage
rm -rf "$dir"
mkdir -p "$dir"
top=$PWD

# reach NAME "OPTIONS SOURCE..." ARGUMENTS...: builds a program and runs it, in parallel with others.  A process that
# ends by _exit would not write its coverage.
jobs=$(nproc 2>/dev/null || echo 2)
reach() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    reach_now "$@" &
}
reach_now() {
    local name=$1 sources=$2
    shift 2
    mkdir -p "$dir/$name"
    (
        cd "$dir/$name" || exit 1
        # shellcheck disable=SC2086
        ${CC:-gcc} -w -std=c99 -O0 --coverage -D_exit=exit -I"$top" $sources -o program -pthread -lm || exit 1
        (cd "$top" && timeout 900 "$dir/$name/program" "$@") >output 2>&1 </dev/null
        gcov -b -c -- *.gcda >/dev/null 2>&1
    ) || echo "coverage: $name is not built" >&2
}

make -s build/bench/generate || exit 1
build/bench/generate -b 3000000 -c 20000 >"$dir/many.trace"
tests/fuzz/seeds.sh "$dir/seeds"
cp -r tests/fuzz/found/. "$dir/seeds"
prose=$(echo tests/read/prose/[a-z]*.md)
# shellcheck disable=SC2086
{
    reach flight "$top/tests/write/flight.c"
    reach prose "$top/tests/read/prose.c" -l 61 $prose
    reach prose-trees "-DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u -DPAJESIM_CACHE=2 $top/tests/read/prose.c" -l 100000 $prose
    reach prose-plain "-DPAJESIM_SIMD=0 -DPAJESIM_CACHE=0 $top/tests/read/prose.c" -l 100000 $prose
    reach prose-small "-DPAJESIM_SMALL=1 -DPAJESIM_CHECKS=1 -DPAJESIM_FIELDS=1 -DPAJESIM_FILES=1 -DPAJESIM_REPAIRS=1 \
        -DPAJESIM_TEXTS=1 -DPAJESIM_WORDS=32 $top/tests/read/prose.c" -l 100000 $prose
}
for name in read/{callbacks,arena,queries,index,window,number} write/{write,scope,open,pieces}; do
    reach "${name#*/}" "$top/tests/$name.c"
done
for name in callbacks arena queries; do
    reach $name-unchecked "-DPAJESIM_CHECKS=0 $top/tests/read/$name.c"
done
reach write-threads "$top/tests/write/threads.c" 20000
reach write-unchecked "-DPAJEWRITE_CHECK=0 $top/tests/write/write.c"
reach write-faults "$top/tests/write/faults.c"
for clock in '1000000000 9' '32768 6'; do
    reach "ring-${clock% *}" "-DPAJEWRITE_HZ=${clock% *} -DDECIMALS=${clock#* } $top/tests/ring/linear.c $top/tests/ring/ring.c"
done
reach cost "$top/tests/read/cost.c" 500
reach truncate "$top/tests/read/truncate.c" -b 1000000 tests/traces/tour.trace tests/traces/dialects.trace
reach travel "$top/tests/read/travel.c" tests/traces/tour.trace tests/traces/stencil.trace
for machine in 1 2; do
    reach "fast-$machine" "$top/tests/read/fast.c" -m $machine 2 "$dir/many.trace" tests/traces/*.trace
done
reach fast-sse2 "-DPAJESIM_SIMD=1 $top/tests/read/fast.c" 2 "$dir/many.trace" tests/traces/*.trace
reach fast-ahead "-DPAJESIM__PREFETCH_LOG2=0 $top/tests/read/fast.c" 8 words lives tests/traces/*.trace
for target in images indexes writer numbers; do
    reach "fuzz-$target" "$top/tests/fuzz/$target.c $top/tests/fuzz/main.c -I$top/examples -I$top/examples/paje $(
        [ $target != numbers ] || echo "$top/examples/base/memory.c $top/examples/base/text.c $top/examples/base/utf8.c")" "$dir/seeds/$target"/*
done
wait

# gcov writes a file for each program: a line or branch is reached if one of them reaches it.
for header in pajesim.h pajewrite.h; do
    cat "$dir"/*/"$header.gcov" 2>/dev/null | awk -F: -v header=$header -v missed="$dir/missed" '
        /^ *[0-9#=-]+\*?: *[0-9]+:/ {
            line = $2 + 0
            branch = 0
            count = $1
            gsub(/[ *]/, "", count)
            if (/unreached: /)
                reason[line]
            if (count != "-") {
                last = line > last ? line : last
                lines[line]
                if (count ~ /^[0-9]/)
                    reached[line]
                text[line] = $0
                sub(/^[^:]*:[^:]*:/, "", text[line])
            }
        }
        /^branch / {
            branches[line, ++branch]
            if ($0 ~ /taken [1-9]/)
                taken[line, branch]
        }
        END {
            for (line = 1; line <= last; line++) {
                if (line in reason || line in reached)
                    explained = line in reason
                if (!(line in lines))
                    continue
                all++
                if (line in reached)
                    are++
                else
                    printf "%s:%d:%s%s\n", header, line, text[line], explained ? "" : " <- why?" >>missed
            }
            for (branch in branches) {
                ways++
                if (branch in taken)
                    gone++
            }
            if (!all || !ways)
                exit 1
            printf "%s: %d of %d lines (%.1f of 100), %d of %d branches (%.1f of 100)\n", header, are, all, \
                100 * are / all, gone, ways, 100 * gone / ways
        }' || { echo "FAIL coverage: nothing is known of $header (install gcc)"; exit 1; }
done
echo "not reached: $(wc -l <"$dir/missed") lines, $(grep -c ' <- why?$' "$dir/missed") of them without a reason, in $dir/missed"
