#!/bin/bash
# paje view: as text, and in a real terminal (tmux): keys in, screen out.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
unset NO_COLOR COLORTERM

# ---- without a terminal

expect 'no terminal' 2 'standard output is not a terminal; --once' "$paje" view $traces/tour.trace
expect 'no such file' 3 'nowhere.trace: No such file' "$paje" view --once nowhere.trace
expect 'not a size' 2 'must be COLUMNSxROWS' "$paje" view --once --size=10 $traces/tour.trace
expect 'a bad trace' 1 ': 1 errors .see paje validate' "$paje" view --once <(echo 1)
expect 'not a memory size' 2 'must be 1M or more' "$paje" view --once --memory=12 $traces/tour.trace
expect 'an end before the start' 2 'before the start' "$paje" view --once -s 2 -e 1 $traces/tour.trace
expect 'an empty range' 2 'not after the start' "$paje" view --once -s 2 -e 2 $traces/tour.trace

cat >"$dir/expected" <<'END'
                   |0 s                |1 s                |2 s
- Cluster of two   .............................................................
  - Node A           ........RRRRRRBhhBBBBBBBRRRRR....................
      Power [W]              *****##########-_________________________
      events                                2
      Disk              .........................ss spinning sssssssss
    Node B           .....................................................RRRRRR
      Power [W]                                                                =
      events                                               *out of paper, again
h halt  B Blocked  R Running  s spinning
END
LC_ALL=C "$paje" view --once --size=80x9 $traces/tour.trace >"$dir/out" 2>&1
same '--once, in ASCII' "$dir/expected" "$dir/out"
"$paje" view --once --size=80x9 $traces/tour.trace >"$dir/expected"
"$paje" view --once --size=80x9 <$traces/tour.trace >"$dir/out"
same '--once of standard input' "$dir/expected" "$dir/out"
{ head -c 1500 $traces/tour.trace; sleep 0.1; tail -c +1501 $traces/tour.trace; } |
    "$paje" view --once --size=80x9 >"$dir/out"
same '--once of a pipe' "$dir/expected" "$dir/out"
if (ulimit -v 50000 && "$paje" --version) >/dev/null 2>&1; then # no sanitizer
    (ulimit -v 50000 && "$paje" view --once --size=80x9 $traces/tour.trace) >"$dir/out" 2>&1
    same '--once where little memory is allowed' "$dir/expected" "$dir/out"
else
    skip '--once where little memory is allowed' 'this build needs more to begin'
fi

cat >"$dir/expected" <<'END'
                   |0 s                |1 s                |2 s
- Cluster of two   .............................................................
  - Node A           ........RRRRRRBhhBBBBBBBRRRRR....................
      Disk              ..............................................
    Node B           .....................................................RRRRRR
h halt  B Blocked  R Running
END
LC_ALL=C "$paje" view --once --size=80x5 --type 'Act*' --container 'Node*' $traces/tour.trace >"$dir/out" 2>&1
same '--once with filters' "$dir/expected" "$dir/out"
# What happens at the last instant is in the last column, whatever the size of the screen.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 P' '1 S P S' '2 E P E' '6 1000000 first P 0 first 0' '6 1000185 second P 0 second 0' \
        '30 1000185 E first e "" 0'
} >"$dir/last.trace"
for size in $(seq 60 100); do
    LC_ALL=C "$paje" view --once --size=${size}x6 "$dir/last.trace"
done | awk '/^ *second / || /^ *events / { at[length]++ } END { for (i in at) print i, at[i] }' | sort -n >"$dir/out"
seq 60 100 | sed 's/$/ 2/' >"$dir/expected"
same '--once: what happens at the last instant' "$dir/expected" "$dir/out"
# The word events has its place, also where all names are short.
{ cat tests/tool/header.trace; printf '%s\n' '0 P 0 P' '2 E P E' '6 0 a P 0 a 0' '6 0 b P a b 0' '6 0 c P b c 0' \
    '30 1 E c e "" 0'; } >"$dir/short.trace"
