#!/bin/bash
# Live programs: requests, harmful clients, what the program calls, security; mirctl and mir_engine.
set -u
cd "$(dirname "$0")/../.." || exit 3
. tests/tool/lib.sh
live=$PWD/build/examples/live/demo mirctl=$PWD/build/examples/mir/mirctl engine=$PWD/build/examples/mir/mir_engine
make -s build/examples/live/demo 2>/dev/null && [ -x "$live" ] || { echo 'SKIP live: programs answer on Linux only'; exit 0; }
make -s build/examples/mir/mirctl build/examples/mir/mir_engine build/tests/live/{document,requests,same,clients,fork,trouble} || exit 3

build/tests/live/document || failed=1
build/tests/live/requests "$dir/replies" || failed=1
build/tests/live/same "50${FULL:+0}" || failed=1
build/tests/live/fork || failed=1
build/tests/live/trouble || failed=1

socket=$dir/socket
unset PAJE_LIVE

# start ARGUMENT...: starts the demo at the socket; its number is in $program
start() {
    rm -f "$dir/demo.out"
    PAJE_LIVE=unix:$socket "$live" "$@" >"$dir/demo.out" 2>"$dir/demo.err" &
    program=$!
    wait_for 10 "$mirctl" "$socket" --clock
}
# ended: ends the demo by a knob; its exit status is 0, and it has said what it has done
ended() {
    "$mirctl" "$socket" --set iterations=0 >/dev/null && wait "$program" && grep -q ' iterations, ' "$dir/demo.out"
}

# ---- mirctl

start 100000000
expect 'mirctl: all aggregates of a region' 0 'WC_TIME +variance +[0-9.]+ ms' "$mirctl" "$socket" -r solve -a all -i 200ms -n 1
expect 'mirctl: a region of a thread: its own executions' 0 '<instrreq activated="true" own="true">.*<thread id="2"/>' \
    "$mirctl" "$socket" --show -r solve -t 2 -i 200ms -n 1
expect 'mirctl: JSON' 0 '"metric": "WC_TIME".*"thread": "2", "unit": "ms", "value": [0-9.]+}' "$mirctl" "$socket" -r solve -i 200ms -n 1 --json
expect 'mirctl: OpenMetrics' 0 'mir_wc_time_maximum{unit="ms",region="solve".*} [0-9.]+' "$mirctl" "$socket" -r solve -a max -i 200ms -n 1 --openmetrics
! command -v python3 >/dev/null || check 'mirctl: JSON of any document' sh -c "'$mirctl' '$socket' --catalog --snapshot=2 --json | python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]'"
expect 'mirctl: a knob, and one that is clamped' 0 'rows  status clamped  old 64  new 32' "$mirctl" "$socket" --set rows=40
check 'mirctl: a knob goes back when its client is gone' wait_for 10 sh -c "'$mirctl' '$socket' --catalog | grep -q 'name rows  value 64'"
expect 'mirctl: a slot' 0 'kernel  status applied' "$mirctl" "$socket" --replace kernel=damped
expect 'mirctl: a call' 0 'rebalance  status applied' "$mirctl" "$socket" --call rebalance
expect 'mirctl: out of range' 0 'status refused  reason range' "$mirctl" "$socket" --set workers=9
expect 'mirctl: unknown' 0 'status refused  reason unknown' "$mirctl" "$socket" --set nothing=9
expect 'mirctl: at another place' 0 'status refused  reason never' "$mirctl" "$socket" --set workers=3 --at elsewhere
expect 'mirctl: no such region' 1 'there is no region nothing' "$mirctl" "$socket" -r nothing
expect 'mirctl: not in the catalogue' 1 'GC_COUNT: not in this catalogue' "$mirctl" "$socket" -m GC_COUNT
expect 'mirctl: the clock is this machine’s' 0 'clock is -?0\.0000' "$mirctl" "$socket" --clock
expect 'mirctl: threads and memory' 0 'THREAD_COUNT +last +4' "$mirctl" "$socket" -m THREAD_COUNT,HEAP_MEM_USAGE -i 200ms -n 1
expect 'mirctl: expired where no point is reached' 0 'status expired' sh -c "printf '%s' '<tunereq id=\"1\" at=\"nowhere\" expires=\"30\"><call name=\"rebalance\"/></tunereq>' | '$mirctl' '$socket' -d - --wait 300ms"
expect 'mirctl: superseded by the next' 0 'status superseded' sh -c "printf '%s' '<tunereq id=\"1\"><set name=\"workers\" value=\"3\"/><set name=\"workers\" value=\"2\"/></tunereq>' | '$mirctl' '$socket' -d - --wait 300ms"
expect 'mirctl: two documents at once' 0 '2 snapshot 1 catalog' sh -c "'$mirctl' '$socket' --catalog --snapshot=1 --snapshot --xml |
    grep -o '^<[a-z]*' | sort | uniq -c | sort -r | tr -d '<\n' | tr -s ' '"
