#!/bin/bash
# What goes wrong around the tool: calls of the system that fail (lib-faults.py), files that may not be read or written,
# full disks, signals, files that change while they are read.
. "$(dirname "$0")/lib.sh"

shim=$PWD/$dir/faults.so
if ! ${CC:-cc} -std=c99 -O1 -shared -fPIC tests/tool/faults.c -o "$shim" -ldl 2>"$dir/cc.log"; then
    skip faults 'no shared libraries for LD_PRELOAD (install gcc libc6-dev)'
    exit 0
fi
cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"

# arguments COMMAND: what it is called with
arguments() { trials "$1" "$dir/whole.trace" "$dir/$1.out" | head -n 1; }

# each call fails, at each of many places
mkdir -p "$dir/injected"
if command -v python3 >/dev/null; then
    python3 tests/tool/lib-faults.py "$paje" "$shim" "$dir/injected" "$dir/whole.trace" || failed=1
else
    skip 'each call fails' 'no python3 (install python3)'
fi

# told COMMAND FILE: puts what it prints into the file, and the files that it writes
told() {
    # shellcheck disable=SC2046
    "$paje" $1 $(arguments $1) >"$2" 2>&1 </dev/null
    sed -i '/^seconds\|^MB\/s/d' "$2"
    find "$dir" -path "$dir/$1.out*" -type f | sorted | xargs -r tail -vn +1 >>"$2"
    rm -rf "$dir/$1.out"*
}

for command in $(commands); do
    [ $command != index ] || continue # what it says depends on what it did before
    told $command "$dir/expected"
    LD_PRELOAD=$shim FAULT_CALL=torn told $command "$dir/got"
    same "$command: reads and writes of a few bytes, and interrupted" "$dir/expected" "$dir/got"
done

# faulty NAME STATUS TEXT FAULTS COMMAND...: as expect; FAULTS is like `CALL=open FILE=part`
faulty() {
    local faults=() fault
    for fault in $4; do faults+=("FAULT_$fault"); done
    expect "$1" "$2" "$3" timeout 60 env "LD_PRELOAD=$shim" "${faults[@]}" "$paje" "${@:5}"
}

# what cannot be opened: the trace, what it includes, what is written
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '2 E H Alarm' '6 0 h H 0 host 1'
} >"$dir/begin"
for i in $(seq 6000); do echo "30 $i E h some-value-of-an-event-that-is-not-short a $i"; done >"$dir/body"
cat "$dir/begin" "$dir/body" >"$dir/large.trace"
{ cat "$dir/begin"; echo '50 h H body'; echo '30 7000 E h behind a 1'; } >"$dir/includes.trace"
denied='CALL=open64 ERRNO=13'
faulty 'a trace that may not be read' 3 "^paje: $dir/large.trace: Permission denied\$" "$denied FILE=.trace" \
    dump "$dir/large.trace"
faulty 'an included file that may not be read' 1 \
    'includes.trace:[0-9]+:1: error: included file is left out: Permission denied: .body.$' "$denied FILE=body" \
    dump "$dir/includes.trace"
check 'an included file that may not be read: what follows is replayed' grep -q ', behind$' "$dir/out"
if command -v gzip >/dev/null; then
    gzip -c "$dir/whole.trace" >"$dir/whole.gz"
    faulty 'a compressed trace from a pipe: no process that feeds gzip' 3 'fd/.*: no process to decompress it: Resource temp' \
        'CALL=fork ERRNO=11' dump <(cat "$dir/whole.gz")
fi
faulty 'merge: a file that may not be written' 3 "^paje: $dir/merged: Permission denied; a new file beside it is needed" "$denied FILE=.new" \
    merge -o "$dir/merged" "$dir/whole.trace"
faulty 'csv: a file that may not be written' 3 "^paje: $dir/csv/[a-z]*.csv: Permission denied; a new" "$denied FILE=.new" \
    csv -d "$dir/csv" "$dir/whole.trace"