LC_ALL=C "$paje" view --once --size=60x6 "$dir/short.trace" >"$dir/out"
check '--once: the name of a row of events' grep -q '^ *events ' "$dir/out"
# A column shows the state of most time, also if many others come before it.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 P' '1 S P S' '6 0 one P 0 one 0'
    awk 'BEGIN { for (i = 0; i < 40; i++) printf "10 %.3f S one f%02d a 0\n", i / 1000, i
        print "10 0.04 S one compute a 0\n10 10 S one f00 a 0\n7 20 P one" }'
} >"$dir/columns.trace"
LC_ALL=C "$paje" view --once --size=20x4 "$dir/columns.trace" >"$dir/out"
check '--once: the state of most time, of many in a column' grep -q '^  one  #######f f00 *$' "$dir/out"
# Long names that differ behind their first 200 bytes are two.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 P' '1 S P S'
    awk 'BEGIN { while (length(x) < 250) x = x "x"
        print "6 0 " x "1 P 0 one 0\n6 0 " x "2 P 0 two 0\n10 0 S " x "1 " x "A a\n10 0 S " x "2 " x "B a\n" \
            "10 1 S " x "1 " x "B a\n7 2 P " x "1\n7 2 P " x "2" }'
} >"$dir/long.trace"
LC_ALL=C "$paje" view --once --size=40x4 "$dir/long.trace" >"$dir/out"
check '--once: long names that differ at their ends' grep -qE '^  two +B+ *$' "$dir/out"
check 'values of svg, likewise' test "$("$paje" svg "$dir/long.trace" | grep -o '<rect.*fill="#[^"]*" stroke="#fff"' |
    sed 's/.*fill/fill/' | sort -u | wc -l)" = 2
# A range has the containers that exist in it, and is the same with an index.
LC_ALL=C "$paje" view --once --size=80x12 -s 1.3 -e 1.9 $traces/tour.trace >"$dir/expected"
cp $traces/tour.trace "$dir/tour.trace"
"$paje" index --events=5 "$dir/tour.trace" >"$dir/error" 2>&1
LC_ALL=C "$paje" view --once --size=80x12 -s 1.3 -e 1.9 "$dir/tour.trace" >"$dir/out" 2>&1
same '--once: a range, with an index' "$dir/expected" "$dir/out"
LC_ALL=C "$paje" view --once --size=80x12 -s 0.1 -e 0.2 "$dir/tour.trace" >"$dir/range" 2>&1
check '--once: a container that is in the range' grep 'Node A' "$dir/range"
check '--once: one that is not' bash -c "! grep Disk '$dir/range'"
# So is one that a link out of the range goes to.
{ cat tests/tool/header.trace; printf '%s\n' '0 P 0 P' '1 S P S' '4 L 0 P P L' '6 0 first P 0 first 0' '11 1 S first a x 1' \
    '40 2 L 0 first m k 1' '12 3 S first x' '6 5 second P 0 second 0' '41 6 L 0 second m k x'; } >"$dir/link.trace"
LC_ALL=C "$paje" view --once -s 1 -e 4 "$dir/link.trace" >"$dir/range" 2>&1
check '--once: a link to a container that comes later' bash -c "grep -q first '$dir/range' && ! grep second '$dir/range'"
expect '--once, nothing matches' 0 'no container matches --container none' "$paje" view --once --container none \
    $traces/tour.trace

# ---- in a terminal

if ! command -v tmux >/dev/null; then
    skip 'in a terminal' 'no tmux (install tmux)'
    exit $failed
fi

terminal=paje-view-$$
pane() { tmux -L $terminal -f /dev/null -u "$@"; }
trap 'pane kill-server 2>/dev/null' EXIT

# begin COMMAND: runs it in a new terminal of 100 x 24, in a shell that prints its exit status
begin() {
    pane kill-server 2>/dev/null
    rm -f "$dir/before" "$dir/after"
    cat >"$dir/session" <<END
cd '$PWD'
stty -g >'$dir/before'
$1
status=\$?
stty -g >'$dir/after'
echo "exit status \$status"
cat
END
    wait_for 5 pane new-session -d -x 100 -y 24 "TERM=tmux-256color sh '$dir/session'"
}
keys() { pane send-keys "$@"; }
screen() { pane capture-pane -p "${@}"; }
shows() { screen | grep -aEq -- "$1"; }

