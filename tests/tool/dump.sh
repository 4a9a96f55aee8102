#!/bin/bash
# What `dump` prints, and its options.
. "$(dirname "$0")/lib.sh"

trace=$dir/whole.trace
cat tests/tool/header.trace tests/tool/body.trace >"$trace"

# prints NAME OPTIONS: the sorted output is standard input, of which order does not matter
prints() {
    sorted >"$dir/expected"
    "$paje" dump $2 "$trace" 2>"$dir/err" | sorted >"$dir/got"
    same "$1" "$dir/expected" "$dir/got"
}

prints 'every kind' '' <<'END'
Container, 0, 0, 0, 7, 7, 0
Container, 0, Host, 0, 7, 7, Host one
Container, Host one, Thread, 0.25, 5, 4.75, Thread one
Container, Host one, Thread, 0.25, 6, 5.75, t2
Event, t2, Alarm, 1.800000, out of paper
Link, 0, Message, 1.875000, 3.500000, 1.625000, Mail, Thread one, t2, k 1
State, Thread one, Thread state, 1.000000, 5.000000, 4.000000, 0.000000, Running
State, Thread one, Thread state, 1.500000, 2.500000, 1.000000, 1.000000, waiting
State, Thread one, Thread state, 1.750000, 2.000000, 0.250000, 2.000000, Running
State, t2, Thread state, 3.750000, 4.000000, 0.250000, 0.000000, Running
State, t2, Thread state, 4.250000, 4.500000, 0.250000, 0.000000, polling
Variable, Host one, Power, 0.500000, 2.500000, 2.000000, 4.500000
Variable, Host one, Power, 2.500000, 3.000000, 0.500000, 1000.000000
Variable, Host one, Power, 3.000000, 7.000000, 4.000000, 999.875000
END
whole=$dir/whole
cp "$dir/expected" "$whole"
check 'nothing is said of a good trace' test ! -s "$dir/err"
"$paje" dump "$trace" | head -n 3 >"$dir/got"
cat >"$dir/expected" <<'END'
Event, t2, Alarm, 1.800000, out of paper
State, Thread one, Thread state, 1.750000, 2.000000, 0.250000, 2.000000, Running
State, Thread one, Thread state, 1.500000, 2.500000, 1.000000, 1.000000, waiting
END
same 'in order of completion' "$dir/expected" "$dir/got"

grep -E '^(Container|Event|Link|Variable)' "$whole" >"$dir/without-states"
cat "$dir/without-states" - <<'END' | prints '-i: only the top of the stack is open' -i
State, Thread one, Thread state, 1.000000, 1.500000, 0.500000, 0.000000, Running
State, Thread one, Thread state, 1.500000, 1.750000, 0.250000, 1.000000, waiting
State, Thread one, Thread state, 1.750000, 2.000000, 0.250000, 2.000000, Running
State, Thread one, Thread state, 2.000000, 2.500000, 0.500000, 1.000000, waiting
State, Thread one, Thread state, 2.500000, 5.000000, 2.500000, 0.000000, Running
State, t2, Thread state, 3.750000, 4.000000, 0.250000, 0.000000, Running
State, t2, Thread state, 4.250000, 4.500000, 0.250000, 0.000000, polling
END
# However a stack ends, only its top is open: the rest ended before.
for end in '10 3 S t2 set now' '13 3 S t2 reset' '7 3 T t2'; do
    {
        cat tests/tool/header.trace
        printf '%s\n' '0 H 0 Host' '0 T H Thread' '1 S T State' '6 0 h H 0 host 1' '6 0 t2 T h t2 1' '11 1 S t2 a m 1' \
            '11 1.5 S t2 b m 1' '11 2 S t2 c m 1' "$end" '20 4 P h 1'
    } >"$dir/stack.trace"
    "$paje" dump -i "$dir/stack.trace" 2>/dev/null | grep '^State.*[abc]$' >"$dir/got"
    cat >"$dir/expected" <<'END'
State, t2, State, 1.000000, 1.500000, 0.500000, 0.000000, a
State, t2, State, 1.500000, 2.000000, 0.500000, 1.000000, b
State, t2, State, 2.000000, 3.000000, 1.000000, 2.000000, c
END
    same "-i: a stack that ends by \`$end\`" "$dir/expected" "$dir/got"
done

