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
    'Link, /, Message, 1.875, 3.5, 1.625, Mail, /Host one/Thread one, /Host one/t2, k 1, {Size=640}, {Tag=tagged}' \
    'Link, /, Message, 1.875, 3.5000000000000004, 1.6250000000000004, Mail, /Host one/Thread one, /Host one/t2, k 1, {Size=640}, {Tag=tagged}'
expect 'equals -l 6: not the last bit' 0 '^equal: 14' "$paje" equals -l 6 "$trace" "$dir/other.trace"
# written NAME LINES: the trace with more lines on the variable of Host one, into $dir/NAME
written() {
    awk -v lines="$2" '/^7 7 /{ print lines } { print }' "$trace" >"$dir/$1"
}
written side1 '20 6.25 P h1 -0.0001'
written side2 '20 6.25 P h1 0.0001'
expect 'equals -l 3: zero has no sign' 0 '^equal: 15' "$paje" equals -l 3 "$dir/side1" "$dir/side2"
written side1 '20 6.0004 P h1 1\n20 6.4996 P h1 2'
written side2 '20 6 P h1 1\n20 6.5 P h1 2'
expect 'equals -l 3: the same times, whose durations round otherwise' 0 '^equal: 16' \
    "$paje" equals -l 3 "$dir/side1" "$dir/side2"
written side2 '20 6 P h1 1\n20 6.501 P h1 2'
expect 'equals -l 3: another time' 1 '^different: ' "$paje" equals -l 3 "$dir/side1" "$dir/side2"
sed 's/deeper/shallower/' "$trace" >"$dir/other.trace"
differs 'equals: a user field' 'State, /Host one/Thread one, Thread state, 1.5, 2.5, 1, 1, waiting, {Mark=deeper, Line=7}, {Reason=done too}' \
    'State, /Host one/Thread one, Thread state, 1.5, 2.5, 1, 1, waiting, {Mark=shallower, Line=7}, {Reason=done too}'
expect 'equals -U: not user fields' 0 '^equal: 14' "$paje" equals -U "$trace" "$dir/other.trace"
sed 's/^30 1.8 /30 1.1 /' "$trace" >"$dir/other.trace" # whose double has 17 digits
expect 'equals: a number in the fewest digits' 1 'Event, /Host one/t2, Alarm, 1.1, out of paper' "$paje" equals "$trace" "$dir/other.trace"
sed '/^30 /d' "$trace" >"$dir/other.trace"
differs 'equals: one less' 'Event, /Host one/t2, Alarm, 1.8, out of paper, {Payload=page 3, Size=12}, {}' -
awk '{ print } /^30 /' "$trace" >"$dir/other.trace"
differs 'equals: twice in place of once' - 'Event, /Host one/t2, Alarm, 1.8, out of paper, {Payload=page 3, Size=12}, {}'
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

# tells NAME LINES LINES OPTIONS...: of two processes whose threads have one name; what differs is where a name stands
tells() {
    local name=$1 of
    for of in 2 3; do
        cat tests/tool/header.trace
        printf '%s\n' '0 P 0 Process' '0 T P Thread' '1 S T State' '3 V T Load "1 0 0"' '4 L 0 T T Link' \
            '6 0 p P 0 P0 0' '6 0 q P 0 P1 0' '6 0 t T p main 0' '6 0 u T q main 0'
        printf "${!of}\n"
    done >"$dir/both"
    awk -v dir="$dir" '/EventDef PajeDefineContainerType/ { n++ } { print >(dir "/side" n) }' "$dir/both"
    expect "equals: $name" 1 '^different' "$paje" equals "${@:4}" "$dir/side1" "$dir/side2"
    expect "equals: $name: and itself" 0 '^equal' "$paje" equals "${@:4}" "$dir/side2" "$dir/side2"
}
states='10 0 S t busy m\n10 0 S u idle m'
tells 'states of another process' "$states" "${states//[tu] /u }" --no-times
tells 'states of two processes, exchanged' "$states" '10 0 S u busy m\n10 0 S t idle m'
tells 'a link to another process' '40 0 L 0 t x k 1\n41 1 L 0 t x k 1' '40 0 L 0 t x k 1\n41 1 L 0 u x k 1'
tells 'a container in another one' '6 1 n T p new 0' '6 1 n T q new 0' --no-times
tells 'the number of a variable' '20 0 V t 1' '20 0 V t 2' --no-times
tells 'a field at the end, not the beginning' '10 0 S t a m\n10 1 S t b n' '10 0 S t a m\n12 1 S t m\n10 1 S t b n'
tells 'another name of a field' '11 0 S t a m 1' '11 0 S t a 1 m'
tells 'a comma' '11 0 S t "a, {Mark=b" c 1' '11 0 S t a "b, c" 1'
tells 'the line in the source' '11 0 S t a m 1' '11 0 S t a m 2'

exit $failed
