#!/bin/bash
# paje matrix: links by their ends, against sums of the table of links; its table, and its picture.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace - >"$dir/t.trace" <<'END'
0 H 0 Host
0 T H Thread
3 V T Bytes "0 0 1"
3 W H Load "0 0 1"
4 L 0 T T Message
6 0 h1 H 0 one x
6 0 h2 H 0 two x
6 0 t10 T h1 T10 x
6 0 t9 T h1 T9 x
6 0 t1 T h2 T1 x
20 0 V t9 5
20 0 W h1 7
40 1 L 0 t9 m k1 1000
41 1.5 L 0 t1 2 k1 x
40 2 L 0 t9 m k2 24
20 2 V t9 6
41 2.25 L 0 t1 m k2 77
40 3 L 0 t10 m k3 none
41 2 L 0 t9 m k3 x
41 4 L 0 t1 m k4 x
40 5 L 0 t1 m k4 1.5e6
END
"$paje" matrix "$dir/t.trace" >"$dir/got" 2>"$dir/err"
cat >"$dir/expected" <<'END'
Links, from row to column: 4 between 3 containers
                                1      2      3  Total
   1 T9                         .      .      2      2
   2 T10                        1      .      .      1
   3 T1                         .      .      1      1
     Total                      1      .      3      4

       Count   Share         Time         Mean  From -> to
           2  50.0 %         0.75        0.375  T9 -> T1
           1  25.0 %           -1           -1  T10 -> T9
           1  25.0 %           -1           -1  T1 -> T1
END
same 'a table: numbers in their order, the heaviest pairs' "$dir/expected" "$dir/got"
check 'clocks that differ are said' grep -q 't.trace: 2 of 4 links end before they start; `paje merge --align`' "$dir/err"
# bytes FIELD: what --bytes sums up, for each pair
bytes() { "$paje" matrix --format csv --bytes "$@" "$dir/t.trace" 2>"$dir/err" | awk -F, 'NR > 1 { printf "%s ", $7 }'; }
check 'a user field' test "$(bytes Size)" = '1024 0 1500000 '
check 'links without are said' grep -q 't.trace: 1 of 4 links have no number called `Size`' "$dir/err"
check 'a user field of the end' test "$(bytes Tag)" = '77 0 0 '
check 'a variable of where they start, when both ends are known; else of where they end' test "$(bytes Bytes)" = '11 6 0 '
check 'by its alias' test "$(bytes V)" = '11 6 0 '
check 'their values' test "$(bytes Value)" = '0 0 0 '
check 'a field that is not there' sh -c "test '$(bytes NOPE)' = '0 0 0 ' && grep -q '4 of 4 links.*info --types' '$dir/err'"
check 'by hosts' test "$("$paje" matrix --format csv --depth 1 "$dir/t.trace" 2>&1 | grep -c '^/one,/two,2,\|^/two,/two,1,\|^/one,/one,1,')" = 3
check 'all in all' test "$("$paje" matrix --format csv --depth 0 "$dir/t.trace" 2>&1 | grep -c '^/,/,4,')" = 1
check 'rows that are grouped' test "$("$paje" matrix --format csv --rows 2 "$dir/t.trace" 2>/dev/null | sed 1d | sorted | cut -d, -f 1-3 | tr '\n' ' ')" = \
    '/one/T9 … /one/T10 (2),/one/T9 … /one/T10 (2),1 /one/T9 … /one/T10 (2),/two/T1,2 /two/T1,/two/T1,1 '
"$paje" matrix --measure mean "$dir/t.trace" >"$dir/got" 2>"$dir/err"
check 'means' grep -q '1 T9  .* 0.375  0.375$' "$dir/got"
# A variable that changes behind the range, before links that overlap it end: an index does not tell its value there.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 Proc' '3 V P Var "0 0 1"' '4 L 0 P P Link' '6 0 a P 0 a 0' '6 0 b P 0 b 0'
    awk 'BEGIN { for (i = 1; i < 20000; i++) { printf "20 %d V a %d\n40 %d L 0 a v k%d 7\n", i, i, i, i
        if (i > 20) printf "41 %d L 0 b v k%d x\n", i, i - 20 } }'
} >"$dir/later.trace"
"$paje" index -z --events 10 "$dir/later.trace" >/dev/null
for options in '' '-s 20' '-j 2' '-s 20 -j 2'; do
    check "a variable when links end behind the range, with an index, $options" test \
        "$("$paje" matrix -z --format csv --bytes Var -e 30 $options "$dir/later.trace" | tail -n +2)" = '/a,/b,30,600,20,20,1065,a,b'
    check "a field of them, with an index, $options" test \
        "$("$paje" matrix -z --format csv --bytes Size -e 30 $options "$dir/later.trace" | tail -n +2)" = '/a,/b,30,600,20,20,210,a,b'
done
expect 'bytes of no field' 2 '--measure bytes needs --bytes FIELD' "$paje" matrix --measure bytes "$dir/t.trace"
expect 'no such measure' 2 'no measure: count, bytes, time or mean' "$paje" matrix --measure x "$dir/t.trace"
expect 'not a depth' 2 'must be 0 to 65536' "$paje" matrix --depth -1 "$dir/t.trace"
expect 'a range' 0 ' 1 between 2 containers' "$paje" matrix -e 1.2 "$dir/t.trace"
expect 'without links' 0 '!' "$paje" matrix tests/tool/header.trace
expect 'what names the unit' 0 'milliseconds, which StarPU writes, and printed as they are; --unit ms' \
    "$paje" matrix --measure time $traces/emitters/starpu.trace

