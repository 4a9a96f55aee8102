#!/bin/bash
# paje merge: link keys, comments, late definitions, and files of all sorts.
. "$(dirname "$0")/lib-merge.sh"

# ---- link keys

# own_keys FILE CONTAINER BEGIN COUNT: links within a file, with keys 1, 2, 3, ...
own_keys() {
    { cat $header; printf '%s\n' "${types[@]}"; awk -v c="$2" -v begin="$3" -v count="$4" 'BEGIN {
        printf "6 %.9f %s H 0 %s 0\n", begin, c, c
        for (i = 1; i <= count; i++)
            printf "40 %.9f L 0 %s m %d 1\n41 %.9f L 0 %s m %d x\n", begin + i * 1e-6, c, i, begin + i * 1e-6, c, i
    }'; } >"$dir/$1"
}
own_keys a p0 0 70000
own_keys b p1 10 70000
expect 'own keys, 70000 of each file, one file after the other' 0 'at most 1 links in flight' \
    "$paje" merge --stats -o "$dir/got" "$dir/a" "$dir/b"
check 'none is used twice' "$paje" validate "$dir/got"
check 'the first file keeps its keys, the second one has its number behind them' \
    test "$(grep -c ' Mail [0-9]* ' "$dir/got"),$(grep -c ' Mail [0-9]*\.2 ' "$dir/got")" = 140000,140000
rm -f "$dir/a" "$dir/b" "$dir/got"

rank a '6 0 a H 0 p0 0' '40 1 L 0 a m 1 1' '41 2 L 0 a m 1 x' '40 3 L 0 a m 1.2 1' '41 4 L 0 a m 1.2 x'
rank b '6 0 b H 0 p1 0' '40 5 L 0 b m 1 1' '41 6 L 0 b m 1 x'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'a key that looks as if it had a number behind it' got
lines 'a key that looks as if it had a number behind it stays apart' got '^Link.*p1, p1, 1\.\.2, 1' 1

rank a '6 0 a H 0 p0 0' '40 1 L 0 a m 1 1' '41 2 L 0 a m 1 x'
rank b '6 0 b H 0 p1 0' '40 3 L 0 b m 1 1'
rank c '6 0 c H 0 p2 0' '41 4 L 0 c m 1 x'
merge -o "$dir/got" "$dir/a" "$dir/b" "$dir/c"
valid 'own keys of one file, shared ones of others' got
lines 'shared keys stay as they are' got '^Link.*p1, p2, 1, 1' 1
lines 'own ones get a number' got '^Link.*p0, p0, 1\.1, 1' 1

# Own keys, where the recording of one file began late: it has ends without a start.
own_links() {
    awk -v c=$1 -v first=$2 -v more=$3 'BEGIN { for (i = 1; i <= 100; i++) {
        if (i > 3) print "41 " i + more " L 0 " c " m " i - 3 " x"
        if (i >= first) print "40 " i + more + 0.5 " L 0 " c " m " i " 1"
    } }'
}
mapfile -t whole < <(own_links a 1 0.2)
mapfile -t late < <(own_links b 10 0.1)
rank a '6 0 a H 0 p0 0' "${whole[@]}"
rank b '6 0 b H 0 p1 0' "${late[@]}"
for options in '' --align; do
    # shellcheck disable=SC2086
    merge $options -o "$dir/got" "$dir/a" "$dir/b"
    lines "own keys of a recording that began late $options: links of the other one" got '^Link.*p0, p0, ' 97
    lines "own keys of a recording that began late $options: its own" got '^Link.*p1, p1, ' 88
done

# Keys of pairs, which are free again, in files that have links of their own as well.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m aa 1' '41 2 L 0 a m aa x' '40 2 L 0 a m aa 1' '41 3 L 0 a m aa x' '40 3 L 0 a m ab 1' \
    '40 5 L 0 a m ab 1' '40 7 L 0 a m ab 1'
