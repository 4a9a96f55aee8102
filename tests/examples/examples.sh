#!/bin/bash
# Runs the programs in examples/ that write, and checks that their traces are valid and complete.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD examples=$PWD/build/examples paje=$PWD/build/paje dir=build/tests/examples
failed=0
rm -rf $dir
mkdir -p $dir
make -s || exit 3
cd $dir || exit 3

has() { command -v "$1" >/dev/null; }
pass() { echo "PASS examples $1"; }
fail() { echo "FAIL examples $1: $2"; failed=1; }
skip() { echo "SKIP examples $1: no $2 (install $3)"; }

# check NAME COMMAND...: passes if the command succeeds
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "\`$*\`: $(head -n 4 <<<"$output" | tr '\n' '|')"; fi
}

# expect NAME TEXT COMMAND...: passes if the command prints the text
expect() {
    local name=$1 text=$2 output
    shift 2
    output=$("$@" 2>&1)
    if [ "$output" = "$text" ]; then pass "$name"; else fail "$name" "\`$output\` in place of \`$text\`"; fi
}

# kinds: counts the entities of each kind and type in the output of `paje dump` or pj_dump: "KIND,TYPE NUMBER"
kinds() { awk -F', ' '{ n[$1 "," $3]++ } END { for (kind in n) print kind, n[kind] }' | LC_ALL=C sort; }

# count FILE KIND,TYPE: prints the number of entities of this kind and type
count() { "$paje" dump "$1" | kinds | sed -n "s/^$2 //p"; }

# backward FILE: prints the number of states that end before they begin
backward() { "$paje" dump -l 9 "$1" 2>/dev/null | awk -F', ' '$1 == "State" && $5 < $4 { n++ } END { print n + 0 }'; }

# links FILE: prints the number of links that end before they start, and of all links
links() {
    "$paje" dump -l 9 "$1" 2>/dev/null |
        awk -F', ' '$1 == "Link" { n++; early += $5 < $4 } END { print early + 0, "of", n + 0 }'
}

# valid FILE: `paje validate` accepts it, pj_dump sees the same entities, and ViTE opens it without complaint
valid() {
    check "$1: strict" "$paje" validate --strict "$1"
    if has pj_dump; then
        if ! pj_dump "$1" >"$1.pj_dump" 2>"$1.err"; then
            fail "$1: pj_dump" "$(head -n 1 "$1.err")"
        elif "$paje" dump "$1" | kinds | diff - <(kinds <"$1.pj_dump") >"$1.diff"; then
            pass "$1: pj_dump"
        else
            fail "$1: pj_dump" "it sees other entities: $(grep '^[<>]' "$1.diff" | tr '\n' '|')"
        fi
    else
        skip "$1: pj_dump" pj_dump pajeng
    fi
    if has vite; then
        check "$1: ViTE" "$root/tests/lib/vite.sh" "$1"
    else
        skip "$1: ViTE" vite vite
    fi
}

# ---- hello

check 'hello' "$examples/write/hello" hello.trace
valid hello.trace
expect 'hello: its user fields are there' '7, all is well' \
    sh -c "'$paje' dump -u hello.trace | sed -n 's/^Event.*checkpoint, //p'"
expect 'hello: a full disk is reported' 'hello: /dev/full: the sink failed; what it did not take is lost' \
    "$examples/write/hello" /dev/full

# ---- threads: each thread has three states a round, and counts its rounds

check 'threads' "$examples/write/threads" threads.trace 4 2000
valid threads.trace
expect 'threads: no state is lost' 24000 count threads.trace State,Activity
expect 'threads: no time goes backwards' 0 backward threads.trace
expect 'threads: all rounds are counted' "$(printf '%s\n' 2000 2000 2000 2000)" \
    sh -c "'$paje' dump threads.trace | awk -F', ' '\$1 == \"Variable\" && \$7 > most[\$2] { most[\$2] = \$7 }
        END { for (thread in most) print most[thread] + 0 }'"

# ---- tracks: a sweep, a check and a value for each round

check 'tracks' "$examples/write/tracks" tracks.trace
valid tracks.trace
sweeps=$("$examples/write/tracks" tracks.trace | cut -d' ' -f1)
expect 'tracks: no state is lost' $((2 * sweeps)) count tracks.trace State,Phase
expect 'tracks: no number is lost' "$sweeps" sh -c "grep -c '^23 ' tracks.trace"

# ---- zones: each task is a zone, a link from the thread that has queued it, and two values of a variable

check 'zones' env PAJEWRITE_TRACE=zones.trace "$examples/write/zones" 4 100
valid zones.trace
expect 'zones: all tasks are there' 100 sh -c "'$paje' dump zones.trace | grep -c '^State.* compute$'"
expect 'zones: each came from another thread' 100 \
    sh -c "'$paje' dump zones.trace | awk -F', ' '/^Link/ && \$7 == \"task\" && \$8 != \$9' | wc -l"

