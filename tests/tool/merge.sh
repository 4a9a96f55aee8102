#!/bin/bash
# paje merge: one trace of many.
. "$(dirname "$0")/lib-merge.sh"

# ---- two ranks

rank a '6 0 a H 0 "rank 0" 0' '11 1 S a r one 1' '40 1.5 L 0 a m k1 64' '12 2 S a done' '41 4 L 0 a m k2 back' '7 5 H a'
rank b '6 0 b H 0 "rank 1" 1' '41 2.5 L 0 b m k1 there' '10 3 S b r two' '40 3.5 L 0 b m k2 32' '7 5 H b'
expect 'two ranks' 0 '!' "$paje" merge -o "$dir/two" "$dir/a" "$dir/b"
valid 'two ranks: the result is valid' two
dumped two >"$dir/got"
sorted >"$dir/expected" <<'EOF'
Container, 0, 0, 0, 5, 5, 0
Container, 0, Host, 0, 5, 5, rank 0, 0
Container, 0, Host, 0, 5, 5, rank 1, 1
State, rank 0, Host state, 1.000000, 2.000000, 1.000000, 0.000000, Running, one, 1, done
State, rank 1, Host state, 3.000000, 5.000000, 2.000000, 0.000000, Running, two
Link, 0, Message, 1.500000, 2.500000, 1.000000, Mail, rank 0, rank 1, k1, 64, there
Link, 0, Message, 3.500000, 4.000000, 0.500000, Mail, rank 1, rank 0, k2, 32, back
EOF
sed -i 's/, 1, done$/, done/' "$dir/expected" # Line is a field of the format
same 'two ranks: all entities, links from file to file, user fields' "$dir/expected" "$dir/got"
grep -v '^[%1-7] ' "$dir/two" | awk '/^[0-9]/ && $2 ~ /^[0-9.]+$/ { print $2 }' >"$dir/got"
sort -g "$dir/got" >"$dir/expected"
same 'two ranks: in the order of time' "$dir/expected" "$dir/got"
check 'two ranks: one header' awk '/^%EventDef/ && seen { exit 1 } /^[0-9]/ { seen = 1 }' "$dir/two"
check 'two ranks: each definition once, but for PajeTraceFile' \
    test "$(grep -c '^%EventDef' "$dir/two")" = $(($(grep -c '^%EventDef' $header) - 1))
check 'two ranks: each type once' test "$(grep -c 'Host state' "$dir/two")" = 1
merge "$dir/a" "$dir/b" >"$dir/out"
same 'without -o it goes to standard output' "$dir/two" "$dir/out"
merge -o - "$dir/a" - <"$dir/b" >"$dir/out"
same 'so it does with -o -; and - is standard input' "$dir/two" "$dir/out"

# ---- units

{ echo '# unit of times: ms' && cat "$dir/a"; } >"$dir/ms"
{ echo '# unit of times: us' && cat "$dir/b"; } >"$dir/us"
units='us: its times are microseconds, which a comment says, but those of a trace before it milliseconds: none are converted$'
expect 'files that tell different units' 0 "$units" "$paje" merge -o "$dir/units" "$dir/ms" "$dir/a" "$dir/us"
{ printf '\xef\xbb\xbf' && cat "$dir/ms"; } >"$dir/marked"
expect 'the unit behind a byte order mark' 0 "$units" "$paje" merge -o "$dir/units" "$dir/marked" "$dir/a" "$dir/us"
check 'which is kept' grep -q '^# [^ ]*marked: unit of times: ms$' "$dir/units"
expect 'files of which one tells its unit' 0 '!' "$paje" merge -o "$dir/units" "$dir/ms" "$dir/b"

# ---- one file, none, nothing in it

expect 'one file' 0 '!' "$paje" merge -o "$dir/one" "$dir/two"
expect 'one file: equal to itself' 0 '^equal: 7 entities$' "$paje" equals "$dir/one" "$dir/two"
: >"$dir/empty"
expect 'an empty file adds nothing' 0 'empty: it is empty' "$paje" merge -o "$dir/out2" "$dir/a" "$dir/empty" "$dir/b"
same 'an empty file changes nothing' "$dir/two" "$dir/out2"
expect 'only an empty file' 0 'empty: it is empty' "$paje" merge "$dir/empty"
expect 'a file that is not there' 3 'absent: No such file' "$paje" merge "$dir/a" "$dir/absent"
cp "$dir/a" "$dir/same"
expect 'a file that would be overwritten' 2 'is to be read and written' "$paje" merge -o "$dir/same" "$dir/b" "$dir/same"
same 'which is left alone' "$dir/a" "$dir/same"
if [ -e /dev/full ]; then
    expect 'no room for the output' 3 'No space left' "$paje" merge -o /dev/full "$dir/a" "$dir/b"
fi

# ---- clocks

# ranks COUNT SHIFT DRIFT STEPS: in a ring, each step sends both ways; odd clocks are SHIFT too fast, and even ones
# but the first too slow, and drift
ranks() {
    local i
    for ((i = 0; i < $1; i++)); do
        awk -v ranks="$1" -v shift_="$2" -v drift="$3" -v steps="$4" -v rank=$i '
            function now(t) { return rank == 0 ? t : t + (rank % 2 ? 1 : -1) * (shift_ + drift * t) }
            function neighbour(n) { return (n + ranks) % ranks }
            BEGIN {
                printf "6 %.9f c H 0 rank%d %d\n", now(0.25), rank, rank
                for (s = 1; s <= steps; s++) {
                    t = s * 0.5
                    for (side = -1; side <= 1 && int(s / 50) % 2 == 0; side += 2) { # now and then they keep silent
                        printf "40 %.9f L 0 c m %d>%d:%d 1\n", now(t + 0.001), rank, neighbour(rank + side), s
                        took = 2e-6 * (1 + (rank * 7 + s * 5 + side) % 11)
                        printf "41 %.9f L 0 c m %d>%d:%d x\n", now(t + 0.001 + took), neighbour(rank + side), rank, s
                    }
                    printf "11 %.9f S c r step %d\n12 %.9f S c done\n", now(t + 0.1), s, now(t + 0.2)
                }
                printf "7 %.9f H c\n", now(t + 1)
            }' >"$dir/body"
        # a clock goes forward only; what is sent and received at the same time is in any order
        { cat $header; printf '%s\n' "${types[@]}"; sort -s -g -k2,2 "$dir/body"; } >"$dir/rank$i"
    done
}
backward='warning: link ends before it starts'
all4=("$dir/rank0" "$dir/rank1" "$dir/rank2" "$dir/rank3")

