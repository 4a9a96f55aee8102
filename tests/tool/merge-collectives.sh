#!/bin/bash
# paje merge --align by collective operations, as `paje trace` writes them.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    skip 'clocks' 'no python3 (install python3)'
    exit $failed
fi

# unordered FILE: whether paje efficiency finds operations that end before all have begun them
unordered() { "$paje" efficiency "$1" 2>&1 | grep -c 'end before all have begun them'; }
# aligned STEPS SEED MICROSECONDS KIND...: operations are in order, up to 20 microseconds that a message tells; clocks are
# right up to so many microseconds
aligned() {
    local name="${*:4}, seed $2" far told
    python3 tests/tool/lib-skew.py "$dir" "$1" "$2" "${@:4}" >"$dir/clocks"
    "$paje" merge -o "$dir/apart.trace" "$dir"/rank?.trace 2>"$dir/err"
    "$paje" merge --align -o "$dir/all.trace" "$dir"/rank?.trace 2>"$dir/err"
    # what is said of ranks 1 to 3: corrected by least to greatest; relative to rank 0
    far=$(awk 'NR == FNR { ahead[FNR - 1, 0] = $1; ahead[FNR - 1, 1] = $2; next }
        match($0, /rank[0-9]/) { rank = substr($0, RSTART + 4, 1) }
        / corrected by / { low = $(NF - 2) + 0; high = $NF + 0; if ($(NF - 1) != "to") low = high; found[rank, 0] = low; found[rank, 1] = high }
        END { for (r = 1; r < 4; r++) for (i = 0; i < 2; i++) {
                  here = ahead[r, 0] < ahead[r, 1] ? ahead[r, i] : ahead[r, 1 - i]
                  wrong = -here - found[r, 1 - i] + found[0, 1 - i]
                  wrong = wrong < 0 ? -wrong : wrong
                  most = wrong > most ? wrong : most }
              printf "%.0f", most * 1e6 }' "$dir/clocks" "$dir/err")
    told=$(sed -n 's/.* arrive up to \([^ ]*\) before.*/\1/p' "$dir/err" | awk '$1 * 1e6 > most { most = $1 * 1e6 } END { printf "%.0f", most }')
    if [ "$(unordered "$dir/apart.trace")" != 1 ]; then
        fail "$name" 'the clocks were right before'
    elif [ "$(unordered "$dir/all.trace")" != 0 ] && [ "$told" = 0 ]; then
        fail "$name" "$("$paje" efficiency "$dir/all.trace" 2>&1 | grep 'before all')"
    elif [ "$told" -gt 20 ]; then
        fail "$name" "$(grep -m 1 'before they are sent' "$dir/err")"
    elif [ "$far" -gt "$3" ]; then
        fail "$name" "a clock is wrong by $far microseconds: $(tr '\n' ' ' <"$dir/err")"
    else
        pass "$name"
    fi
}

for seed in 1 2 ${FULL:+3 4 5 6 7 8}; do
    aligned 800 $seed 300 MPI_Barrier
    aligned 800 $seed 300 MPI_Allreduce MPI_Bcast MPI_Reduce
done
# By roots alone: that of a broadcast tells one way, that of a reduction the other way.
aligned 800 9 1000 MPI_Bcast MPI_Reduce
# A scan tells that rank 0 began before others ended, which roots 1 and 3 do not.
aligned 800 11 1000 MPI_Scan MPI_Bcast MPI_Exscan MPI_Bcast

python3 tests/tool/lib-skew.py "$dir" 3000 1 jitter >"$dir/clocks"
expect 'what cannot be corrected is told' 0 'rank1.* [0-9]+ of the messages arrive up to (0.000[1-9]|[1-9][.0-9]*e-05)' \
    "$paje" merge --align -o "$dir/all.trace" "$dir"/rank?.trace
expect 'more begin an operation than there are' 0 '' "$paje" merge --align --apart -o "$dir/twice.trace" "$dir"/rank?.trace "$dir"/rank?.trace

# Clocks that are right stay as they are.

awk 'BEGIN { for (i = 1; i <= 100; i++) printf "%.3f %.3f\n", i / 10, i / 10 + 0.001 }' >"$dir/times"
for rank in 0 1; do
    {
        sed '/^1 S P State/q' "$dir/rank0.trace"
        printf '6 0 p%d P 0 rank%d x\n' $rank $rank
        awk -v rank=$rank '{ printf "90 %s S p%d MPI_Barrier w -1 0 %d %d 2\n12 %s S p%d x\n", $1, rank, NR, rank, $2, rank }' "$dir/times"
    } >"$dir/right$rank.trace"
done
"$paje" merge --align -o "$dir/all.trace" "$dir"/right?.trace >"$dir/out" 2>&1
check 'right clocks stay as they are' test ! -s "$dir/out"
exit $failed
