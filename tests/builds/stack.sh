#!/bin/bash
# The stack that the headers need is bounded: no recursion, no frame whose size depends on input, and the deepest path
# of calls is within the bounds that tests/README.md promises.  Callbacks, sinks and clocks are not included.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/stack
mkdir -p $dir
failed=0

if ! gcc -fcallgraph-info=su -x c -c - -o $dir/works.o </dev/null 2>/dev/null; then
    echo 'SKIP stack: gcc tells no graph of calls (install gcc, 10 or newer)'
    exit
fi

# Prints the deepest path from a function that a program may call, by gcc's graph; fails on recursion.
deepest() {
    awk -v prefix="$1" '
        function name_of(text) { sub(/.*:/, "", text); return text }
        match($0, /^node: { title: "[^"]*"/) {
            name = name_of(substr($0, 17, RLENGTH - 17))
            if (match($0, /[0-9]+ bytes \([a-z,]*\)/)) {
                frame[name] = substr($0, RSTART) + 0
                if ($0 ~ /\(dynamic\)/) wrong = wrong " a frame without bound: " name
            }
        }
        /^edge: / { split($0, part, "\""); calls[name_of(part[2])] = calls[name_of(part[2])] " " name_of(part[4]) }
        function depth(name,    targets, count, i, d, most) {
            if (name in done) return done[name]
            if (name in active) { wrong = wrong " recursion: " name; return 0 }
            active[name] = 1
            most = 0
            count = split(calls[name], targets, " ")
            for (i = 1; i <= count; i++) {
                d = 8 + depth(targets[i])
                if (d > most) { most = d; following[name] = targets[i] }
            }
            delete active[name]
            return done[name] = frame[name] + most
        }
        END {
            # The hooks of an index, which are called by their addresses.
            if ("pajesim__notify_end" in frame) calls["pajesim__notify_end"] = calls["pajesim__notify_end"] " pajesim__note_end"
            if ("pajesim__notify_flag" in frame) calls["pajesim__notify_flag"] = calls["pajesim__notify_flag"] " pajesim__note_flag"
            for (name in frame)
                if (name ~ "^" prefix "_[a-z]" && depth(name) + 8 > most) { most = depth(name) + 8; first = name }
            path = most " " first
            for (name = first; name in following; name = following[name]) path = path " > " following[name]
            print path wrong
            exit wrong != "" || !most
        }' "$2"
}

# bounded NAME BYTES PREFIX FILE OPTIONS...
bounded() {
    local path graph=$dir/graph
    if ! gcc -std=c99 "${@:5}" -I. -fcallgraph-info=su -c "$4" -o $graph.o 2>$dir/err; then
        echo "FAIL stack/$1: $(head -n 1 $dir/err)"
        failed=1
    elif path=$(deepest "$3" $graph.ci) && [ "${path%% *}" -le "$2" ]; then
        echo "PASS stack/$1: at most $2 bytes"
    else
        echo "FAIL stack/$1: $2 bytes are promised: $path"
        failed=1
    fi
    echo "$1: $path" >&2
}

ring='-DPAJEWRITE_NOW()=0 -DPAJEWRITE_ENTER(saved)=((saved)=0) -DPAJEWRITE_LEAVE(saved)=(void)(saved)
    -DPAJEWRITE_BARRIER()=((void)0)'
posix=-D_POSIX_C_SOURCE=200809L
bounded 'reader, -O2' 12288 pajesim tests/lib/implementation.c -O2
bounded 'reader, small, -Os' 1536 pajesim tests/lib/implementation.c -Os -DPAJESIM_SMALL=1
bounded 'writer, -O2' 4096 pajewrite pajewrite.h -x c -O2 -DPAJEWRITE_IMPLEMENTATION
bounded 'writer, a ring, -Os' 256 pajewrite pajewrite.h -x c -Os -DPAJEWRITE_IMPLEMENTATION -DPAJEWRITE_RING=1 $ring
if [ "${FULL:-}" ]; then
    bounded 'reader, -O0' 24576 pajesim tests/lib/implementation.c -O0
    bounded 'reader, -O3, AVX2' 12288 pajesim tests/lib/implementation.c -O3 -mavx2
    bounded 'reader, in plain C' 12288 pajesim tests/lib/implementation.c -O2 -DPAJESIM_SIMD=0
    bounded 'writer, -O0' 8192 pajewrite pajewrite.h -x c -O0 -DPAJEWRITE_IMPLEMENTATION
    bounded 'writer, checking, -O2' 4096 pajewrite pajewrite.h -x c -O2 -DPAJEWRITE_IMPLEMENTATION -DPAJEWRITE_CHECK=1
    bounded 'writer, with a mapped file, -O2' 4096 pajewrite pajewrite.h -x c -O2 -DPAJEWRITE_IMPLEMENTATION $posix
fi
exit $failed
