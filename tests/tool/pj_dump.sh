#!/bin/bash
# The tool under the names pj_dump and pj_equals, and the options that only these have.
. "$(dirname "$0")/lib.sh"

trace=$dir/whole.trace
cat tests/tool/header.trace tests/tool/body.trace >"$trace"
for name in pj_dump pj_equals; do
    ln -sf "$paje" "$dir/$name"
done
ours=$PWD/$dir/pj_dump equals=$PWD/$dir/pj_equals

expect 'help, by name' 0 '^Usage: pj_dump \[OPTIONS\] \[FILE\]$' "$ours" --help
expect 'help, by -?' 0 '^Usage: pj_dump ' "$ours" '-?'
expect '-v' 0 '^paje [0-9.]+, pajesim.h [0-9.]+$' "$ours" -v
expect 'an unknown option' 2 '^pj_dump: there is no option .-Q. \(see .pj_dump --help.\)$' "$ours" -Q "$trace"
expect 'a file too many' 2 '^pj_dump: .*one file too many' "$ours" "$trace" extra
expect '-f is no following' 0 '^Event, t2' "$ours" -f "$trace"
expect 'a name that is none of these' 2 'a command is needed' bash -c "exec -a pj_dumper '$paje'"

# What StarVZ calls.
cat >"$dir/entities" <<'END'
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
cat >"$dir/types" <<'END'
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
"$paje" dump -u "$trace" | grep -v '^Container, 0, 0, ' >"$dir/expected"
cat "$trace" | "$ours" -o -n --user-defined --entity-hierarchy="$dir/e.csv" --type-hierarchy="$dir/t.csv" >"$dir/got"
same 'StarVZ: the lines are those of dump -u, without the root' "$dir/expected" "$dir/got"
same 'StarVZ: containers and their types' "$dir/entities" "$dir/e.csv"
same 'StarVZ: types and values' "$dir/types" "$dir/t.csv"
expect 'a table that cannot be written' 3 'no-such-folder/t.csv: No such file' \
    "$ours" --type-hierarchy="$dir/no-such-folder/t.csv" "$trace"

cat >"$dir/expected" <<'END'
reportContainer |0 (0)
reportContainer ||Host one (Host one)
reportContainer || Thread one (Thread one)
reportContainer || t2 (t2)
END
for option in -c --container; do
    "$ours" $option "$trace" >"$dir/got"
    same "$option: the tree of containers" "$dir/expected" "$dir/got"
done
cat >"$dir/expected" <<'END'
digraph PajeTypes {
"0" [shape=folder, label="0 (0)"];
"0" -> "Message";
"0" -> "Host";
"Host" [shape=folder, label="Host (H)"];
"Host" -> "Thread";
"Host" -> "Power";
"Power" [shape=plaintext, label="Power (P)"];
"Thread" [shape=folder, label="Thread (T)"];
"Thread" -> "Thread state";
"Thread" -> "Alarm";
"Alarm" [shape=oval, label="Alarm (E)"];
"Thread state" [shape=rectangle, label="Thread state (S)"];
"Message" [shape=rarrow, label="Message (L)"];
}
END
"$ours" -d "$trace" >"$dir/got"
same '-d: the tree of types' "$dir/expected" "$dir/got"
cat >"$dir/expected" <<'END'
0.000000,0.250000,0.250000
0.250000,0.500000,0.250000
0.500000,1.000000,0.500000,Host one/Power/4.500000
END
"$ours" -p Power "$trace" | head -n 3 >"$dir/got"
same '-p: a variable' "$dir/expected" "$dir/got"
check '-p: all intervals' test "$("$ours" -p Power "$trace" | tail -n 1)" = \
    '6.000000,7.000000,1.000000,Host one/Power/999.875000'
check '-p: states of two containers' test "$("$ours" -l 1 -p 'Thread state' "$trace" | tail -n 1)" = \
    '6.0,7.0,1.0,t2/Thread state/polling,Thread one/Thread state/Running'
