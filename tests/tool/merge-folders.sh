#!/bin/bash
# paje merge: folders among the files.  Those of `paje trace` are in tests/trace/trace.sh.
. "$(dirname "$0")/lib-merge.sh"

runs=$dir/runs
mkdir "$runs"
for i in 1 2 10; do
    rank runs/$i.trace "6 0 p$i H 0 p$i 0" "# of $i" "11 1 S p$i r $i 1" "12 2 S p$i x"
done
merge -o "$dir/expected" "$runs/1.trace" "$runs/2.trace" "$runs/10.trace"
expect 'a folder' 0 '!' "$paje" merge -o "$dir/got" "$runs"
same 'a folder: its traces, numbers in their order' "$dir/expected" "$dir/got"
sed 's|/runs/|/runs//|' "$dir/expected" >"$dir/out" # in the comments
"$paje" merge "$runs/" | sed 's|/runs/\([^/]\)|/runs//\1|' >"$dir/got"
same 'a folder, with a slash, to standard output' "$dir/out" "$dir/got"
rank single '6 0 z H 0 z 0' '11 0.5 S z r z 1' '12 3 S z x'
merge -o "$dir/expected" "$dir/single" "$runs/1.trace" "$runs/2.trace" "$runs/10.trace"
merge -o "$dir/got" "$dir/single" "$runs"
same 'a folder among files' "$dir/expected" "$dir/got"
expect 'a folder, and a file of it' 2 'is the same file as' "$paje" merge -o "$dir/got" "$runs" "$runs/2.trace"

# What is no trace, and what is not meant.
merge -o "$dir/expected" "$runs"
mkdir "$runs/more"
cp "$runs/1.trace" "$runs/more/"
echo 'a note of somebody' >"$runs/notes.txt"
cp "$runs/1.trace" "$runs/.hidden.trace"
: >"$runs/1.trace.pajeidx"
: >"$runs/empty.trace"
ln -s nothing "$runs/3.trace"
expect 'foreign files: said' 0 '/runs/notes.txt: it is no trace: it is left out|.*' "$paje" merge -o "$dir/got" "$runs"
same 'foreign files, hidden ones, an index, an empty trace' "$dir/expected" "$dir/got"
check 'a folder within a folder: said' \
    grep -q '/runs/more: it is a folder within a folder, which has to be named as well: it is left out' "$dir/err"
check 'a foreign file: said' grep -q '/runs/notes.txt: it is no trace: it is left out' "$dir/err"
check 'a symbolic link to nothing: said' \
    grep -q '/runs/3.trace: it is a symbolic link to nothing: it is left out' "$dir/err"
check 'an empty trace: said' grep -q '/runs/empty.trace: it is empty$' "$dir/err"
check 'and nothing else is' test "$(wc -l <"$dir/err")" = 4
rm -r "$runs/more" "$runs/notes.txt" "$runs/3.trace"
cp "$runs/2.trace" "$dir/2.trace"
expect 'a trace of the folder as output' 2 '/2.trace. is to be read and written: name another file to be written' \
    "$paje" merge -o "$runs/2.trace" "$runs"
same 'a trace of the folder as output: it stays' "$dir/2.trace" "$runs/2.trace"
echo 'a note' >"$runs/note"
expect 'a file of the folder that is no trace as output' 0 'empty.trace: it is empty' "$paje" merge -o "$runs/note" "$runs"
rm "$runs/note"
"$paje" merge -o "$runs/all.trace" "$runs"
"$paje" merge -o "$runs/all.trace" "$runs"
same 'an earlier result is not merged again' "$dir/expected" "$runs/all.trace"
# One that was killed, or runs at the same time, has a file in the folder that is not whole.
half_made() { find "$runs" -name '*.new'; }
mkfifo "$dir/slow"
"$paje" merge -o "$runs/all.trace" - <"$dir/slow" 2>"$dir/err" &
pid=$!
exec 8>"$dir/slow"
cat "$runs/1.trace" >&8
check 'a merge that waits has begun its file' wait_for 20 sh -c "ls '$runs'/*.new"
kill -KILL $pid
exec 8>&-
wait $pid 2>/dev/null
cp "$runs/2.trace" "$(half_made)"
expect 'what a killed merge left: said' 0 '/all.trace.[0-9a-f]*.new: it is not whole, as .*: it is left out|.*' \
    "$paje" merge -o "$dir/got" "$runs" # with the earlier result, as that is not its output
"$paje" merge -o "$runs/all.trace" "$runs" 2>"$dir/err"
same 'what a killed merge left is not merged' "$dir/expected" "$runs/all.trace"
rm "$(half_made)"
if gzip "$runs/10.trace" 2>/dev/null; then
    rm "$runs/all.trace"
    merge -o "$dir/got" "$runs"
    sed -i 's/10.trace.gz/10.trace/' "$dir/got"
    same 'a compressed trace in a folder' "$dir/expected" "$dir/got"
else
    skip 'a compressed trace in a folder' 'no gzip (install gzip)'
fi
mkdir "$dir/nothing"
expect 'an empty folder' 3 '/nothing: there is no trace in it' "$paje" merge -o "$dir/none" "$dir/nothing"
echo 'a note' >"$dir/nothing/note"
expect 'a folder without traces' 3 '/nothing: there is no trace in it' "$paje" merge -o "$dir/none" "$dir/nothing"
check 'no output appears' test ! -e "$dir/none"
mkfifo "$dir/nothing/pipe"
cp "$runs/1.trace" "$dir/nothing/"
expect 'a pipe in a folder does not stop it' 0 '/pipe: it is no file: it is left out' \
    timeout 20 "$paje" merge -o "$dir/got" "$dir/nothing"
rm -rf "$runs" "$dir/nothing"

exit $failed
