#!/bin/bash
# paje merge --align: clocks that are wrong in every way.
. "$(dirname "$0")/lib-merge.sh"

# simulate RANKS STEPS SEED KINDS: a ring of ranks that send to both sides; their clocks are up to 50 ms apart, and
# drift (d, 100 ppm), swing (s, 0.3 ms), jump (j, up to 10 ms) as KINDS says.  The files `true` have right clocks.
simulate() {
    rm -f "${dir:?}"/rank* "${dir:?}"/true*
    awk -v ranks="$1" -v steps="$2" -v seed="$3" -v kinds="$4" -v dir="$dir" '
        function random(low, high) { seed = (seed * 16807) % 2147483647; return low + (high - low) * seed / 2147483647 }
        function now(rank, t,    shown) {
            shown = t + offset[rank]
            if (kinds ~ /d/) shown += drift[rank] * t
            if (kinds ~ /s/) shown += swing[rank] * sin(6.283 * t / period[rank])
            if (kinds ~ /j/ && t > jumps_at[rank]) shown += jump[rank]
            return shown
        }
        function say(rank, t, event, rest) {
            printf "%s %.9f %s\n", event, now(rank, t), rest >(dir "/rank" rank)
            printf "%s %.9f %s\n", event, t + 1, rest >(dir "/true" rank)
        }
        BEGIN {
            for (i = 0; i < 10; i++) random(0, 1)
            for (r = 0; r < ranks; r++) {
                offset[r] = 1 + (r ? random(-0.05, 0.05) : 0); drift[r] = random(-1e-4, 1e-4)
                swing[r] = random(1e-4, 3e-4); period[r] = random(0.2, 0.5) * steps * 1e-3
                jump[r] = random(0, 0.01); jumps_at[r] = random(0.2, 0.8) * steps * 1e-3
                say(r, 0, 6, "c H 0 rank" r " " r)
            }
            for (s = 1; s <= steps; s++) {
                for (r = 0; r < ranks; r++) {
                    t[r] += random(1e-4, 1e-3)
                    say(r, t[r], 11, "S c r x " s)
                    for (side = -1; side <= 1; side += 2) {
                        to = (r + side + ranks) % ranks
                        sent[r, side] = t[r] += random(1e-6, 5e-6)
                        say(r, t[r], 40, "L 0 c m " r ">" to ":" s " 1")
                    }
                }
                for (r = 0; r < ranks; r++) {
                    for (side = -1; side <= 1; side += 2) {
                        from = (r + side + ranks) % ranks
                        arrives = sent[from, -side] + random(2e-6, 2e-5)
                        t[r] = (arrives > t[r] ? arrives : t[r]) + 1e-7
                        say(r, t[r], 41, "L 0 c m " from ">" r ":" s " x")
                    }
                    say(r, t[r] += 1e-6, 12, "S c x")
                }
            }
        }'
    for file in "$dir"/rank* "$dir"/true*; do
        { cat $header; printf '%s\n' "${types[@]}"; cat "$file"; } >"$dir/body"
        mv "$dir/body" "$file"
    done
}

# durations FILE: of each link that simulate made, by key
durations() { "$paje" dump -l 9 "$dir/$1" | grep '^Link.*>' | awk -F', ' '{ print $NF, $6 }' | sorted; }

# off_by FILE MICROSECONDS: no message takes so much longer or shorter than with right clocks
off_by() {
    paste -d' ' <(durations true) <(durations "$1") | awk -v most="$2" '
        { off = ($4 - $2) * 1e6; off = off < 0 ? -off : off; worst = off > worst ? off : worst; bad = bad || $1 != $3 }
        END { print "off by " worst " us, of " NR " messages"; exit bad || NR == 0 || worst > most }'
}

in_order() { awk '/^[0-9]/ && $2 ~ /^[0-9]+\.[0-9]+$/ { print $2 }' "$dir/$1" | sort -c -g; }

for case in 'd:drift:3' 's:swinging:40' 'ds:drift and swinging:40' 'j:jumps:2000' \
    'djs:drift, swinging and jumps:2000'; do
    IFS=: read -r kinds name most <<<"$case"
    for seed in 1 2; do
        simulate 4 1500 $seed $kinds
        merge -o "$dir/true" "$dir"/true?
        merge -o "$dir/out2" "$dir"/rank?
        expect "$name, $seed: wrong without --align" 0 'link ends before it starts' "$paje" validate "$dir/out2"
        merge --align -o "$dir/got" "$dir"/rank?
        check "$name, $seed: nothing is left to list" test "$(grep -c 'before they are sent' "$dir/err")" = 0
        valid "$name, $seed: no message arrives too early" got
        check "$name, $seed: in the order of time" in_order got
        check "$name, $seed: no message is off by more than $most us" off_by got "$most"
    done
done

simulate 12 300 3 djs
merge --align -o "$dir/got" "$dir"/rank? "$dir"/rank??
valid 'twelve ranks, everything at once: valid' got
lines 'twelve ranks: nothing is lost' got '^Link' 7200

