#!/bin/bash
# The options for small machines: a small trace in 4 KB, the rules of tests/read/prose in each kind of build, and both
# on machines of another byte order or word size, where their compilers and qemu are installed.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/builds/smallest
rm -rf $dir
mkdir -p $dir
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
sanitizers='-g1 -Og -fsanitize=address,undefined -fno-sanitize-recover=all'
small=-DPAJESIM_SMALL=1
# The options of the smallest build.
whole="$small -DPAJESIM_CHECKS=1 -DPAJESIM_REPAIRS=1 -DPAJESIM_FILES=1 -DPAJESIM_FIELDS=1 -DPAJESIM_TEXTS=1"
whole+=' -DPAJESIM_WORDS=32'
narrow='-DPAJESIM_REFERENCE=16'
integers='-DPAJESIM_TIME_DECIMALS=9 -DPAJESIM_VALUE_DECIMALS=6'
failed=0 programs=0 run='' steps='-l 4001'

has() { command -v "$1" >/dev/null; }
pass() { echo "PASS smallest: $1"; }
fail() {
    echo "FAIL smallest: $1: $2"
    failed=1
}

# build FOLDER/NAME OPTIONS COMPILER...: compiles tests/FOLDER/NAME.c to $program
build() {
    program=$dir/${1#*/}.$((++programs))
    # shellcheck disable=SC2086
    "${@:3}" -std=c99 $2 -I. "tests/$1.c" -o $program >$dir/log 2>&1
}

# replay CASE CAPACITY OPTIONS COMPILER...: the output is that of the default build
replay() {
    if ! build builds/smallest "${@:3}"; then
        fail "$1" "$(head -n 1 $dir/log)"
    elif ! $run $program "$2" >$dir/seen 2>$dir/log; then
        fail "$1" "$(cat $dir/seen $dir/log | grep -m1 -E '^status|ERROR|runtime error')"
    elif ! cmp -s $dir/expected $dir/seen; then
        fail "$1" "$(diff $dir/expected $dir/seen | sed -n 2p)"
    else
        pass "$1"
    fi
}

# prose CASE OPTIONS COMPILER...: all rules of tests/read/prose hold
prose() {
    if ! build read/prose "${@:2}"; then
        fail "$1" "$(head -n 1 $dir/log)"
    elif ! $run $program $steps tests/read/prose/[a-z]*.md >$dir/seen 2>$dir/log; then
        fail "$1" "$({ grep -m1 '^FAIL' $dir/seen || head -n 1 $dir/log; } | sed 's/^FAIL prose //')"
    else
        pass "$1"
    fi
}

if ! build builds/smallest -O1 "${CC:-cc}" || ! $program >$dir/expected 2>$dir/log || ! [ -s $dir/expected ]; then
    fail 'the default build' "$(head -n 1 $dir/log)"
fi
# Without chunks, and with destroyed containers that do not know their parents, there is no travel in time.
if build builds/smallest "$small -DPAJESIM_REFERENCE=32 -DPAJESIM_FIELDS=1 -DPAJESIM_TRAVEL=1" "${CC:-cc}"; then
    fail 'no travel in time' 'it compiles'
elif grep -q 'error.*PAJESIM_TRAVEL needs.*PAJESIM_SMALL' $dir/log; then
    pass 'no travel in time'
else
    fail 'no travel in time' "$(head -n 1 $dir/log)"
fi
replay '4 containers, 2 state types and 8 values in 4096 bytes' 4096 "$small $sanitizers $warnings" "${CC:-cc}"
replay 'narrow references alone' 4096 "$narrow $sanitizers $warnings" "${CC:-cc}"
replay 'integer times beside doubles' 8448 "-DPAJESIM_TIME_DECIMALS=9 $sanitizers $warnings" "${CC:-cc}"
prose 'the rules, small' "$small $sanitizers" "${CC:-cc}"
prose 'the rules, small code with nothing left out' "$whole -O2" "${CC:-cc}"
prose 'the rules, narrow references and integers' "$narrow $integers $sanitizers" "${CC:-cc}"

steps='-l 100000 -w 4' # few sizes of the arena and ways to feed: emulators are slow
while IFS='|' read -r name package compiler run; do
    if ! has "${compiler%% *}" || ! has "${run:-env}"; then
        echo "SKIP smallest: $name: no ${compiler%% *} or $run (install $package)"
        continue
    fi
    # shellcheck disable=SC2086
    {
        replay "$name" 4096 "$small -O2" $compiler
        prose "$name, the rules" -O1 $compiler
        # Where bytes and words are as on this machine, the rules in the small build are as above.
        [[ $name == *64-bit* || $name == musl ]] || prose "$name, the rules, small" "$small -O1" $compiler
    }
done <<'END'
big-endian, 64 bits|gcc-powerpc64-linux-gnu qemu-user|powerpc64-linux-gnu-gcc -static|qemu-ppc64
64-bit ARM|gcc-aarch64-linux-gnu qemu-user|aarch64-linux-gnu-gcc -static|qemu-aarch64
32 bits|gcc-arm-linux-gnueabihf qemu-user|arm-linux-gnueabihf-gcc -static|qemu-arm
musl|musl-tools|musl-gcc -static|
END
exit $failed