ranks 4 0 0 20
expect 'four ranks' 0 '!' "$paje" merge -o "$dir/four" "${all4[@]}"
valid 'four ranks: valid, though all call their container c' four
lines 'four ranks: all links' four '^Link' 160
lines 'four ranks: all containers' four '^Container, 0, Host' 4
expect 'right clocks are left alone' 0 '!' "$paje" merge --align -o "$dir/got" "${all4[@]}"
same 'so the result is the same' "$dir/four" "$dir/got"

ranks 4 0.05 0 20
merge -o "$dir/out2" "${all4[@]}"
expect 'skewed clocks: some messages arrive too early' 0 "$backward" "$paje" validate "$dir/out2"
shifts=(--offset "$dir/rank1=-0.05" --offset=3=0.05 --offset "4=-5e-2")
expect 'skewed clocks: offsets given by file and number' 0 '!' "$paje" merge "${shifts[@]}" -o "$dir/got" "${all4[@]}"
valid 'skewed clocks: offsets given: valid' got
expect 'skewed clocks: offsets given: all is as it was' 0 '^equal' "$paje" equals "$dir/four" "$dir/got"
"$paje" merge --align -o "$dir/got" "${all4[@]}" >"$dir/out" 2>"$dir/found"
check 'skewed clocks: offsets found' grep -Eq 'rank1: clock corrected by -0\.0(49999|50000)[0-9]*$' "$dir/found"
check 'skewed clocks: found for each, and nothing else said' test "$(grep -c corrected "$dir/found")" = 3 -a \
    "$(wc -l <"$dir/found")" = 3
valid 'skewed clocks: offsets found: no message arrives too early' got
lines 'skewed clocks: offsets found: all links' got '^Link' 160
merge --apart --offset 1=2 --offset 2=2 -o "$dir/both" "$dir/rank1" "$dir/rank1"
merge --apart --offset "$dir/rank1=2" -o "$dir/got" "$dir/rank1" "$dir/rank1"
same 'an offset for a file that is there twice is for both' "$dir/both" "$dir/got"
expect 'an offset for what is not there' 2 'there is no such file' "$paje" merge --offset 5=1 "${all4[@]}"
expect 'an offset for a number that is less than 0' 2 'there is no such file' "$paje" merge \
    --offset -18446744073709551615=1 "${all4[@]}" # that is 1 in 64 bits
cat tests/tool/header.trace - >"$dir/far.trace" <<'TRACE'
0 H 0 H
2 E H E
6 0 h H 0 h x
30 1e308 E h v a 1
30 1e400 E h v a 1
TRACE
"$paje" merge -o "$dir/merged" --offset 1=1e308 "$dir/far.trace"
expect 'times that an offset makes infinite' 0 ' 0 errors' "$paje" validate "$dir/merged"
# Offsets are added to the decimals: a double has no nanoseconds of seconds since 1970.
rank epoch '6 1700000000.000000001 a H 0 p0 0' '30 1700000000.000000003 E a x x 1' '30 1700000000.123456789123 E a x x 1'
rank tiny '6 0 a H 0 p0 0' '30 1.2345e-12 E a x x 1' '30 -5e-1 E a x x 1'
merged_times() { "$paje" merge "$@" | awk 'NF == 7 && /x x 1$/ { print $2 }' | tr '\n' ' '; }
check 'offsets keep nanoseconds' test "$(merged_times --offset 1=-1700000000 "$dir/epoch")" = \
    '0.000000003000 0.123456789123 '
check 'offsets keep nanoseconds, a fraction' test "$(merged_times --offset 1=-1.7e9 --offset 1=0.1 "$dir/epoch")" = \
    '1700000000.100000003000 1700000000.223456789123 '
check 'offsets keep exponents' test "$(merged_times --offset 1=1 "$dir/tiny")" = \
    '0.500000000000000 1.0000000000012345 '
check 'offsets have decimals of their own' test "$(merged_times --offset 1=-.000000000001 "$dir/tiny")" = \
    '-0.500000000001000 0.0000000000002345 '
# The exponent of the event had more digits than there was room for, and was taken for 0.
rank long '6 0 a H 0 p0 0' '30 1.5e+0000000001 E a x x 1' '30 2.5e00000000001 E a x x 1'
check 'offsets keep exponents of many digits' test "$(merged_times --offset 1=1e000000001 "$dir/long")" = \
    '25.000000000 35.000000000 '
expect 'an infinite offset' 2 'it is not FILE=TIME' "$paje" merge --offset rank1=-1e400 "${all4[@]}"
expect 'an offset that is none' 2 'it is not FILE=TIME' "$paje" merge --offset rank1=soon "${all4[@]}"

ranks 4 0.05 1e-4 400
merge -o "$dir/out2" --offset 2=-0.05 --offset 3=0.05 --offset 4=-0.05 "${all4[@]}"
expect 'drifting clocks: no constant helps' 0 "$backward" "$paje" validate "$dir/out2"
"$paje" merge --align -o "$dir/got" "${all4[@]}" 2>"$dir/found"
valid 'drifting clocks: no message arrives too early' got
check 'drifting clocks: as much as they drift' grep -Eq 'rank1: .* -0\.0(6999|7000)[0-9]* to -0\.050[01][0-9]*$' "$dir/found"
lines 'drifting clocks: all links' got '^Link' 1600
lines 'drifting clocks: all states last as long' got '^State.*, 0\.(1000|0999)[0-9]*, 0' 1600

# One way only: nothing is known but that it must not arrive too early.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1' '40 3 L 0 a m l 1'
rank b '6 0 b H 0 p1 1' '41 0.5 L 0 b m k x' '41 2.75 L 0 b m l x'
"$paje" merge --align -o "$dir/got" "$dir/a" "$dir/b" 2>"$dir/found"
valid 'messages one way: valid' got
check 'messages one way: moved no further than needed' grep -Eq 'b: clock corrected by 0\.5000000' "$dir/found"
check 'messages one way: the first one is left alone' sh -c "! grep -q 'a: clock' '$dir/found'"

# Each sends at 2 what the other has at 1 already: in no time can both be right.
rank a '6 0 a H 0 p0 0' '40 2 L 0 a m k 1' '41 1 L 0 a m l x'
rank b '6 0 b H 0 p1 1' '41 1 L 0 b m k x' '40 2 L 0 b m l 1'
"$paje" merge --align -o "$dir/got" "$dir/a" "$dir/b" 2>"$dir/err"
check 'what cannot be satisfied is no error' test $? = 0
check 'what cannot be satisfied is listed' grep -Eq "a -> $dir/b: 1 of the messages arrive up to (0.99|1)[0-9.e-]* before" "$dir/err"
check 'and evenly violated' grep -Eq "b -> $dir/a: 1 of the messages arrive up to (0.99|1)[0-9.e-]* before" "$dir/err"
expect 'and the rest is merged' 0 ' 0 errors, 2 warnings: valid$' "$paje" validate "$dir/got"

