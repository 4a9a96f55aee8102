#!/bin/bash
# Both headers on microcontrollers, in emulators: examples/firmware on every board, and sizes.
# usage: [FULL=1] tests/ring/embedded.sh
# Without FULL: only that the writer writes the same bytes everywhere, and the promised sizes.
set -u
cd "$(dirname "$0")/../.." || exit 3
. tests/ring/embedded/lib.sh
make -s build/paje build/examples/read/uart_receiver || exit 3

# Jobs run in parallel; their reports are printed in order.
limit=$(nproc 2>/dev/null || echo 2) jobs_begun=''
job() { # NAME COMMAND...
    while [ "$(jobs -rp | wc -l)" -ge "$limit" ]; do
        wait -n
    done
    "${@:2}" >"$dir/$1.report" 2>&1 &
    jobs_begun+=" $1"
}
reports() {
    local name
    wait
    for name in $jobs_begun; do
        cat "$dir/$name.report"
        ! grep -q '^FAIL' "$dir/$name.report" || failed=1
    done
    jobs_begun=''
}

# ---- the figures in the README of the firmware are those that were recorded last

# rows: prints the figures of its tables, `TARGET FEATURES WHAT NUMBER` as in the ceilings
rows() {
    awk -F' *[|] *' '
        $2 ~ /^-*$/ { next }
        $2 == "target" { split($0, what, / *[|] */); instructions = $3 == "a state"; next }
        instructions { print $2, "instructions event", $3; print $2, "instructions drained", $4
                       print $2, "instructions in-blocks", $5; print $2, "instructions disabled", $6; next }
        $6 ~ /^[0-9]+$/ { for (i = 4; i <= 6; i++) print $2, $3, what[i], $i }' examples/firmware/README.md
}
as_recorded() {
    local row rows
    rows=$(rows)
    [ "$(wc -l <<<"$rows")" -ge 69 ] || echo "error: only $(wc -l <<<"$rows") figures were found"
    while read -r row; do
        sed -n '/measured last/,$p' tests/ring/embedded/ceilings | grep -qFx "$row" ||
            echo "error: examples/firmware/README.md has $row; tests/ring/embedded/ceilings has another number"
    done <<<"$rows"
}
check 'the sizes in examples/firmware/README.md are those in ceilings' eval '! as_recorded | grep .'

# ---- boards

calls=../../tests/ring/embedded/calls.c summary=../../tests/ring/embedded/summary.c storm=../../tests/ring/embedded/storm.c
systick=../../tests/ring/embedded/systick.c

# Checks that times never decrease.
in_order() {
    awk '!/^[%#]/ && $1 >= 16 { if ($2 + 0 < last) { print "error: line " NR " goes back"; exit }; last = $2 + 0; n++ }
         END { exit n < 100 }' "$1"
}

# Checks the number of entities of each kind, as in the last line of replay.h, and that none was dropped.
counted() {
    ! grep '^# dropped' "$1" || return
    build/paje dump "$1" | awk -F', ' '{ n[$1]++ }
        END { print n["State"], n["Variable"], n["Link"], n["Event"], n["Container"] }' | grep -x '74 16 20 3 6'
}

# Checks that the summary by the board equals that by the host.
summed_up() {
    $dir/host.summary.elf <"$1" >"$1.summary"
    grep '^# ' "$1" | diff - "$1.summary" && [ "$(wc -l <"$1.summary")" -gt 5 ]
}

# Checks a trace of storm.c: its last line has the right counts, and the timer has interrupted both other writers.
whole() {
    build/paje validate --strict "$1" && in_order "$1" || return
    awk '/^19 |^20 / { n[$3]++; within[last] += $3 == 2; last = $3 }
         END { print "# main " n[1] + 0, "timer " n[2] + 0, "request " n[3] + 0; exit within[1] < 30 || within[3] < 30 }' \
        "$1" >"$1.counted" && tail -n 1 "$1" | sed 's/ *$//' | diff - "$1.counted"
}

# emulated BOARD [OPTIONS]: of the firmware
emulated() {
    check "$1: calls.c" run "$1" $calls -DPAJEWRITE_RING=1
    check "$1: calls.c writes the same bytes as on the host" cmp $dir/calls.trace "$dir/$1.calls"
    check "$1: firmware.c" run "$1" firmware.c "${2-}"
    check "$1: the firmware's trace is valid" build/paje validate --strict "$dir/$1.firmware"
    check "$1: its lines are in order of time" in_order "$dir/$1.firmware"
    check "$1: nothing is missing" counted "$dir/$1.firmware"
    check "$1: storm.c" run "$1" $storm
    check "$1: interrupts within interrupts: every line is whole, in order of time, and there" whole "$dir/$1.storm"
    [ -z "${2-}" ] || check "$1: its own replay comes to the same as the host's" summed_up "$dir/$1.firmware"
}

# Linux processes, whose clock and interrupts are real: the number of events varies.
hosted() {
    check "$1: calls.c" run "$1" $calls -DPAJEWRITE_RING=1
    check "$1: calls.c writes the same bytes as the hosted writer" cmp $dir/calls.trace "$dir/$1.calls"
    check "$1: firmware.c" run "$1" firmware.c -DREPLAY
    check "$1: the firmware's trace is valid" build/paje validate --strict "$dir/$1.firmware"
    check "$1: its lines are in order of time" in_order "$dir/$1.firmware"
    check "$1: its own replay comes to the same as the host's" summed_up "$dir/$1.firmware"
    [ "$1" = host ] && return
    input=$dir/host.firmware check "$1: summary.c" run "$1" $summary
    check "$1: the reader comes to the same as on the host" cmp $dir/host.firmware.summary "$dir/$1.summary"
}

