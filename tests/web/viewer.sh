#!/bin/bash
# The viewer in headless Chromium, and in Firefox: what it draws, what one does with it, hostile and damaged traces.
set -u
cd "$(dirname "$0")/../.." || exit 3
export CORPUS=${CORPUS:-}
need() { # PACKAGE PROGRAM
    command -v "$2" >/dev/null && return
    echo "SKIP viewer: no $2 (install $1)"
    exit 0
}
need chromium chromium
need python3 python3
need clang clang
need lld wasm-ld
if ! echo 'int main(void) { return 0; }' | clang --target=wasm32-wasi -x c -o /dev/null - 2>/dev/null; then
    echo 'SKIP viewer: clang makes no WebAssembly (install wasi-libc libclang-rt-14-dev-wasm32)'
    exit 0
fi
make -s paje web build/bench/generate >/dev/null && make -s web SIMD=0 >/dev/null || exit 3
status=0
timeout 600 python3 -B tests/web/viewer.py build/tests/web || status=1
timeout 100 python3 -B tests/web/plain.py build/tests/web/plain || status=1
if command -v firefox-esr >/dev/null; then
    timeout 600 python3 -B tests/web/viewer.py build/tests/web/firefox firefox || status=1
else
    echo 'SKIP viewer in Firefox: no firefox-esr (install firefox-esr)'
fi
exit $status
