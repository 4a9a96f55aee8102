#!/bin/bash
# Static analysis of both headers: gcc -fanalyzer, clang-tidy (clang-analyzer and bugprone), cppcheck.  What is switched off:
#   bugprone-easily-swappable-parameters, bugprone-reserved-identifier      style, and __ within names is the private part
#   bugprone-implicit-widening-of-multiplication-result   products of small sizes, which the arena's limit bounds
#   bugprone-narrowing-conversions                        -Wconversion looks at these, and is an error in tests/build.sh
#   bugprone-not-null-terminated-result                   texts here have sizes, no NUL
#   bugprone-unused-return-value                          mmap over a page of its own: the next call tells
#   clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling    wants memcpy_s
#   clang-analyzer-deadcode.DeadStores                    values that are read with some options only
# and of cppcheck:
#   uninitvar, ctuuninitvar       what is filled through a pointer; valgrind and the fuzzers look at what was never written
#   identicalInnerCondition       what a callback of the same loop may have changed
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/analyse
mkdir -p $dir
printf '#define PAJESIM_IMPLEMENTATION\n#include "pajesim.h"\n' >$dir/pajesim.c
printf '#define %s\n' '_POSIX_C_SOURCE 200809L' 'PAJEWRITE_CHECK 1' PAJEWRITE_IMPLEMENTATION >$dir/pajewrite.c
echo '#include "pajewrite.h"' >>$dir/pajewrite.c
checks='-*,bugprone-*,clang-analyzer-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier'
checks+=',-bugprone-implicit-widening-of-multiplication-result,-bugprone-narrowing-conversions'
checks+=',-bugprone-not-null-terminated-result,-bugprone-unused-return-value'
checks+=',-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-deadcode.DeadStores'
failed=0

# analyse NAME PACKAGE COMMAND...: passes if it has nothing to say
analyse() {
    local name=$1 package=$2 log
    shift 2
    if ! command -v "$1" >/dev/null; then
        echo "SKIP analyse $name: no $1 (install $package)"
    elif log=$("$@" 2>&1 | grep -E 'warning:|error:'); then
        echo "FAIL analyse $name: $(head -n 1 <<<"$log")"
        echo "$log" >&2
        failed=1
    else
        echo "PASS analyse $name"
    fi
}
for header in pajesim pajewrite; do
    analyse "$header.h gcc -fanalyzer" gcc gcc -std=c99 -O1 -fanalyzer -I. -c $dir/$header.c -o $dir/$header.o
    analyse "$header.h clang-tidy" clang-tidy clang-tidy --quiet --header-filter='paje(sim|write)\.h' --checks="$checks" \
        $dir/$header.c -- -std=c99 -I.
    analyse "$header.h cppcheck" cppcheck cppcheck --std=c99 --enable=warning,portability --quiet -I. -DDBL_MANT_DIG=53 -DDBL_MAX_EXP=1024 -DFLT_RADIX=2 \
        --suppress=missingIncludeSystem \
        --suppress=uninitvar --suppress=ctuuninitvar --suppress=identicalInnerCondition $dir/$header.c
done
exit $failed
