#!/bin/bash
# `paje trace` on programs with MPI: calls and messages are those that a library counts which knows nothing of the tracer;
# messages join what was sent and what was received; whatever ends a job leaves a valid trace.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tests/mpi paje=$PWD/build/paje FULL=${FULL:-} failed=0
rm -rf "$dir"
mkdir -p "$dir/tmp"
make -s paje || exit 1
export TMPDIR=$dir/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
pass() { echo "PASS trace_mpi/$1"; }
fail() { echo "FAIL trace_mpi/$1: $2"; failed=1; }
skip() { echo "SKIP trace_mpi/$1"; }

# Builds program and counter for a make of MPI.
build() {
    local flags
    flags=$(pkg-config --cflags "$package") || return 1
    # shellcheck disable=SC2086
    echo '#include <mpi.h>' | ${CC:-cc} -E -P $flags - | python3 tests/trace/mpi_counter.py >"$dir/counter.c" &&
        "$compiler" -w -shared -fPIC -o "$dir/counter.$mpi.so" "$dir/counter.c" &&
        "$compiler" -Wall -Wextra -shared -fPIC -o "$dir/slow.$mpi.so" "$root/tests/trace/mpi_slow.c" &&
        "$compiler" -std=gnu11 -O1 -Wall -Wextra -Wno-stringop-overflow -o "$dir/program.$mpi" "$root/tests/trace/mpi_program.c" -pthread &&
        "$compiler" -std=gnu11 -O1 -Wall -Wextra -Wno-stringop-overflow -Wno-stringop-overread -o "$dir/more.$mpi" "$root/tests/trace/mpi_more.c" -pthread
}
# valid NAME TRACE [PATTERN]: without any warning, or with those of the pattern only
valid() {
    local log
    log=$("$paje" validate --strict "$2" 2>&1) && ! grep ' warning: ' <<<"$log" | grep -qv "${3:-^$}" && return 0
    fail "$1: strictly valid" "$(head -n 1 <<<"$log")"
    return 1
}
# counted NAME RANKS ARGUMENTS...: the trace has what the counter has
counted() {
    local name=$mpi/$1 ranks=$2 status log
    rm -f ./*.trace counts.*
    COUNTER=$dir/counts LD_PRELOAD=$dir/counter.$mpi.so timeout 60 "$paje" trace -o t.trace "$launcher" -n "$ranks" \
        "$dir/program.$mpi" "${@:3}" >out 2>err
    status=$?
    if [ $status != 0 ] || [ -s out ] || [ -s err ]; then
        fail "$name" "exit status $status: $(head -n 3 out err | tr '\n' ' ')"
    elif ! log=$(python3 "$root/tests/trace/mpi_compare.py" "$paje" t.trace counts "$ranks" 2>&1); then
        fail "$name" "$(head -n 3 <<<"$log" | tr '\n' ' ')"
    elif valid "$name" t.trace; then
        pass "$name"
    fi
}
# more NAME WHAT EXPECTED AWK [OPTION...]: what awk prints of the dump of `mpi_more WHAT`, on one line; standard error
# is its first line.  $crossed: warnings that the trace may have
more() {
    local name=$mpi/$1 found
    rm -f ./*.trace
    # shellcheck disable=SC2086
    timeout 60 "$paje" trace "${@:5}" -o t.trace $launcher -n 3 "$dir/more.$mpi" $2 >out 2>err
    found=$(sed 's/^paje: //' err; "$paje" dump -u t.trace | awk -F', ' "$4" | sort)
    if [ "$(tr '\n' ' ' <<<"$found")" != "$3 " ]; then
        fail "$name" "$(tr '\n' ' ' <<<"$found")"
    elif valid "$name" t.trace "${crossed:-}"; then
        pass "$name"
    fi
}
# ends NAME ARGUMENTS...: a job that ends before its time; the launcher, started by mpirun, or mpirun started by it
ends() {
    local name=$mpi/$1 form
    for form in outside inside; do
        rm -f ./*.trace
        if [ $form = outside ]; then
            timeout 60 "$paje" trace -o t.trace "$launcher" -n 3 "$dir/program.$mpi" "${@:2}" >out 2>err
        else
            timeout 60 "$launcher" -n 3 "$paje" trace -o t.trace "$dir/program.$mpi" "${@:2}" >out 2>err
        fi
        for _ in {1..100}; do # the trace is made by a process of its own, which mpirun need not wait for
            [ -e t.trace ] && ! compgen -G 'tmp/paje-trace-*' >/dev/null && break
            sleep 0.1
        done
        if ! [ -e t.trace ]; then
            fail "$name, $form" "there is no trace: $(head -n 3 err | tr '\n' ' ')"
        elif [ "$("$paje" dump t.trace | grep -c '^Container, .*, Process, .*rank')" != 3 ]; then
            fail "$name, $form" "not three ranks"
        elif [ "$("$paje" dump t.trace | grep -c '^Link, .*Message')" -lt 500 ]; then
            fail "$name, $form" "messages are missing"
        elif valid "$name, $form" t.trace; then
            pass "$name, $form"
        fi
    done
}

# begins FORM: a job that does not end by itself, in the background: $job, with its ranks in $ranks
begins() {
    rm -rf ./*.trace tmp/paje-trace-*
    if [ "$1" = outside ]; then
        "$paje" trace -o t.trace "$launcher" -n 3 "$dir/program.$mpi" endless >out 2>err &
    else
        "$launcher" -n 3 "$paje" trace -o t.trace "$dir/program.$mpi" endless >out 2>err &
    fi
    job=$!
    for _ in {1..300}; do # until all have sent a number of messages; raw files are named N-PROCESS.raw
        ranks=$(grep -l MPI_Sendrecv tmp/paje-trace-*/*.raw 2>/dev/null | while read -r raw; do
            [ "$(grep -ac '^4[0-9] ' "$raw")" -lt 60 ] || echo "$raw" # starts and ends of links
        done | sed 's/.*-//; s/[.]raw$//')
        [ "$(wc -w <<<"$ranks")" = 3 ] && break
        sleep 0.1
    done
}
parent() { ps -o ppid= -p "$1" | tr -d ' '; }
# ended NAME: the trace of a job of which a process was killed
ended() {
    for _ in {1..300}; do kill -0 "$job" 2>/dev/null || break; sleep 0.1; done
    kill "$job" 2>/dev/null && fail "$mpi/$1" 'the job does not end'
    wait "$job" 2>/dev/null
    for _ in {1..100}; do
        [ -e t.trace ] && ! compgen -G 'tmp/paje-trace-*' >/dev/null && break
        sleep 0.1
    done
    if [ "$("$paje" dump t.trace 2>&1 | grep -c '^Container, .*, Process, .*rank')" != 3 ]; then
        fail "$mpi/$1" "no trace of three ranks: $(grep paje: err | head -n 3 | tr '\n' ' ')"
    elif [ "$("$paje" dump t.trace | grep -c '^Link, .*Message')" -lt 20 ]; then
        fail "$mpi/$1" 'messages are missing'
    elif valid "$mpi/$1" t.trace; then
        pass "$mpi/$1"
    fi
}
# mpirun, a launcher, and the rank whose launcher has started the process that makes the trace.
killed_by_others() {
    local rank first folder
    begins inside
    for rank in $ranks; do [ "$(pgrep -P "$(parent "$rank")" | wc -l)" = 1 ] || first=$rank; done
    kill -9 "$first"
    ended 'kill -9 of the first rank'
    [ "$FULL" ] || return
    begins inside
    kill -9 "$job"
    ended 'kill -9 of mpirun'
    begins inside
    first=$(head -n 1 <<<"$ranks")
    kill -9 "$(parent "$first")"
    sleep 0.2
    kill "$job" # MPICH goes on with that rank, Open MPI ends the job
    ended 'kill -9 of the launcher of a rank'
    begins outside
    first=$(pgrep -P "$job")
    kill -9 "$job"
    wait "$job" 2>/dev/null
    kill "$first"
    while kill -0 "$first" 2>/dev/null; do sleep 0.1; done
    folder=$(echo tmp/paje-trace-*)
    "$paje" merge -o t.trace "$folder" 2>err
    rm -rf "$folder"
    ended 'kill -9 of the launcher of mpirun: its folder is merged later'
}

