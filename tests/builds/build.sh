#!/bin/bash
# Both headers compile without a warning with every compiler, standard and option at hand, and the programs run.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/build
rm -rf $dir
mkdir -p $dir
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
sanitizers='-g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
freestanding='-ffreestanding -nostdlib -static -fno-stack-protector -I.'
failed=0

# Cases are collected, then run in parallel: `add NAME COMMAND` passes if the command, a shell line, succeeds.
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
# works COMPILER OPTIONS...: whether programs that are compiled with these options run
works() { echo 'int main(void) { return 0; }' | "$1" "${@:2}" -x c - -o $dir/works 2>/dev/null && $dir/works; }
# The compiler for 32-bit programs: a cross compiler, as multilib packages conflict with all others.
narrow() { if [ $1 = gcc ]; then echo i686-linux-gnu-gcc -static; else echo "$1" --target=i686-linux-gnu -static; fi; }
emulator= # for these programs
# works_narrow COMPILER: whether they run, in an emulator if the kernel runs none
works_narrow() {
    rm -f $dir/works
    # shellcheck disable=SC2046
    works $(narrow $1) && return
    emulator=qemu-i386
    [ -x $dir/works ] && $emulator $dir/works 2>/dev/null
}

# one NAME COMPILER OPTIONS [EMULATOR]: tests/builds/one.c compiles without a warning, and runs
one() {
    local program=$dir/${1//[^a-z0-9+]/-}
    add "$1" "$2 $warnings $3 -I. tests/builds/one.c -o $program && ${4:-} $program"
}

# option NAME COMPILER OPTIONS: as one, but clang, which takes long for the program, only checks the code
option() {
    if [[ $2 == clang* ]]; then
        add "$1" "$2 $warnings $3 -I. -fsyntax-only tests/builds/one.c"
    else
        one "$@"
    fi
}

# ---- standards, levels of optimization, options, word sizes

for pair in gcc:g++ clang:clang++; do
    compiler=${pair%:*} plus=${pair#*:}
    level=-O0 # of what is compiled to see that it can be; clang warns alike at all levels
    [ -z "${FULL:-}" ] || [ $compiler = clang ] || level=-O1
    if ! has $compiler; then
        echo "SKIP build with $compiler: no $compiler (install $compiler)"
        continue
    fi
    if [ "${FULL:-}" ] || [ $compiler = gcc ]; then
        one "$compiler c99 -O2" $compiler '-std=c99 -O2'
        option "$compiler c11 PAJESIM_FAST=0" $compiler "-std=c11 $level -DPAJESIM_FAST=0"
        option "$compiler PAJESIM_SIMD=0" $compiler "-std=c99 $level -DPAJESIM_SIMD=0"
    else
        option "$compiler c99" $compiler -std=c99
    fi
    if [ "${FULL:-}" ]; then
        option "$compiler PAJESIM_API=static" $compiler '-std=c99 -O0 -DPAJESIM_API=static -Wno-unused-function'
        option "$compiler c17 -O3" $compiler '-std=c17 -O3'
        option "$compiler PAJESIM_API=static inline" $compiler '-std=c99 -O0 -DPAJESIM_API="static inline"'
        option "$compiler PAJESIM_WORDS=255" $compiler '-std=c99 -O1 -DPAJESIM_WORDS=255'
        option "$compiler split sources" $compiler '-std=c99 -O0 -DPAJESIM_HEADER="\"src/pajesim/pajesim.h\""'
    fi
    if [ "${FULL:-}" ] || [ $compiler = gcc ]; then
        add "$compiler two translation units" \
            "$compiler -std=c99 -O0 $warnings -I. tests/builds/two.c tests/lib/implementation.c -o $dir/two-$compiler &&
             $dir/two-$compiler"
        add "$compiler freestanding" \
            "$compiler -std=c99 $level $warnings $freestanding tests/builds/freestanding.c -o $dir/free-$compiler &&
             $dir/free-$compiler"
        narrow=$(narrow $compiler)
        if works_narrow $compiler; then
            one "$compiler 32 bits" "$narrow" "-std=c99 $level" "$emulator"
            # Divisions of 64 bits by 64 may call libgcc there.
            add "$compiler 32 bits freestanding" \
                "$narrow -std=c99 $level $warnings $freestanding tests/builds/freestanding.c -lgcc -o $dir/free32-$compiler &&
                 $emulator $dir/free32-$compiler"
        else
            echo "SKIP build $compiler 32 bits: it makes no 32-bit programs that run (install gcc-i686-linux-gnu qemu-user)"
        fi
    fi
    if has $plus; then
        one "$plus c++11 -O0" $plus '-x c++ -std=c++11 -O0'
        [ -z "${FULL:-}" ] || option "$plus c++20 -Os" $plus '-x c++ -std=c++20 -Os'
    else
        echo "SKIP build with $plus: no $plus (install $plus)"
    fi
done

# ---- 64-bit ARM: with NEON; and big-endian, without, for which there is no C library

if [ "${FULL:-}" ]; then
    if has aarch64-linux-gnu-gcc && has qemu-aarch64; then
        mkdir -p $dir/big-endian/gnu
        : >$dir/big-endian/gnu/stubs-lp64_be.h
        add 'AArch64 freestanding' \
            "aarch64-linux-gnu-gcc -std=c99 -O1 $warnings $freestanding tests/builds/freestanding.c -o $dir/free-arm &&
             qemu-aarch64 $dir/free-arm"
        add 'AArch64 big-endian freestanding' \
            "aarch64-linux-gnu-gcc -std=c99 -O1 -mbig-endian $warnings $freestanding -isystem $dir/big-endian \
                 tests/builds/freestanding.c -o $dir/free-arm-be &&
             qemu-aarch64_be $dir/free-arm-be"
        add 'AArch64 number' \
            "aarch64-linux-gnu-gcc -std=c99 -O1 -static -I. tests/read/number.c -o $dir/number-arm &&
             qemu-aarch64 $dir/number-arm"
    else
        echo 'SKIP build AArch64: no compiler or emulator (install gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user)'
    fi
fi

# ---- symbols: ours have the prefix, and only four functions are needed, so nothing is allocated either

symbols() {
    local object=$dir/symbols$1.o
    add "symbols $1" "${CC:-cc} -std=c99 $1 -fno-stack-protector -I. -c tests/lib/implementation.c -o $object &&
        ! nm -g --defined-only $object | grep -vE ' pajesim_[a-z0-9_]+$' >&2 &&
        ! nm -u $object | grep -vE ' (memcpy|memmove|memset|memcmp|_GLOBAL_OFFSET_TABLE_)$' >&2 &&
        nm -g --defined-only $object | grep -q ' pajesim_feed$'"
}
if has nm; then
    [ -z "${FULL:-}" ] || symbols -O0
    symbols -O2
else
    echo 'SKIP build symbols: no nm (install binutils)'
fi

# ---- shared libraries with copies of their own

# mixed NAME OPTIONS EXPECTED: a library with these options behind one without
mixed() {
    local at=$dir/mixed-$1
    mkdir -p "$at"
    add "libraries with copies of the reader: $1" "
        ${CC:-cc} -std=c99 -O${FULL:-0} -fPIC -shared -I. -DLIBRARY=read_a tests/builds/mixed.c -o $at/liba.so &&
        ${CC:-cc} -std=c99 -O${FULL:-0} -fPIC -shared -I. -DLIBRARY=read_b $2 tests/builds/mixed.c -o $at/libb.so &&
        ${CC:-cc} -std=c99 tests/builds/mixed.c -L$at -la -lb -Wl,-rpath,\$PWD/$at -o $at/mixed &&
        found=\$($at/mixed) && echo \"error: \$found in place of $3\" && test \"\$found\" = '$3'"
}
if [ "$(uname)" = Linux ]; then
    mixed same '' '1 1'
    [ -z "${FULL:-}" ] || mixed decimals -DPAJESIM_TIME_DECIMALS=9 '1 2'
    mixed cache -DPAJESIM_CACHE=64 '1 2'
    [ -z "${FULL:-}" ] || mixed hidden '-DPAJESIM_TIME_DECIMALS=9 -fvisibility=hidden' '1 1'
fi

# ---- uninitialized memory: valgrind finds what the sanitizers do not

if has valgrind; then
    for trace in tour dialects crlf; do
        add "valgrind $trace" \
            "valgrind -q --error-exitcode=99 build/examples/read/count <tests/traces/$trace.trace; [ \$? -le 1 ]"
    done
else
    echo 'SKIP build valgrind: no valgrind (install valgrind)'
fi

# ---- tests of the reader under sanitizers, and with options; truncate.sh and fuzz.sh run under sanitizers, too

# programs NAME OPTIONS PROGRAM...: these of tests/read; those that know nothing internal share one object of the header
programs() {
    local program log
    log=$(${CC:-cc} -std=c99 $2 -I. -c tests/lib/implementation.c -o "$dir/reader$1.o" 2>&1) || {
        echo "FAIL build $1: ${log%%$'\n'*}"
        failed=1
    }
    for program in "${@:3}"; do
        if grep -qi 'pajesim__' "tests/read/$program.c"; then
            add "$program $1" "${CC:-cc} -std=c99 $2 -I. tests/read/$program.c -o $dir/$program$1 && $dir/$program$1"
        else
            add "$program $1" "sed '/define PAJESIM_IMPLEMENTATION/d' tests/read/$program.c |
                ${CC:-cc} -std=c99 $2 -I. -Itests/read -x c - -x none $dir/reader$1.o -o $dir/$program$1 && $dir/$program$1"
        fi
    done
}
# One probe and buckets of one: nearly all is in trees.
trees='-DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u'
if [ -z "${FULL:-}" ]; then
    :
elif works "${CC:-cc}" -fsanitize=address,undefined; then
    add 'sanitizers prose' "${CC:-cc} -std=c99 -Og $sanitizers -I. tests/read/prose.c -o $dir/prose-sanitized &&
        $dir/prose-sanitized -l 1009 tests/read/prose/[a-z]*.md"
    programs -sanitizers "-O0 $sanitizers" callbacks arena queries index window
else
    echo 'SKIP build sanitizers: it makes no such programs (install gcc libasan8)'
fi
# PAJESIM_SIMD=0 is what smallest.sh runs the rules with on other machines.
for option in ${FULL:+"$trees" -DPAJESIM_FAST=0 -DPAJESIM_CACHE=0}; do
    add "prose $option" \
        "${CC:-cc} -std=c99 -O1 -I. $option tests/read/prose.c -o '$dir/prose$option' &&
         '$dir/prose$option' -l 2003 tests/read/prose/[a-z]*.md"
done
if [ "${FULL:-}" ]; then
    programs -DPAJESIM_CHECKS=0 '-O1 -DPAJESIM_CHECKS=0' callbacks arena queries
    programs -trees "-O1 $trees" callbacks arena queries
fi
if works_narrow gcc; then
    # Images and indexes, with 64 bits that are aligned to 4 bytes.
    add "travel 32 bits" \
        "$(narrow gcc) -std=c99 -O1 -I. tests/read/travel.c -o $dir/travel32 && $emulator $dir/travel32 -n ${FULL:+1}3"
    [ -z "${FULL:-}" ] || add "prose 32 bits" \
        "$(narrow gcc) -std=c99 -O1 -I. tests/read/prose.c -o $dir/prose32 && $emulator $dir/prose32 -l 2003 tests/read/prose/[a-z]*.md"
else
    echo 'SKIP build prose 32 bits: no compiler that makes them, or they do not run (install gcc-i686-linux-gnu qemu-user)'
fi

[ -z "${FULL:-}" ] || add "memory src" "${CC:-cc} -std=c99 -O0 -I. -DPAJESIM_HEADER='\"src/pajesim/pajesim.h\"' tests/read/memory.c -o $dir/memory &&
    $dir/memory"

# ---- the installed files are enough to build a program

add install "(umask 077 && make -s install DESTDIR=$PWD/$dir/root PREFIX=/usr PJ_DUMP=1) &&
    [ -z \"\$(find $dir/root/usr ! -type l ! -perm -044)\" ] &&
    ${CC:-cc} -std=c99 -I$dir/root/usr/include examples/read/count.c -o $dir/count &&
    $dir/count <tests/traces/tour.trace >/dev/null && $dir/root/usr/bin/paje --version &&
    $dir/root/usr/bin/pj_dump -c tests/traces/tour.trace | grep -q '^reportContainer |0 (0)' &&
    [ \$($dir/root/usr/bin/pj_equals tests/traces/tour.trace tests/traces/tour.trace) = 1 ] &&
    grep -q '^Version: [0-9]' $dir/root/usr/share/pkgconfig/pajesim.pc &&
    grep -q '^Name: pajewrite' $dir/root/usr/share/pkgconfig/pajewrite.pc &&
    grep -q '^.TH PAJE 1' $dir/root/usr/share/man/man1/paje.1"
# elsewhere, with a blank in the name, and removed again, except for a pj_equals that is not ours
add uninstall "set -- 'DESTDIR=$PWD/$dir/a root' PREFIX=/opt LIBDIR=/opt/lib/here && make -s install \"\$@\" PJ_DUMP=1 &&
    rm '$dir/a root/opt/bin/pj_equals' && touch '$dir/a root/opt/bin/pj_equals' && make -s uninstall \"\$@\" &&
    [ \"\$(find '$dir/a root' ! -type d)\" = '$dir/a root/opt/bin/pj_equals' ]"
# what it offers to CMake
mkdir -p $dir/cmake
cat >$dir/cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(states C)
find_package(paje 0.2 REQUIRED)
find_package(paje 99 QUIET)
if(paje_FOUND)
    message(FATAL_ERROR "version 99 was found")
endif()
add_executable(states states.c)
target_link_libraries(states paje::pajesim paje::pajewrite)
END
printf '%s\n' '#define PAJESIM_IMPLEMENTATION' '#include <pajesim.h>' '#include <pajewrite.h>' \
    'int main(void) { return pajesim_version() == 0; }' >$dir/cmake/states.c
if has cmake; then
    add cmake "make -s install DESTDIR=$PWD/$dir/cmake/root PREFIX=/usr &&
        cmake -S $dir/cmake -B $dir/cmake/build -DCMAKE_PREFIX_PATH=$PWD/$dir/cmake/root/usr >$dir/cmake/log &&
        cmake --build $dir/cmake/build >>$dir/cmake/log && $dir/cmake/build/states"
else
    echo 'SKIP build cmake: no cmake (install cmake)'
fi

# what it offers to Meson, by the lines of the README
mkdir -p $dir/meson
sed -n '/^# meson.build/,/^```/{/^```/d;p}' examples/packaging/README.md >$dir/meson/meson.build
cp $dir/cmake/states.c $dir/meson/
if has meson && has pkg-config; then
    add meson "make -s install DESTDIR=$PWD/$dir/meson/root PREFIX=/usr &&
        export PKG_CONFIG_PATH=$PWD/$dir/meson/root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/$dir/meson/root &&
        meson setup $dir/meson/build $dir/meson >$dir/meson/log && meson compile -C $dir/meson/build >>$dir/meson/log &&
        $dir/meson/build/states"
else
    echo 'SKIP build meson: no meson, or no pkg-config (install meson pkg-config)'
fi

export -f run
for i in "${!names[@]}"; do
    printf '%s\0%s\0' "${names[i]}" "${commands[i]}"
done | xargs -0 -n 2 -P "$(nproc 2>/dev/null || echo 2)" bash -c 'run "$@"' run >$dir/results
cat $dir/results
[ "$(grep -c '^\(PASS\|FAIL\) ' $dir/results)" = ${#names[@]} ] || { echo "FAIL build: not all of ${#names[@]} cases were run"; failed=1; }

# ---- a locale with a decimal comma

${CC:-cc} -std=c99 -O0 -I. tests/read/locale.c -o $dir/locale && $dir/locale || failed=1

grep -q '^FAIL' $dir/results && failed=1
exit $failed
