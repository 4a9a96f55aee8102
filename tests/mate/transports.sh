#!/bin/bash
# Master and workers by fork and by MPI: the traces of both say the same except for times, and with the same times the same
# is decided.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/transports-tests
[ "$(uname)" = Linux ] || { echo 'SKIP mate/transports: needs Linux'; exit 0; }
make -s build/examples/mate/nbody build/examples/mate/mate build/examples/mate/analyser build/paje || exit 1
command -v mpirun >/dev/null && make -s build/examples/mate/nbody_mpi ||
    { echo 'SKIP mate/transports: MPI (install libopenmpi-dev)'; exit 0; }
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
bin=$root/build/examples/mate
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failed=0

# is NAME EXPECTED OUTPUT
is() {
    if [ "$3" = "$2" ]; then
        echo "PASS mate/transports: $1"
    else
        echo "FAIL mate/transports: $1: $(diff <(echo "$2") <(echo "$3") | head -n 20 | tr '\n' '|')"
        failed=1
    fi
}

# The events of a trace from iteration `first` on, without times, in one order.
events() {
    "$root/build/paje" dump -u -z "$1.trace" 2>/dev/null | awk -F', ' -v OFS=, -v first=$first '
        $1 == "Event" && $5 ~ /^(Iteration(Starts|Finishes)|MSendsTaskW|WRepliesM|W(Starts|Finishes)Task|WEndsIteration)$/ &&
            $6 >= first { print $6, $5, $2, $7, $8 }' | sort -t, -k1,1n -k2
}

# A trace of such events with the times of the model: it takes 0.1 ms to send a message; all workers together compute for
# 12 ms, and for four times as long from the middle on.
timed() {
    cat <<'END'
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEventType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeNewEvent 3
% Time date
% Type string
% Container string
% Value string
% Iteration int
% Actors int
%EndEventDef
%EventDef PajeNewEvent 4
% Time date
% Type string
% Container string
% Value string
% Iteration int
% Worker int
% Bytes int
%EndEventDef
%EventDef PajeDefineEntityValue 5
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeNewEvent 6
% Time date
% Type string
% Container string
% Value string
% Iteration int
% Actors int
% Spread int
%EndEventDef
0 Master 0 Master
0 Worker 0 Worker
1 M Master M
1 W Worker W
5 IterationStarts M IterationStarts
5 IterationFinishes M IterationFinishes
5 MSendsTaskW M MSendsTaskW
5 WRepliesM M WRepliesM
5 WStartsTask W WStartsTask
5 WFinishesTask W WFinishesTask
2 0 master Master 0 master
2 0 w0 Worker 0 "worker 0"
2 0 w1 Worker 0 "worker 1"
2 0 w2 Worker 0 "worker 2"
END
    awk -F, -v first=$first -v middle=$(((first + iterations) / 2)) '
        function of_master(time, rest) { printf "%.9f %s\n", time, rest }
        { all[$1, $2, $3, $2 ~ /^M|^WR/ ? $4 : ""] = $0; last = $1 }
        function line(i, event, actor, worker) { return (i SUBSEP event SUBSEP actor SUBSEP worker) in all }
        END {
            for (i = first; i <= last; i++) {
                load = i < middle ? 1 : 4
                split(all[i, "IterationStarts", "master", ""], f)
                n = f[4]
                printf "6 %.9f M master IterationStarts %d %d %d\n", t, i, n, f[5]
                for (w = 0; w < n; w++) {
                    if (split(all[i, "MSendsTaskW", "master", w], f))
                        printf "4 %.9f M master MSendsTaskW %d %d %d\n", t + (w + 1) * 1e-4, i, w, f[5]
                    if (line(i, "WStartsTask", "worker " w, ""))
                        printf "3 %.9f W w%d WStartsTask %d %d\n", t + (w + 1) * 1e-4, w, i, n
                    end = t + (w + 1) * 1e-4 + 12e-3 * load / n
                    if (line(i, "WFinishesTask", "worker " w, ""))
                        printf "3 %.9f W w%d WFinishesTask %d %d\n", end, w, i, n
                    if (split(all[i, "WRepliesM", "master", w], f))
                        printf "4 %.9f M master WRepliesM %d %d %d\n", end, i, w, f[5]
                }
                t = end
                if (line(i, "IterationFinishes", "master", ""))
                    printf "3 %.9f M master IterationFinishes %d 0\n", t, i
            }
        }' "$1" | sort -s -k2,2g
}

first=180 iterations=260 # until then, the tuner has found all processes
work=(-q -b 32 -i $iterations -p step -m 3 -w 3 -S 20000)
timeout 60 "$bin/mate" -q -t time -o fork "$bin/nbody" "${work[@]}" >fork.txt 2>&1
timeout 60 "$bin/mate" -q -t time -o mpi mpirun -n 4 --oversubscribe "$bin/nbody_mpi" "${work[@]}" >mpi.txt 2>&1
is 'the result' "$(sed -n '/^result/p' fork.txt)" "$(sed -n '/^result/p' mpi.txt)"
for of in fork mpi; do
    "$root/build/paje" merge -o $of.trace $of/*.trace 2>/dev/null
    events $of >$of.events
    is "$of: events of $((iterations - first)) iterations" $(((iterations - first) * (2 + 5 * 3))) "$(wc -l <$of.events)"
    timed $of.events >$of.timed
    is "$of: with times of the model, what is decided" "iteration $((first + 2)): NOptWorkers 3 -> 11
iteration $((first + 68)): NOptWorkers 3 -> 22" "$("$bin/analyser" $of.timed 2>&1 | grep '^iteration')"
    "$bin/analyser" --values --tunlet=workers --tunlet=time $of.timed >$of.values 2>&1
done
is 'the events' "$(cat fork.events)" "$(cat mpi.events)"
is 'what is computed of each iteration' "$(cat fork.values)" "$(cat mpi.values)"
exit $failed
