#!/bin/bash
# `index`, and what uses an index: dump -s -e, dump -j, at.
. "$(dirname "$0")/lib.sh"

make -s build/bench/generate || exit 3
trace=$dir/t.trace index=$dir/t.trace.pajeidx
build/bench/generate -b 300000 -c 24 -u 1 >"$trace"
"$paje" dump -u "$trace" >"$dir/whole"
windows='-1,0 0,0.5 1,1 2,2.5 3.25,3.5 0,100 4,1000 100,200'

# as_before NAME: windows of dump are as without an index, byte for byte
as_before() {
    local window start end
    for window in $windows; do
        start=${window%,*} end=${window#*,}
        mv "$index" "$dir/kept"
        "$paje" dump -u -s "$start" -e "$end" "$trace" >"$dir/expected" 2>/dev/null
        mv "$dir/kept" "$index"
        "$paje" dump -u -s "$start" -e "$end" "$trace" >"$dir/got" 2>"$dir/err"
        if ! cmp -s "$dir/expected" "$dir/got"; then
            fail "$1" "dump -s $start -e $end differs with the index"
            return
        fi
    done
    pass "$1"
}

expect 'an index is written' 0 '^[^ ]*t.trace.pajeidx: [0-9]+ checkpoints, [0-9]+ bytes; [0-9]+ events' \
    "$paje" index --events 300 "$trace"
check 'checkpoints are as close as was asked for' test "$(cut -d' ' -f 2 "$dir/out")" -ge 20
echo '0 Machine 0 M' >"$dir/none.trace"
expect 'what is no trace has no index' 1 'this is no trace' "$paje" index "$dir/none.trace"
check 'what is no trace has no index: no file' test ! -e "$dir/none.trace.pajeidx"
as_before 'windows with an index'
check 'a window behind the end: nothing else is said' test "$(grep -c . "$dir/err") $(grep -c 'nothing is shown' "$dir/err")" = '1 1'
for processes in 1 2 3 50; do
    "$paje" dump -u -j $processes "$trace" >"$dir/got"
    same "dump -j $processes" "$dir/whole" "$dir/got"
done
"$paje" dump -s 1 -e 3 -j 3 "$trace" >"$dir/got"
"$paje" dump -s 1 -e 3 - <"$trace" >"$dir/expected"
same 'dump -s -e -j' "$dir/expected" "$dir/got"
for options in -i -h '-a 2' '-h -i -s 1 -e 2' '--type State -s 1' '-l 2 -e 1'; do
    "$paje" dump -j 2 $options "$trace" >"$dir/got"
    "$paje" dump $options - <"$trace" >"$dir/expected"
    same "dump -j 2 $options" "$dir/expected" "$dir/got"
done
expect 'what is written to a full disk' 3 'standard output: No space left' sh -c "$paje dump -j 2 $trace >/dev/full"

# What -s and -e choose, by other commands.
for command in profile 'profile --format csv --own --depth 1' histogram 'histogram --by container' svg html platform 'csv -u -d %' \
    'matrix --format csv --bytes Value' slices 'slices --format csv --slice 0.01'; do
    for part in 1 2; do
        rm -rf "$dir/csv"
        [ $part = 1 ] || mv "$index" "$dir/kept"
        "$paje" ${command/\%/"$dir/csv"} -s 2 -e 2.5 "$trace" >"$dir/$part" 2>"$dir/err"
        [ ! -d "$dir/csv" ] || cat "$dir"/csv/*.csv >"$dir/$part"
    done
    mv "$dir/kept" "$index"
    same "$command -s -e, with an index and without" "$dir/2" "$dir/1"
done
for options in '' --svg; do
    # shellcheck disable=SC2086
    "$paje" diff $options -s 2 -e 2.5 "$trace" "$trace" >"$dir/1"
    mv "$index" "$dir/kept"
    # shellcheck disable=SC2086
    "$paje" diff $options -s 2 -e 2.5 "$trace" "$trace" >"$dir/2"
    mv "$dir/kept" "$index"
    same "diff $options -s -e, with an index and without" "$dir/2" "$dir/1"
done
check 'it is something' test -s "$dir/1"
cp "$index" "$dir/kept"
printf x | dd of="$index" bs=1 seek=5000 conv=notrunc 2>/dev/null
for command in profile histogram svg html platform "csv -d $dir/csv"; do
    expect "$command with a damaged index" 0 't.trace.pajeidx is not used: it is damaged' "$paje" $command -s 2 -e 2.5 "$trace"
done
mv "$dir/kept" "$index"

# At an instant: as the entities that overlap it.
"$paje" at "$trace" 2.5 >"$dir/got"
mv "$index" "$dir/kept"
"$paje" at "$trace" 2.5 >"$dir/expected"
mv "$dir/kept" "$index"
same 'at, with an index and without' "$dir/expected" "$dir/got"
awk -F', ' '/^State/ && $4 <= 2.5 && $5 > 2.5' "$dir/whole" | wc -l >"$dir/expected"
grep -c '^ *state ' "$dir/got" >"$dir/states"
same 'at: states' "$dir/expected" "$dir/states"
cp $traces/tour.trace "$dir/tour.trace"
"$paje" at "$dir/tour.trace" 1.3 >"$dir/got"
cat >"$dir/expected" <<'END'
0: 0, 0 to 3
  link Mail: letter from Node A to Node B, key 7, 1.25 to 1.75
  Cluster: Cluster of two, 0 to 3
    link Transfer: asynchronous from Node A to Disk, key k1, 1 to 1.5
    Compute node: Node A, 0.1 to 2.5
      state Activity [0]: Blocked, 1 to 1.5
      state Activity [1]: Running, 1.25 to 1.5
      variable Power [W]: -0.0325, 1.25 to 2.5
      Device: Disk, 0.25 to 2.5
    Compute node: Node B, 0.1 to 3
END
same 'at: the tour' "$dir/expected" "$dir/got"
"$paje" at - 1.3 <"$dir/tour.trace" >"$dir/got"
same 'at: standard input' "$dir/expected" "$dir/got"
(cat "$dir/tour.trace"; echo 999 1) >"$dir/bad.trace"
expect 'at: a bad trace' 1 'bad.trace:177:1: error: no event definition' "$paje" at "$dir/bad.trace" 1.3
same 'at: a bad trace, what there is' "$dir/expected" "$dir/out"
"$paje" index "$dir/bad.trace" >/dev/null 2>&1
expect 'at: a bad trace, with an index' 1 'Node A' "$paje" at "$dir/bad.trace" 1.3
# What is wrong in front of a range or behind it counts as well, though only the index tells it.
for bad in 400 '$'; do
    sed "${bad}a 999 1" "$trace" >"$dir/bad.trace"
    "$paje" index --events 300 "$dir/bad.trace" >/dev/null 2>&1
    for command in dump 'dump -j 2' 'profile --format csv' 'profile -j 2' histogram 'matrix --format csv' svg html \
        platform; do
        "$paje" $command -s 2 -e 2.1 - <"$dir/bad.trace" >"$dir/expected" 2>/dev/null
        expect "$command of a trace that is bad in line $bad, with an index: status" $? . \
            "$paje" $command -s 2 -e 2.1 "$dir/bad.trace"
        [[ $command = *' '* || $command = dump ]] &&
            same "$command of a trace that is bad in line $bad, with an index" "$dir/expected" "$dir/out"
    done
done
expect 'at: files within files' 0 '^ *state ' "$paje" at $traces/including.trace 1
expect 'at: no time' 2 'it takes a file and a time' "$paje" at "$trace" soon
expect 'at: before all' 0 'nothing is shown: nothing exists at -5$' "$paje" at "$trace" -- -5
# Before 0 there is no root; and a container may be created before the one that it is in.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '1 S H State' '4 L 0 H H Link' '6 -5 a H 0 a 0' '6 -4 b H 0 b 0' '10 -3 S b on m' \
        '40 -3 L 0 a x k 1' '0 T H Thread' '6 9 q H 0 q 0' '6 8 t T q t 0' '41 10 L 0 b x k t'
} >"$dir/before.trace"
for way in without with; do
    [ $way = without ] || "$paje" index --events=2 "$dir/before.trace" >"$dir/out" 2>&1
    "$paje" at "$dir/before.trace" -- -2 >"$dir/got" 2>/dev/null
    "$paje" at "$dir/before.trace" 8.5 >>"$dir/got" 2>/dev/null
    cat >"$dir/expected" <<'END'
link Link: x from a to b, key k, -3 to 10
Host: a, -5 to 10
Host: b, -4 to 10
  state State [0]: on, -3 to 10
0: 0, 0 to 10
  link Link: x from a to b, key k, -3 to 10
  Host: a, -5 to 10
  Host: b, -4 to 10
    state State [0]: on, -3 to 10
Thread: t, 8 to 10
END
    same "at: what is in no container yet, $way an index" "$dir/expected" "$dir/got"
done

# Nothing that has a time lies between checkpoints, or after the last one.
{
    echo '%EventDef PajeDefineContainerType 0'
    printf '%%%s string\n' Alias Type Name
    printf '%%EndEventDef\n0 H 0 Host\n'
} >"$dir/only.trace"
{ cat "$dir/only.trace"; for i in {1..200}; do echo "0 H$i H Host$i"; done; } >"$dir/untimed.trace"
{ cat $traces/tour.trace; for i in {1..200}; do echo "6 Value$i a V$i \"0 0 0\""; done; } >"$dir/behind.trace"
for name in only untimed behind; do
    for instant in 0 1 3 2.5 9; do
        rm -f "$dir/$name.trace.pajeidx"
        "$paje" at "$dir/$name.trace" $instant >"$dir/expected" 2>/dev/null
        "$paje" index --events 20 "$dir/$name.trace" >/dev/null
        "$paje" at "$dir/$name.trace" $instant >"$dir/got"
        same "at $instant with an index: $name" "$dir/expected" "$dir/got"
    done
done

# A wrong index is reported, and not used.
cp -p "$index" "$dir/good"
# refused NAME TEXT: what is at $index now
refused() {
    expect "$1" 0 "t.trace.pajeidx is not used: $2.*paje index" "$paje" dump -s 2 -e 2.5 "$trace"
    as_before "$1: windows"
    rm -rf "$index"
    cp -p "$dir/good" "$index"
}
touch -d '1 hour ago' "$trace"
refused 'another date' 'the trace was changed since'
touch -r "$dir/whole" "$trace"
"$paje" index --events 300 "$trace" >/dev/null
cp -p "$index" "$dir/good"
size=$(stat -c %s "$index")
head -c $((size / 2)) "$dir/good" >"$index"
refused 'cut short' 'it is damaged'
head -c 20 "$dir/good" >"$index"
refused 'cut very short' 'it is no index'
: >"$index"
refused 'empty' 'it is empty'
for at in 70 $((size / 3)) $((size - 5)); do
    { head -c $at "$dir/good"; head -c $((at + 1)) "$dir/good" | tail -c 1 | tr '\000-\377' '\001-\377\000'
        tail -c +$((at + 2)) "$dir/good"; } >"$index"
    refused "byte $at changed" 'it is damaged'
done
"$paje" index "$dir/tour.trace" >/dev/null
cp "$dir/tour.trace.pajeidx" "$index"
refused 'of another trace' 'it is of another trace'
"$paje" index --strict --events 300 "$trace" >/dev/null
refused 'of other options' 'it was made with other options'
rm "$index"
mkdir "$index"
refused 'a folder' 'it is no regular file'
rm "$index"
mkfifo "$index"
expect 'a pipe: at does not wait for it' 0 'is not used: it is no regular file' timeout 20 "$paje" at "$trace" 2.5
expect 'a pipe: index does not wait for it' 3 't.trace.pajeidx: no regular file, so the index cannot be there: remove it' \
    timeout 20 "$paje" index "$trace"
rm "$index"
cp -p "$dir/good" "$index"
mkfifo "$dir/pipe.trace"
cp -p "$dir/good" "$dir/pipe.trace.pajeidx"
{ cat "$trace" >"$dir/pipe.trace"; } 2>/dev/null &
expect 'a trace that is a pipe: its index is not used' 0 'is not used: the trace is no regular file' timeout 20 "$paje" at "$dir/pipe.trace" 2.5
rm "$dir/pipe.trace"
wait

# A change in the middle, of which neither size nor date tell; then what is behind it grows.
cp "$trace" "$dir/changed.trace"
"$paje" index "$dir/changed.trace" >/dev/null
touch -r "$dir/changed.trace" "$dir/date"
sed '4000,4500s/compute/COMPUTE/' "$trace" >"$dir/changed.trace"
check 'a change in the middle: there is one' eval "! cmp -s '$trace' '$dir/changed.trace'"
touch -r "$dir/date" "$dir/changed.trace"
expect 'a change in the middle' 0 'it is of another trace' "$paje" at "$dir/changed.trace" 2.5
echo '# more' >>"$dir/changed.trace"
expect 'a change in the middle of what has grown' 0 'pajeidx: made anew; ' "$paje" index "$dir/changed.trace"

# A change between the blocks that are compared is reported where it is read again, and nowhere else.
large=$dir/large.trace
build/bench/generate -b 1000000 -c 24 >"$large"
"$paje" index -z --events 2000 "$large" >/dev/null
cp -p "$large" "$dir/kept"
apart=$((($(wc -c <"$large") - 4096) / 63))
# computes_at BYTE: prints the number and the time of the first line from there on that begins a state
computes_at() { awk -v from="$1" 'bytes >= from && /compute$/ { print NR, $2; exit } { bytes += length + 1 }' "$large"; }
read -r line time < <(computes_at $((30 * apart + 5000)))
sed "${line}s/compute/COMPUTE/" "$dir/kept" >"$large"
touch -r "$dir/kept" "$large"
expect 'a change between the blocks: dump -s -e' 3 \
    'it was changed between bytes [0-9]+ and [0-9]+ since its index was made.*`paje index`' "$paje" dump -z -s "$time" -e "$time" "$large"
expect 'a change between the blocks: dump -j' 3 'it was changed between bytes' "$paje" dump -z -j 3 "$large"
expect 'a change between the blocks: at' 3 'it was changed between bytes' "$paje" at -z "$large" "$time"
expect 'a change between the blocks: elsewhere' 0 'Process 0' "$paje" at -z "$large" 0.01
# The stretch before the end is read again when the trace has grown.
"$paje" index -z --events 2000 "$dir/kept" >/dev/null
mv "$dir/kept.pajeidx" "$large.pajeidx"
cp -p "$dir/kept" "$large"
read -r line time < <(computes_at $((62 * apart + 5000)))
sed "${line}s/compute/COMPUTE/" "$dir/kept" >"$large"
echo '# more' >>"$large"
expect 'a change before what has grown' 0 'pajeidx: made anew; ' "$paje" index -z "$large"

# A trace that grows.
lines=$(wc -l <"$trace")
cp "$trace" "$dir/all"
head -n $((lines / 2)) "$dir/all" | head -c -7 >"$trace" # within a line
"$paje" index --events 300 "$trace" >/dev/null 2>&1
cat "$dir/all" >"$trace"
expect 'a trace that has grown' 0 'the trace has grown since' "$paje" dump -s 2 -e 2.5 "$trace"
expect 'what is new is added' 0 'pajeidx: added to; ' "$paje" index --events 300 "$trace"
as_before 'windows of what has grown'

head -n $((lines / 3)) "$dir/all" >"$trace"
rm "$index"
"$paje" index -F --events 300 "$trace" >"$dir/out" 2>"$dir/err" &
follower=$!
check 'index -F: there is an index' wait_for 10 test -s "$index"
size=$(stat -c %s "$index")
tail -n +$((lines / 3 + 1)) "$dir/all" >>"$trace"
grown() { [ "$(stat -c %s "$index")" -gt $((2 * size)) ]; }
check 'index -F: it grows with the trace' wait_for 10 grown
kill -INT $follower
wait $follower
check "index -F: an interrupt ends it well" test $? = 0
as_before 'index -F: windows'

# A part of the first definition is all that there is at first.
head -c 5 "$dir/all" >"$dir/young.trace"
"$paje" index -F "$dir/young.trace" >"$dir/out" 2>"$dir/err" &
follower=$!
check 'index -F of 5 bytes: there is an index' wait_for 10 test -s "$dir/young.trace.pajeidx"
size=$(stat -c %s "$dir/young.trace.pajeidx")
tail -c +6 "$dir/all" >>"$dir/young.trace"
older() { [ "$(stat -c %s "$dir/young.trace.pajeidx")" -gt $((2 * size)) ]; }
check 'index -F of 5 bytes: it grows with the trace' wait_for 10 older
kill -INT $follower
wait $follower
check 'index -F of 5 bytes: an interrupt ends it well' test $? = 0

# A trace that is cut, or written over by a longer one, while it is followed: an index of both would be of neither.
for how in cut changed; do
    head -n $((lines / 3)) "$dir/all" >"$dir/$how.trace"
    "$paje" index -F "$dir/$how.trace" >"$dir/out" 2>"$dir/$how.err" &
    follower=$!
    check "index -F of what is $how: there is an index" wait_for 10 test -s "$dir/$how.trace.pajeidx"
    if [ $how = cut ]; then truncate -s 100 "$dir/$how.trace"
    else tr e E <"$dir/all" | dd of="$dir/$how.trace" bs=64M iflag=fullblock conv=notrunc status=none; fi
    ended() { ! kill -0 $follower 2>/dev/null; }
    check "index -F of what is $how: it ends" wait_for 10 ended
    kill $follower 2>/dev/null
    wait $follower
    check "index -F of what is $how: it fails" test $? = 3
done
check 'index -F of what is cut: it is told' grep -q '^paje: .*/cut.trace: it became shorter while it was foll' "$dir/cut.err"
check 'index -F of what is changed: it is told' grep -q 'pajeidx is not completed: the trace was changed' "$dir/changed.err"

# What is open at the end of the range ends at a container, and has a value, that the trace makes later.
later=$dir/later.trace
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n4 L 0 H H Link\n6 0 a H 0 a 0\n'
    for time in {0..39}; do printf '11 %d S a run x 0\n12 %d.5 S a x\n' $time $time; done
    printf '11 40 S a late x 0\n40 40.1 L 0 a v k 1\n'
    for time in {41..59}; do printf '11 %d S a run x 0\n12 %d.5 S a x\n' $time $time; done
    printf '5 late S Late "1 0 0"\n6 60 b H 0 b 0\n41 60 L 0 b v k r\n12 61 S a x\n'
} >"$later"
"$paje" index --events=5 "$later" 2>/dev/null
for command in profile 'matrix --format csv' histogram 'slices --format csv'; do
    "$paje" $command -e 50 "$later" >"$dir/expected"
    "$paje" $command -j 2 -e 50 "$later" >"$dir/got" 2>"$dir/err"
    check "$command -e -j, what a link ends at comes later: it succeeds" test $? = 0
    same "$command -e -j, what a link ends at comes later" "$dir/expected" "$dir/got"