# Rows of containers that come and go: those of one path are one, and words of containers survive groups.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '4 L 0 T T Message' '6 0 main T 0 main x'
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "6 %d w%d T 0 worker x\n40 %d L 0 main m %d 8\n41 %d L 0 w%d m %d x\n7 %d T w%d\n",
        i, i % 2, i, i, i + 1, i % 2, i, i + 1, i % 2 }'
} >"$dir/reborn.trace"
check 'a container that is created again' test "$("$paje" matrix --format csv "$dir/reborn.trace" | sed 1d | cut -d, -f 1-4 | tr '\n' ' ')" = \
    '/main,/worker,1500,1500 /main,/worker,1500,1500 '
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '4 L 0 T T Message' '6 0 main T 0 main x'
    awk 'BEGIN { for (i = 0; i < 70000; i++) printf "6 %d w%d T 0 w%d x\n40 %d L 0 main m %d 8\n41 %d L 0 w%d m %d x\n7 %d T w%d\n",
        i, i, i, i, i, i + 1, i, i, i + 1, i }'
} >"$dir/many.trace"
"$paje" matrix --format csv "$dir/many.trace" >"$dir/got"
check 'more containers than rows' sh -c "awk -F, 'NR > 1 { sum += \$3; n++ } END { exit sum != 70000 || n > 65536 }' '$dir/got'"
check 'neighbours share one' grep -q '^/main … /w0 (2),/main … /w0 (2),1,1,1,1,,,$' "$dir/got"
# They are pairs by now, which 17 at a time do not fill; 20 at a time, the next size that is tried, they do.
check 'neighbours of groups' test "$("$paje" matrix --format csv --rows 4200 "$dir/many.trace" 2>/dev/null | sed 1d | cut -d, -f 2 |
    sort -u | wc -l)" = 3501
rm "$dir/many.trace"

hostile_trace >"$dir/hostile.trace"
"$paje" matrix "$dir/hostile.trace" >"$dir/got" 2>"$dir/err"
check 'names cannot control the terminal' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$dir/got'"
check 'columns stay where they are' test "$(sed -n '3,/Total/p' "$dir/got" | LC_ALL=C.UTF-8 awk '{ print length }' | sort -u | wc -l)" = 1
expect 'a picture' 0 '<title>T9 → T1: 2</title>' "$paje" matrix --format svg --title 'who & whom' "$dir/t.trace"
check 'with its title' grep -q '>who &#38; whom<' "$dir/out"
expect 'a logarithmic scale' 0 'logarithmic[.]<' "$paje" matrix --format svg --bytes Size "$dir/t.trace"
expect 'times of a known unit' 0 'Times are taken for ms, which StarPU writes' \
    "$paje" matrix --format svg --measure time $traces/emitters/starpu.trace
cat tests/tool/header.trace - >"$dir/lines.trace" <<'TRACE'
0 H 0 Host
4 N 0 H H network
4 L 0 H H Message
6 338.323277 a H 0 a x
6 338.323277 b H 0 b x
40 338.323277 N 0 a topology l1 0
41 338.323277 N 0 b topology l1 x
40 340 L 0 a m l1 8
41 340 L 0 b m l1 x
TRACE
expect 'lines of a network among messages are told' 0 ': 1 of 2 links are lines of the network, as they take no time and are' \
    "$paje" matrix "$dir/lines.trace"
for option in --unit=ms '-j 2'; do
    # shellcheck disable=SC2086
    expect "so they are with $option" 0 ': 1 of 2 links are lines of the network' "$paje" matrix $option "$dir/lines.trace"
done
for type in network Message; do
    check "nothing is told of $type alone" test -z "$("$paje" matrix --type $type "$dir/lines.trace" 2>&1 >/dev/null)"
done
corpus
if command -v xmllint >/dev/null; then
    : >"$dir/empty.trace"
    for one in "$dir"/{t,hostile,empty}.trace $traces/stencil.trace $traces/emitters/*.trace; do
        rm -f "$dir/picture.svg"
        "$paje" matrix --measure time --rows 5 -o "$dir/picture.svg" "$one" 2>/dev/null
        check "well-formed: ${one##*/}" xmllint --noout "$dir/picture.svg"
        check "finite: ${one##*/}" sh -c "! grep -Eqi '\"[^\"]*\b(nan|inf)\b' '$dir/picture.svg'"
    done
else
    skip 'well-formed' 'no xmllint (install libxml2-utils)'
fi
if ! command -v python3 >/dev/null; then
    skip 'the numbers' 'no python3 (install python3)'
    exit $failed
fi
make -s build/bench/generate || exit 3
build/bench/generate -b 200000 -c 20 -m 30,10,60 >"$dir/generated.trace"
python3 tests/tool/lib-matrix.py "$paje" "$dir/tables" "$dir"/{t,hostile,generated}.trace $traces/stencil.trace \
    $traces/emitters/{hosts,starpu,eztrace}.trace "${corpus[@]}" || failed=1

exit $failed
