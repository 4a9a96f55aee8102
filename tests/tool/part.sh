#!/bin/bash
# --part K/N: the parts are the whole, whatever N is, with an index and without.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

make -s build/bench/generate || exit 3

# as_whole NAME TRACE N OPTIONS...: all N parts of `dump`, one after the other, are the whole
as_whole() {
    local name=$1 trace=$2 parts=$3 part status=0 whole
    shift 3
    "$paje" dump "$@" "$trace" >"$dir/whole" 2>/dev/null
    whole=$?
    for ((part = 1; part <= parts; part++)); do
        "$paje" dump --part "$part/$parts" "$@" "$trace" || status=$?
        [ $status -le 1 ] || break
    done >"$dir/parts" 2>"$dir/err"
    if [ $status != $whole ]; then
        fail "$name" "status $status of part $part of $parts, $whole of the whole: $(head -n 1 "$dir/err")"
    elif ! cmp -s "$dir/whole" "$dir/parts"; then
        fail "$name" "$parts parts: $(diff "$dir/whole" "$dir/parts" | grep -m 2 '^[<>]' | tr '\n' '|')"
    fi
}
# With an index, the lines before the part need not be read: a wrong one would show.
index() { "$paje" index --events 20 "$1" >/dev/null 2>&1; }
succeeded() { [ "$failed" != 0 ] || pass "$1"; }