expect '-q prints nothing' 0 '!' "$ours" -q "$trace"
expect '-q -t: seconds alone' 0 '^[0-9]+\.[0-9]{6}$' "$ours" -q -t "$trace"
check '-q -t: one line' test "$(wc -l <"$dir/out")" = 1
check '-h names columns, but not with -o' test "$("$ours" -h "$trace" | wc -l),$("$ours" -h -o "$trace" | wc -l)" = 19,13

# Single precision: the numbers of the trace are rounded, what is added to them is not rounded again.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '3 P H Power "1 0 0"' '6 0 h H 0 host 1' '20 1 P h 41279125' '20 2 P h 56.78' '21 3 P h 0.1 x' \
        '20 3 P h 16777217' '20 4 P h 0.1' '21 5 P h 16777216 x' '20 6 P h 1'
} >"$dir/single.trace"
cat >"$dir/expected" <<'END'
1.000000, 2.000000, 1.000000, 41279124.000000
2.000000, 3.000000, 1.000000, 56.779999
3.000000, 4.000000, 1.000000, 16777216.000000
4.000000, 5.000000, 1.000000, 0.100000
5.000000, 6.000000, 1.000000, 16777216.100000
6.000000, 6.000000, 0.000000, 1.000000
END
"$ours" "$dir/single.trace" | sed -n 's/^Variable, host, Power, //p' >"$dir/got"
same 'pj_dump: single precision' "$dir/expected" "$dir/got"
"$paje" dump --single "$dir/single.trace" | sed -n 's/^Variable, host, Power, //p' >"$dir/got"
same 'dump --single: as well' "$dir/expected" "$dir/got"

# What pj_dump passes over is no failure.
sed 's/^7 7 H h1$/30 6.5 E t2 late a 1/' "$trace" >"$dir/late.trace"
expect 'an event on a destroyed container: dump' 1 'late.trace:[0-9]+:10: error: container is destroyed' \
    "$paje" dump "$dir/late.trace"
expect 'an event on a destroyed container: pj_dump' 0 'late.trace:[0-9]+:10: warning: container is destroyed' \
    "$ours" "$dir/late.trace"
{
    sed 's/^7 7 H h1$//' "$trace"
    for i in $(seq 200); do printf '%s\n' "6 7 n$i T h1 n$i 1" "7 7 T n$i"; done
    echo '30 7.5 E n1 late a 1'
} >"$dir/forgotten.trace"
expect 'an event on a container that was destroyed long ago: pj_dump' 0 ':10: warning: container is destroyed already: `n1`' \
    "$ours" "$dir/forgotten.trace"
{ cat "$trace"; echo '7 8 0 0'; } >"$dir/root.trace"
expect 'the end of the root: strict' 1 'root.trace:148:7: error: root container is destroyed' \
    "$paje" dump --strict "$dir/root.trace"
for command in "$paje dump" "$ours"; do
    expect "the end of the root: ${command##*/}" 0 'root.trace:148:7: warning: root container is destroyed' \
        $command "$dir/root.trace"
    check "the end of the root: ${command##*/}: it counts as time" grep -qx 'Container, 0, 0, 0, 8, 8, 0' "$dir/out"
done
sed '/^41 /d' "$trace" >"$dir/pending.trace"
expect 'a pending link' 1 'error: link never got its other end' "$ours" "$dir/pending.trace"
expect 'a pending link, -z' 0 . "$ours" -z "$dir/pending.trace"

