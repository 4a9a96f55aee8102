#!/bin/bash
# Ten million events of 2, 4 and 16 threads under the thread sanitizer; `make check` has a tenth of that.
set -u
cd "$(dirname "$0")/../.." || exit 3
mkdir -p build/tests/full
if ! ${CC:-cc} -std=c99 -g -O2 -fsanitize=thread -I. tests/write-threads.c -o build/tests/full/write-threads; then
    echo 'SKIP write-threads, thread sanitizer: it makes no such programs (install libtsan2)'
    exit
fi
TSAN_OPTIONS=halt_on_error=1 build/tests/full/write-threads 10000000 'write-threads, thread sanitizer, in full'
