#!/bin/bash
# paje csv: its tables hold what `paje dump` prints, whatever the names are.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
hostile_trace >"$dir/hostile.trace"
expect 'a folder must be named' 2 'csv: it needs a folder: -d DIR' "$paje" csv "$dir/whole.trace"
expect 'a folder that cannot be made' 3 'paje: .*whole.trace/x: Not a directory' \
    "$paje" csv -d "$dir/whole.trace/x" "$dir/whole.trace"
expect 'a folder without right to write' 3 'containers.csv: Is a directory' \
    sh -c "mkdir -p '$dir/none/containers.csv'; exec '$paje' csv -d '$dir/none' '$dir/whole.trace'"
if [ -w /dev/full ]; then
    mkdir "$dir/full"
    ln -s /dev/full "$dir/full/links.csv"
    expect 'a full disk' 3 'paje: .*full/links.csv: No space left on device' \
        "$paje" csv -d "$dir/full" "$dir/whole.trace"
fi

if ! command -v python3 >/dev/null; then
    skip 'the tables' 'no python3 (install python3)'
    exit $failed
fi
make -s build/bench/generate || exit 3
build/bench/generate -b 300000 -c 40 -d 9 >"$dir/generated.trace"
head -c 150000 "$dir/generated.trace" >"$dir/cut.trace"
corpus
python3 tests/tool/lib-csv.py "$paje" "$dir/tables" "$dir"/{whole,hostile,generated,cut}.trace $traces/*.trace \
    "${corpus[@]}" || failed=1
"$paje" csv -u -d "$dir/tables" "$dir/whole.trace"
cut -d, -f8- "$dir/tables/links.csv" >"$dir/got"
cat >"$dir/expected" <<'END'
Value,ValueAlias,From,FromAlias,To,ToAlias,Key,Opening,Closing
Mail,m,/Host one/Thread one,t1,/Host one/t2,t2,k 1,"{""Size"":""640""}","{""Tag"":""tagged""}"
END
same '-u: user fields' "$dir/expected" "$dir/got"

# User fields as columns: their names are there before the first row, also of those that are defined late.
expect '--field-columns: not from a pipe' 2 'csv: --field-columns reads the trace twice: it needs a file' \
    sh -c "'$paje' csv --field-columns -d '$dir/piped' <'$dir/whole.trace'"
check '--field-columns: nothing is made then' test ! -e "$dir/piped"
{
    cat "$dir/whole.trace"
    printf '%%EventDef PajeNewEvent 99\n'
    printf '%%  %s\n' 'Time date' 'Type string' 'Container string' 'Value string' 'a,b string'
    printf '%%EndEventDef\n2 late 0 Late\n99 90 late 0 it "x, y"\nno event\n'
} >"$dir/late.trace"
"$paje" csv --field-columns -d "$dir/tables" "$dir/late.trace" 2>"$dir/err"
check '--field-columns: an error is told once' test $? = 1 -a "$(grep -c error: "$dir/err")" = 1
cut -d, -f5- "$dir/tables/events.csv" >"$dir/got"
echo 'Time,Value,ValueAlias,Opening.Payload,Opening.Size,"Opening.a,b"' >"$dir/expected"
head -n 1 "$dir/got" >"$dir/names"
same '--field-columns: names' "$dir/expected" "$dir/names"
check '--field-columns: texts' grep -q '^90,it,,,,"x, y"$' "$dir/got"

# A user field that comes twice in its definition, which JSON does not permit.
sed '/^%  Payload/p' tests/tool/header.trace >"$dir/twice.trace"
printf '%s\n' '2 E 0 Event' '30 1 E 0 it one two 3' >>"$dir/twice.trace"
"$paje" csv -u -d "$dir/tables" "$dir/twice.trace" 2>"$dir/err"
check 'a user field that comes twice' grep -q '"{""Payload"":""one"",""Size"":""3""}"' "$dir/tables/events.csv"

# Numbers come back as they were, and with no more digits than that takes.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '3 V T V red' '6 0 t T 0 t 1'
    python3 -c "
import random
random.seed(1)
numbers = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -2.5e-7, 123456789.123456789, 2**53 + 2.0]
numbers += [random.uniform(-1, 1) * 10 ** random.randint(-12, 20) for _ in range(2000)]
numbers += [random.randint(0, 10**15) / 10 ** random.randint(0, 12) for _ in range(2000)]
for i, number in enumerate(numbers):
    print('20', i, 'V t', repr(number))"
} >"$dir/numbers.trace"
"$paje" csv -d "$dir/tables" "$dir/numbers.trace" 2>"$dir/err"
check 'numbers' python3 - "$dir/numbers.trace" "$dir/tables/variables.csv" <<'END'
import csv, sys
written = [line.split()[-1] for line in open(sys.argv[1]) if line.startswith("20 ")]
read = [row["Value"] for row in csv.DictReader(open(sys.argv[2]))]
assert len(written) == len(read) == 4007
for a, b in zip(written, read):
    assert float(a) == float(b), (a, b)
    assert len(b) <= len(a) + 2 or "e" in a, (a, b)
END

# Durations are as the decimals tell them, where these have up to 15 digits; also below 0.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 1'
    for span in '0.2 0.3' '-0.3 -0.1' '1.000000001 3' '1700000000.25 1700000000.75' '3e7 30000000.1' '5 4.9' \
        '0.1234567890123 0.3234567890123' '-2.0000000000003 -1.0000000000001' '1732442517123.1 1732442517123.4'; do
        printf '%s\n' "11 ${span% *} S t a x 1" "12 ${span#* } S t x"
    done
} >"$dir/durations.trace"
"$paje" csv -d "$dir/tables" "$dir/durations.trace" 2>"$dir/err"
check 'durations' test "$(cut -d, -f 7 "$dir/tables/states.csv" | tr '\n' ' ')" = \
    'Duration 0.1 0.2 1.999999999 0.5 0.1 -0.1 0.2 1.0000000000002 0.3 '

# A link may end after both of its end points were destroyed, even with all that they were in.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '0 T H Thread' '4 L 0 T T Message' '6 0 h H 0 host 1' '6 0 a T h a 1' '6 0 b T h b 1' \
        '40 1 L 0 a m k 1' '7 2 H h' '6 3 g H 0 other 1' '6 3 c T g c 1' '41 4 L 0 c m k x'
} >"$dir/gone.trace"
"$paje" csv -d "$dir/tables" "$dir/gone.trace" 2>"$dir/err"
check 'the path of what was destroyed' grep -q '^/,0,Message,L,1,4,3,m,,/host/a,a,/other/c,c,k$' "$dir/tables/links.csv"

# Long paths, which are not kept: in another branch than the last one they are built from the root.
long=$(printf 'n%.0s' $(seq 200))
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '0 T H Thread' '3 V T V red' '3 W H W red' "6 0 h H 0 h 1" "6 0 t T h t$long 1" "6 0 g H 0 g$long 1" \
        '20 1 V t 1' '20 2 W g 2' '20 3 V t 3' '20 4 W g 4'
} >"$dir/branches.trace"
"$paje" csv -d "$dir/tables" "$dir/branches.trace" 2>"$dir/err"
check 'long paths of two branches in turn' test "$(sed 1d "$dir/tables/variables.csv" | cut -d, -f 1 | sort | uniq -c | tr -s ' \n' ' ')" = \
    " 2 /g$long 2 /h/t$long "

exit $failed