faulty 'index: a file that may not be written' 3 'pajeidx: Permission denied; a new file beside it is needed' "$denied FILE=.new" \
    index "$dir/whole.trace"

mkfifo "$dir/fifo"
faulty 'dump: a pipe of which nothing is known' 3 "^paje: $dir/fifo: Permission denied" 'CALL=stat64 ERRNO=13' \
    dump -q --type-hierarchy "$dir/fifo" "$dir/whole.trace"
check 'dump: a pipe of which nothing is known is not replaced' test -p "$dir/fifo"

# a disk that fails in the middle of a file, of the trace and of one that it includes: what was read before is shown
faulty 'a disk that fails in mid-file' 3 "^paje: $dir/large.trace: Input/output error\$" 'CALL=read NTH=3 ERRNO=5' \
    dump "$dir/large.trace"
check 'a disk that fails in mid-file: what was read before is shown' test "$(grep -c '^Event, host' "$dir/out")" -gt 1000
faulty 'a disk that fails in mid-file: an included one' 3 "^paje: $dir/body: Input/output error\$" \
    'CALL=read NTH=4 ERRNO=5' dump "$dir/includes.trace"
check 'a disk that fails in mid-file: an included one: as well' test "$(grep -c '^Event, host' "$dir/out")" -gt 1000