# shown NAME PATTERN: passes when a line of the screen is like that, soon
shown() {
    if wait_for 20 shows "$2"; then pass "$1"; else fail "$1" "no line is like \`$2\`: $(screen | tac | tr '\n' '|')"; fi
}

# hidden NAME PATTERN: passes when none is
hidden() {
    if wait_for 20 eval "! shows '$2'"; then pass "$1"; else fail "$1" "a line is like \`$2\`"; fi
}

view="$paje view"

# an index that is truncated while it is used
cp $traces/stencil.trace "$dir/cut.trace"
"$paje" index --events 20 "$dir/cut.trace" >/dev/null
begin "$view -s 0.01 -e 0.02 $dir/cut.trace"
shown 'with an index' '^▾ Node 0 '
: >"$dir/cut.trace.pajeidx"
keys + + + + Left Left
shown 'its index is truncated: zoomed in' 'Worker 0.2 .*sweep .*idle '
keys q
shown 'its index is truncated: left' 'exit status 0'

# The program that writes the trace runs again: its new trace is not taken for the rest of the old one.
trace_of() {
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n6 0 h H 0 host 1\n'
    seq "$1" 12 | sed "s/.*/10 & S h $2 a/"
}
trace_of 10 old >"$dir/again.trace"
begin "$view $dir/again.trace"
shown 'a trace that is written again' '^  host .*old'
: >"$dir/again.trace"
shown 'a trace that is written again: it is told' 'the file was truncated: restart the viewer'
trace_of 1 new >"$dir/again.trace"
sleep 0.5
keys +
sleep 0.5 # what is sought, or must not be there, is so on the screen before the key
shown 'a trace that is written again: it is still told, when it is longer' 'the file was truncated: restart the viewer'
hidden 'a trace that is written again: the new one is not shown' 'new'
keys q
shown 'a trace that is written again: left' 'exit status 0'

# So it is where the new one is longer by the time that the viewer looks again.
trace_of 10 old >"$dir/again.trace"
begin "$view $dir/again.trace"
shown 'a trace that is written over' '^  host .*old'
trace_of 1 new >"$dir/again.new"
cat "$dir/again.new" >"$dir/again.trace"
shown 'a trace that is written over: it is told' 'the file was truncated: restart the viewer'
hidden 'a trace that is written over: the new one is not shown' 'new'
keys q
shown 'a trace that is written over: left' 'exit status 0'

# `paje trace --live` puts the whole trace in the place of what has grown.
trace_of 10 old >"$dir/again.trace"
begin "$view $dir/again.trace"
shown 'a trace that is replaced' '^  host .*old'
mv "$dir/again.new" "$dir/again.trace"
shown 'a trace that is replaced: it is told' 'the file was replaced: restart the viewer'
keys q
shown 'a trace that is replaced: left' 'exit status 0'

# A terminal that says it is larger than any is drawn on in part.
begin "stty rows 60000 cols 60000; $view $traces/stencil.trace"
shown 'a terminal of 60000 x 60000' 'Node 0 '
keys q
shown 'a terminal of 60000 x 60000: left' 'exit status 0'

# What changes is on both sides of a character of two columns, which stays: it cannot be written once more to get there.
{ cat tests/tool/header.trace; printf '0 H 0 Host\n1 S H State\n6 0 h H 0 host 1\n10 1 S h 第1中1 a\n10 2 S h 第2中2 b\n7 3 H h\n'; } \
    >"$dir/wide.trace"
begin "LC_ALL=C.UTF-8 $view $dir/wide.trace"
shown 'wide characters' ' host  *.*第1中1'
keys Home Tab
shown 'wide characters: before' 'State: 第1中1  1.000 s - 2.000 s'
keys Tab
shown 'wide characters: after' 'State: 第2中2  2.000 s - 3.000 s'
keys q
shown 'wide characters: left' 'exit status 0'

