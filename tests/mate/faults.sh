#!/bin/bash
# Faults of a tuned program and its tuner: workers killed in each state, a tuner that is killed, slow, or one of two; signals;
# collectors killed in each layer; a full disk. The program ends with the right result, and nothing is left behind.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/faults-tests
[ "$(uname)" = Linux ] || { echo 'SKIP mate/faults: needs Linux'; exit 0; }
make -s build/examples/mate/nbody build/examples/mate/kernels build/examples/mate/mate build/examples/mate/collector build/examples/mate/analyser build/tests/mate/killed build/tests/mate/slow build/paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
nbody=$root/build/examples/mate/nbody mate=$root/build/examples/mate/mate analyser=$root/build/examples/mate/analyser paje=$root/build/paje killed=$root/build/tests/mate/killed
failed=0
# is NAME EXPECTED OUTPUT
is() {
    if [ "$3" = "$2" ]; then
        echo "PASS mate/faults: $1"
    else
        echo "FAIL mate/faults: $1: $(diff <(echo "$2") <(echo "$3") | tr '\n' '|')"
        failed=1
    fi
}
# replayed NAME FOLDER: what was decided is decided again; where a process was killed, its last line may be refused
replayed() {
    "$paje" merge -o "$2.trace" "$2"/*.trace >merge.txt 2>&1
    is "$1: replayed, the same decisions" same "$("$analyser" --replay "$2.trace" >replay.txt 2>replay.err; [ $? -le 1 ] && ! grep differs replay.err && echo same)"
}
# A program that runs for long enough for all that is tried on it: begin, as $program, with sockets in the folder live.
work=(-b 32 -p step -S 1000 -l 10 -m 8 -i 1000)
timeout 300 "$nbody" "${work[@]}" >right.txt
right=$(sed -n 1p right.txt)
begin() { # begin [ARGUMENT...]
    rm -rf live && mkdir -m 700 live
    PAJE_LIVE=@live exec "$nbody" "${work[@]}" "$@" >work.txt 2>work.err &
    program=$!
    for ((k = 0; k < 500; k++)); do [ -e live/$program ] && break; sleep 0.02; done
}
ends() { # ends NAME: with the right result, and no piece lost
    local status=0
    wait $program || status=$?
    is "$1" "$right status 0 as many" "$(sed -n 1p work.txt) status $status $(sed -n 's/.*sent: \([0-9]*\), received: \1;.*/as many/p' work.txt; cat work.err)"
}
wait_until() { # wait_until CONDITION: for ten seconds at most
    local k
    for ((k = 0; k < 500; k++)); do eval "$1" && return 0; sleep 0.02; done
    return 1
}
children() { cat /proc/$1/task/$1/children 2>/dev/null; }

# ---- a trace with an error: by times before its origin

for program in 'nbody -q -i 5 -m 1' kernels; do
    mkdir -m 700 wrong
    is "$program: a trace that is wrong is told" 'time is before the origin' \
        "$(MATE_ORIGIN=9999999999999999999 PAJE_LIVE=@wrong timeout 60 "$root"/build/examples/mate/$program 2>&1 >/dev/null | sed -n 's/^\(master\|program\): its trace is wrong: \([^;]*\); [1-9].*/\2/p')"
    rmdir wrong
done

# ---- workers

"$killed" 2>killed.err || failed=1
is 'a piece that no worker survives: told' 'worker 1: it has ended 20 times while it had the same piece of iteration 0; giving up' "$(cat killed.err)"
for state in 0 1 2 3 4 5 6 7; do
    is "a worker killed in state $state, tuned" 'right, killed 1, sent as received status 0' \
        "$(timeout 60 "$mate" -q -s 1 -o state-$state "$killed" $state $((state % 3)) $((state % 7 ? 5 : 0)) 1 0 30 2>err.txt | sed 's/sent \([0-9]*\), received \1$/sent as received/' | tr '\n' ' '; echo "status ${PIPESTATUS[0]}")"
    replayed "a worker killed in state $state" state-$state
done

# ---- the master

begin
workers=$(children $program)
{ kill -9 $program; wait $program; } 2>/dev/null
is 'the master is killed: its workers end' yes "$(wait_until "! kill -0 $workers 2>/dev/null" && echo yes)"

# ---- a tuner that is slow, beside another that takes over