# disks that are full, and a standard output that is closed
for command in $(commands); do
    arguments $command | grep -q "$dir/$command.out" && continue # it prints nothing
    [ $command != index ] || rm -f "$dir"/*.pajeidx
    full="'$paje' $command $(arguments $command) >/dev/full" closed="'$paje' $command $(arguments $command) >&-"
    expect "$command: a full disk" 3 '^paje: standard output: No space left on device$' sh -c "$full"
    expect "$command: a standard output that is closed" 3 '^paje: standard output: Bad file descriptor$' sh -c "$closed"
done

# signals while an index is written: what was there stays, or the new one is there, whole
for i in 1 2 3 4 5 6 7 8; do cat "$dir/body"; done >>"$dir/large.trace"
"$paje" at "$dir/large.trace" 300 >"$dir/at" 2>"$dir/at.err"
for signal in INT TERM HUP KILL; do
    good=1
    for delay in 0 0.01 0.02 0.04; do
        "$paje" index "$dir/large.trace" >"$dir/out" 2>&1 &
        sleep $delay
        kill -$signal $! 2>/dev/null
        wait $! 2>/dev/null
        "$paje" at "$dir/large.trace" 300 >"$dir/out" 2>"$dir/err" || good=0
        cmp -s "$dir/out" "$dir/at" && cmp -s "$dir/err" "$dir/at.err" || good=0
        rm -f "$dir/large.trace.pajeidx"
    done
    check "index: SIG$signal leaves no half of one" test $good = 1
done

# processes share it, and its end is looked at before it is drawn
head -c 300000 "$dir/large.trace" | sed '$d' >"$dir/shared.trace"
for command in 'dump -j 2' svg; do
    # shellcheck disable=SC2086
    "$paje" $command "$dir/shared.trace" >"$dir/expected" 2>&1
    # shellcheck disable=SC2086
    LD_PRELOAD=$shim FAULT_CALL=torn "$paje" $command "$dir/shared.trace" >"$dir/got" 2>&1
    same "$command: all reads of a few bytes, and interrupted" "$dir/expected" "$dir/got"
done

# who reads the output goes away
for options in '' '-j 2'; do
    # shellcheck disable=SC2086
    "$paje" dump $options "$dir/large.trace" 2>"$dir/err" | head -n 1 >"$dir/out"
    check "who reads the output goes away $options" test "${PIPESTATUS[0]}" = 141 -a -s "$dir/out"
done

# a file that becomes shorter while it is read
for i in $(seq 3000); do echo "30 $i E h some-value-of-an-event-that-is-not-short note $i"; done >"$dir/tail"
{ cat tests/tool/header.trace; echo '0 H 0 Host'; echo '2 E H Alarm'; echo '6 0 h H 0 host 1'; cat "$dir/tail"; } >"$dir/shrinks.trace"
LD_PRELOAD=$shim FAULT_SHRINK=$dir/shrinks.trace "$paje" dump "$dir/shrinks.trace" >"$dir/out" 2>"$dir/err"
status=$?
if [ $status = 3 ] && grep -q "^paje: $dir/shrinks.trace: it became shorter while it was read" "$dir/err" &&
    grep -q '^Event, host' "$dir/out"; then
    pass 'a file that shrinks while it is read'
else
    fail 'a file that shrinks while it is read' "exit status $status: $(tail -n 1 "$dir/err")"
fi

# a file that becomes shorter while merge has it mapped, as it looks whether it is in order
for options in '' '-j 2'; do
    { cat "$dir/begin" "$dir/body"; } >"$dir/unmapped.trace"
    echo old >"$dir/unmapped.out"
    # shellcheck disable=SC2086
    LD_PRELOAD=$shim FAULT_UNMAP=$dir/unmapped.trace "$paje" merge $options -o "$dir/unmapped.out" "$dir/unmapped.trace" \
        "$dir/whole.trace" >"$dir/out" 2>"$dir/err"
    status=$?
    check "merge $options: a file that shrinks while it is mapped" test $status = 3 -a "$(cat "$dir/err")" = \
        "paje: $dir/unmapped.trace: it became shorter while it was read" -a "$(cat "$dir/unmapped.out")" = old
    check "merge $options: a file that shrinks while it is mapped: no file is left" test -z "$(find "$dir" -name 'unmapped.out.*')"
done

# and the program that is traced, as it is built again while merge looks up names in it
if [ -e build/libpajetrace.so ]; then
    "$paje" trace -o "$dir/t.trace" --keep="$dir/kept" --record=threads sh -c : || exit 1
    cp "$paje" "$dir/program"
    raw=$(echo "$dir"/kept/*.raw)
    tr -d '\0' <"$raw" >"$dir/raw" && printf '11 t1 2 "Function"\n15 v t1 @%s+0x20000 "1 0 0"\n' "$PWD/$dir/program" |
        cat "$dir/raw" - >"$raw"
    expect 'a program whose functions are named' 0 '^6 [^@]+ t1 [^@]+ "1 0 0"$' "$paje" merge "$dir/kept"
    LD_PRELOAD=$shim FAULT_UNMAP=$dir/program expect 'a program that shrinks while it is mapped' 3 \
        '/program: it became shorter while it was read' "$paje" merge "$dir/kept"
    rm -rf "$dir/kept"
else
    skip 'a program that shrinks while it is mapped' 'paje trace is for Linux with glibc'
fi

# a file that grows while merge reads it: each pass ends where it ended at first
{ cat "$dir/begin"; echo '30 1 E h an-event a 1'; } >"$dir/grows.start"
{ echo '2 F H Later'; for i in $(seq 2 9000); do echo "30 $i F h an-event a 1"; done; } >"$dir/grows.trace.other"
"$paje" merge -o "$dir/grows.expected" "$dir/grows.start" "$dir/whole.trace" 2>"$dir/err.expected"
for nth in 2 3 4; do
    cp "$dir/grows.start" "$dir/grows.trace"
    LD_PRELOAD=$shim FAULT_GROW=$dir/grows.trace FAULT_NTH=$nth "$paje" merge -o "$dir/grows.out" "$dir/grows.trace" \
        "$dir/whole.trace" >"$dir/out" 2>"$dir/err"
    check "merge: a file that grows at opening $nth: it has grown" \
        test "$(stat -c %s "$dir/grows.trace")" -gt 100000
    same "merge: a file that grows at opening $nth: lines" "$dir/grows.expected" "$dir/grows.out"
    check "merge: a file that grows at opening $nth: no message" \
        cmp "$dir/err.expected" "$dir/err"
done

# an index that becomes shorter while it is read
cp tests/traces/stencil.trace "$dir/indexed.trace"
"$paje" at "$dir/indexed.trace" 0.01 >"$dir/at"
"$paje" index --events 20 "$dir/indexed.trace" 2>"$dir/err"
faulty 'an index that shrinks while it is read' 0 'indexed.trace.pajeidx is not used: it is cut short; `paje index` renews it' \
    "SHRINK=$dir/indexed.trace.pajeidx" at "$dir/indexed.trace" 0.01
same 'an index that shrinks while it is read: the trace is read' "$dir/at" "$dir/out"

# replaced NTH OPTION...: a file that another one replaces before it is opened for the Nth time
replaced() {
    nth=$1
    shift
    cp tests/traces/stencil.trace "$dir/replaced.trace"
    cp tests/traces/tour.trace "$dir/replaced.trace.other"
    LD_PRELOAD=$shim FAULT_REPLACE=$dir/replaced.trace FAULT_NTH=$nth "$paje" "$@" "$dir/replaced.trace" \
        >"$dir/out" 2>"$dir/err"
    status=$?
    if [ $status = 3 ] && grep -q "^paje: $dir/replaced.trace: it was replaced while it was read" "$dir/err"; then
        pass "a file that is replaced between two passes: $1"
    else
        fail "a file that is replaced between two passes: $1" "exit status $status: $(tail -n 1 "$dir/err")"
    fi
}
replaced 2 critical --format csv
replaced 2 csv --field-columns -d "$dir/replaced"
replaced 2 efficiency --slice 0.01
for nth in 3 4; do # before, its size is not known
    replaced $nth merge -o "$dir/replaced.out"
done

# a file that a shorter one replaces between looking at its size, which tells where parts begin, and replaying it
cp "$dir/large.trace" "$dir/replaced.trace"
cp tests/traces/tour.trace "$dir/replaced.trace.other"
LD_PRELOAD=$shim FAULT_REPLACE=$dir/replaced.trace FAULT_NTH=2 "$paje" dump --part 2/3 "$dir/replaced.trace" \
    >"$dir/out" 2>"$dir/err"
status=$?
check 'a file that a shorter one replaces before its part is replayed' test $status = 3 -a \
    "$(cat "$dir/err")" = "paje: $dir/replaced.trace: its size changes, so that its parts do not fit together"

# written_over NAME OPTION...: a file of the same length that gets another date while several processes read it, or
# while an index is made; lines over empty ones at its end are no change
for i in $(seq 8); do cat "$dir/tail"; done >>"$dir/shrinks.trace"
{ head -n -1 "$dir/shrinks.trace"; printf '\n\n'; } >"$dir/room.trace"
written_over() {
    name=$1
    shift
    cp "$dir/shrinks.trace" "$dir/dated.trace"
    LD_PRELOAD=$shim FAULT_DATE=$dir/dated.trace FAULT_NTH=2 "$paje" "$@" "$dir/dated.trace" >"$dir/out" 2>"$dir/err"
    status=$?
    cp "$dir/room.trace" "$dir/dated.trace"
    LD_PRELOAD=$shim FAULT_DATE=$dir/dated.trace FAULT_NTH=2 "$paje" "$@" "$dir/dated.trace" >"$dir/out" 2>"$dir/at.err"
    status=$status,$?
    if [ $status = 3,0 ] && grep -q "^paje: $dir/dated.trace: it was changed while it was read" "$dir/err"; then
        pass "a file that is written over while it is read: $name"
    else
        fail "a file that is written over while it is read: $name" "exit status $status: $(cat "$dir/err" "$dir/at.err")"
    fi
}
written_over 'dump -j' dump -j 2
written_over 'profile -j' profile -j 2
written_over 'null -j' null -j 2
written_over index index

exit $failed
