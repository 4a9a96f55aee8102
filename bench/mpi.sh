#!/bin/bash
# Measures what tracing MPI costs, with the MPI of mpicc and mpirun: nanoseconds added to calls, the CPU time of a program
# with each kind of recording over that without, and bytes and merge time by number of ranks.
# Prints lines `bench mpi/CALL/TRACER NANOSECONDS ns`, `bench mpi/PROGRAM/KIND RATIO times`, `bench mpi/RANKS/...`.
#   ROUNDS  how often each tracer runs, in turn (5); the least counts
#   PAIRS   how often the program runs with and without (11); the median counts
#   PROGRAM a command with MPI; else the size of traces is that of the calls that are measured
#   RANKS   with how many (1 2 4 8); the machine has to have as many idle cores, as MPI spins where it waits
set -u
cd "$(dirname "$0")/.." || exit 3
rounds=${ROUNDS:-5} pairs=${PAIRS:-11} ranks=${RANKS:-1 2 4 8} program=${PROGRAM:-} dir=$PWD/build/bench/mpi.d paje=$PWD/build/paje
make -s paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" || exit 3
mpicc -std=gnu99 -O2 -o "$dir/calls" bench/mpi.c || exit 1
cd "$dir" || exit 3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

none() { mpirun -n 1 ./calls; }
paje() { "$paje" trace -o calls.trace mpirun -n 1 ./calls; }
paje_off() { "$paje" trace --record=user -o off.trace mpirun -n 1 ./calls; }
eztrace_20() { rm -rf eztrace.d && timeout 60 mpirun -n 1 eztrace -o eztrace.d -t openmpi ./calls; }
tracers='none paje paje_off'
if command -v eztrace >/dev/null; then tracers+=' eztrace_20'; else echo 'bench/mpi.sh: eztrace is not measured (install eztrace)' >&2; fi
for ((round = 0; round < rounds; round++)); do
    for tracer in $tracers; do
        $tracer 2>&1 | sed -n "s,^\([A-Za-z+-]* [0-9.]*\)\$,$tracer \1,p"
    done
done >times.txt
awk -v tracers="$tracers" -v calls='clock Iprobe Barrier Sendrecv
    Isend+Recv+Wait-null Isend+Recv+Wait Irecv+Isend+Waitall-null Irecv+Isend+Waitall' '
    { key = $2 "/" $1; if (!(key in least) || $3 < least[key]) least[key] = $3 }
    END {
        n = split(tracers, tracer, " "); m = split(calls, call, " ")
        for (j = 1; j <= m; j++)
            for (i = 1; i <= n; i++) {
                key = call[j] "/" tracer[i]
                if (key in least)
                    printf "bench mpi/%s %.1f ns\n", key, least[key] - (tracer[i] == "none" ? 0 : least[call[j] "/none"])
            }
    }' times.txt

[ "$program" ] || exit 0
# ratio KIND RANKS OPTION...: the user CPU time with these options over that without, the median of pairs
ratio() {
    local i way TIMEFORMAT=%U
    for ((i = 0; i < pairs; i++)); do
        for way in "mpirun -n $2 $program" "$paje trace ${*:3} -o program.trace mpirun -n $2 $program"; do
            # shellcheck disable=SC2086
            { time $way >program.out 2>/dev/null; } 2>&1
        done | paste -sd' '
    done | awk '{ print $2 / $1 }' | sort -n |
        awk -v name="program/$1/$2" '{ v[NR] = $1 } END { printf "bench mpi/%s %.3f times\n", name, v[int((NR + 1) / 2)] }'
}
for n in $ranks; do
    ratio off "$n" --record=user
    ratio mpi "$n" --record=mpi
    ratio all "$n"
    ratio samples "$n" --sample
    rm -rf raw
    # shellcheck disable=SC2086
    "$paje" trace --record=mpi --keep=raw -o program.trace mpirun -n "$n" $program >program.out 2>/dev/null
    bytes=$(cat raw/*.raw | tr -d '\n' | wc -c)
    TIMEFORMAT='%U %S'
    merge=$({ time "$paje" merge -o merged.trace raw; } 2>&1)
    awk -v n="$n" -v bytes="$bytes" -v merge="$merge" 'BEGIN {
        split(merge, t, " ")
        printf "bench mpi/program/bytes/%d %.0f bytes a rank\nbench mpi/program/merge/%d %.4f s of CPU a rank\n", n, bytes / n, n, (t[1] + t[2]) / n }'
done