done
for processes in 1 2; do
    "$paje" matrix -j $processes -s 1 -e 39 "$later" 2>"$dir/$processes" >/dev/null
done
same 'a range without links, with -j: the same is said, not how long a part lasts' "$dir/1" "$dir/2"
check 'a range without links, with -j: it is said' grep -q 'nothing is shown' "$dir/2"

# Without an index each process replays the whole.
rm "$index"
for options in '-j 2' '-j 3' '-j 8 -u' '-j 2 -s 2 -e 2.5' '-j 4 -i'; do
    "$paje" dump $options "$trace" >"$dir/got"
    "$paje" dump $options - <"$trace" >"$dir/expected"
    same "dump $options without an index" "$dir/expected" "$dir/got"
done
cp $traces/included.trace "$dir/"
{ cat $traces/including.trace; seq -f '# %0100g' 4000; } >"$dir/including.trace" # large enough for processes to share it
"$paje" dump -j 3 "$dir/including.trace" >"$dir/got" 2>/dev/null
"$paje" dump "$dir/including.trace" >"$dir/expected" 2>/dev/null
same 'dump -j 3, files within files' "$dir/expected" "$dir/got"
expect 'dump -j of a bad pipe' 1 ':8046:1: error: no event definition' "$paje" dump -j 2 <(cat "$trace"; echo 999 1)
cp "$trace" "$dir/bad.trace"
echo 999 1 >>"$dir/bad.trace"
expect 'dump -j of a bad file' 1 ':8046:1: error: no event definition' "$paje" dump -j 2 "$dir/bad.trace"
for _ in {1..200}; do echo '10 9 S nowhere busy 1'; done >>"$dir/bad.trace"
"$paje" profile --type none "$dir/bad.trace" >/dev/null 2>"$dir/expected"
"$paje" index "$dir/bad.trace" >/dev/null 2>&1
for options in '' '-j 2' '-s 0'; do
    "$paje" profile --type none $options "$dir/bad.trace" 2>&1 >/dev/null | sed 's/ in that range//' >"$dir/got"
    same "profile $options, with an index: messages of the end stand in the same order" "$dir/expected" "$dir/got"
