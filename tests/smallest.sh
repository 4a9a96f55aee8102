#!/bin/bash
# The reader with PAJESIM_SMALL, in an arena of 4 KB, tells of a small trace what the reader as it is tells in any.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=build/tests/smallest
mkdir -p $dir
for small in 0 1; do
    ${CC:-cc} -std=c99 -O2 -I. -DPAJESIM_SMALL=$small tests/smallest.c -o $dir/$small || exit 1
done
if $dir/0 >$dir/0.text && $dir/1 4096 >$dir/1.text && [ -s $dir/0.text ] && cmp $dir/0.text $dir/1.text; then
    echo 'PASS smallest: a trace in 4 KB'
else
    echo "FAIL smallest: a trace in 4 KB: $(diff $dir/0.text $dir/1.text | head -n 2 | tr '\n' ' ')"
    exit 1
fi