"$paje" dump -i -s 2.25 -e 4 "$trace" | grep '^State' >"$dir/got"
cat >"$dir/expected" <<'END'
State, Thread one, Thread state, 2.000000, 2.500000, 0.500000, 1.000000, waiting
State, t2, Thread state, 3.750000, 4.000000, 0.250000, 0.000000, Running
State, Thread one, Thread state, 2.500000, 5.000000, 2.500000, 0.000000, Running
END
same '-i with -s -e: pieces of that range, not those that end before it' "$dir/expected" "$dir/got"

prints '-u: fields of the starting line, then of the closing one' -u <<'END'
Container, 0, 0, 0, 7, 7, 0
Container, 0, Host, 0, 7, 7, Host one, 10
Container, Host one, Thread, 0.25, 5, 4.75, Thread one, 11
Container, Host one, Thread, 0.25, 6, 5.75, t2, 12
Event, t2, Alarm, 1.800000, out of paper, page 3, 12
Link, 0, Message, 1.875000, 3.500000, 1.625000, Mail, Thread one, t2, k 1, 640, tagged
State, Thread one, Thread state, 1.000000, 5.000000, 4.000000, 0.000000, Running, first
State, Thread one, Thread state, 1.500000, 2.500000, 1.000000, 1.000000, waiting, deeper, done too
State, Thread one, Thread state, 1.750000, 2.000000, 0.250000, 2.000000, Running, deepest, done
State, t2, Thread state, 3.750000, 4.000000, 0.250000, 0.000000, Running, alone, end
State, t2, Thread state, 4.250000, 4.500000, 0.250000, 0.000000, polling, again
Variable, Host one, Power, 0.500000, 2.500000, 2.000000, 4.500000
Variable, Host one, Power, 2.500000, 3.000000, 0.500000, 1000.000000
Variable, Host one, Power, 3.000000, 7.000000, 4.000000, 999.875000, less
END
sed 's/\.\([0-9]\{2\}\)0000/.\1/g; s/999.875000/999.88/; s/1.875000/1.88/; s/1.625000/1.62/' "$whole" |
    prints '-l 2: decimals, but not of containers' '-l 2'
prints '-a: all ends there, and nothing is pending' '-a 2.6' <<'END'
Container, 0, 0, 0, 2.6, 2.6, 0
Container, 0, Host, 0, 2.6, 2.6, Host one
Container, Host one, Thread, 0.25, 2.6, 2.35, Thread one
Container, Host one, Thread, 0.25, 2.6, 2.35, t2
Event, t2, Alarm, 1.800000, out of paper
State, Thread one, Thread state, 1.000000, 2.600000, 1.600000, 0.000000, Running
State, Thread one, Thread state, 1.500000, 2.500000, 1.000000, 1.000000, waiting
State, Thread one, Thread state, 1.750000, 2.000000, 0.250000, 2.000000, Running
Variable, Host one, Power, 0.500000, 2.500000, 2.000000, 4.500000
Variable, Host one, Power, 2.500000, 2.600000, 0.100000, 1000.000000
END
check '-a: nothing is said of the link that is cut' test ! -s "$dir/err"
"$paje" dump -a 2.5 "$trace" >"$dir/got"
check '-a: a line at that time is taken' \
    grep -qx 'Variable, Host one, Power, 2.500000, 2.500000, 0.000000, 1000.000000' "$dir/got"
{
    cat "$trace"
    echo 'garbage that -a never reads'
} >"$dir/tail.trace"
expect '-a does not read on' 0 '^Container, 0, 0, 0, 2, 2, 0$' "$paje" dump -a 2 "$dir/tail.trace"
sed 's/^Container, 0, 0, 0, 7, 7, 0/Container, 0, 0, 0, 9, 9, 0/' "$whole" | prints '-a behind the end' '-a 9'