# ---- openmp: as many tasks as blocks, in any thread

if [ -x "$examples/write/openmp" ]; then
    check 'openmp' env OMP_NUM_THREADS=4 "$examples/write/openmp" openmp.trace 64
    valid openmp.trace
    expect 'openmp: all tasks are there' 64 sh -c "'$paje' dump openmp.trace | grep -c '^State.* task$'"
    expect 'openmp: of four threads' 4 count openmp.trace Container,Thread
else
    skip openmp 'OpenMP in the C compiler' libgomp1
fi

# ---- runtime: a file for each worker; 256 tasks depend on 2 others each, except those at the border

check 'runtime' "$examples/write/runtime" runtime 4 16
check 'runtime: merge' "$paje" merge --strict -o runtime.trace runtime.?.trace
valid runtime.trace
expect 'runtime: the result is that of one worker' "$("$examples/write/runtime" one 1 16)" "$examples/write/runtime" runtime 4 16
check 'runtime: nowhere to write' sh -c \
    "'$examples/write/runtime' nowhere/x 1 1 2>&1 | grep -q '^runtime: nowhere/x.0.trace: the sink failed'"
expect 'runtime: all tasks are there' 256 sh -c "'$paje' dump runtime.trace | grep -c '^State.* block$'"
expect 'runtime: none begins before what it depends on has ended' '0 of 480' links runtime.trace
expect 'runtime: one machine' 1 count runtime.trace Container,Machine
expect 'runtime: four workers' 4 count runtime.trace Container,Worker

# ---- flight_recorder: the recording of a process that is killed at any moment

# gaps FILE: prints the number of gaps in the numbers of calls, which increase by one
gaps() {
    "$paje" dump "$1" | awk -F', ' '$1 == "Variable" { if (n++) gaps += $7 != last + 1; last = $7 }
        END { print gaps + 0, "gaps in", n < 1000 ? n + 0 : "many" }'
}

recover() { "$examples/write/flight_recorder" --recover flight.memory >flight.trace; }

check 'flight_recorder, not killed' "$examples/write/flight_recorder" flight.memory 200
check 'flight_recorder, not killed: recover' recover
valid flight.trace
expect 'flight_recorder, not killed: all calls are there' 1600 count flight.trace Variable,Calls
for moment in 0.1 0.17 0.24 0.31 0.38; do
    name="flight_recorder, killed after $moment s"
    "$examples/write/flight_recorder" flight.memory &
    sleep $moment
    kill -USR1 $!
    sleep 0.05
    kill -9 $!
    wait $! 2>/dev/null
    check "$name: recover" recover
    for file in flight.trace flight.memory.now.trace; do
        check "$name: $file is valid" "$paje" validate --strict $file
        expect "$name: $file has the last calls" '0 gaps in many' gaps $file
    done
    expect "$name: the size of the recording is limited" 262144 sh -c "wc -c <flight.memory"
done
valid flight.trace

# ---- MPI: a file for each rank; with true and with skewed clocks

# All processes of a run are on one machine: no network is needed.
run_mpi() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 4 "$@"; }

# merged NAME NUMBER: merges NAME.?.trace to NAME.trace, in which none of NUMBER messages arrives before it was sent
merged() {
    check "$1: merge" "$paje" merge --strict --align -o "$1.trace" "$1".?.trace
    valid "$1.trace"
    expect "$1: no message arrives before it was sent" "0 of $2" links "$1.trace"
    expect "$1: no time goes backwards" 0 backward "$1.trace"
    expect "$1: the ranks are there" 4 count "$1.trace" Container,Rank
}

if ! has mpirun; then
    skip mpi mpirun openmpi-bin
elif ! [ -x "$examples/write/mpi" ]; then
    skip mpi mpicc libopenmpi-dev
else
    for skew in 0 50; do
        check "mpi, skew $skew" run_mpi "$examples/write/mpi" mpi-$skew 100 $skew
        merged mpi-$skew 600
    done
    # The skewed clocks do cause the errors that --align corrects.
    "$paje" merge -o skewed.trace mpi-50.?.trace
    early=$(links skewed.trace)
    case $early in
    0*) fail 'mpi, skew 50, without --align' 'no message arrives before it was sent' ;;
    *) pass 'mpi, skew 50, without --align: messages arrive before they were sent' ;;
    esac
fi

# ---- compiled out: each program that writes does the same, except for the trace