begin "$view $traces/stencil.trace"
shown 'the first screen' '^▾ Node 0 '
shown 'the axis of time' '╵0 ms +╵10 ms'
shown 'variables are bars' 'Memory .MiB. ▁+(▂|▃|▄|▅)+'
keys + + +
shown 'zoomed in: names of states' 'Main 0 .* input/output '
shown 'zoomed in: names of events' '●input read'
keys Down Down Down Down Down
shown 'the cursor: what is there' '/Node 0/Process 0/Main 0  Thread state: idle  0.000 ms - '
keys Tab
shown 'the next change' 'Main 0  Thread state: input/output < idle '
keys BTab
shown 'the change before' 'Main 0  Thread state: idle '
keys 0 '*' c
keys -l 'worker 2.1'
keys Enter
shown 'a container by its name' '/Node 1/Process 2/Worker 2.1'
keys n
shown 'the only container of that name' '/Node 1/Process 2/Worker 2.1'
keys _
hidden 'all containers closed' 'Process 2  '
keys '*' :
keys -l '12.5 ms'
keys Enter
shown 'to a time' '^12\.50+ ms '
keys :
keys -l 'noon'
keys Enter
shown 'not a time' 'not a time'
keys '?'
shown 'help' 'ctrl-L +redraw'
keys Escape
hidden 'help closed' 'ctrl-L +redraw'
pane resize-window -x 70 -y 12
shown 'resized: redrawn' '^tests/traces/stencil.trace .*for help'
check 'resized: in its width' test "$(screen | wc -L)" -le 70
pane resize-window -x 100 -y 24
keys q
shown 'left: the exit status' 'exit status 0'
hidden 'left: the screen is that of before' Node
same 'left: the terminal is as before' "$dir/before" "$dir/after"

# States that are open, and that no screen has shown yet.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n'
    for i in $(seq 99); do printf '6 0 h%d H 0 host%d 1\n10 %d S h%d value%d a\n' $i $i $i $i $i; done
} >"$dir/open.trace"
begin "$view $dir/open.trace"
shown 'open states' ' host1 '
keys /
keys -l value77
keys Enter
shown 'open states: one that was out of sight' '/host77  State: value77  77.*s - '
keys q
shown 'open states: left' 'exit status 0'

# More values than have names there.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n6 0 h H 0 host 1\n'
    seq 66000 | sed 's/.*/10 & S h value& a/'
} >"$dir/values.trace"
begin "$view --unit s $dir/values.trace"
shown 'many values' ' host '
keys Home /
keys -l value65900
keys Enter
shown 'many values: one of the last' '^18\.31 h  /host  State: other values'
keys End N
shown 'many values: back' '^18\.31 h  /host  State: other values'
keys n
shown 'many values: there is no second one' 'no match after the cursor'
keys q
shown 'many values: left' 'exit status 0'

# What is open at the end: in the root, and in a container of which no line tells near the range that is zoomed into.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n1 R 0 Phase\n3 V 0 Level 1,0,0\n6 0 h H 0 host 1\n6 0 g H 0 guest 1\n'
    printf '10 0 R 0 before a\n10 1 R 0 during a\n20 1 V 0 5\n11 1 S h outer a 1\n11 2 S h within a 1\n'
    seq 400000 | awk '{ printf "10 %.2f S g value%d a\n", 3 + $1 / 100, $1 % 7 }'
} >"$dir/late.trace"
begin "$view --unit s --memory=1M $dir/late.trace"
shown 'open at the end: in the root' ' during'
keys i
for time in 3999 1303 3997; do
    keys : # the last one comes back to what was read before
    keys -l "$time s"
    keys Enter
    [ $time = 3999 ] && keys + + + + + + + + + + + + + +
done
hidden 'open at the end: all of it is read' 'bins of'
shown 'open at the end: zoomed in' '^  host  *within'
shown 'open at the end: zoomed in, in the root' '^▾ / *during'
shown 'open at the end: a variable of the root' '^Level: 5 .* - \.\.\.'
keys q
shown 'open at the end: left' 'exit status 0'