begin -S 2000 # long enough for space in the buffer, where the gap is noted
"$root/build/tests/mate/slow" live $program 8192 >slow.trace 2>slow.err &
slow=$!
ends 'a tuner that reads 8 KiB a second'
wait $slow
is 'a tuner that is slow: processes were asked' yes "$([ "$(cat slow.err)" -ge 1 ] && echo yes)" # workers may be gone before
is 'a tuner that is slow: events are dropped, and told' yes "$(grep -aq '^# dropped [1-9][0-9]* events' slow.trace && echo yes)"
[ -z "$(tail -c 1 slow.trace)" ] || sed -i '$d' slow.trace # a line of which the program, at its end, waited for no more
is 'a tuner that is slow: what it gets is valid, but for messages whose other ends others write' 0 "$("$paje" validate -z slow.trace >valid.txt 2>&1; echo $?)"

begin -S 8000 # long enough for a tuner that comes late on a busy machine
"$root/build/tests/mate/slow" live $program 4096 >slow.trace 2>slow.err &
slow=$!
wait_until '[ -s slow.err ]'
"$mate" --attach=live -o after 2>after.err &
tuner=$!
ends 'a tuner that takes over from a slow one'
wait $tuner
is 'a tuner that takes over from a slow one: it decides' 'status 0 yes' "status $? $(sed -n 's/^mate: decisions: [1-9].*/yes/p' after.err)"
is 'a tuner that takes over: its times are those of the program' yes "$(grep -q 'event to a decision: median [0-9]' after.err && echo yes)"
replayed 'a tuner that takes over from a slow one' after
wait $slow

# ---- two tuners at once

begin
for tuner in first second; do
    "$mate" --attach=live -o $tuner 2>$tuner.err &
    eval "$tuner=\$!"
done
ends 'two tuners at once'
wait $first; status=$?
wait $second
is 'two tuners at once: both end' '0 0' "$status $?"
replayed 'two tuners at once: the first' first
replayed 'two tuners at once: the second' second

# ---- a tuner that started the program

is 'the program has the signals of its starter' "$(grep Sig[BIC] /proc/self/status)" "$("$mate" -q grep 'Sig[BIC]' /proc/self/status)"
started() { # started ITERATIONS ARGUMENT...: mate runs as $tuner, its program as $program with sockets in $folder
    "$mate" "${@:2}" "$nbody" "${work[@]}" -i "$1" >work.txt 2>err.txt &
    tuner=$!
    wait_until 'program=$(for child in $(children $tuner); do [ "$(cat /proc/$child/comm)" != nbody ] || echo $child; done); [ -n "$program" ]'
    folder=$(tr '\0' '\n' </proc/$program/environ | sed -n 's/^PAJE_LIVE=@//p')
    wait_until '[ "$(ls "$folder" | wc -l)" = 9 ]'
    all="$(children $tuner) $(children $program)"
}
left() { # what is left of it
    wait_until "! kill -0 $all 2>/dev/null" || echo "processes: $(ps -o pid=,args= $all)"
    [ ! -e "$folder" ] || echo "in $folder: $(ls "$folder")"
}
started 1000 -q
kill -9 $tuner
wait $tuner 2>/dev/null
timeout 60 "$mate" --attach="$folder" -o other 2>err.txt
wait_until "! kill -0 $program 2>/dev/null" # it prints after the end of its trace
is 'a tuner that is killed: the program goes on' "$right" "$(sed -n 1p work.txt)"
replayed 'a tuner that is killed: another' other
rmdir "$folder"
for signal in TERM HUP; do
    started 1000000 -q -o by-$signal -c 3+2
    kill -$signal $tuner
    wait $tuner; status=$?
    is "SIG$signal: the program has it, and nothing is left" "SIG$signal" "SIG$(kill -l $status)$(left)"
    is "SIG$signal: the decisions are kept" '' "$("$paje" validate --strict by-$signal/decisions.trace 2>&1 | grep -v ': valid$')"
    replayed "SIG$signal" by-$signal
