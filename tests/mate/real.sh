#!/bin/bash
# Master and workers in real time, tuned from their trace: whatever the tuner does, and whatever happens to it or to
# workers, the program ends with the right result; what was decided is decided again by a replay.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/real-tests
[ "$(uname)" = Linux ] || { echo 'SKIP mate/real: needs Linux'; exit 0; }
make -s build/examples/mate/nbody build/examples/mate/mate build/examples/mate/collector build/examples/mate/analyser build/tests/mate/turn build/paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
nbody=$root/build/examples/mate/nbody mate=$root/build/examples/mate/mate analyser=$root/build/examples/mate/analyser paje=$root/build/paje
failed=0

# is NAME EXPECTED OUTPUT
is() {
    if [ "$3" = "$2" ]; then
        echo "PASS mate/real: $1"
    else
        echo "FAIL mate/real: $1: $(diff <(echo "$2") <(echo "$3") | tr '\n' '|')"
        failed=1
    fi
}
# The result of so many bodies and iterations, by one worker that nothing tunes.
work=(-q -b 32 -i 200 -p step -m 10)
right=$(timeout 60 "$nbody" "${work[@]}")
result() { timeout 60 "$@" 2>err.txt; }

is 'three workers' "$right" "$(result "$nbody" "${work[@]}" -w 3)"
is 'ten workers, chunks' "$right" "$(result "$nbody" "${work[@]}" -w 10 -x 500000)"
is 'more workers than bodies' "$right" "$(result "$nbody" "${work[@]}" -w 50 -m 60)"
is 'a pattern that is none' 'nbody: there is no pattern `steps`: even, step, ladder, blocks' "$("$nbody" -p steps 2>&1)"
is 'no workers' 'nbody: --workers takes a number from 1 to 127, not `0`' "$("$nbody" -w 0 2>&1)"

