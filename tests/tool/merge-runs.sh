#!/bin/bash
# paje merge: threads that share one file, each of which delivers its lines when its buffer is full.
. "$(dirname "$0")/lib-merge.sh"

# threads FILE THREADS EVENTS SEED: 6, 7: containers, created and destroyed by their threads; 11, 12: states; 20: a
# variable that all of them set; 40, 41: links from thread to thread; the lines of a thread come in blocks
threads() {
    awk -v threads="$2" -v events="$3" -v seed="$4" '
        function line(thread, text) { buffer[thread] = buffer[thread] text "\n"; lines[thread]++ }
        function deliver(thread) { printf "%s", buffer[thread]; buffer[thread] = ""; lines[thread] = 0 }
        function next_time() { return sprintf("%d.%09d", ++now / 1000, now % 1000 * 1000000) }
        BEGIN {
            srand(seed)
            for (i = 0; i < threads; i++)
                limit[i] = 5 + int(rand() * 60)
            for (e = 0; e < events; e++) {
                i = int(rand() * threads)
                if (!made[i]++) {
                    line(i, "6 " next_time() " t" i " T p \"thread " i "\" " i)
                    line(i, "# thread " i " begins")
                }
                what = int(rand() * 5)
                if (what == 0)
                    line(i, "20 " next_time() " V p " e)
                else if (what == 1) {
                    line(i, "40 " next_time() " M p t" i " m k" e " 1")
                    pending[++count] = "k" e
                } else if (what == 2 && count > 0)
                    line(i, "41 " next_time() " M p t" i " m " pending[count--] " x")
                else if (what == 3) {
                    line(i, "11 " next_time() " A t" i " r mark 1")
                    depth[i]++
                } else if (depth[i] > 0) {
                    line(i, "12 " next_time() " A t" i " done")
                    depth[i]--
                }
                if (lines[i] > limit[i])
                    deliver(i)
            }
            while (count > 0)
                line(0, "41 " next_time() " M p t0 m " pending[count--] " x")
            for (i = 0; i < threads; i++) {
                for (; depth[i] > 0; depth[i]--)
                    line(i, "12 " next_time() " A t" i " done")
                if (made[i])
                    line(i, "7 " next_time() " T t" i)
            }
            while (threads > 0)
                deliver(--threads)
        }' >"$dir/body"
    {
        cat $header
        printf '%s\n' "${types[@]}" '0 G 0 Process' '0 T G Thread' '1 A T Activity' '3 V G Queue "1 0 0"' \
            '4 M G T T Task' '5 r A Running "0 1 0"' '5 m M Mail "0 0 1"' '6 0 p G 0 process 0'
        cat "$dir/body"
        echo "# the end"
    } >"$dir/$1"
}

for setup in '2 200 1' '8 2000 2' '64 20000 3' '64 20000 4'; do
    # shellcheck disable=SC2086
    threads a $setup
    name="threads that share a file, $setup"
    expect "$name: a strict reader says what to do" 1 '^[^ ]*/a: [0-9]+ lines are out of order in time: `paje merge` ' \
        "$paje" validate "$dir/a"
    expect "$name: it is invalid" 1 ': invalid$' "$paje" validate "$dir/a"
    check "$name: merge takes it" merge -o "$dir/got" "$dir/a"
    { cat "$dir/a"; seq -f '# %0100g' 2000; } >"$dir/b" # large enough for two processes
    cp "$dir/b" "$dir/c"
    "$paje" merge --apart "$dir/b" "$dir/c" >"$dir/expected"
    "$paje" merge --apart -j 2 "$dir/b" "$dir/c" >"$dir/out"
    same "$name: two files, by two processes" "$dir/expected" "$dir/out"
    valid "$name: merge repairs it" got
    { cat $header; grep -E '^[0-5] ' "$dir/a"; grep '^6 0 p' "$dir/a"; grep -v '^#' "$dir/body" | sort -s -g -k2,2; } \
        >"$dir/sorted"
    check "$name: as if it had been sorted" "$paje" equals "$dir/sorted" "$dir/got"
    check "$name: in the order of time" \
        sh -c "awk '/^[0-9]/ && \$2 ~ /^[0-9]+\\.[0-9]+\$/ { print \$2 }' '$dir/got' | sort -c -g"
    grep '^#' "$dir/a" | sed 's/^# //' | sorted >"$dir/expected"
    grep '^#' "$dir/got" | sed "s|^# [^:]*: ||" | sorted >"$dir/out"
    same "$name: comments are kept" "$dir/expected" "$dir/out"
    "$paje" merge <"$dir/a" >"$dir/out"
    sed "s|^# [^:]*: |# |" "$dir/got" >"$dir/expected"
    sed -i "s|^# [^:]*: |# |" "$dir/out"
    same "$name: from standard input" "$dir/expected" "$dir/out"
    cat "$dir/a" | "$paje" merge - | sed "s|^# [^:]*: |# |" >"$dir/out"
    same "$name: from a pipe" "$dir/expected" "$dir/out"
