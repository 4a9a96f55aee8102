#!/bin/bash
# paje perfetto: the wire format of protocol buffers, the fields of Perfetto's public .proto files, and in it the entities
# of the tables of `paje csv`, which tests/tool/csv.sh holds equal to the dump.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
hostile_trace >"$dir/hostile.trace"
[ ! -w /dev/full ] || expect 'a full disk' 3 'paje: standard output: No space' \
    sh -c "'$paje' perfetto '$dir/whole.trace' >/dev/full"
"$paje" perfetto "$dir/whole.trace" >"$dir/expected"
"$paje" perfetto <"$dir/whole.trace" | sed 's/<stdin>/whole.trace/' | wc -c >"$dir/got"
check 'from a pipe: as many bytes, but for the name of the file' test "$(cat "$dir/got")" = "$(wc -c <"$dir/expected")"
command -v protoc >/dev/null || skip 'the wire format by protoc' 'no protoc (install protobuf-compiler)'
if ! command -v python3 >/dev/null; then
    skip 'the events' 'no python3 (install python3)'
    exit $failed
fi

# as_tables NAME OPTIONS TRACE [NAME OPTIONS TRACE]...: each option has | in front
as_tables() { python3 tests/tool/lib-perfetto.py "$paje" "$dir/tables" "$@" || failed=1; }

make -s build/bench/generate || exit 3
build/bench/generate -b 200000 -c 40 -d 9 >"$dir/generated.trace"
head -c 100000 "$dir/generated.trace" >"$dir/cut.trace"

# Times go back; a state begins before 0; fields of one name at both ends, of each type, one twice in a line.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '6 0 t T 0 t 1' '11 5 S t a x 1' '11 4 S t b x 1' \
        '12 6 S t x' '12 3 S t x'
} >"$dir/back.trace"
{
    printf '%s\n' '%EventDef PajeDefineContainerType 0' '% Alias string' '% Type string' '% Name string' '%EndEventDef' \
        '%EventDef PajeDefineStateType 1' '% Alias string' '% Type string' '% Name string' '%EndEventDef' \
        '%EventDef PajeCreateContainer 6' '% Time date' '% Alias string' '% Type string' '% Container string' \
        '% Name string' '%EndEventDef' '%EventDef PajePushState 11' '% Time date' '% Type string' '% Container string' \
        '% Value string' '% Line int' '% Size double' '% At date' '% Mark string' '% Mask hex' '% Mark string' \
        '%EndEventDef' '%EventDef PajePopState 12' '% Time date' '% Type string' '% Container string' '% Line int' \
        '% Left float' '%EndEventDef' \
        '0 T 0 Thread' '1 S T State' '6 0 t T 0 t' '11 1 S t a 10 1.5 0.25 "a b" ff again' '12 2 S t -20 1e-3' \
        '11 3 S t b -123456789012345678901 x later "" 12 ""' '12 4 S t 1x .5'
} >"$dir/fields.trace"
sed 's/^11 1 /11 -1 /' "$dir/fields.trace" >"$dir/negative.trace"

# Keys are used again; an end comes before its start, in the file and in time; a start is given up.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 T 0 Thread' '1 S T State' '4 L 0 T T Message' '6 0 a T 0 a 1' '6 0 b T 0 b 1'
    for i in 1 2 3; do
        printf '%s\n' "40 $i L 0 a m k 1" "41 $i.5 L 0 b n k x" "41 $i.6 L 0 b m j x" "40 $i.55 L 0 a m j 1"
        printf '%s\n' "41 $i.7 L 0 b m i x" "40 $i.8 L 0 a m i 1" "41 $i.9 L 0 a m h x" "40 $i.9 L 0 a m h 1"
    done
} >"$dir/keys.trace"

# Containers by creation, not by name; two of one name; a second type of states; a ref that is used again.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '0 T H Thread' '1 S T State' '2 E T Mark' '1 W T Wait' '3 V T Load 1' '1 U T Load' \
        '6 0 z H 0 zebra 1' '6 0 a H 0 ant 1' '6 0 t2 T z two 1' '6 0 t1 T z one 1' '6 0 t3 T a two 1' '6 0 t4 T a two 1' \
        '11 1 S t1 x x 1' '11 1 W t1 x x 1' '20 1 V t1 3' '11 1 U t3 x x 1' '30 1 E t4 x x 1' '11 1 S t2 x x 1' '7 2 T t2' \
        '6 3 t5 T a last 1' '11 3 S t5 x x 1'
} >"$dir/order.trace"
python3 tests/tool/lib-perfetto.py "$paje" tree "$dir/order.trace" >"$dir/got"
cat >"$dir/expected" <<'END'
order.trace
  zebra
    two
    one
      Wait
      Load #
  ant
    two
      Load
    two
      Mark
    last
END
same 'the order of tracks' "$dir/expected" "$dir/got"

# Perfetto refuses tracks that have more than 100 above them.
{
    cat tests/tool/header.trace
    echo '0 T0 0 T'
    for i in $(seq 120); do echo "0 T$i T$((i - 1)) T"; done
    echo '1 S T120 State'
    echo '6 0 c0 T0 0 c0 1'
    for i in $(seq 120); do echo "6 0 c$i T$i c$((i - 1)) c$i 1"; done
    echo '11 1 S c120 deep x 1'
} >"$dir/deep.trace"
check 'a deep tree' sh -c "python3 tests/tool/lib-perfetto.py '$paje' tree '$dir/deep.trace' | awk '
    { match(\$0, /^ */); if (RLENGTH > most) most = RLENGTH } END { exit NR != 122 || most / 2 > 95 }'"

corpus
all=()
for trace in "$dir"/{whole,hostile,generated,cut,back,fields,negative,keys,order}.trace $traces/*.trace $traces/emitters/*.trace \
    "${corpus[@]}"; do
    all+=("as the tables: ${trace#"${trace%/*/*}/"}" '' "$trace")
done
for options in '|-s|0.05|-e|0.125' '|-s|0.11' '|--container|Process 1' '|--type|State' \
    '|--container|Pro*[02]|--type|[SL]*|-s|0.07|-e|0.09' '|--unit|ms'; do
    all+=("filtered: ${options//|/ }" "$options" "$dir/generated.trace")
done
as_tables "${all[@]}"

exit $failed
