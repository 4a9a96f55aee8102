#!/bin/bash
# Containers of one path, such as threads of one name: what is summed up tells them apart, by their aliases.
. "$(dirname "$0")/lib.sh"

cat tests/tool/header.trace - >"$dir/t.trace" <<'TRACE'
0 H 0 Host
0 T H Thread
1 S T State
4 L 0 T T Link
6 0 h H 0 host x
6 0 a T h main x
6 0 b T h main x
11 0 S a work x 1
11 0 S b recv x 1
40 2 L 0 a m k 1
41 3 L 0 b m k x
12 3 S b x
12 4 S a x
7 4 T a
7 4 T b
TRACE

# table COMMAND...: all rows, on one line
table() { "$paje" "$@" --format csv "$dir/t.trace" | tail -n +2 | tr '\n' ' '; }
check slices test "$(table slices --slices 1 -s 0 -e 4)" = \
    '/host/main,State,State,work,0,4,1,4,1,,,a /host/main,State,State,recv,0,4,1,3,0.75,,,b '
check matrix test "$(table matrix)" = '/host/main,/host/main,1,1,1,1,,a,b '
check waits test "$(table waits)" = 'late sender,/host/main,/host/main,State,recv,1,2,2,2,b,a '
check critical test "$(table critical)" = '0,4,4,/host/main,State,State,work,,a, '
"$paje" waits "$dir/t.trace" >"$dir/got"
check 'waits, a table' grep -q ' /host/main \[b\] in recv for /host/main \[a\]$' "$dir/got"
"$paje" critical --last b "$dir/t.trace" >"$dir/got"
check 'critical, a table' grep -q ' /host/main \[b\]: Link m$' "$dir/got"
"$paje" efficiency --states recv --states work "$dir/t.trace" >"$dir/got"
check efficiency grep -q ' /host/main \[b\]$' "$dir/got"
check histogram test "$(table histogram --by container --type S --bins 0)" = \
    'State,State,/host/main,1,4,4,4,4,4,4,4,4,4,4,a State,State,/host/main,1,3,3,3,3,3,3,3,3,3,3,b '
"$paje" histogram --by container --bins 0 "$dir/t.trace" >"$dir/got"
check 'histogram, a table' grep -q ' State State: /host/main \[b\]$' "$dir/got"
sed 's/^6 0 b T h main/6 0 b T h other/' "$dir/t.trace" >"$dir/others.trace"
"$paje" waits "$dir/others.trace" >"$dir/got"
check 'no alias where paths differ' grep -q ' /host/other in recv for /host/main$' "$dir/got"
"$paje" histogram --by container --bins 0 "$dir/others.trace" >"$dir/got"
check 'nor in histogram' grep -q ' State State: /host/main$' "$dir/got"

exit $failed
