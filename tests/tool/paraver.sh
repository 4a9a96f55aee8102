#!/bin/bash
# paje paraver: the three files, byte for byte for one trace; consistent, with the entities of the tables of `paje csv`,
# and the same again after `paje import`, for others (lib-paraver.py).
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh
golden=tests/traces/paraver

cp $traces/tour.trace "$dir/tour.trace"
touch -d @1700000000 "$dir/tour.trace" # the header has the date of the trace
check 'the files of a trace' env TZ=Asia/Tokyo "$paje" paraver -o "$dir/tour.prv" "$dir/tour.trace"
for ending in prv pcf row; do
    same "the files of a trace: .$ending" $golden/tour.$ending "$dir/tour.$ending"
done

# Java has the types, values and states that Extrae gives it: PiExample, and a thread that another one notifies.
for name in java-pi java-notify; do
    cp $golden/$name.trace "$dir/$name.trace"
    touch -d @1700000000 "$dir/$name.trace"
    check "$name" "$paje" paraver -o "$dir/$name" "$dir/$name.trace"
    for ending in prv pcf row; do
        same "$name: .$ending" $golden/$name.$ending "$dir/$name.$ending"
    done
done

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
expect 'no name for the files' 2 'it needs a name for its files: -o BASE' "$paje" paraver "$dir/whole.trace"
expect 'an empty name' 2 '``: no name' "$paje" paraver -o '' "$dir/whole.trace"
expect 'a size of memory that is none' 2 '.x.: no size' "$paje" paraver --memory x -o "$dir/x" "$dir/whole.trace"
expect 'a folder that is not there' 3 "$dir/no/x.prv: No such file or directory" "$paje" paraver -o "$dir/no/x" \
    "$dir/whole.trace"

# trace NAME LINE...: writes NAME.trace and its three files
trace() {
    local name=$1
    { cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '0 T H Thread' '1 S T State' '1 Q T Other' '2 E T Mark' \
        '3 P T Power 1,0,0' '4 L 0 T T Message' '6 0 h H 0 host 1' '6 0 a T h a 1' '6 0 b T h b 1' "${@:2}"; } >"$dir/$name.trace"
    "$paje" paraver -o "$dir/$name" "$dir/$name.trace" "${arguments[@]}" >"$dir/out" 2>"$dir/err"
}
arguments=()
# records NAME EXPECTED: those of $dir/NAME.prv, between blanks
records() {
    local got
    got=$(tail -n +2 "$dir/$1.prv" | tr '\n' ' ')
    if [ "$got" = "$2 " ]; then pass "$1"; else fail "$1" "$got, not $2"; fi
}

# Times are exact where a double is not, and begin at 0.
trace epoch '30 1700000000.123456781 E a x x 1' '30 1700000000.123456783 E a x x 1'
check 'since 1970: nanoseconds are exact' grep -q '^2:1:1:1:1:2:910000001:1$' "$dir/epoch.prv"
check 'since 1970: is told' grep -q 'epoch.trace: it begins at 1700000000.123456781 s, which is 0 in' "$dir/err"
trace negative '30 -1.5 E a x x 1' '30 1 E b x x 1'
records negative '2:1:1:1:1:0:910000001:1 2:2:1:1:2:2500000000:910000001:1'
check 'negative: is told' grep -q 'it begins at -1.500000000 s' "$dir/err"
trace wide '30 -1e308 E a x x 1' '30 1e308 E b x x 1'
records wide '2:1:1:1:1:0:910000001:1 2:2:1:1:2:9000000000000000000:910000001:1'

# A GLOB is also the name that it is, as for --type.
arguments=(--states 'Run [1]')
trace brackets '1 R T "Run [1]"' '10 1 Q a x x' '10 1 R a run x' '10 2 R a end x' '10 3 R a end x'
check 'the name of a type as a GLOB' test "$(grep -c '^1:' "$dir/brackets.prv")" = 2
arguments=()

# Nested states: the innermost is the state; what is pushed and popped at one time is in order.
trace nested '10 1 S a Running x 7' '11 2 S a io x 7' '11 2 S a Idle x 7' '12 2 S a x' '12 3 S a x' '12 4 S a x'
records nested "1:1:1:1:1:1000000000:2000000000:1 2:1:1:1:1:1000000000:900000001:1 \
1:1:1:1:1:2000000000:3000000000:100 2:1:1:1:1:2000000000:900000001:2:900000001:3:900000001:0 \
1:1:1:1:1:3000000000:4000000000:1 2:1:1:1:1:3000000000:900000001:0 2:1:1:1:1:4000000000:900000001:0"
expect 'nested: a state of another name' 0 '^100  io$' cat "$dir/nested.pcf"

trace monitor '11 1 S a monitor x 7' '12 2 S a x' # not of Java
records monitor "1:1:1:1:1:1000000000:2000000000:100 2:1:1:1:1:1000000000:900000001:1 2:1:1:1:1:2000000000:900000001:0"
trace second '11 1 Q a Idle x 1' '12 2 Q a x' # no state is of the first state type
records second "1:1:1:1:1:1000000000:2000000000:0 2:1:1:1:1:1000000000:900000002:1 2:1:1:1:1:2000000000:900000002:0"

