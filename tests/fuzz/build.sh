#!/bin/bash
# Builds the targets.
# usage: tests/fuzz/build.sh HOW FOLDER [TARGET...]     all targets if none is named
#   plain     CC and a plain main: each replays the inputs that it is given
#   sanitized the same under address and undefined-behaviour sanitizers
#   libfuzzer clang's fuzzer, with these sanitizers
#   volume    clang's fuzzer without them, and without coverage of what is compared with: for many executions
#   afl       AFL++, with these sanitizers
set -u
cd "$(dirname "$0")/../.." || exit 3
how=$1 out=$2
shift 2
mkdir -p "$out"
sanitizers='-fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
flags='-std=c99 -g -I. -Iexamples/paje -w'
compiler=${CC:-cc} main=tests/fuzz/main.c covered='' link=''
case $how in
plain) flags+=' -O0' ;;
sanitized) flags+=" -O1 $sanitizers" ;;
libfuzzer) compiler=clang main='' flags+=" -O1 $sanitizers" covered=-fsanitize=fuzzer-no-link link=-fsanitize=fuzzer ;;
volume) compiler=clang main='' flags+=' -O2' covered='-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp'
        link=-fsanitize=fuzzer ;;
afl) compiler=afl-clang-fast main='' flags+=" -O1 $sanitizers" link=-fsanitize=fuzzer ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
[ "$main" ] || flags+=' -DFUZZ_FUZZER'
[ "$how" != afl ] || flags=${flags/-DFUZZ_FUZZER/}

# reader: the same replay with other options, in one program
reader() {
    local plain=$covered
    [ "$how" != volume ] || plain=''
    $compiler $flags $covered -DENGINE=replay_fast -c tests/fuzz/replay.c -o "$out/replay_fast.o" &&
        $compiler $flags $covered -DENGINE=replay_small -DPAJESIM_SMALL=1 -c tests/fuzz/replay.c -o "$out/replay_small.o" &&
        $compiler $flags $covered -DENGINE=replay_trees -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u -DPAJESIM__AHEAD_LOG2=0 -DPAJESIM_CACHE=2 \
            -c tests/fuzz/replay.c -o "$out/replay_trees.o" &&
        $compiler $flags $plain -DENGINE=replay_plain -DPAJESIM_FAST=0 -DPAJESIM_SIMD=0 -c tests/fuzz/replay.c \
            -o "$out/replay_plain.o" &&
        $compiler $flags $covered $link tests/fuzz/reader.c $main "$out"/replay_*.o -o "$out/reader"
}
single() { $compiler $flags $covered $link "tests/fuzz/$1.c" $main "${@:2}" -lm -o "$out/$1"; }
writer() { single writer; }
images() { single images; }
indexes() { single indexes; }
numbers() { single numbers examples/paje/output.c; }

# plugins, merge: with the tool in them, whose main they call and whose exit must not be the fuzzer's
tool() {
    local objects="$out/paje" source object
    make -s build/paje || return
    [ -e "$objects/done" ] || rm -rf "$objects"
    mkdir -p "$objects"
    for source in examples/paje/*.c examples/paje/commands/*.c; do
        object=$objects/$(basename "$(dirname "$source")").$(basename "$source" .c).o
        if [ -e "$objects/done" ]; then
            break
        elif [ "$how" = plain ]; then
            objcopy --redefine-sym main=paje_main --redefine-sym exit=_exit \
                "build/paje.d/$(sed 's|^examples/paje/||; s|c$|o|' <<<"$source")" "$object" || return
        else
            $compiler $flags $covered -Ibuild/paje.d -Dmain=paje_main -Dexit=_exit -c "$source" -o "$object" || return
        fi
    done
    touch "$objects/done"
    single "$1" "$objects"/*.o
}
plugins() { tool plugins; }
merge() { tool merge; }

rm -f "$out/paje/done"
for target in ${*:-reader images indexes writer numbers plugins merge}; do
    $target || exit 1
done
