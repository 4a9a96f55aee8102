#!/bin/bash
# Traces that name other files.
. "$(dirname "$0")/lib.sh"

# The header, a container, and what is given.
trace() { cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '2 E H Alarm' '6 0 h H 0 host 1' "$@"; }
first=$(($(wc -l <tests/tool/header.trace) + 4)) # the line of the first argument

in=$dir/trace
mkdir -p "$in/sub/deeper" "$dir/elsewhere" "$dir/trace-beside"
echo '30 1 E h one a 1' >"$in/one"
printf '30 2 E h two a 1\n50 h H deeper/three\n30 4 E h four a 1\n' >"$in/sub/two"
printf '30 3 E h three a 1' >"$in/sub/deeper/three" # without a line end
echo '30 9 E h outside a 1' | tee "$dir/trace-beside/outside" >"$dir/elsewhere/outside"
echo 'nonsense here' >"$in/sub/wrong"

trace '50 h H one' '50 h H sub/two' '30 5 E h five a 1' >"$in/good.trace"
"$paje" dump "$in/good.trace" 2>"$dir/err" | grep '^Event' >"$dir/got"
printf 'Event, host, Alarm, %s.000000, %s\n' 1 one 2 two 3 three 4 four 5 five >"$dir/expected"
same 'included files, each relative to the one that includes it' "$dir/expected" "$dir/got"
check 'nothing is said of them' test ! -s "$dir/err"
(cd "$in" && "$paje" dump <good.trace) 2>&1 | grep '^Event' >"$dir/got"
same 'from standard input they are relative to the current folder' "$dir/expected" "$dir/got"
(cd "$in/sub" && "$paje" dump ../good.trace) 2>&1 | grep '^Event' >"$dir/got"
same 'from another folder they are relative to the trace' "$dir/expected" "$dir/got"
trace '50 h H one' | head -c -1 >"$in/last.trace"
expect 'included by a last line without line end' 0 '^Event, host, Alarm, 1.000000, one$' "$paje" dump "$in/last.trace"
trace '50 h H sub/wrong' '30 x E h x a 1' >"$in/wrong.trace"
expect 'a problem in an included file bears its name' 1 "^$in/sub/wrong:1:1: error: no event definition.*nonsense" \
    "$paje" dump "$in/wrong.trace"
check 'and one behind it that of the trace' grep -q "^$in/wrong.trace:$((first + 1)):4: error: time is not" "$dir/err"

# refused NAME WHY FILE: is said at the right line, counts as an error, and the rest is replayed all the same, also by
# several processes, for which comments make it large enough
refused() {
    { trace "50 h H $3" '30 7 E h behind a 1'; seq -f '# %0100g' 4000; } >"$in/refused.trace"
    expect "$1" 1 "refused.trace:$first:1: error: included file is left out: $2: .$3.\$" \
        "$paje" dump "$in/refused.trace"
    check "$1: what follows is replayed" grep -q '^Event, host, Alarm, 7.000000, behind$' "$dir/out"
    check "$1: nothing of it is" sh -c "! grep -q outside '$dir/out'"
    cp "$dir/out" "$dir/one-process"
    "$paje" dump -j 3 "$in/refused.trace" >"$dir/out" 2>/dev/null
    same "$1: as by one process" "$dir/one-process" "$dir/out"
    "$paje" validate "$in/refused.trace" >"$dir/out"
    check "$1: validate counts it" grep -Eq ' 1 errors, 0 warnings: invalid$' "$dir/out"
    "$paje" null "$in/refused.trace" >"$dir/out" 2>"$dir/err"
    check "$1: null counts it" grep -Eq '^errors  *1$' "$dir/out"
}
ln -s ../elsewhere/outside "$in/link"
ln -s one "$in/link-inside"
ln -s ../elsewhere "$in/folder-link"
ln -s loop "$in/loop"
mkfifo "$in/pipe"
refused 'a file that is not there' 'No such file or directory' absent
refused 'an absolute name' 'its name is absolute .see --files.' "$PWD/$in/one"
refused 'an absolute name elsewhere' 'its name is absolute .see --files.' /etc/passwd
outside='it lies outside of the folder of the trace .see --files.'
refused 'a name that leads outside' "$outside" ../elsewhere/outside
refused 'a name that leads to a folder called alike' "$outside" ../trace-beside/outside
refused 'a name that leads far outside' "$outside" ../../../../../../../../../../../../etc/passwd
refused 'a symbolic link that leads outside' "$outside" link
refused 'a name through a symbolic link to a folder' "$outside" folder-link/outside
refused 'a symbolic link to itself' 'Too many levels of symbolic links' loop
refused 'a folder' 'it is no regular file' sub
refused 'a pipe' 'it is no regular file' pipe
refused 'a file that includes itself' 'it includes itself' refused.trace
trace '50 h H link-inside' '50 h H sub/../one' >"$in/inside.trace"
expect 'links and .. that stay inside are good' 0 '^Event, host, Alarm, 1.000000, one$' "$paje" dump "$in/inside.trace"
printf '50 h H b\n' >"$in/a"
printf '50 h H a\n' >"$in/b"
trace '50 h H a' >"$in/circle.trace"
expect 'a circle of two' 1 "^$in/b:1:1: error: included file is left out: it includes itself: .a.\$" \
    "$paje" dump "$in/circle.trace"
for i in 1 2 3 4 5 6 7 8 9; do echo "50 h H deep$((i + 1))" >"$in/deep$i"; done
echo '30 1 E h deep a 1' >"$in/deep10"
trace '50 h H deep1' >"$in/deep.trace"
expect 'too deep' 1 "^$in/deep8:1:[0-9]+: error: files are nested too deep: .deep9.\$" "$paje" dump "$in/deep.trace"

# --files
trace '50 h H ../elsewhere/outside' "50 h H $PWD/$dir/elsewhere/outside" '50 h H link' '50 h H one' >"$in/allowed.trace"
for folder in "$dir/elsewhere" "$dir/elsewhere/" "$PWD/$dir" /; do
    "$paje" dump --files "$folder" "$in/allowed.trace" >"$dir/out" 2>"$dir/err"
    check "--files ${folder#"$PWD"/}: exit status 0" test $? = 0
    check "--files ${folder#"$PWD"/}: all are included" test "$(grep -c '^Event, .*, outside$' "$dir/out")" = 3
done
expect '--files of another folder' 1 "$outside: .../elsewhere/outside.\$" \
    "$paje" dump --files "$dir/trace-beside" "$in/allowed.trace"
expect '--files of no folder' 1 "$outside" "$paje" dump --files "$dir/absent" "$in/allowed.trace"
mkdir -p "$dir/elsewhere/sub.d"
echo '50 h H ../outside' >"$dir/elsewhere/sub.d/again"
trace "50 h H ../elsewhere/sub.d/again" >"$in/deeper.trace"
expect '--files holds for what included files include' 0 '^Event, .*, outside$' \
    "$paje" dump --files "$dir/elsewhere" "$in/deeper.trace"

# Seven files of some lines, each of which includes the next a hundred times.
for i in 1 2 3 4 5 6; do
    for _ in $(seq 100); do echo "50 h H many$((i + 1))"; done >"$in/many$i"
done
echo '30 1 E h many a 1' >"$in/many7"
trace '50 h H many1' >"$in/many.trace"
timeout 60 "$paje" null "$in/many.trace" >"$dir/out" 2>"$dir/err"
check 'files that include each other many times: exit status 1' test $? = 1
check 'files that include each other many times: told' grep -q ' 100000 files were included already: ' "$dir/err"

exit $failed