expect 'mirctl: a value that is too long' 2 'too long' "$mirctl" "$socket" --set "rows=$(printf '%01100d' 1)"
expect 'mirctl: too many threads' 2 'too many threads' "$mirctl" "$socket" $(printf -- '-t %d ' {1..40}) -i 200ms -n 1
expect 'mirctl: a count that is none' 2 'no whole number' "$mirctl" "$socket" -i 200ms -n many
expect 'mirctl: what is no option' 2 'rebalance: this is no option' "$mirctl" "$socket" --catalog rebalance
expect 'mirctl: by the number of the process' 0 'rebalance' "$mirctl" "$program" --catalog
ended
check 'a program is ended by a knob' test $? = 0
check 'it was called once' grep -q ' 1 times rebalanced' "$dir/demo.out"
# Programs that reply what they should not: a byte at a time, something else, what controls a terminal.
if command -v python3 >/dev/null; then
    cat >"$dir/peer.py" <<'END'
import socket, sys, time
one = socket.socket(socket.AF_UNIX)
one.bind(sys.argv[1])
one.listen(1)
peer = one.accept()[0]
for byte in sys.argv[2].encode():
    peer.sendall(bytes([byte]))
    time.sleep(float(sys.argv[3]))
time.sleep(20)
END
    # peer NAME STATUS PATTERN REPLY SECONDS OPTION...: the reply comes byte by byte, with a pause of so many seconds
    peer() {
        python3 "$dir/peer.py" "$dir/peer" "$4" "$5" >/dev/null 2>&1 &
        wait_for 10 test -S "$dir/peer"
        expect "$1" "$2" "$3" timeout 20 "$mirctl" "$dir/peer" "${@:6}"
        kill $! 2>/dev/null
        rm -f "$dir/peer"
    }
    peer 'mirctl: a reply that never is whole' 3 'does not reply' "<ping received='$(printf '%0200d' 0)'/>" 0.2 --clock
    peer 'mirctl: another reply' 3 'no reply to <ping/>' '<results/>' 0 --clock
    peer 'mirctl: a reply that controls a terminal' 1 '^mirctl: \\xc2\\x9b31m a\\xe2\\x80\\xaeb\\x7fc é$' \
        '<errors><error>&#x9b;31m a&#x202e;b&#x7f;c é</error></errors>' 0.001 --clock
    peer 'mirctl: a catalogue that controls a terminal' 0 'name \\u009b31m é\\u007f' \
        '<catalog><knob name="&#x9b;31m é&#x7f;"/></catalog>' 0 --catalog
    odd='<probe id="1"/><measurement processId="&quot;\"><measurement threadId="1" value="1e9 &quot;} x"/></measurement>'
    peer 'mirctl: JSON of a value that is no number' 0 '"process": "\\"\\\\", "thread": "1", "unit": "ms", "value": "1e9 \\"} x"}]$' \
        "$odd" 0 -m WC_TIME -i 100ms -n 1 --json
    check 'mirctl: it is JSON' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$dir/out"
    peer 'mirctl: OpenMetrics of a value that is no number' 0 '^mir_wc_time_last{.*thread="1"} NaN$' \
        "$odd" 0 -m WC_TIME -i 100ms -n 1 --openmetrics
