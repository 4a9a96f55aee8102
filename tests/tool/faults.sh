#!/bin/bash
# What goes wrong around the tool: each call of the system fails once, at every place where there is one; each time it
# ends with status 3 and says why, in one line, or does all of its work.
. "$(dirname "$0")/lib.sh"

shim=$PWD/$dir/faults.so
if ! ${CC:-cc} -std=c99 -O1 -shared -fPIC tests/tool/faults.c -o "$shim" -ldl 2>"$dir/cc.log"; then
    skip faults 'no shared libraries for LD_PRELOAD (install gcc libc6-dev)'
    exit 0
fi
cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
injected=0 # how many times something failed

# arguments COMMAND: what it is called with
arguments() {
    case $1 in
    equals) echo "$dir/whole.trace $dir/whole.trace" ;;
    csv) echo "-d $dir/csv $dir/whole.trace" ;;
    merge) echo "-o $dir/merged $dir/whole.trace $dir/whole.trace --apart" ;;
    *) echo "$dir/whole.trace" ;;
    esac
}

# injure COMMAND CALL ERRNO TEXT: from the first, second, third ... call on they fail, until there are no more
injure() {
    local command=$1 call=$2 number=$3 text=$4 nth status
    for nth in $(seq 60) $(seq 61 17 2000); do
        # shellcheck disable=SC2046
        LD_PRELOAD=$shim FAULT_CALL=$call FAULT_NTH=$nth FAULT_ERRNO=$number \
            timeout 20 "$paje" $command $(arguments $command) >"$dir/out" 2>"$dir/err" </dev/null
        status=$?
        [ $status = 3 ] || break
        injected=$((injected + 1))
        if [ "$(grep -c . "$dir/err")" != 1 ] || ! grep -Eq "^paje: .*$text" "$dir/err"; then
            fail "$command: $call fails" "the call $nth: $(head -n 3 "$dir/err" | tr '\n' '|')"
            return
        fi
    done
    if [ $status = 0 ] && [ $nth -gt 1 ]; then
        pass "$command: $call fails"
    else
        fail "$command: $call fails" "the call $nth: exit status $status $(head -n 1 "$dir/err")"
    fi
}

for command in chrome csv dump equals html index info merge null parse profile sql svg validate; do
    injure $command read 5 'Input/output error'
    injure $command write 28 'No space left on device'
    injure $command close 28 'No space left on device'
    injure $command realloc 12 'no memory for [0-9]+ bytes'
    [ $command != index ] || continue # what it says depends on what it did before
    # shellcheck disable=SC2046
    "$paje" $command $(arguments $command) >"$dir/expected" 2>&1 </dev/null
    LD_PRELOAD=$shim FAULT_CALL=torn "$paje" $command $(arguments $command) >"$dir/out" 2>&1 </dev/null
    sed -i '/^seconds\|^MB\/s/d' "$dir/expected" "$dir/out"
    same "$command: reads and writes of a few bytes, and interrupted" "$dir/expected" "$dir/out"
done
echo "injected $injected faults" >&2

# faulty NAME STATUS TEXT FAULTS COMMAND...: as expect; FAULTS is like `CALL=open FILE=part`
faulty() {
    local faults=() fault
    for fault in $4; do faults+=("FAULT_$fault"); done
    expect "$1" "$2" "$3" env "LD_PRELOAD=$shim" "${faults[@]}" "$paje" "${@:5}"
}

# what cannot be opened: the trace, what it includes, what is written
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '2 E H Alarm' '6 0 h H 0 host 1'
} >"$dir/begin"
for i in $(seq 6000); do echo "30 $i E h some-value-of-an-event-that-is-not-short a $i"; done >"$dir/body"
cat "$dir/begin" "$dir/body" >"$dir/large.trace"
{ cat "$dir/begin"; echo '50 h H body'; echo '30 7000 E h behind a 1'; } >"$dir/includes.trace"
denied='CALL=open ERRNO=13'
faulty 'a trace that may not be read' 3 "^paje: $dir/large.trace: Permission denied\$" "$denied FILE=.trace" \
    dump "$dir/large.trace"
faulty 'an included file that may not be read' 1 \
    'includes.trace:[0-9]+:1: error: included file is left out: Permission denied: .body.$' "$denied FILE=body" \
    dump "$dir/includes.trace"
check 'an included file that may not be read: what follows is replayed' grep -q ', behind$' "$dir/out"
faulty 'merge: a file that may not be written' 3 "^paje: $dir/merged: Permission denied\$" "$denied FILE=merged" \
    merge -o "$dir/merged" "$dir/whole.trace"
faulty 'csv: a file that may not be written' 3 "^paje: $dir/csv/[a-z]*.csv: Permission denied\$" "$denied FILE=.csv" \
    csv -d "$dir/csv" "$dir/whole.trace"
faulty 'index: a file that may not be written' 3 'pajeidx.new: Permission denied$' "$denied FILE=.new" \
    index "$dir/whole.trace"

# a disk that fails in the middle of a file, of the trace and of one that it includes: what was read before is shown
faulty 'a disk that fails in mid-file' 3 "^paje: $dir/large.trace: Input/output error\$" 'CALL=read NTH=3 ERRNO=5' \
    dump "$dir/large.trace"
check 'a disk that fails in mid-file: what was read before is shown' test "$(grep -c '^Event, host' "$dir/out")" -gt 1000
faulty 'a disk that fails in mid-file: an included one' 3 "^paje: $dir/body: Input/output error\$" \
    'CALL=read NTH=4 ERRNO=5' dump "$dir/includes.trace"
check 'a disk that fails in mid-file: an included one: as well' test "$(grep -c '^Event, host' "$dir/out")" -gt 1000

# disks that are full, and a standard output that is closed
for command in chrome dump equals html info null parse profile sql svg validate; do
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

# who reads the output goes away
status=$({ for i in 1 2 3 4 5 6 7 8; do cat "$dir/whole.trace"; done >"$dir/long.trace"
    "$paje" dump "$dir/long.trace" 2>/dev/null; echo $? >"$dir/status"; } | true; cat "$dir/status"; )
case $status in
0 | 1 | 3) pass 'who reads the output goes away' ;;
*) fail 'who reads the output goes away' "exit status $status" ;;
esac

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

exit $failed
