#!/bin/bash
# Measures what `paje trace` takes of a program's CPU time while it runs, by samples: those in the tracer's code, in
# reading the clock, and in growing and mapping its file, over all others of the program.  Other work on the machine
# disturbs that little, as it disturbs both.  What the tracer displaces in caches is not seen.  Needs perf.
# usage: bench/share.sh NAME PROCESS COMMAND...
# PROCESS is the name of the processes that count, as `hpccg` of `mpirun -n 2 ./hpccg`.
# Prints lines `bench share/NAME/WHAT PERCENT %`; `clock` is less what the program reads of it by itself.
#   OPTIONS of `paje trace`, as --record=mpi
set -u
paje=$(dirname "$0")/../build/paje name=${1:?} process=${2:?}
shift 2
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
# samples COMMAND...: prints how many are in the tracer, the clock, its file, the rest
samples() {
    perf record -q -g -F 8000 -e cpu-clock -o "$folder/perf.data" "$@" >/dev/null 2>"$folder/log"
    perf script -i "$folder/perf.data" --comm "${process:0:15}" -F comm,ip,sym,dso 2>/dev/null | awk '
        BEGIN { RS = ""; FS = "\n" }
        { n[/do_shared_fault|page_mkwrite|buffered_write/ ? "file" : $2 ~ /libpajetrace/ ? "tracer" :
            $2 ~ /vdso/ ? "clock" : "program"]++ }
        END { print n["tracer"] + 0, n["clock"] + 0, n["file"] + 0, n["program"] + 0 }'
}
read -r _ clock file program < <(samples "$@")
# shellcheck disable=SC2086
samples "$paje" trace ${OPTIONS:-} -o "$folder/t.trace" "$@" |
    awk -v name="$name" -v clock="$clock" -v file="$file" -v program="$program" '{
        if (!program || !$4) exit 1
        t = $1 / $4; c = $2 / $4 - clock / program; f = $3 / $4 - file / program
        split("tracer clock file all", names, " ")
        split(t " " c " " f " " t + c + f, shares, " ")
        for (i = 1; i <= 4; i++)
            printf "bench share/%s/%s %.2f %%\n", name, names[i], shares[i] * 100
    }' || { cat "$folder/log" >&2; exit 1; }
printf 'bench share/%s/lines %d lines\n' "$name" "$(grep -c '^[0-9]' "$folder/t.trace")"
