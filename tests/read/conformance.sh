#!/bin/bash
# The sorted output of `paje dump` equals that of pj_dump 1.3.6, byte for byte, on every trace that pj_dump accepts.
# Traces that it refuses are replayed, and the reason is reported at the same line.  See conformance.exceptions and
# conformance.expected.
set -u
cd "$(dirname "$0")/../.." || exit 3
CORPUS=${CORPUS:-$([ -d ../shared/corpus ] && echo ../shared/corpus)}
[ "$CORPUS" ] || echo 'CORPUS conformance'
paje=build/paje
dir=build/tests/conformance
failed=0
rm -rf $dir
mkdir -p $dir/alone
[ -x $paje ] || make -s paje || exit 3

pass() { echo "PASS conformance $1"; }
fail() { echo "FAIL conformance $1: $2"; failed=1; }

# pj_dump prints other messages on standard output, too.
lines() { grep -aE '^(Container|State|Variable|Event|Link), ' | LC_ALL=C sort; }
# listed FILE NAME: prints the columns after the name
listed() { sed -n "s|^$2  *||p" "tests/read/conformance.$1"; }
differences() { diff -a $dir/theirs $dir/ours | grep -a -m 2 '^[<>]' | tr '\n' '|'; }

# equal TRACE OURS OPTIONS...: compares pj_dump of TRACE with paje dump of OURS, with more options of each
equal() {
    pj_dump "${@:3}" ${theirs_too:-} "$1" 2>/dev/null | lines >$dir/theirs
    $paje dump "${@:3}" ${ours_too:-} "$2" 2>/dev/null | LC_ALL=C sort >$dir/ours
    cmp -s $dir/theirs $dir/ours
}

accepted() { # NAME TRACE OPTIONS...
    local name=$1 trace=$2 ours=$2 exception theirs_too= ours_too=
    shift 2
    exception=$(listed exceptions "$name")
    exception=${exception%% *}
    if equal "$trace" "$trace" "$@"; then
        if [ "$exception" ]; then fail "$name" 'equal without its exception'; else pass "$name"; fi
        return
    fi
    [[ $exception != *single* ]] || ours_too=--single
    if [[ $exception = *files* ]]; then
        ours=$dir/alone/${trace##*/}
        cp "$trace" "$ours"
    fi
    [[ $exception != *end* ]] || theirs_too='-e 1e300'
    if [ "$exception" ] && equal "$trace" "$ours" "$@"; then
        pass "$name ($exception)"
    else
        fail "$name" "$(differences)"
    fi
}

refused() { # NAME TRACE
    local expected status line
    expected=$(listed expected "$1")
    $paje dump "$2" >$dir/ours 2>$dir/err
    status=$?
    if [ -z "$expected" ]; then
        fail "$1" "pj_dump refuses it; what is expected is not listed: $status $(head -n 1 $dir/err)"
        return
    fi
    if [ $status != "${expected%% *}" ]; then
        fail "$1" "exit status $status: $(head -n 1 $dir/err)"
        return
    fi
    read -r _ line expected <<<"$expected"
    if [ "$refusal" ] && [ "$refusal" != "$line" ]; then
        fail "$1" "pj_dump refuses line $refusal"
    elif [ "$expected" = - ]; then
        if [ -s $dir/err ]; then fail "$1" "$(head -n 1 $dir/err)"; else pass "$1 (refused by pj_dump)"; fi
    elif grep -aqxF "$2:$expected" $dir/err; then
        pass "$1 (refused by pj_dump)"
    else
        fail "$1" "not said: $expected"
    fi
}

list() {
    for trace in tests/traces/*.trace; do
        [ -e "$trace" ] && echo "traces/${trace##*/} $trace"
    done
    [ -z "$CORPUS" ] || (cd "$CORPUS" && find . -name '*.trace') | LC_ALL=C sort | sed "s|^\./\(.*\)|\1 $CORPUS/\1|"
}

if ! command -v pj_dump >/dev/null; then
    echo 'SKIP conformance of what pj_dump accepts: no pj_dump (install pajeng)'
    refusal=
    while read -r name trace; do
        [ -z "$(listed expected "$name")" ] || refused "$name" "$trace"
    done < <(list)
    exit $failed
fi

while read -r name trace; do
    if pj_dump -q "$trace" >$dir/said 2>/dev/null; then
        accepted "$name" "$trace"
    elif pj_dump -q -n -z "$trace" >$dir/said 2>/dev/null; then
        accepted "$name" "$trace" -n -z
    else
        refusal=$(sed -n 's/.*(Line: \([0-9]*\),.*/\1/p' $dir/said | head -n 1)
        refused "$name" "$trace"
    fi
done < <(list)

# Random traces, also with options of pj_dump.
for seed in 1 2 3; do
    for flat in 0 1; do
        name="by chance $seed$flat" trace=$dir/chance-$seed$flat.trace
        { cat tests/tool/header.trace; awk -v seed=$seed -v flat=$flat -f tests/read/conformance-trace.awk; } >"$trace"
        accepted "$name" "$trace"
        for options in '-n -z' -u '-l 3' '-l 0 -u'; do
            accepted "$name, $options" "$trace" $options
        done
        [ $flat = 0 ] || accepted "$name, -i -u" "$trace" -i -u
        sed 's/^%  Type string/%  EntityType string/' "$trace" >$dir/old.trace
        accepted "$name, old names" $dir/old.trace -n
    done
done

exit $failed