# Numbers as printf has them: ties, huge and tiny ones, negative ones that round to zero.
awk 'function chance() { return seed = (seed * 16807) % 2147483647 }
    BEGIN {
        seed = 5
        for (i = 0; i < 2000; i++) {
            x = chance() % 4000001 / 2 ^ (chance() % 22)
            print x
            printf "%.17g\n%.17g\n", -x / 3, x * 10 ^ (chance() % 40 - 20)
        }
        print "0.5\n1.5\n2.5\n-0.5\n-0\n-0.0000001\n0.9999995\n0.99999949999999999\n1e300\n1e-300"
        print "9007199254740993\n0.125"
    }' >"$dir/numbers"
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '3 P H Power red' '6 0 h H 0 host 1'
    awk '{ print "20 " NR " P h " $1 }' "$dir/numbers"
} >"$dir/numbers.trace"
for decimals in 0 1 2 6 9 10 17; do
    awk -v f="%.${decimals}f\n" '{ printf f, $1 }' "$dir/numbers" >"$dir/expected"
    "$paje" dump --type P -l $decimals "$dir/numbers.trace" | sed 's/.*, //' >"$dir/got"
    same "-l $decimals: 6012 numbers as printf has them" "$dir/expected" "$dir/got"
done

# A window holds what pj_dump's lines, cut by their own numbers, say it holds.
for window in '2 3' '2.5 2.5' '7 9' '8 9' '-3 -1' '0 0' '1.8 1.8' '5.5 100'; do
    set -- $window
    awk -F', ' -v s="$1" -v e="$2" '
        { first = $4; last = $1 == "Event" ? $4 : $5 }
        first + 0 <= e + 0 && last + 0 >= s + 0' "$whole" | prints "-s $1 -e $2" "-s $1 -e $2"
done
awk -F', ' '($1 == "Event" ? $4 : $5) >= 6' "$whole" | prints '-s alone' '-s 6'
awk -F', ' '$4 <= 0.5' "$whole" | prints '-e alone' '-e 0.5'

# Choice by name.
grep -E '^[A-Z][a-z]*, t2|, t2$|, t2, k 1$' "$whole" | prints '--container by alias, its links too' '--container t2'
for name in h1 'Host one'; do
    grep -v '^Container, 0, 0, ' "$whole" | sorted >"$dir/expected" # all but the root is in it
    "$paje" dump --container "$name" "$trace" | sorted >"$dir/got"
    same "--container '$name'" "$dir/expected" "$dir/got"
done
grep -E '^(Variable|Event)' "$whole" | prints '--type, twice' '--type E --type Power'
grep -E '^State, t2' "$whole" | prints 'both choices' '--type S --container t2'
prints 'a name that nothing has' '--type nothing' </dev/null

# Header lines, before the first line of each kind.
"$paje" dump -h "$trace" >"$dir/out"
check '-h: five of them' test "$(grep -c ', Container, Type, \|, Parent, \|Event, Container, Variable' "$dir/out")" = 5
check '-h: the first one is first' test "$(head -n 1 "$dir/out")" = 'Event, Container, Variable, Value, Start, Value'
check '-h: of kinds that are there only' test "$("$paje" dump -h --type E "$trace" | wc -l)" = 2

if has_pj_dump 'options as those of pj_dump'; then
    for options in '' -h -u '-u -h' '-l 0' '-l 12' '-n -z'; do
        pj_dump $options "$trace" | prints "as pj_dump $options" "$options"
    done
    # pj_dump -i ends what is still open below the top late: so all of it is popped.
    sed '/^7 /d' "$trace" >"$dir/popped.trace"
    printf '12 6 S t1 last\n30 8 E t1 over a 1\n' >>"$dir/popped.trace"
    trace=$dir/popped.trace
    for options in -i '-i -u' '-i -l 3 -h'; do
        pj_dump $options "$trace" | prints "as pj_dump $options" "$options"
    done
fi

# -p: the intervals and values that filters choose, in seconds with --unit.
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '1 S H State' '6 0 p H 0 p 0' '6 0 q H 0 q 0' '10 1000 S p x 1' \
    '10 1500 S q a 1' '10 2000 S p y 1' '10 3000 S p z 1' '10 4000 S q b 1'; } >"$dir/p.trace"
"$paje" dump -l 3 -p State "$dir/p.trace" | awk -F, -v OFS=, '{ for (i = 1; i < 4; i++) $i = sprintf("%.3f", $i / 1000) } 1' \
    >"$dir/expected"
