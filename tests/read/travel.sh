#!/bin/bash
# Travel in time through traces without included files: those here, those of the corpus up to a size, and generated
# ones.
# usage: tests/read/travel.sh [KILOBYTES]   15 by default
set -u
cd "$(dirname "$0")/../.." || exit 3
make -s build/tests/read/travel build/tests/read/travel_bare || exit 3
files=(tests/traces/{crlf,dialects,included,stencil,tour}.trace)
if [ -d "${CORPUS:-}" ]; then
    mapfile -t corpus < <(find "$CORPUS" -name '*.trace' -size "-${1:-15}k" | LC_ALL=C sort | xargs grep -L PajeTraceFile)
    files+=("${corpus[@]}")
else
    echo 'CORPUS travel'
fi
build/tests/read/travel "${files[@]}"
status=$?
build/tests/read/travel_bare -n 10 | sed 's/^\(PASS\|FAIL\) travel/& without repairs:/'
[ "${PIPESTATUS[0]}" = 0 ] || status=1

# An image and an index written by one process and read by another: with another byte order they are refused.
trace=tests/traces/stencil.trace dir=build/tests/exchanged
make -s build/tests/write/exchange || exit 3
mkdir -p $dir
here() { build/tests/write/exchange "$@"; }
there() { qemu-ppc64 $dir/ppc64 "$@"; }
verdict() { # NAME STATUS WHY
    if [ "$2" = 0 ]; then echo "PASS travel $1"; else echo "FAIL travel $1: $3"; status=1; fi
}
# exchanged NAME WRITER READER TEXT: the reader reports TEXT about an image and an index
exchanged() {
    local got
    $2 write $trace $dir/image $dir/index && got=$($3 read $trace $dir/image $dir/index 2>&1 | grep '^the ' | tr '\n' ' ')
    [ "${got:-}" = "the image: $4 the index: $4 " ]
    verdict "$1" $? "it said \`${got:-}\`"
}
exchanged 'another process' here here ok
here read $trace $dir/image $dir/index | sed -n 's/^index //p' >$dir/index.closings
build/paje dump $trace | cut -d, -f 1 | tr -d , >$dir/kinds
cut -d ' ' -f 1 $dir/index.closings | cmp -s - $dir/kinds
verdict 'another process: all that closes' $? 'it is not what `paje dump` prints'
tail -n "$(here read $trace $dir/image $dir/index | grep -c '^image ')" $dir/index.closings |
    cmp -s - <(here read $trace $dir/image $dir/index | sed -n 's/^image //p')
verdict 'another process: it goes on' $? 'that is not the end of what closes'
if command -v powerpc64-linux-gnu-gcc >/dev/null && command -v qemu-ppc64 >/dev/null; then
    powerpc64-linux-gnu-gcc -O1 -static -I. -o $dir/ppc64 tests/write/exchange.c || exit 3
    exchanged 'big-endian, both' there there ok
    exchanged 'big-endian to little-endian' there here foreign
    cp $trace $dir/t.trace
    cp $dir/index $dir/t.trace.pajeidx
    build/paje dump -s 0.01 -e 0.02 $dir/t.trace 2>&1 >/dev/null |
        grep -q 'is not used: it is no index, or one of another version or machine; `paje index` renews it'
    verdict 'big-endian to little-endian: paje dump tells' $? 'it does not'
    exchanged 'little-endian to big-endian' here there foreign
else
    echo 'SKIP travel big-endian: no compiler or emulator (install gcc-powerpc64-linux-gnu, libc6-dev-ppc64-cross and qemu-user)'
fi
exit $status
