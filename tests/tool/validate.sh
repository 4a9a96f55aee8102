#!/bin/bash
# paje validate, and how other commands report problems.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-bad.sh

expect 'validate: a good trace' 0 "^$trace: [0-9]+ lines, 29 events, 0 errors, 0 warnings: valid\$" \
    "$paje" validate "$trace"
check 'validate: a line and nothing else' test "$(cat "$dir/out" "$dir/err" | wc -l)" = 1
cat >"$dir/expected" <<END
$dir/bad.trace:$((at + 1)):8: error: container does not exist: \`absent\`
$dir/bad.trace:$((at + 2)):4: error: time is not a number: \`soon\`
$dir/bad.trace:$((at + 3)):1: error: no event definition has this number: \`99\`
$dir/bad.trace:$((at + 4)):11: error: quoted string does not end on its line: \`"open\`
$dir/bad.trace:$((at + 5)):13: warning: more fields than the event's definition has; the rest is ignored: \`more\`
$dir/bad.trace: $((at + 5)) lines, 30 events, 4 errors, 1 warnings: invalid
END
"$paje" validate "$dir/bad.trace" >"$dir/got" 2>"$dir/err"
check 'validate: exit status 1' test $? = 1
same 'validate: each violation a line, then a summary' "$dir/expected" "$dir/got"
check 'validate: nothing on standard error' test ! -s "$dir/err"
sed "s|^$dir/bad.trace|<stdin>|" "$dir/expected" >"$dir/expected-stdin"
"$paje" validate <"$dir/bad.trace" >"$dir/got"
same 'validate: standard input is called <stdin>' "$dir/expected-stdin" "$dir/got"
{ cat "$trace"; printf '\001\033[31m\t\177 1\n'; } >"$dir/control.trace"
expect 'bytes that move the cursor are written out' 1 ':148:1: error: .*`.x01.x1b\[31m`$' \
    "$paje" validate "$dir/control.trace"
{ cat "$trace"; printf '\302\23331m\302\251 1\n'; } >"$dir/control.trace"
LC_ALL=C expect 'and those that do in UTF-8' 1 ':148:1: error: .*`.xc2.x9b31m..`$' "$paje" validate "$dir/control.trace"

# Warnings of one kind: all of them from validate, a few and a count from the others.
{
    cat tests/tool/header.trace
    echo '0 H 0 Host'
    awk 'BEGIN { for (i = 0; i < 100; i++) print "0 H" i " 0 Host" i " more" }'
} >"$dir/warnings.trace"
check 'validate: all warnings' test "$("$paje" validate "$dir/warnings.trace" | grep -c ': warning: more fields')" = 100
expect 'the others: a few' 0 'warning: 95 more times: more fields' "$paje" null "$dir/warnings.trace"
check 'the others: that are all' test "$(wc -l <"$dir/err")" = 6

# Errors by a name that nothing has: the first, then a count; where a definition was refused, the count alone.
{
    sed 's/^%  Value double$/%  Wert double/' "$trace"
    for i in $(seq 300); do echo "30 8 E absent late a $i"; done
} >"$dir/refused.trace"
for command in validate null; do
    "$paje" $command "$dir/refused.trace" >"$dir/out" 2>"$dir/err"
    grep -h ': error: ' "$dir/out" "$dir/err" >"$dir/got"
    cat >"$dir/expected" <<END
$dir/refused.trace:80:1: error: definition lacks a field that its event requires: \`Value\`
$dir/refused.trace:87:1: error: definition lacks a field that its event requires: \`Value\`
$dir/refused.trace:148:8: error: container does not exist: \`absent\`
$dir/refused.trace: error: 2 times: no event definition has this number: \`20\`
$dir/refused.trace: error: 1 times: no event definition has this number: \`21\`
$dir/refused.trace: error: 299 more times: container does not exist: \`absent\`
END
    same "$command: a refused definition" "$dir/expected" "$dir/got"
    check "$command --limit 0: all of them" test "$("$paje" $command --limit 0 "$dir/refused.trace" 2>&1 |
        grep -c ': error: ')" = 305
done
expect 'validate: the summary counts all' 1 ' 305 errors, 0 warnings: invalid$' "$paje" validate "$dir/refused.trace"

# Other errors: up to a limit.
{
    cat "$trace"
    for i in $(seq 300); do echo "30 soon E t2 late a $i"; done
} >"$dir/many.trace"
for limit in '' 7; do
    for command in validate null; do
        "$paje" $command ${limit:+--limit $limit} "$dir/many.trace" >"$dir/out" 2>"$dir/err"
        check "$command: ${limit:-100} errors" test "$(cat "$dir/out" "$dir/err" | grep -c ':[0-9]*:4: error: ')" = ${limit:-100}
        check "$command: and how many more" grep -qhx \
            "$dir/many.trace: error: $((300 - ${limit:-100})) more errors; --limit=0 prints all" "$dir/out" "$dir/err"
    done
done
expect '--limit: no number' 2 'is no number of errors' "$paje" null --limit few "$trace"

# Options that would help.
sed 's/^%  Type string/%  EntityType string/' "$trace" >"$dir/old.trace"
for command in validate 'null --strict'; do
    expect "$command: -n would help" 1 'old.trace: -n accepts field names of older versions$' "$paje" $command "$dir/old.trace"
done
check 'with -n nothing is said' sh -c "! '$paje' validate -n '$dir/old.trace' | grep accepts"
sed '/^41 /d' "$trace" >"$dir/pending.trace"
for command in validate null; do
    expect "$command: -z would help" 1 'pending.trace: with -z, links' "$paje" $command "$dir/pending.trace"
done
check 'with -z nothing is said' sh -c "! '$paje' validate -z '$dir/pending.trace' | grep 'with -z'"

exit $failed