# replayed NAME ARGUMENTS: the merged trace of the folder is strictly valid, and replayed
replayed() {
    "$paje" merge -o "$1.trace" "$1"/*.trace >merge.txt 2>&1
    is "$1: merged, the trace is valid strictly" '' "$("$paje" validate --strict -z "$1.trace" 2>&1 | grep -v ': valid$')"
    is "$1: replayed, the same decisions" 'status 0' "$("$analyser" --replay "${@:2}" "$1.trace" >replay.txt 2>&1; echo "status $?")"
}
is 'tuned' "$right" "$(result "$mate" -o tuned "$nbody" "${work[@]}" -S 2000 -l 20)"
replayed tuned
is 'tuned: decisions' yes "$(sed -n 's/^mate: decisions: \([1-9]\).*/yes/p' err.txt)"
is 'tuned: intrusion' yes "$(sed -n 's/^mate: intrusion: [1-9][0-9]* events of [1-9].*/yes/p' err.txt)"
is 'tuned as MATE decides' "$right" "$(result "$mate" -s 1 -o once "$nbody" "${work[@]}" -S 2000 -l 20)"
replayed once --persist=1
is 'chunks tuned' "$right" "$(result "$mate" -t factoring -o chunks "$nbody" "${work[@]}" -S 2000 -w 4 -m 4 -k 3)"
replayed chunks --tunlet=factoring
for collectors in 1 ${FULL:+2 4} 8+2; do
    is "$collectors collectors" "$right" "$(result "$mate" -c $collectors -o by-$collectors "$nbody" "${work[@]}" -S 2000 -l 20)"
    replayed by-$collectors # without collectors
done
is 'a number of collectors that is none' 'mate: --collectors takes a number, or two such as 8+2, 64 in all at most; not `2+3`' "$("$mate" -c 2+3 "$nbody" 2>&1)"
is 'a folder that is there' 'mate: tuned: it is there already; --output makes a new folder' "$("$mate" -o tuned "$nbody" 2>&1)"
is 'the status is the program'\''s' 'status 7' "$("$mate" -q sh -c 'exit 7'; echo "status $?")"
is 'a program that is not there' 'mate: nothing: No such file or directory
status 127' "$("$mate" -q nothing 2>&1; echo "status $?")"
is 'a folder that cannot be made' 'mate: /dev/null/none: Not a directory
status 3' "$("$mate" -o /dev/null/none "$nbody" 2>&1; echo "status $?")"

# ---- a tuner that is killed, stops, or comes later; workers that are killed

# A program that runs for long enough for all that is tried on it.
long=(-b 32 -p even -S 300 -l 10 -m 8 -i)
begin() { # begin ITERATIONS: it runs as $program, and its sockets are in the folder live
    rm -rf live && mkdir -m 700 live
    PAJE_LIVE=@live exec "$nbody" "${long[@]}" "$1" >long.txt 2>long.err &
    program=$!
    for ((k = 0; k < 100; k++)); do [ -n "$(ls live)" ] && break; sleep 0.02; done
}
ends() { # ends NAME: with the right result, and no piece lost
    local status=0
    wait $program || status=$?
    is "$1" "$(sed -n 1p right.txt) status 0 as many" "$(sed -n 1p long.txt) status $status $(sed -n 's/.*sent: \([0-9]*\), received: \1;.*/as many/p' long.txt; cat long.err)"
}
alive() { kill -0 $program 2>/dev/null; }
count=${FULL:+20000} count=${count:-2000}
"$nbody" "${long[@]}" $count >right.txt

kills=0
while [ $kills -lt "${KILLS:-${FULL:+1}20}" ]; do # some are not in time
    begin $count
    while alive; do
        "$mate" -q --attach=live 2>err.txt &
        tuner=$!
        sleep "0.0$((RANDOM % 6))$((RANDOM % 10))"
        kill -9 $tuner 2>/dev/null && kills=$((kills + 1))
        wait $tuner 2>/dev/null
    done
    ends "a tuner that is killed, another that comes, $kills times"
done

begin $count
"$mate" -q --attach=live 2>err.txt &
tuner=$!
sleep 0.2
kill -STOP $tuner
ends 'a tuner that is stopped'
kill -9 $tuner
wait $tuner 2>/dev/null

begin $count
"$mate" --attach=live -o killed 2>err.txt &
tuner=$!
kills=0
while alive; do
    workers=($(cat /proc/$program/task/$program/children 2>/dev/null))
    [ ${#workers[@]} -gt 0 ] && kill -9 "${workers[RANDOM % ${#workers[@]}]}" 2>/dev/null && kills=$((kills + 1))
    sleep "0.0$((RANDOM % 6))$((RANDOM % 10))"
done
ends 'workers that are killed'
is "workers that are killed: $kills times, each begun again" yes "$(sed -n 's/.*begun again: [1-9].*/yes/p' long.txt)"
wait $tuner
is 'workers that are killed: the tuner ends well' 'status 0' "status $?"
"$paje" merge -o killed.trace killed/*.trace >merge.txt 2>&1
is "workers that are killed: replayed, the same decisions" 'status 0' "$("$analyser" --replay killed.trace 2>&1 >/dev/null | grep differs; echo "status ${PIPESTATUS[0]}" | sed 's/1$/0/')"

begin $count
"$mate" --collectors=3 --attach=live -o fewer 2>err.txt &
tuner=$!
sleep 0.1
for collector in $(cat /proc/$tuner/task/$tuner/children); do
    kill -9 "$collector"
    sleep 0.05
done
ends 'collectors that are killed'
wait $tuner
"$paje" merge -o fewer.trace fewer/*.trace >merge.txt 2>&1
is "collectors that are killed: replayed, the same decisions" 'status 0' "$("$analyser" --replay fewer.trace 2>&1 >/dev/null | grep differs; echo "status ${PIPESTATUS[0]}" | sed 's/1$/0/')"

begin $count
"$root/build/tests/mate/turn" live NOptWorkers 1 8 1000 >turn.txt
ends 'the number of workers is changed each millisecond'
is 'the number of workers is changed each millisecond: it was' yes "$(sed -n 's/.*applied at least 10$/yes/p' turn.txt)"

# a full disk: the limit of a file's size is the same to the tuner
right=$(sed -n 1p right.txt)
is 'a full disk' "$right
status 0
mate: full: File too large; the streams are not kept, tuning goes on" \
    "$(ulimit -f 8; timeout 60 "$mate" -q -o full "$nbody" "${long[@]}" $count -q 2>full.err; echo "status $?"; head -n 1 full.err)"

# ---- MPI

mpi=$root/build/examples/mate/nbody_mpi
if ! command -v mpirun >/dev/null || ! make -s -C "$root" build/examples/mate/nbody_mpi 2>err.txt; then
    echo 'SKIP mate/real: MPI (install libopenmpi-dev)'
else
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    right=$(timeout 60 "$nbody" "${work[@]}")
    is 'by MPI' "$right" "$(result mpirun -n 4 --oversubscribe "$mpi" "${work[@]}" -m 3)"
    is 'by MPI, tuned' "$right" "$(result "$mate" -o mpi mpirun -n 4 --oversubscribe "$mpi" "${work[@]}" -m 3 -S 2000 -l 20)"
    replayed mpi
    mpirun -n 4 --oversubscribe "$mpi" -b 32 -i 1000000 -m 3 -S 1000 >mpi.txt 2>mpi.err &
    job=$!
    below() { for process in $(cat /proc/$1/task/*/children 2>/dev/null); do echo $process; below $process; done; }
    for ((k = 0; k < 500; k++)); do
        ranks=($(for process in $(below $job); do [ "$(cat /proc/$process/comm)" != nbody_mpi ] || echo $process; done))
        [ ${#ranks[@]} = 4 ] && break
        sleep 0.02
    done
    sleep 0.5 # they are at work
    kill -9 "${ranks[3]}"
    wait $job
    is 'by MPI: a worker that is killed ends the job, and it is told' 'status 137 yes' "status $? $(grep -q 'signal 9' mpi.err && echo yes)"
    is 'by MPI: too few processes' '3 workers need 4 processes (mpirun -n 4), not 2' "$(mpirun -n 2 --oversubscribe "$mpi" -m 3 2>&1 | head -n 1)"
fi
exit $failed