# out NAME [OPTION] -- COMMAND...: compiles examples/write/NAME.c with PAJEWRITE_DISABLE; COMMAND must print and return the
# same with this program as with the normal one.  PROGRAM in COMMAND stands for the program.
out() {
    local name=$1 options=() plain off
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    if ! ${out_compiler:-${CC:-cc}} -std=c99 -O1 -Wall -Wextra -Werror -DPAJEWRITE_DISABLE -I"$root" \
        "$root/examples/write/$name.c" -o "out_$name" "${options[@]}" 2>out.err; then
        fail "$name compiled out" "$(grep -m1 -E 'error|undefined' out.err)"
        return
    fi
    plain=$("${@//PROGRAM/$examples/write/$name}" 2>&1; echo "exit status $?")
    off=$("${@//PROGRAM/$PWD/out_$name}" 2>&1; echo "exit status $?")
    if [ "$plain" = "$off" ] && [[ $plain == *'exit status 0' ]]; then
        pass "$name compiled out"
    else
        fail "$name compiled out" "it prints \`$off\`, and with its calls \`$plain\`"
    fi
}
out hello -- PROGRAM out.trace
out tracks -- PROGRAM out.trace 50
out zones -pthread -- env PAJEWRITE_TRACE=out.trace PROGRAM 4 100
out threads -pthread -- PROGRAM out.trace 4 100
out runtime -pthread -- PROGRAM out 4 8
out flight_recorder -- PROGRAM out.memory 20
[ ! -x "$examples/write/openmp" ] || out openmp -fopenmp -- env OMP_NUM_THREADS=4 PROGRAM out.trace 16
if [ -x "$examples/write/mpi" ] && has mpirun; then
    export OMPI_CC=${CC:-cc} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    out_compiler=mpicc out mpi -- mpirun --oversubscribe -n 4 PROGRAM out 10
fi
for name in "$root"/examples/write/*.c; do
    name=$(basename "$name" .c)
    [ -x "out_$name" ] || ! [ -x "$examples/write/$name" ] || fail "$name compiled out" 'not tested: add a line above'
done

# ---- MPI: a trace replayed by one, two and four ranks, from the checkpoints of its index: the dump is that of the
# tool, byte for byte, and the profile is that of the tool, to the last digit

# states_of TRACE: prints the profile of states by the tool, in the format of mpi_replay
states_of() {
    "$paje" profile --own --format csv "$1" |
        awk -F, '$3 == "State" { printf "%s\t%s\t%s\t%d\t%.9f\n", $1, $4, $6, $7, $8 }' | LC_ALL=C sort
}
replay_mpi() { # replay_mpi RANKS TRACE DUMP >PROFILE
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -q --oversubscribe -n "$1" \
        "$examples/read/mpi_replay" "${@:2}"
}

if ! has mpirun; then
    skip mpi_replay mpirun openmpi-bin
elif ! [ -x "$examples/read/mpi_replay" ]; then
    skip mpi_replay mpicc libopenmpi-dev
else
    head -c -1 "$root/tests/traces/stencil.trace" >replayed.trace # the last line has no newline
    "$paje" dump replayed.trace >replayed.dump
    states_of replayed.trace >replayed.states
    check 'mpi_replay: a missing index is reported' eval "replay_mpi 1 replayed.trace 2>&1 |
        grep -q 'replayed.trace.pajeidx: No such file.*run \`paje index replayed.trace\` first'"
    check 'mpi_replay: paje index' "$paje" index --events 50 replayed.trace
    for ranks in 1 2 4; do
        check "mpi_replay: $ranks ranks" \
            eval "replay_mpi $ranks replayed.trace replayed.$ranks >replayed.$ranks.profile"
        check "mpi_replay: $ranks ranks: the dump is that of the tool" cmp replayed.dump replayed.$ranks
        check "mpi_replay: $ranks ranks: the profile is that of one" cmp replayed.1.profile replayed.$ranks.profile
    done
    check 'mpi_replay: the profile is that of the tool' \
        eval "diff replayed.states <(LC_ALL=C sort replayed.1.profile)"
    expect 'mpi_replay: all of it was replayed' "$(wc -l <replayed.dump)" sh -c 'wc -l <replayed.4'
    echo >>replayed.trace
    check 'mpi_replay: an outdated index is reported' eval "replay_mpi 1 replayed.trace 2>&1 |
        grep -q 'the trace has changed since'"
fi

# ---- Fortran: 10 rounds of 4 messages of each of 4 ranks

if ! has mpirun; then
    skip fortran mpirun openmpi-bin
elif ! [ -x "$examples/bindings/fortran/ring" ]; then
    skip fortran mpifort 'libopenmpi-dev and gfortran'
else
    expect 'fortran: the sum is that of all numbers' 100.0 run_mpi "$examples/bindings/fortran/ring" ring 10
    merged ring 160
    expect 'fortran: a file that cannot be created is reported' \
        'ring: nowhere/ring: the sink failed; what it did not take is lost' \
        sh -c "$(declare -f run_mpi); run_mpi '$examples/bindings/fortran/ring' nowhere/ring 1 2>/dev/null | grep -m 1 ^ring:"
fi
exit $failed
