#!/bin/bash
# The commands other than dump.
. "$(dirname "$0")/lib.sh"

trace=$dir/whole.trace
cat tests/tool/header.trace tests/tool/body.trace >"$trace"
header=$(wc -l <tests/tool/header.trace)

# ---- validate

expect 'validate: a good trace' 0 "^$trace: [0-9]+ lines, 29 events, 0 errors, 0 warnings: valid\$" \
    "$paje" validate "$trace"
check 'validate: a line and nothing else' test "$(cat "$dir/out" "$dir/err" | wc -l)" = 1
{
    cat "$trace"
    echo '30 8 E absent late a 1'
    echo '30 soon E h1 late a 1'
    echo "99 ${1:-$(printf '\033')}[31m"
    echo '30 8 E h1 "open'
    echo '0 H2 0 Host more'
} >"$dir/bad.trace"
at=$((header + $(wc -l <tests/tool/body.trace)))
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
printf '\001\033[31m\t\177 1\n' >"$dir/control.trace"
expect 'bytes that move the cursor are written out' 1 ':1:1: error: .*`.x01.x1b\[31m`$' \
    "$paje" validate "$dir/control.trace"
printf '\302\23331m\302\251 1\n' >"$dir/control.trace"
LC_ALL=C expect 'and those that do in UTF-8' 1 ':1:1: error: .*`.xc2.x9b31m..`$' "$paje" validate "$dir/control.trace"

# Warnings of one kind: all of them from validate, a few and a count from the others.
{
    cat tests/tool/header.trace
    echo '0 H 0 Host'
    awk 'BEGIN { for (i = 0; i < 100; i++) print "0 H" i " 0 Host" i " more" }'
} >"$dir/warnings.trace"
check 'validate: all warnings' test "$("$paje" validate "$dir/warnings.trace" | grep -c ': warning: more fields')" = 100
expect 'the others: a few' 0 'warning: 95 more times: more fields' "$paje" null "$dir/warnings.trace"
check 'the others: that are all' test "$(wc -l <"$dir/err")" = 6

# ---- null and parse

"$paje" null "$dir/bad.trace" >"$dir/out" 2>"$dir/err"
check 'null: exit status 1' test $? = 1
for line in "lines $((at + 5))" 'events 30' 'PajePushState 4' 'PajeNewEvent 1' 'skipped 0' 'Container 4' 'State 5' \
    'Event 1' 'Variable 3' 'Link 1' 'warnings 1' 'errors 4' 'first time 0' 'last time 7'; do
    check "null: $line" grep -Eq "^ *${line% *}  *${line##* }\$" "$dir/out"
done
check 'null: arena, seconds, speed' test "$(grep -Ec '^(arena bytes used|seconds|MB/s)  *[0-9.]+$' "$dir/out")" = 3
check 'null: problems go to standard error' test "$(grep -c ': error: ' "$dir/err")" = 4
"$paje" parse "$dir/bad.trace" >"$dir/out" 2>"$dir/err"
check 'parse: exit status 1' test $? = 1
check 'parse: a container that does not exist is no matter' sh -c "! grep -q 'does not exist' '$dir/err'"
for line in "lines $((at + 5))" 'events 31' 'PajePushState 4' 'PajeNewEvent 2' 'warnings 1' 'errors 3'; do
    check "parse: $line" grep -Eq "^ *${line% *}  *${line##* }\$" "$dir/out"
done
check 'parse: no entities' sh -c "! grep -q '^Container' '$dir/out'"

# ---- info

"$paje" info "$trace" >"$dir/out"
check 'info: definitions' grep -qx '  PajePushState 11: Time, Type, Container, Value, Mark (user), Line' "$dir/out"
check 'info: types, how many entities, values' grep -qx '      Thread = T: Container, 2' "$dir/out"
check 'info: values, those that were never defined too' \
    grep -qx '        Thread state = S: State, 5; polling, Running = r, waiting' "$dir/out"
