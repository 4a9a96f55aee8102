#!/bin/bash
# examples/read/uart_receiver.c: bad lines, late beginnings, resets, full disks.
set -u
cd "$(dirname "$0")/../../.." || exit 3
dir=build/tests/ring/embedded/receiver
rm -rf $dir
mkdir -p $dir
make -s build/paje build/examples/write/hello build/examples/read/uart_receiver \
    build/tests/ring/embedded/noise build/tests/ring/embedded/pty || exit 3
cd $dir || exit 3
bin=$OLDPWD/build
receiver=$bin/examples/read/uart_receiver paje=$bin/paje
failed=0

# expect NAME TEXT COMMAND...: passes if the command prints TEXT, with its exit status as the last line
expect() {
    local name=$1 text=$2 output
    shift 2
    output=$("$@" 2>&1; echo "status $?")
    if [ "$output" = "$text" ]; then
        echo "PASS uart_receiver: $name"
    else
        echo "FAIL uart_receiver: $name: \`${output//$'\n'/|}\` in place of \`${text//$'\n'/|}\`"
        failed=1
    fi
}

# A header, definitions, two containers; then states and a variable, in independent lines.
"$bin/examples/write/hello" hello.trace
sed '/^18 /,$d' hello.trace >clean.trace
awk 'BEGIN { for (i = 1; i <= 1500; i++) {
        time = sprintf("%d.%09d", i / 100, i % 100 * 10000000 + 100)
        print (i % 3 ? "18 " : "23 ") time " " i % 2 + 1 (i % 3 ? " 2 " i % 2 + 1 : " 4 " i)
    } }' >>clean.trace

# receive FILE [COMMAND...]: prints what was stored, and the last line of standard error, without the name of the input
receive() {
    local file=$1
    shift
    "$@" "$receiver" -o got.trace <"$file" >live.txt 2>said.txt
    tail -n 1 said.txt | sed 's/.*: //'
    cmp got.trace "${kept:-$file}"
}

# ---- undamaged lines

expect 'all of a clean trace is taken' "$(wc -c <clean.trace) bytes, of which 0 were lost, in 0 places
status 0" receive clean.trace
expect 'states are shown' '    0.010000100  Bob              Activity     waiting          since 0.010000100
status 0' head -n 1 live.txt
expect 'popped states show what is below' '    0.000000003  Alice            Activity     computing        since 0.000000001
status 0' sh -c "(sed '/^18 /,\$d' hello.trace; printf '%s\n' '19 0.000000001 1 2 1' '19 0.000000002 1 2 2' \
    '20 0.000000003 1 2') | '$receiver' 2>/dev/null | tail -n 1"
expect 'comments are shown' '# dropped 3 events from 1 to 2
status 0' sh -c "echo '# dropped 3 events from 1 to 2' | '$receiver' 2>/dev/null"

# ---- damaged lines

damaged() { # SEED
    "$bin/tests/ring/embedded/noise" "$1" kept.trace <clean.trace >damaged.trace
    kept=kept.trace receive damaged.trace "${@:2}" >said.last
    local status=$?
    # every byte was either lost or stored
    local all
    all=$(wc -c <damaged.trace)
    sed "s/^$all bytes, of which $((all - $(wc -c <kept.trace))) were lost, in .*/sums up/" said.last
    return $status
}
for seed in 1 2 3 4 5; do
    expect "what is damaged is left out, and nothing else: noise $seed" 'sums up
status 0' damaged $seed
done
expect 'over a pseudo terminal' 'sums up
status 0' damaged 6 "$bin/tests/ring/embedded/pty"

# ---- late beginnings, resets

lost() { "$receiver" -o got.trace <"$1" 2>&1 >/dev/null | sed 's/^uart_receiver: standard input: //'; }

late() {
    sed '1,/^18 /d' hello.trace >missed.trace
    cat missed.trace hello.trace >late.trace
    lost late.trace | sed "s/lost $(wc -c <missed.trace) bytes/lost all before/; /places/d"
    cmp got.trace hello.trace
}
expect 'what comes before its definitions is lost' 'byte 0, lines 1 to 9: lost all before: not defined (yet): 19
status 0' late

