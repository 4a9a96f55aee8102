#!/bin/bash
# paje import: a .prv with all kinds of records and what otf2-print prints, byte for byte; bad lines, missing files and
# programs; damaged input of every kind (lib-import.py).
. "$(dirname "$0")/lib.sh"
golden=tests/traces/paraver
ring=$golden/ring.prv

"$paje" import --cpus $ring >"$dir/got" 2>"$dir/err"
same 'a .prv' $golden/ring.trace "$dir/got"
reset=$(sed -n 's/^%EventDef PajeResetState //p' "$dir/got")
check 'ViTE knows all of its events' sh -c "! grep -q '^${reset:-none} ' '$dir/got'"
check 'a .prv: what is left out is told' grep -qx "paje: $ring: 1 records of global operations (4) are left out" "$dir/err"
expect 'a .prv: a valid trace' 0 ' 0 errors, 0 warnings: valid$' "$paje" validate "$dir/got"
check 'into a file' "$paje" import --cpus -o "$dir/ring.trace" $ring
same 'into a file' $golden/ring.trace "$dir/ring.trace"
cp $golden/ring.* "$dir"
expect 'into a file that is read' 2 '.*ring.row. is to be read and written: name another file' \
    "$paje" import -o "$dir/ring.row" "$dir/ring.prv"
same 'into a file that is read: it is as it was' $golden/ring.row "$dir/ring.row"
sed 's/$/\r/' $ring >"$dir/crlf.prv"
cp $golden/ring.pcf "$dir/crlf.pcf"
sed 's/$/\r/' $golden/ring.row >"$dir/crlf.row"
"$paje" import --cpus "$dir/crlf.prv" >"$dir/got" 2>/dev/null
same 'CRLF' $golden/ring.trace "$dir/got"
if command -v gzip >/dev/null; then
    cp $golden/ring.* "$dir"
    gzip -f "$dir/ring.prv"
    "$paje" import --cpus "$dir/ring.prv.gz" >"$dir/got" 2>/dev/null
    same 'compressed' $golden/ring.trace "$dir/got"
fi
"$paje" import $ring >"$dir/file" 2>/dev/null
"$paje" import <$ring >"$dir/got" 2>/dev/null
check 'standard input' "$paje" validate "$dir/got"
same 'standard input: has the same records' <(grep -c "^41 " "$dir/file") <(grep -c "^41 " "$dir/got")
cp $ring "$dir/alone.prv"
expect 'no .pcf' 0 'alone.pcf: No such file or directory; events are variables' "$paje" import "$dir/alone.prv"
check 'no .row' grep -q 'alone.row: No such file or directory; rows have numbers for names$' "$dir/err"
check 'no .row: numbers' grep -q '"Thread 1.2.2"$' "$dir/out"
check 'nested values of other types' sh -c "'$paje' import --stack 50000001 $ring | grep -q '^20 0.000030000 6 8$'"
expect 'a type that is no number' 2 '.x.: no number of an event type' "$paje" import --stack x $ring

