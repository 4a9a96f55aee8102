#!/bin/bash
# paje svg: well-formed for any trace, and shows what `paje dump` prints.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

header=tests/tool/header.trace
trace=$dir/whole.trace
cat $header tests/tool/body.trace >"$trace"

# ---- options

expect 'a picture' 0 '^<svg ' "$paje" svg "$trace"
expect 'not a unit' 2 'no unit: s, ms, us or ns' "$paje" svg --unit min "$trace"
expect 'not a width' 2 'must be a width' "$paje" svg --width 10 "$trace"
expect 'not a height' 2 'must be a height' "$paje" svg --height 1e9 "$trace"
expect 'not a time' 2 'no number' "$paje" svg -s soon "$trace"
expect 'an end before the start' 2 'the end, -e, is before the start, -s' "$paje" svg -s 3 -e 2 "$trace"
expect 'an empty range' 2 'the end, -e, is not after the start, -s' "$paje" svg -s 2 -e 2 "$trace"
expect 'unknown colours' 2 'must be trace or own' "$paje" svg --colors mine "$trace"
expect '--unit' 0 'time \[ms\]' "$paje" svg --unit ms "$trace"
expect '--width' 0 '<svg .*width="700"' "$paje" svg --width 700 "$trace"
expect 'colours of the trace' 0 'fill="#00ff00"' "$paje" svg "$trace"
expect '--type' 0 'Thread state' "$paje" svg --type S "$trace"
check '--type: nothing else' sh -c "! grep -Eq 'Power|Alarm|Mail' '$dir/out'"
expect '--container, with those that it is in' 0 '>Host one / Thread one<' "$paje" svg --container t1 "$trace"
check '--container: no other one' sh -c "! grep -Eq '>(Host one|[^<]*t2)<' '$dir/out'"
expect '--container: links to others are told' 0 'Left out: links with an end on a container that is not drawn [(]1[)]' \
    "$paje" svg --container t1 "$trace"
{
    cat "$header"
    printf '0 H 0 Host\n4 M 0 H H Mail\n6 0 a H 0 early 1\n6 0 b H 0 late 1\n'
    printf '40 1 M 0 a v k 1\n7 2 H a\n41 5 M 0 b v k t\n7 6 H b\n'
} >"$dir/outer.trace"
expect 'a link with neither end drawn is told' 0 'Left out: links with an end on a container that is not drawn [(]1[)]' \
    "$paje" svg -s 3 --container early "$dir/outer.trace"
expect '--container with a glob' 0 '>Host one / Thread one<' "$paje" svg --container 'Thread*' --container none "$trace"
expect '--container that matches nothing' 0 'no container matches --container none' "$paje" svg --container none "$trace"
"$paje" svg --colors own "$trace" >"$dir/own.svg"
check '--colors own' sh -c "grep -q Running '$dir/own.svg' && ! grep -q '#00ff00' '$dir/own.svg'"
# many TYPES EVENTS: each event sets another state, of one type or, if there are as many, of its own
many() {
    cat "$header"
    printf '%s\n' '0 T 0 Thread' '6 0 t T 0 t 0'
    awk -v types="$1" -v events="$2" 'BEGIN {
        for (i = 1; i <= types; i++) print "1 S" i " T S" i
        for (i = 1; i <= events; i++) print "10 " i " S" (types > 1 ? i : 1) " t v" i " x"
        print "7 200 T t"
    }'
}
many 1 24 >"$dir/many.trace"
"$paje" svg "$dir/many.trace" >"$dir/got"
for color in 5374c6 add279 df9fd7 39ac99; do # as Python has them of these hues, in colorsys.hls_to_rgb()
    check "more colours than are listed: #$color" grep -q "fill=\"#$color\"" "$dir/got"
done
for events in 127 128 130; do
    many 130 $events >"$dir/many.trace"
    "$paje" svg "$dir/many.trace" >"$dir/many-$events.svg"
