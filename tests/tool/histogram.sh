#!/bin/bash
# paje histogram: durations in bins, against decimal arithmetic on the tables; its table, and its picture.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

# At times of 1000, differences of doubles are off by a ten thousandth of a nanosecond: 0.001 is an edge nevertheless.
cat tests/tool/header.trace - >"$dir/t.trace" <<'END'
0 T 0 Thread
1 S T State
4 L 0 T T Message
6 0 t T 0 main x
11 1000 S t work x 1
11 1000.1 S t lock x 1
12 1000.101 S t x
11 1000.2 S t lock x 1
12 1000.201 S t x
11 1000.3 S t lock x 1
12 1000.304 S t x
11 1000.4 S t lock x 1
12 1000.4 S t x
12 1002 S t x
40 1001 L 0 t m k1 1
41 1001.25 L 0 t m k1 x
41 1001.5 L 0 t m k2 x
40 1001.75 L 0 t m k2 1
END
"$paje" histogram --bins 5 "$dir/t.trace" >"$dir/got" 2>"$dir/err"
cat >"$dir/expected" <<'END'
State State
     Count      Sum    Mean     Min     5 %    25 %  Median    75 %    95 %    99 %     Max
         5     2.01   0.401       0       0      1m      1m      4m       2       2       2
    From      To        Count   Share    Time
       0       0            1  20.0 %   0.0 %  ############
      1m     10m            3  60.0 %   0.3 %  ####################################
     10m     0.1            0   0.0 %   0.0 %
     0.1       1            0   0.0 %   0.0 %
       1      10            1  20.0 %  99.7 %  ############

Link Message
     Count      Sum    Mean     Min     5 %    25 %  Median    75 %    95 %    99 %     Max
         2        0       0   -0.25       -       -       -    0.25    0.25    0.25    0.25
    From      To        Count   Share    Time
   -0.25       0            1  50.0 %          ####################################
    0.25   0.251            1  50.0 %          ####################################
END
same 'a table' "$dir/expected" "$dir/got"
"$paje" histogram --bins 0 --by value --format csv "$dir/t.trace" 2>/dev/null | cut -d, -f 1-4,8-12 >"$dir/got"
printf '%s\n' Kind,Type,Value,Count,P5,P25,Median,P75,P95 State,State,work,1,2,2,2,2,2 State,State,lock,4,0,0,0.001,0.001,0.004 \
    Link,Message,m,2,,,,0.25,0.25 >"$dir/expected"
same 'statistics by value' "$dir/expected" "$dir/got"
check '--value' test "$("$paje" histogram --bins 0 --format csv --value 'l*' "$dir/t.trace" 2>/dev/null | cut -d, -f 1-4 | tail -n +2)" = State,State,,4
expect 'a value that is not there' 0 'no value is like `NOPE`' "$paje" histogram --value NOPE "$dir/t.trace"
check 'filters' test "$("$paje" histogram --bins 0 --format csv -s 1001 --type S "$dir/t.trace" 2>/dev/null | tail -n +2 | cut -d, -f 4,5)" = 1,2
check '--unit' sh -c "'$paje' histogram --bins 0 --format csv --unit ms --type S '$dir/t.trace' 2>/dev/null |
    awk -F, 'NR > 1 { exit !(\$10 == 0.000001 && \$5 > 0.0020059 && \$5 < 0.0020061) }'"
expect 'which option prints seconds' 0 'milliseconds, which StarPU writes, and printed as they are; --unit ms' \
    "$paje" histogram $traces/emitters/starpu.trace
expect 'not a number of bins' 2 'must be 0 to 10000' "$paje" histogram --bins -1 "$dir/t.trace"
expect 'not a kind' 2 'must be type, value or container' "$paje" histogram --by x "$dir/t.trace"
expect 'nothing to count' 0 '!' "$paje" histogram tests/tool/header.trace

# More values than histograms; durations of any size.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t x'
    awk 'BEGIN { for (i = 0; i < 600; i++) printf "11 %d S t v%d x 1\n12 %d S t x\n", i * 2, i, i * 2 + 1 }'
} >"$dir/values.trace"
check 'values without end' test "$("$paje" histogram --by value --bins 0 --format csv "$dir/values.trace" |
    awk -F, 'NR > 1 { n++; sum += $4 } END { print n, sum }')" = '257 600'
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    awk 'BEGIN { for (i = 0; i < 600; i++) printf "6 %d t T 0 t%d x\n11 %d S t v x 1\n7 %d T t\n", i, i, i, i + 1 }'
} >"$dir/containers.trace"
check 'containers without end' test "$("$paje" histogram --by container --bins 0 --format csv "$dir/containers.trace" |
    awk -F, 'NR > 1 { n++; sum += $4; rest += $3 == "(other containers)" } END { print n, sum, rest }')" = '257 600 1'
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    for size in 1e-320 3e-308 1e-25 1e22 1e300 1.7e308; do
        printf '%s\n' "6 0 t$size T 0 t x" "11 0 S t$size v x 1" "12 $size S t$size x"
    done
} >"$dir/sizes.trace"
check 'durations of any size' test "$("$paje" histogram --format csv "$dir/sizes.trace" 2>/dev/null | awk -F, 'NR > 1 && $6 { n++ } END { print n }')" = 6
hostile_trace >"$dir/hostile.trace"
"$paje" histogram --by value "$dir/hostile.trace" >"$dir/got" 2>"$dir/err"
check 'names cannot control the terminal' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$dir/got'"
expect 'a picture' 0 '<title>4 ms to 4.01 ms: 1 .20 %., 0.199 % of the time</title>' "$paje" histogram --format svg --bins 10000 "$dir/t.trace"
expect 'of a known unit' 0 'Times are taken for ms, which StarPU writes' "$paje" histogram --format svg $traces/emitters/starpu.trace
corpus
if command -v xmllint >/dev/null; then
    : >"$dir/empty.trace"
    for one in "$dir"/{t,hostile,empty,sizes}.trace $traces/emitters/{starpu,platform}.trace; do
        rm -f "$dir/picture.svg"
        "$paje" histogram --by value -o "$dir/picture.svg" "$one" 2>/dev/null
        check "well-formed: ${one##*/}" xmllint --noout "$dir/picture.svg"
        check "finite: ${one##*/}" sh -c "! grep -Eqi '\"[^\"]*\b(nan|inf)\b' '$dir/picture.svg'"
    done
else
    skip 'well-formed' 'no xmllint (install libxml2-utils)'
fi
# Times whose sum is beyond the greatest double have no shares.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n6 -1.7e308 h H 0 host 1\n6 -1.7e308 g H 0 g 1\n'
    printf '11 -1.7e308 S %s a a 1\n12 0 S %s a\n' h h g g
} >"$dir/infinite.trace"
"$paje" histogram "$dir/infinite.trace" >"$dir/out" 2>&1
check 'an infinite sum' bash -c "grep -q '100.0 %' '$dir/out' && ! grep nan '$dir/out'"
if ! command -v python3 >/dev/null; then
    skip 'the numbers' 'no python3 (install python3)'
    exit $failed
fi
make -s build/bench/generate || exit 3
build/bench/generate -b 150000 -c 20 >"$dir/generated.trace"
python3 tests/tool/lib-histogram.py "$paje" "$dir/tables" "$dir"/{t,hostile,generated}.trace $traces/stencil.trace \
    $traces/emitters/{hosts,starpu,eztrace}.trace "${corpus[@]}" || failed=1

exit $failed
