#!/bin/bash
# paje equals.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-bad.sh

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
awk '/^7 6 /{ for (i = 0; i < 12; i++) print "30 6 E t2 x" i " a 1"; $2 = 6.5 } { print }' "$trace" >"$dir/other.trace"
# shown OPTIONS...: how many lines there are of each trace, then the last line
shown() {
    "$paje" equals "$@" "$trace" "$dir/other.trace" >"$dir/got"
    echo $(grep -c "^only in $trace: " "$dir/got") $(grep -c "^only in $dir/other.trace: " "$dir/got") $(tail -n 1 "$dir/got")
}
total='different: 1 of 14 entities are only in A, 13 of 26 only in B'
check 'equals: the first ten, and how many there are' test "$(shown)" = "1 10 $total"
check 'equals --differences 1: the first' test "$(shown --differences 1)" = "1 1 $total"
check 'equals --differences 0: none' test "$(shown --differences 0)" = "0 0 $total"
check 'equals --differences 1000: all' test "$(shown --differences 1000)" = "1 13 $total"
expect 'equals --differences: no number' 2 '`x`: no whole number' "$paje" equals --differences x "$trace" "$trace"
awk '{ print } /^30 / { print; print }' "$trace" >"$dir/other.trace"
check 'equals: one more often in B' test "$(shown)" = \
    '0 2 different: 0 of 14 entities are only in A, 2 of 16 only in B'
expect 'equals: equal, but with errors' 1 '^equal: 14 entities, but there are errors$' \
    "$paje" equals "$dir/bad.trace" "$dir/bad.trace"

exit $failed
