#!/bin/bash
# paje slices: what happens in each slice of time, against sums of the tables; its table, and its picture.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace - >"$dir/t.trace" <<'END'
0 H 0 Host
0 T H Thread
1 S T State
2 E T Mark
3 V H Power "0 0 1"
5 w S work "0 1 0"
5 l S lock "1 0 0"
6 0 h H 0 host x
6 0 a T h a x
6 1 b T h b x
11 0 S a w x 1
11 0.5 S a l x 1
12 1.5 S a x
30 1 E a here x 1
11 1 S b w x 1
20 0 V h 10
20 2 V h 20
12 3 S b x
12 4 S a x
7 4 T b
7 4 T a
7 4 H h
END
"$paje" slices --slice 1 "$dir/t.trace" >"$dir/got" 2>"$dir/err"
cat >"$dir/expected" <<'END'
5 slices of 1, from 0
                                 0      1      2      3      4
State: work [%]
  a                           50.0   50.0  100.0  100.0      .
  b                              .  100.0  100.0    0.0      .
State: lock [%]
  a                           50.0   50.0    0.0    0.0      .
Power [mean]
  host                          10     10     20     20      .
END
same 'a table' "$dir/expected" "$dir/got"
check 'a range that is small to its times' test "$("$paje" slices --slices 4 -s 2.5 -e 2.54 "$dir/t.trace" | head -n 2 | xargs)" = \
    '4 slices of 0.01, from 2.5, which is 0 here 0 10m 20m 30m'
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '2 E H Alarm' '6 0 h H 0 host x'
    for ((i = 0; i < 30; i++)); do printf '30 %d.%d E h a x 1\n' $((i / 10)) $((i % 10)); done; } >"$dir/tenths.trace"
for options in '--slice 0.1' '-s 0 -e 3 --slices 30'; do
    # shellcheck disable=SC2086
    "$paje" slices --type Alarm --format csv $options "$dir/tenths.trace" | tail -n +2 | cut -d, -f 5-7 >"$dir/got"
    awk 'BEGIN { for (i = 0; i < 30; i++) printf "%g,%g,1\n", i / 10, (i + 1) / 10 }' >"$dir/expected"
    same "$options: an event at each edge" "$dir/expected" "$dir/got"
done
"$paje" slices --slices 4 -s 0 -e 4 --depth 1 --format csv --value work "$dir/t.trace" >"$dir/got"
cat >"$dir/expected" <<'END'
Container,Kind,Type,Value,Start,End,Count,Time,Share,Mean,Integral,ContainerAlias
/host,State,State,work,0,1,1,0.5,0.5,,,h
/host,State,State,work,1,2,1,1.5,0.75,,,h
/host,State,State,work,2,3,0,2,1,,,h
/host,State,State,work,3,4,0,1,0.5,,,h
END
same 'at a depth: the time that containers have' "$dir/expected" "$dir/got"
check 'events count where --type chooses them' test "$("$paje" slices --slice 1 --format csv --type '[ME]*' "$dir/t.trace" | tail -n +2)" = \
    '/host/a,Event,Mark,here,1,2,1,,,,,a'
check '--slice is in the unit of the trace' test "$("$paje" slices --slice 2 --unit ms --format csv --value lock "$dir/t.trace" | tail -n +2)" = \
    '/host/a,State,State,lock,0,0.002,1,0.001,0.5,,,a'
expect 'more slices than there may be' 0 't.trace: there would be more than 2 slices: they are 4 wide' \
    "$paje" slices --slices 2 --slice 1 "$dir/t.trace"
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '1 S H State' '6 -2 h H 0 host x' '11 -1 S h w x 1' '12 3 S h x'; } \
    >"$dir/both.trace"
for width in '' '--slice 1'; do # 0 is an edge whatever the width is
    # shellcheck disable=SC2086
    expect "one slice, and times on both sides of 0 $width" 0 '^2 slices of ' timeout 20 \
        "$paje" slices --slices 1 $width "$dir/both.trace"
done
expect 'one slice, and no time before 0' 0 '^1 slices of 8' "$paje" slices --slices 1 "$dir/t.trace"
expect 'a value that is not there' 0 'no value is like `NOPE`' "$paje" slices --value NOPE "$dir/t.trace"
expect 'no slices' 2 '`0`: must be 1 to 10000' "$paje" slices --slices 0 "$dir/t.trace"
expect 'no width' 2 'must be a time greater than 0' "$paje" slices --slice 0 "$dir/t.trace"
expect 'an instant' 2 'the end, -e, is not after the start, -s' "$paje" slices -s 1 -e 1 "$dir/t.trace"
expect 'nothing to show' 0 '!' "$paje" slices tests/tool/header.trace
expect 'which option prints seconds' 0 'milliseconds, which StarPU writes, and printed as they are; --unit ms' \
    "$paje" slices $traces/emitters/starpu.trace

{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    printf '6 0 t T 0 "%s%s" x\n10 1 S t run 1\n7 9 T t\n' "$(printf 'é%.0s' {1..40})" "$(printf 'a%.0s' {1..40})"
} >"$dir/long.trace"
expect 'a long name is cut between characters' 0 '^  é{12}…a{12}  ' "$paje" slices "$dir/long.trace"

