#!/bin/bash
# What harmful clients cost a live program: the demo's CPU and run time with none, with clients that are killed at random
# moments, with one that has stopped, and with one that reads 4 KiB a second; in turn, medians.  Its result is the same.
# usage: bench/live.sh [ROUNDS [ITERATIONS]]
set -u
cd "$(dirname "$0")/.." || exit 3
rounds=${1:-5} iterations=${2:-100000} dir=build/bench/live-clients
make -s build/examples/live/demo build/tests/live/clients || exit 3
mkdir -p "$dir"
rm -f "$dir"/*
socket=$PWD/$dir/socket
for ((round = 0; round < rounds; round++)); do
    for kind in none killed stopped slow; do
        { PAJE_LIVE=unix:$socket /usr/bin/time -f '%e %U %S %x' -o "$dir/time" build/examples/live/demo "$iterations"; } >"$dir/out" &
        program=$!
        while ! [ -S "$socket" ]; do sleep 0.01; done
        client=
        [ $kind = none ] || { build/tests/live/clients "$socket" $kind 1000000 only & client=$!; } >/dev/null 2>&1
        wait $program
        [ -z "$client" ] || { kill -9 $client; wait $client; } 2>/dev/null
        echo "$(tail -n 1 "$dir/time") $(cat "$dir/out")" >>"$dir/$kind"
        rm -f "$socket"
    done
done
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-10s %10s %10s %8s  %s\n' clients 'run time' 'CPU time' status result
for kind in none killed stopped slow; do
    printf '%-10s %8s s %8s s %8s  %s\n' $kind "$(cut -d' ' -f 1 "$dir/$kind" | median)" \
        "$(awk '{ print $2 + $3 }' "$dir/$kind" | median)" "$(cut -d' ' -f 4 "$dir/$kind" | sort -u | tr '\n' ' ')" \
        "$(cut -d' ' -f 5- "$dir/$kind" | sort -u)"
done