# Bad lines are reported by line and column and left out; what follows is read.
header='#Paraver (22/11/2026 at 10:30):100_ns:1(1):1:1(1:1)'
# bad NAME COLUMN TEXT LINE
bad() {
    printf '%s\n' "$header" "$4" '1:1:1:1:1:50:60:1' >"$dir/bad.prv"
    expect "$1" 1 "^$dir/bad.prv:2:$2: error: $3" "$paje" import "$dir/bad.prv"
    check "$1: the next line" grep -q '^18 0.000000050 3 4 1$' "$dir/out"
}
bad 'another record' 1 'no record of Paraver: .*: `9`$' '9:1:1:1:1:0:1:1'
bad 'too few fields' 14 'the record has too few fields$' '1:1:1:1:1:0:1'
bad 'a field that is no number' 9 'no number of 63 bits: `x`$' '1:1:1:1:x:0:1:1'
bad 'a number with something behind' 11 'no number: `0x`$' '1:1:1:1:1:0x:1:1'
bad 'a number beyond 63 bits' 13 'no number of 63 bits: `9223372036854775808`$' '1:1:1:1:1:0:9223372036854775808:1'
bad 'an application that is not there' 5 'the header has no such application: `2`' '1:1:2:1:1:0:1:1'
bad 'a task that is not there' 7 'the header has no such task: `0`' '1:1:1:0:1:0:1:1'
bad 'a thread that is not there' 9 'the header has no such thread: `2`' '2:1:1:1:2:0:1:1'
bad 'a receiver that is not there' 21 'the header has no such task: `7`' '3:1:1:1:1:10:20:1:1:7:1:30:40:0:0'
bad 'a negative time' 11 'a negative time: `-1`' '2:1:1:1:1:-1:1:1'
bad 'an end before the begin' 13 'the state ends before it begins: `4`' '1:1:1:1:1:5:4:1'
bad 'a type without a value' 16 'the record has too few fields$' '2:1:1:1:1:5:123'
bad 'a negative type' 13 'a negative event type: `-7`' '2:1:1:1:1:5:-7:1'
# wrong_header NAME COLUMN TEXT HEADER
wrong_header() {
    printf '%s\n' "$4" >"$dir/head.prv"
    expect "$1" 1 "^$dir/head.prv:1:$2: error: $3" "$paje" import "$dir/head.prv"
}
wrong_header 'a header without a date' 1 'the header has no date' '#Paraver 100_ns:1(1):1:1(1:1)'
wrong_header 'a header without a length' 14 'the header has no length' '#Paraver (x):ns:1(1):1:1(1:1)'
wrong_header 'a unit that is none' 15 'the unit of times is none of' '#Paraver (x):5_h:1(1):1:1(1:1)'
wrong_header 'a header with fewer tasks than it says' 31 'the header has fewer tasks' '#Paraver (x):5_ns:1(1):1:2(1:1)'
wrong_header 'a header with fewer applications' 32 'the header has fewer applications' '#Paraver (x):5_ns:1(1):2:1(1:1)'
wrong_header 'a header with too many threads' 28 'the header has no number of threads' '#Paraver (x):5_ns:1(1):1:1(99999999999:1)'
wrong_header 'a header with too many threads in all' 41 'the header has more than 4194304 threads' \
    '#Paraver (x):5_ns:1(1):1:2(1:1,4194304:1)'
printf '%s\n' "$header" x y z >"$dir/many.prv"
expect 'as many errors as are wanted' 1 'many.prv: 2 more errors are not shown; --limit 0' \
    "$paje" import --limit 1 "$dir/many.prv"
printf '%s\n' "$header" '2:1:1:1:1:20:5:1' '2:1:1:1:1:10:5:2' >"$dir/late.prv"
expect 'times that go back' 0 'late.prv:3: records are not in order of time, here and 0 times more' \
    "$paje" import "$dir/late.prv"
for input in "$paje null $traces/paraver/ring.prv" "$paje profile <$traces/paraver/ring.prv"; do
    expect "another command, for a trace of Paraver: ${input#"$paje "}" 1 \
        '(ring.prv|<stdin>):1:1: error: this is a trace of Paraver: .paje import. makes one of Paj' sh -c "$input"
done
expect 'no trace of these formats' 1 'README.md:1:1: error: this is no trace of Paraver' "$paje" import README.md
: >"$dir/empty"
expect 'an empty file' 1 'empty:1:1: error: this is no trace of Paraver' "$paje" import "$dir/empty"
"$paje" import $traces/tour.trace >"$dir/got"
same 'Paje is printed as it is' $traces/tour.trace "$dir/got"

# OTF2: what otf2-print printed of an archive that its Python binding wrote.
mkdir -p "$dir/bin"
printf '\3BOTF2\0' >"$dir/traces.otf2"
expect 'another command, for an anchor file of OTF2' 1 \
    'traces.otf2:1:1: error: this is a trace of OTF2: .paje import. makes one of Paj' "$paje" profile "$dir/traces.otf2"