done
same 'states of types beyond those that are drawn are not taken for others' "$dir/many-128.svg" "$dir/many-130.svg"
check 'the last type that is drawn is' sh -c "! cmp -s '$dir/many-127.svg' '$dir/many-128.svg'"
"$paje" svg "$trace" >"$dir/expected"
cat "$trace" | "$paje" svg - >"$dir/got"
same 'from a pipe: the same picture' "$dir/expected" "$dir/got"
check 'a link is an arrow' grep -q '<path d="M[^"]*L[^"]*" stroke="#0000ff" marker-end="url(#head-0000ff)"' "$dir/got"
check 'an event is a mark with a tooltip' grep -q '<title>Alarm: out of paper, 1.8 s; Payload: page 3, Size: 12</title>' "$dir/got"

check 'a tooltip of a link has its user fields' \
    grep -q '<title>Message: Mail, 1.875 s to 3.5 s: 1.625 s; Size: 640, Tag: tagged</title>' "$dir/got"
{
    cat tests/tool/header.trace
    printf '%s\n' '%EventDef PajeSetState 15' '% Time date' '% Type string' '% Container string' '% Value string' '%EndEventDef' \
        '0 T 0 Thread' '1 S T State' '1 P T Phase' '6 0 t T 0 t 1' '15 0 P t plain' '15 150 P t other'
    awk 'BEGIN {
        for (i = 0; i < 30000; i++) print "11 " i / 100 " S t a note-" i "-of-a-state-that-is-too-short-to-be-seen-when-there-are-as-many-as-here x\n12 " (i + .5) / 100 " S t x"
        print "11 301 S t b last-note x\n12 310 S t x"
    }'
} >"$dir/notes.trace"
"$paje" svg --width 300 --height 60 "$dir/notes.trace" >"$dir/notes.svg"
check 'a tooltip has user fields, after more of them than there is room for' grep -q '<title>.*last-note' "$dir/notes.svg"
check 'a tooltip of a state that has none is without' grep -q '<title>Phase: plain, [^;]*</title>' "$dir/notes.svg"
check 'the tooltip of a row has the full path' grep -q '<g><title>Host one / Thread one: Thread state</title>' "$dir/got"

{
    cat $header
    printf '%s\n' '0 H 0 Host' '1 A H A' '1 B H B' '1 C H C' '6 0 h H 0 h 1' '10 1 A h a 1' '10 5 C h c 1' \
        '10 5.5 B h b 1' '10 6 A h a2 1' '10 9 C h c2 1' '7 10 H h'
} >"$dir/order.trace"
"$paje" svg "$dir/order.trace" | grep -o '<g><title>[^<]*' >"$dir/rows"
"$paje" svg -s 5.2 -e 5.8 "$dir/order.trace" | grep -o '<g><title>[^<]*' >"$dir/rows-of-window"
same 'rows of a window are in the order in which types are defined' "$dir/rows" "$dir/rows-of-window"

# ---- files

expect '-o: a file' 0 '!' "$paje" svg -o "$dir/own.svg" "$trace"
same '-o: the same picture' "$dir/expected" "$dir/own.svg"
(cd "$dir" && "$paje" svg -o - "$OLDPWD/$trace" && ls -d ./-) >"$dir/own.svg" 2>/dev/null
same '-o -: standard output, no file' "$dir/expected" "$dir/own.svg"
cp "$trace" "$dir/t.trace"
expect '-o: not the trace' 2 't.trace. is to be read and written' "$paje" svg -o "$dir/t.trace" "$dir/t.trace"
same 'and it is as it was' "$trace" "$dir/t.trace"
expect '-o: not a trace, where the name of the picture was forgotten' 2 't.trace. is a trace, and stays as it is' \
    "$paje" svg -o "$dir/t.trace" </dev/null
