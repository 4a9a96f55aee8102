#!/bin/bash
# Measures what `paje trace` costs a program, by what is recorded: CPU time over that of the program alone, in turn with it.
# usage: bench/overhead.sh NAME COMMAND...
# Prints lines `bench overhead/NAME/KIND RATIO times`: of the program itself by the medians of all turns and by their minima,
# and of all by the medians, with the making of the trace; and lines and bytes of each trace.
#   KINDS   what is recorded: off (nothing, though the libraries are loaded), all (the default), samples, or categories
#           ("off all samples")
#   TURNS   how many (11)
set -u
paje=$(dirname "$0")/../build/paje turns=${TURNS:-11} kinds=${KINDS:-off all samples} name=${1:?}
shift
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
TIMEFORMAT='%U %S'
options() {
    case $1 in
    off) echo --record=user ;;
    all) ;;
    samples) echo --sample ;;
    *) echo "--record=$1" ;;
    esac
}
# timed COMMAND...: runs bash, which runs the program; prints the time of that, then of all
timed() {
    # shellcheck disable=SC2016
    { time "$@" bash -c 'TIMEFORMAT="%U %S"; to=$1; shift; { time "$@" >/dev/null 2>&1; } 2>"$to"' - "$folder/inner" \
        "${command[@]}" >/dev/null 2>&1; } 2>"$folder/outer"
    paste -d' ' "$folder/inner" "$folder/outer"
}
command=("$@")
for ((turn = 0; turn < turns; turn++)); do
    echo "$turn none $(timed env)"
    for kind in $kinds; do
        # shellcheck disable=SC2046
        echo "$turn $kind $(timed "$paje" trace $(options "$kind") -o "$folder/$kind.trace")"
    done
done >"$folder/times"
awk '
    function sorted(times, kind,    i, j, t) {
        for (i = 0; i <= turns; i++)
            v[i] = times[kind, i]
        for (i = 1; i <= turns; i++)
            for (j = i; j && v[j - 1] > v[j]; j--) {
                t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
            }
        least = v[0]
        return v[int(turns / 2)]
    }
    { own[$2, $1] = $3 + $4; all[$2, $1] = $5 + $6; if (!seen[$2]++) kinds[++n] = $2; turns = $1 }
    END {
        none = sorted(own, "none"); none_least = least; none_all = sorted(all, "none")
        print "none", none, none_least
        for (k = 2; k <= n; k++) {
            middle = sorted(own, kinds[k]); print kinds[k], middle / none, least / none_least, sorted(all, kinds[k]) / none_all
        }
    }' "$folder/times" |
    while read -r kind median least all; do
        if [ "$kind" = none ]; then
            printf 'bench overhead/%s/none %.2f s, %.2f at least\n' "$name" "$median" "$least"
        else
            printf 'bench overhead/%s/%s %.3f times, %.3f by minima, %.3f of all; %d lines, %d bytes\n' "$name" "$kind" \
                "$median" "$least" "$all" "$(grep -c '^[0-9]' "$folder/$kind.trace")" "$(stat -c %s "$folder/$kind.trace")"
        fi
    done
