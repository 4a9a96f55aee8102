#!/bin/bash
# The fast path of the reader equals the plain one, for each instruction set that this machine has, and, if FULL is set,
# for NEON in an emulator and SIMD128 of WebAssembly in node: digests of all callbacks and of the image are equal, for
# whole and damaged traces, in pieces, and with many containers.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/read/fast.d
rm -rf $dir # a program that is not compiled must not be that of another time
mkdir -p $dir
make -s build/bench/generate || exit 1

variants=(plain fast sse2 no-simd ahead)
# in a cache of two names one is replaced every few lines
options=(-DPAJESIM_FAST=0 '' '-DPAJESIM_SIMD=1 -DPAJESIM_CACHE=2' -DPAJESIM_SIMD=0 -DPAJESIM__PREFETCH_LOG2=0)
level=${FULL:+1}
level=${level:-0} # compiling takes longer than running
for i in 0 1 2 3 4; do
    ${CC:-cc} -std=c99 -O$level -I. ${options[i]} tests/read/fast.c -o $dir/${variants[i]} &
done
[ -z "${FULL:-}" ] || ! command -v aarch64-linux-gnu-gcc >/dev/null ||
    aarch64-linux-gnu-gcc -std=c99 -O1 -static -I. tests/read/fast.c -o $dir/neon &
[ -z "${FULL:-}" ] || ! command -v node >/dev/null || ! command -v wasm-ld >/dev/null ||
    clang --target=wasm32-wasi -msimd128 -std=c99 -O1 -Wl,-z,stack-size=1048576 -I. tests/read/fast.c -o $dir/wasm &
wait

build/bench/generate -b 200000 -c 100 >$dir/words.trace
build/bench/generate -b 200000 -c 50 -a long -q -t -n 20 -u 2 -e 3 >$dir/odd.trace
build/bench/generate -b 200000 -c 50 -r -a integers >$dir/integers.trace
build/bench/generate -b 400000 -c 10000 >$dir/many.trace
small=($dir/words.trace $dir/odd.trace $dir/integers.trace tests/traces/*.trace)

failed=0
# same NAME REFERENCE DIGESTS: one case for each trace
same() {
    while read -r digest trace && read -r other _ <&3; do
        if [ "$digest" = "$other" ]; then
            echo "PASS fast $1 $(basename "$trace")"
        else
            echo "FAIL fast $1 $(basename "$trace"): its digest is $other, without the fast path $digest"
            failed=1
        fi
    done <$2 3<$3
    [ "$(wc -l <$2)" = "$(wc -l <$3)" ] || { echo "FAIL fast $1: ended early"; failed=1; }
}
# digests NAME COMMAND...: into a file
digests() {
    "${@:2}" ${FULL:+2}8 words lives "${small[@]}" >$dir/$1.out
    "${@:2}" 2 $dir/many.trace >>$dir/$1.out
}
# compare NAME COMMAND...: its digests are those of the reference
compare() {
    digests "$@"
    same "$1" $dir/reference.out $dir/$1.out
}
digests reference $dir/plain
for variant in fast sse2 no-simd ahead; do
    compare $variant $dir/$variant
done
# With AVX-512 the best machine was that one; 2 is AVX2.
! grep -qsw avx512_vbmi2 /proc/cpuinfo || compare avx2 $dir/fast -m 2
if [ -z "${FULL:-}" ]; then
    :
elif command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
    compare neon qemu-aarch64 $dir/neon
else
    echo 'SKIP fast neon: no compiler or emulator (install gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user)'
fi
if [ -n "${FULL:-}" ] && [ -f $dir/wasm ]; then
    compare wasm node --no-warnings tests/read/wasi.mjs $dir/wasm
elif [ -n "${FULL:-}" ]; then
    echo 'SKIP fast wasm: no compiler or node (install clang, lld, wasi-libc, libclang-rt-14-dev-wasm32 and nodejs)'
fi
exit $failed