# What arrives from a rank whose file was cut has no start: nothing waits for it.
simulate 4 300 4 dj
head -n 1500 "$dir/rank2" >"$dir/cut"
mv "$dir/cut" "$dir/rank2"
merge --align -o "$dir/got" "$dir"/rank?
check 'a rank that died: in the order of time' in_order got
"$paje" validate --limit 0 "$dir/got" >"$dir/out" 2>&1
check 'a rank that died: some links have one end' grep -q 'link never got its other end' "$dir/out"
check 'a rank that died: nothing else is wrong' sh -c \
    "! grep -E 'error:|warning:' '$dir/out' | grep -v 'link never got its other end\|more errors; --limit'"

# ---- circles: what cannot be satisfied

rank a '6 0 a H 0 p0 0' '41 1.0 L 0 a m l x' '40 2.0 L 0 a m k 1' '40 5.0 L 0 a m n 1'
rank b '6 0 b H 0 p1 1' '41 1.0 L 0 b m k x' '40 2.0 L 0 b m l 1' '41 4.0 L 0 b m n x'
rank c '6 0 c H 0 p2 2' '40 3.0 L 0 c m o 1' '41 4.5 L 0 c m o x'
merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
check 'a circle: both messages are listed, and violated evenly' \
    test "$(grep -Ec '1 of the messages arrive up to (0\.99|1)[0-9.e-]* before' "$dir/err")" = 2
expect 'a circle: what can be satisfied is' 0 ' 0 errors, 2 warnings: valid' "$paje" validate "$dir/got"
check 'a circle: in the order of time' in_order got

rank two '6 0 a H 0 p0 0' '6 0 b H 0 p1 1' '41 1.0 L 0 b m k x' '40 1.25 L 0 a m k 1' '40 2 L 0 a m l 1' '41 3 L 0 b m l x'
expect 'messages within a file, which has one clock, are told' 0 \
    '^paje: [^ ]*two: 1 messages within it arrive up to 0.25 before they are sent: --align takes all of a file for one clock$' \
    "$paje" merge --align -o "$dir/got" "$dir/two"
expect 'nothing is told of them without --align' 0 '^$' sh -c "'$paje' merge -o '$dir/got' '$dir/two' 2>&1; echo"

# Nothing connects these with the circle, of which no round is better than the first: they were corrected no further,
# and were off by 7341 us.
simulate 4 1500 1 djs
merge -o "$dir/true" "$dir"/true?
merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir"/rank?
check 'beside a circle: the other messages are right' test "$(grep -c 'before they are sent' "$dir/err")" = 2
check 'beside a circle: no other message is off by more than 2000 us' off_by got 2000
grep 'before they are sent' "$dir/err" >"$dir/beside"
merge --align -o "$dir/got" "$dir/a" "$dir/b"
check 'beside a circle: it is listed as alone' diff "$dir/beside" <(grep 'before they are sent' "$dir/err")

# Windows were those of all files: beside a group that is years away these had one, and were off by 7208 us.
rank a '6 0 a H 0 p0 0' '41 100000001 L 0 a m l x' '40 100000002 L 0 a m k 1'
rank b '6 0 b H 0 p1 1' '41 100000001 L 0 b m k x' '40 100000002 L 0 b m l 1'
merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir"/rank?
check 'beside a circle years later: no other message is off by more than 2000 us' off_by got 2000

# circles NAME MOST FROM:TO:SENT:RECEIVED...: messages between six files, the worst of which must be early by MOST;
# empty: too little for a message
circles() {
    local name=$1 most=$2 message files=()
    shift 2
    for file in 0 1 2 3 4 5; do
        local lines=("6 0 a H 0 p$file $file")
        while read -r _ line; do lines+=("$line"); done < <(
            key=0
            for message; do
                IFS=: read -r from to sent received <<<"$message"
                [ "$from" != $file ] || echo "$sent 40 $sent L 0 a m k$key 1"
                [ "$to" != $file ] || echo "$received 41 $received L 0 a m k$key x"
                key=$((key + 1))
            done | sort -g)
        rank r$file "${lines[@]}"
        files+=("$dir/r$file")
    done
    timeout 60 "$paje" merge --align -o "$dir/got" "${files[@]}" 2>"$dir/err"
    check "$name: the worst is violated least" test "$(sed -n 's/.* arrive up to \([^ ]*\) before .*/\1/p' "$dir/err" |
        sort -g | tail -n 1 | cut -c 1-5)" = "$most"
}
# By one circle after the other 0 -> 1 was relaxed twice: 2.1.
circles 'circles that share a message' 1.55 0:1:100:97 1:0:100:99.9 1:2:100:99.9 2:0:100:99.9
# What a pass finds out about circles changed what is written behind it: 4.01.
circles 'circles that are known late' 2.043 3:0:100.000647:98.568253 0:2:100.000520:100.372076 \
    0:2:100.000364:99.489081 0:3:100.000740:97.346652 2:1:100.000566:98.593775 0:2:100.000696:100.964996 \
    1:2:100.000094:98.590210 0:2:100.000730:100.981646 2:0:100.000911:97.270052