else
    echo 'SKIP live: mirctl: replies that are odd: no python3 (install python3)'
fi
expect 'mirctl: the program has gone' 3 'No such file' "$mirctl" "$socket" --catalog
expect 'mirctl: not started with PAJE_LIVE' 3 'not started with PAJE_LIVE' "$mirctl" $$ --catalog

expect 'mirctl: the functions of a file' 0 '<unit id=".*"><codeRegion .*<codeRegion id="rebalance" name="rebalance"/>' "$mirctl" "$live" --sir
expect 'mirctl: a file that has none' 3 'not an ELF file' "$mirctl" tests/live/live.sh --sir

# ---- replies are valid

if command -v xmllint >/dev/null; then
    start 100000000
    {
        cat "$dir/replies"
        for request in --catalog --snapshot=5 --sir --set=workers=3 --set=no=1; do "$mirctl" "$socket" --xml $request; done
        "$mirctl" "$live" --sir
        "$mirctl" "$socket" --xml -r solve -m WC_TIME,CPU_TIME -a all -i 200ms -n 1
    } >"$dir/documents"
    ended
    bad=0 count=0
    while IFS= read -r line; do
        count=$((count + 1))
        printf '%s\n' "$line" >"$dir/one.xml"
        [ "${FULL:-}" ] || [ $((count % 3)) = 0 ] || [ $count -gt 75 ] || continue
        xmllint --noout --dtdvalid examples/mir/mir.dtd "$dir/one.xml" 2>"$dir/xmllint" || { bad=1; echo "$line: $(head -n 1 "$dir/xmllint")" >&2; }
    done <"$dir/documents"
    check "replies are valid by examples/mir/mir.dtd" test "$bad" = 0 -a "$count" -gt 70
else
    echo 'SKIP live: replies are valid: xmllint is missing (install libxml2-utils)'
fi

# ---- harmful clients

start 100000000 "$dir/harmed.trace"
check 'clients that are killed at random moments' build/tests/live/clients "$socket" killed "100${FULL:+0}"
check 'a client that stops reading' build/tests/live/clients "$socket" stopped "1${FULL:+0}"
check 'a slow client' build/tests/live/clients "$socket" slow "1${FULL:+0}"
check 'hostile documents' build/tests/live/clients "$socket" hostile
check 'too many clients' wait_for 10 build/tests/live/clients "$socket" many
check 'then a good client, and a second one' wait_for 10 build/tests/live/clients "$socket" good
check 'the program has less than 40 MB' sh -c "awk '/VmRSS/ { exit \$2 > 40000 }' /proc/$program/status"
ended
check 'the program goes on to its end' test $? = 0
check 'its trace is strictly valid' "$paje" validate --strict "$dir/harmed.trace"

# ---- thread sanitizer