again() {
    sed '/^18 /,$d' hello.trace >definitions.trace
    sed '/^18 /,$!d' hello.trace >events.trace
    cat definitions.trace definitions.trace events.trace >again.trace
    lost again.trace | sed 's/^[0-9]* bytes, of/of/'
    cmp got.trace hello.trace
}
expect 'repeated definitions are ignored' 'of which 0 were lost, in 0 places
status 0' again

reset() { # BYTES
    (head -c "$1" hello.trace; echo; cat hello.trace) >reset.trace
    rm -f got.trace.1
    lost reset.trace | sed -n 's/^line [0-9]*: //p'
    cmp got.trace.1 hello.trace && "$paje" validate --strict got.trace.1 | sed 's/.*: //'
}
size=$(wc -c <hello.trace)
for cut in 30 77 150; do
    expect "a reset, $cut bytes before the end" 'the board was reset; a new trace begins
valid
status 0' reset $((size - cut))
done

# ---- single lines

# told NAME LINE TEXT: after the definitions such a line is lost, and the next one is not
told() {
    sed '/^18 /,$d' hello.trace >one.trace
    # shellcheck disable=SC2059
    { printf "$2"; echo '18 1 1 2 1'; } >>one.trace
    expect "$1" "$3
18 1 1 2 1
status 1" told_of one.trace
}
told_of() {
    "$receiver" -o got.trace "$1" 2>&1 >/dev/null | sed -n 's/.*: lost/lost/p'
    tail -n 1 got.trace
    "$receiver" "$1" >/dev/null 2>&1
}
told 'a zero byte' '18 0.5 \000 2 1\n' 'lost 13 bytes: control byte'
told 'two lines that became one' '18 0.5 1 2 218 0.6 1 2 1\n' \
    'lost 25 bytes: more fields than the event'"'"'s definition has; the rest is ignored: 0.6'
told 'a value that is not defined' '18 0.5 1 2 9\n' 'lost 13 bytes: value is not defined: 9'
told 'no end of a definition' '%%EventDef PajeNewEvent 99\n%% Time date\n' 'lost 38 bytes: definition lacks its end'
told 'a damaged definition' '%%EventDef PajeNewEvent 99\n%% Time xx\n%%EndEventDef\n' \
    'lost 49 bytes: field type unknown; read as a string: xx'
file='%%EventDef PajeTraceFile 28\n%% Container string\n%% Type string\n%% Filename string\n%%EndEventDef\n'
told 'the name of a file' "${file}28 1 1 other.trace\n" 'lost 19 bytes: includes a file, which a serial line cannot carry'

expect 'a line that is cut off by the end' 'uart_receiver: standard input: byte 0, lines 1 to 1: lost 5 bytes: cut off at the end of the input
uart_receiver: standard input: 5 bytes, of which 5 were lost, in 1 places
status 1' sh -c "printf '18 0.' | '$receiver'"
expect 'nothing at all' 'uart_receiver: /dev/null: 0 bytes, of which 0 were lost, in 0 places
status 0' "$receiver" /dev/null

# ---- failures

expect 'no such line' 'uart_receiver: nowhere/tty: No such file or directory
status 3' "$receiver" nowhere/tty
expect 'a folder' 'uart_receiver: .: Is a directory
status 3' "$receiver" .
expect 'a full disk' 'uart_receiver: /dev/full: No space left on device
status 3' sh -c "'$receiver' -o /dev/full clean.trace >/dev/null"
expect 'standard output on a full disk' 'uart_receiver: standard output: No space left on device
status 3' sh -c "'$receiver' clean.trace >/dev/full"
expect 'a file that cannot be made' 'uart_receiver: nowhere/x: No such file or directory
status 3' "$receiver" -o nowhere/x clean.trace
expect 'no rate' 'uart_receiver: /dev/pts: no rate
status 2' sh -c "'$bin/tests/ring/embedded/pty' '$receiver' -b 12345 </dev/null 2>&1 | sed 's,/dev/pts/[0-9]*: .*,/dev/pts: no rate,'; exit 2"
expect 'usage' 'usage: uart_receiver [-b BAUD] [-o FILE] [LINE]
status 2' "$receiver" one two
exit $failed