same 'and that is as it was' "$trace" "$dir/t.trace"
expect '-o x.pdf without a converter' 3 'rsvg-convert: No such file or directory; it makes PDF and PNG .install librsvg2' \
    env PATH=/nowhere "$paje" svg -o "$dir/x.pdf" "$trace"
expect '-o x.PNG is a picture of the same kind as x.png' 3 'it makes PDF and PNG' \
    env PATH=/nowhere "$paje" svg -o "$dir/x.PNG" "$trace"
check 'and no file' test -z "$(ls "$dir"/x.pdf* 2>&1 | grep -v 'No such')"
mkdir -p "$dir/bin"
printf '#!/bin/sh\nexit 7\n' >"$dir/bin/rsvg-convert"
chmod +x "$dir/bin/rsvg-convert"
expect '-o x.pdf: the converter fails' 3 'x.pdf: rsvg-convert failed, with status 7' env PATH="$PWD/$dir/bin:$PATH" \
    "$paje" svg -o "$dir/x.pdf" "$trace"
check 'and no file, either' test -z "$(ls "$dir"/x.pdf* 2>&1 | grep -v 'No such')"
printf '#!/bin/sh\ncat >/dev/null\n' >"$dir/bin/rsvg-convert"
expect '-o x.pdf: the converter writes nothing' 3 'x.pdf: rsvg-convert has written nothing' env PATH="$PWD/$dir/bin:$PATH" \
    "$paje" svg -o "$dir/x.pdf" "$trace"
check 'and there is no file' test -z "$(ls "$dir"/x.pdf* 2>&1 | grep -v 'No such')"
printf '#!/bin/sh\necho "$@"\ncat\n' >"$dir/bin/rsvg-convert"
odd="$dir/a \$(touch x);.png"
expect '-o: a name that a shell would take apart' 0 '!' env PATH="$PWD/$dir/bin:$PATH" "$paje" svg -o "$odd" "$trace"
{ echo --format png --unlimited --zoom=2; cat "$dir/expected"; } >"$dir/got"
same 'what the converter is given, and writes' "$dir/got" "$odd"
if command -v rsvg-convert >/dev/null; then
    expect '-o x.pdf' 0 '!' "$paje" svg -o "$dir/x.pdf" "$trace"
    check 'it is a PDF' sh -c "head -c 5 '$dir/x.pdf' | grep -q %PDF-"
    expect 'platform -o x.png' 0 '!' "$paje" platform -o "$dir/x.png" $traces/emitters/platform.trace
    check 'it is a PNG' sh -c "head -c 4 '$dir/x.png' | grep -aq PNG"
else
    skip '-o x.pdf' 'no rsvg-convert (install librsvg2-bin)'
fi

# ---- well-formed

{
    cat $header
    echo '0 H 0 Host'
} >"$dir/types.trace"
: >"$dir/empty.trace"
head -c 9000 $traces/stencil.trace >"$dir/cut.trace"
hostile_trace >"$dir/hostile.trace"
{ # times near the limits of a double
    cat $header
    printf '%s\n' '0 H 0 Host' '1 S H State' '3 P H Power 1' '6 -1e308 h H 0 h 1' '10 -1e308 S h a 1' \
        '10 1e308 S h b 1' '20 1e308 P h 1e308' '10 nan S h c 1' '10 1e999 S h d 1'
} >"$dir/far.trace"
{ # a day in nanoseconds since 1970
    cat $header
    printf '%s\n' '0 H 0 Host' '1 S H State' '6 1700000000 h H 0 h 1' '10 1700000000.0000001 S h a 1' \
        '10 1700000000.0000005 S h b 1' '7 1700000000.000001 H h'
} >"$dir/epoch.trace"
for command in svg 'slices -o -'; do
    # shellcheck disable=SC2086
    check "$command: the time from which labels count has room" test "$("$paje" $command "$dir/epoch.trace" |
        grep -o '<text [^>]*>time [^<]* from 1700000000 s' | sed 's/<text x="//; s/".*//')" -ge 130