if [ "${FULL:-}" ] && ${CC:-cc} -std=c99 -D_GNU_SOURCE -O1 -g -fsanitize=thread -w -I. -Iexamples examples/live/*.c \
    -o "$dir/sanitized" -pthread 2>/dev/null; then
    plain=$live live=$dir/sanitized
    start 100000000
    for count in 1 2 3; do
        "$mirctl" "$socket" -r solve -m WC_TIME,CPU_TIME -a all -i 100ms -n 2
        "$mirctl" "$socket" --set workers=$count --set rows=48 --call rebalance --snapshot=4
        "$mirctl" "$socket" --catalog
    done >/dev/null
    build/tests/live/clients "$socket" killed 40
    ended
    check 'thread sanitizer: the program ends well, and has no races' \
        sh -c "grep -A 4 'WARNING\\|  #[01]' '$dir/demo.err'; [ $? = 0 ] && [ ! -s '$dir/demo.err' ]"
    live=$plain
elif [ "${FULL:-}" ]; then
    echo 'SKIP live: thread sanitizer: the compiler has none (install gcc)'
fi

# ---- the trace, to a client; side programs

start 100000000 live
"$mirctl" "$socket" --trace >"$dir/first.trace" &
first=$!
wait_for 10 test -s "$dir/first.trace"
sleep 0.2
"$mirctl" "$socket" --trace >"$dir/second.trace" &
second=$!
"$mirctl" "$socket" --trace=3 >"$dir/thread.trace" &
third=$!
wait_for 10 test -s "$dir/second.trace" -a -s "$dir/thread.trace"
expect 'a thread without a trace of its own' 1 'no thread 9 has a trace' "$mirctl" "$socket" --trace=9
sleep 0.2
ended
check 'the program ends' test $? = 0
wait $second
wait $third
wait $first
check 'a trace that was sent is strictly valid' "$paje" validate --strict "$dir/second.trace"
check 'so is that of another thread, which has a stream of its own' "$paje" validate --strict "$dir/thread.trace"
expect 'with its regions' 0 'State .*solve' "$paje" profile "$dir/thread.trace"
check 'that of a client before is valid up to where the other came' sh -c "'$paje' validate '$dir/first.trace'"

"$live" 200 "$dir/file.trace" >/dev/null
printf '<instrreq activated="true"><codeRegion from="solve" to="solve"/><metric name="WC_TIME"/><measuring><aggregate function="SUM"/></measuring></instrreq>' >"$dir/before"
printf '<ctrlreq action="VALUE"><probe id="p1"/></ctrlreq>' >"$dir/after"
"$engine" -r "$dir/before" -e "$dir/after" "$dir/file.trace" >"$dir/sum"
read -r sum count < <("$paje" dump "$dir/file.trace" |
    awk -F', ' '$1 == "State" && $8 == "solve" { s += $6; n++ } END { printf "%.6f %d\n", s * 1000, n }')
told=$(sed -n 's/.*value="\([0-9.]*\)".*/\1/p' "$dir/sum" | awk '{ printf "%.6f", $1 }')
# the dump rounds each time to a microsecond
check "mir_engine: the sum of a region is that of the dump ($sum ms)" \
    awk "BEGIN { d = $sum - $told; d = d < 0 ? -d : d; exit !(d <= 0.0005 * $count && $sum > 0) }"
cat "$dir/file.trace" | "$engine" -r "$dir/before" -e "$dir/after" >"$dir/piped"
same 'mir_engine: by a pipe' "$dir/sum" "$dir/piped"

# lasts TIME: prints a trace of a state from 1500 to TIME, in whatever unit
lasts() {
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 0' '11 1500 S t solve "" 1' "12 $1 S t \"\""
}
for unit in s ms us ns; do
    lasts 1750.5 | "$engine" -u $unit -r "$dir/before" -e "$dir/after" | sed -n 's/.*value="\([0-9.]*\)".*/\1/p'
done >"$dir/units"
printf '%s\n' 250500 250.5 0.2505 0.00025 >"$dir/units.right"
same 'mir_engine: times in s, ms, us and ns' "$dir/units.right" "$dir/units"
expect 'mir_engine: a unit that there is not' 2 'usage: mir_engine' "$engine" -u min "$dir/file.trace"
expect 'mir_engine: a time that has no room in nanoseconds' 1 'lines of the trace were refused' \
    sh -c "$(declare -f lasts); lasts 20000000000 | '$engine' -u ns"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    for i in {1..257}; do printf '%s\n' "6 $i t$i T 0 t 0" "11 $i S t$i solve \"\" 1" "12 $i.5 S t$i \"\"" "7 $i.5 T t$i"; done
} >"$dir/many.trace"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 0'
    for i in {1..1500} lock lock; do printf '%s\n' "11 0 S t $i \"\" 1" '12 0.5 S t ""'; done
} >"$dir/functions.trace"
printf '<instrreq activated="true"><metric name="BLOCKED_TIME"/></instrreq>' >"$dir/blocked"
expect 'mir_engine: a state behind those of 1500 functions' 0 'value="1000"' \
    "$engine" -r "$dir/blocked" -e "$dir/after" "$dir/functions.trace"
