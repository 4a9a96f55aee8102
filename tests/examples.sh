#!/bin/bash
# The programs of examples/ that write: each runs, and what it writes is valid, whole, and what it should be.
set -u
cd "$(dirname "$0")/.." || exit 3
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

# expect NAME TEXT COMMAND...: passes if that is what the command prints
expect() {
    local name=$1 text=$2 output
    shift 2
    output=$("$@" 2>&1)
    if [ "$output" = "$text" ]; then pass "$name"; else fail "$name" "\`$output\` in place of \`$text\`"; fi
}

# How many entities of each kind and type: "KIND,TYPE NUMBER", of the output of `paje dump` or pj_dump.
kinds() { awk -F', ' '{ n[$1 "," $3]++ } END { for (kind in n) print kind, n[kind] }' | LC_ALL=C sort; }

# count FILE KIND,TYPE: of the entities of FILE
count() { "$paje" dump "$1" | kinds | sed -n "s/^$2 //p"; }

# States that end before they begin.
backward() { "$paje" dump -l 9 "$1" 2>/dev/null | awk -F', ' '$1 == "State" && $5 < $4 { n++ } END { print n + 0 }'; }

# Links that end before they start, and the number of links.
links() {
    "$paje" dump -l 9 "$1" 2>/dev/null |
        awk -F', ' '$1 == "Link" { n++; early += $5 < $4 } END { print early + 0, "of", n + 0 }'
}

# valid FILE: by `paje validate`, and by pj_dump, which has to see what we see; ViTE opens it without complaint
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
        check "$1: ViTE" "$root/tests/vite.sh" "$1"
    else
        skip "$1: ViTE" vite vite
    fi
}

# ---- hello_write

check 'hello_write' "$examples/hello_write" hello.trace
valid hello.trace
expect 'hello_write: its user fields are there' '7, all is well' \
    sh -c "'$paje' dump -u hello.trace | sed -n 's/^Event.*checkpoint, //p'"
expect 'hello_write: a full disk is told' 'hello_write: /dev/full: the sink failed; what it did not take is lost' \
    "$examples/hello_write" /dev/full

# ---- threads: each has three states a round, and counts its rounds

check 'threads' "$examples/threads" threads.trace 4 2000
valid threads.trace
expect 'threads: no state is lost' 24000 count threads.trace State,Activity
expect 'threads: no time goes backwards' 0 backward threads.trace
expect 'threads: all rounds are counted' "$(printf '%s\n' 2000 2000 2000 2000)" \
    sh -c "'$paje' dump threads.trace | awk -F', ' '\$1 == \"Variable\" && \$7 > most[\$2] { most[\$2] = \$7 }
        END { for (thread in most) print most[thread] + 0 }'"

# ---- openmp: as many tasks as blocks, whoever did them

if [ -x "$examples/openmp" ]; then
    check 'openmp' env OMP_NUM_THREADS=4 "$examples/openmp" openmp.trace 64
    valid openmp.trace
    expect 'openmp: all tasks are there' 64 sh -c "'$paje' dump openmp.trace | grep -c '^State.* task$'"
    expect 'openmp: of four threads' 4 count openmp.trace Container,Thread
else
    skip openmp 'OpenMP in the C compiler' libgomp1
fi

# ---- runtime: a file for each worker; 256 tasks depend on 2 others each, but for the border

check 'runtime' "$examples/runtime" runtime 4 16
check 'runtime: merge' "$paje" merge --strict -o runtime.trace runtime.?.trace
valid runtime.trace
expect 'runtime: the result is that of one worker' "$("$examples/runtime" one 1 16)" "$examples/runtime" runtime 4 16
check 'runtime: nowhere to write' sh -c \
    "'$examples/runtime' nowhere/x 1 1 2>&1 | grep -q '^runtime: nowhere/x.0.trace: the sink failed'"
expect 'runtime: all tasks are there' 256 sh -c "'$paje' dump runtime.trace | grep -c '^State.* block$'"
expect 'runtime: none begins before what it depends on has ended' '0 of 480' links runtime.trace
expect 'runtime: one machine' 1 count runtime.trace Container,Machine
expect 'runtime: four workers' 4 count runtime.trace Container,Worker

# ---- flight_recorder: what a process leaves behind that is killed at any moment

