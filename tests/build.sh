#!/bin/bash
# The header compiles, cleanly, wherever it should, and the result runs.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=build/tests/build
rm -rf $dir
mkdir -p $dir
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
sanitizers='-g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
freestanding='-ffreestanding -nostdlib -static -fno-stack-protector -I.'
failed=0

# Cases are collected, then run side by side: `add NAME COMMAND` passes if the command, a shell line, succeeds.
names=() commands=()
add() { names+=("$1") commands+=("$2"); }

# run NAME COMMAND: one case
run() {
    local log status why
    log=$(bash -c "$2" 2>&1)
    status=$?
    if [ $status = 0 ]; then
        echo "PASS build $1"
    else
        log=$(grep -v '^PASS' <<<"$log")
        why=$(grep -m1 -iE 'error|warning|undefined' <<<"$log" || head -n 1 <<<"$log")
        echo "FAIL build $1: exit status $status, $why"
        { echo "$2"; head -n 20 <<<"$log"; } >&2
    fi
}

has() { command -v "$1" >/dev/null; }
# works COMPILER OPTIONS...: whether it makes programs with these options that run
works() { echo 'int main(void) { return 0; }' | "$1" "${@:2}" -x c - -o $dir/works 2>/dev/null && $dir/works; }
# The command for 32-bit programs.  A cross compiler: multilib packages cannot stay beside any other one.
narrow() { if [ $1 = gcc ]; then echo i686-linux-gnu-gcc -static; else echo "$1" --target=i686-linux-gnu -static; fi; }

