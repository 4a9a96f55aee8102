#!/bin/bash
# Writes the page: one file with its style, a script that unpacks, and, compressed, the other scripts and the reader.  A
# policy in it forbids all styles and scripts but these, by their hashes.  usage: page.sh READER.wasm
set -eu
cd "$(dirname "$0")"
reader=$(cd - >/dev/null && realpath "$1")

# Lines without indentation and comments; what is within a line stays.
shorten()
{
    sed -e 's/^ *//' -e '/^\/\/ /d' -e '/^$/d' -e "/^'use strict';$/d" "$@"
}
hash_of()
{
    printf "'sha256-%s'" "$(printf '%b' "$(sha256sum <"$1" | cut -c1-64 | sed 's/../\\x&/g')" | base64)"
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
shorten page.css >"$out/STYLE"
{ echo "'use strict';" && shorten worker/*.js; } >"$out/WORKER"
{ echo "'use strict';" && shorten page/load.js; } >"$out/SCRIPT"
{ echo "'use strict';" && shorten $(ls page/*.js | grep -v load.js) && echo 'start();'; } >"$out/PAGE"
# The page's script, a byte that is 0, that of the workers, and the reader, which begins with such a byte.  Z85 takes a
# quarter more than the bytes, base64 a third; its signs < and & are others here.  The size stands first.
{ cat "$out/PAGE" && printf '\0' && cat "$out/WORKER" "$reader"; } | gzip -9n >"$out/bytes"
size=$(wc -c <"$out/bytes")
head -c $(((4 - size % 4) % 4)) /dev/zero >>"$out/bytes"
printf '%d ' "$size" >"$out/PACKED"
basenc --z85 -w0 "$out/bytes" | tr '<&' '~_' >>"$out/PACKED"
if grep -l '</script' "$out/SCRIPT" >&2; then
    echo 'page.sh: a script ends within the text of a script' >&2
    exit 1
fi
printf '%s' "default-src 'none'; script-src $(hash_of "$out/SCRIPT") $(hash_of "$out/PAGE") 'wasm-unsafe-eval';" \
    " style-src $(hash_of "$out/STYLE"); worker-src blob:; connect-src http: https:; base-uri 'none'; form-action 'none'" >"$out/POLICY"
awk -v out="$out" '
    function put(name,   line, first) {
        first = 1
        while ((getline line < (out "/" name)) > 0) {
            printf "%s%s", line, name ~ /PACKED|POLICY/ ? "" : "\n"
        }
    }
    {
        while (match($0, /@[A-Z]+@/)) {
            printf "%s", substr($0, 1, RSTART - 1)
            put(substr($0, RSTART + 1, RLENGTH - 2))
            $0 = substr($0, RSTART + RLENGTH)
        }
        print
    }' page.html
