#!/bin/bash
# Compressed traces, and files that are no traces.
. "$(dirname "$0")/lib.sh"

trace=$dir/whole.trace
cat tests/tool/header.trace tests/tool/body.trace >"$trace"
"$paje" dump "$trace" >"$dir/expected"
{
    cat "$trace"
    awk 'BEGIN { for (i = 8; i < 60000; i++) print "30 " i " H0 none a " i * 7919 % 60000 }'
} >"$dir/large.trace"

# Two processes would share it, also packed, were it not compressed.
{
    cat "$trace"
    awk 'BEGIN { srand(1); for (i = 0; i < 16000; i++) { printf "#"; for (k = 0; k < 5; k++) printf " %d", rand() * 2147483647; print "" } }'
} >"$dir/random.trace"

for program in gzip xz zstd; do
    if ! command -v $program >/dev/null; then
        skip $program "no $program (install ${program/xz/xz-utils})"
        continue
    fi
    packed=$dir/whole.$program
    $program -c <"$trace" >"$packed" 2>/dev/null
    "$paje" dump "$packed" >"$dir/got"
    same "$program: a file" "$dir/expected" "$dir/got"
    "$paje" dump <"$packed" >"$dir/got"
    same "$program: a file as standard input" "$dir/expected" "$dir/got"
    cat "$packed" | "$paje" dump >"$dir/got"
    same "$program: a pipe" "$dir/expected" "$dir/got"
    { head -c 1 "$packed"; sleep 0.1; tail -c +2 "$packed"; } | "$paje" dump >"$dir/got"
    same "$program: a pipe that begins with one byte" "$dir/expected" "$dir/got"
    $program -c <"$dir/random.trace" >"$dir/random.$program" 2>/dev/null
    check "$program: it is large" test "$(wc -c <"$dir/random.$program")" -gt 262144
    "$paje" dump -j 2 "$dir/random.$program" >"$dir/got"
    same "$program: two processes" "$dir/expected" "$dir/got"
    expect "$program: two of them" 0 '^equal: 14 entities$' "$paje" equals "$packed" "$packed"
    for from in "$packed" -; do
        "$paje" merge -o "$dir/merged.trace" $from <"$packed"
        expect "$program: merge of ${from##*/}" 0 '^equal: 14' "$paje" equals "$dir/merged.trace" "$trace"
    done
    $program -c <"$dir/large.trace" >"$dir/large.$program" 2>/dev/null
    head -c 9000 "$dir/large.$program" >"$dir/cut.$program"
    cut="^paje: (<stdin>|.*cut.$program): .$program -dc. failed with exit status 1: it is damaged or cut off"
    expect "$program: cut off" 3 "$cut" "$paje" dump "$dir/cut.$program"
    expect "$program: cut off, in a pipe" 3 "$cut" bash -c "cat '$dir/cut.$program' | '$paje' dump"
    expect "$program: cut off, no half of a file" 3 "$cut; what is shown, if anything, ends there$" \
        "$paje" merge -o "$dir/no.trace" "$dir/cut.$program"
    check "$program: cut off, no half of a file is there" test ! -e "$dir/no.trace"
    expect "$program: no such program" 3 \
        "^paje: $packed: it is compressed, and there is no program .$program.: install it" \
        env PATH=/nowhere "$paje" dump "$packed"
    "$paje" dump -a 3 "$dir/large.$program" >"$dir/got" 2>"$dir/err"
    check "$program: ends early, and nothing is said" test ! -s "$dir/err"
done

if command -v pzstd >/dev/null; then
    pzstd -q -c "$trace" >"$dir/whole.pzstd"
    "$paje" dump "$dir/whole.pzstd" >"$dir/got"
    same 'pzstd: a file' "$dir/expected" "$dir/got"
    cat "$dir/whole.pzstd" | "$paje" dump >"$dir/got"
    same 'pzstd: a pipe' "$dir/expected" "$dir/got"
else
    skip pzstd 'no pzstd (install zstd)'
fi