# Groups: what there is in all is the same.
make -s build/bench/generate || exit 3
build/bench/generate -b 150000 -c 20 -d 6 >"$dir/generated.trace"
# sums: time and integral by type and value
sums() { awk -F, 'NR > 1 { time[$3 "," $4] += $8; area[$3] += $11 } END { for (v in time) printf "%s %.6f\n", v, time[v]
    for (v in area) printf "%s %.5g\n", v, area[v] }' | sorted; }
"$paje" slices --format csv --slices 20 "$dir/generated.trace" | sums >"$dir/expected"
for options in '--rows 3' '--depth 0' '--depth 1 --slices 1'; do
    # shellcheck disable=SC2086
    "$paje" slices --format csv --slices 20 $options "$dir/generated.trace" | sums >"$dir/got"
    same "the same sums: $options" "$dir/expected" "$dir/got"
done
check '--rows' test "$("$paje" slices --format csv --rows 3 "$dir/generated.trace" | cut -d, -f 1 | sort -u | wc -l)" = 4
# So many containers that rows are grouped while the trace is read.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "6 %d c%d T 0 c%d x\n11 %d S c%d run x 1\n", i, i, i, i, i
        for (i = 0; i < 3000; i++) printf "12 3000 S c%d x\n7 3000 T c%d\n", i, i }'
} >"$dir/many.trace"
"$paje" slices --format csv --slices 1000 "$dir/many.trace" >"$dir/got" 2>"$dir/err"
check 'groups of containers that are still there' sh -c "awk -F, 'NR > 1 { time += \$8; count += \$7; wrong += \$9 != 1 }
    END { exit !(time == 4501500 && count == 3000 && !wrong) }' '$dir/got'"
check 'are said' grep -q '[0-9]* containers share rows with neighbours; --depth, --container' "$dir/err"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t x'
    awk 'BEGIN { for (i = 0; i < 600; i++) printf "10 %d S t v%d x\n", i, i }'
} >"$dir/values.trace"
check 'values without end' test "$("$paje" slices --format csv "$dir/values.trace" | awk -F, 'NR > 1 { seen[$4]++; count += $7 }
    END { for (v in seen) n++; print n, count, (seen["(other values)"] > 0) }')" = '65 600 1'

# A value that comes after the first 64, and undefined ones after 256; also where processes share the work.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '2 E T Mark' '6 0 t T 0 t x'
    awk 'BEGIN { for (i = 0; i < 600; i++) printf "5 v%d S v%d \"0 0 0\"\n", i, i
        for (i = 0; i < 12000; i++) printf "10 %d S t v%d x\n30 %d E t e%d x 1\n", i, i % 600, i, i % 600 }'
} >"$dir/later.trace"
for jobs in 1 2; do
    # chosen GLOB: values, times and counts in the rows
    chosen() { "$paje" slices -j $jobs --type '[SE]' --slices 1 --format csv --value "$1" "$dir/later.trace" |
        awk -F, 'NR > 1 { seen[$4]++; count += $7; time += $8 }
            END { for (v in seen) n++; print n, time, count, (seen["(other values)"] > 0) }'; }
    check "a value after many others, -j $jobs" test "$(chosen v500)" = '1 20 20 0'
    check "several values after others, -j $jobs" test "$(chosen 'v59?')" = '10 199 200 0'
    check "an undefined value after others, -j $jobs" test "$(chosen e500)" = '1 0 20 0'
    check "more values than have rows of their own, -j $jobs" test "$(chosen 'v[1-3]*')" = '65 6660 6660 1'
done

hostile_trace >"$dir/hostile.trace"
"$paje" slices "$dir/hostile.trace" >"$dir/got" 2>"$dir/err"
check 'names cannot control the terminal' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$dir/got'"
expect 'a picture' 0 '>4 slices of 1 s; states: shares of the lifetime of containers; variables: means' \
    "$paje" slices --format svg --slices 4 -s 0 -e 4 "$dir/t.trace"
check 'in the colours of the trace' grep -q '<path fill="#ff0000" d=' "$dir/out"
expect 'one value: a heat map' 0 '>share of time<' "$paje" slices --format svg --value lock "$dir/t.trace"
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '1 S H State' '6 0 a H 0 a x' '11 0 S a v a 1' '11 3 S a w a 1'; } >"$dir/short.trace"
check 'the name of the axis has room beside short names' test "$("$paje" slices -o - "$dir/short.trace" |
    grep -o '<text [^>]*>time .s.' | sed 's/<text x="//; s/[."].*//')" -ge 38
corpus
if command -v xmllint >/dev/null; then
    : >"$dir/empty.trace"
    for one in "$dir"/{t,hostile,empty,values}.trace $traces/emitters/*.trace; do
        rm -f "$dir/picture.svg"
        "$paje" slices --rows 5 -o "$dir/picture.svg" "$one" 2>/dev/null
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
# Times that begin in 2023, and before 0.
awk '/^%/ || /^[0-5] / { print; next } { $2 = sprintf("%.6f", $2 + 1.7e9); print }' "$dir/generated.trace" | grep -v '^6 .* 0 0 ' \
    >"$dir/late.trace"
awk '/^%/ || /^[0-5] / { print; next } { $2 = sprintf("%.6f", $2 - 3); print }' "$dir/generated.trace" >"$dir/early.trace"
python3 tests/tool/lib-slices.py "$paje" "$dir/tables" "$dir"/{t,generated,late,early}.trace $traces/stencil.trace \
    $traces/emitters/{hosts,starpu,eztrace}.trace "${corpus[@]}" || failed=1

exit $failed