"$paje" dump -l 3 -p State --unit ms "$dir/p.trace" >"$dir/got"
same '-p --unit: values and seconds' "$dir/expected" "$dir/got"
check '-p --unit: there are values' grep -q '^3.000,4.000,1.000,q/State/a,p/State/y' "$dir/got"
"$paje" dump -l 3 -p State "$dir/p.trace" | sed 's|,p/State/.||' >"$dir/expected"
"$paje" dump -l 3 -p State --container q "$dir/p.trace" >"$dir/got"
same '-p --container' "$dir/expected" "$dir/got"
"$paje" dump -l 3 -p State "$dir/p.trace" | sed -n '/^1500/p; /^2000/p' >"$dir/expected"
"$paje" dump -l 3 -p State -s 1600 -e 2900 "$dir/p.trace" >"$dir/got"
same '-p -s -e' "$dir/expected" "$dir/got"

# Containers that come again, whose variables are added to at first.
{ cat tests/tool/header.trace; echo '0 H 0 Host'; echo '3 V H Power ""'; awk 'BEGIN { for (i = 0; i < 1000; i++)
    printf "6 %d c H 0 c 0\n%d %d V c 7%s\n7 %d H c\n", 3 * i, 20 + i % 2, 3 * i + 1, i % 2 ? " why" : "", 3 * i + 2 }'; } >"$dir/again.trace"
"$paje" dump "$dir/again.trace" >"$dir/expected" 2>"$dir/err"
"$paje" dump --single "$dir/again.trace" >"$dir/got" 2>"$dir/err"
same '--single: a variable begins anew in another container' "$dir/expected" "$dir/got"
check '--single: there are a thousand' [ "$(grep -c '^Variable.* 7.000000$' "$dir/got")" = 1000 ]

# A table on standard output comes behind the lines.
{ "$paje" dump $traces/tour.trace; "$paje" dump -q --type-hierarchy=- $traces/tour.trace; } >"$dir/expected" 2>"$dir/err"
"$paje" dump --type-hierarchy=- $traces/tour.trace >"$dir/got" 2>"$dir/err"
same '--type-hierarchy=-: behind the lines' "$dir/expected" "$dir/got"

# A followed trace that is truncated.
cp $traces/tour.trace "$dir/cut.trace"
timeout 20 "$paje" dump -F "$dir/cut.trace" >"$dir/cut.out" 2>"$dir/err" &
follower=$!
check 'dump -F: it has begun' wait_for 10 test -s "$dir/cut.out"
head -c 1000 $traces/tour.trace >"$dir/cut.trace"
wait $follower
check 'dump -F of what was truncated: status' test $? = 3
check 'dump -F of what was truncated: it is told' grep -q 'cut.trace: it became shorter while it was followed' "$dir/err"
: >"$dir/cut.trace"
timeout 20 "$paje" dump -F "$dir/cut.trace" >"$dir/cut.out" 2>"$dir/err" &
follower=$!
sleep 0.2 # it is opened while it is empty
cat $traces/tour.trace >>"$dir/cut.trace"
check 'dump -F of what was empty: it has begun' wait_for 10 test -s "$dir/cut.out"
head -c 1000 $traces/tour.trace >"$dir/cut.trace"
wait $follower
check 'dump -F of what was empty, then truncated: status' test $? = 3
check 'dump -F of what was empty, then truncated: it is told' \
    grep -q 'cut.trace: it became shorter while it was followed' "$dir/err"
cp $traces/tour.trace "$dir/cut.trace"
for command in dump index; do # as at the end of `paje trace --live`
    cp $traces/tour.trace "$dir/cut.new"
    rm -f "$dir/cut.trace.pajeidx" "$dir/cut.out"
    timeout 20 "$paje" $command -F "$dir/cut.trace" >"$dir/cut.out" 2>"$dir/err" &
    follower=$!
    check "$command -F: it has begun, too" wait_for 10 test -s "$dir/cut.$([ $command = dump ] && echo out || echo trace.pajeidx)"
    mv "$dir/cut.new" "$dir/cut.trace"
    wait $follower
    check "$command -F of what was replaced: status" test $? = 3
    check "$command -F of what was replaced: it is told" grep -q 'cut.trace: it was replaced while it was followed' "$dir/err"
done
before=$EPOCHREALTIME
seconds=$("$paje" dump -q -t "$trace" | tail -n 1)
check '-t: not longer than the command took' awk -v "all=$(sed 's/,/./g' <<<"$before $EPOCHREALTIME")" -v "seconds=$seconds" \
    'BEGIN { split(all, at, " "); exit !(seconds > 0 && seconds <= at[2] - at[1]) }'
exit $failed