# With one of them, as all are read alike.
if command -v gzip >/dev/null; then
    expect 'no index, whose standard input is closed, either' 3 'it is compressed, and an index' \
        sh -c "'$paje' index '$dir/whole.gzip' <&-"
    packed=$dir/whole.tr.gz # as long as whole.trace: some output has the size of the name
    ln -f "$dir/whole.gzip" "$packed"
    for command in $(commands); do
        case $command in index | view) continue ;; esac
        arguments=$(trials "$command" "$packed" "$dir/out-of-it" | grep -v "$dir/out-of-it" | head -n 1)
        [ "$arguments" ] || continue
        # shellcheck disable=SC2086
        "$paje" $command $arguments 2>&1 | sed '/^seconds\|^MB\/s/d; s|whole.tr.gz|whole.trace|g' >"$dir/got"
        "$paje" $command ${arguments//$packed/$trace} 2>&1 | sed '/^seconds\|^MB\/s/d' >"$dir/plain"
        same "$command: as of the trace itself" "$dir/plain" "$dir/got"
    done
    expect 'view: as of a pipe' 0 'Thread one' "$paje" view --once --size=80x20 "$packed"
    expect 'index: not of a compressed trace' 3 'whole.tr.gz: it is compressed, and an index' "$paje" index "$packed"
    expect 'dump -F: not of a compressed trace' 3 'whole.tr.gz: it is compressed, so nothing' "$paje" dump -F "$packed"
    { cat "$packed"; head -c 100 /dev/zero; } >"$dir/zeros.gz"
    expect 'gzip: zeros behind it' 0 '^Event, t2' "$paje" dump "$dir/zeros.gz"
    mkdir -p "$dir/bin"
    printf '#!/bin/sh\nkill -9 $$\n' >"$dir/bin/gzip"
    chmod +x "$dir/bin/gzip"
    expect 'a program that a signal ends' 3 'gzip -dc. was ended by a signal' env PATH="$dir/bin:$PATH" "$paje" dump "$packed"
    cp "$packed" "$dir/part.trace"
    { cat tests/tool/header.trace; printf '0 H 0 Host\n6 0 h H 0 host 1\n50 h H part.trace\n'; } >"$dir/including.trace"
    expect 'merge: an included file that is compressed' 1 'included file is left out: it is compressed: decompress it' \
        "$paje" merge -o "$dir/merged" "$dir/including.trace"
    "$paje" dump "$dir/including.trace" >"$dir/got" 2>&1
    gzip -dc "$packed" >"$dir/part.trace"
    "$paje" dump "$dir/including.trace" >"$dir/plain" 2>&1
    same 'an included file that is compressed' "$dir/plain" "$dir/got"
    head -c 300 "$packed" >"$dir/part.trace"
    expect 'an included file that is cut off' 3 'part.trace: `gzip -dc` failed with exit status 1: it is damaged or cut' \
        "$paje" dump "$dir/including.trace"
    cp "$packed" "$dir/part.trace"
    expect 'view: an included file that is compressed' 0 'Thread one' \
        "$paje" view --once --size=80x20 "$dir/including.trace"
fi

# no_trace NAME: $dir/other is no trace
no_trace() {
    for command in dump validate null; do
        expect "$1: $command" 1 'other:1:1: error: this is no trace: it has no event definitions \(%EventDef\)' \
            "$paje" $command "$dir/other"
        check "$1: $command says it once" test "$(cat "$dir/out" "$dir/err" | grep -c ': error: ')" = 1
    done
    expect "$1: a pipe" 1 '<stdin>:1:1: error: this is no trace' bash -c "cat '$dir/other' | '$paje' null"
}
cp README.md "$dir/other"
no_trace 'a text'
awk 'BEGIN { print "a,b,c"; for (i = 0; i < 50000; i++) print i ",2,3" }' >"$dir/other"
no_trace 'a table'
cp "$paje" "$dir/other"
no_trace 'a program'
printf '%%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n' >"$dir/other"
no_trace 'a PDF file'
sed -n '/^30 /,$p' "$trace" >"$dir/other"
no_trace 'the end of a trace'
{ echo 'mpirun: warning'; cat "$trace"; } >"$dir/other"
expect 'a line before the trace is an error, and no more' 1 ':1:1: error: no event definition' "$paje" dump "$dir/other"
check 'a line before the trace: the rest is there' grep -q '^Event, t2' "$dir/out"

exit $failed
