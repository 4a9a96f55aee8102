#!/bin/bash
# Static analysis by gcc -fanalyzer, clang-tidy (clang-analyzer and bugprone) and cppcheck: of both headers, compiled with
# everything that they have but zones (gcc takes minutes for these), or of other files.  An analyser that does not end
# well, or does not find what is wrong in a sample, fails.
# usage: tests/full/analyse.sh [most | all | headers | FILE...]
#   most   both headers, examples/trace and examples/mate, by default
#   all    all of examples/, and what tests share, which takes some minutes more; but not firmware/boards and web/posix,
#          which are for other machines
# What is switched off:
#   bugprone-easily-swappable-parameters, bugprone-reserved-identifier      style, and __ within names is the private part
#   bugprone-implicit-widening-of-multiplication-result   products of small sizes, which the arena's limit bounds
#   bugprone-branch-clone                                 cases that come from rows of a list, which may well be equal
#   bugprone-macro-parentheses                            macros that make a term of a sum from a row of a list
#   bugprone-narrowing-conversions                        -Wconversion looks at these, and is an error in tests/builds/build.sh
#   bugprone-integer-division                             pictures lie on whole pixels
#   bugprone-sizeof-expression                            arrays of pointers, sorted and copied
#   bugprone-too-small-loop-variable                      letters from 'a' to 'z'
#   clang-analyzer-core.DivideZero                        a merge has an input
#   bugprone-not-null-terminated-result                   texts here have sizes, no NUL
#   bugprone-unused-return-value                          mmap over a page of our own: the next call fails then
#   clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling    wants memcpy_s
#   clang-analyzer-deadcode.DeadStores                    values that are read with some options only
#   clang-analyzer-optin.portability.UnixAPI              sizes of arenas and of tables, none of which is 0
#   clang-analyzer-optin.mpi                              takes MPI_REQUEST_NULL, where there is no neighbour, for a mistake
#   clang-analyzer-security.insecureAPI.strcpy            wants strlcpy; lengths are compared before
#   clang-analyzer-optin.performance.Padding              what is in one line of the cache is so on purpose
#   clang-analyzer-core.UndefinedBinaryOperatorResult in counters.c    the number of counters does not change between
#   clang-analyzer-core.NonNullParamChecker in pajewrite.h    names that it takes for NULL though the call was refused then
#   -Wanalyzer-malloc-leak of gcc in heap.c, helpers.c    where malloc itself is defined; what an array keeps
# of cppcheck:
#   uninitvar, ctuuninitvar       what is filled through a pointer; valgrind and the fuzzers look at what was never written
#   identicalInnerCondition       what a callback of the same loop may have changed
#   nullPointerRedundantCheck     what ends the program is not known to
#   ctuPointerArith               digits that are written from the end of an array
#   memleak in mpi_replay.c       tsearch keeps it
#   nullPointer in class_code.c   what is NULL has no frames
#   negativeIndex in stack.c      a thread has one state at least
#   comparePointers in gomp.c     two addresses that the linker gives for one array
#   the fingerprint of images     one expression of all members, which takes it minutes; it reads 0 there
# and clang-analyzer follows 20,000 states of a function in place of 225,000, which takes a tenth of the time.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/analyse
make -s paje || exit 3 # for what it generates
rm -rf $dir
mkdir -p $dir/cppcheck
printf '#define PAJESIM_IMPLEMENTATION\n#include "pajesim.h"\n' >$dir/pajesim.c
printf '#define %s\n' '_GNU_SOURCE' 'PAJEWRITE_CHECK 1' PAJEWRITE_IMPLEMENTATION >$dir/pajewrite.c
echo '#include "pajewrite.h"' >>$dir/pajewrite.c
cp $dir/*.c pajewrite.h $dir/cppcheck
sed 's/= PAJESIM__[A-Z_]*(PAJESIM__HASH_RECORD)/= 0/' pajesim.h >$dir/cppcheck/pajesim.h

# each of them finds this
cat >$dir/sample.c <<'SAMPLE'
#include <stdlib.h>
int main(int argc, char **argv)
{
    int *p = (int *)malloc(sizeof *p), *none = 0;
    (void)argv;
    if (!p)
        return 0;
    free(p);
    free(p);
    return argc > 1 ? *none : 0;
}
SAMPLE

checks='-*,bugprone-*,clang-analyzer-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier'
checks+=',-bugprone-implicit-widening-of-multiplication-result,-bugprone-narrowing-conversions'
checks+=',-bugprone-branch-clone,-bugprone-macro-parentheses,-bugprone-not-null-terminated-result'
checks+=',-bugprone-integer-division,-bugprone-sizeof-expression,-bugprone-too-small-loop-variable'
checks+=',-clang-analyzer-core.DivideZero,-bugprone-unused-return-value,-clang-analyzer-deadcode.DeadStores'
checks+=',-clang-analyzer-security.insecureAPI.strcpy,-clang-analyzer-optin.performance.Padding'
checks+=',-clang-analyzer-optin.mpi*,-clang-analyzer-optin.portability.UnixAPI'
checks+=',-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling'
export dir checks
flags='-I. -Iexamples -Iexamples/paje -Ibuild/paje.d -Ibuild/paje.d/paje'
for folder in $(mpicc --showme:incdirs 2>/dev/null); do flags+=" -isystem $folder"; done
mpi=build/trace.d/openmpi/by_hand.h
[ -e $mpi ] || mpi=''
jdk=$(readlink -f "$(command -v javac)")
jdk=${JAVA_HOME:-${jdk%/bin/javac}}
export flags mpi jdk

# flags_of FILE: the options with which it is compiled
flags_of() {
    local standard=-std=c99
    case $1 in
    examples/trace/mpi/*) standard="-std=c11 -D_GNU_SOURCE -I${mpi%/*} -Iexamples/trace/mpi" ;;
    examples/trace/java/*) standard+=" -D_GNU_SOURCE -isystem $jdk/include -isystem $jdk/include/linux" ;;
    examples/live/* | examples/mir/* | examples/trace/*) standard+=' -D_GNU_SOURCE' ;;
    examples/web/*) standard+=' -D_GNU_SOURCE -Wno-attributes -Iexamples/web' ;;
    examples/mate/* | examples/tg/*) standard+=' -Iexamples/mate' ;;
    esac
    echo "$standard $flags"
}
export -f flags_of

# analyse ANALYSER FILE: prints what is found, and `ended` if the analyser ended well
analyse() {
    local ended=0 from=$2 host='' options
    options=$(flags_of "$2")
    case $1 in
    gcc)
        # Takes a minute or more for a header, so the programs that have one in them are read without.
        [[ $2 == "$dir"/* ]] || from="-iquote ${2%/*} -x c -"
        [[ $2 != examples/trace/heap/* && $2 != examples/mate/helpers.c ]] || from="-Wno-analyzer-malloc-leak $from"
        # shellcheck disable=SC2086
        { echo "# 1 \"$2\""; sed '/^#define PAJE[A-Z]*_IMPLEMENTATION/s/.*//' "$2"; } |
            gcc $options -O1 -fanalyzer -c $from -o "$dir/$$.o" && [ -s "$dir/$$.o" ] && ended=1
        rm -f "$dir/$$.o"
        ;;
    clang-tidy)
        # shellcheck disable=SC2086
        clang-tidy --quiet --header-filter='(paje(sim|write)|examples/.*|tests/.*)\.h' --checks="$checks" "$2" -- $options \
            -Xclang -analyzer-config -Xclang max-nodes=20000 && ended=1
        ;;
    cppcheck)
        [[ $2 != "$dir"/paje* ]] || from=$dir/cppcheck/${2##*/}
        [[ $2 != */zones.c ]] || host=1 # without it there are no zones, which is an error
        cppcheck --std=c99 --enable=warning,portability --quiet -I"$dir/cppcheck" -Iexamples -Iexamples/paje \
            ${host:+-D__unix__ -D__GNUC__=4} -DDBL_MANT_DIG=53 -DDBL_MAX_EXP=1024 -DFLT_RADIX=2 --suppress=missingIncludeSystem --suppress=missingInclude \
            --suppress=uninitvar --suppress=ctuuninitvar --suppress=identicalInnerCondition \
            --suppress=nullPointerRedundantCheck --suppress=ctuPointerArith \
            --suppress=memleak:examples/read/mpi_replay.c --suppress=nullPointer:examples/trace/java/class_code.c \
            --suppress=negativeIndex:examples/trace/stack.c --suppress=comparePointers:examples/trace/openmp/gomp.c "$from" && ended=1
        ;;
    esac >"$dir/$1-$(tr / . <<<"$2").log" 2>&1
    [ $ended = 0 ] || echo ended >>"$dir/$1-$(tr / . <<<"$2").log"
}
export -f analyse

