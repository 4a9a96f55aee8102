#!/bin/bash
# Measures what both headers cost: flash, RAM and stack for each target and set of features, and instructions an event.
# usage: tests/ring/embedded/sizes.sh [--check | --record] [TARGET [FEATURES...]]
#   --check    prints a case for each figure, which passes within tests/ring/embedded/ceilings
#   --record   prints the second half of tests/ring/embedded/ceilings
#   neither    prints tables in Markdown
#
# Flash: code and constants of the functions in the set, with the functions of libgcc that they need, without memcpy and
# its like, which every firmware has.  RAM: the context and other variables, without ring and arena.  Stack: the deepest
# path of calls, without callbacks.
set -u
cd "$(dirname "$0")/../../.." || exit 3
. tests/ring/embedded/lib.sh
here=tests/ring/embedded dir=$dir/sizes
mkdir -p $dir

# target|Debian package|prefix of the compiler|its options|bytes that a call pushes|board|its two interrupts, one within
# the other|bytes that these push
boards=examples/firmware/boards
arm="gcc-arm-none-eabi|arm-none-eabi|-mthumb --specs=nano.specs -T$boards/cortex-m.ld"
riscv="gcc-riscv64-unknown-elf|riscv64-unknown-elf|--specs=picolibc.specs -T$boards/rv32.ld -march=rv32imac"
targets="cortex-m0|$arm -mcpu=cortex-m0|0|microbit|on_systick on_request|72
cortex-m3|$arm -mcpu=cortex-m3|0|mps2|on_systick on_request|72
rv32imac|$riscv -misa-spec=2.2 -mabi=ilp32|0|rv32|trap trap|0
atmega328p|gcc-avr|avr|-mmcu=atmega328p|2|atmega328p|__vector_11 __vector_14|0"

# features|the targets that have them|options, see features.c
small=-DPAJESIM_SMALL=1
features="states|.*|-DWRITER=1 -DPAJEWRITE_KINDS=3 -DPAJEWRITE_TEXTS=0 -DPAJEWRITE_GAPS=0
all|.*|-DWRITER=2
doubles|cortex|-DWRITER=3 -DPAJEWRITE_DOUBLE=1
replay|^[cr]|$small
replay-doubles|cortex|$small -DPAJESIM_TIME_DECIMALS=-1 -DPAJESIM_VALUE_DECIMALS=-1
replay-all|cortex-m3|-DPAJESIM_TRAVEL=0"

small_code='-std=c99 -Os -ffunction-sections -fdata-sections -fstack-usage'

# stack CALL FUNCTIONS: prints the stack of the deepest path from one of these functions
stack() { awk -f $here/stack.awk -v call="$1" -v roots="$2" $dir/*.su $dir/x.asm; }

# measure PREFIX MACHINE CALL OPTIONS: sets flash, ram, stack
measure() {
    local calls places size
    # shellcheck disable=SC2086
    "$1-gcc" $2 $small_code $4 ${CPPFLAGS-} -I. -c $here/features.c -o $dir/calls.o &&
        "$1-gcc" $2 $small_code $4 ${CPPFLAGS-} -I. -DIMPLEMENTATION -c $here/features.c -o $dir/header.o || return
    calls=$("$1-nm" $dir/calls.o | awk '$3 ~ /^use_/ { print $3 }' | tr '\n' ' ')
    # the arguments of the calls may be anywhere
    places=$("$1-nm" -u $dir/calls.o | awk '$2 !~ /^paje|^mem|^w$|^__/ { printf " -Wl,--defsym=%s=256", $2 }')
    # shellcheck disable=SC2046,SC2086
    "$1-gcc" $2 -nostartfiles -Wl,-e,0,--gc-sections $(printf -- ' -Wl,-u,%s' $calls) $places \
        $dir/calls.o $dir/header.o -o $dir/x.elf || return
    "$1-objdump" -d $dir/x.elf >$dir/x.asm
    "$1-nm" -S $dir/x.elf >$dir/x.names
    stack=$(stack "$3" "$calls") || return
    read -r flash ram < <("$1-size" $dir/x.elf | awk 'NR == 2 { print $1 + $2, $2 + $3 }')
    for size in $(awk 'NF == 4 && $4 ~ /^mem(cpy|move|set|cmp)$|^use_/ { print $2 }' $dir/x.names); do
        flash=$((flash - 0x$size))
    done
    ! grep -q ' ticks$' $dir/x.names || ram=$((ram - 8)) # the clock belongs to the test
}

# measure_firmware PREFIX MACHINE CALL BOARD INTERRUPTS PUSHED: sets them for the firmware, with ring and interrupts
measure_firmware() {
    local part more
    # shellcheck disable=SC2086
    for part in firmware "boards/$4"; do
        "$1-gcc" $2 $small_code ${CPPFLAGS-} -I. -Iexamples/firmware -c examples/firmware/$part.c \
            -o $dir/${part##*/}.o || return
    done
    # shellcheck disable=SC2046,SC2086
    "$1-gcc" $2 $([ "$1" = avr ] || echo -nostartfiles) -Wl,--gc-sections $dir/firmware.o "$dir/$4.o" -o $dir/x.elf ||
        return
    "$1-objdump" -d $dir/x.elf >$dir/x.asm
    read -r flash ram < <("$1-size" $dir/x.elf | awk 'NR == 2 { print $1 + $2, $2 + $3 }')
    stack=$(stack "$3" main) || return
    stack=$((${stack%% *} + $6))
    for part in $5; do
        more=$(stack "$3" "$part") || return
        stack=$((stack + ${more%% *}))
    done
}