# otf2 DEFINITIONS EVENTS STATUS: a program that prints these
otf2() {
    printf '#!/bin/sh\ncase $1 in -G) cat %s ;; *) cat %s ;; esac\nexit %d\n' "$1" "$2" "$3" >"$dir/bin/otf2-print"
    chmod +x "$dir/bin/otf2-print"
}
import_otf2() { env PATH="$PWD/$dir/bin:$PATH" "$paje" import "$dir/traces.otf2"; }
sed '/=== Events/,$d' $golden/otf2-print.txt >"$dir/definitions"
sed -n '/=== Events/,$p' $golden/otf2-print.txt >"$dir/events"
otf2 "$dir/definitions" "$dir/events" 0
import_otf2 >"$dir/got" 2>"$dir/err"
same 'OTF2' $golden/otf2.trace "$dir/got"
check 'OTF2: what is left out is told' grep -q 'left out: MPI_IRECV_REQUEST (1), MPI_ISEND_COMPLETE (1)$' "$dir/err"
expect 'OTF2: a valid trace' 0 ' 0 errors, 0 warnings: valid$' "$paje" validate "$dir/got"
printf '%s\n' 'LEAVE 0 1000000001 Region: "a" <0>' 'ENTER 9 1000000001 Region: "a" <0>' 'ENTER 0 5 Region: "a" <0>' \
    'ENTER 0 1000000001 Region: UNDEFINED' 'METRIC 0 1000000001 Metric: 0' 'MPI_SEND 0 1000000001 Receiver: 1' \
    'MPI_SEND 0 1000000002 Receiver: 1 ("x" <1>), Communicator: "y" <0>, Tag: 1, Length: 2' >"$dir/odd"
otf2 "$dir/definitions" "$dir/odd" 0
expect 'OTF2: bad events' 1 'otf2-print:2:1: error: an event of an unknown location' import_otf2
for text in '^otf2-print:4:20: error: no region' '^otf2-print:5:21: error: no value of a metric' \
    '^otf2-print:6:23: error: no message of which both ends' '1 LEAVE without ENTER' '1 events before the global offset' \
    '1 messages have one end only'; do
    check "OTF2: bad events: $text" grep -q "$text" "$dir/err"
done
# Names with what looks like a number of a definition; values that are none, among others.
sed 's/"Master thread" <8>, Type/"worker <3> of <1>" <8>, Type/' "$dir/definitions" >"$dir/names"
values='("a <1>" <0>; DOUBLE; 2), ("b" <1>; DOUBLE; nan), ("c" <2>; INT64; -3)'
echo "METRIC 0 1000000001 Metric: 0, 3 Values: $values" >"$dir/values"
otf2 "$dir/names" "$dir/values" 0
expect 'OTF2: a value that is no number' 1 '^otf2-print:1:86: error: no value of a metric: .nan.$' import_otf2
import_otf2 2>/dev/null | "$paje" dump | grep -v '^Container, [0p]' | cut -d, -f2,3,7 >"$dir/got"
check 'OTF2: the others count' grep -q '^ worker <3> of <1>, c, -3' "$dir/got"
check 'OTF2: names like numbers' grep -q '^ worker <3> of <1>, a <1>, 2' "$dir/got"
# Regions that are not left in the order in which they were entered, as tasks of OpenMP that EZTrace records.
printf '%s\n' 'ENTER 0 1000000000 Region: "a" <0>' 'ENTER 0 1000000001 Region: "b" <1>' 'ENTER 0 1000000003 Region: "c" <2>' \
    'LEAVE 0 1000000004 Region: "a" <0>' 'LEAVE 0 1000000005 Region: "a" <0>' 'LEAVE 0 1000000008 Region: "c" <2>' \
    'LEAVE 0 1000000016 Region: "b" <1>' 'ENTER 1 1000000016 Region: "d" <3>' >"$dir/crossed"
otf2 "$dir/definitions" "$dir/crossed" 0
expect 'OTF2: a region within others is left' 0 '1 LEAVE of regions that are not the innermost: those within' import_otf2
check 'OTF2: a region is left that was not entered' grep -q 'traces.otf2: 1 LEAVE without ENTER are left out$' "$dir/err"
check 'OTF2: a region that is not left' grep -q 'traces.otf2: 1 ENTER without LEAVE last until the end$' "$dir/err"
import_otf2 2>/dev/null | "$paje" dump -l 9 | grep '^State.*, [abc]$' | cut -d, -f4-8 >"$dir/got"
cat >"$dir/want" <<'END'
 0.000000003, 0.000000004, 0.000000001, 2.000000000, c
 0.000000001, 0.000000004, 0.000000003, 1.000000000, b
 0.000000000, 0.000000004, 0.000000004, 0.000000000, a
 0.000000004, 0.000000008, 0.000000004, 1.000000000, c
 0.000000004, 0.000000016, 0.000000012, 0.000000000, b
