#!/bin/bash
# Every generated file that is committed equals the output of its generator.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/verify
rm -rf $dir
mkdir -p $dir
failed=0

# same NAME FILE NEW: compares the committed file with the one that was just generated
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
    while read -r source; do
        new=$dir/$(basename "${source%.re}.h")
        "${RE2C:-re2c}" -W -Werror -i --no-generation-date -o "$new" "$source" || failed=1
        same "${source%.re}.h" "${source%.re}.h" "$new" "$source"
    done < <(find src examples -name '*.re')
else
    echo 'SKIP verify lexers: re2c is missing (install re2c)'
    # `make verify` fails then, as it could not verify; tests/run counts the case as skipped.
    [ "${MAKELEVEL:-0}" = 0 ] || failed=1
fi
awk -f src/disabled.awk src/pajewrite/api/calls.h >$dir/disabled.h || failed=1
same disabled.h src/pajewrite/api/disabled.h $dir/disabled.h src/disabled.awk
for folder in src/*/; do
    header=$(basename "$folder")
    src/amalgamate.sh "$header" "$dir/$header.h" || failed=1
    same "$header.h" "$header.h" "$dir/$header.h" 'src/amalgamate.sh'
done
tests/traces/stencil.sh >$dir/stencil.trace || failed=1
same stencil.trace tests/traces/stencil.trace $dir/stencil.trace tests/traces/stencil.sh
exit $failed
