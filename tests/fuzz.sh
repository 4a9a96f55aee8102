#!/bin/bash
# Replays what the fuzzers of tests/fuzz begin with, and every input that ever failed; with FULL set under sanitizers.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=build/fuzz
failed=0
tests/fuzz/seeds.sh $dir/seeds || exit 1
how=plain
if [ "${FULL:-}" ]; then
    echo 'int main(void) { return 0; }' >$dir/works.c
    if ${CC:-cc} -fsanitize=address,undefined $dir/works.c -o $dir/works 2>/dev/null && $dir/works; then
        how=sanitized
    else
        echo 'SKIP fuzz: sanitizers: the compiler makes no such programs (install libasan8)'
    fi
fi
tests/fuzz/build.sh $how $dir/$how || exit 1
for target in reader images indexes writer numbers plugins merge; do
    log=$(find $dir/seeds/$target tests/fuzz/found -path "*/$target/*" -type f | sort | xargs $dir/$how/$target 2>&1)
    if [ $? = 0 ] && grep -q '^[1-9][0-9]* inputs$' <<<"$log"; then
        echo "PASS fuzz $target"
    else
        echo "FAIL fuzz $target: $(grep -a -m1 -E 'not so|ERROR|runtime error' <<<"$log") of $(grep -a '^[a-z]*/' <<<"$log" | tail -n 1)"
        failed=1
    fi
done
exit $failed