done

threads a 8 2000 5
threads b 8 2000 6
sed -i 's/\([ "]\)process /\1other /' "$dir/b"
check 'two such files' merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'two such files: valid' got

# A container is created by a thread whose buffer comes later than its first event, and destroyed before its last one.
rank a '6 0 a H 0 p0 0' '40 5 L 0 a m k 1' '41 6 L 0 late m k x' '6 1.5 late H 0 p1 0' '30 3 E late x x 1' \
    '7 4 H late' '30 3.5 E late y x 1'
merge -o "$dir/got" "$dir/a"
check 'containers exist as long as they are used' \
    test "$(grep -oE '^[0-9]+ [0-9.]+ ' "$dir/got" | tail -n 6 | cut -d' ' -f2 | tr '\n' ' ')" = '1.5 3 3.5 5 6 4 '
rank a '6 0 a H 0 p0 0' '30 9 E a x x 1' '30 5 E late x x 1' '6 5 late H 0 p1 0' '30 6 E late x x 1'
expect 'a container that is created at the time of its first event, behind it' 0 '!' \
    "$paje" merge -o "$dir/got" "$dir/a"
lines 'both its events are there' got '^Event, p1' 2
# A container is destroyed by the thread whose lines are first, as in a file of blocks: by its own line, or by that of
# what it is in.
for case in '7 5 H a|30 1 E b x x 1|30 2 E b x x 1' '7 5 H a|30 2 E b x x 1|30 3 E a x x 1|30 1 E a x x 1' \
    '7 5 H b|30 1 E b x x 1|7 6 H a' '7 6 H a|30 1 E b x x 1|7 5 H b' '7 5 H a|7 4 H b'; do
    IFS='|' read -ra behind <<<"$case"
    rank a '6 0 a H 0 p0 0' '6 0 b H a p1 0' "${behind[@]}"
    expect "lines behind the end of a container: $case" 0 '!' "$paje" merge -o "$dir/got" "$dir/a"
    lines "lines behind the end of a container: $case: all are there" got '^Event' "$(grep -c '^30 ' "$dir/a")"
    rank b '6 0 c H 0 other 0' '30 4 E c y x 1'
    expect "lines behind the end of a container: $case: beside another file" 0 '!' \
        "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
done
# A container is created by the thread whose lines are last, though no event is behind a later one.
for case in '30 1 E b x x 1|6 0 b H 0 p1 0' '6 1 b H c p1 0|6 0 c H 0 p2 0|30 2 E b x x 1'; do
    IFS='|' read -ra behind <<<"$case"
    rank a "${behind[@]}"
    expect "lines before the beginning of a container: $case" 0 '!' "$paje" merge -o "$dir/got" "$dir/a"
    lines "lines before the beginning of a container: $case: all are there" got '^Event' 1
    expect "lines before the beginning of a container: $case: beside another file" 0 '!' \
        "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
done
# Threads whose clocks say the same: what a container is in is created before it and destroyed behind it, and events on
# it are in between.
rank a '6 0 a H 0 p0 0' '7 6 H late' '7 6 H a' '30 6 E late x x 1' '30 5 E b x x 1' '6 5 late H b p1 0' '6 5 b H a p2 0' \
    '7 6 H b' '30 6 E b x x 1' '30 1 E a x x 1' '30 6 E a x x 1'
expect 'containers within each other, all at the same time' 0 '!' "$paje" merge -o "$dir/got" "$dir/a"
lines 'containers within each other, all at the same time: all events are there' got '^Event' 5
rank a '6 0 a H 0 p0 0' '30 9 E a x x 1' '6 1 b H c p1 0' '6 1 c H b p2 0' '6 1 d H d p3 0' '30 1 E d x x 1'
expect 'containers within each other in a circle' 1 'container does not exist' "$paje" merge -o "$dir/got" "$dir/a"
# Very deep ones, the outermost destroyed first.
rank a '6 0 a H 0 p0 0' '30 9 E a x x 1'
awk 'BEGIN {
    for (type = "H"; n < 60000; type = "T" n++) print "0 T" n, type, "t"
    for (in_it = "a"; m < n; in_it = "c" m++) print "6 1 c" m, "T" m, in_it, "n 0"
    for (m = 0; m < n; m++) print "7 5 T" m, "c" m
    print "30 1 E a x x 1"
}' >>"$dir/a"
expect 'containers very deep within each other take little time' 1 'error' timeout 60 "$paje" merge -o "$dir/got" "$dir/a"
# An identifier that is used again, by lines behind those that use it.
rank a '6 0 a H 0 p0 0' '30 9 E a x x 1' '6 1 c H 0 one 0' '7 3 H c' '30 5 E c x x 1' '6 4 c H 0 two 0' '30 2 E c x x 1'
expect 'an identifier that is used again, behind an event' 0 '!' "$paje" merge -o "$dir/got" "$dir/a"
# Field names of older versions.
rank b '6 0 a H 0 p0 0' '30 9 E a x x 1' '30 5 E late x x 1' '6 5 late H 0 p1 0' '7 6 H late' '30 5.5 E late x x 1'
sed -e '/PajeCreateContainer/,/EndEventDef/ { s/Alias/NewContainer/; s/%  Type/%  NewContainerType/; s/Name/NewName/ }' \
    -e '/PajeDestroyContainer/,/EndEventDef/ s/Name/Container/' "$dir/b" >"$dir/a"