END
same 'OTF2: regions last until they are left' "$dir/want" "$dir/got"
# Metrics that count parts or multiples of their unit, or are those of something else than who records them.
{
    cat "$dir/definitions"
    member='Descr.: "" <0>, Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: UINT64'
    printf 'METRIC_MEMBER %s Name: "%s" <12>, %s, Base: %s, Exponent: %s, Unit: "B" <13>\n' 7 milli "$member" DECIMAL -3 \
        8 kibi "$member" BINARY 10 9 far "$member" DECIMAL 400
    printf 'METRIC_INSTANCE %s Class: 7, Recorder: "Master thread" <0>, Scope: %s\n' 21 'LOCATION "Master thread" <1>' \
        22 'LOCATION_GROUP "rank, Scope: 1" <1>' 23 'SYSTEM_TREE_NODE "::machine" <0>' 24 'GROUP "two" <1>' 25 'LOCATION "none" <99>'
} >"$dir/scoped"
for metric in 20 21 22 23 24 25; do
    echo "METRIC 0 1000000001 Metric: $metric, 3 Values: (\"milli\" <7>; UINT64; ${metric}338), (\"kibi\" <8>; DOUBLE; 1.5), (\"far\" <9>; UINT64; 1)"
done >"$dir/values"
otf2 "$dir/scoped" "$dir/values" 0
expect 'OTF2: a value beyond doubles' 1 '^otf2-print:1:120: error: no value of a metric: .1.$' import_otf2
check 'OTF2: a metric of nothing' grep -q '^otf2-print:6:21: error: a metric of an unknown location' "$dir/err"
check 'OTF2: a metric of a group' grep -q 'traces.otf2: 1 METRIC of groups of locations are left out$' "$dir/err"
import_otf2 2>/dev/null | "$paje" csv -d "$dir/scopes" 2>/dev/null
cut -d, -f1,3,8 "$dir/scopes/variables.csv" | LC_ALL=C sort >"$dir/got"
cat >"$dir/want" <<'END'
/host A/Rank 0/Master thread,kibi,1536
/host A/Rank 0/Master thread,milli,20.338
/host A/Rank 1,kibi,1536
/host A/Rank 1,milli,22.338
/host A/Rank 1/Master thread,kibi,1536
/host A/Rank 1/Master thread,milli,21.338
/machine,kibi,1536
/machine,milli,23.338
Container,Type,Value
END
same 'OTF2: metrics in their unit, of their scope' "$dir/want" "$dir/got"
# rate TICKS EVENTS: an archive whose clock has so many ticks in a second
rate() {
    sed "s/Ticks per Seconds: [0-9]*, Global Offset: [0-9]*/Ticks per Seconds: $1, Global Offset: 0/" "$dir/definitions" >"$dir/fast"
    otf2 "$dir/fast" "$2" 0
}
for clock in '19999999999 19999999998 0.999999999' '30000000001 59999999999 1.999999999' \
    '9223372036854775807 9223372036854775806 0.999999999' '9223372036854775807 4611686018427387904 0.500000000'; do
    read -r ticks time seconds <<<"$clock"
    printf 'ENTER 0 %s Region: "a" <0>\n' $time >"$dir/one"
    rate $ticks "$dir/one"
    check "OTF2: $time of $ticks ticks" sh -c "env PATH='$PWD/$dir/bin:$PATH' '$paje' import '$dir/traces.otf2' | grep -q '^19 $seconds '"
done
rate 0 "$dir/events"
expect 'OTF2: a clock rate of 0' 3 'traces.otf2: the archive tells no clock rate' import_otf2
grep -v '^CLOCK' "$dir/definitions" >"$dir/none"
otf2 "$dir/none" "$dir/events" 0
expect 'OTF2: no clock rate' 3 'traces.otf2: the archive tells no clock rate' import_otf2
otf2 "$dir/definitions" "$dir/events" 5
expect 'OTF2: otf2-print fails' 3 'traces.otf2: .otf2-print. failed with status 5' import_otf2
expect 'OTF2: it is not installed' 3 'no program .otf2-print., which reads OTF2: install it \(Debian: otf2-tools\)' \
    env PATH=/nowhere "$paje" import -o "$dir/none.trace" "$dir/traces.otf2"
check 'OTF2: it is not installed: no file is left' test ! -e "$dir/none.trace"
expect 'OTF2: standard input' 3 'an OTF2 archive is a folder: name its anchor file' sh -c "'$paje' import <'$dir/traces.otf2'"

command -v python3 >/dev/null || { skip 'damaged input' 'no python3 (install python3)'; exit $failed; }
python3 tests/tool/lib-import.py "$paje" "$dir/damaged" "${FULL:+700}" || failed=1

exit $failed