# pj_equals: kinds, containers, types and values, but no times.
sed 's/^41 3.5 /41 3.6 /' "$trace" >"$dir/moved.trace"
sed 's/waiting/WAITING/' "$trace" >"$dir/case.trace"
sed 's/waiting/waited/' "$trace" >"$dir/other.trace"
# prints NUMBER OPTIONS FILE: what is printed, and is the exit status with -q
prints() {
    expect "pj_equals $2 ${3##*/}" 0 "^$1\$" "$equals" $2 "$trace" "$3"
    expect "pj_equals -q $2 ${3##*/}" $1 '!' "$equals" -q $2 "$trace" "$3"
}
prints 1 '' "$trace"
prints 1 '' "$dir/moved.trace"
prints 0 '' "$dir/case.trace"
prints 1 -i "$dir/case.trace"
prints 0 '' "$dir/other.trace"
prints 1 '-s 3 -t 3' "$trace"
prints 1 '-e 1.2 -d 1.2' "$dir/other.trace"
prints 1 '-a 1.2 -o 1.2' "$dir/other.trace"
prints 0 '-a 1.2' "$trace"
prints 0 '-o 1.2 -f' "$trace"
# What happens on a destroyed container is passed over, as by pj_dump; what that refuses is neither equal nor different.
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '1 S H State' '6 0 h H 0 h 0' '10 1 S h run 0' '7 2 H h' \
    '10 3 S h late 0'; } >"$dir/gone.trace"
sed 's/ late / later /' "$dir/gone.trace" >"$dir/later.trace"
sed 's/ run / walk /' "$dir/gone.trace" >"$dir/walk.trace"
sed 's/S h run/S none run/' "$dir/gone.trace" >"$dir/none.trace"
for is_equal in 1 0; do
    other=$dir/$([ $is_equal = 1 ] && echo later || echo walk).trace
    expect "pj_equals: an event on a destroyed container: $is_equal" 0 "^$is_equal$" \
        "$equals" "$dir/gone.trace" "$other"
    expect "pj_equals -q: an event on a destroyed container: $is_equal" $is_equal \
        'gone.trace:[0-9:]* warning: container is destroyed already' "$equals" -q "$dir/gone.trace" "$other"
done
expect 'pj_equals: an error' 1 'none.trace:[0-9:]* error: container does not exist' \
    "$equals" "$dir/gone.trace" "$dir/none.trace"
check 'pj_equals: an error: nothing is printed' test ! -s "$dir/out"
expect 'pj_equals: one file' 2 'it takes 2 files' "$equals" "$trace"

# The real ones, on random traces.
if has_pj_dump 'byte for byte as pj_dump'; then
    pj_dump "$dir/single.trace" | sed -n 's/^Variable, host, Power, //p' | head -n 5 >"$dir/expected"
    sed 5q "$dir/got" >"$dir/five" # it loses the last one
    same 'single precision, as pj_dump' "$dir/expected" "$dir/five"
    pj_dump "$dir/root.trace" | sorted >"$dir/expected"
    "$ours" "$dir/root.trace" 2>/dev/null | sorted >"$dir/got"
    same 'the end of the root, as pj_dump' "$dir/expected" "$dir/got"
    for seed in 1 2 3; do
        random=$dir/random.trace
        { cat tests/tool/header.trace; awk -v seed=$seed -f tests/read/conformance-trace.awk; } >"$random"
        for options in -c -d '-p State' '-p Variable' '-p Event' '-l 2 -p Host'; do
            pj_dump $options "$random" >"$dir/expected"
            "$ours" $options "$random" >"$dir/got" 2>/dev/null
            same "as pj_dump $options, $seed" "$dir/expected" "$dir/got"
        done
        pj_dump -o -u --entity-hierarchy="$dir/entities" --type-hierarchy="$dir/types" "$random" | sorted >"$dir/expected"
        "$ours" -o -u --entity-hierarchy="$dir/e.csv" --type-hierarchy="$dir/t.csv" "$random" 2>/dev/null |
            sorted >"$dir/got"
        same "as pj_dump -o -u, $seed" "$dir/expected" "$dir/got"
        same "as pj_dump --entity-hierarchy, $seed" "$dir/entities" "$dir/e.csv"
        same "as pj_dump --type-hierarchy, $seed" "$dir/types" "$dir/t.csv"
    done
fi

exit $failed
