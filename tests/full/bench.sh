#!/bin/bash
# Runs the benchmarks on small traces, and checks that their variants agree; speed is not checked.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/bench status=0
mkdir -p $dir

# judge NAME: passes by the exit status of the command before
judge() {
    if [ $? = 0 ] && grep -q '^bench ' "$dir/$1.out" && ! grep -Eqv '^bench [^ ]+ -?[0-9.]+ [^ ]+$' "$dir/$1.out"; then
        echo "PASS bench/$1"
    else
        echo "FAIL bench/$1: $(tail -n 1 "$dir/$1.err") (see $dir/$1.out and $1.err)"
        status=1
    fi
}

make -s bench SIZE=1000000 ROUNDS=1 WRITE_RUNS=3 WRITE_ROUNDS=1 >$dir/run.out 2>$dir/run.err
judge run

# Each writer has its time and, beside OTF2, the ratio; no figure is there twice.
writers='pajewrite/file pajewrite/mapped pajewrite/table pajewrite-zones/file pajewrite-tracks/file pajewrite-ints/file
    spall-like/file fprintf'
[ "$(uname -m)" != x86_64 ] || writers+=' pajewrite-tsc/file pajewrite-tracks-tsc/file spall-like-tsc/file'
parts='cpu wall'
if grep -q 'otf2 is not compared' $dir/run.err; then
    echo 'SKIP bench/OTF2: it is not there (install pkg-config libopen-trace-format2-dev)'
else
    parts+=' ratio'
fi
missing=$(for writer in $writers; do
    for part in $parts; do
        [ "$(grep -c "^bench write-[12]/$writer/$part " $dir/run.out)" = 2 ] || echo "$writer/$part"
    done
done)
[ -z "$missing" ] && echo 'PASS bench/writers' || { echo "FAIL bench/writers:" $missing; status=1; }
if grep -q '^bench write-1/lttng/cpu ' $dir/run.out; then
    echo 'PASS bench/LTTng'
else
    grep -q 'lttng is not compared' $dir/run.err && why=SKIP || { why=FAIL; status=1; }
    echo "$why bench/LTTng: it is not compared (install pkg-config liblttng-ust-dev lttng-tools)"
fi

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