# QEMU allows a Cortex-M0 to read unaligned words; the sanitizer does not.  Uses a folder of its own.
aligned() {
    dir=$dir/aligned
    mkdir -p $dir
    local sanitizer='-fsanitize=alignment,undefined -fno-sanitize-recover=all'
    check 'nothing is read or written unaligned: writer' run host $calls "$sanitizer -DPAJEWRITE_RING=1"
    check 'nothing is read or written unaligned: reader' run host firmware.c "$sanitizer -DREPLAY"
}

# The other boards are compared with the host.
check 'host: calls.c with the hosted writer' run host $calls
mv $dir/host.calls $dir/calls.trace
check 'host: calls.c makes a valid trace' build/paje validate --strict $dir/calls.trace

# The same file is built again where the options or the program are others than before.
again() {
    local options
    rm -f $dir/again.elf
    for options in '' -DREPLAY '' PROGRAM="$calls"; do
        [ "${options#-}" = "$options" ] && set -- $options || set -- OPTIONS=$options
        make -s -C examples/firmware OUT="$PWD/$dir/again.elf" "$@" run </dev/null | tail -n 1 || return
    done | sed 's/^# [0-9]* states, .*/replayed/; t; s/.*/other/' | tr '\n' ' ' | grep -qx 'other replayed other other '
}
check 'host: another option, another program' again

# On AVR, a text of a table that does not fit with the NUL at its end does not compile.
too_long() {
    local color
    for color in 33cc3 33cc33; do
        printf '%s\n' '#define PAJEWRITE_RING 1' '#define PAJEWRITE_NOW() 0' '#include "pajewrite.h"' \
            'const pajewrite_definition table[] PAJEWRITE_ROM = {' \
            "PAJEWRITE_ROM_VALUE(1, 2, \"waiting for the radio ack\", \"$color\")};" >$dir/too_long.c
        avr-gcc -mmcu=atmega328p -std=c99 -I. -c $dir/too_long.c -o $dir/too_long.o 2>$dir/too_long.err && echo $color
    done | grep -qx 33cc3 && grep -q 'array is negative' $dir/too_long.err
}
! needs 'a text that is too long' avr-gcc gcc-avr || check 'atmega328p: a text that is too long does not compile' too_long

# same BOARD
same() {
    check "$1: calls.c" run "$1" $calls -DPAJEWRITE_RING=1
    check "$1: calls.c writes the same bytes as on the host" cmp $dir/calls.trace "$dir/$1.calls"
}
# ticks BOARD
ticks() { check "$1: PAJEWRITE_SYSTICK, read once in each period" run "$1" $systick; }
if [ -z "${FULL-}" ]; then
    # shellcheck disable=SC2086
    {
        job host same host
        job sizes tests/ring/embedded/sizes.sh --check cortex-m0 states all
        for board in mps2-an385 microbit; do
            needs $board $need_arm && job $board same $board && job $board.systick ticks $board
        done
        needs rv32 $need_riscv && job rv32 same rv32
        needs atmega328p $need_avr && job atmega328p same atmega328p
    }
    reports
    exit $failed
fi

check 'host: summary.c' run host $summary
hosted host

# shellcheck disable=SC2086
{
    job sizes tests/ring/embedded/sizes.sh --check
    for board in mps2-an385 mps2-an386 lm3s6965evb microbit; do
        needs $board $need_arm && job $board emulated $board -DREPLAY && job $board.systick ticks $board
    done
    needs rv32 $need_riscv && job rv32 emulated rv32 -DREPLAY
    needs atmega328p $need_avr && job atmega328p emulated atmega328p
    needs musl musl-gcc musl-tools && job musl hosted musl
    needs ppc64 powerpc64-linux-gnu-gcc gcc-powerpc64-linux-gnu qemu-ppc64 qemu-user && job ppc64 hosted ppc64
    needs arm-linux arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf qemu-arm qemu-user && job arm-linux hosted arm-linux
    job aligned aligned
    job receiver tests/ring/embedded/receiver.sh
}
reports

# ---- resets, and hosts that miss the beginning

# A trace that was cut off is replayed up to its last whole line.
cut_off() { # LINES: number of whole lines
    head -n "$1" $dir/host.firmware >$dir/whole.trace
    head -c $(($(wc -c <$dir/whole.trace) + 5)) $dir/host.firmware >$dir/cut.trace
    build/paje dump $dir/cut.trace >$dir/cut.dump 2>$dir/cut.err
    build/paje dump $dir/whole.trace 2>/dev/null | cmp - $dir/cut.dump && [ -s $dir/cut.dump ] && [ -s $dir/cut.err ]
}
for lines in 150 200 250; do
    check "a trace that a reset has cut in line $lines is replayed up to there" cut_off $((lines - 1))
done

# A host that missed the beginning asks for the definitions.
late() {
    input=$dir/ask run mps2-an385 firmware.c && tail -c +2000 $dir/mps2-an385.firmware >$dir/late.line
    build/examples/read/uart_receiver -o $dir/late.trace $dir/late.line >$dir/late.live 2>&1
    grep -q 'not defined (yet)' $dir/late.live && [ "$(grep -c since $dir/late.live)" -gt 30 ] &&
        build/paje validate --strict -z $dir/late.trace # a message may have been sent before the beginning
}
printf x >$dir/ask
needs 'a late beginning' $need_arm && check 'a late beginning: definitions come again on demand' late

exit $failed