rank b '6 0 b H 0 p1 0' '40 1 L 0 b m bb 1' '41 2 L 0 b m bb x' '40 2 L 0 b m bb 1' '41 3 L 0 b m bb x' '41 4 L 0 b m ab x' \
    '41 6 L 0 b m ab x' '41 8 L 0 b m ab x'
merge -o "$dir/got" "$dir/a" "$dir/b"
lines 'keys of pairs stay as they are' got '^Link.*p0, p1, ab' 3

# A key that is free again goes to and fro.
rank a '6 0 a H 0 p0 0' '40 1 L 0 a m k 1' '41 4 L 0 a m k x' '40 5 L 0 a m k 1' '41 8 L 0 a m k x'
rank b '6 0 b H 0 p1 0' '41 2 L 0 b m k x' '40 3 L 0 b m k 1' '41 6 L 0 b m k x' '40 7 L 0 b m k 1'
merge -o "$dir/got" "$dir/a" "$dir/b"
lines 'a key that goes to and fro' got '^Link.*(p0, p1|p1, p0), k,' 4

# ---- comments

{ echo '# made by a'; cat $header; printf '%s\n' "${types[@]}" '6 0.5 a H 0 p0 0' '#' '  # blanks' '11 1 S a r one 1' \
    '# dropped 12 events from 1.000000001 to 1.500000002' '12 2 S a done # not a line of its own'; } >"$dir/a"
rank b '6 0.5 b H 0 p1 0' '11 1.2 S b r one 1' '# dropped 7 events from 1.5 to now' '12 1.8 S b done'
printf '# the last line' >>"$dir/b"
merge --offset 1=0.25 -o "$dir/got" "$dir/a" "$dir/b"
grep '^#' "$dir/got" | sorted >"$dir/out"
printf '%s\n' "# $dir/a: made by a" "# $dir/a: blanks" "# $dir/a: dropped 12 events from 1.250000001 to 1.750000002" \
    "# $dir/b: dropped 7 events from 1.5 to now" "# $dir/b: the last line" | sorted >"$dir/expected"
same 'comment lines are kept, with the name of their file; times of a gap are corrected' "$dir/expected" "$dir/out"
check 'a gap has its place in time' test "$(grep -A1 'from 1.25' "$dir/got" | tail -n 1 | cut -d' ' -f2)" = 1.8
valid 'with comments: the result is valid' got
{ cat $header; printf '%s\n' "${types[@]}"; printf '#'; head -c 3000000 /dev/zero | tr '\0' x; echo; } >"$dir/a"
merge -o "$dir/got" "$dir/a"
check 'a long comment is cut' test "$(wc -c <"$dir/got")" -lt 20000
for size in 1 7 100 4095 4096; do
    { cat $header; printf '%s\n' "${types[@]}" '6 0 a H 0 p0 0'; printf '#%*s\n' $size '' | tr ' ' y
        for i in {1..400}; do echo "11 $i S a r one 1"; echo "# $i"; done; } >"$dir/a"
    merge -o "$dir/got" "$dir/a"
    [ "$(grep -c '^# ' "$dir/got")" = 401 ] || echo $size
done >"$dir/out"
same 'comments may lie across what is read at once' /dev/null "$dir/out"

# ---- definitions

rank a '6 0 a H 0 p0 0' '11 1 S a Late x 1' '12 2 S a x'
rank b '6 0 b H 0 p1 0' '11 3 S b r x 1' '5 l S Late "1 0 0"' '12 4 S b x' '11 5 S b l x 1' '12 6 S b x'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'a value that another file defines later: valid' got
lines 'a value that another file defines later: it is one' got '^State.*, Late, x' 2
rank b '6 0 b H 0 p1 0' '11 3 S b r x 1' '1 T H "Other state"' '12 4 S b x'
rank a '6 0 a H 0 p0 0' '11 1 T a idle x 1' '12 2 T a x'
merge -o "$dir/got" "$dir/a" "$dir/b"
valid 'a type that only another file defines, and later: valid' got
lines 'a type that only another file defines, and later: its states are there' got '^State, p0, Other state' 1
check 'all definitions come first' awk '/^[0-9]/ && $2 ~ /^[0-9.]+$/ && $3 ~ /^[0-9.SHT]+$/ && NF > 4 { created = 1 }
    (/^%/ || /Other state/) && created { exit 1 }' "$dir/got"

