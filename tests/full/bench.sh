#!/bin/bash
# That the benchmarks run and that what they compare agrees, on little: not that anything is fast.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/bench status=0
mkdir -p $dir

# judge NAME: by the status of what was run before
judge() {
    if [ $? = 0 ] && grep -q '^bench ' "$dir/$1.out" && ! grep -Eqv '^bench [^ ]+ -?[0-9.]+ [^ ]+$' "$dir/$1.out"; then
        echo "PASS bench/$1"
    else
        echo "FAIL bench/$1: $(tail -n 1 "$dir/$1.err") (see $dir/$1.out and $1.err)"
        status=1
    fi
}

make -s bench SIZE=1000000 ROUNDS=1 WRITE_ROUNDS=1 >$dir/run.out 2>$dir/run.err
judge run

if ! command -v gnuplot >/dev/null || ! command -v xmllint >/dev/null; then
    echo 'SKIP bench/curves: gnuplot or xmllint is not there (install gnuplot-nox libxml2-utils)'
    exit $status
fi
export PLOTS=$dir ROUNDS=1 SMALL=100000 MEDIUM=200000 BIG=400000
bench/full chunk file sql >$dir/curves.out 2>$dir/curves.err &&
    cat build/bench/{chunk,file,sql}.txt >$dir/curves.out &&
    xmllint --noout $dir/chunk.svg $dir/file.svg $dir/memory.svg $dir/sql-{small,medium,big}.svg 2>>$dir/curves.err
judge curves
if [ "$(grep -c ,, $dir/chunk.csv)" -gt 0 ] || [ "$(wc -l <$dir/chunk.csv)" != 15 ]; then
    echo "FAIL bench/table: $dir/chunk.csv has gaps"
    status=1
else
    echo 'PASS bench/table'
fi
exit $status