# The same among three, of which each sends to the next one.
rank a '6 0 a H 0 p0 0' '40 2 L 0 a m k 1' '41 1 L 0 a m m x'
rank b '6 0 b H 0 p1 1' '41 1 L 0 b m k x' '40 2 L 0 b m l 1'
rank c '6 0 c H 0 p2 2' '41 1 L 0 c m l x' '40 2 L 0 c m m 1'
"$paje" merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir/c" 2>"$dir/err"
check 'a circle of three that cannot be satisfied is violated evenly' \
    test "$(grep -Ec 'messages arrive up to (0.99|1)[0-9.e-]* before' "$dir/err")" = 3

merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
merge --align -o "$dir/out2" <(cat "$dir/a") - <(cat "$dir/c") <"$dir/b"
same 'pipes, which can be read only once: the same' "$dir/got" "$dir/out2"

# ---- definitions

# One event with an identifier in one input, and without in the other.
cat >"$dir/with-alias" <<'EOF'
%EventDef PajeDefineContainerType 1
% Name string
% Type string
% Alias string
%EndEventDef
1 Host 0 H
1 Core H C
EOF
sed '/Alias/d; s/ H$//; s/^1 Core.*/1 Core Host/' "$dir/with-alias" >"$dir/without-alias"
check 'definitions with and without Alias: merged' merge --apart -o "$dir/out" "$dir/with-alias" "$dir/without-alias"
check 'definitions with and without Alias: valid' "$paje" validate --strict "$dir/out"
check 'definitions with and without Alias: each is there' test "$("$paje" info --strict "$dir/out" | grep -cE 'Host|Core')" = 2

cat >"$dir/other" <<'EOF'
%EventDef PajeDefineContainerType container
% Name string
% Type string
%EndEventDef
%EventDef PajeDefineStateType state
% Name string
% Type string
%EndEventDef
%EventDef PajeDefineEntityValue value
% Name string
% Type string
% Alias string
%EndEventDef
%EventDef PajeCreateContainer create
% Name string
% Type string
% Container string
% Time date
%EndEventDef
%EventDef PajePushState push
% Value string
% Container string
% Type string
% Time date
% Depth int
%EndEventDef
%EventDef PajePopState 12
% Time date
% Type string
% Container string
%EndEventDef
container Host 0
container S 0
state "Host state" Host
state Other S
value Waiting "Host state" r
value Running "Host state" w
create p1 Host 0 1
create "p#2" S 0 1
push r p1 "Host state" 2 7
push w p1 "Host state" 3 8
push Idle "p#2" Other 3.25 9
12 4 "Host state" p1
EOF
rank a '6 0 p1 H 0 p0 0' '11 0.5 S p1 r x 1' '12 1 S p1 x' '11 6 S p1 Waiting x 1' '11 7 S p1 w x 1'
merge -o "$dir/got" "$dir/a" "$dir/other"
check 'another header: well' test $? = 0
valid 'another header: valid' got
dumped got >"$dir/out"
sorted >"$dir/expected" <<'EOF'
Container, 0, 0, 0, 7, 7, 0
Container, 0, Host, 0, 7, 7, p0, 0
Container, 0, Host, 1, 7, 6, p1
Container, 0, S, 1, 7, 6, p#2
State, p#2, Other, 3.250000, 7.000000, 3.750000, 0.000000, Idle, 9
State, p0, Host state, 0.500000, 1.000000, 0.500000, 0.000000, Running, x, x
State, p0, Host state, 6.000000, 7.000000, 1.000000, 0.000000, Waiting, x
State, p0, Host state, 7.000000, 7.000000, 0.000000, 1.000000, w, x
State, p1, Host state, 2.000000, 7.000000, 5.000000, 0.000000, Waiting, 7
State, p1, Host state, 3.000000, 4.000000, 1.000000, 1.000000, Running, 8
EOF
same 'another header: types and values are one by name, whatever they are called otherwise' "$dir/expected" "$dir/out"
check 'another header: an undefined value is the one of that name' test "$(grep -c 'Waiting' "$dir/got")" = 3
check 'another header: the same type is written once' test "$(grep -c '"Host state"' "$dir/got")" = 1

printf '%s\n' 'container A 0' 'container A 0' | cat "$dir/other" - >"$dir/twice"
expect 'a type that is defined twice alike' 0 'warning: type is defined already, alike' \
    "$paje" merge -o "$dir/got" "$dir/twice"
rank a '1 V H Value' '1 W H Value' '6 0 a H 0 p0 0' '10 1 V a x y' '10 1 W a z y'
rank b '1 W H Value' '6 0 b H 0 p1 0' '10 1 W b x y' '10 1 V b z y'
merge -o "$dir/got" "$dir/a" "$dir/b"
check 'types of one file that are called alike stay two' test "$(grep -c ' Value$' "$dir/got")" = 2
lines 'and have states of their own' got '^State, p0, Value, 1.000000, 1.000000' 2
rank a '1 V H One' '6 0 a H 0 p0 0' '10 1 V a x y'
rank b '1 V H Two' '6 0 b H 0 p1 0' '10 1 V b x y'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'an identifier that names two types' got
lines 'keeps them apart: the first' got '^State, p0, One' 1
lines 'keeps them apart: the second' got '^State, p1, Two' 1
rank a '6 0 a H 0 p0 0' '10 1 S a q x' '10 2 S a q y'
rank b '5 q S Queued "1 1 0"' '6 0 b H 0 p1 0' '10 1 S b q x'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'a value that is not defined, called as the identifier of another: valid' got
lines 'a value that is not defined, called as the identifier of another: is not that one' got '^State, p0, .*, q, [xy]$' 2
lines 'nor is that one it' got '^State, p1, .*, Queued, x$' 1
long=$(printf '%020000d' 0)
rank a "5 l S $long \"1 1 0\"" "1 $long H Other" '6 0 a H 0 p0 0'
for i in {1..40}; do echo "10 $i S a l x"; done >>"$dir/a"
rank b "1 O H Other" "5 o O $long \"1 1 0\"" '6 0 b H 0 p1 0' '10 1 S b long-name-1 x' '10 2 S b "" x'
for i in {1..40}; do echo "10 $i O b o x"; done >>"$dir/b"
"$paje" merge -o "$dir/got" "$dir/a" "$dir/b" 2>"$dir/err"
check 'names and identifiers of 20 KB are written once' test "$(wc -c <"$dir/got")" -lt 80000
for file in a b; do "$paje" dump "$dir/$file"; done | grep -F "$long" | cut -d, -f 2-4,8- | sorted >"$dir/expected"
"$paje" dump "$dir/got" | grep -F "$long" | cut -d, -f 2-4,8- | sorted >"$dir/out"
same 'the values have the names that they had' "$dir/expected" "$dir/out"
lines 'the short identifier of a long name, which another file has as a name: is not that one' got \
    '^State, p1, Host state, .*, long-name-1, x$' 1