expect 'older names of fields: each line is kept' 0 'older version' "$paje" merge -o "$dir/got" "$dir/a"
lines 'older names of fields: all events are there' got '^Event' 3
rank a '6 0 a H 0 p0 0' '30 2 E a x x 1' '6 3 c H 0 one 0' '30 5 E c x x 1' '7 6 H c' '6 0 c H 0 two 0' \
    '30 7 E c x x 1' '7 8 H c' '30 1 E a x x 1'
merge -o "$dir/got" "$dir/a"
check 'an identifier that is used again' sh -c "! '$paje' validate '$dir/got' | grep -q -v -E 'valid\$'"

# The numbers of lines in messages are those of the file.
rank a '6 0 a H 0 p0 0' '30 3 E nothing x x 1' '30 2 E a x x 1' '# a comment' '30 1 E a x x 1'
expect 'messages have the line numbers of the file' 1 "^$dir/a:$(grep -n nothing "$dir/a" | cut -d: -f1):" \
    "$paje" merge -o "$dir/got" "$dir/a"
expect 'so they are of standard input' 1 "^<stdin>:$(grep -n nothing "$dir/a" | cut -d: -f1):" \
    sh -c "'$paje' merge -o '$dir/got' - <'$dir/a'"
# A byte order mark in front of the event that creates containers.
created='/PajeCreateContainer/,/EndEventDef/'
{
    printf '\xef\xbb\xbf' && sed -n "${created}p" $header && sed "${created}d" $header && printf '%s\n' "${types[@]}" \
        '6 0 a H 0 p0 0' '30 5 E a x x 1' '6 2 b H 0 p1 0' '30 3 E b x x 1' '30 4 E a x x 1'
} >"$dir/a"
expect 'a byte order mark before lines that are sorted' 0 '!' "$paje" merge -o "$dir/got" "$dir/a"
lines 'a byte order mark before lines that are sorted: all are there' got '^Event' 3
# An event that is defined twice: the first definition counts.
rank a '6 0 a H 0 p0 0' '30 2 E a x x 1' '30 1 E a y x 1' '%EventDef PajeNewEvent 30' '% Type string' '% Time date' \
    '% Container string' '% Value string' '%EndEventDef' '30 E 3 a z'
merge -o "$dir/got" "$dir/a"
lines 'an event that is defined again' got '^Event' "$("$paje" dump -u "$dir/a" 2>/dev/null | grep -c '^Event')"
# Two traces one behind the other, as of a program that appends to its file.
rank a '6 0 a H 0 p0 0' '30 3 E a x x 1' '30 1 E a y x 1'
rank b '6 0 b H 0 p1 0' '30 4 E b x x 1' '30 2 E b y x 1'
cat "$dir/b" >>"$dir/a"
times() { grep -oE '^[0-9]+ [1-9] ' "$dir/got" | cut -d' ' -f2 | tr '\n' ' '; }
merge -o "$dir/got" "$dir/a"
check 'a trace behind a trace: in the order of time' test "$(times)" = '1 2 3 4 '
rank c '6 0 c H 0 p2 0' '30 5 E c x x 1'
rank a '6 0 a H 0 p0 0'
cat "$dir/b" >>"$dir/a"
merge -o "$dir/got" "$dir/a" "$dir/c"
check 'a trace behind a trace: so it is merged with another one' test "$(times)" = '2 4 5 '
# What has no order to begin with.
printf '30 2 E a\n30 1 E a\n' >"$dir/a"
expect 'no definitions' 1 'error' "$paje" merge -o "$dir/got" "$dir/a"
: >"$dir/a"
check 'an empty file' "$paje" merge -o "$dir/empty" "$dir/a"
rank a '6 0 a H 0 p0 0' '30 nan E a x x 1' '30 -1 E a x x 1' '30 2 E a x x 1' '30 1e0 E a x x 1' "30 '0.5' E a x x 1"
merge -o "$dir/got" "$dir/a"
lines 'times of all sorts' got '^Event, p0' "$("$paje" dump -u "$dir/a" 2>/dev/null | grep -c '^Event, p0')"
# Memory is that of the runs and not of the file, and so is time.
threads a 64 400000 7
check 'a large file takes little time' timeout 60 "$paje" merge -o "$dir/got" "$dir/a"
rm -f "$dir"/*

exit $failed