expect 'mir_engine: a trace that includes a file' 1 'it includes files' "$engine" tests/traces/including.trace
expect 'mir_engine: more than 256 threads' 1 'it has more than 256 threads' "$engine" -r "$dir/before" -e "$dir/after" "$dir/many.trace"

# ---- under paje trace

"$paje" trace --live --keep="$dir/run" --record=io -o "$dir/asked.trace" sh -c 'while [ ! -e '"$dir"'/enough ]; do sleep 0.1; done' &
traced=$!
wait_for 10 test -s "$dir/asked.trace" -a -s "$dir/run/control"
"$engine" -F -s "$dir/side" -c "$dir/run" "$dir/asked.trace" &
side=$!
wait_for 10 sh -c "'$mirctl' '$dir/side' --snapshot=3 | grep -q 'stack  running'"
expect 'paje trace: states of a program that runs' 0 'stack  running' "$mirctl" "$dir/side" --snapshot=3
expect 'paje trace: a category is switched on, another off' 0 'applied' "$mirctl" "$dir/side" --on locks --off io
check 'paje trace: in the same page as by --on and --off' sh -c "[ \$(od -An -tu4 -j16 -N4 '$dir/run/control') = 2 ]"
"$paje" trace --on io "$dir/run"
check 'paje trace: which it changes, too' sh -c "[ \$(od -An -tu4 -j16 -N4 '$dir/run/control') = 6 ]"
touch "$dir/enough"
wait $traced
kill $side
wait $side 2>/dev/null

# regions by the symbols of a file: what its SIR names can be asked for
printf '%s\n' '#include <unistd.h>' 'int done; void solve_rows(void) { usleep(1000); done++; }' \
    'int main(int argc, char **argv) { while (access(argv[1], F_OK) != 0) solve_rows(); return done < 1; }' >"$dir/solver.c"
if ${CC:-cc} -finstrument-functions -o "$dir/solver" "$dir/solver.c"; then
    rm -f "$dir/enough" "$dir/side"
    "$paje" trace --live -o "$dir/solver.trace" "$dir/solver" "$dir/enough" &
    traced=$!
    wait_for 10 grep -q solve_rows "$dir/solver.trace"
    "$engine" -F -s "$dir/side" "$dir/solver.trace" &
    side=$!
    name=$("$mirctl" "$dir/solver" --sir | grep -o 'id="solve_rows"' | cut -d'"' -f 2)
    check 'paje trace: a function of the SIR of its file is measured' \
        wait_for 20 sh -c "'$mirctl' '$dir/side' -r '$name' -a min,sum -i 300ms -n 1 | grep -q 'solve_rows .*minimum  *[1-9]'"
    touch "$dir/enough"
    wait $traced
    kill $side
    wait $side 2>/dev/null
fi

# ---- what the program calls

