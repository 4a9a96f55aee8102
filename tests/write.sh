#!/bin/bash
# pajewrite.h beyond its own reader: it compiles everywhere, other readers take what it writes, threads do not disturb
# each other, and compiled out it is nothing.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=build/tests/writing
mkdir -p $dir
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
failed=0 FULL=${FULL:-0}

# tell NAME COMMAND...: a case, which passes if the command succeeds
tell() {
    local name=$1 log
    shift
    if log=$("$@" 2>&1); then
        echo "PASS write/$name"
    else
        log=$(grep -m1 -aiE 'error|warning|exception|differ' <<<"$log" || head -n 1 <<<"$log")
        echo "FAIL write/$name: $log"
        failed=1
    fi
}
has() { command -v "$1" >/dev/null; }
works() { echo 'int main(void) { return 0; }' | "$1" "${@:2}" -x c - -o $dir/works 2>/dev/null && $dir/works; }
# The command for 32-bit programs.  A cross compiler: multilib packages cannot stay beside any other one.
narrow() { if [ $1 = gcc ]; then echo i686-linux-gnu-gcc -static; else echo "$1" --target=i686-linux-gnu -static; fi; }

# ---- the header alone, wherever it should compile

printf '#define PAJEWRITE_IMPLEMENTATION\n#include "pajewrite.h"\nint main(void) { return 0; }\n' >$dir/alone.c
alone() { tell "compiles: $*" "$1" $warnings "${@:2}" -I. $dir/alone.c -o $dir/alone; }
for pair in gcc:g++ clang:clang++; do
    compiler=${pair%:*} plus=${pair#*:}
    if ! has $compiler; then
        echo "SKIP write/compiles: $compiler: no $compiler (install $compiler)"
        continue
    fi
    alone $compiler -std=c99 -O2
    if [ $FULL != 0 ] || [ $compiler = gcc ]; then
        alone $compiler -std=gnu11 -O1 -DPAJEWRITE_CHECK=1
        if [ $FULL != 0 ]; then
            alone $compiler -std=gnu17 -O3 -DPAJEWRITE_CHECK=1
            alone $compiler -std=c99 -O1 -DPAJEWRITE_DOUBLE=0
            alone $compiler -std=c99 -O1 -DPAJEWRITE_API=static -Wno-unused-function
        fi
        alone $compiler -std=c99 -O0 -D_POSIX_C_SOURCE=200809L
        alone $compiler -std=c99 -O2 -DPAJEWRITE_DISABLE
        narrow=$(narrow $compiler)
        if works $narrow; then
            tell "compiles: $compiler 32 bits" $narrow -std=gnu99 -O2 $warnings -I. $dir/alone.c -o $dir/alone
        else
            echo "SKIP write/compiles: $compiler 32 bits: it makes no 32-bit programs (install gcc-i686-linux-gnu)"
        fi
    fi
    has $plus && alone $plus -x c++ -std=c++11 -O1 && alone $plus -x c++ -std=c++20 -O0 -DPAJEWRITE_CHECK=1
done
needed() {
    ${CC:-cc} -std=c99 -O2 -ffreestanding -fno-stack-protector -I. -c $dir/alone.c -o $dir/alone.o &&
        ! nm -u $dir/alone.o | grep -vE ' (memcpy|memmove|memset|_GLOBAL_OFFSET_TABLE_)$' &&
        ! nm -g --defined-only $dir/alone.o | grep -vE ' (pajewrite_[a-z0-9_]+|main)$'
}
tell 'freestanding, it needs memcpy, memmove and memset only' needed

# ---- compiled out

identical() {
    local options="-std=c99 $1 -DPAJEWRITE_DISABLE -Wall -Wextra -Werror -I. -c tests/write-disable.c"
    ${CC:-cc} $options -o $dir/calls.o && ${CC:-cc} $options -DWITHOUT -o $dir/none.o &&
        objdump -drs $dir/calls.o | tail -n +4 >$dir/calls.txt && objdump -drs $dir/none.o | tail -n +4 >$dir/none.txt &&
        cmp $dir/calls.txt $dir/none.txt && ${CC:-cc} $dir/calls.o -o $dir/calls
}
for level in -O0 -O2 $([ $FULL = 0 ] || echo -O1 -O3); do
    tell "compiled out, nothing is left: $level" identical $level
done
# every function has its macro
complete() {
    local name
    for name in $(sed -n '/^#endif \/\* PAJEWRITE_H/q; s/^PAJEWRITE_API .*\b\(pajewrite_[a-z][a-z0-9_]*\)(.*/\1/p' pajewrite.h); do
        grep -q "^#define $name\b" pajewrite.h || { echo "error: $name is not compiled out"; return 1; }
    done
}
tell 'compiled out, nothing is forgotten' complete

# ---- other readers

make -s build/tests/write build/tests/write-faults build/tests/write-threads build/paje || exit 1
for seed in 1 2 $([ $FULL = 0 ] || echo 3 4 5); do
    build/tests/write --trace $seed >$dir/$seed.trace
    tell "paje validate --strict: trace $seed" build/paje validate --strict $dir/$seed.trace
    if has pj_dump; then
        tell "pj_dump: trace $seed" pj_dump $dir/$seed.trace
    else
        echo "SKIP write/pj_dump: trace $seed: no pj_dump (install pajeng)"
    fi
    if has vite; then
        sed '/^%EventDef PajeTraceFile/,/^%EndEventDef/d' $dir/$seed.trace >$dir/$seed.without # which it does not know
        tell "ViTE: trace $seed" tests/vite.sh $dir/$seed.without
    else
        echo "SKIP write/ViTE: trace $seed: no vite (install vite)"
    fi
done

# ---- scopes

for pair in "${CC:-cc}:C" c++:C++; do
    compiler=${pair%:*} language=${pair#*:}
    if has $compiler; then
        $compiler -x ${language,,} -std=${language,,}$([ $language = C ] && echo 99 || echo 11) $warnings -I. \
            tests/write-scope.c -o $dir/scope && $dir/scope $language || failed=1
    else
        echo "SKIP write/scope in $language: no $compiler (install g++)"
    fi
done

# ---- faults, and a disk that gets full: a small one of our own, where one may be mounted

build/tests/write-faults || failed=1
disk='mount -t tmpfs -o size=300k none "$1" && exec build/tests/write-faults --full-disk "$1"'
mkdir -p $dir/disk
for as in 'unshare -m' 'unshare -rm'; do
    if $as sh -c 'mount -t tmpfs none "$1"' mount $dir/disk 2>/dev/null; then
        $as sh -c "$disk" mount $dir/disk || failed=1
        break
    fi
done

# ---- threads

build/tests/write-threads $((FULL ? 10000000 : 1000000)) || failed=1

# ---- all of it under sanitizers, which takes long to compile

[ $FULL != 0 ] || exit $failed # fuzz.sh has sanitizers, too
if works "${CC:-cc}" -fsanitize=thread; then
    ${CC:-cc} -std=c99 -g -O2 -fsanitize=thread -I. tests/write-threads.c -o $dir/threads &&
        TSAN_OPTIONS=halt_on_error=1 $dir/threads 10000000 'write-threads, thread sanitizer' || failed=1
else
    echo 'SKIP write-threads, thread sanitizer: it makes no such programs (install libtsan2)'
fi
if works "${CC:-cc}" -fsanitize=address,undefined; then
    sanitized="${CC:-cc} -std=c99 -g -Og -fsanitize=address,undefined -fno-sanitize-recover=all -I. -o $dir/sanitized"
    for check in 1 0; do
        $sanitized -DPAJEWRITE_CHECK=$check tests/write.c
        tell "address and undefined behaviour sanitizers, PAJEWRITE_CHECK=$check" $dir/sanitized
    done
    $sanitized tests/write-faults.c
    tell 'address and undefined behaviour sanitizers, faults' $dir/sanitized
else
    echo 'SKIP write/address and undefined behaviour sanitizers: it makes no such programs (install libasan8)'
fi
exit $failed
