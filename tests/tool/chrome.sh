#!/bin/bash
# paje chrome: strict JSON, and in it the entities of the tables of `paje csv`, which tests/tool/csv.sh holds equal to
# the dump.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
hostile_trace >"$dir/hostile.trace"
expect 'a unit that is none' 2 '`h`: no unit' "$paje" chrome --unit h "$dir/whole.trace"
check '--unit ms' sh -c "'$paje' chrome --unit ms '$dir/whole.trace' | grep -q '\"ph\":\"i\".*\"ts\":1800,'"
# A trace in nanoseconds that does not say so: taken for seconds, its times are beyond what nanoseconds hold.
{ cat tests/tool/header.trace; printf '%s\n' '0 T 0 Thread' '1 S T State' '6 50000000000 t T 0 t 1' \
    '11 50000000010 S t a x 1' '12 50000900000 S t x'; } >"$dir/beyond.trace"
for command in chrome perfetto "paraver -o $dir/beyond"; do
    expect "times beyond the range: ${command%% *}" 0 'more than .*e.09 s from 0, and are written as that' \
        "$paje" $command "$dir/beyond.trace"
    check "times beyond the range: ${command%% *} --unit ns" bash -c "! '$paje' $command --unit ns '$dir/beyond.trace' 2>&1 |
        grep -aq 'from 0'"
done
expect 'times beyond the range are its ends' 0 '"ph":"B",.*"ts":9000000000000000,' "$paje" chrome "$dir/beyond.trace"
[ ! -w /dev/full ] || expect 'a full disk' 3 'paje: standard output: No space' \
    sh -c "'$paje' chrome '$dir/whole.trace' >/dev/full"

# The states that are open at -s begin with the first event from there on, whatever that is.
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '1 S H State' '6 0 h H 0 host 1' '10 1 S h busy 1' \
    '6 4 late H 0 late 1'; } >"$dir/created.trace"
expect 'a state that is open when the last container is created' 0 '"name":"busy"' "$paje" chrome -s 3 "$dir/created.trace"

if ! command -v python3 >/dev/null; then
    skip 'the events' 'no python3 (install python3)'
    exit $failed
fi

# as_tables NAME TRACE [NAME TRACE]...
as_tables() { python3 tests/tool/lib-chrome.py "$paje" "$dir/tables" "$@" || failed=1; }

make -s build/bench/generate || exit 3
build/bench/generate -b 300000 -c 40 -d 9 >"$dir/generated.trace"
head -c 150000 "$dir/generated.trace" >"$dir/cut.trace"
corpus
all=()
for trace in "$dir"/{whole,hostile,generated,cut}.trace $traces/*.trace "${corpus[@]}"; do
    all+=("as the tables: ${trace#"${trace%/*/*}/"}" "$trace")
done
as_tables "${all[@]}"

# States whose times go back are shown later, so that slices stay nested, and a message counts them.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 1' '11 5 S t a x 1' '11 4 S t b x 1' \
        '12 6 S t x' '12 3 S t x'
} >"$dir/back.trace"
"$paje" chrome "$dir/back.trace" >"$dir/got" 2>"$dir/err"
check 'back in time' test "$(sed -n 's/.*"ts":\([0-9]*\).*/\1/p' "$dir/got" | tr '\n' ' ')" = \
    '5000000 5000000 6000000 6000000 '
check 'back in time: is told' grep -q 'back.trace: 2 states began or ended before' "$dir/err"

# An arrow does not go to a state that began later.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 1' '6 0 b T 0 b 1' \
        '11 5 S a x x 1' '11 5 S b x x 1' '40 1 L 0 a m k 1' '41 6 L 0 b m k x'
} >"$dir/early.trace"
as_tables 'a link before the state' "$dir/early.trace"

# A key is used again; an end comes before its start; a start is given up; what is sent comes back at once.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 1' '6 0 b T 0 b 1'
    for i in 1 2 3; do
        printf '%s\n' "40 $i L 0 a m k 1" "41 $i.5 L 0 b m k x" "41 $i.6 L 0 b m j x" "40 $i.55 L 0 a m j 1"
    done
    printf '%s\n' '6 4 h T 0 h 1' '40 4 L h h m k 1' '7 5 T h' '6 5 h T 0 h 1' '40 5 L h h m k 1' '41 5 L h h m k x' \
        '40 5 L h h m k 1' '41 5 L h h m k x'
    awk 'BEGIN {
        for (i = 0; i < 3000; i++) {
            print "40 " i + 6 " L 0 a m key" i % 300 + i % 7 " 1"
            print "41 " i + 6.5 " L 0 b m key" (i * 7) % 300 + i % 7 " x"
        }
    }'
} >"$dir/keys.trace"
as_tables 'keys that are used again' "$dir/keys.trace"

# Two variables of one name are two counters; one that is no number is left out.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '3 V T Power 1' '3 W T Power 1' '6 0 t T 0 t 1' '20 1 V t 1' '20 1 W t 2' \
        '20 2 V t 1e999' '21 3 V t -1e999 x'
} >"$dir/twins.trace"
check 'counters of one name' sh -c "'$paje' chrome '$dir/twins.trace' | grep -o '\"name\":\"Power[^,]*' | tr '\n' ' ' |
    grep -qx '\"name\":\"Power\" \"name\":\"Power\" \"name\":\"Power (W)\" '"

exit $failed