# A range that the trace reaches later, in steps that follow each other soon.
range_of() { seq "$1" "$2" | awk '{ printf "10 %.2f S g value%d a\n", 3 + $1 / 100, $1 % 7 }'; }
{ head -n -400000 "$dir/late.trace"; range_of 1 200000; } >"$dir/later.trace"
begin "$view --unit s --memory=1M $dir/later.trace"
shown 'a range that comes later: before' ' during'
keys :
keys -l "3999 s"
keys Enter + + + + + + + + + + + + + +
hidden 'a range that comes later: it is empty' 'guest .*value'
sleep 0.6
for i in 20 22 24 26 28 30 32 34 36 38; do
    range_of ${i}0001 $((i + 2))0000 >>"$dir/later.trace"
    sleep 0.1
done
shown 'a range that comes later: after' '^  guest .*(value|▌)'
shown 'a range that comes later: what is open' '^  host  *within'
keys q
shown 'a range that comes later: left' 'exit status 0'

# The last value of a variable, which lasts to the end, is on the scale, too.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n3 V H Level 1,0,0\n1 S H State\n6 0 h H 0 host 1\n'
    printf '20 0 V h 2\n20 5 V h 8\n10 9 S h end a\n10 10 S h end a\n'
} >"$dir/scale.trace"
begin "$view --unit s $dir/scale.trace"
shown 'the scale of a variable' 'Level *(▂|▃)+█+'
keys q
shown 'the scale of a variable: left' 'exit status 0'

# A variable that is always set to one number is a line, also where that is at the edge of two steps of the scale.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n3 V H Level 1,0,0\n6 0 a H 0 a 1\n6 0 b H 0 b 1\n20 0 V a 0\n20 0.1 V a 0.7\n20 0.1 V b 0.35\n'
    for i in {1..96}; do printf '20 %d.%d3 V b 0.35\n' $((i / 10)) $((i % 10)); done
} >"$dir/line.trace"
expect 'a variable that does not change, at the edge of two steps' 0 '^    Level ▅+$' \
    sh -c "'$paje' view --once '$dir/line.trace' | tail -n 1"

# States that are nested deeper than the viewer tells apart: what it names is not the innermost one.
{
    cat tests/tool/header.trace
    printf '0 H 0 Host\n1 S H State\n6 0 h H 0 host 1\n'
    seq 12 | sed 's/.*/11 & S h call& a 1/'
    printf '11 20 S h last a 1\n'
} >"$dir/deep.trace"
begin "$view --unit s $dir/deep.trace"
shown 'deep states' ' host '
keys :
keys -l '15 s'
keys Enter
shown 'deep states: there may be more' 'State: \.\.\. < call8 < call7 '
keys i
shown 'deep states: in detail, too' '^State 8 and deeper: '
keys q
shown 'deep states: left' 'exit status 0'

# Search forward and back finds what paje dump prints.
begin "$view $traces/stencil.trace"
shown 'another screen' '^▾ Node 0 '
"$paje" dump -l 9 $traces/stencil.trace | awk -F', ' '$1 == "State" && $8 == "input/output" { print $4 * 1000 }' |
    sort -nu >"$dir/starts"
for i in 1 2 3; do
    if [ $i = 1 ]; then
        keys /
        keys -l INPUT/
        keys Enter
    else
        keys n
    fi
    at=$(awk '$1 > 0' "$dir/starts" | sed -n ${i}p)
    shown "occurrence $i" "^$(printf %.2f "$at")[0-9]* ms .*: input/output "
done
keys N
shown 'the one before' "^$(printf %.2f "$(awk '$1 > 0' "$dir/starts" | sed -n 2p)")[0-9]* ms "
keys i
shown 'details: each state of the stack' '^Thread state 0: idle '
shown 'details: the innermost one' '^Thread state 1: input/output '
read -r start from to < <("$paje" dump -l 9 $traces/stencil.trace |
    awk -F', ' '$1 == "Link" { sub(/Process /, "", $8); sub(/Process /, "", $9); print $4 * 1000, $8, $9; exit }')
