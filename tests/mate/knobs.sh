#!/bin/bash
# Programs that tune themselves, or are tuned by mate: a pipeline, two kernels, an OpenMP loop. Whatever is tuned, the
# result is the same, and a replay of the trace decides the same.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/knobs-tests
[ "$(uname)" = Linux ] || { echo 'SKIP mate/knobs: needs Linux'; exit 0; }
make -s build/examples/mate/pipeline build/examples/mate/kernels build/examples/mate/mate build/examples/mate/analyser build/tests/mate/actions build/paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
bin=$root/build/examples/mate
failed=0
export OMP_WAIT_POLICY=passive # threads that wait take no time from those that work

# is NAME EXPECTED OUTPUT
is() {
    if [ "$3" = "$2" ]; then
        echo "PASS mate/knobs: $1"
    else
        echo "FAIL mate/knobs: $1: $(diff <(echo "$2") <(echo "$3") | tr '\n' '|')"
        failed=1
    fi
}

# try PROGRAM TUNLET FIXED TUNED: with a fixed setting, tuned by itself, and by mate
try() {
    local program=$1 tunlet=$2 fixed=$3 tuned=$4 right
    right=$(timeout 60 "$bin/$program" $fixed | head -n 1)
    is "$tunlet: there is a result" result "${right%% *}"
    is "$tunlet: tuned by itself" "$right" "$(timeout 60 "$bin/$program" $tuned -o "$tunlet.trace" 2>err.txt | head -n 1)"
    is "$tunlet: the trace is valid strictly" '' "$("$root/build/paje" validate --strict "$tunlet.trace" 2>&1 | grep -v ': valid$')"
    is "$tunlet: replayed, the same decisions" 'status 0' "$("$bin/analyser" --tunlet="$tunlet" --replay "$tunlet.trace" >replay.txt; echo "status $?")"
    is "$tunlet: tuned by mate" "$right" "$(timeout 60 "$bin/mate" -t "$tunlet" -o "$tunlet" "$bin/$program" $tuned 2>err.txt | head -n 1)"
    "$root/build/paje" merge -o by-mate.trace "$tunlet"/*.trace >merge.txt 2>&1
    is "$tunlet: tuned by mate, replayed" 'status 0' "$("$bin/analyser" --tunlet="$tunlet" --replay by-mate.trace >replay.txt 2>&1; echo "status $?")"
}
try pipeline pipeline '-b 64' ''
is 'pipeline: it is tuned' yes "$("$bin/analyser" --tunlet=pipeline pipeline.trace | grep -q ': Batch .* -> ' && echo yes)"
# batches of 100 of 3 stages, of which the slowest needs the time BUSY for all ITEMS; h = 10 us to pass one on:
# sqrt(ITEMS h / (2 BUSY / ITEMS))
sed '/^40 /,$d' pipeline.trace >head.trace
batches() { # ITEMS BUSY
    awk -v items="$1" -v busy="$2" 'BEGIN {
        for (i = 0; i < 3; i++) {
            print "41 " i ".0 1 3 1 " i " 3 100 " items " 10000"
            for (k = 2; k < 5; k++)
                print "43 " i ".5 " k " 4 3 " i " 3 " busy / (k - 1)
            print "42 " i ".6 1 3 2 " i " 0"
        }
    }' | cat head.trace - | "$bin/analyser" --tunlet=pipeline 2>&1 | sed -n 's/^iteration *[0-9]*: //p' | paste -sd,
}
is 'pipeline: more for small items' 'Batch 100 -> 716' "$(batches 1024 10240)"
is 'pipeline: less for large ones' 'Batch 100 -> 4' "$(batches 16 80000)"
is 'pipeline: what is near is left' '' "$(batches 1024 600000)"
try kernels kernels '-k all' ''
is 'kernels: both are chosen' yes "$("$bin/analyser" --tunlet=kernels kernels.trace | sed -n 's/.*Kernel 0 -> 1$/to/p; s/.*Kernel 1 -> 0$/fro/p' | sort -u | paste -sd' ' | sed 's/^fro to$/yes/')"
is 'kernels: mate replaces them' yes "$(sed -n 's/^mate: decisions: [1-9][0-9]*, of these applied [1-9].*/yes/p' err.txt)"
is 'kernels: one that is none' 'kernels: there is no kernel `both`: all, list' "$("$bin/kernels" -k both 2>&1)"
is 'kernels: a full disk' '/dev/full: No space left on device; the trace is not kept' "$("$bin/kernels" -o /dev/full 2>&1 >/dev/null | head -n 1)"
is 'kernels: intrusion' 'intrusion: events tuning' "$("$bin/kernels" 2>&1 >/dev/null | sed 's/ [1-9][0-9]* events; .*, events and tunlets [0-9.]*[1-9][0-9.]* ms, \(tuning\) [0-9.]*[1-9][0-9.]* ms/ events \1/')"
is 'kernels: intrusion, by mate' yes "$("$bin/mate" -t kernels "$bin/kernels" 2>&1 >/dev/null | sed -n 's/^mate: intrusion: [1-9][0-9]* events of 1 processes.*/yes/p')"
if make -s -C "$root" build/examples/mate/loop 2>err.txt; then
    try loop chunk '-f 64' ''
    try loop threads '-k threads -f 1' '-k threads'
    right=$("$bin/loop" -k both -f 64 | head -n 1)
    is 'two tunlets at once' "$right" "$("$bin/loop" -k both -o both.trace 2>err.txt | head -n 1)"
    is 'two tunlets at once: replayed, the same decisions' 'Chunk Threads status 0' "$("$bin/analyser" --tunlet=chunk --tunlet=threads --replay both.trace 2>&1 >replay.txt; echo "$(sed -n 's/^iteration.*: \(Chunk\|Threads\) .*/\1/p' replay.txt | sort -u | paste -sd' ') status $?")"
    # loops of 65536 items on 2 threads; 100 ns for a chunk, so that Copt = sqrt(65536 100 c / (2 I))
    sed '/^41 /,$d' both.trace >head.trace
    made() { # CHUNK BUSY EARLIER: three iterations in which thread 1 ends so many ns before thread 0
        awk -v chunk="$1" -v busy="$2" -v earlier="$3" 'BEGIN {
            for (i = 0; i < 3; i++) {
                print "41 " i ".0 1 3 1 " i " 2 " chunk " 65536 100000 50000 2"
                printf "43 %.9f 3 4 3 %d 2 %d\n", i + 0.5 - earlier / 1e9, i, busy / 2
                printf "43 %.9f 2 4 3 %d 2 %d\n42 %.1f 1 3 2 %d 0\n", i + 0.5, i, busy, i + 0.6, i
            }
        }' | cat head.trace -
    }
    decided() { made "$@" | "$bin/analyser" --tunlet=chunk --tunlet=threads 2>&1 | sed -n 's/^iteration *[0-9]*: //p' | paste -sd,; }
    is 'chunks: not more than four times as large at once' 'Chunk 16 -> 64' "$(decided 16 1000000 1000)"
    is 'chunks: smaller where threads wait' 'Chunk 256 -> 41' "$(decided 256 1000000 1000000)"
    is 'chunks: what is near is left' '' "$(decided 256 1000000 20000)"
    is 'chunks: of whole loops' 'Chunk 16384 -> 32768' "$(decided 16384 1000000 10)"
    is 'threads: one for loops that are short' 'Threads 2 -> 1' "$(decided 256 70000 20000)"
else
    echo 'SKIP mate/knobs: an OpenMP loop: the compiler has no OpenMP (install libgomp or libomp-dev)'
fi
"$root/build/tests/mate/actions" "$dir/live" || failed=1
exit $failed
