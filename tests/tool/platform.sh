#!/bin/bash
# paje platform: sizes, areas and lines are what `paje dump` tells.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-hostile.sh

header=tests/tool/header.trace
platform=$traces/emitters/platform.trace
cluster=$traces/emitters/cluster.trace
expect 'a picture' 0 '^<svg ' "$paje" platform $platform
expect 'lines of the network' 0 'Lines: 15 of the network[.]' "$paje" platform $platform
check 'sizes are in the legend' grep -q '>HOST (13): area: speed, up to 5G<' "$dir/out"
check 'a tooltip tells the size' grep -q '<title>HOST b-1, speed 5G</title>' "$dir/out"
check 'the outermost container is above' grep -q 'font-weight="bold">grid</text>' "$dir/out"
check 'each cluster has its name' test "$(grep -c 'font-weight="bold">cluster_[ab]<' "$dir/out")" = 2
expect 'at a depth, containers are summed up' 0 '<title>L2 cluster_b, speed 30G</title>' "$paje" platform --depth 2 $platform
expect 'a size that no container has' 0 'platform.trace: no container that is shown has a variable .Spede. \(--size' \
    "$paje" platform --size Spede $traces/emitters/platform.trace
expect 'what is used, which no container has' 0 'platform.trace: no container that is shown has a variable .Uesd. \(--used' \
    "$paje" platform --used Uesd $traces/emitters/platform.trace
check 'a size that some have' test -z "$("$paje" platform --size bandwidth $traces/emitters/platform.trace 2>&1 >/dev/null)"
expect 'without lines, all links' 0 'Lines: [0-9]* pairs that exchange messages; width: how many' "$paje" platform --size Load \
    $traces/emitters/hosts.trace
expect 'what is used is filled' 0 '; filled: power_used<' "$paje" platform $traces/emitters/hosts.trace
expect 'not a depth' 2 'must be 1 or more' "$paje" platform --depth 0 $platform
expect 'not a size' 2 'must be 100 to 20000 pixels' "$paje" platform --width 1 $platform
expect 'no such type' 0 '`NOPE` is no type of variables or states' "$paje" platform --treemap NOPE $platform
expect 'svg says that nothing happens' 0 'nothing happens in it; `paje platform` draws' "$paje" svg $platform
check 'and so does the picture' grep -q '>Nothing happens in this trace: paje platform draws' "$dir/out"
expect 'html as well' 0 'nothing happens in it; `paje platform` draws' "$paje" html $platform
expect 'but not of other traces' 0 '^<svg ' "$paje" svg $cluster
check 'no message comes' test ! -s "$dir/err"
cat tests/tool/header.trace - >"$dir/gone.trace" <<'TRACE'
0 H 0 Host
3 P H power "1 0 0"
6 0 a H 0 gone x
6 0 b H 0 there x
20 0 P a 100
20 0 P b 50
7 5 H a
7 10 H b
TRACE
titles() { "$paje" platform "$@" "$dir/gone.trace" | grep -o '<title>.*</title>' | tr '\n' ' '; }
check 'a container that is gone when the range begins' test "$(titles -s 5) $(titles -s 5 --treemap power)" = \
    '<title>Host there, power 50</title>  <title>there: 50</title> '
check 'a range of one instant' test "$(titles -s 10)" = '<title>Host there, power 50</title> '
check 'no mean is over what a range has behind the trace, and before it' test "$(titles -s 9 -e 12) $(titles -s -5 -e 5)" = \
    '<title>Host there, power 50</title>  <title>Host gone, power 100</title> <title>Host there, power 50</title> '
grep -v '^20' "$dir/gone.trace" >"$dir/bare.trace"
"$paje" platform -s 1 -e 4 "$dir/bare.trace" >"$dir/bare.svg" 2>"$dir/err"
check 'containers in a range, and no message that nothing is shown' sh -c \
    "grep -q 'Host there' '$dir/bare.svg' && ! grep -q 'nothing is shown' '$dir/err'"
cat tests/tool/header.trace - >"$dir/sides.trace" <<'TRACE'
0 H 0 Host
3 P H power "1 0 0"
1 S H State
0 I H Inner
1 J I State
3 Q I power "1 0 0"
6 0 a H 0 other x
6 0 b H 0 bare x
6 0 c I b inner x
20 0 Q c 100
11 0 S b busy a 1
11 0 J c busy a 1
11 0 S a busy a 1
6 10 e I b late x
20 10 Q e 1000
TRACE
check 'a treemap has what the graph leaves out' test "$("$paje" platform --treemap State "$dir/sides.trace" |
    grep -o '<title>[a-z]*' | sort | tr '\n' ' ')" = '<title>bare <title>bare <title>inner <title>other '
