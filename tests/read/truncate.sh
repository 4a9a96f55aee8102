#!/bin/bash
# Runs tests/read/truncate.c under address and undefined-behaviour sanitizers, on the traces of the project and on those
# of CORPUS.  Large ones are only sampled, and more sparsely if FULL is not set.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests
program=$dir/truncate
mkdir -p $dir
FULL=${FULL:-0}
sanitizers='-g1 -Og -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'

for compiler in gcc clang none; do
    echo 'int main(void) { return 0; }' | $compiler $sanitizers -x c - -o $program 2>/dev/null && $program && break
done
if [ $compiler = none ]; then
    echo 'SKIP truncate: no compiler with sanitizers (install gcc libasan8)'
    exit 0
fi
$compiler -std=c99 $sanitizers -I. tests/read/truncate.c -o $program || exit 1

# One process a trace, so that a crash names its trace.
trace() {
    local program=$1 budget=$2 log status
    log=$("$program" -b "$budget" "$3" 2>&1)
    status=$?
    grep -E '^(PASS|FAIL) ' <<<"$log"
    if [ $status -gt 1 ] || ! grep -qE '^(PASS|FAIL) ' <<<"$log"; then
        echo "FAIL truncate $3: exit status $status $(grep -m1 -E 'ERROR|runtime error' <<<"$log")"
        status=2
    fi
    [ $status = 0 ]
}
export -f trace

{
    find tests/traces -name '*.trace'
    [ -z "${CORPUS:-}" ] || find "$CORPUS" -name '*.trace'
} | while read -r file; do
    if [ "$(wc -c <"$file")" -lt 40000 ]; then
        echo $((FULL ? 4194304 : 262144)) "$file"
    else
        echo $((FULL ? 400000 : 50000)) "$file"
    fi
done | xargs -P "$(nproc 2>/dev/null || echo 2)" -L 1 bash -c 'trace "$@"' trace $program >$dir/truncate.log
status=$?
sort $dir/truncate.log
[ "${CORPUS:-}" ] || echo 'CORPUS truncate'
exit $status
