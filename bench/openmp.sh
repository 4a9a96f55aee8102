#!/bin/bash
# Measures what tracing adds to constructs of OpenMP, in nanoseconds: of programs of clang, by what its library tells
# tools, and of gcc, by wrappers.
# Prints lines `bench openmp/COMPILER/CONSTRUCT/TRACER NANOSECONDS ns`; the line of `none` is the construct itself, that of
# `clock` what reading it takes, that of `empty_tool` what LLVM's library takes to call a tool that does nothing.  The least
# of ROUNDS runs, in turn, each of which prints the best of 15 rounds.
#   ROUNDS  how often each tracer runs (5)
# Tracers that are not installed are named on standard error, with their packages.
set -u
cd "$(dirname "$0")/.." || exit 3
rounds=${ROUNDS:-5} dir=$PWD/build/bench/openmp.d paje=$PWD/build/paje
make -s paje || exit 1
rm -rf "$dir" && mkdir -p "$dir" || exit 3
compilers=
for compiler in gcc clang; do
    if $compiler -std=gnu99 -O2 -fopenmp -o "$dir/$compiler" bench/openmp.c 2>/dev/null; then
        compilers+=" $compiler"
    else
        echo "bench/openmp.sh: $compiler is not measured (install $compiler and libomp-dev)" >&2
    fi
done
${CC:-cc} -std=gnu99 -O2 -shared -fPIC -Iexamples -o "$dir/openmp_tool.so" bench/openmp_tool.c || exit 1
cd "$dir" || exit 3

none() { "./$1"; }
paje() { "$paje" trace -o paje.trace "./$1"; }
paje_off() { "$paje" trace --record=omp,user -o off.trace sh -c "'$paje' trace --off omp \"\$PAJETRACE_RUN\" && exec ./$1"; }
empty_tool() { [ "$1" = gcc ] || OMP_TOOL_LIBRARIES=$dir/openmp_tool.so "./$1"; }
eztrace_20() {
    [ "$1" = clang ] || return # it knows gcc's library only in programs that its own compiler has changed
    rm -rf eztrace.d
    timeout 60 eztrace -o eztrace.d -t ompt "./$1"
}
tracers='none paje paje_off empty_tool'
if command -v eztrace >/dev/null; then
    tracers+=' eztrace_20'
else
    echo 'bench/openmp.sh: eztrace is not measured (install eztrace)' >&2
fi
for ((round = 0; round < rounds; round++)); do
    for compiler in $compilers; do
        for tracer in $tracers; do
            $tracer "$compiler" 2>/dev/null | sed -n "s,^\([a-z]* [0-9.]*\)\$,$compiler $tracer \1,p"
        done
    done
done >times.txt
awk '
    { key = $1 "/" $3 "/" $2; if (!(key in least)) keys[++n] = key; if (!(key in least) || $4 < least[key]) least[key] = $4 }
    END {
        for (i = 1; i <= n; i++) {
            split(keys[i], part, "/")
            printf "bench openmp/%s %.1f ns\n", keys[i],
                least[keys[i]] - (part[3] == "none" ? 0 : least[part[1] "/" part[2] "/none"])
        }
    }' times.txt | sort