# Clocks so far from each other that what contradicts is lost by rounding: the search for offsets did not end.
circles 'clocks of several epochs' '' 1:3:5.338494304:4100000005.338494301 1:2:6.843030541:1700000006.843030691 \
    1:2:9.515248689:1700000009.515248060 0:5:1700000002.735707283:1000002.735707318 \
    0:1:1700000007.467680454:7.467680405 2:0:1700000005.924344540:1700000005.924344301 \
    2:3:1700000006.644983053:4100000006.644982815 3:4:4100000006.264422894:6.264422250 \
    4:5:2.263343817:1000002.263343746 4:2:8.430696366:1700000008.430695295 5:0:1000009.649494790:1700000009.649494410
check 'clocks of several epochs: they are corrected' \
    grep -Eq 'r5: clock corrected by (1699000000|1698999999\.99999)' "$dir/err"
# All around the circle, as where clocks are set while the program runs.
circles 'clocks that were set, in a circle' 1.1e+ 0:1:1200000000004.964843750:1.141906457 \
    0:1:1200000000006.481933594:2.944927771 1:2:900000000003.433471680:7.962030112 \
    2:0:1200000000002.534667969:7.301522308

# What the last line has waited is no correction of its clock: b is moved by -0.45, and waits for 0.05.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1' '41 1 L 0 a m l x' '30 2 E a x x 1'
rank b '6 0 b H 0 p1 1' '41 1.4 L 0 b m k x' '40 1.5 L 0 b m l 1' '30 2 E b x x 1'
merge --align -o "$dir/got" "$dir/a" "$dir/b"
check 'lines that wait: clocks are corrected without it' test "$(grep -c 'clock corrected' "$dir/err")" = 1 \
    -a "$(grep -c 'b: clock corrected by -0\.450000000$' "$dir/err")" = 1
check 'lines that wait: no time is before 0' test "$(grep -c '^[0-9]* -' "$dir/got")" = 0
valid 'lines that wait: valid' got

# What rounding may undo is added to each correction, but not that of times in a file that no message connects.
rank a '6 0 a H 0 p0 0' '40 5 L 0 a m k 1'
rank b '6 0 b H 0 p1 1' '41 3 L 0 b m k x'
rank c '6 0 c H 0 p2 2' '30 1.7e18 E c x x 1'
merge --align -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
check 'times in another unit, in a file that no message connects' \
    grep -q 'b: clock corrected by 2\.000000002$' "$dir/err"

# Links from file to file, among links within files whose keys are alike: their ends wait, too.
rank a '6 0 a H 0 p0 0' '40 0.5 L 0 a m 1 1' '40 1 L 0 a m k 1' '41 1 L 0 a m l x' '41 3 L 0 a m 1 x'
rank b '6 0 b H 0 p1 1' '40 0.6 L 0 b m 1 1' '41 1.4 L 0 b m k x' '40 1.5 L 0 b m l 1' '41 3 L 0 b m 1 x'
merge --align -o "$dir/got" "$dir/a" "$dir/b"
valid 'lines that wait among links within files: valid' got
lines 'lines that wait among links within files: all links' got '^Link' 4
rank a '6 9 a H 0 p0 0' '41 8 L 0 a m l x' '40 9 L 0 a m k 1'
rank b '6 8 b H 0 p1 1' '41 8 L 0 b m k x' '40 9 L 0 b m l 1'
merge --align -o "$dir/got" "$dir/a" "$dir/b"
check 'lines that wait in vain: no clock is said to be corrected' test "$(grep -c 'clock corrected' "$dir/err")" = 0

# Between a and b all messages take longer than a double can tell: what is between windows was looked for without end.
rank a '6 -1e308 a H 0 p0 0' '40 -1e308 L 0 a m k 1' '41 0 L 0 a m l x' '40 1e307 L 0 a m n 1'
rank b '6 -1e308 b H 0 p1 1' '41 1e308 L 0 b m k x'
rank c '6 -1e308 c H 0 p2 2' '41 0 L 0 c m n x' '40 1e307 L 0 c m l 1'
expect 'messages that take too long for a number' 0 'before they are sent' "$paje" merge --align -o "$dir/got" \
    "$dir/a" "$dir/b" "$dir/c"
lines 'messages that take too long for a number: all links' got '^Link' 3

# ---- files that are not in the order of time

# The last line of the first file comes late, and lets an earlier line of the other one go on.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1' '30 6 E a late x 1' '40 2 L 0 a m l 1'
rank b '6 0 b H 0 p1 1' '41 0.5 L 0 b m k x' '41 3 L 0 b m l x' '30 4 E b after x 1'
merge --align -o "$dir/got" "$dir/a" "$dir/b"
lines 'a line that waited for the last one of a file: both links are there' got '^Link.*p0, p1' 2
lines 'a line that waited for the last one of a file: so is what follows it' got '^Event, p1.*after' 1

exit $failed