if command -v strace >/dev/null && strace -o "$dir/probe" true 2>/dev/null; then
    PAJE_LIVE=unix:$socket strace -f -o "$dir/calls" "$live" 100000000 >"$dir/demo.out" 2>&1 &
    program=$!
    wait_for 10 test -S "$socket"
    "$mirctl" "$socket" -r solve -a all -i 20ms -n 2 >/dev/null
    build/tests/live/clients "$socket" killed 10
    ended
    check 'strace: the program ends' test $? = 0
    check 'strace: it sends with MSG_DONTWAIT only' sh -c "grep -q 'sendto(' '$dir/calls' && ! grep 'sendto(' '$dir/calls' | grep -v MSG_DONTWAIT"
    check 'strace: it receives with MSG_DONTWAIT only' sh -c "! grep 'recvfrom' '$dir/calls' | grep -v 'MSG_DONTWAIT\\|unfinished'"
    worker=$(awk '$2 ~ /^clone/ { print $NF }' "$dir/calls" | head -n 2 | tail -n 1) # the agent is the first thread
    check 'strace: other threads call nothing of the channel' sh -c "[ '$worker' ] && ! grep '^$worker ' '$dir/calls' | grep 'poll(\\|send\\|recv\\|accept'"
    strace -f -o "$dir/calls" "$live" 100 >/dev/null
    check 'strace: without PAJE_LIVE no thread, socket or pipe' sh -c "[ \$(grep -c 'clone.*= [0-9]' '$dir/calls') = 3 ] && ! grep ' socket(\\| pipe\\| poll(' '$dir/calls'"
else
    echo 'SKIP live: what the program calls: strace is missing (install strace)'
fi

# ---- security

# refused NAME WHERE TEXT: the program says why, and goes on without
refused() {
    PAJE_LIVE=$2 "$live" 10 >"$dir/demo.out" 2>"$dir/demo.err"
    check "$1" sh -c "grep -q '$3' '$dir/demo.err' && grep -q '^10 iterations' '$dir/demo.out'"
}
echo precious >"$dir/file"
ln -s file "$dir/link"
mkdir -m 755 "$dir/open"
ln -s "$dir" "$dir/folder-link"
refused 'a file at the path of the socket stays' "unix:$dir/file" 'in use'
refused 'so does a symbolic link' "unix:$dir/link" 'in use'
refused 'a folder that others may enter' "@$dir/open" 'not a folder of this user alone'
refused 'a folder that is a link' "@$dir/folder-link" 'not a folder of this user alone'
refused 'a descriptor that is no socket' fd:2 'not a stream socket'
refused 'no such form' nonsense 'neither unix:PATH'
refused 'a path that is too long' "unix:/tmp/$(printf '%0200d' 1)" 'at most 107 bytes'
check 'the file is as it was' grep -q precious "$dir/file"
start 100000000
refused 'the socket of a program that runs is not taken' "unix:$socket" 'in use'
check 'only its user may use the socket' sh -c "[ \"\$(stat -c %a '$socket')\" = 600 ]"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 777 "$dir" "$socket"
    cp build/tests/live/clients "$dir/clients"
    expect 'another user is not replied to' 1 '' timeout 20 setpriv --reuid 65534 --clear-groups "$dir/clients" "$socket" good
else
    echo 'SKIP live: another user: this needs root and setpriv (install util-linux)'
fi
cp "$live" "$dir/privileged"
if [ "$(id -u)" = 0 ] && chown 65534 "$dir/privileged" && chmod 4755 "$dir/privileged"; then
    PAJE_LIVE=unix:$dir/nothing "$dir/privileged" 10 >"$dir/demo.out2" 2>"$dir/demo.err2"
    expect 'a program whose file gives it privileges opens nothing' 0 'privileges of its file' cat "$dir/demo.err2"
fi
{ kill -9 "$program"; wait "$program"; } 2>/dev/null
start 100000000
ended
check 'a socket that was left by a program that was killed is replaced' test $? = 0
mkdir -m 700 "$dir/folder"
PAJE_LIVE=@$dir/folder "$live" 100000000 >"$dir/demo.out" & program=$!
wait_for 10 test -S "$dir/folder/$program"
expect 'a folder of sockets, by the number of the process' 0 'rebalance' "$mirctl" "$program" --catalog
socket=$dir/folder/$program
ended
check 'and its program ends' test $? = 0
check 'which removes its socket' test ! -e "$dir/folder/$program"

exit $failed