rank a '1 "" H ""' '5 "" "" "" "0 0 0"' '5 e S "" "0 0 0"' '6 0 "" H 0 "" 0' '10 1 "" "" "" ""' '10 2 S "" e ""'
expect 'empty names and identifiers' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank a '6 0 a H 0 p0 0' '6 0 d H 0 p2 0' '12 1 S a x' '40 2 L 0 a m k 1' '41 3 L 0 a m k x' '40 4 L 0 a m k 1' '7 5 H a' '6 6 a H 0 p0 0' \
    '40 7 L 0 d m over 1' '11 8 S a r x 1'
rank b '6 0 b H 0 p1 0' '11 1 S b r x 1' '41 8 L 0 b m over x' '20 2 P b x'
"$paje" validate --strict -z "$dir/a" | grep -c error: >"$dir/expected"
expect '--strict: lines with errors are left out' 1 'error: no state to pop' "$paje" merge --strict -o "$dir/got" "$dir/a" "$dir/b"
grep -c '/a:.*error:' "$dir/err" >"$dir/out"
same '--strict: the errors of a file are those that validate --strict finds in it' "$dir/expected" "$dir/out"
check '--strict: the merged trace is strictly valid' "$paje" validate --strict "$dir/got"
rank a '1 V H One'
rank b '1 V H Two'
{ cat $header; echo '5 v V Value "0 0 0"'; } >"$dir/c"
expect 'a type that two files have, but not that which refers to it' 1 '/c:[0-9]*:1: error: type is not defined: .V.$' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"

# ---- containers

rank a '6 0 m H 0 machine 9' '6 1 t H m p0 0' '10 2 S t r x' '7 3 H m'
rank b '6 0.5 m H 0 machine 9' '6 1 t H m p1 1' '10 4 S t r x' '7 5 H m'
sed -i 's/^0 H 0 Host$/0 H 0 Host\n0 T H Thread/; s/^\(1 S\) H/\1 T/; s/^6 1 t H/6 1 t T/' "$dir/a" "$dir/b"
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'a container of two files: valid' got
lines 'a container of two files is one, until the last has done with it' got '^Container, 0, Host, 0, 5, 5, machine' 1
lines 'what only the first has in it ends with the first' got '^Container, machine, Thread, 1, 3, 2, p0' 1
lines 'its states, too' got '^State, p0, Host state, 2.000000, 3.000000' 1
lines 'what the second has in it goes on' got '^State, p1, Host state, 4.000000, 5.000000' 1
merge --apart -o "$dir/got" "$dir/a" "$dir/b"
lines '--apart: they are two' got '^Container, 0, Host, .*, machine' 2
valid '--apart: valid' got

mixed='^paje: several files write states or variables of the container %s, such as [^ ]*/%s and [^ ]*/%s%s: these are mixed as they come; --apart '
# shellcheck disable=SC2059
mixed() { printf "$mixed" "$1" "$2" "$3" "${4-}"; }
rank a '6 0 h H 0 host 0' '6 0 q H 0 queue 0' '6 0 a H 0 "by a" 0' '10 1 S h r x' '10 1.5 S a r x' '12 3 S h y' '12 5 S h y'
rank b '6 0 h H 0 host 0' '6 0 q H 0 queue 0' '6 0 b H 0 "by b" 0' '10 1.5 S b r x' '11 2 S h r x 1' '20 2 P h 1'
rank c '6 0 h H 0 host 0' '6 0 q H 0 queue 0' '10 6 S q r x' '20 3 P h 2'
expect 'states of one container that files write by turns' 0 "$(mixed host a b)" "$paje" merge -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
expect 'states of one container, by turns: said once' 0 '!' \
    bash -c "'$paje' merge '$dir/a' '$dir/b' '$dir/c' 2>&1 >'$dir/got' | sed 1d >&2"
expect 'states of containers of which one file writes each' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/c"
expect 'states of one container, by turns: --apart' 0 '!' "$paje" merge --apart -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
echo '10 7 S q r x' >>"$dir/b"
expect 'states of two containers, by turns' 0 "$(mixed host a b ', and of 1 more')" \
    "$paje" merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
rank a '1 U H Other' '6 0 h H 0 host 0' '10 1 S h r x' '12 3 S h y' '7 3 H h'
rank b '1 U H Other' '6 0 h H 0 host 0' '10 1 U h r x' '10 2 U h r x'
expect 'states of different types by turns' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank b '6 3 h H 0 host 0' '10 3 S h r x' '10 4 S h r x'
expect 'states of a container that a file has after another one' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank a '6 0 h H 0 host 0' '10 0 S h r x' '6 1 q H 0 queue 0'
rank b '6 0 h H 0 host 0' '10 0 S h r x'
expect 'states of which a file writes its only one before another one has the container' 0 "$(mixed host a b)" \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank a '1 U 0 Phase' '10 1 U 0 r x' '10 4 U 0 y x'
rank b '1 U 0 Phase' '6 0 h H 0 host 0' '10 3 U 0 r x'
root='^paje: several files write states or variables of the root, 0, such as [^ ]*/a and [^ ]*/b: these are mixed as they come$'
expect 'states of the root that files write by turns' 0 "$root" "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
expect 'states of the root that files write by turns: --apart' 0 "$root" "$paje" merge --apart -o "$dir/got" "$dir/a" "$dir/b"
rank b '1 U 0 Phase' '6 0 h H 0 host 0' '10 3 S h r x'
expect 'states of the root that one file writes' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank a '3 W H Load red' '6 0 h H 0 host 0' '20 1 W h 1' '20 3 W h 2'
rank b '3 W H Load red' '6 0 h H 0 host 0' '20 2 W h 1'
expect 'a variable of one container that files set by turns' 0 "$(mixed host a b)" "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank b '3 W H Load red' '6 0 h H 0 host 0' '21 2 W h 1 x'
expect 'a variable that one file sets, and another one adds to' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
rank b '3 V H Other red' '6 0 h H 0 host 0' '20 2 V h 1' '10 2.5 S h r x'
expect 'variables of different types by turns' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
# hosts FILE FIRST STEP [1 or 2]: all list 50 hosts, and write states of every STEPth one, and one at first or at last
hosts() {
    awk -v first="$2" -v step="$3" -v early="${4-0}" 'BEGIN {
        for (h = 0; h < 50; h++) print 6, 0, "h" h, "H 0 host-" h, h
        if (early) print 6, 0, "early H 0 early", 0
        if (early == 1) print 10, 0, "S early r x"
        for (i = first; i < 10000; i += step) print 10, i / 1000, "S h" i % 50, "r x"
        if (early == 2) print 10, 10, "S early r x"
    }' >"$dir/body"
    { cat "$header"; printf '%s\n' "${types[@]}"; cat "$dir/body"; } >"$dir/$1"
}
hosts a 0 2 && hosts b 1 2 && hosts c 6000 7
for jobs in 1 2 4; do
    merge -j "$jobs" -o "$dir/got$jobs" "$dir/a" "$dir/b"
    check "-j $jobs: all files list all hosts, and write states of their own" test ! -s "$dir/err"
    expect "-j $jobs: states that three files write by turns" 0 "$(mixed host-0 a c ', and of 49 more')" \
        "$paje" merge -j "$jobs" -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
