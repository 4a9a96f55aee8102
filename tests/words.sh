#!/bin/bash
# Plain words: comments and prose have none of the words and phrases in tests/words.list.  Lines of C have 120 columns.
# usage: tests/words.sh [FILE...]   prints each hit as FILE:LINE, with what to write in its place
set -u
cd "$(dirname "$0")/.." || exit 3

dir=build/words failed=0
mkdir -p $dir
if [ $# -gt 0 ]; then
    printf '%s\n' "$@" >$dir/files
else
    find Makefile .ci README.md pajesim.h pajewrite.h src examples tests bench -type f \
        -not -path '*/fuzz/found/*' -not -path '*/fuzz/corpus/*' -not -path '*/__pycache__/*' -not -name '*.trace' -not -name '*.svg' -not -name '*.csv' | LC_ALL=C sort >$dir/files
fi
xargs awk -f tests/words.awk <$dir/files >$dir/prose
while IFS=$'\t' read -r pattern plain; do
    case $pattern in '#'* | '') continue ;; esac
    # The pattern is looked for behind FILE:LINE:, where `^` marks the start of a comment.
    ignore=''
    [[ $pattern == *[A-Z]* ]] || ignore=-i
    grep -nE $ignore -- "^[^:]*:[0-9]+:(.*($(sed 's/(^|[|])\^/\1\\^/g' -E <<<"$pattern")))" $dir/prose |
        sed 's/^[0-9]*://' | while IFS=: read -r file line text; do
        echo "FAIL words $file:$line: write \`$plain\`: ${text#^}"
    done
    [ "${PIPESTATUS[0]}" -le 1 ] || echo "FAIL words: tests/words.list: no regular expression: $pattern"
done <tests/words.list >$dir/hits
LC_ALL=C sort -t: -k1,1 -k2,2n -u $dir/hits
[ ! -s $dir/hits ] || failed=1

grep -E '\.[ch]$' $dir/files | xargs awk 'length > 120 { print "FAIL words " FILENAME ":" FNR ": more than 120 columns" }' |
    grep -v '/lex\.h:' >$dir/wide # which re2c makes
[ -s $dir/wide ] && cat $dir/wide && failed=1 || echo 'PASS words width'

for folder in $(sed 's,/[^/]*$,,' $dir/files | sort -u); do
    grep -q "^FAIL words $folder/[^/]*:" $dir/hits || echo "PASS words $folder"
done
exit $failed