failed=0 lacks_mpi='' lacks_jdk=''
[ $# -gt 0 ] || set -- most
case $1 in
headers) set -- $dir/pajesim.c $dir/pajewrite.c ;;
most | all)
    folders=(examples/trace examples/mate)
    [ "$1" = most ] || folders=(examples)
    set -- $dir/pajesim.c $dir/pajewrite.c
    while read -r file; do
        if [ ! "$mpi" ] && { [[ $file == examples/trace/mpi/* ]] || grep -q '<mpi.h>' "$file"; }; then
            lacks_mpi=1
        elif [ ! -e "$jdk/include/jvmti.h" ] && [[ $file == examples/trace/java/* ]]; then
            lacks_jdk=1
        else
            set -- "$@" "$file"
        fi
    done < <(find "${folders[@]}" -name '*.c' ! -path '*/firmware/boards/*' ! -path '*/web/posix/*' | sort)
    [ "${folders[*]}" != examples ] || set -- "$@" tests/lib/implementation.c
    [ ! "$lacks_mpi" ] || echo 'SKIP analyse: what uses MPI (install libopenmpi-dev)'
    [ ! "$lacks_jdk" ] || echo 'SKIP analyse: the layer of Java (install default-jdk-headless)'
    ;;
esac
set -- "$@" $dir/sample.c
analysers=''
while read -r analyser package; do
    if command -v "$analyser" >/dev/null; then
        analysers+=" $analyser"
    else
        echo "SKIP analyse $analyser: no $analyser (install $package)"
    fi
done <<'END'
gcc gcc
clang-tidy clang-tidy
cppcheck cppcheck
END
for file; do
    for analyser in $analysers; do
        printf '%s %s\n' "$analyser" "$file"
    done
done | xargs -r -P 2 -L 1 bash -c 'analyse "$0" "$1"'

for analyser in $analysers; do
    count=0 found='' dead=''
    for file; do
        log=$dir/$analyser-$(tr / . <<<"$file").log
        lines=$(grep -aE 'warning:|error:' "$log" 2>/dev/null | grep -v "$dir/sample.c:" |
            grep -v 'pajewrite\.h:.*NonNullParamChecker\|trace/counters\.c:.*UndefinedBinaryOperatorResult')
        if [ "$file" = $dir/sample.c ]; then
            grep -aEq "sample.c:[0-9:]+ (warning|error):" "$log" || dead+=" (it finds nothing in $file)"
        elif [ "$(tail -n 1 "$log" 2>/dev/null)" != ended ] && [ ! "$lines" ]; then
            dead+=" $file"
        fi
        found+=${lines:+$lines$'\n'}
        count=$((count + 1))
    done
    if [ "$dead" ]; then
        echo "FAIL analyse $analyser: it does not end well:$dead"
        failed=1
    elif [ "$found" ]; then
        echo "FAIL analyse $analyser: $(sort -u <<<"$found" | grep -c .) warnings, the first: $(head -n 1 <<<"$found")"
        sort -u <<<"$found" >&2
        failed=1
    else
        echo "PASS analyse $analyser: $((count - 1)) files"
    fi
done
exit $failed