done
same 'all files list all hosts: by processes' "$dir/got1" "$dir/got4"
hosts a 0 2 1 && hosts b 1 2 2
for jobs in 1 4; do
    expect "-j $jobs: states that one file writes at first, another one at last" 0 "$(mixed early a b)" \
        "$paje" merge -j "$jobs" -o "$dir/got" "$dir/a" "$dir/b"
done
rank a '6 0 c H 0 p 0' '7 1 H c'
rank b '6 2 c H 0 p 0' '7 3 H c'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'an identifier that comes again when it is free: valid' got
lines 'an identifier that comes again when it is free: two containers' got '^Container, 0, Host, .*, p, 0' 2
rank a '6 0 c H 0 shared 0' '10 1 S c r x'
{ cat $header; echo '10 2 S c r y'; } >"$dir/b"
merge -o "$dir/got" "$dir/a" "$dir/b"
lines 'types, values and containers that only another file has' got '^State, shared, Host state, .*, Running, [xy]$' 2
rank c '6 0 c H 0 other 0'
expect 'but not if there are several' 1 '/b:[0-9]*:1: error: container does not exist: .c.$' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
rank a '0 T H Thread' '6 0 m H 0 machine 0' '7 1 H m' '6 2 t T m late 0'
merge -o "$dir/got" "$dir/a"
expect 'what comes late for a container is left to the reader' 0 '^equal' "$paje" equals "$dir/a" "$dir/got"

# A link may be on a container before that is created: the creation comes first, and what comes later keeps its place.
rank a '4 M H H H Inner' '6 0 a H 0 a 0' '6 5 b H 0 b 0' '40 3 M b a m 1 1' '41 6 M b b m 1 x' '10 3.5 S a r x' '10 4.25 S a r x'
rank b '6 0 c H 0 c 0' '10 4 S c r x' '10 4.5 S c r x'
for files in 'a b' 'b a'; do
    merge -o "$dir/got" "$dir/${files% *}" "$dir/${files#* }"
    check "a creation that is moved before its time: $files" test "$(awk '$2 ~ /^[0-9]/ && $3 ~ /^[MS]$/ { print $2 }' "$dir/got" | tr '\n' ' ')" = \
        '3 3.5 4 4.25 4.5 6 '
    valid "a creation that is moved before its time, valid: $files" got
done

# ---- links

rank a '6 0 a H 0 p0 0' '40 1 L 0 a m 1 1' '41 2 L 0 a m 1 x' '40 3 L 0 a m 2 1' '41 4 L 0 a m 2 x'
rank b '6 0 b H 0 p1 0' '40 1.5 L 0 b m 1 1' '41 2.5 L 0 b m 1 x' '40 5 L 0 b m 2 1' '41 6 L 0 b m 2 x'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'links within files that have the same keys: valid' got
lines 'links within files that have the same keys: each stays in its file' got \
    '^Link, 0, Message, (1.0+, 2.0|3.0+, 4.0).*p0, p0|^Link, 0, Message, (1.5|5.0+, 6.0).*p1, p1' 4
lines 'links within files: the keys of the first stay' got '^Link.*p0, p0, [12], 1, x$' 2

rank b '6 0 b H 0 p1 0' '40 2.5 L 0 b m 1 1' '41 2.75 L 0 b m 1 x' '40 5 L 0 b m 2 1' '41 6 L 0 b m 2 x'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'links within files that have the same keys one after the other' got

# Keys both of links within a file and of links from file to file.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1' '40 1.5 L 0 a m x 1' '41 3 L 0 a m k x'
rank b '6 0 b H 0 p1 0' '40 2 L 0 b m k 1' '41 2.5 L 0 b m x x' '41 4 L 0 b m k x'
expect 'own links, and one from file to file' 0 '!' "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
lines 'own links, and one from file to file: each is there' got \
    '^Link, 0, Message, (1.0+, 3.*p0, p0, k|2.0+, 4.*p1, p1, k|1.50+, 2.5.*p0, p1, x)' 3

