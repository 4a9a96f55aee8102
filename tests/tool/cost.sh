#!/bin/bash
# Traces that were made to be slow, through the commands: what it takes, in instructions, grows as the trace does.  For
# four times as much it may grow five times (something is sorted), where what is not linear comes near sixteen.
# What writes the paths of containers within containers takes so many instructions for each byte that it writes.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-slow.sh

if ! command -v valgrind >/dev/null; then
    skip instructions 'valgrind is not there (install valgrind)'
    exit 0
fi

# Without the lines of its sources, which valgrind reads at each start.
! strip -g -o "$dir/paje" "$paje" 2>"$dir/err" || paje=$dir/paje

# count COMMAND...: all of its instructions, by cachegrind without caches, which takes 0.6 of callgrind's time
count() {
    rm -f "$dir/counted"
    valgrind --tool=cachegrind --cache-sim=no --branch-sim=no --cachegrind-out-file="$dir/counted" "$@" >"$dir/out" 2>"$dir/err"
}

# instructions COMMAND: of $dir/t.trace
instructions() {
    local arguments=("$1" "$dir/t.trace")
    rm -f "$dir/t.trace.pajeidx"
    case $1 in
    csv) arguments=(csv -d "$dir/csv" "$dir/t.trace") ;;
    paraver) arguments=(paraver -o "$dir/paraver" "$dir/t.trace") ;;
    import)
        "$paje" paraver -o "$dir/paraver" "$dir/t.trace" >"$dir/out" 2>"$dir/err"
        arguments=(import "$dir/paraver.prv")
        ;;
    merge | align)
        cp "$dir/t.trace" "$dir/other.trace"
        arguments=(merge -o "$dir/merged" "$dir/t.trace" "$dir/other.trace")
        [ $1 = merge ] || arguments+=(--align)
        ;;
    at | window)
        "$paje" index "$dir/t.trace" >"$dir/out" 2>"$dir/err"
        if [ $1 = at ]; then arguments+=(100); else arguments=(dump -s 100 -e 200 "$dir/t.trace"); fi
        ;;
    segments) arguments=(critical --format csv "$dir/t.trace") ;;
    diff) arguments+=("$dir/t.trace") ;;
    picture) arguments=(slices -o "$dir/picture" "$dir/t.trace") ;;
    rows) arguments=(slices --format csv "$dir/t.trace") ;;
    view) arguments+=(--once) ;;
    esac
    count "$paje" "${arguments[@]}"
    [ $? -le 1 ] && sed -n 's/^summary: //p' "$dir/counted"
}

# linear SHAPE COMMAND...
linear() {
    local shape=$1 command size few many
    local -A counts=()
    shift
    for size in $sizes; do
        slow "$shape" $size >"$dir/t.trace"
        for command; do
            counts[$command]+="$(instructions $command) "
        done
    done
    for command; do
        read -r few many <<<"${counts[$command]}"
        if [ "${few:-0}" -gt 0 ] && [ "${many:-0}" -gt 0 ] && [ "$many" -le $((5 * few)) ]; then
            pass "$shape, $command"
        else
            fail "$shape, $command" "${few:-no} instructions, ${many:-none} for four times as much"
        fi
    done
}

# destructions COUNT: instructions for the ends of containers that so many inputs of a merge have
destructions() {
    local inputs=("$dir"/input.{1..200})
    printf '%%EventDef %s\n%% Time date\n%% Type string\n%% Name string\n%% Container string\n%%EndEventDef\n' \
        'PajeDefineContainerType 0' 'PajeCreateContainer 6' 'PajeDestroyContainer 7' >"$dir/t.trace"
    { echo '0 0 0 H -'; printf '6 0 H %s 0\n' {1..8}; printf '7 1 H %s -\n' {1..8}; } >>"$dir/t.trace"
    tee "${inputs[@]:0:$1}" <"$dir/t.trace" >"$dir/out"
    valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind" --toggle-collect=merge_destroy_container \
        "$paje" merge -o "$dir/merged" "${inputs[@]:0:$1}" >"$dir/out" 2>"$dir/err" && sed -n 's/^totals: //p' "$dir/callgrind"
}
few=$(destructions 50) many=$(destructions 200)
check 'inputs of a merge that share containers' test "${few:-0}" -gt 10000 -a "${many:-0}" -gt 0 -a "${many:-0}" -le $((5 * ${few:-0}))