done
{ # microseconds since 1970, from a whole second on
    cat $header
    printf '%s\n' '0 H 0 Host' '1 S H State' '6 1764500000000000 h H 0 h 1' '10 1764500000000000 S h a 1' '7 1764500000060000 H h'
} >"$dir/second.trace"
check 'labels count from the second that the trace begins with' sh -c "
    '$paje' svg --unit us '$dir/second.trace' | grep -q 'time .ms. from 1764500000 s<'"
awk 'BEGIN { # 3000 levels of containers, types and values
    for (i = 1; i <= 3000; i++) {
        parent = i > 1 ? "c" i - 1 : "0"; above = i > 1 ? "H" i - 1 : "0"
        print "0 H" i " " above " H" i "\n1 S" i " H" i " S" i "\n6 0 c" i " H" i " " parent " c" i " 1"
        print "11 " i " S" i " c" i " value" i " a 1\n12 " i + 5 " S" i " c" i " b"
    }
}' | cat $header - >"$dir/deep.trace"
corpus
whole=("$dir"/{whole,types,empty,cut,hostile,far,epoch,deep}.trace $traces/*.trace "${corpus[@]}")
if ! command -v xmllint >/dev/null; then
    skip 'well-formed' 'no xmllint (install libxml2-utils)'
else
    for one in "${whole[@]}"; do
        "$paje" svg "$one" >"$dir/picture.svg" 2>/dev/null
        check "well-formed: ${one#"${one%/*/*}/"}" xmllint --noout "$dir/picture.svg"
        check "finite: ${one#"${one%/*/*}/"}" sh -c "! grep -Eqi '\"[^\"]*\b(nan|inf)\b' '$dir/picture.svg'"
    done
fi
"$paje" svg "$dir/epoch.trace" >"$dir/out"
check 'times far from 0 are relative to a base' grep -q 'time \[ns\] from 1700000000 s' "$dir/out"
"$paje" svg "$dir/hostile.trace" >"$dir/out" 2>/dev/null
check 'a hostile name is text' grep -q '&#60;/script&#62;&#60;script&#62;' "$dir/out"
check 'and no element' sh -c "! grep -q '<script' '$dir/out'"

# ---- labels

# Names are beside the labels of rows, whole if both fit; also below an unnamed root.
make -s build/bench/generate || exit 3
build/bench/generate -b 20000 -c 4 >"$dir/four.trace"
{
    cat $header
    printf '%s\n' '0 H 0 Host' '0 D 0 Disk' '2 E 0 Event' '3 P H Power 1' '3 Q H "Power that was used" 1' \
        '3 R D Power 1' '30 1 E 0 it x 1'
    for i in $(seq 40); do
        printf '%s\n' "6 0 h$i H 0 Host$i 1" "20 1 P h$i 1" "20 2 Q h$i 1"
    done
    printf '%s\n' '6 0 d D 0 disk 1' '20 3 R d 1'
} >"$dir/labels.trace"
"$paje" svg "$dir/four.trace" >"$dir/out"
check 'names are whole: low rows' test "$(grep -Ec '>Thread 0\.[0-3]<' "$dir/out")" = 4
"$paje" svg "$dir/labels.trace" >"$dir/out" 2>"$dir/err"
check 'names are whole: many rows' sh -c "grep -q '>Host1<' '$dir/out' && grep -q '>Host40<' '$dir/out'"
"$paje" svg --container h7 --container h8 "$dir/labels.trace" >"$dir/out" 2>"$dir/err"
check 'names are whole: beside long labels' \
    test "$(grep -Ec '>(Host7|Host8|Power|Power that was used)<' "$dir/out")" = 8
"$paje" svg "$dir/labels.trace" >"$dir/out" 2>"$dir/err"
check 'types of one name are distinct' test "$(grep -Ec '>Power \((Host|Disk)\)<' "$dir/out")" = 2

{
    cat $header
    printf '%s\n' '0 H 0 Host' '3 P H Power 1' '6 0 h H 0 h 1' '20 1 P h 5e6' '20 2 P h -1e-10' '20 3 P h 5e6' '7 4 H h'
} >"$dir/noise.trace"
expect 'rounding errors are no bounds' 0 '>from 0 to 5e\+06<' "$paje" svg "$dir/noise.trace"

# ---- what it shows

# The receiver's clock is late, so that the link's end is read first, and its start is the latest time of all.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 Process' '4 L 0 P P Message' '6 0 a P 0 A 0' '6 0 b P 0 B 0' '41 3 L 0 b v k t' '40 4 L 0 a v k 1'
} >"$dir/backward.trace"
expect 'a link that ends before it starts' 0 'Message: v, 4 s to 3 s: -1 s' "$paje" svg "$dir/backward.trace"
expect 'html: a link that ends before it starts' 0 '^"links":\[\[1,2,2,1,4,3,1,' "$paje" html "$dir/backward.trace"

if ! command -v python3 >/dev/null; then
    skip 'what it shows' 'no python3 (install python3)'
    exit $failed
fi

# shows CHECK NAME TRACE OPTIONS...
shows() {
    local kind=$1 name=$2 one=$3 first last
    shift 3
    "$paje" svg "$@" "$one" >"$dir/picture.svg" 2>/dev/null
    "$paje" dump -l 9 "$one" >"$dir/dump" 2>/dev/null
    first=$("$paje" null "$one" 2>/dev/null | awk '/^first time/ { print $3 }')
    last=$("$paje" null "$one" 2>/dev/null | awk '/^last time/ { print $3 }')
    while [ $# -gt 0 ]; do
        case $1 in
        -s) first=$2 ;;
        -e) last=$2 ;;
        esac
        shift
    done
    check "$name" python3 tests/tool/lib-svg.py "$kind" "$dir/picture.svg" "$dir/dump" "$first" "$last"
}

shows wide 'states are at their times' "$trace"
shows wide 'states are at their times: a window' "$trace" -s 1.25 -e 4.375
shows wide 'states are at their times: tour' $traces/tour.trace
shows wide 'states are at their times: stencil' $traces/stencil.trace
for one in "${corpus[@]}"; do
    case ${one##*/} in # where all states are narrow in the whole
    CXL1_0.trace) window='-e 2' ;;
    replay_output_shurakai_extract.trace) window='-s 29.537' ;;
    *) window='' ;;
    esac
    # shellcheck disable=SC2086
    ! "$paje" dump "$one" 2>/dev/null | grep -q ^State ||
        shows wide "states are at their times: ${one#"$CORPUS/"}" "$one" $window