# Its memory is used by others for some time after it was killed.
killed() {
    local name="$mpi/one-sided communication with a process that is killed"
    rm -f ./*.trace
    timeout 60 "$paje" trace -o t.trace "$launcher" -n 3 "$dir/more.$mpi" killed >out 2>err
    if [ "$("$paje" dump t.trace | grep -c '^Link, .*Access')" -lt 100 ]; then
        fail "$name" "$(grep paje: err | head -n 3 | tr '\n' ' ')"
    elif valid "$name" t.trace; then
        pass "$name"
    fi
}

# All launchers of a job have --live: the trace that grows is whole at each moment, while functions are defined.
grows() {
    local name="$mpi/a trace that grows" bad='' seen=0
    python3 -c '
print("#include <mpi.h>\n#include <unistd.h>")
for i in range(300): print("void __attribute__((noinline)) f%d(void) {usleep(7000);}" % i ** 4)
print("int main(int c, char **v) {MPI_Init(&c, &v);")
for i in range(300): print("f%d();" % i ** 4)
print("MPI_Finalize();}")' >grows.c
    "$compiler" -w -finstrument-functions -o grows.$mpi grows.c || return
    rm -f ./*.trace
    timeout 60 "$launcher" -n 3 "$paje" trace --live -o t.trace ./grows.$mpi >out 2>err & pid=$!
    while kill -0 $pid 2>/dev/null; do
        sleep 0.1
        [ -s t.trace ] && cp t.trace snapshot && seen=$((seen + 1))
        [ -s snapshot ] && bad=$bad$(head -n "$(wc -l <snapshot)" snapshot | "$paje" validate -z - 2>&1 | grep 'error: ' | head -n 1)
    done
    wait $pid
    if [ "$bad" ] || [ $seen = 0 ]; then
        fail "$name" "$seen times: $(head -c 300 <<<"$bad")"
    elif valid "$name" t.trace; then
        pass "$name"
    fi
}

# Two machines, which are names of this one: each has its own trace, and both together have all messages.
machines() {
    local name="$mpi/two machines" log machine
    if ! unshare -u true 2>/dev/null; then
        skip "$name: unshare may not give another name to the machine"
        return
    fi
    rm -f ./*.trace
    printf '%s\n' '#!/bin/bash' 'exec unshare -u bash -c "hostname $1; exec bash -c '"'"'${*:2}'"'"'"' >agent
    chmod +x agent
    if [ $mpi = openmpi ]; then
        timeout 60 "$launcher" --mca plm_rsh_agent "$PWD/agent" --mca btl_tcp_if_include lo --mca btl self,tcp \
            --host one:2,two:2 -n 4 --wdir "$PWD" "$paje" trace ./program.$mpi paused >out 2>err
    else
        timeout 60 "$launcher" -launcher rsh -launcher-exec "$PWD/agent" -hosts one,two -ppn 2 -n 4 \
            "$paje" trace ./program.$mpi paused >out 2>err
    fi
    for machine in one two; do
        for _ in {1..100}; do
            [ -e program.$mpi.$machine.trace ] && break
            sleep 0.1
        done
    done
    "$paje" merge --align -o t.trace program.$mpi.one.trace program.$mpi.two.trace 2>>err
    log=$("$paje" dump t.trace | awk '/^Link.*Message/ {links++} /^Container, .*, Process, .*rank/ {ranks++} END {print ranks, links}')
    if [ "$log" != '4 12' ] || ! "$paje" validate --strict -z program.$mpi.one.trace >/dev/null; then
        fail "$name" "ranks, links: $log; $(ls ./*.trace | tr '\n' ' ') $(grep paje: err | head -n 2 | tr '\n' ' ')"
    elif valid "$name" t.trace; then
        pass "$name"
    fi
}

# Fortran, by each of its three bindings: its libraries call those of C by one or the other name.
fortran() {
    local binding name counts
    for binding in MPI MPIF F08; do
        name="$mpi/Fortran, $binding"
        rm -f ./*.trace
        if ! "$fortran" -w "-D$binding" -o "fortran.$mpi" "$root/tests/trace/mpi_fortran.F90" 2>err; then
            skip "$name: no such binding here"
            continue
        fi
        timeout 60 "$paje" trace -o t.trace "$launcher" -n 3 "./fortran.$mpi" >out 2>err
        counts=$("$paje" dump -u t.trace | awk -F', ' '
            $8 ~ /^MPI_/ {n[$8]++} /^Link.*Message/ {links++; sent += $(NF-1); received += $NF}
            END {print n["MPI_Irecv"], n["MPI_Isend"], n["MPI_Waitall"], n["MPI_Allreduce"], n["MPI_Barrier"], links, sent,
                received}')
        if [ "$(tr -s ' ' <out)" != ' 2 59049' ] || [ "$counts" != '30 30 30 30 3 30 1320 1320' ]; then
            fail "$name" "$(head -n 1 out), $counts, $(head -n 1 err)"
        elif valid "$name" t.trace; then
            pass "$name"
        fi
    done
}

cases() {
    local counts status tags seed crossed=
    if ! command -v "$launcher" "$compiler" pkg-config python3 >/dev/null || ! [ -e "$root/build/libpajetrace-$mpi.so" ]; then
        skip "$mpi: $packages, pkg-config and python3 are needed"
        return
    fi
    ! build && fail "$mpi" "the programs are not built" && return
    cd "$dir" || exit 3
    counted patterns 3 patterns
    counted threads 2 threads
    [ -z "$FULL" ] || counted 'patterns of two' 2 patterns
    more 'one-sided communication' accesses 'get 6 96 put 12 144 to rank 0: 10 to rank 1: 10 to rank 2: 16 update 18 240' '
        $3 == "Access" {n[$7]++; bytes[$7] += $NF; to[$9]++}
        END {for (v in n) print v, n[v], bytes[v]; for (t in to) print "to " t ": " to[t]}'
    more 'neighbors' topologies 'w1 192 w2 288 w3 144' '
        $8 ~ /^MPI_I*[Nn]eighbor/ {if (!($9 in comm)) comm[$9] = ++comms; bytes[comm[$9]] += $11}
        END {for (c in bytes) print "w" c, bytes[c]}'
    more 'files' files 'MPI_File_close 3 MPI_File_iread 3 MPI_File_iwrite_at 6 MPI_File_open 3 MPI_File_read 3 MPI_File_read_all 3 MPI_File_seek 3 MPI_File_set_view 3 MPI_File_sync 3 MPI_File_write_at 15 MPI_File_write_at_all 3 MPI_Wait 3 MPI_Waitall 3' '
        $8 ~ /^MPI_(File|Wait)/ {n[$8]++}
        END {for (f in n) print f, n[f]}'
    more 'links of collective operations' rooted '0>1: 2 56 0>2: 2 32 1>0: 2 32 1>2: 2 24 2>0: 2 40 2>1: 2 56 other 0>0: 2 104 other 0>1: 1 48' '
        $3 == "Message" && $(NF - 1) == $NF && $7 == "collective" {
            split($10, key, /[.]/)
            pair = (key[1] == "w" ? "" : "other ") key[2] ">" key[3]
            n[pair]++
            bytes[pair] += $NF}
        END {for (p in bytes) print p ": " n[p], bytes[p]}' --record=mpi,collective-links
    more 'messages that are not received' lost \
        'messages with one end only are left out: 9 that were sent, 0 that were received (by COMMUNICATOR.FROM.TO: w.2.1: 5, w.0.1: 4) 9 sent, 1 received' '
        $8 == "MPI_Send" {sent++}
        $3 == "Message" {links++}
        END {print sent - links " sent, " links " received"}'
    for tags in 1 10000; do # which of two threads receives first on a channel, MPI leaves open
        crossed=$([ $tags = 10000 ] || echo 'link ends before it starts')
        more "10,000 messages of tasks, $tags tags" "tasks $tags" "10000 $tags" '
            $3 == "Message" && $(NF - 1) == $NF {
                split($10, key, /[.]/)
                right += $NF == key[4] % 1000 + 1
                of_tag += !seen[key[4]]++}
            END {print right, of_tag}'
    done
    crossed='link ends before it starts'
    LD_PRELOAD=$dir/slow.$mpi.so more 'handles that are given to another thread before the tracer knows' 'tasks 10000' 10000 '
        $3 == "Message" && $(NF - 1) == $NF {n++}
        END {print n}'
    crossed=
    more 'calls that fail, as a type or a communicator is none' wrong 'MPI_Alltoall 3 MPI_Bcast 3 MPI_Comm_idup 3 MPI_Gather 3 MPI_Isend 3 MPI_Reduce_scatter_block 3 MPI_Scatter 3 MPI_Send 3' '
        $8 ~ /^MPI_/ && $8 !~ /Init|Finalize|dup$|free/ || $8 == "MPI_Comm_idup" {n[$8]++}
        END {for (f in n) print f, n[f]}'
    [ $mpi = mpich ] && more 'partitioned communication' partitioned 'pair 1, 64 bytes: 9 pair 2, 128 bytes: 9' '
        $3 == "Message" && $(NF - 1) == $NF {split($10, key, /[.]/); n["pair " substr(key[5], 2) ", " $NF " bytes"]++}
        END {for (k in n) print k ": " n[k]}'
    [ $mpi = openmpi ] && more 'processes that are spawned' spawn '16 messages, 249 bytes rank 0 of job 2 rank 1 of job 2' '
        $3 == "Message" && $(NF - 1) == $NF {n++; bytes += $NF}
        $3 == "Process" && / of job / {print $NF}
        END {print n " messages, " bytes " bytes"}'
    for seed in 1 ${FULL:+2 3 4 5 6 7 8 9 10 11 12 13 14 15 16}; do
        counted "wildcards, seed $seed" 3 wildcards "$seed"
    done
    rm -f ./*.trace
    "$launcher" -n 4 "$paje" trace "$dir/program.$mpi" paused >out 2>err
    if [ "$(ls ./*.trace)" != "./program.$mpi.trace" ] || [ -s err ] || [ "$(ls -d tmp/paje-* 2>/dev/null)" ]; then # Open MPI may leave something
        fail "$mpi/launchers of a job" "files: $(ls -d ./*.trace tmp/* | tr '\n' ' '), it says $(tr '\n' ' ' <err), of $("$paje" dump ./*.trace | grep -c '^Container.*Process') processes"
    elif [ "$("$paje" dump ./*.trace | awk -F'[ ,.]+' '/^Link.*Message/ {print $NF}' | sort | uniq -c | tr -s ' \n' ' ')" != ' 4 1 4 3 4 4 ' ]; then
        fail "$mpi/launchers of a job" "$("$paje" dump ./*.trace | grep Message)"
    elif valid "$mpi/launchers of a job" ./*.trace; then
        pass "$mpi/launchers of a job, MPI_Pcontrol, and longjmp"
    fi
    grows
    rm -f ./*.trace
    # Each has a folder of its own: the one that ends first would remove that in which Open MPI begins the other.
    mkdir -p tmp/1 tmp/2
    timeout 60 "$paje" trace -o t.trace sh -c "job() { OMPI_MCA_orte_tmpdir_base=\$TMPDIR/\$1 $launcher -n 2 ./program.$mpi paused; }
job 1 & job 2; wait" >out 2>err
    counts=$("$paje" dump t.trace | awk '/^Link.*Message/ {links++} /^Container, .*, Process, .*rank/ {ranks++} END {print ranks, links}')
    if [ -s err ] || [ "$counts" != '4 12' ]; then
        fail "$mpi/two jobs of a shell" "ranks, links: $counts; it says $(cat out err | head -n 3)"
    elif valid "$mpi/two jobs of a shell" t.trace; then
        pass "$mpi/two jobs of a shell"
    fi
    # As in a container whose first process does not wait for others than its own.
    timeout 60 python3 -c 'import ctypes, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
sys.exit(subprocess.Popen(sys.argv[1:]).wait(20))' "$launcher" -n 2 "$paje" trace -o missing/t.trace true >out 2>err
    status=$?
    if [ $status != 0 ] || ! grep -q 'there is no missing/t.trace; what was recorded is in' err; then
        fail "$mpi/a trace that cannot be written" "$(tail -n 1 err)"
    else
        pass "$mpi/a trace that cannot be written"
    fi
    rm -rf tmp/paje-trace-*
    if command -v "$fortran" >/dev/null; then fortran; else skip "$mpi/Fortran: gfortran is needed"; fi
    ends 'kill -9 of a rank' kill
    killed_by_others 2>/dev/null
    if [ "$FULL" ]; then
        killed
        machines
        ends MPI_Abort abort
        ends 'exit without MPI_Finalize' exit
    fi
    cd "$root" || exit 3
}

mpi=openmpi package=ompi-c compiler=mpicc.openmpi fortran=mpifort.openmpi launcher=mpirun.openmpi packages='libopenmpi-dev and openmpi-bin'
cases
mpi=mpich package=mpich compiler=mpicc.mpich fortran=mpifort.mpich launcher=mpiexec.mpich packages='mpich and libmpich-dev'
cases
exit $failed