keys : # with a column of a quarter of a millisecond it is one of several
keys -l "$start ms"
keys Enter c
keys -l "process $from"
keys Enter
shown 'details: links' "^Message: .* to /Node ./Process $to  $start"
keys d i
shown 'a row for each depth of states' '^ +1 .*▌'
keys q
shown 'left again' 'exit status 0'

# Control characters of names never reach the terminal; wide characters take two columns.
. tests/tool/lib-hostile.sh
{
    hostile_trace
    i=0
    for name in $'\033]0;title\a' $'\xc2\x9b31m' $'\xe2\x80\xae' $'\xe6\xbc\xa2\xe5\xad\x97'; do
        printf '6 9 h%d H0 0 "here %s there" 9\n' $((i += 1)) "$name"
    done
} >"$dir/hostile.trace"
begin "sleep 0.2; $view $dir/hostile.trace"
pane pipe-pane "cat >'$dir/raw'"
shown 'hostile names: the first ones' '^▾ say "hi", '
keys G c
keys -l 'here '
keys Enter Down Down Down
shown 'hostile names: the last ones' '  here \?\]0;title\? there '
shown 'hostile names: C1 controls' '  here \?31m there '
shown 'hostile names: right to left' '  here  there '
shown 'hostile names: wide characters' '  here 漢字 there '
for i in 1 2 3 4; do
    keys PPage
done
keys '*' d i / # all that there is, once
keys -l O
keys Enter
shown 'hostile names: still there' 'for help|no match after| 0\.0*'
keys q
shown 'hostile names: left' 'exit status 0'
check 'hostile names: none reaches the terminal' \
    sh -c "! LC_ALL=C grep -aqE '\033(\]|\[31m)|[\001-\006\007\013\014]|\302[\200-\237]|\342\200\256|\377' '$dir/raw'"
check 'hostile names: the output was recorded' grep -aq title "$dir/raw"

# A trace that grows while it is shown; a signal that ends the viewer.
grown=$dir/grown.trace
{ cat tests/tool/header.trace; head -n 13 tests/tool/body.trace; } >"$grown"
begin "$view $grown"
shown 'a trace that grows: its first lines' '^▾ Host one'
hidden 'a trace that grows: nothing yet of what is added' 'waiting|t2 *●'
sed -n '14,15p' tests/tool/body.trace >>"$grown"
shown 'a trace that grows: what is added' ' waiting( |$)'
printf '30 9 E t2 "out of ' >>"$grown"
keys G
shown 'a trace that grows: the last time' '^1\.75[0-9]* s '
printf 'paper" "page 3" 12\n' >>"$grown"
shown 'a trace that grows: half a line, and the rest' '╵8 s'
keys G f + +
printf '30 20 E t1 again a 1\n' >>"$grown"
shown 'a trace that grows: followed' '╵19[.0-9]* m?s'
pid=$(pgrep -f "^$paje view $grown")
check 'the other screen' test "$(pane display -p '#{alternate_on}#{cursor_flag}')" = 10
kill -TERM "$pid"
shown 'SIGTERM: it ends by that' 'exit status 143'
same 'SIGTERM: the terminal is as before' "$dir/before" "$dir/after"
check 'SIGTERM: the screen is, too' test "$(pane display -p '#{alternate_on}#{cursor_flag}')" = 01

# More containers than a quarter of 512 MB has room for.
if [ "${FULL:-}" ]; then
    { cat $traces/../tool/header.trace; awk 'BEGIN { print "0 T 0 T"; for (i = 0; i < 1000000; i++) print "6 0 c" i " T 0 c" i " 1" }'; } >"$dir/many.trace"
    expect 'a million containers' 0 'c3' "$paje" view --once --size 80x8 "$dir/many.trace"
    rm "$dir/many.trace"
fi

# A trace from a pipe; a trace that needs more memory than the limit.
begin "{ cat $traces/tour.trace; sleep 5; } | $view"
shown 'a pipe: seen before its end' '^▾ Cluster of two'
keys q
shown 'a pipe: left' 'exit status 0'
begin "$view --arena=4K $traces/stencil.trace"
shown 'too small an arena: the message' 'an arena of 4096 bytes is too small'
shown 'too small an arena: the exit status' 'exit status 3'
same 'too small an arena: the terminal is as before' "$dir/before" "$dir/after"

