#!/bin/bash
# Builds the fuzz targets.
# usage: tests/fuzz/build.sh HOW FOLDER [TARGET...]     all targets if none is named
#   plain     CC and a plain main: each replays the inputs that it is given
#   sanitized the same under address and undefined-behaviour sanitizers
#   libfuzzer clang's fuzzer, with these sanitizers, and with LEVEL (-O1)
#   volume    clang's fuzzer without them, and without coverage of what is compared with: for many executions
#   afl       AFL++, with these sanitizers
set -u
cd "$(dirname "$0")/../.." || exit 3
how=$1 out=$2
shift 2
mkdir -p "$out"
sanitizers='-fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
flags='-std=c99 -g -include tests/lib/checked.h -I. -Iexamples -Iexamples/paje -w'
compiler=${CC:-cc} main=tests/fuzz/main.c covered='' link=''
case $how in
plain) flags+=' -O0' ;;
sanitized) flags+=" -O1 $sanitizers" ;;
libfuzzer) compiler=clang main='' flags+=" ${LEVEL:--O1} $sanitizers" covered=-fsanitize=fuzzer-no-link link=-fsanitize=fuzzer ;;
volume) compiler=clang main='' flags+=' -O2' covered='-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp'
        link=-fsanitize=fuzzer ;;
afl) compiler=afl-clang-fast main='' flags+=" -O1 $sanitizers" link=-fsanitize=fuzzer ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
[ "$main" ] || flags+=' -DFUZZ_FUZZER'
[ "$how" != afl ] || flags=${flags/-DFUZZ_FUZZER/}

# reader: several builds of the replay in one program
reader() {
    local plain=$covered
    [ "$how" != volume ] || plain=''
    $compiler $flags $covered -DENGINE=replay_fast -c tests/fuzz/replay.c -o "$out/replay_fast.o" &&
        $compiler $flags $covered -DENGINE=replay_small -DPAJESIM_SMALL=1 -c tests/fuzz/replay.c -o "$out/replay_small.o" &&
        $compiler $flags $covered -DENGINE=replay_trees -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u -DPAJESIM__PREFETCH_LOG2=0 -DPAJESIM_CACHE=2 -DPAJESIM__EARLY_TYPES=1u \
            -c tests/fuzz/replay.c -o "$out/replay_trees.o" &&
        $compiler $flags $plain -DENGINE=replay_plain -DPAJESIM_FAST=0 -DPAJESIM_SIMD=0 -c tests/fuzz/replay.c \
            -o "$out/replay_plain.o" &&
        $compiler $flags $covered $link tests/fuzz/reader.c $main "$out"/replay_*.o -o "$out/reader"
}
single() { $compiler $flags $covered $link "tests/fuzz/$1.c" $main "${@:2}" -lm -o "$out/$1"; }
writer() { single writer; }
images() { single images -DPAJESIM__EARLY_TYPES=1u; }
indexes() { single indexes -DPAJESIM__EARLY_TYPES=1u; }
classes() { single classes; }
numbers() { single numbers examples/base/memory.c examples/base/text.c examples/base/utf8.c; }

# without coverage of what is compared with, which takes half of the time: tests/fuzz/requests.dict has the words
requests() {
    local covered="$covered${covered:+ -fno-sanitize-coverage=trace-cmp}"
    single requests -D_GNU_SOURCE -DLIVE_SMALL $(ls examples/live/*.c | grep -v /demo.c) examples/mir/engine/feed.c -pthread
}

specs() { single specs -Iexamples/mate examples/tg/{parse,check,code,emit,split}.c examples/base/{memory,array,text,utf8}.c; }

# commands, merge, lookups: linked with the tool; its main is called, and its exit must not be that of the fuzzer
tool() {
    local objects="$out/paje" source object
    make -s build/paje || return
    [ -e "$objects/done" ] || rm -rf "$objects"
    mkdir -p "$objects"
    for source in examples/base/*.c examples/paje/*.c examples/paje/{raw,replay,timeline,chart,commands,commands/*}/*.c; do
        object=${source#examples/}
        object=$objects/${object//\//.}.o
        if [ -e "$objects/done" ]; then
            break
        elif [ "$how" = plain ]; then
            objcopy --redefine-sym main=paje_main --redefine-sym exit=_exit \
                "build/paje.d/$(sed 's|^examples/||; s|c$|o|' <<<"$source")" "$object" || return
        else
            echo "$source -o $object"
        fi
    done | xargs -r -P "$(nproc 2>/dev/null || echo 2)" -L 1 $compiler $flags $covered -Ibuild/paje.d -Ibuild/paje.d/paje \
        -Dmain=paje_main -Dexit=_exit -c || return
    touch "$objects/done"
    single "$1" "$objects"/*.o
}
commands() { tool commands; }
merge() { tool merge; }
lookups() { tool lookups; }

rm -f "$out/paje/done"
for target in ${*:-$(sed -n 's/^\([a-z]*\)  .*/\1/p' tests/fuzz/targets)}; do
    $target || exit 1
done
