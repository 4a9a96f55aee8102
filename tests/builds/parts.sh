#!/bin/bash
# The parts of src/HEADER/: each compiles alone, in C and, if FULL is set, in C++; their includes respect the floors of
# src/floors and run in no circle.
set -u
cd "$(dirname "$0")/../.." || exit 3
top=$PWD dir=$PWD/build/tests/parts.d
rm -rf "$dir"
mkdir -p "$dir"
failed=0
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Wno-unused-function -Werror'

# The parts of a header in the folder at hand, its own file first.
parts() { echo "$1.h"; find . -mindepth 2 -name '*.h' | sed 's,^\./,,' | sort; }
floors() { sed -n "s/^$1: *//p" "$top/src/floors"; }
# includes HEADER: checks those of the folder at hand
includes() {
    # shellcheck disable=SC2046
    awk -v header="$1" -v floors="$(floors "$1")" -f "$top/tests/builds/parts.awk" $(parts "$1")
}

# compile HEADER PART NAME COMPILER...
compile() {
    local file options=()
    if [[ $1/$2 == pajewrite/*zones* ]]; then
        [[ $3 != *KINDS=3* ]] || return 0 # zones need states, events, variables and links
        options=(-DPAJEWRITE_ZONES=1)
    fi
    [[ $1/$2 != pajewrite/*ring* ]] || options=(-DPAJEWRITE_RING=1 '-DPAJEWRITE_NOW()=0') # the writer of microcontrollers
    file=$dir/$(tr -c 'a-z0-9_\n' - <<<"$1-$2-$3").c
    printf '#include "src/%s/%s"\ntypedef int not_empty;\n' "$1" "$2" >"$file"
    if "${@:4}" "${options[@]}" -fsyntax-only -I"$top" "$file" 2>"$file.err"; then
        echo "PASS parts/$1/$2 alone, $3"
    else
        echo "FAIL parts/$1/$2 alone, $3: $(grep -m 1 error "$file.err"); include the part that has it"
    fi
}
export -f compile
export top dir

for folder in src/*/; do
    header=$(basename "$folder")
    if [ -z "$(floors "$header")" ]; then
        echo "FAIL parts/$header: no floors; add a line \`$header: FLOOR...\` to src/floors"
        failed=1
        continue
    fi
    if (cd "$folder" && includes "$header"); then
        echo "PASS parts/$header includes"
    else
        failed=1
    fi
    # Without AVX, whose header alone takes a quarter of a second; with FULL the parts that name it are compiled with it.
    ways=("C99|${CC:-cc} -std=c99 -DPAJESIM_SIMD=1")
    if [ -z "${FULL:-}" ]; then
        :
    elif command -v g++ >/dev/null; then
        ways+=('C++11|g++ -x c++ -std=c++11 -DPAJESIM_SIMD=1')
    else
        echo "SKIP parts/$header C++11: no g++ (install g++)"
    fi
    if [ "${FULL:-}" ] && [ "$header" = pajesim ]; then
        for options in -DPAJESIM_SMALL=1 '-DPAJESIM_REFERENCE=16 -DPAJESIM_SIMD=0' \
            '-DPAJESIM_TRAVEL=0 -DPAJESIM_FAST=0' '-DPAJESIM_CHECKS=0 -DPAJESIM_CACHE=0' \
            '-DPAJESIM_FIELDS=0 -DPAJESIM_FILES=0 -DPAJESIM_REPAIRS=0 -DPAJESIM_TEXTS=0 -DPAJESIM_TIME_DECIMALS=9 -DPAJESIM_VALUE_DECIMALS=6'; do
            ways+=("$options|${CC:-cc} -std=c99 $options")
        done
    fi
    if [ "${FULL:-}" ] && [ "$header" = pajewrite ]; then
        for options in -DPAJEWRITE_DOUBLE=0 -DPAJEWRITE_TABLE=0 -DPAJEWRITE_CHECK=1 -DPAJEWRITE_KINDS=31 -DPAJEWRITE_KINDS=3 \
            -DPAJEWRITE_GAPS=0 -DPAJEWRITE_TEXTS=0; do
            ways+=("$options|${CC:-cc} -std=c99 $options")
        done
    fi
    [ -z "${FULL:-}" ] || [ "$header" != pajesim ] || for part in $(cd "$folder" && grep -l 'PAJESIM_SIMD\|PAJESIM__AVX' */*.h); do
        # shellcheck disable=SC2086
        compile pajesim "$part" -DPAJESIM_SIMD=2 ${CC:-cc} -std=c99 -DPAJESIM_SIMD=2 $warnings -D_POSIX_C_SOURCE=200809L
    done
    for way in "${ways[@]}"; do
        # shellcheck disable=SC2086
        (cd "$folder" && parts "$header" | grep -v '/manual\.h$') | xargs -I '{}' -P "$(nproc 2>/dev/null || echo 2)" \
            bash -c 'compile "$@"' compile "$header" '{}' "${way%%|*}" ${way#*|} $warnings -D_POSIX_C_SOURCE=200809L
    done
done >"$dir/results"
cat "$dir/results"
! grep -q '^FAIL' "$dir/results" || failed=1

# refused NAME TEXT PART LINE: adds a line to a copy of the reader, which must be refused with that text
refused() {
    rm -rf "$dir/copy"
    cp -r src/pajesim "$dir/copy"
    printf '%s\n' "$4" >>"$dir/copy/$3"
    if (cd "$dir/copy" && includes pajesim) | grep -q "$2"; then
        echo "PASS parts/refuses $1"
    else
        echo "FAIL parts/refuses $1: tests/builds/parts.awk does not see it"
        failed=1
    fi
}
refused 'a floor above' 'of a floor above' memory/arena.h '#include "../model/state.h"'
refused 'a circle' 'includes itself' model/state.h '#include "model.h"'
refused 'a part that is missing' 'which is not there' run/feed.h '#include "food.h"'
refused 'a declaration' 'that another part defines' text/line.h 'static void pajesim__report(pajesim *sim);'
exit $failed