# figure TARGET FEATURES WHAT NUMBER: passes if NUMBER is within all ceilings recorded for it, and there is one
figure() {
    local most
    if [ "$mode" = --record ]; then
        echo "$1 $2 $3 $4"
        return
    fi
    most=$(awk -v key="$1 $2 $3" '$1 " " $2 " " $3 == key { print $4 }' $here/ceilings | sort -n | head -n 1)
    if [ "$4" -le "${most:-0}" ]; then
        pass "$1: $2: $3"
    else
        fail "$1: $2: $3" "$4, where $here/ceilings has ${most:-nothing}"
    fi
}

# show TARGET FEATURES: prints the figures
show() {
    if [ "$mode" ]; then
        figure "$1" "$2" flash "$flash"
        figure "$1" "$2" RAM "$ram"
        figure "$1" "$2" stack "${stack%% *}"
    else
        echo "| $1 | $2 | $flash | $ram | ${stack%% *} |"
    fi
}

mode=
case ${1-} in --*) mode=$1; shift ;; esac
only_target=${1-} only_features=" ${*:2} "
[ "$mode" ] || printf '%s\n' '| target | features | flash | RAM | stack |' '| --- | --- | ---: | ---: | ---: |'
while IFS='|' read -r target package prefix machine call board interrupts pushed; do
    [ "${only_target:-$target}" = "$target" ] || continue
    needs "$target: sizes" "$prefix-gcc" "$package" || continue
    while IFS='|' read -r set where options; do
        [[ $target =~ $where ]] || continue
        [[ -z $only_target || $only_features == *" $set "* ]] || continue
        rm -f $dir/*.su
        if measure "$prefix" "$machine" "$call" "$options" 2>$dir/log; then
            show "$target" "$set"
        else
            fail "$target: $set" "$(reason $dir/log)"
        fi
    done <<<"$features"
    [ -z "$only_target" ] || continue
    rm -f $dir/*.su
    if measure_firmware "$prefix" "$machine" "$call" "$board" "$interrupts" "$pushed" 2>$dir/log; then
        show "$target" firmware
        [ "$target$mode" != atmega328p--check ] ||
            check 'atmega328p: all is within 2 KB of RAM' [ $((ram + stack)) -le 2048 ]
    else
        fail "$target: firmware" "$(reason $dir/log)"
    fi
done <<<"$targets"

# ---- instructions; on AVR nanoseconds

[ "$mode" ] || printf '%s\n' '' \
    '| target | a state at a time | by the clock | its text, byte by byte | in blocks | disabled |' \
    '| --- | ---: | ---: | ---: | ---: | ---: |'
while read -r target board needed; do
    [ "${only_target:-$target}" = "$target" ] || continue
    # shellcheck disable=SC2086
    needs "$target: instructions" $needed || continue
    if ! run "$board" ../../$here/instructions.c >$dir/log; then
        fail "$target: instructions" "$(reason $dir/log)"
    elif [ "$mode" ]; then
        while read -r what number; do
            figure "$target" instructions "$what" "$number"
        done <"$dir/$board.instructions"
    else
        [ "$target" != atmega328p ] || target+=', nanoseconds'
        awk -v row="| $target |" '{ row = row " " $2 " |" } END { print row }' "$dir/$board.instructions"
    fi
done <<<"cortex-m0 microbit $need_arm
cortex-m3 mps2-an385 $need_arm
rv32imac rv32 $need_riscv
atmega328p atmega328p $need_avr"
exit $failed