# gaps FILE: in the numbers of calls, which go up by one
gaps() {
    "$paje" dump "$1" | awk -F', ' '$1 == "Variable" { if (n++) gaps += $7 != last + 1; last = $7 }
        END { print gaps + 0, "gaps in", n < 1000 ? n + 0 : "many" }'
}

recover() { "$examples/flight_recorder" --recover flight.memory >flight.trace; }

check 'flight_recorder, not killed' "$examples/flight_recorder" flight.memory 200
check 'flight_recorder, not killed: recover' recover
valid flight.trace
expect 'flight_recorder, not killed: all calls are there' 1600 count flight.trace Variable,Calls
for moment in 0.1 0.17 0.24 0.31 0.38; do
    name="flight_recorder, killed after $moment s"
    "$examples/flight_recorder" flight.memory &
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
    expect "$name: what is left behind is limited" 262144 sh -c "wc -c <flight.memory"
done
valid flight.trace

# ---- MPI: a file for each rank; clocks as they are, and skewed on purpose

# The processes of a run are on one machine: no network is needed.
run_mpi() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 4 "$@"; }

# merged NAME NUMBER: merges NAME.?.trace to NAME.trace, in which no message of so many arrives before it was sent
merged() {
    check "$1: merge" "$paje" merge --strict --align -o "$1.trace" "$1".?.trace
    valid "$1.trace"
    expect "$1: no message arrives before it was sent" "0 of $2" links "$1.trace"
    expect "$1: no time goes backwards" 0 backward "$1.trace"
    expect "$1: the ranks are there" 4 count "$1.trace" Container,Rank
}

if ! has mpirun; then
    skip mpi mpirun openmpi-bin
elif ! [ -x "$examples/mpi" ]; then
    skip mpi mpicc libopenmpi-dev
else
    for skew in 0 50; do
        check "mpi, skew $skew" run_mpi "$examples/mpi" mpi-$skew 100 $skew
        merged mpi-$skew 600
    done
    # So that the above says something.
    "$paje" merge -o skewed.trace mpi-50.?.trace
    early=$(links skewed.trace)
    case $early in
    0*) fail 'mpi, skew 50, without --align' 'no message arrives before it was sent' ;;
    *) pass 'mpi, skew 50, without --align: messages arrive before they were sent' ;;
    esac
fi

# ---- MPI: a trace replayed by one, two and four ranks, with the checkpoints of its index: the same dump, byte for
# byte, the same profile to the last digit, and they are those of the tool

# states_of TRACE: the profile of the tool, of states, as mpi_replay prints it
states_of() {
    "$paje" profile --own --format csv "$1" |
        awk -F, '$3 == "State" { printf "%s\t%s\t%s\t%d\t%.9f\n", $1, $4, $6, $7, $8 }' | LC_ALL=C sort
}
replay_mpi() { # replay_mpi RANKS TRACE DUMP >PROFILE
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -q --oversubscribe -n "$1" \
        "$examples/mpi_replay" "${@:2}"
}

if ! has mpirun; then
    skip mpi_replay mpirun openmpi-bin
elif ! [ -x "$examples/mpi_replay" ]; then
    skip mpi_replay mpicc libopenmpi-dev
else
    head -c -1 "$root/tests/traces/stencil.trace" >replayed.trace # its last line has no end
    "$paje" dump replayed.trace >replayed.dump
    states_of replayed.trace >replayed.states
    check 'mpi_replay: no index is told' eval "replay_mpi 1 replayed.trace 2>&1 |
        grep -q 'replayed.trace.pajeidx: No such file.*\`paje index replayed.trace\`'"
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
    check 'mpi_replay: an index of what was before is told' eval "replay_mpi 1 replayed.trace 2>&1 |
        grep -q 'it is not of the trace as it is now'"
fi

# ---- Fortran: 10 rounds of 4 messages of each of 4 ranks

if ! has mpirun; then
    skip fortran mpirun openmpi-bin
elif ! [ -x "$examples/fortran/ring" ]; then
    skip fortran mpifort 'libopenmpi-dev and gfortran'
else
    expect 'fortran: all have seen all' 100.0 run_mpi "$examples/fortran/ring" ring 10
    merged ring 160
    expect 'fortran: a file that cannot be made is told' \
        'ring: nowhere/ring: the sink failed; what it did not take is lost' \
        sh -c "$(declare -f run_mpi); run_mpi '$examples/fortran/ring' nowhere/ring 1 2>/dev/null | grep -m 1 ^ring:"
fi
exit $failed