# one NAME COMPILER OPTIONS: tests/one.c, without a warning, and it runs
one() {
    local program=$dir/${1//[^a-z0-9+]/-}
    add "$1" "$2 $warnings $3 -I. tests/one.c -o $program && $program"
}

# ---- standards, levels of optimization, options, word sizes

for pair in gcc:g++ clang:clang++; do
    compiler=${pair%:*} plus=${pair#*:}
    if ! has $compiler; then
        echo "SKIP build with $compiler: no $compiler (install $compiler)"
        continue
    fi
    one "$compiler c99 -O2" $compiler '-std=c99 -O2'
    if [ "${FULL:-}" ] || [ $compiler = gcc ]; then # clang takes three times as long
        one "$compiler c11 -O1 PAJESIM_FAST=0" $compiler '-std=c11 -O1 -DPAJESIM_FAST=0'
        one "$compiler PAJESIM_SIMD=0" $compiler '-std=c99 -O1 -DPAJESIM_SIMD=0'
    fi
    if [ "${FULL:-}" ]; then
        one "$compiler PAJESIM_API=static" $compiler '-std=c99 -O1 -DPAJESIM_API=static -Wno-unused-function'
        one "$compiler c17 -O3" $compiler '-std=c17 -O3'
        one "$compiler PAJESIM_API=static inline" $compiler '-std=c99 -O2 -DPAJESIM_API="static inline"'
        one "$compiler PAJESIM_WORDS=255" $compiler '-std=c99 -O2 -DPAJESIM_WORDS=255'
        one "$compiler split sources" $compiler '-std=c99 -O2 -DPAJESIM_HEADER="\"src/pajesim_src.h\""'
    fi
    if [ "${FULL:-}" ] || [ $compiler = gcc ]; then
        add "$compiler two translation units" \
            "$compiler -std=c99 -O1 $warnings -I. tests/two.c tests/implementation.c -o $dir/two-$compiler &&
             $dir/two-$compiler"
        add "$compiler freestanding" \
            "$compiler -std=c99 -O2 $warnings $freestanding tests/freestanding.c -o $dir/free-$compiler &&
             $dir/free-$compiler"
        narrow=$(narrow $compiler)
        if works $narrow; then
            one "$compiler 32 bits" "$narrow" '-std=c99 -O2'
            # Divisions of 64 bits by 64 are the compiler's own affair there: libgcc.
            add "$compiler 32 bits freestanding" \
                "$narrow -std=c99 -O1 $warnings $freestanding tests/freestanding.c -lgcc -o $dir/free32-$compiler &&
                 $dir/free32-$compiler"
        else
            echo "SKIP build $compiler 32 bits: it makes no 32-bit programs (install gcc-i686-linux-gnu)"
        fi
    fi
    if has $plus; then
        one "$plus c++11 -O0" $plus '-x c++ -std=c++11 -O0'
        [ -z "${FULL:-}" ] || one "$plus c++20 -Os" $plus '-x c++ -std=c++20 -Os'
    else
        echo "SKIP build with $plus: no $plus (install $plus)"
    fi
done

# ---- each part of src/ uses only what stands above it

part=0 above='#define PAJESIM_IMPLEMENTATION'
while IFS= read -r line; do
    above+=$'\n'$line
    part=$((part + 1))
    echo "$above" >$dir/part-$part.c
    name=${line#*\"}
    add "part ${name%\"*}" "${CC:-cc} -std=c99 -w -fsyntax-only -Isrc $dir/part-$part.c"
done < <(grep '^#include "' src/pajesim_src.h)

# ---- symbols: ours bear the prefix, and nothing is needed but four functions, so nothing is allocated either

symbols() {
    local object=$dir/symbols$1.o
    add "symbols $1" "${CC:-cc} -std=c99 $1 -fno-stack-protector -I. -c tests/implementation.c -o $object &&
        ! nm -g --defined-only $object | grep -vE ' pajesim_[a-z0-9_]+$' >&2 &&
        ! nm -u $object | grep -vE ' (memcpy|memmove|memset|memcmp|_GLOBAL_OFFSET_TABLE_)$' >&2 &&
        nm -g --defined-only $object | grep -q ' pajesim_feed$'"
}
if has nm; then
    symbols -O0
    symbols -O2
else
    echo 'SKIP build symbols: no nm (install binutils)'
fi

# ---- memory that was never written: valgrind sees what the sanitizers do not

if has valgrind; then
    for trace in tour dialects crlf; do
        add "valgrind $trace" \
            "valgrind -q --error-exitcode=99 build/examples/plugin_count <tests/traces/$trace.trace; [ \$? -le 1 ]"
    done
else
    echo 'SKIP build valgrind: no valgrind (install valgrind)'
fi

# ---- the program of prose tests under sanitizers: on the header with one compiler, on the parts with the other

# sanitized COMPILER HEADER PACKAGE LEVEL
sanitized() {
    local program=$dir/prose-$1
    if ! has "$1" || ! works "$1" -fsanitize=address,undefined; then
        echo "SKIP build sanitizers $1: it makes no such programs (install $1 $3)"
        return
    fi
    add "sanitizers $1 $2" \
        "$1 -std=c99 $4 $sanitizers -I. -DPAJESIM_HEADER='\"$2\"' tests/prose.c -o $program &&
         $program -l 61 tests/prose/[a-z]*.md"
    for program in callbacks index; do
        add "sanitizers $1 $2 $program" \
            "$1 -std=c99 $4 $sanitizers -I. -DPAJESIM_HEADER='\"$2\"' tests/$program.c -o $dir/$program-$1 &&
             $dir/$program-$1"
    done
}
# What costs most: a quarter of a minute each.  truncate.sh and fuzz.sh have sanitizers, too.
if [ "${FULL:-}" ]; then
    sanitized gcc pajesim.h libasan8 -Og
    sanitized clang src/pajesim_src.h libclang-rt-14-dev -O1
fi

# ---- the same without what makes it fast, and in 32 bits

every=509
[ -z "${FULL:-}" ] || every=61

for option in -DPAJESIM__PROBES=1u ${FULL:+-DPAJESIM__BUCKET=1u -DPAJESIM_FAST=0 -DPAJESIM_SIMD=0 -DPAJESIM_CACHE=0}; do
    add "prose $option" \
        "${CC:-cc} -std=c99 -O1 -I. $option tests/prose.c -o $dir/prose$option &&
         $dir/prose$option -l $every tests/prose/[a-z]*.md"
done
for option in ${FULL:+-DPAJESIM_CHECKS=0 -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u}; do
    add "callbacks $option" "${CC:-cc} -std=c99 -O1 -I. $option tests/callbacks.c -o $dir/callbacks$option && $dir/callbacks$option"
done
if works $(narrow gcc); then
    [ -z "${FULL:-}" ] || add "prose 32 bits" \
        "$(narrow gcc) -std=c99 -O1 -I. tests/prose.c -o $dir/prose32 && $dir/prose32 -l 61 tests/prose/[a-z]*.md"
else
    echo 'SKIP build prose 32 bits: no compiler that makes them (install gcc-i686-linux-gnu)'
fi

[ -z "${FULL:-}" ] || add "memory src" "${CC:-cc} -std=c99 -O2 -I. -DPAJESIM_HEADER='\"src/pajesim_src.h\"' tests/memory.c -o $dir/memory &&
    $dir/memory"

# ---- what is installed is enough to build with

add install "make -s install DESTDIR=$PWD/$dir/root PREFIX=/usr &&
    ${CC:-cc} -std=c99 -I$dir/root/usr/include examples/plugin_count.c -o $dir/count &&
    $dir/count <tests/traces/tour.trace >/dev/null && $dir/root/usr/bin/paje --version &&
    grep -q '^Version: [0-9]' $dir/root/usr/share/pkgconfig/pajesim.pc"

export -f run
for i in "${!names[@]}"; do
    printf '%s\0%s\0' "${names[i]}" "${commands[i]}"
done | xargs -0 -n 2 -P "$(nproc 2>/dev/null || echo 2)" bash -c 'run "$@"' run >$dir/results
cat $dir/results

# ---- a comma for a decimal point

${CC:-cc} -std=c99 -O1 -I. tests/locale.c -o $dir/locale && $dir/locale || failed=1

grep -q '^FAIL' $dir/results && failed=1
exit $failed
