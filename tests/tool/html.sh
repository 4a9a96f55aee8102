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
tests=(exact 'each entity: whole' "$trace" 250
    exact 'each entity: of a trace that was cut' "$dir/cut.trace" 250
    exact 'an empty trace' "$dir/empty.trace" 250
    names 'hostile names stay within the data' "$dir/hostile.trace" 250
    binned 'counts and times where bins sum up' "$dir/long.trace" 250
    shared 'counts and times where containers share rows' "$dir/wide.trace" 100)
corpus
for one in $traces/*.trace "${corpus[@]}"; do
    tests+=(any "each entity: ${one#"${one%/*/*}/"}" "$one" 250)
done
python3 tests/tool/lib-html.py "$paje" "$dir/tables" "${tests[@]}" || failed=1
check 'the page is small' sh -c "test \$('$paje' html '$dir/long.trace' | wc -c) -lt 12000000"
rm -f "$dir/long.trace" "$dir/wide.trace"
if [ -w /dev/full ]; then
    expect 'a full disk' 3 'standard output: No space left' sh -c "'$paje' html '$trace' >/dev/full"
fi

exit $failed
