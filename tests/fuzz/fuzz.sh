#!/bin/bash
# Runs the seeds of the fuzzers, every input that ever failed, and the corpus.  With FULL set under sanitizers.  With
# FUZZ_SECONDS set, too, each target is then fuzzed for as long, with the inputs of one seed: what fails is a change's doing,
# and fails again.  tests/fuzz/run by hand is what draws others.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/fuzz
failed=0
tests/fuzz/seeds.sh $dir/seeds || exit 1
how=plain
if [ "${FULL:-}" ]; then
    how=sanitized
    echo 'int main(void) { return 0; }' >$dir/works.c
    if ! ${CC:-cc} -fsanitize=address,undefined $dir/works.c -o $dir/works 2>/dev/null || ! $dir/works; then
        echo 'SKIP fuzz: sanitizers: the compiler makes no such programs (install libasan8)'
        how=plain
    fi
fi
if [ "${FULL:-}" ] && [ "${FUZZ_SECONDS:-0}" -gt 0 ]; then
    how=libfuzzer
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >$dir/works.c
    if ! clang -fsanitize=fuzzer,address,undefined $dir/works.c -o $dir/works 2>/dev/null; then
        echo 'SKIP fuzz: sanitizers: the compiler makes no such programs (install clang libclang-rt-14-dev)'
        how=plain
    fi
fi
# With -O1 clang takes half a minute for each of 20 programs and parts, by which a minute would try three times as much.
LEVEL=-O0 tests/fuzz/build.sh $how $dir/$how || exit 1
# replay TARGET: its seeds, what failed, and its corpus; then it is fuzzed
replay() {
    local log
    log=$(find $dir/seeds/$1 tests/fuzz/found tests/fuzz/corpus -path "*/$1/*" -type f | sort | xargs $dir/$how/$1 2>&1)
    if [ $? = 0 ] && grep -Eq '^[1-9][0-9]* inputs$|^Executed ' <<<"$log"; then
        echo "PASS fuzz $1"
    else
        echo "FAIL fuzz $1: $(grep -a -m1 -E 'not so|ERROR|runtime error' <<<"$log") of" \
            "$(grep -aE '^[a-z]*/|^Running: ' <<<"$log" | tail -n 1)"
    fi
    [ $how = libfuzzer ] || return 0
    if log=$(TIME=$FUZZ_SECONDS SEEDS=40 SEED=1 BUILT=1 LOG=$dir/log.tsv tests/fuzz/run $1 2>&1); then
        echo "PASS fuzz $log"
    else
        echo "FAIL fuzz $1 in $FUZZ_SECONDS s: $(tail -n 3 <<<"$log" | tr '\n' '|')"
    fi
}
export -f replay
export dir how
targets=$(sed -n 's/^\([a-z]*\)  .*/\1/p' tests/fuzz/targets)
# Four at once: the minutes are those of the clock, and .ci/run has 45 of them for all tests.
xargs -P 4 -I '{}' bash -c 'replay {} >$dir/{}.cases' <<<"$targets" || failed=1
for target in $targets; do cat $dir/$target.cases; done
! grep -q '^FAIL' $dir/*.cases || failed=1

# the table in the README is that of the log
if diff <(tests/fuzz/run --table) <(sed -n '/^| target | executions/,/^$/p' tests/README.md | sed '/^$/d') >$dir/table; then
    echo 'PASS fuzz: the table in tests/README.md is that of tests/fuzz/log.tsv'
else
    echo "FAIL fuzz: the table in tests/README.md is not that of \`tests/fuzz/run --table\`: $(tail -n 1 $dir/table)"
    failed=1
fi
exit $failed