# many FILE CONTAINER OWN CROSSING START: links 1, 2, 3, ... within the file, and one half each of links x1, x2, x3, ...
many() {
    awk -v c=$2 -v own=$3 -v crossing=$4 -v start=$5 'BEGIN {
        for (i = 1; i <= own || i <= crossing; i++) {
            if (i <= own) print "40 " i " L 0 " c " m " i " 1"
            if (i <= crossing && start) print "40 " i + 0.25 " L 0 " c " m x" i " 1"
            if (i <= own) print "41 " i + 0.5 " L 0 " c " m " i " x"
            if (i <= crossing && !start) print "41 " i + 0.75 " L 0 " c " m x" i " x"
        } }' >"$dir/lines"
    mapfile -t many <"$dir/lines"
    rank $1 "6 0 $2 H 0 $2 0" "${many[@]}"
}
for counts in '100 1' '100 10' '10 30'; do
    # shellcheck disable=SC2086
    many a p0 $counts 1
    # shellcheck disable=SC2086
    many b p1 $counts 0
    own=${counts% *} crossing=${counts#* }
    for options in '' '-j 2' --align; do
        if [ "$options" = '-j 2' ]; then # with comments they are large enough for two processes
            for file in a b; do seq -f '# %0100g' 2000 >>"$dir/$file"; done
        fi
        # shellcheck disable=SC2086
        merge $options -o "$dir/got" "$dir/a" "$dir/b"
        valid "$own own links, $crossing from file to file $options: valid" got
        lines "$own own links, $crossing from file to file $options: these" got '^Link.*p0, p1, x' $crossing
        lines "$own own links, $crossing from file to file $options: those" got '^Link.*(p0, p0|p1, p1), [0-9]' $((2 * own))
    done
done

# Keys that collide after more links from file to file than the first pass notes.
for one in 'a p0 40' 'b p1 41'; do
    read -r file container event <<<"$one"
    { cat $header; printf '%s\n' "${types[@]}" "6 0 $container H 0 $container 0"
      awk -v c=$container -v e=$event 'BEGIN {
          for (i = 1; i <= 10000; i++) print e " " i + (e == 41) / 2 " L 0 " c " m x" i " 1"
          print "40 10001 L 0 " c " m k 1"
          print "41 10002 L 0 " c " m k x" }'; } >"$dir/$file"
done
merge -o "$dir/got" "$dir/a" "$dir/b"
lines 'keys that collide late: links from file to file' got '^Link.*p0, p1, x' 10000

for one in 'a p0 40' 'b p1 41'; do
    read -r file container event <<<"$one"
    { cat $header; printf '%s\n' "${types[@]}" "6 0 $container H 0 $container 0"
      awk -v c=$container -v e=$event 'BEGIN {
          for (i = 1; i <= 8300; i++) print e " " i + (e == 41) / 2 " L 0 " c " m x" i " 1"
          for (i = 1; i <= 200; i++) {
              print "40 " 10000 + i " L 0 " c " m " i " 1"
              print "41 " 10000.5 + i " L 0 " c " m " i " x" } }'; } >"$dir/$file"
done
for options in '' '-j 2' --align; do
    # shellcheck disable=SC2086
    merge $options -o "$dir/got" "$dir/a" "$dir/b"
    valid "keys of most links collide late $options: valid" got
    lines "keys of most links collide late $options: links from file to file" got '^Link.*p0, p1, x' 8300
    lines "keys of most links collide late $options: others" got '^Link.*(p0, p0|p1, p1), [0-9]' 400
done

# With --align the first pass has times since the beginning of each file, in which links follow that are in flight at
# the same time.
for one in 'a p0 40 9' 'b p1 41 0'; do
    read -r file container event start <<<"$one"
    { cat $header; printf '%s\n' "${types[@]}" "6 0 $container H 0 $container 0" "30 $start E $container begins x 1"
      awk -v c=$container -v e=$event 'BEGIN {
          print e " " 9 + e / 100 " L 0 " c " m x 1"
          for (i = 0; i < 100; i++) {
              print "40 " 10 + i / 20 " L 0 " c " m " i " 1"
              print "41 " 10.03 + i / 20 " L 0 " c " m " i " x" } }'; } >"$dir/$file"
done
merge --align -o "$dir/got" "$dir/a" "$dir/b"
valid '--align, keys that collide by the clocks only: valid' got
lines '--align, keys that collide by the clocks only: each link' got '^Link.*(p0, p0|p1, p1), [0-9]|^Link.*p0, p1, x' 201

# A key of links in both directions looks like one of links within each file.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m 1 1' '41 3 L 0 a m 1 x' '40 4 L 0 a m k 1' '41 7 L 0 a m k x'
rank b '6 0 b H 0 p1 0' '40 2 L 0 b m 1 1' '41 2.5 L 0 b m 1 x' '41 5 L 0 b m k x' '40 6 L 0 b m k 1'
expect 'keys that both links within files and those between them may have: said' 0 \
    '^paje: [12] links are taken for links within a file, but may be some from file to file: keys of both are alike$' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"

rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1' '41 4 L 0 a m k x' '40 5 L 0 a m 1 1' '41 7 L 0 a m 1 x' '40 9 L 0 a m 2 1' \
    '41 10 L 0 a m 2 x'
rank b '6 0 b H 0 p1 0' '41 2 L 0 b m k x' '40 3 L 0 b m k 1' '40 6 L 0 b m 1 1' '41 8 L 0 b m 1 x' '40 9 L 0 b m 2 1' \
    '41 10 L 0 b m 2 x'
expect 'links that are not joined, as their key may be one of links within a file: said' 0 \
    '^paje: 1 links that may go from file to file are not joined: they have keys of links within a file$' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"

# Two links from file to file that are in flight at once are one.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1'
rank b '6 0 b H 0 p1 0' '40 2 L 0 b m k 1'
rank c '6 0 c H 0 p2 0' '41 3 L 0 c m k x' '41 4 L 0 c m k x'
expect 'links that cannot be told apart: said' 0 \
    '^paje: 1 links begin while one of another file with the same key is in flight: these cannot be told apart' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
expect 'links that cannot be told apart: said once, also when the clocks are looked at' 0 '!' \
    bash -c "'$paje' merge --align -o '$dir/got' '$dir/a' '$dir/b' '$dir/c' 2>&1 | grep -c 'told apart' | grep -v '^1$' >&2; true"

# ---- lines

rank a '6 0 a H 0 "p 0" 0' '30 5 E a "out of paper" "page #3" 12' "30 4 E a '' \"\" 12" '30 6 E a a"b %x 12' \
    "30 7 E a 'say \"x\"' x 12"
rank b '6 0 b H 0 "p 0" 0' '30 4.5 E b early x 12'
merge -o "$dir/got" "$dir/a" "$dir/b"
"$paje" dump -u "$dir/got" 2>/dev/null | grep '^Event' >"$dir/out"
cat >"$dir/expected" <<'EOF'
Event, p 0, Alarm, 4.000000, , , 12
Event, p 0, Alarm, 4.500000, early, x, 12
Event, p 0, Alarm, 5.000000, out of paper, page #3, 12
Event, p 0, Alarm, 6.000000, a"b, %x, 12
Event, p 0, Alarm, 7.000000, say "x", x, 12
EOF
same 'words are quoted where they must be; a file where time goes back on a container and type is sorted' "$dir/expected" "$dir/out"
# Most times are compared as they are written, without conversion.
times='0.9 9.99 10.00 9.990 99.9 1.000 10.01 01.0 10 9 12345678901.123 12345678901.124 12345678901.1239 1e1 -1'
{
    for first in $times; do
        printf -- "$first %s\n" $times
    done
    printf '%s\n' '9.9 9.99 9.95' '1.1 1e1 2.2'
} | while read -ra turn; do
    rank x '6 -2 a H 0 "p 0" 0' "$(printf '30 %s E a one x 1\n' "${turn[@]}")" '30 12345678902 E a a-long-last-line x 1'
    merge -o "$dir/got" "$dir/x"
    awk '/ E 1 / { print $2 }' "$dir/got" >"$dir/times"
    [ "$(wc -l <"$dir/times")" -gt "${#turn[@]}" ] && sort -c -s -g "$dir/times" || echo "${turn[@]}"
done >"$dir/out" 2>&1
same 'times in the order of their numbers, however they are written' /dev/null "$dir/out"
# A line of each length, with blanks where they are, is split as by the reader.
for ((length = 1; length < 70; length++)); do
    word=$(head -c $length < <(yes ab | tr -d '\n'))
    printf '30 %d.5 E a %s x 12\n30 %d.6   E  a %s    x 12  \n' $length "$word" $length "$word"
    printf '30 %d.7 E a\t%s x 12\t\n30 %d.8 E a %s=1 %s,1 12\n' $length "$word" $length "$word" "$word"
done >"$dir/body"
rank x '6 0 a H 0 "p 0" 0' "$(cat "$dir/body")"
merge -o "$dir/got" "$dir/x"
for file in x got; do "$paje" dump -u "$dir/$file" >"$dir/$file.dump"; done
same 'words of each length, between blanks' "$dir/x.dump" "$dir/got.dump"
check 'words of each length, between blanks: all are there' [ "$(grep -c '^Event' "$dir/got.dump")" = 276 ]
rank c "6 0 '\"c' H 0 '\"x' 0" "1 '\"t' H '\"y\"'" "1 \"'t\" H \"'y'\"" "5 '\"v' '\"t' '\"v v\"' '1 0 0'" \
    "11 1 '\"t' '\"c' '\"v' o'n\"e 1" "11 2 \"'t\" '\"c' 'a \"b' two 1" '40 3 L 0 "'"'c"'" m k 1'
sed -i "s/^6 0 '\"c'.*/6 0 \"'c\" H 0 other 0\n&/; s/Size int/\"Si ze\" int/" "$dir/c"
merge -o "$dir/got" "$dir/c"
"$paje" dump -u "$dir/c" 2>/dev/null | sorted >"$dir/expected"
"$paje" dump -u "$dir/got" 2>/dev/null | sorted >"$dir/out"
check 'words with quotes in them: there are some' grep -q '^State, "x, "y", .*, "v v", o.n"e' "$dir/out"
same 'words with quotes in them stay as they are' "$dir/expected" "$dir/out"
check 'a field name that needs quotes has them' grep -q '^% *"Si ze" int' "$dir/got"
merge -o "$dir/got" --offset 1=0.001 "$dir/a"
check 'corrected times have nine decimals' grep -Eq '^[0-9]+ 6\.001000000 E ' "$dir/got"
sed 's/ 6 E/ 6.0123456789012 E/' "$dir/a" >"$dir/b"
merge -o "$dir/got" "$dir/b"
check 'times that need no correction stay as they are' grep -Eq ' 6\.0123456789012 E ' "$dir/got"

rank a '0 T H Thread' '6 0 a H 0 p0 0' '30 1 E a good x 1' '30 soon E a bad x 1' '30 2 E x bad x 1' '30 2 X a bad x 1' '30 3 E a "bad' \
    '30 4 E a good x 1' '6 4 a H 0 bad 0' '7 5 T a' '1 0 H bad'
rank b '6 0 b H 0 p1 0' '30 2.5 E b good x 1'
at=$(($(grep -n 'soon' "$dir/a" | cut -d: -f1)))
expect 'broken lines: exit status' 1 "/a:$at:4: error: time is not a number: .soon." \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
check 'broken lines: unknown container' grep -q "/a:$((at + 1)):1: error: container does not exist: .x." "$dir/err"
check 'broken lines: unknown type' grep -q "/a:$((at + 2)):1: error: type is not defined: .X." "$dir/err"
check 'broken lines: open quote' grep -q "/a:$((at + 3)):[0-9]*: error: quoted string" "$dir/err"
check 'broken lines: container twice' grep -q "/a:$((at + 5)):1: error: container exists already: .a." "$dir/err"
check 'broken lines: another type' grep -q "/a:$((at + 6)):1: warning: container is not of this type: .a." "$dir/err"
check 'broken lines: a type called 0' grep -q "/a:$((at + 7)):1: error: identifier of the root type is" "$dir/err"
check 'broken lines: no more is said' test "$(wc -l <"$dir/err")" = 7
lines 'broken lines: the rest is merged' got '^Event, p[01], Alarm, .*good' 3
lines 'broken lines: they are not' got bad 0
valid 'broken lines: the rest is valid' got
expect 'broken lines: told once, also when the clocks are looked at' 1 'time is not a number' \
    "$paje" merge --align -o "$dir/got" "$dir/a" "$dir/b"
check 'broken lines: told once' test "$(wc -l <"$dir/err")" = 7

rank a '6 0 a H 0 p0 0' '1 Q S bad' '4 X 0 H S bad' '5 x H bad "0 1 0"' '10 1 P a bad one' '30 1 S a bad x 1' '40 1 S 0 a m k1 bad' \
    '40 1 L a a m k1 bad' '6 1 q S a bad 0' '7 1 S a' '10 2 S a good one'
expect 'lines with a type of another kind: exit status' 1 'type is of another kind' "$paje" merge -o "$dir/got" "$dir/a"
sed 's/.*: error: //' "$dir/err" >"$dir/out"
printf '%s\n' 'type is not a container type: `S`'{,} 'only state, event and link types have values: `H`' \
    'type is of another kind than the event: `'{P,S,S}'`' "type is no child of the container's type: \`L\`" \
    'type is not a container type: `S`'{,} >"$dir/expected"
same 'lines with a type of another kind: each is told' "$dir/expected" "$dir/out"
check 'lines with a type of another kind: they are left out' sh -c "! grep bad '$dir/got'"
lines 'lines with a type of another kind: the rest is there' got '^State, p0, Host state, 2.*good' 1
valid 'lines with a type of another kind: the rest is valid' got

rank a '6 0 a H 0 p0 0' '6 0 b H a p1 0' '10 1 S a x one' '7 2 H a' '10 3 S a late one' '10 3 S b late one' '7 4 H a' '6 5 a H 0 p0 0' \
    '10 6 S a y one'
expect 'lines on a container that was destroyed: exit status' 1 'container is destroyed already' "$paje" merge -o "$dir/got" "$dir/a"
check 'lines on a container that was destroyed: each is told' test "$(grep -c 'destroyed already: `[ab]`$' "$dir/err")" = 3
check 'lines on a container that was destroyed: they are left out' sh -c "! grep late '$dir/got'"
lines 'lines on a container that was destroyed: the rest is there' got '^State, p0, Host state, .*, [xy], one' 2

rank a '6 0 a H 0 p0 0' '50 a H part' '30 3 E a after x 1'
printf '30 1 E a inside x 1\n30 2 Q a bad x 1' >"$dir/part" # without a line end
rank b '6 0 b H 0 p1 0' '30 1.5 E b between x 1'
expect 'an included file: a broken line bears its name' 1 '/part:2:1: error: type is not defined: .Q.' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
"$paje" dump "$dir/got" 2>&1 | grep '^Event' | cut -d, -f5 | tr -d '\n' >"$dir/out"
check 'an included file: its lines are in their place' test "$(cat "$dir/out")" = ' inside between after'
valid 'an included file: the result needs no other' got
cp "$dir/part" "$dir/expected"
expect 'an included file that would be overwritten' 2 '/part. is to be read and written' \
    "$paje" merge -o "$dir/part" "$dir/a" "$dir/b"
same 'which is left alone as well' "$dir/expected" "$dir/part"

cat >"$dir/file" <<'EOF'
%EventDef PajeCreateContainer 60
% Time date
% Name string
% Type string
% Container string
% Filename string
%EndEventDef
60 0 a H 0 part
EOF
echo '30 1 E a inside x 1' >"$dir/part"
{ cat $header; printf '%s\n' "${types[@]}"; cat "$dir/file"; } >"$dir/a"
mkdir -p "$dir/elsewhere"
expect "a container's file" 0 '!' "$paje" merge -o "$dir/elsewhere/got" "$dir/a"
valid "a container's file: the result needs no other" elsewhere/got
lines "a container's file: its lines are there" elsewhere/got '^Event, a, Alarm, 1.0*, inside' 1

# ---- memory

# A hundred thousand steps: states, messages, and containers that come and go.
long() {
    { cat $header; printf '%s\n' "${types[@]}"; awk -v me="$1" -v steps="$2" -v begin="$3" 'BEGIN {
        print "6 0 c H 0 rank" me " 1"
        for (i = 1; i <= steps; i++) {
            t = begin + i * 1e-3
            printf "11 %.9f S c r x 1\n40 %.9f L 0 c m %d:%d 1\n12 %.9f S c x\n", t, t + 1e-4, me, i, t + 2e-4
            printf "41 %.9f L 0 c m %d:%d x\n", t + 3e-4, 1 - me, i
            printf "6 %.9f d%d H 0 short 1\n7 %.9f H d%d\n", t + 4e-4, i, t + 5e-4, i
        }
    }'; } >"$dir/long$1"
}
long 0 60000 0
long 1 60000 0
# limited NAME: merges them with 19 MB of memory, of which the machine's archive of locales takes none
limited() {
    if (ulimit -v 19000 && "$paje" --version) >/dev/null 2>&1; then
        check "memory: $1" sh -c "ulimit -v 19000 && LOCPATH=/ '$paje' merge --align -o '$dir/got' '$dir/long0' '$dir/long1'"
    else # a sanitizer needs more
        skip "memory: $1" 'the program cannot even start in it (build it without sanitizers)'
        merge --align -o "$dir/got" "$dir/long0" "$dir/long1"
    fi
}
limited '19 MB do for two files of 10 MB, and the program'
check 'memory: nothing is lost' sh -c "'$paje' null '$dir/got' | grep -Eq '^Link +120000$'"
expect 'memory: few messages are in flight' 0 'at most [1-4] links in flight' \
    "$paje" merge --stats -o "$dir/got" "$dir/long0" "$dir/long1"
long 1 60000 1e6
limited 'so they do when a clock is far away'
"$paje" validate "$dir/got" >"$dir/out"
check 'memory: and it is found' grep -Eq ' 0 errors, 0 warnings: valid$' "$dir/out"
rm -f "$dir"/long? "$dir/got"

# ---- real traces, where they are at hand

corpus
if [ ${#corpus[@]} -gt 0 ]; then
    find "${corpus[@]}" -size -2000k | sorted | while read -r trace; do
        # merge sorts a file whose times go back, which is not equal to what was read in the order of its lines.
        ! "$paje" null "$trace" 2>&1 | grep -q 'time is before that of the last event' || continue
        merge -o "$dir/got" "$trace"
        "$paje" equals "$trace" "$dir/got" 2>/dev/null | grep -q '^equal' || echo "$trace"
    done >"$dir/different"
    same 'real traces: merged alone, each is equal to itself' /dev/null "$dir/different"
fi

# ---- the source

# merge.h lists the files of the command from the bottom up.
# calls_up HEADER FILE...: prints calls to functions of files that come later there, and functions that are elsewhere
calls_up() {
    awk '
        FNR == 1 { file = FILENAME; sub(/.*\//, "", file); own = file == "merge.c" ? levels + 1 : level[file] }
        /^\/\* ---- [a-z]+\.c/ { sub(/:/, "", $3); level[$3] = ++levels; next }
        /^ *(\/\*|\*)/ { next }
        file == "merge.h" && /^[a-z]/ && match($0, /merge_[a-z_]+\(/) { of[substr($0, RSTART, RLENGTH)] = levels; next }
        file == "merge.h" { next }
        !own { print file ": is not in merge.h"; nextfile }
        {
            is_definition = /^[a-z].*[^;]$/
            for (rest = $0; match(rest, /merge_[a-z_]+\(/); rest = substr(rest, RSTART + RLENGTH)) {
                name = substr(rest, RSTART, RLENGTH)
                if (of[name] > own || (is_definition && name in of && of[name] != own))
                    print file ":" FNR ": " name ")"
            }
        }' "$@"
}
folder=examples/paje/commands/merge
calls_up $folder/merge.h $folder/*.c >"$dir/out"
same 'its files call only files below them' /dev/null "$dir/out"
{ cat $folder/waits.c; echo 'static void up(void) { merge_break_circles(NULL); }'; } >"$dir/waits.c"
check 'a call of a file above would be found' test "$(calls_up $folder/merge.h "$dir/waits.c" | wc -l)" = 1

exit $failed