done

# Names, also where rows are low: each row has its own up to a height of 2000, then neighbours share one.
for one in $traces/emitters/*.trace; do
    name=$(basename "$one" .trace)
    shows names "each row has its name: $name" "$one"
    shows names "each row has its name, in little room: $name" "$one" --height 100 --width 500
done
for number in 7 70 180 600; do
    {
        cat $header
        printf '%s\n' '0 H 0 Host' '1 S H State' '0 T H Thread' '1 U T Work'
        for i in $(seq $number); do
            printf '%s\n' "6 0 h$i H 0 Host$i 1" "10 1 S h$i a 1" "6 0 t$i T h$i t$i 1" "10 1.5 U t$i b 1" "7 9 H h$i"
        done
    } >"$dir/hosts.trace"
    shows names "each row has its name: $number hosts" "$dir/hosts.trace"
    shows names "each row has its name: $number hosts, in little room" "$dir/hosts.trace" --height 300
done
"$paje" svg $traces/emitters/cluster.trace | sed -n 's/.*font-weight="bold">\(node[0-9]\)<.*/\1/p' >"$dir/got"
printf '%s\n' node0 node1 node2 >"$dir/expected"
same 'the name of a group has a line of its own' "$dir/expected" "$dir/got"
"$paje" svg $traces/emitters/eztrace.trace | sed -n 's/.*font-weight="bold">\(P#[0-9]*\)<.*/\1/p' >"$dir/got"
printf 'P#%d\n' $(seq 0 11) >"$dir/expected"
same 'containers come in the order of their numbers' "$dir/expected" "$dir/got"
{
    cat $header
    printf '%s\n' '0 T 0 Thread' '1 S T State'
    for name in n2-t1 n1-t10 n1-t9 n10-t3 n1-t2 n2-t0; do printf '%s\n' "6 0 $name T 0 $name 1" "10 1 S $name a 1"; done
} >"$dir/numbers.trace"
"$paje" svg "$dir/numbers.trace" | sed -n 's/^<g><title>\(n[^:]*\):.*/\1/p' >"$dir/got"
printf '%s\n' n1-t2 n1-t9 n1-t10 n2-t0 n2-t1 n10-t3 >"$dir/expected"
same 'in the order of several numbers' "$dir/expected" "$dir/got"
"$paje" svg "$dir/numbers.trace" >"$dir/expected"
"$paje" svg --order numbers "$dir/numbers.trace" >"$dir/got"
same '--order numbers: as without' "$dir/expected" "$dir/got"
"$paje" svg --order trace $traces/emitters/eztrace.trace | sed -n 's/.*font-weight="bold">\(P#[0-9]*\)<.*/\1/p' >"$dir/got"
printf 'P#%d\n' 0 10 11 1 2 3 4 5 6 7 8 9 >"$dir/expected"
same '--order trace: as they were created' "$dir/expected" "$dir/got"
expect 'not an order' 2 'must be numbers or trace' "$paje" svg --order size "$trace"
expect '--title' 0 'font-weight="bold">A &#60;run&#62;</text>' "$paje" svg --title 'A <run>' "$trace"
# In low rows, the greatest number is darkest: also where the mean of a pixel, of many short segments, is rounded up.
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '3 V H Power ""'; awk 'BEGIN {
    for (i = 0; i < 60; i++)
        printf "6 0 c%d H 0 c%d 0\n20 0 V c%d 0\n", i, i, i
    for (t = 1000; t < 1000000; t += 370)
        for (i = 0; i < 60; i++)
            printf "20 %.3f V c%d %s\n", (t + (t / 10 * 7919 + i * 104729) % 300) / 1000, i, int(t / 13000) % 2 ? "0.1" : "0"
    }'; } >"$dir/shades.trace"