# length NAME EXPECTED: the length of $dir/NAME.prv, in nanoseconds
length() {
    same "$1: the length" <(echo "$2") <(sed -n '1s/.*:\([0-9]*\)_ns:.*/\1/p' "$dir/$1.prv")
}
# The last value of a variable lasts to the end, which no record tells.
tail=('10 1 S a x x 1' '10 2 S a y x 1' '20 1 P a 5' '20 2 P a 7' '7 4 T a' '7 9 T b')
trace lasting "${tail[@]}"
length lasting 9000000000
expect 'lasting: back again' 0 'Variable, a, Power, 2.000000, 9.000000, 7.000000, 7.000000' \
    sh -c '"$1" import "$2" | "$1" dump' sh "$paje" "$dir/lasting.prv"
arguments=(--type P)
trace variable "${tail[@]}"
length variable 4000000000
arguments=(-e 3)
trace cut "${tail[@]}"
length cut 4000000000
arguments=(-e 1.5)
trace early "${tail[@]}"
length early 2000000000
arguments=()

# Options choose tasks, nodes, the states, the fields of messages.
arguments=(--task Thread --node Host --states Oth*)
trace chosen '11 1 S a x x 1' '11 1 Q a y x 1' '12 2 S a x' '12 3 Q a x'
check 'tasks and nodes' grep -q '_ns:1(2):1:2(1:1,1:1)$' "$dir/chosen.prv"
check 'the state type' grep -q '^1:1:1:1:1:1000000000:3000000000:100$' "$dir/chosen.prv"
check 'tasks and nodes: nothing is said' test ! -s "$dir/err"
arguments=(--task Thraed --node Hots --states Oht*)
trace none '11 1 S a x x 1' '12 2 S a x'
check 'types that nothing has' test "$(sed 's/.*: no /no /' "$dir/err" | tr '\n' ' ')" = \
    'no state has a type like `Oht*` no container has a type like `Thraed` no container has a type like `Hots` '
arguments=(--size Count --tag Kind)
trace fields '%EventDef PajeStartLink 99' '% Time date' '% Type string' '% Container string' '% Value string' \
    '% StartContainer string' '% Key string' '% Count int' '% Kind int' '%EndEventDef' '99 1 L 0 m a k 640 -3' \
    '41 2 L 0 b m k x'
records fields '3:1:1:1:1:1000000000:1000000000:2:1:1:2:2000000000:2000000000:640:-3'
check 'fields: nothing is said' test ! -s "$dir/err"
arguments=(--size Value --tag Kint)
trace values '40 1 L 0 a 512 k 640' '41 2 L 0 b 512 k x'
records values '3:1:1:1:1:1000000000:1000000000:2:1:1:2:2000000000:2000000000:512:0'
check 'a field that no link has' test "$(cat "$dir/err")" = \
    "paje: $dir/values.trace: no link has a user field \`Kint\` that is a number (--tag)"
arguments=(-s 1.5 -e 1.7 --type S)
trace range '11 1 S a x x 1' '12 2 S a x' '11 2 S a late x 1' '30 1.6 E a x x 1'
records range '1:1:1:1:1:1000000000:2000000000:100 2:1:1:1:1:1000000000:900000001:1 2:1:1:1:1:2000000000:900000001:0'
arguments=()
trace back '11 5 S a x x 1' '12 3 S a x' '40 6 L 0 a m k 1' '41 5 L 0 b m k x' '20 1 P a 1e999'
check 'what goes back is told' test "$(grep -c 'began or ended before\|links end before\|no numbers' "$dir/err")" = 3

: >"$dir/empty"
check 'an empty trace' "$paje" paraver -o "$dir/empty.out" "$dir/empty"
same 'an empty trace: a row all the same' <(echo '1(1):1:1(1:1)') <(head -n 1 "$dir/empty.out.prv" | cut -d: -f 4-)

# The records are the same with little memory, which takes a file, and many runs that become one.
make -s build/bench/generate || exit 3
build/bench/generate -b 200000 -c 40 -d 9 >"$dir/generated.trace"
"$paje" paraver -o "$dir/large" "$dir/generated.trace" 2>/dev/null
"$paje" paraver -o "$dir/little" --memory 1K "$dir/generated.trace" 2>/dev/null
same 'little memory' "$dir/large.prv" "$dir/little.prv"
check 'little memory: nothing is left' test "$(find "$dir" -name 'little*' | wc -l)" = 3

if ! command -v python3 >/dev/null; then
    skip 'the entities' 'no python3 (install python3)'
    exit $failed
fi
hostile_trace >"$dir/hostile.trace"
corpus
all=()
for trace in "$dir"/{whole,hostile,generated}.trace $traces/{tour,stencil,dialects,crlf}.trace $traces/emitters/*.trace \
    "${corpus[@]}"; do
    [ "$(stat -c %s "$trace")" -lt 500000 ] || [ "${FULL:-}" ] || continue
    all+=("the entities, and back: ${trace#"${trace%/*/*}/"}" "$trace")
done
for filters in '-s 0.002 -e 0.0025' '--container Pro*[02] --type [SL]*' '--type *v?nt -s 0.004'; do
    all+=("the entities: $filters" "$filters $dir/generated.trace")
done
python3 tests/tool/lib-paraver.py "$paje" "$dir/tables" "${all[@]}" || failed=1

exit $failed
