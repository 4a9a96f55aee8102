#!/bin/bash
# What charts and diagrams share: slices of time, rows, order, colours, names; and timelines of small traces.
. "$(dirname "$0")/lib.sh"

make -s build/tests/tool/lib-charts build/tests/tool/lib-timeline || exit 3
build/tests/tool/lib-charts || failed=1
build/tests/tool/lib-timeline 2>"$dir/err" || { failed=1; head -n 4 "$dir/err"; }
# Memory that is not set is full of slashes, which end a name of a path.
MALLOC_PERTURB_=208 build/tests/tool/lib-charts >"$dir/out" || fail 'with slashes in memory' "$(grep FAIL "$dir/out")"

exit $failed