"$paje" svg --height 300 "$dir/shades.trace" 2>"$dir/err" | grep '^<path fill-opacity="1"' | grep -o 'M[0-9.]* [0-9]*H[0-9.]*' |
    tr 'MH' '  ' | awk '$3 - $1 > 3 { n[$2]++ } END { for (y in n) print n[y] }' >"$dir/got"
check 'low rows of a variable: the greatest number is there, each time' [ "$(sort "$dir/got" | uniq -c | xargs)" = '60 38' ]
expect 'a constant variable is its value' 0 '>power = 9.1095e\+07<' "$paje" svg $traces/emitters/hosts.trace
check 'and is not in the legend' sh -c "! grep -q '>power<' '$dir/out'"
{
    cat $header
    printf '%s\n' '0 H 0 Machine' '1 S H State' '6 0 h H 0 h 1'
    for i in $(seq 5000); do
        printf '%s\n' "5 j$i S job$i \"0.$((i % 10)) 0.5 0\"" "10 $i S h j$i 1"
    done
    printf '%s\n' '5 last S last "0 0.2 1"' '10 5001 S h last 1' '7 9000 H h'
} >"$dir/jobs.trace"
expect 'thousands of values keep their colours' 0 '<rect .*fill="#0033ff".*<title>State: last' "$paje" svg "$dir/jobs.trace"
check 'the heaviest is in the legend' grep -q '>last</text>' "$dir/out"
check 'and the others are counted' grep -q '>and 4953 of less time<' "$dir/out"
expect 'states of one colour: a note says what to do' 0 'Some states have the same colour in the trace; --colors own' \
    "$paje" svg $traces/emitters/starpu.trace
