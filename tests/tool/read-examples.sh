#!/bin/bash
# Examples that read, against what awk makes of the dump.
. "$(dirname "$0")/lib.sh"

make -s build/bench/generate build/examples/read/{longest,matrix,wait} || exit 3
for program in examples/read/{count,longest,matrix,wait}.c; do
    check "$program: less than 80 lines" test "$(wc -l <"$program")" -lt 80
done
build/bench/generate -b 300000 -c 24 >"$dir/generated.trace"
"$paje" dump "$dir/generated.trace" >"$dir/dump"

awk -F', ' '$1 == "State" { printf "%12.6f from %12.6f  %s: %s\n", $6, $4, $2, $8 }' "$dir/dump" | LC_ALL=C sort -rn |
    head -n 10 >"$dir/expected"
build/examples/read/longest <"$dir/generated.trace" >"$dir/got"
same 'longest states' "$dir/expected" "$dir/got"

awk -F', ' '$1 == "Link" { n[$8 " to " $9]++ } END { for (pair in n) print pair, n[pair] }' "$dir/dump" |
    sorted >"$dir/expected"
build/examples/read/matrix <"$dir/generated.trace" | awk '
    NR > 1 { row = NR - 2; name[row] = $2 " " $3; for (i = 4; i <= NF; i++) n[row, i - 4] = $i }
    END { for (a = 0; a <= row; a++) for (b = 0; b <= row; b++) if (n[a, b]) print name[a] " to " name[b], n[a, b] }' |
    sorted >"$dir/got"
same 'communication matrix' "$dir/expected" "$dir/got"

{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 Alice 1' '6 0 b T 0 Bob 2' \
        '11 1 S b Recv x 1' '40 2 L 0 a m 1 8' '41 2.5 L 0 b m 1 x' '12 2.5 S b x' \
        '40 3 L 0 a m 2 8' '11 4 S b Recv x 1' '41 4.5 L 0 b m 2 x' '12 4.5 S b x' \
        '11 5 S a Wait x 1' '11 5.5 S a Poll x 1' '40 6 L 0 b m 3 8' '41 8 L 0 a m 3 x'
} >"$dir/waits.trace"
cat >"$dir/expected" <<'END'
    1.500000 in Recv, for 1 messages
    2.500000 in Poll, for 1 messages
longest: Alice waited 2.5 from 5.5 in Poll, for a message that Bob sent at 6
END
build/examples/read/wait <"$dir/waits.trace" >"$dir/got"
same 'critical wait' "$dir/expected" "$dir/got"
check 'no wait' sh -c 'build/examples/read/wait <tests/tool/header.trace | grep -qx "no container waited for a message"'

exit $failed