# ---- files

rank a '6 0 a H 0 p0 0' '11 1 S a r one 1' '12 2 S a done'
rank b '6 0 b H 0 p1 0' '11 1 S b r one 1' '12 2 S b done'
head -c -3 "$dir/b" >"$dir/cut"
expect 'a file that was cut: said' 0 '/cut: the last line has no end: was it cut' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/cut"
head -c -7 "$dir/b" >"$dir/cut"
expect 'a file that was cut, a field lost: said' 1 '/cut: the last line has no end: was it cut' \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/cut"
check 'a file that was cut, a field lost: the line is left out' \
    grep -Eq '/cut:[0-9]+:[0-9]+: error: fewer fields' "$dir/err"
valid 'a file that was cut: its whole lines make a valid trace' got
lines 'a file that was cut: they are there' got '^State, p1' 1
ln "$dir/a" "$dir/link"
expect 'the same file twice' 2 '/link. is the same file as .*/a' "$paje" merge -o "$dir/got" "$dir/a" "$dir/link"
expect 'the same file twice, apart' 0 '!' "$paje" merge --apart -o "$dir/got" "$dir/a" "$dir/link"
valid 'the same file twice, apart: valid' got
merge -o "$dir/expected" "$dir/a" "$dir/b"
merge -o "$dir/got" - <(cat "$dir/b") < <(cat "$dir/a")
same 'pipes' "$dir/expected" "$dir/got"
expect 'a pipe, and no folder for its copy' 3 'a copy of `-` is needed: .*; see TMPDIR' \
    sh -c "cat '$dir/a' | TMPDIR=/nonexistent '$paje' merge -o '$dir/got' -"

# More files than may be open at once.
mkdir "$dir/many"
echo '30 3 E c inside x 1' >"$dir/many/part"
for i in {100..399}; do
    rank many/$i "6 0 c H 0 rank$i 0" "40 1 L 0 c m $i:$(((i - 99) % 300 + 100)) 1" \
        "41 2 L 0 c m $(((i + 199) % 300 + 100)):$i x" '50 c H part'
done
few='ulimit -n 64; exec "$@"'
check 'three hundred files, 64 descriptors' bash -c "$few" - "$paje" merge --align -o "$dir/got" "$dir"/many/[0-9]*
valid 'three hundred files, 64 descriptors: valid' got
lines 'three hundred files, 64 descriptors: all links' got '^Link' 300
lines 'three hundred files, 64 descriptors: what they include' got '^Event.*inside' 300
rm "$dir/many/"[0-9]*
for i in {10..69}; do
    rank many/$i "6 0 c H 0 rank$i 0" "30 $i E c x x 1"
done
if gzip "$dir/many/"[0-9]* 2>/dev/null; then
    check 'sixty compressed files, and as many descriptors that may be more' \
        bash -c 'ulimit -S -n 60; exec "$@"' - "$paje" merge -o "$dir/got" "$dir"/many/[0-9]*
    lines 'sixty compressed files, and as many descriptors that may be more: all events' got '^Event' 60
    check 'twenty-five compressed files, 64 descriptors' \
        bash -c "$few" - "$paje" merge -o "$dir/got" "$dir"/many/{[12]?,3[0-4]}.gz
else
    skip 'sixty compressed files' 'no gzip (install gzip)'
fi
rm -rf "${dir:?}/many"

# ---- many of a kind

