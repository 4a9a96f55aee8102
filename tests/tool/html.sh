#!/bin/bash
# paje html: one valid, self-contained page with the data of `paje dump`.  tests/full/html.sh opens it in a browser.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

header=tests/tool/header.trace
trace=$dir/whole.trace
cat $header tests/tool/body.trace >"$trace"
: >"$dir/empty.trace"
head -c 9000 $traces/stencil.trace >"$dir/cut.trace"
hostile_trace >"$dir/hostile.trace"
expect 'a page' 0 '^<!DOCTYPE html>$' "$paje" html "$trace"
expect 'not a number of rows' 2 'must be 10 to 10000 rows' "$paje" html --rows 2 "$trace"
"$paje" html "$trace" | sed 's/"name":"whole.trace"/"name":"<stdin>"/' >"$dir/expected"
cat "$trace" | "$paje" html | sed 's/u003cstdin/<stdin/; s/\\</</' >"$dir/got"
same 'from a pipe: the same page' "$dir/expected" "$dir/got"

# So many containers at once that their state is larger than what processes hand over: each feeds what is between.
{
    cat $header
    printf '%s\n' '0 P 0 Process' '1 S P State'
    awk 'BEGIN { for (i = 0; i < 2000; i++) print "6 0 p" i " P 0 process-" i " 1"
        for (t = 0; t < 10; t++) for (i = 0; i < 2000; i++) print "10 " t " S p" i " state-" (t + int(i / 50)) % 4 " a 1"
        for (i = 0; i < 2000; i++) print "7 10 P p" i }'
} >"$dir/large-state.trace"
for command in html svg; do
    "$paje" $command "$dir/large-state.trace" >"$dir/expected"
    for processes in 2 3 7; do
        "$paje" $command -j $processes "$dir/large-state.trace" >"$dir/got"
        check "$command -j $processes, a large state: the same picture" cmp -s "$dir/expected" "$dir/got"
    done
done

# The page loads nothing, and its policy forbids it.
"$paje" html "$dir/hostile.trace" >"$dir/page.html" 2>/dev/null
sed '/id="data"/,/^<.script>/d' "$dir/page.html" >"$dir/frame.html"
check 'nothing is loaded' sh -c "! grep -Eiq 'src *=|href *=|url\(|import|https?:' '$dir/frame.html'"
check 'nothing may be loaded' grep -q "^  content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">" "$dir/page.html"

if ! command -v python3 >/dev/null; then
    skip 'what it holds' 'no python3 (install python3)'
    exit $failed
fi
make -s build/bench/generate || exit 3
build/bench/generate -b 15000000 -c 2 >"$dir/long.trace"
build/bench/generate -b 3000000 -c 1000 >"$dir/wide.trace"
build/bench/generate -b 8000000 -c 100 >"$dir/flat.trace"
{ # processes with a thread each, every other one at once, so that threads come to processes that share rows, or will
    cat $header
    printf '%s\n' '0 P 0 Process' '0 T P Thread' '1 S T State' '3 V P Power'
    awk 'function thread(i, at) {
            print "6 " at " t" i " T p" i " thread-" i " 1\n11 " at " S t" i " run a 1\n12 " at + .5 " S t" i " b" }
        BEGIN { for (i = 0; i < 2000; i++) { print "6 " i " p" i " P 0 process-" i " 1\n20 " i " V p" i " 3"
            if (i % 2) thread(i, i) }
        for (i = 0; i < 2000; i += 2) thread(i, 2000 + i)
        for (i = 0; i < 2000; i++) print "7 4000 T t" i "\n7 4000 P p" i }'
} >"$dir/late.trace"
{
    cat $header
    printf '%s\n' '0 T 0 Thread' '4 A 0 T T Asked' '4 B 0 T T Told' '6 0 a T 0 a x' '6 0 b T 0 b x' '6 0 c T 0 c x'
    awk 'BEGIN { srand(7); split("a b c", names, " "); for (i = 1; i < 20000; i++) { at += rand(); of = i % 3 ? "A" : "B"
        print "40 " at " " of " 0 " names[1 + int(3 * rand())] " v" i % 2 " " i " 1"
        print "41 " at + 5 * rand() * rand() " " of " 0 " names[1 + int(3 * rand())] " v" i % 2 " " i " 1" }
        for (i = 1; i < 4; i++) print "7 " at + 9 " T " names[i] }' | sort -n -s -k 2,2
} >"$dir/links.trace"
tests=(exact 'each entity: whole' "$trace" 250
    exact 'each entity: of a trace that was cut' "$dir/cut.trace" 250
    exact 'an empty trace' "$dir/empty.trace" 250
    names 'hostile names stay within the data' "$dir/hostile.trace" 250
    binned 'counts and times where bins sum up' "$dir/long.trace" 250
    flat 'counts, and times of innermost states' "$dir/flat.trace" 1000
    links 'links that are summed up' "$dir/links.trace" 250
    shared 'counts and times where containers share rows' "$dir/wide.trace" 100
    shared 'counts and times where they begin to' "$dir/late.trace" 100)
corpus
for one in $traces/*.trace "${corpus[@]}"; do
    tests+=(any "each entity: ${one#"${one%/*/*}/"}" "$one" 250)
done
python3 tests/tool/lib-html.py "$paje" "$dir/tables" "${tests[@]}" || failed=1
{
    cat $header
    printf '%s\n' '0 J 0 Job' '1 S J State'
    for ((i = 0; i < 100; i++)); do printf '6 %d j%d J 0 job%d x\n11 %d S j%d v x 1\n7 %d J j%d\n' $i $i $i $i $i $((i + 1)) $i; done
} >"$dir/jobs.trace"
check 'of containers that come and go, one is there at a time' test \
    "$("$paje" html --rows 10 "$dir/jobs.trace" | grep -c '\]\],1\],*$')" -ge 5
check 'the page is small' sh -c "test \$('$paje' html '$dir/long.trace' | wc -c) -lt 12000000"
rm -f "$dir/long.trace" "$dir/wide.trace" "$dir/flat.trace"
if [ -w /dev/full ]; then
    expect 'a full disk' 3 'standard output: No space left' sh -c "'$paje' html '$trace' >/dev/full"
fi

exit $failed
