#!/bin/bash
# Every generated file that is committed equals what it is generated from.
set -u
cd "$(dirname "$0")/.." || exit 3
dir=build/verify
rm -rf $dir
mkdir -p $dir
failed=0

# same NAME FILE NEW: compares the committed file with the one that was made just now
same() {
    if cmp -s "$2" "$3"; then
        echo "PASS verify $1"
    else
        failed=1
        echo "FAIL verify $1: it is not what $4 makes; mend it with: make regenerate, then commit $2"
        diff "$2" "$3" | head -n 10 >&2
    fi
}

if command -v "${RE2C:-re2c}" >/dev/null; then
    "${RE2C:-re2c}" -W -Werror -i --no-generation-date -o $dir/lex.h src/lex.re || failed=1
    same lex.h src/lex.h $dir/lex.h src/lex.re
else
    echo 'SKIP verify lex.h: re2c is missing (install re2c)'
    # To `make verify` this is a failure, as it could not do what it is for; tests/run counts it as skipped.
    [ "${MAKELEVEL:-0}" = 0 ] || failed=1
fi
src/amalgamate.sh $dir/pajesim.h || failed=1
same pajesim.h pajesim.h $dir/pajesim.h 'src/amalgamate.sh'
tests/traces/stencil.sh >$dir/stencil.trace || failed=1
same stencil.trace tests/traces/stencil.trace $dir/stencil.trace tests/traces/stencil.sh
exit $failed