done
mkfifo "$dir/slow"
"$paje" dump -j 3 "$trace" >"$dir/slow" 2>"$dir/err" &
pid=$!
exec 9<"$dir/slow"
children=()
for _ in {1..1000}; do
    [ ${#children[@]} != 3 ] || break
    sleep 0.01
    read -ra children <"/proc/$pid/task/$pid/children"
done
kill -KILL "${children[2]}"
cat <&9 >"$dir/got"
exec 9<&-
wait $pid
check 'dump -j, a process is killed: status' test $? = 3
check 'dump -j, a process is killed: it is told' \
    grep -q '^paje: a process that replayed a part ended early$' "$dir/err"
check 'dump -j, a process is killed: what was written is right' \
    cmp -s "$dir/got" <("$paje" dump - <"$trace" | head -c "$(wc -c <"$dir/got")")

# No output takes the place of the index that is used.
"$paje" index "$trace" >/dev/null
cp "$index" "$dir/kept"
for output in 'svg -s 1 -e 2 -o' 'platform -s 1 -e 2 -o' 'histogram -j 2 -o'; do
    expect "$output: over the index" 2 't.trace.pajeidx. is to be read and written: name another file to be written' \
        "$paje" $output "$index" "$trace"
done
check 'it is as it was' cmp -s "$index" "$dir/kept"
rm "$index"

# Where types are defined behind a range, what lies there is read as well: a container of such a type is none that is missing.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '2 E H Alarm' '6 0 h H 0 host 1'
    seq -f '30 %.0f E h some note 1' 300
    printf '%s\n' '0 T H Thread' '6 400 t T h thread 1'
    seq -f '30 %.0f E h some note 1' 401 600
} >"$dir/late.trace"
"$paje" profile --container thread -s 1 -e 20 "$dir/late.trace" >"$dir/out" 2>"$dir/expected"
"$paje" index --events 20 "$dir/late.trace" 2>"$dir/err"
"$paje" profile --container thread -s 1 -e 20 "$dir/late.trace" >"$dir/out" 2>"$dir/got"
same 'types that are defined behind a range' "$dir/expected" "$dir/got"

# What cannot be.
expect 'a budget that is too small' 3 'too small.*see --budget' "$paje" index --budget 4K "$trace"
expect 'no number of events' 2 'no number of events' "$paje" index --events 0 "$trace"
expect 'standard input' 2 'it takes a file, not standard input' "$paje" index -
expect 'files within files' 3 'several files cannot be indexed' "$paje" index $traces/including.trace
mkdir "$dir/locked"
cp "$trace" "$dir/locked/"
chmod 500 "$dir/locked"
if [ "$(id -u)" != 0 ]; then
    expect 'a folder that cannot be written to' 3 'Permission denied' "$paje" index "$dir/locked/t.trace"
fi
ln -s locked/t.trace "$dir/link.trace"
"$paje" at "$dir/locked/t.trace" 1 >"$dir/expected"
expect 'a symbolic link to a trace there' 0 '^[^ ]*/link.trace.pajeidx: [0-9]+ checkpoints' "$paje" index "$dir/link.trace"
check 'its index is beside the link' test -s "$dir/link.trace.pajeidx" -a ! -e "$dir/locked/t.trace.pajeidx"
"$paje" at "$dir/link.trace" 1 >"$dir/got" 2>"$dir/err"
same 'and is used' "$dir/expected" "$dir/got"
check 'without a message' test ! -s "$dir/err"
chmod 700 "$dir/locked"
expect 'null --events' 0 '^events +100$' "$paje" null --events 100 "$trace"
check 'null --events: nothing is said of what is open' test ! -s "$dir/err"
exit $failed