done
started 1000000 -q
kill -9 $program
wait $tuner; status=$?
is 'the program is killed: nothing is left' 'SIGKILL' "SIG$(kill -l $status)$(left)"
is 'a signal that the program handles' 'status 9' "$("$mate" -q sh -c 'trap "exit 9" USR1; kill -USR1 $PPID; while :; do sleep 0.01; done'; echo "status $?")"
cat >late.py <<'END'
import os, signal, socket, time
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["PAJE_LIVE"][1:] + "/late")
listener.listen()
if os.fork() == 0:
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGKILL)
print(os.environ["PAJE_LIVE"][1:], flush=True)
END
if command -v python3 >/dev/null; then
    folder=$("$mate" -q python3 late.py)
    is 'a process that is killed after the program has ended: nothing is left' '' "$([ ! -e "$folder" ] || ls "$folder")"
else
    echo 'SKIP mate/faults: a process that is killed after the program has ended: no python3 (install python3)'
fi
for signal in INT TERM HUP; do
    begin
    env --default-signal=INT "$mate" --attach=live -o attached-$signal 2>err.txt &
    tuner=$!
    wait_until '[ "$(ls attached-$signal 2>/dev/null | wc -l)" = 10 ]'
    kill -$signal $tuner
    wait $tuner; status=$?
    is "SIG$signal, attached: mate ends" "SIG$signal" "SIG$(kill -l $status)"
    is "SIG$signal, attached: the decisions are kept" '' "$("$paje" validate --strict attached-$signal/decisions.trace 2>&1 | grep -v ': valid$')"
    ends "SIG$signal, attached: the program goes on"
done

# ---- a program that ends at once; a knob that may be less than the tunlet asks for

wrong=
for ((i = 1; i <= ${FULL:+1}10; i++)); do
    timeout 60 "$mate" -q -s 1 -o short-$i "$nbody" -q -b 32 -i $((i % 12 + 1)) -S 2000 -m 10 >short.txt 2>short.err || wrong="$wrong $i:$?"
    "$paje" validate --strict short-$i/decisions.trace >validate.txt 2>&1 || wrong="$wrong $i:trace"
done
is 'programs that end in the middle of a decision' '' "$wrong"
# Iterations so long that five workers pay even where a busy machine has a message take ten milliseconds.
timeout 60 "$mate" -q -s 1 -o few "$nbody" -q -b 32 -i 4 -S 400000 -m 5 >short.txt 2>err.txt
is 'a range that is less than the tunlet'\''s' '1 -> 5' "$("$paje" merge -o few.trace few/*.trace >merge.txt 2>&1; "$analyser" --persist=1 --replay few.trace | sed -n 's/^iteration.*: NOptWorkers //p')"

# ---- collectors, in each layer

for layers in 4 4+2; do
    for ((which = 0; which < ${layers%+*} + (${#layers} > 1 ? 2 : 0); which += ${FULL:+-2} + 3)); do
        begin
        "$mate" --collectors=$layers --attach=live -o layer-$layers-$which 2>err.txt &
        tuner=$!
        wait_until '[ "$(ls layer-$layers-$which 2>/dev/null | wc -l)" = 10 ]'
        collectors=($(children $tuner))
        kill -9 "${collectors[which]}"
        ends "collector $which of $layers is killed"
        wait $tuner
        is "collector $which of $layers is killed: the tuner ends well" 'status 0' "status $?"
        is "collector $which of $layers is killed: its workers are read again" yes "$([ "$(ls layer-$layers-$which | wc -l)" -gt 10 ] && echo yes)"
        replayed "collector $which of $layers is killed" layer-$layers-$which
        is "collector $which of $layers is killed: replayed, as many iterations" "$(sed -n 's/^mate: \(workers: [1-9][0-9]* iterations\).*/\1/p' err.txt)" \
            "$(sed -n 's/^\(workers: [0-9]* iterations\).*/\1/p' replay.txt)"
    done
done

# ---- a full disk

small() { # in a file system of 100 KiB
    mount -t tmpfs -o size=100k tmpfs small && "$@"
    echo "status $?"
}
export -f small
mkdir small
if unshare -rm mount -t tmpfs tmpfs small 2>/dev/null; then
    is 'a full disk' "$right status 0 mate: small/all: No space left on device; the streams are not kept, tuning goes on" \
        "$(unshare -rm bash -c 'small "$@"' - timeout 60 "$mate" -o small/all "$nbody" "${work[@]}" -q 2>full.err | tr '\n' ' '; head -n 1 full.err)"
    is 'a full disk: it decides' yes "$(sed -n 's/^mate: decisions: [1-9].*/yes/p' full.err)"
else
    echo 'SKIP mate/faults: a full disk: no file system can be mounted here (user namespaces)'
fi
exit $failed
