#!/bin/bash
# Commands, options, exit statuses and messages.
. "$(dirname "$0")/lib.sh"
good=$dir/tour.trace
cp $traces/tour.trace "$good" # some commands write beside it

expect 'no command' 2 'a command is needed' "$paje"
expect 'unknown command' 2 '`frobnicate` is no command .*--help' "$paje" frobnicate
expect 'help of an unknown command' 2 '`frobnicate` is no command' "$paje" help frobnicate
expect 'option before the command' 2 'options follow it' "$paje" --strict dump
expect 'help' 0 '^Usage: paje COMMAND' "$paje" --help
number='[0-9]+\.[0-9]+\.[0-9]+'
expect 'version of tool and header' 0 "^paje $number, pajesim.h $number\$" "$paje" --version

commands=$(commands)
check 'there are six commands' test "$(wc -w <<<"$commands")" -ge 6
name='every command in the help has .trials in its table' # or runs another command
runs_another() { "$paje" "$1" --help | head -n 1 | grep -q COMMAND; }
bare=$("$paje" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | comm -3 - <(printf '%s\n' "$commands") |
    while read -r command; do runs_another "$command" || echo "$command"; done)
if [ "$bare" ]; then fail "$name" "not: $(tr -d '\t' <<<"$bare" | paste -sd' ')"; else pass "$name"; fi
mkdir "$dir/folder"
for command in $commands; do
    files=$(trials "$command" "$good" "$dir/out-of-it" | grep -v "$dir/out-of-it") writes=
    [ "$files" ] || { files=$(trials "$command" "$good" "$dir/out-of-it") writes=1; }
    files=$(head -n 1 <<<"$files")
    absent=${files//$good/$dir/absent.trace} folder=${files//$good/$dir/folder}
    expect "$command: help" 0 "^Usage: paje $command " "$paje" $command --help
    check "$command: help COMMAND is the same" bash -c "cmp <('$paje' help $command) <('$paje' $command --help)"
    expect "$command: unknown letter" 2 "$command: there is no option .-Q.*paje $command --help" \
        "$paje" $command -Q $files
    expect "$command: unknown option" 2 "no such option as .--frobnicate" "$paje" $command --frobnicate $files
    "$paje" $command --help | head -n 1 | grep -q 'FILE\.\.\.' ||
        expect "$command: a file too many" 2 'one file too many' "$paje" $command $files extra
    expect "$command: a file that is not there" 3 'absent.trace: No such file' "$paje" $command $absent
    expect "$command: a folder" 3 'Is a directory|there is no trace in it' "$paje" $command $folder
    if [ $writes ]; then # it prints nothing
        check "$command: a good trace" "$paje" $command $files
        continue
    fi
    expect "$command: a good trace, strict" 0 . "$paje" $command --strict $files
    expect "$command: a good trace, lenient" 0 . "$paje" $command --lenient $files
    expect "$command: no room for output" 3 'standard output: No space left' sh -c "$paje $command $files >/dev/full"
    expect "$command: standard output is closed" 3 'standard output: Bad file descriptor' \
        sh -c "$paje $command $files >&-"
done

expect 'equals takes two files' 2 'it takes 2 files' "$paje" equals $good
head -n 5000 $traces/stencil.trace >"$dir/stats.trace"
for ((i = 0; i < 12; i++)); do tail -n 40000 $traces/stencil.trace | grep '^[0-9]' | sed 's/^/# /'; done >>"$dir/stats.trace"
expect '--stats with -j: of the whole trace, once' 0 "$(wc -l <"$dir/stats.trace") lines, $(wc -c <"$dir/stats.trace") bytes" \
    sh -c "'$paje' dump -j 2 --stats '$dir/stats.trace' 2>&1 >/dev/null | tail -n 1"
expect 'at: a number below 0 looks like an option' 2 'a number below 0 comes behind `--`' "$paje" at $good -3.5
expect 'at: behind -- it does not' 0 . "$paje" at $good -- 0.5
expect 'argument is missing' 2 'option .-l. needs an argument' "$paje" dump -l
expect 'argument is no number' 2 'no number' "$paje" dump -s soon $good
expect 'argument is no count of decimals' 2 'no number of decimals' "$paje" dump -l -1 $good
for size in 0 x 3Q 12KB -5 99999999999G; do
    expect "--arena $size" 2 "is no size" "$paje" null --arena=$size $good
done
for size in 65536 64K 64k 1M 1G; do
    expect "--arena $size" 0 . "$paje" null --arena $size $good
done

# The usual ways to write options.
"$paje" dump --start=1 --end=2 $good >"$dir/expected"
check 'something is in the window' test -s "$dir/expected"
for options in '-s1 -e2' '-s 1 -e 2' '--start 1 --end 2' '--star=1 --end=2' '-s +1.0 -e 2e0'; do
    "$paje" dump $options $good >"$dir/got"
    same "options written as $options" "$dir/expected" "$dir/got"
done
"$paje" dump $good -s1 -e2 >"$dir/got"
same 'options after the file' "$dir/expected" "$dir/got"
cp $good "$dir/-s1"
(cd "$dir" && "$paje" dump -s1 -e2 -- -s1) >"$dir/got"
same 'a file called as an option, after --' "$dir/expected" "$dir/got"
"$paje" dump -s1 -e2 <$good >"$dir/got"
same 'standard input, without a name' "$dir/expected" "$dir/got"
"$paje" dump -s1 -e2 - <$good >"$dir/got"
same 'standard input, called -' "$dir/expected" "$dir/got"

# Strict and lenient.
cat tests/tool/header.trace tests/tool/body.trace >"$dir/right.trace"
sed '$d' "$dir/right.trace" >"$dir/warning.trace"
echo '20 2 P h1 7' >>"$dir/warning.trace" # before the variable's last time
expect 'a warning is no failure' 0 'warning.trace:[0-9]+:4: warning: ' "$paje" dump "$dir/warning.trace"
expect 'but an error when strict' 1 'warning.trace:[0-9]+:4: error: ' "$paje" dump --strict "$dir/warning.trace"
expect 'validate is strict' 1 ': error: ' "$paje" validate "$dir/warning.trace"
expect 'validate --lenient is not' 0 ': warning: ' "$paje" validate --lenient "$dir/warning.trace"
sed 's/^%  Type string/%  EntityType string/' "$dir/right.trace" >"$dir/old.trace"
expect 'old field names, strict' 1 'old.trace:[0-9]+:4: error: field name of an older version' \
    "$paje" validate "$dir/old.trace"
expect 'old field names, strict -n' 0 ' 0 errors, 0 warnings: valid$' "$paje" validate -n "$dir/old.trace"
sed '/^41 /d' "$dir/right.trace" >"$dir/pending.trace"
expect 'a pending link' 1 'error: link never got its other end: `k 1`' "$paje" dump "$dir/pending.trace"
expect 'a pending link, -z' 0 . "$paje" dump -z "$dir/pending.trace"
check 'a pending link, -z: nothing is said of it' test ! -s "$dir/err"

# Bad input of every kind: a message, and an exit status.
expect 'noise' 1 'build/paje:[0-9]+:[0-9]+: error: ' "$paje" dump "$paje"
check 'messages hold no control bytes' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$dir/err'"
tr '\n' ' ' <$good >"$dir/one-line"
expect 'no line ends at all' 0 . "$paje" dump "$dir/one-line" # a comment of one line
: >"$dir/empty"
expect 'an empty file' 0 '^Container, 0, 0, 0, 0, 0, 0$' "$paje" dump "$dir/empty"

# The arena.
expect 'an arena too small to begin' 3 \
    'right.trace:1: an arena of 100 bytes is too small, [0-9]+ are needed; see --arena' \
    "$paje" null --arena 100 "$dir/right.trace"
least=$(sed -n 's/.* \([0-9]*\) are needed.*/\1/p' "$dir/err")
expect 'an arena too small to go on' 3 'right.trace:[0-9]+: an arena of [0-9]+ bytes is too small, [0-9]+ are needed' \
    "$paje" null --arena "$least" "$dir/right.trace"
expect 'with nothing said it grows' 0 . "$paje" null "$dir/right.trace"
steps=0
while
    "$paje" dump --arena "$least" "$dir/right.trace" >"$dir/got" 2>"$dir/err"
    [ $? = 3 ] && [ $((steps += 1)) -lt 200 ]
do
    least=$(sed -n 's/.* \([0-9]*\) are needed.*/\1/p' "$dir/err")
done
"$paje" dump "$dir/right.trace" >"$dir/expected"
same 'what is needed does: an arena raised to what each message asks for' "$dir/expected" "$dir/got"
{
    cat tests/tool/header.trace
    echo '0 H 0 Host'
    awk 'BEGIN { for (i = 1; i <= 20000; i++) print "6 " i " container-" i " H 0 container-" i " 1" }'
} >"$dir/many.trace"
"$paje" null --stats "$dir/many.trace" >"$dir/out" 2>"$dir/err"
check 'many containers: they are all there' grep -q '^Container  *20001$' "$dir/out"
check 'many containers: the arena was moved, and --stats says so' \
    grep -Eq 'many.trace: [0-9]+ bytes of the arena used, of [0-9]+; moved [1-9][0-9]* times; 20119 lines' "$dir/err"

for command in equals diff sql; do
    expect "$command: standard input twice" 2 'standard input is one trace: `-` stands twice' "$paje" $command - -
done
exit $failed
