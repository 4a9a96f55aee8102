#!/bin/bash
# What the tests reach of both headers, by gcov: lines and branches, and the lines that no test reaches.
# usage: tests/coverage.sh        (CC must be a gcc; the list is in build/coverage/missed)
set -u
cd "$(dirname "$0")/.." || exit 3
dir=$PWD/build/coverage
rm -rf "$dir"
mkdir -p "$dir"
top=$PWD

# reach NAME "OPTIONS SOURCE..." ARGUMENTS...: builds and runs a program, and adds to what was reached
reach() {
    local name=$1 sources=$2
    shift 2
    mkdir -p "$dir/$name"
    (
        cd "$dir/$name" || exit 1
        # shellcheck disable=SC2086
        ${CC:-gcc} -w -std=c99 -O0 --coverage -I"$top" $sources -o program -pthread -lm || exit 1
        (cd "$top" && "$dir/$name/program" "$@") >output 2>&1 </dev/null
        gcov -b -c -- *.gcda >/dev/null 2>&1
    ) || echo "coverage: $name is not built" >&2
}

prose=$(echo tests/prose/[a-z]*.md)
# shellcheck disable=SC2086
reach prose "$top/tests/prose.c" -l 997 $prose
# shellcheck disable=SC2086
reach prose-plain "-DPAJESIM_SIMD=0 -DPAJESIM_CACHE=0 $top/tests/prose.c" -l 100000 $prose
for name in callbacks memory number write write-scope flight; do
    reach $name "$top/tests/$name.c"
done
reach write-threads "$top/tests/write-threads.c" 20000
reach write-unchecked "-DPAJEWRITE_CHECK=0 $top/tests/write.c"
reach write-faults "$top/tests/write-faults.c"
reach truncate "$top/tests/truncate.c" -b 1000000 tests/traces/tour.trace tests/traces/dialects.trace
reach travel "$top/tests/travel.c" tests/traces/tour.trace tests/traces/stencil.trace
tests/fuzz/seeds.sh "$dir/seeds"
cp -r tests/fuzz/found/. "$dir/seeds"
for target in images writer; do
    reach fuzz-$target "$top/tests/fuzz/$target.c $top/tests/fuzz/main.c" "$dir/seeds/$target"/*
done

# gcov has a file for each program: a line, or a branch of it, is reached if it is in one of them.
for header in pajesim.h pajewrite.h; do
    cat "$dir"/*/"$header.gcov" 2>/dev/null | awk -F: -v header=$header -v missed="$dir/missed" '
        /^ *[0-9#=-]+\*?: *[0-9]+:/ {
            line = $2 + 0
            branch = 0
            count = $1
            gsub(/[ *]/, "", count)
            if (count != "-") {
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
            for (line in lines) {
                all++
                if (line in reached)
                    are++
                else
                    printf "%s:%d:%s\n", header, line, text[line] | ("sort -t: -k 2n >>" missed)
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
echo "not reached: $(wc -l <"$dir/missed") lines, in $dir/missed"