corpus
number=0
for trace in $traces/*.trace $traces/emitters/*.trace "${corpus[@]}"; do
    for parts in 1 2 3 7; do
        as_whole "$trace" "$trace" $parts -u
    done
    cp "$trace" "$dir/copy.trace"
    index "$dir/copy.trace" || continue
    for parts in 2 7; do
        as_whole "$trace, with an index" "$dir/copy.trace" $parts -u
    done
    number=$((number + 1))
done
check 'traces with an index' test $number -gt 8
hostile_trace >"$dir/hostile.trace"
build/bench/generate -b 300000 -c 24 -u 1 >"$dir/generated.trace"
cat $traces/tour.trace <(printf '999 1\n') >"$dir/bad.trace"
: >"$dir/empty.trace"
for name in hostile generated bad empty; do
    for parts in 1 5 $([ "${FULL:-}" ] && echo 64); do
        as_whole $name "$dir/$name.trace" $parts
        index "$dir/$name.trace" && as_whole "$name, with an index" "$dir/$name.trace" $parts --lenient
        rm -f "$dir/$name.trace.pajeidx"
    done
done
cp $traces/tour.trace "$dir"
index "$dir/tour.trace"
as_whole 'more parts than checkpoints' "$dir/tour.trace" $([ "${FULL:-}" ] && echo 1000 || echo 100)
for options in --strict -i '-i -h -u' -h '-a 1.2' --single '-p Activity' -o -q '-l 15' '-s 1 -e 2' '--container *A --type S*' '--unit ms'; do
    as_whole "$options" "$dir/tour.trace" 5 $options
    as_whole "$options" $traces/stencil.trace 3 $options
done
succeeded 'dump: parts are the whole'

# Lines in any order, some of them cut or twice.
for ((seed = 1; seed <= ${FULL:+9}9; seed++)); do
    awk -v seed=$seed 'BEGIN { srand(seed) } /^%/ || rand() < 0.6 { print; next }
        rand() < 0.3 { print substr($0, 1, length * rand()); next } rand() < 0.5 { print; kept = $0; print kept; next }
        { later[++count] = $0 } rand() < 0.2 && count { print later[count--] }' $traces/tour.trace >"$dir/random.trace"
    rm -f "$dir/random.trace.pajeidx"
    as_whole "random $seed" "$dir/random.trace" 4 -u
    index "$dir/random.trace"
    as_whole "random $seed, with an index" "$dir/random.trace" 6
done
succeeded 'dump: parts of random traces'
if command -v gzip >/dev/null; then
    gzip -c $traces/tour.trace >"$dir/compressed.trace"
    as_whole 'a compressed trace' "$dir/compressed.trace" 3
    succeeded 'a compressed trace'
else
    skip 'a compressed trace' 'no gzip (install gzip)'
fi

for part in 0/3 4/3 3 /3 3/ 1/0 -1/3 1/x x/3 1/3x ' 1/3' 1.0/3 1/1000001 1/99999999999999999999; do
    expect "--part '$part'" 2 'no part: K/N, such as 3/64; K is from 1 to N' "$paje" dump --part "$part" "$dir/tour.trace"
done
expect 'standard input' 2 'standard input: --part needs a file' "$paje" dump --part 1/2
expect 'a pipe' 2 'stdin: --part needs a file' sh -c "cat $dir/tour.trace | $paje dump --part 1/2 /dev/stdin"
expect 'with -j' 2 'it takes no -j' "$paje" dump -j 2 --part 1/2 "$dir/tour.trace"
expect 'with -F' 2 'no -F' "$paje" dump -F --part 1/2 "$dir/tour.trace"
expect 'with -c' 2 'it takes no -c' "$paje" dump -c --part 1/2 "$dir/tour.trace"
expect 'a file that is none' 3 'nothing.trace: No such file' "$paje" dump --part 1/2 nothing.trace
expect 'a command without parts' 2 'no such option as .--part' "$paje" profile --part 1/2 "$dir/tour.trace"
[ ! -w /dev/full ] ||
    expect 'a full disk' 3 'standard output: No space' sh -c "$paje dump --part 2/2 $dir/tour.trace >/dev/full"
for part in 1 2 3; do
    "$paje" dump --part $part/3 "$dir/bad.trace" >/dev/null 2>"$dir/err.$part"
    echo "$? $(grep -c 'no event definition' "$dir/err.$part")"
done >"$dir/got"
printf '0 0\n0 0\n1 1\n' >"$dir/expected"
same 'an error is of the part that has it' "$dir/expected" "$dir/got"

# An index of another trace is refused; a change of which nothing tells is an error in a part that reads it.
touch -d '1 hour ago' "$dir/tour.trace"
expect 'an index of another trace' 0 'tour.trace.pajeidx is not used: the trace was changed since' \
    "$paje" dump --part 2/2 "$dir/tour.trace"
build/bench/generate -b 1000000 -c 24 >"$dir/large.trace"
"$paje" index -z --events 2000 "$dir/large.trace" >/dev/null
# unseen N TRACE: the number of a line that begins a state, behind the Nth of the 64 blocks that an index compares
unseen() {
    awk -v from=$(($1 * ($(wc -c <"$2") - 4096) / 63 + 5000)) \
        'bytes >= from && /compute$/ { print NR; exit } { bytes += length + 1 }' "$2"
}
line=$(unseen 33 "$dir/large.trace")
touch -r "$dir/large.trace" "$dir/date"
sed -i "${line}s/compute/COMPUTE/" "$dir/large.trace"
touch -r "$dir/date" "$dir/large.trace"
for part in 2 3 4; do
    "$paje" dump -z --part $part/4 "$dir/large.trace" >/dev/null 2>"$dir/err.$part"
    echo $?
done >"$dir/got"
check 'a change that an index does not show: told by the part that has it' grep -qx 3 "$dir/got"
expect 'a change that an index does not show: in the last part' 3 'it was changed before byte' \
    "$paje" dump -z --part 2/2 "$dir/large.trace"
check 'a change that an index does not show: what to do' grep -hq 'it was changed before byte.*renews the index' "$dir"/err.?

# sql: values that are first used before the part, and nowhere defined, have their numbers.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n6 0 h H 0 h 0\n'
    for ((i = 1; i <= 300; i++)); do echo "10 $i S h v$((i / 20)) m"; done
} >"$dir/undefined.trace"
"$paje" sql -d "$dir/undefined" "$dir/undefined.trace"
index "$dir/undefined.trace"
for part in {1..5}; do "$paje" sql -d "$dir/undefined.parts" --part $part/5 "$dir/undefined.trace"; done
for table in entity_value state; do
    sort "$dir/undefined/$table.csv" >"$dir/expected"
    sort "$dir/undefined.parts/$table".*.csv >"$dir/got"
    same "sql: $table, with values that are not defined" "$dir/expected" "$dir/got"
done

# sql: the last line of a part is the same with an index, by which more is read behind the part.
rm -f "$dir/copy.trace.pajeidx"
cp $traces/stencil.trace "$dir/copy.trace"
"$paje" sql --part 2/5 "$dir/copy.trace" >"$dir/expected"
index "$dir/copy.trace"
"$paje" sql --part 2/5 "$dir/copy.trace" >"$dir/got"
same 'sql: the last line of a part' "$dir/expected" "$dir/got"

# csv: a table of each part, with the line of names.
"$paje" csv -u -d "$dir/tables" $traces/tour.trace
for part in {1..12}; do
    "$paje" csv -u -d "$dir/tables" --part $part/12 $traces/tour.trace
done
check 'csv: files' test "$(find "$dir/tables" | wc -l)" = 66
for table in containers states events variables links; do
    head -n 1 -q "$dir/tables/$table".*-of-12.csv | sort -u >"$dir/names"
    { cat "$dir/names"; tail -q -n +2 "$dir/tables/$table".*-of-12.csv; } >"$dir/got"
    same "csv: $table" "$dir/tables/$table.csv" "$dir/got"
done
"$paje" csv --field-columns -d "$dir/tables" $traces/tour.trace
"$paje" csv --field-columns -d "$dir/tables" --part 1/2 $traces/tour.trace
head -n 1 "$dir/tables/states.csv" >"$dir/expected"
head -n 1 "$dir/tables/states.1-of-2.csv" >"$dir/got"
same 'csv: all field columns in each part' "$dir/expected" "$dir/got"

# rows NAME TRACE N: the rows of `sql -d`, with their numbers, are those of the whole
rows() {
    local part table
    rm -rf "$dir/tables" "$dir/sql"
    "$paje" sql -d "$dir/tables" "$2" 2>/dev/null
    for ((part = 1; part <= $3; part++)); do
        [ ! -e "$dir/sql/load.sql" ] || fail "sql -d: $1" 'load.sql is there before the last part'
        "$paje" sql -d "$dir/sql" --part $part/$3 "$2" 2>/dev/null
    done
    for table in type entity_value container state event variable link; do
        cat "$dir/sql/$table".*-of-$3.csv >"$dir/got"
        cmp -s "$dir/tables/$table.csv" "$dir/got" || fail "sql -d: $1" "$table differs"
    done
}
for name in tour stencil dialects; do
    rows $name $traces/$name.trace 10
    cp $traces/$name.trace "$dir/copy.trace"
    index "$dir/copy.trace"
    rows "$name, with an index" "$dir/copy.trace" 5
done
# An index tells the numbers if all types and values are defined in the beginning; here also behind it, or nowhere.
for ((seed = 1; seed <= ${FULL:+9}9; seed++)); do
    awk -v seed=$seed 'function any(n) { return int(n * rand()) }
        BEGIN {
            srand(seed)
            print "0 H 0 Host\n0 T H Thread\n1 S T State\n3 P H Power \"\"\n4 L 0 H H Message\n5 a S A \"\"\n5 b S B \"\""
            for (i = 0; i < 500; i++) {
                h = any(9); t = any(9)
                print rand() < 0.5 ? "6 " i " h" h " H 0 Host 1" : rand() < 0.7 ? "6 " i " t" t " T h" h " Thread 1" : \
                    rand() < 0.5 ? "7 " i " H h" h : "7 " i " T t" t
                print "11 " i " S t" t " " substr("abc", 1 + any(seed % 3 ? 2 : 3), 1) " why 1"
                print "20 " i " P h" h " " i
                if (seed % 4 == 0 && rand() < 0.01) print "1 S" i " T State"
                if (seed % 4 == 1 && rand() < 0.01) print "5 v" i " S V" i " \"\""
            }
        }' >"$dir/body"
    cat tests/tool/header.trace "$dir/body" >"$dir/random.trace"
    rm -f "$dir/random.trace.pajeidx"
    index "$dir/random.trace"
    rows "random $seed, with an index" "$dir/random.trace" 6
done
succeeded 'sql -d: rows of the whole'

# An error before a part is not one of the part, whether that is replayed or not; with an index it is not.
build/bench/generate -b 1000000 -c 24 >"$dir/skipped.trace"
"$paje" index -z --events 2000 "$dir/skipped.trace" >/dev/null
line=$(unseen 28 "$dir/skipped.trace")
touch -r "$dir/skipped.trace" "$dir/date"
sed -i "${line}s/ rank/ none/" "$dir/skipped.trace"
touch -r "$dir/date" "$dir/skipped.trace"
cost() { # COMMAND: instructions, if there is valgrind
    valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind" "$paje" $1 -z --part 4/4 "$dir/skipped.trace" \
        >"$dir/out" 2>"$dir/err" && sed -n 's/^totals: //p' "$dir/callgrind"
}
for command in dump "csv -d $dir/skipped" "sql -d $dir/skipped"; do
    "$paje" $command -z --part 4/4 "$dir/skipped.trace" >"$dir/with" 2>&1
    check "${command%% *}: with an index, an error before the part" test $? = 0
    [ -z "${FULL:-}" ] || few=$(cost "$command")
    mv "$dir/skipped.trace.pajeidx" "$dir/kept"
    "$paje" $command -z --part 4/4 "$dir/skipped.trace" >"$dir/without" 2>&1
    check "${command%% *}: without, an error before the part" test $? = 0
    check "${command%% *}: the same" cmp "$dir/with" "$dir/without"
    if [ "${FULL:-}" ]; then
        many=$(cost "$command")
        check "${command%% *}: with an index, what is before is not replayed" \
            test "${few:-0}" -gt 0 -a $((4 * ${few:-0})) -lt $((3 * ${many:-0}))
    fi
    mv "$dir/kept" "$dir/skipped.trace.pajeidx"
done
{ cat tests/tool/header.trace; printf '0 H 0 Host\n6 0 h H 0 host 1\n999 1\n%9000s\n50 h H none.trace\n' '# long'; } >"$dir/including.trace"
expect 'a file that is not there, included in the part, which is not its first error' 1 'none.trace' \
    "$paje" dump --part 2/2 "$dir/including.trace"
: >"$dir/empty.trace"
expect 'an empty trace is told' 0 '^paje: .*/empty.trace: it is empty$' "$paje" dump --part 2/3 "$dir/empty.trace"
# A trace that is written while a part is read: others are divided by another size.
make -s build/bench/generate || exit 3
build/bench/generate -b 3000000 -c 4 >"$dir/growing.trace"
mkfifo "$dir/slow"
"$paje" dump --part 1/2 "$dir/growing.trace" >"$dir/slow" 2>"$dir/err" &
pid=$!
exec 8<"$dir/slow"
read -r _ <&8 # the pipe is full by now, or soon
echo >>"$dir/growing.trace"
cat <&8 >"$dir/out"
wait $pid
status=$?
exec 8<&-
check 'a trace that grows: it ends' test $status = 3
check 'a trace that grows: it says so' grep -q '/growing.trace: its size changes, so that its parts' "$dir/err"
expect 'sql: several traces' 2 'with --part, it takes one trace' "$paje" sql --part 1/2 "$dir/tour.trace" "$dir/tour.trace"
expect 'sql: --batch' 2 'a part is one batch' "$paje" sql --batch 5 --part 1/2 "$dir/tour.trace"
exit $failed