# A trace far beyond the memory: zoomed in, it is exact, as in `paje dump`.
make -s build/bench/generate || exit 3
build/bench/generate -b 12000000 -c 8 |
    awk '{ print }
        / rank0-t5 ST / && (++n == 7000 || n == 12000) {
            print "12 " $2 " rank0-t5 ST Disaster\n13 " $2 " rank0-t5 ST"
        }' >"$dir/big.trace"
"$paje" dump -l 9 "$dir/big.trace" |
    awk -F', ' '$1 == "State" && $7 == 2 && $2 == "Thread 0.3" && $6 > 0.01 && n++ == 300 { print $4, $5, $8; exit }' \
        >"$dir/state"
read -r start end value <"$dir/state"
begin "$view --memory=4M $dir/big.trace"
shown 'a big trace' 'Thread 0.3'
pid=$(pgrep -f "^$paje view --memory")
keys c
keys -l 'thread 0.3'
keys Enter :
keys -l "$start"
keys Enter
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
    keys +
done
shown 'a big trace: exact when one comes closer' "Thread 0.3 .*: ($value <|.*< $value)"
keys x
"$paje" dump -l 9 "$dir/big.trace" | awk -F', ' '/ Disaster$/ { printf "%.1f\n", $4 }' >"$dir/disasters"
keys g 0 /
keys -l disas
keys Enter
for i in 1 2; do
    shown "a big trace: rare state $i is found" "^$(sed -n ${i}p "$dir/disasters")[0-9]* s .*/Thread 0.5 "
    keys n
done
shown 'a big trace: there is no third one' 'no match after the cursor'
keys N
shown 'a big trace: back to the first one' "^$(sed -n 1p "$dir/disasters")[0-9]* s .*/Thread 0.5 "
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null)
check 'a big trace: within its memory, and 3 MB for the program itself' test "${peak:-0}" -le $((7 * 1024))
keys q
shown 'a big trace: left' 'exit status 0'

# With an index the end is shown at once, with the states of `paje dump`.
"$paje" index "$dir/big.trace" >/dev/null
"$paje" dump -l 9 "$dir/big.trace" |
    awk -F', ' '$1 == "State" && $2 == "Thread 0.0" && $6 > 0.2 { line = $4 " " $5 " " $8 } END { print line }' \
        >"$dir/state"
read -r start end value <"$dir/state"
begin "$view --memory=4M -s $start -e $end $dir/big.trace"
shown 'with an index' 'Thread 0.0 '
keys Down Right
shown 'with an index: what is at its end' "Thread 0.0  .*: ($value <|.*< $value|$value)  *"
keys q

# An index from before the trace grew: states that were open then are complete.
head -c 8000000 "$dir/big.trace" >"$dir/more.trace"
"$paje" index "$dir/more.trace" >/dev/null 2>&1
cut=$(tail -n 2 "$dir/more.trace" | awk 'NR == 1 { print $2 }')
cat "$dir/big.trace" >"$dir/more.trace"
"$paje" dump -l 9 "$dir/more.trace" | awk -F', ' -v cut="$cut" '$1 == "State" && $2 == "Thread 0.0" && $4 < cut && $5 > cut {
    if ($7 >= depth) { depth = $7; line = $5 " " $8 } } END { print line }' >"$dir/state"
read -r end value <"$dir/state"
begin "$view --memory=4M -s $cut -e $end $dir/more.trace"
shown 'with an index of before: it begins' 'Thread 0.0 '
keys Down Right
shown 'with an index of before: what was open there' "Thread 0.0  .*: ($value <|.*< $value|$value)  *"
keys q
printf x | dd of="$dir/big.trace.pajeidx" bs=1 seek=5000 conv=notrunc 2>/dev/null
begin "$view --memory=4M $dir/big.trace"
shown 'with a damaged index: the message' 'its index is not used: it is damaged; '
shown 'with a damaged index: the trace' 'Thread 0.0 '
keys q
shown 'with a damaged index: left' 'exit status 0'
exit $failed