check 'the mean of what begins at the end of the range is 0' test "$("$paje" platform --treemap power "$dir/sides.trace" |
    grep -o '<title>.*</title>')" = '<title>inner: 100</title>'
# So many states that they are summed up in wide bins, of which the first and the last lie partly outside of the range.
{
    cat tests/tool/header.trace
    awk 'BEGIN { print "0 H 0 Host\n1 S H State\n3 P H power \"1 0 0\"\n3 U H power_used \"1 0 0\""
        for (i = 0; i < 4000; i++) print "6 0 h" i " H 0 h x\n20 0 P h" i " 100"
        for (t = 0; t < 68; t++) for (i = 0; i < 4000; i++)
            print "10 " t " S h" i " s" (t * 7 + i) % 20 " a\n20 " t " U h" i " " (t % 2 ? 0 : 100)
        for (i = 0; i < 4000; i++) print "7 68 H h" i }'
} >"$dir/bins.trace"
bins() {
    "$paje" platform --unit s "$@" "$dir/bins.trace" | grep -o '<title>[^<]*[0-9][^<]*' | sort | uniq -c | tr -s ' \n' ' '
}
check 'bins at the ends of a trace count in full' test "$(bins; bins --treemap State)" = \
    ' 4000 <title>Host h, power 100, power_used 50  4000 <title>h: 68 s '
check 'bins at the ends of a range count in full' test "$(bins -s 20 -e 66; bins --treemap State -s 20 -e 66)" = \
    ' 4000 <title>Host h, power 100, power_used 50  4000 <title>h: 46 s '
cat tests/tool/header.trace - >"$dir/unused.trace" <<'TRACE'
0 H 0 Host
3 P H power "1 0 0"
3 U H power_used "1 0 0"
6 0 a H 0 used x
6 0 b H 0 unused x
20 0 P a 100
20 0 P b 100
20 0 U a 50
6 10 e H 0 last x
TRACE
# A pale mark is one of which nothing tells how much is used.
"$paje" platform "$dir/unused.trace" | grep '<title>Host' | sed 's/.*<title>\([^<]*\).*fill="\([^"]*\)" stroke.*/\1: \2/' >"$dir/got"
printf '%s\n' 'Host used, power 100, power_used 50: #ffffff' 'Host unused, power 100, power_used 0: #ffffff' >"$dir/want"
same 'a host that is never used is empty' "$dir/want" "$dir/got"
hostile_trace >"$dir/hostile.trace"
"$paje" platform "$dir/hostile.trace" >"$dir/out" 2>"$dir/err"
check 'a hostile name is no element' sh -c "! grep -q '<script' '$dir/out'"

if command -v xmllint >/dev/null; then
    corpus
    : >"$dir/empty.trace"
    for one in "$dir"/{hostile,empty}.trace $traces/*.trace $traces/emitters/*.trace "${corpus[@]}"; do
        for options in '' '--depth 12 --width 200' '--treemap power'; do
            # shellcheck disable=SC2086
            "$paje" platform $options "$one" >"$dir/picture.svg" 2>/dev/null
            check "well-formed: ${one#"${one%/*/*}/"} $options" xmllint --noout "$dir/picture.svg"
            check "finite: ${one#"${one%/*/*}/"} $options" sh -c "! grep -Eqi '\"[^\"]*\b(nan|inf)\b' '$dir/picture.svg'"
        done
    done
else
    skip 'well-formed' 'no xmllint (install libxml2-utils)'
fi
if ! command -v python3 >/dev/null; then
    skip 'what it shows' 'no python3 (install python3)'
    exit $failed
fi
"$paje" dump -l 9 $platform >"$dir/platform.dump"
"$paje" dump -l 9 $cluster >"$dir/cluster.dump"
"$paje" dump -l 9 $traces/emitters/hosts.trace >"$dir/hosts.dump"
"$paje" platform $platform >"$dir/platform.svg"
"$paje" platform $traces/emitters/hosts.trace >"$dir/hosts.svg"
"$paje" platform --treemap 'Processor state' $cluster >"$dir/states.svg"
"$paje" platform --treemap 'Processor state' -s 2 -e 4.5 $cluster >"$dir/range.svg"
"$paje" platform --treemap 'Processor state' --depth 2 $cluster >"$dir/depth.svg"
"$paje" platform --treemap Load $cluster >"$dir/load.svg"
"$paje" platform --treemap power_used -s 1 -e 2 $traces/emitters/hosts.trace >"$dir/used.svg"
python3 tests/tool/lib-platform.py "$dir" || failed=1

exit $failed
