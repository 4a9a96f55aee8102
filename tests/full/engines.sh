#!/bin/bash
# Parts of a trace by the schedulers of others: what they add up to is what `paje profile` prints, also if a worker is
# killed with SIGKILL meanwhile.
. "$(dirname "$0")/../tool/lib.sh"

make -s build/bench/generate || exit 3
trace=$PWD/$dir/t.trace
build/bench/generate -b 20000000 -c 24 >"$trace"
"$paje" index "$trace" >/dev/null
"$paje" profile --depth 0 --format csv "$trace" |
    awk -F, -v OFS='\t' '$3 == "State" { print $4, $6, $7, $8 }' | sorted >"$dir/expected"

# as_profile NAME: the table on standard input, with commas
as_profile() {
    tr ',' '\t' | sorted >"$dir/got"
    python3 tests/tool/lib-rows.py "$group: $1" "$dir/expected" "$dir/got" || failed=1
}

python=python3
/usr/bin/python3 -c 'import distributed' 2>/dev/null && python=/usr/bin/python3 # Debian's, where there are others
if ! command -v python3 >/dev/null || ! $python -c 'import distributed' 2>/dev/null; then
    skip 'Dask' 'no python3 with distributed (install python3-distributed)'
    exit $failed
fi
export PAJE=$paje
for options in --kill '--parts 3 --workers 2' '--parts 100 --kill'; do
    timeout 300 $python examples/bindings/python/dask_profile.py $options "$trace" 2>"$dir/err" >"$dir/out" ||
        fail "Dask $options" "$(tail -n 1 "$dir/err")"
    as_profile "Dask $options" <"$dir/out"
    [[ $options != *--kill* ]] || check "Dask $options: a worker was killed" grep -q '^killed the worker' "$dir/err"
done
expect 'Dask: a trace that is none' 1 'nothing.trace: No such file' $python examples/bindings/python/dask_profile.py \
    --parts 2 --workers 2 "$dir/nothing.trace"
exit $failed