check 'info: values of events' grep -qx '        Alarm = E: Event, 1; out of paper' "$dir/out"
check 'info: containers' grep -qx '      Thread one = t1: Thread, 0.25 to 5' "$dir/out"
"$paje" info --types "$trace" >"$dir/got"
cat >"$dir/expected" <<'END'
Parent, Name, Nature
0, Message, Link
Message, Mail, Value
0, Host, Container
Host, Thread, Container
Host, Power, Variable
Thread, Thread state, State
Thread state, polling, Value
Thread state, Running, Value
Thread state, waiting, Value
Thread, Alarm, Event
Alarm, out of paper, Value
END
same 'info --types' "$dir/expected" "$dir/got"
"$paje" info --containers "$trace" >"$dir/got"
cat >"$dir/expected" <<'END'
Parent, Name, Type, Nature
0, 0, 0, Container
0, Message, Message, Link
0, Host one, Host, Container
Host one, Power, Power, Variable
Host one, t2, Thread, Container
t2, Alarm, Alarm, Event
t2, Thread state, Thread state, State
Host one, Thread one, Thread, Container
Thread one, Alarm, Alarm, Event
Thread one, Thread state, Thread state, State
END
same 'info --containers' "$dir/expected" "$dir/got"
{
    cat tests/tool/header.trace
    awk 'function below(letter) { return i > 1 ? letter (i - 1) : "0" }
        BEGIN {
            for (i = 1; i <= 50000; i++)
                print "0 H" i " " below("H") " H" i "\n6 0 c" i " H" i " " below("c") " c" i " 1"
        }'
} >"$dir/deep.trace"
check 'info: trees as deep as they like' sh -c "test \$('$paje' info --containers '$dir/deep.trace' | wc -l) = 50002"
if has_pj_dump 'info: tables as those of pj_dump'; then
    for one in "$trace" $traces/tour.trace $traces/stencil.trace; do
        pj_dump -q --type-hierarchy="$dir/types" --entity-hierarchy="$dir/entities" "$one" >/dev/null
        "$paje" info --types "$one" >"$dir/got"
        same "info --types as pj_dump: $(basename "$one")" "$dir/types" "$dir/got"
        "$paje" info --containers "$one" >"$dir/got"
        same "info --containers as pj_dump: $(basename "$one")" "$dir/entities" "$dir/got"
    done
fi

# ---- equals

expect 'equals: itself' 0 '^equal: 14 entities$' "$paje" equals "$trace" "$trace"
awk '/^41 /{ link = $0; next } { print } /^20 0.5/ { later = 1 } /^11 3.75/ { print link }' "$trace" >"$dir/moved.trace"
check 'equals: the order is another one' sh -c "! cmp -s '$trace' '$dir/moved.trace'"
expect 'equals: in another order' 0 '^equal: 14 entities$' "$paje" equals "$trace" "$dir/moved.trace"
sed 's/ t1$/ zz9/; s/ t1 / zz9 /; s/ S / state /' "$trace" >"$dir/renamed.trace"
expect 'equals: under other aliases' 0 '^equal: 14 entities$' "$paje" equals "$trace" "$dir/renamed.trace"
expect 'equals: one from standard input' 0 '^equal: 14' sh -c "'$paje' equals '$trace' - <'$trace'"
expect 'equals: from pipes' 0 '^equal: 14' bash -c "'$paje' equals <(cat '$trace') <(cat '$trace')"

# differs NAME ONLY-IN-A ONLY-IN-B: $dir/other.trace is not the trace; - for what is not printed
differs() {
    "$paje" equals "$trace" "$dir/other.trace" >"$dir/got" 2>"$dir/err"
    check "$1: exit status 1" test $? = 1
    {
        [ "$2" = - ] || echo "only in $trace: $2"
        [ "$3" = - ] || echo "only in $dir/other.trace: $3"
        grep '^different: ' "$dir/got"
    } >"$dir/expected"
    same "$1" "$dir/expected" "$dir/got"
    check "$1: and says so" grep -q '^different: ' "$dir/got"
}
sed 's/^41 3.5 /41 3.5000000000000004 /' "$trace" >"$dir/other.trace"
differs 'equals: a time, by the last bit' \
    'Link, 0, Message, 1.875, 3.5, 1.625, Mail, Thread one, t2, k 1, 640, tagged' \
    'Link, 0, Message, 1.875, 3.5000000000000004, 1.6250000000000004, Mail, Thread one, t2, k 1, 640, tagged'
expect 'equals -l 6: not the last bit' 0 '^equal: 14' "$paje" equals -l 6 "$trace" "$dir/other.trace"
sed 's/deeper/shallower/' "$trace" >"$dir/other.trace"
differs 'equals: a user field' 'State, Thread one, Thread state, 1.5, 2.5, 1, 1, waiting, deeper, done too' \
    'State, Thread one, Thread state, 1.5, 2.5, 1, 1, waiting, shallower, done too'
expect 'equals -U: not user fields' 0 '^equal: 14' "$paje" equals -U "$trace" "$dir/other.trace"
sed '/^30 /d' "$trace" >"$dir/other.trace"
differs 'equals: one less' 'Event, t2, Alarm, 1.8, out of paper, page 3, 12' -
awk '{ print } /^30 /' "$trace" >"$dir/other.trace"
differs 'equals: twice in place of once' - 'Event, t2, Alarm, 1.8, out of paper, page 3, 12'
expect 'equals: equal, but with errors' 1 '^equal: 14 entities, but there are errors$' \
    "$paje" equals "$dir/bad.trace" "$dir/bad.trace"

exit $failed
