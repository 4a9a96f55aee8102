#!/bin/bash
# What charts and diagrams share: slices of time, rows, order, colours, names; and timelines of small traces.
. "$(dirname "$0")/lib.sh"

make -s build/tests/tool/lib-charts build/tests/tool/lib-timeline || exit 3
build/tests/tool/lib-charts || failed=1
build/tests/tool/lib-timeline 2>"$dir/err" || { failed=1; head -n 4 "$dir/err"; }
# Memory that is not set is full of slashes, which end a name of a path.
MALLOC_PERTURB_=208 build/tests/tool/lib-charts >"$dir/out" || fail 'with slashes in memory' "$(grep FAIL "$dir/out")"

# ---- -o: a picture, or what --format says, in whatever order the options come

trace=$traces/stencil.trace
for command in matrix histogram slices; do
    for format in table csv svg; do
        "$paje" $command --format $format $trace >"$dir/expected"
        expect "$command -o FILE --format $format" 0 '!' "$paje" $command -o "$dir/first.new" --format $format $trace
        same "$command -o FILE --format $format: what is printed without it" "$dir/expected" "$dir/first.new"
        "$paje" $command --format $format -o "$dir/last.new" $trace
        same "$command --format $format -o FILE: the same" "$dir/expected" "$dir/last.new"
        rm -f "$dir/first.new" "$dir/last.new"
    done
    "$paje" $command -o "$dir/picture" $trace
    same "$command -o FILE: a picture" "$dir/expected" "$dir/picture"
done
expect 'diff -o FILE --format csv' 2 '-o and --svg draw a picture, but --format is for tables' \
    "$paje" diff -o "$dir/diff.csv" --format csv $trace $trace
expect 'diff --format table --svg' 2 '-o and --svg draw a picture, but --format is for tables' \
    "$paje" diff --format table --svg $trace $trace
check 'diff: and no file' test ! -e "$dir/diff.csv"

exit $failed