# corrections COUNT: instructions that find the clocks of so many inputs, each of which sends to the one before it
corrections() {
    local inputs=() i
    for ((i = 1; i <= $1; i++)); do
        inputs+=("$dir/input.$i")
        cat tests/tool/header.trace - >"${inputs[-1]}" <<TRACE
0 P 0 P
4 L 0 P P L
6 0 p$i P 0 rank$i x
41 0.5 L 0 p$i m k$((i + 1)) a
40 $i L 0 p$i m k$i 3
TRACE
    done
    valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind" --toggle-collect=merge_begin_solver --toggle-collect=merge_solve \
        "$paje" merge --align -z -o "$dir/merged" "${inputs[@]}" >"$dir/out" 2>"$dir/err" && sed -n 's/^totals: //p' "$dir/callgrind"
}
few=$(corrections 50) many=$(corrections 200)
check 'clocks of inputs in a line' test "${few:-0}" -gt 1000 -a "${many:-0}" -gt 0 -a "${many:-0}" -le $((5 * ${few:-0}))

# paths COMMAND...: each byte of the paths of 800 containers within one another
paths() {
    local command count size
    { cat tests/tool/header.trace; printf '0 T 0 T\n1 S T S\n6 0 c0 T 0 container 0\n'
        awk 'BEGIN { for (i = 1; i < 800; i++) printf "6 0 c%d T c%d container 0\n10 1 S c%d x y\n", i, i - 1, i }'; } >"$dir/t.trace"
    for command; do
        count=$(instructions "$command")
        size=$(cat "$dir/out" "$dir"/csv/*.csv 2>/dev/null | wc -c)
        check "paths, $command" test "${count:-0}" -gt 0 -a "${count:-0}" -le $((30 * size))
        rm -rf "$dir/csv"
    done
}
paths profile ${FULL:+csv sql chrome}

# turns COUNT: a picture of a row in which so many values take turns, so that each bin of time has many of them
turns() {
    { cat tests/tool/header.trace; printf '0 H 0 H\n1 S H S\n6 0 h H 0 host 1\n'
        awk -v n=$1 'BEGIN { for (i = 0; i < 60000; i++) print "10 " i / 7 " S h v" i % n " a" }'; } >"$dir/t.trace"
    count "$paje" svg --width 300 --height 60 "$dir/t.trace" && sed -n 's/^summary: //p' "$dir/counted"
}
few=$(turns 500) many=$(turns 8000)
check 'values that take turns in bins, svg' test "${few:-0}" -gt 1000000 -a "${many:-0}" -gt 0 -a "${many:-0}" -le $((2 * ${few:-0}))

sizes='600 2400'
linear containers svg platform slices
linear types chrome
linear alike chrome merge
linear linktypes chrome
linear links merge matrix
linear nested html at histogram
if [ "${FULL:-}" ]; then
    linear own rows picture # more tracks than rows are grouped for
    linear barrier efficiency waits critical segments
    # Each container has a row for each type below it, so the output grows with the square.
    slow nested 250 >"$dir/t.trace"
    count=$(instructions profile)
    size=$(wc -c <"$dir/out")
    check 'nested, profile' test "${count:-0}" -gt 0 -a "${count:-0}" -le $((180 * size))
    # A third of the commands on each shape, and others on the next one, as most of the time is that of starting them.
    sizes='300 1200'
    all=(dump info profile svg html platform csv sql chrome perfetto merge align index at window view paraver import matrix histogram
        slices efficiency waits critical segments diff)
    turn=0
    for shape in containers values types alike linktypes stack links words errors; do
        some=()
        for ((i = turn++ % 3; i < ${#all[@]}; i += 3)); do some+=("${all[i]}"); done
        linear $shape "${some[@]}"
    done
    linear nested dump svg index window view paraver import
    sizes='600 2400'
fi
linear open efficiency waits critical
linear sparse perfetto
linear alike efficiency
linear scan efficiency waits critical
exit $failed
