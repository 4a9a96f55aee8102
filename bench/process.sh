#!/bin/bash
# Measures whole processes: from a file to counts or to the lines of `pj_dump`, several processes at once, the start of
# a process, and memory.
#   SIZE    bytes of the trace (67108864); the trace for the comparison with pj_dump has a quarter of that
#   ROUNDS  how often everything is measured (5)
set -u
cd "$(dirname "$0")/.." || exit 3
size=${SIZE:-67108864} rounds=${ROUNDS:-5} paje=build/paje
. bench/lib.sh

trace 1000-containers "$size" -c 1000
build/bench/process "$rounds" process "$file" wc-l 'wc -l @' parse "$paje parse @" null "$paje null @" \
    null-pipe "|$paje null" null-strict "$paje null --strict @" null-strict-pipe "|$paje null --strict" \
    dump "$paje dump @" || exit 1
arenas process

# Several processes share a trace without an index, then the one above with an index.
whole=$file
trace 100-containers $((size * 4)) -c 100
rm -f "$file.pajeidx" "$whole.pajeidx"
for command in null dump 'csv -d build/bench/tables' profile; do
    name=${command%% *}
    build/bench/process "$rounds" unindexed "$file" "$name-j1" "$paje $command -j 1 @" "$name-j2" "$paje $command -j 2 @" |
        grep -v 'unindexed/memchr' || exit 1
done
rm -rf build/bench/tables
file=$whole
build/bench/process 1 jobs "$file" index "$paje index @" | grep -v 'jobs/memchr' || exit 1
build/bench/process "$rounds" jobs "$file" dump-j1 "$paje dump -j 1 @" dump-j2 "$paje dump -j 2 @" || exit 1

if command -v pj_dump >/dev/null; then
    trace quarter $((size / 4)) -c 512
    build/bench/process 3 peers "$file" dump "$paje dump @" pj_dump 'pj_dump @' || exit 1
    # Without the values of variables, which pj_dump has in single precision.
    lines() { sed '/^Variable/s/[^,]*$//' | LC_ALL=C sort | cksum; }
    if [ "$($paje dump "$file" | lines)" != "$(pj_dump "$file" | lines)" ]; then
        echo 'bench/process.sh: paje dump and pj_dump print other lines' >&2
        exit 1
    fi
else
    echo 'bench/process.sh: pj_dump is not compared (install pajeng)' >&2
fi

{
    printf '%%EventDef PajeDefineContainerType 0\n%% Alias string\n%% Type string\n%% Name string\n%%EndEventDef\n'
    printf '%%EventDef PajeDefineStateType 1\n%% Alias string\n%% Type string\n%% Name string\n%%EndEventDef\n'
    printf '%%EventDef PajeCreateContainer 2\n%% Time date\n%% Alias string\n%% Type string\n%% Container string\n'
    printf '%% Name string\n%%EndEventDef\n'
    printf '%%EventDef PajeSetState 3\n%% Time date\n%% Type string\n%% Container string\n%% Value string\n'
    printf '%%EndEventDef\n0 T 0 Thread\n1 S T State\n2 0 a T 0 thread\n'
    seq -f '3 0.%.0f S a state' 100 140
} >"$dir/1-kb.trace"
build/bench/process $((50 * rounds)) start "$dir/1-kb.trace" nothing true null "$paje null @" \
    null-strict "$paje null --strict @" dump "$paje dump @"