check 'then they differ' sh -c "! '$paje' svg --colors own $traces/emitters/starpu.trace 2>&1 | grep -q 'same colour'"
{ # values that are drawn have one colour in the type A, and their own in B; others of A have another one
    cat "$header"
    printf '%s\n' '0 T 0 Thread' '1 A T A' '1 B T B' '6 0 t T 0 t 0' '5 a A a "1 0 0"' '5 b A b "1 0 0"' '5 z A z "1 1 0"' \
        '5 c B c "0 1 0"' '5 d B d "0 0 1"' '10 0 A t a 1' '10 1 A t b 1' '10 2 A t a 1' '10 0 B t c 1' '10 1 B t d 1' '7 3 T t'
} >"$dir/alike.trace"
"$paje" svg "$dir/alike.trace" >"$dir/got"
check 'values of one colour in all that is drawn of a type get others' sh -c "! grep -q '#ff0000' '$dir/got'"
check 'those of another type keep theirs' sh -c "grep -q '#00ff00' '$dir/got' && grep -q '#0000ff' '$dir/got'"
expect 'a pale state has an outline' 0 'fill="#f2f2f2" stroke="#999" stroke-width=".5"' "$paje" svg $traces/emitters/cluster.trace
check 'what is narrower than 4 pixels has no border' sh -c "'$paje' svg --width 300 $traces/emitters/batsim.trace |
    sed -n 's/.*<rect.*width=\"\([0-9.]*\)\" height=\"[0-9.]*\" fill=\"[^\"]*\" stroke=.*/\1/p' | awk '\$1 < 4 { exit 1 }'"
expect 'a name of a state is cut to the room that is free' 0 '>MPI_B[A-Za-z]*…</text>' "$paje" svg $traces/emitters/eztrace.trace
expect 'legends are capped, with a count' 0 '>and [0-9]* of less time<' "$paje" svg $traces/emitters/batsim.trace
opacity() { "$paje" svg "$1" | sed -n 's/.*stroke-width="[0-9.]*" stroke-opacity="\([0-9.]*\)">$/\1/p'; }
build/bench/generate -b 200000 -c 16 >"$dir/dense.trace"
check 'dense links are fainter' sh -c "awk 'BEGIN { exit !($(opacity "$dir/dense.trace") < \
    $(opacity $traces/tour.trace)) }'"
{ cat tests/tool/header.trace; printf '0 H 0 Host\n6 0 h H 0 h 0\n6 0 i H 0 i 0\n'; } >"$dir/two.trace"
expect 'two containers in which nothing happens' 0 'nothing happens in it; .paje platform.' "$paje" svg "$dir/two.trace"
check 'of what filters choose nothing is said' sh -c "'$paje' svg --type NONE $traces/stencil.trace 2>&1 |
    grep -v '^<' | grep -c 'othing' | grep -qx 1"
expect 'lines of a network are no messages' 0 'lines of the network, which paje platform draws \(15\)' "$paje" svg \
    $traces/emitters/platform.trace
check 'and are not drawn' sh -c "! grep -q stroke-opacity=.0 '$dir/out'"