# repeated FILE COUNT FORMAT...: each line made COUNT times, with 1, 2, 3, ... in it
repeated() {
    local file=$1 count=$2 line
    shift 2
    rank "$file"
    for line; do
        awk -v count="$count" -v line="$line\n" 'BEGIN { for (i = 1; i <= count; i++) printf line, i }'
    done >>"$dir/$file"
}
repeated a 20000 '1 S%d H Same'
repeated b 20000 '6 0 a%d H 0 p 0'
repeated c 20000 '40 %d L 0 0 m k 1'
repeated d 20000 '41 2%06d L 0 0 m k 1'
sed -i 's/^4 L 0 H H/4 L 0 0 0/' "$dir"/{a,b,c,d}
check 'many types, containers and links of the same name take no more time each' \
    timeout 20 "$paje" merge -o "$dir/got" "$dir/a" "$dir/b" "$dir/c" "$dir/d"
check 'and none is lost' test "$(grep -c ' Same$' "$dir/got") $(grep -c ' H 0 p 0$' "$dir/got") $(
    grep -c ' Mail k ' "$dir/got")" = '20000 20000 40000'
rm -f "$dir"/{a,b,c,d,got}

# Many pairs of container and type, in a file that has to be sorted.
rank a
for i in {1..40}; do
    printf '%s\n' "6 0 a$i H 0 p 0" "1 S$i H Same"
done >>"$dir/a"
for i in {1..40}; do
    for k in {1..40}; do
        printf '%s\n' "11 $((i + k)) S$k a$i busy x 1" "12 $((i + k + 1)) S$k a$i x"
    done
done >>"$dir/a"
printf '%s\n' '11 90 S40 a40 late x 1' '11 85 S40 a40 back x 1' '12 91 S40 a40 x' '12 91 S40 a40 x' >>"$dir/a"
expect 'many pairs, sorted' 0 '!' "$paje" merge -o "$dir/got" "$dir/a"
lines 'many pairs, sorted: all states' got '^State, p, Same' 1602

# Containers within each other, deeper than a stack could hold.
deep() {
    cat $header
    awk 'BEGIN {
        for (i = 1; i <= 20000; i++) print "0 T" i " " (i > 1 ? "T" i - 1 : 0) " T"
        for (i = 1; i <= 20000; i++) print "6 0 c" i " T" i " " (i > 1 ? "c" i - 1 : 0) " c 1"
        print "7 1 T1 c1"
    }'
}
deep >"$dir/a"
deep >"$dir/b"
expect 'a deep tree, and a stack of 256 KB' 0 '!' bash -c 'ulimit -s 256; exec "$@"' - \
    "$paje" merge -o "$dir/got" "$dir/a" "$dir/b"
number=$(sed -n 's/^%EventDef PajeDestroyContainer //p' "$dir/got")
check 'a deep tree: it is destroyed once' test "$(grep -c "^$number 1 " "$dir/got")" = 1
rm -f "$dir"/{a,b,got}

# ---- inputs that are empty

: >"$dir/empty"
cp tests/traces/tour.trace "$dir/got"
expect 'nothing is merged, where the name of the output was forgotten' 3 'got. stays as it is' \
    "$paje" merge -o "$dir/got" </dev/null
same 'and the file is as it was' tests/traces/tour.trace "$dir/got"
expect 'an empty input is told' 0 'empty: it is empty' "$paje" merge -o "$dir/got" tests/traces/tour.trace "$dir/empty"
check 'and the other one is merged' "$paje" equals tests/traces/tour.trace "$dir/got"
expect 'empty inputs, into a new file' 0 'empty: it is empty' "$paje" merge -o "$dir/new" "$dir/empty"
rm -f "$dir"/{empty,got,new}

# ---- names of all sorts

if command -v python3 >/dev/null; then
    check 'whatever names there are, the merged trace has the same' python3 tests/tool/lib-merge.py "$paje" "$dir" 150
else
    skip 'whatever names there are, the merged trace has the same' 'no python3 (install python3)'
fi

expect 'an input without end that is no trace' 1 '/dev/zero:1:1: error: ' \
    timeout 20 "$paje" merge -o "$dir/got" /dev/zero tests/traces/tour.trace

exit $failed