# random CONTAINERS STATES LENGTH DEPTH: containers with random states, one after the other, nested to a depth
random() {
    cat $header
    printf '%s\n' '0 H 0 Host' '1 S H State' '5 a S a "1 0 0"' '5 b S b "0 1 0"' '5 c S c "0 0 1"' '5 d S d "1 1 0"'
    awk -v containers="$1" -v states="$2" -v length_="$3" -v most="$4" '
        function chance() { return (seed = (seed * 16807) % 2147483647) / 2147483647 }
        function value() { return substr("abcd", 1 + int(4 * chance()), 1) }
        BEGIN {
            seed = 7
            for (i = 0; i < containers; i++)
                print "6 0 c" i " H 0 c" i " 1"
            for (i = 0; i < containers; i++) {
                t = depth = 0
                for (n = 0; n < states; n++) {
                    t += length_ * chance()
                    if (depth < most && (depth == 0 || chance() < 0.5)) {
                        printf "11 %.6f S c%d %s x 1\n", t, i, value()
                        depth++
                    } else {
                        printf "12 %.6f S c%d x\n", t, i
                        depth--
                    }
                }
                for (; depth; depth--)
                    printf "12 %.6f S c%d x\n", t, i
            }
        }'
}
random 3 4000 1 1 >"$dir/narrow.trace"
shows shares 'narrow states: heights are shares of the time' "$dir/narrow.trace"
shows shares 'narrow states: a window' "$dir/narrow.trace" -s 300 -e 1700
random 1 60000 1 1 >"$dir/binned.trace"
shows total 'more states than are kept: their times are right' "$dir/binned.trace" --width 300 --height 60
check 'a note says so' grep -q 'is summed up in bins' "$dir/picture.svg"
random 600 60 2 3 >"$dir/apart.trace" # container by container; here in the order of time
{
    grep -v '^1[12] ' "$dir/apart.trace"
    grep '^1[12] ' "$dir/apart.trace" | sort -s -g -k2,2
} >"$dir/many.trace"
shows thin 'more containers than rows, one after the other: the dominant state' "$dir/apart.trace" --height 300
shows thin 'more containers than rows: the dominant state' "$dir/many.trace" --height 300
check 'a note says so: containers' grep -q '600 containers: up to [0-9]* of them share a row' "$dir/picture.svg"
check 'a note says so: colours' grep -q 'colour of the innermost state that takes most' "$dir/picture.svg"
# A row of containers that come and go, one at a time, shows the state of the one that is there.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 J 0 Job' '1 S J State' '5 v S run "1 0 0"'
    for ((i = 0; i < 1000; i++)); do printf '6 %d j%d J 0 job%d x\n11 %d S j%d v x 1\n7 %d J j%d\n' $i $i $i $i $i $((i + 1)) $i; done
} >"$dir/jobs.trace"
for case in whole: range:'-s 200 -e 700'; do
    "$paje" svg --height 300 ${case#*:} "$dir/jobs.trace" >"$dir/jobs.svg" 2>"$dir/err"
    grep -o 'stroke="#ff0000" d="M[0-9]* [0-9.]*h[0-9]*"' "$dir/jobs.svg" | sed 's/.*d="M\([0-9]*\) [0-9.]*h\([0-9]*\)".*/\1 \2/' |
        sort -n | awk '$1 > end + 1 { gaps++ } { end = $1 + $2; lines++ } NR == 1 { first = $1; gaps = 0 }
            END { print (lines > 20), gaps, (end - first > 800) }' >"$dir/got"
    check "containers that come and go: ${case%%:*}" test "$(cat "$dir/got")" = '1 0 1'
done

# A name of 600 bytes is cut at 200, between characters.
long=$(printf 'é%.0s' {1..300})
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' "1 S T $long" '6 0 a T 0 a x' '11 1 S a w x 1' '12 2 S a x'
} >"$dir/long.trace"
"$paje" svg -o "$dir/long.svg" "$dir/long.trace"
cut=$(printf 'é%.0s' {1..98})
check 'a long name' bash -c "grep -qF '$cut...' '$dir/long.svg' && ! grep -qF '${cut}é' '$dir/long.svg'"

if [ -w /dev/full ]; then
    expect 'a full disk' 3 'standard output: No space left' sh -c "'$paje' svg '$trace' >/dev/full"
fi

exit $failed
