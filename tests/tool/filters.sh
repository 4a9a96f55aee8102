#!/bin/bash
# Filters (-s -e --container --type) and --unit: what each command shows with them is what is left of all that it shows,
# by awk; and what nothing matches is said.
. "$(dirname "$0")/lib.sh"

make -s build/bench/generate || exit 3
trace=$dir/t.trace
build/bench/generate -b 60000 -c 24 >"$trace"
"$paje" dump "$trace" >"$dir/whole"
# With comments it is large enough for two processes.
awk '{ print } /^[0-9]/ { printf "# %0400d\n", 0 }' "$trace" >"$dir/wide.trace"

# filter CONTAINERS TYPES START END: the lines of a dump that are left; regular expressions of whole names
cat >"$dir/filter.awk" <<'END'
BEGIN { FS = ", " }
NR == FNR { if ($1 == "Container") { parent[$7] = $2; known[$7] = 1 } next }
function chosen(name) {
    if (containers == "") return 1
    for (;; name = parent[name]) {
        if (name ~ "^(" containers ")$") return 1
        if (!(name in known) || parent[name] == name) return 0
    }
}
{
    type = $3; start = $4; end = $1 == "Event" ? $4 : $5
    bearer = $1 == "Container" ? $7 : $2
    if (types != "" && type !~ "^(" types ")$") next
    if (!chosen(bearer) && !($1 == "Link" && (chosen($8) || chosen($9)))) next
    if ((from != "" && end < from + 0) || (to != "" && start > to + 0)) next
    print
}
END
filter() { awk -v containers="$1" -v types="$2" -v from="$3" -v to="$4" -f "$dir/filter.awk" "$dir/whole" "$dir/whole"; }

# Each: the options, with | between words; then containers, types, start and end for awk.
cases='
-s|0.5|-e|1.25;;;0.5;1.25
-s|1.1;;;1.1;
-e|0.3;;;;0.3
--container|Process 1;Process 1;;;
--container|rank2-t[345];Thread 2[.][345];;;
--container|Thread ?.1|--container|rank0-t0;Thread [0-9][.]1|Thread 0[.]0;;;
--container|0|--type|L;0;Message;;
--type|State;;State;;
--type|VT|--type|*v?nt;;Memory in use|Event;;
--container|Pro*[02]|--type|[SL]*|-s|0.7|-e|0.9;Process [02];State|Message;0.7;0.9
--type|Thread;;Thread;;'

number=0
while IFS=';' read -r options containers types start end; do
    [ "$options" ] || continue
    IFS='|' read -r -a words <<<"$options"
    name="${words[*]}"
    # Types by alias: L, VT are Message, Memory in use; an alias may match as well.
    [ "$options" != '--container|Pro*[02]|--type|[SL]*|-s|0.7|-e|0.9' ] || types='State|Message'
    filter "$containers" "$types" "$start" "$end" >"$dir/expected"
    check "something is left: $name" test -s "$dir/expected"
    "$paje" dump "${words[@]}" "$trace" >"$dir/got" 2>"$dir/err"
    same "dump $name" "$dir/expected" "$dir/got"
    check "dump $name: nothing is said" test ! -s "$dir/err"
    "$paje" dump -j 2 "${words[@]}" "$dir/wide.trace" >"$dir/got"
    same "dump -j 2 $name" "$dir/expected" "$dir/got"
    for kind in Container State Event Variable Link; do
        echo "$kind $(grep -c "^$kind, " "$dir/expected")"
    done >"$dir/counts"

    "$paje" null "${words[@]}" "$trace" | awk '/^(Container|State|Event|Variable|Link) / { print $1, $2 }' >"$dir/got"
    same "null $name" "$dir/counts" "$dir/got"

    "$paje" info "${words[@]}" "$trace" >"$dir/info"
    { printf '%s\n' Container State Event Variable Link; sed -n '/^Types/,/^Containers/p' "$dir/info"; } |
        awk '/^[A-Z]/ && NF == 1 { kinds[++count] = $1; next }
            match($0, /: (Container|State|Event|Variable|Link), [0-9]+/) {
                split(substr($0, RSTART + 2, RLENGTH - 2), of, ", "); sum[of[1]] += of[2]
            }
            END { for (i = 1; i <= count; i++) print kinds[i], sum[kinds[i]] + 0 }' >"$dir/got"
    same "info $name: how many there are" "$dir/counts" "$dir/got"
    check "info $name: lines of the tree of all" sh -c "'$paje' info '$trace' | sed -n '/^Containers/,\$p' >'$dir/all'
        sed -n '/^Containers/,\$p' '$dir/info' >'$dir/some'; ! grep -vxFf '$dir/all' '$dir/some'"

    rm -rf "$dir/csv" "$dir/csv-whole"
    "$paje" csv -d "$dir/csv" "${words[@]}" "$trace"
    "$paje" csv -d "$dir/csv-whole" "$trace"
    while read -r kind count; do
        file=$(tr 'A-Z' 'a-z' <<<"$kind")s.csv
        echo "$kind $(($(wc -l <"$dir/csv/$file") - 1)) $(grep -vcxFf "$dir/csv-whole/$file" "$dir/csv/$file")"
    done <"$dir/counts" >"$dir/got"
    sed 's/$/ 0/' "$dir/counts" >"$dir/all"
    same "csv $name: as many lines, all of the whole" "$dir/all" "$dir/got"

    "$paje" sql "$trace" | grep '^(' | sed 's/[,;]*$//; s/)) AS r$/)/' >"$dir/all"
    "$paje" sql "${words[@]}" "$trace" >"$dir/some"
    awk '/^INSERT INTO (state|event|variable|link) / { table = $3; next } /^\(/ && table { n[table]++ } /^;|;$/ { table = "" }
        END { print "State", n["state"] + 0; print "Event", n["event"] + 0; print "Variable", n["variable"] + 0; print "Link", n["link"] + 0 }' \
        "$dir/some" >"$dir/got"
    grep -v Container "$dir/counts" >"$dir/numbers"
    same "sql $name: how many rows" "$dir/numbers" "$dir/got"
    check "sql $name: rows of the whole" sh -c "! grep '^(' '$dir/some' | sed 's/[,;]*\$//; s/)) AS r\$/)/' | grep -vxFf '$dir/all'"

    "$paje" chrome "${words[@]}" "$trace" >"$dir/some"
    for phase in 'State B' 'State E' 'Event i' 'Variable C' 'Link s' 'Link f'; do
        echo "${phase#* } $(grep -c "\"ph\":\"${phase#* }\"" "$dir/some")"
    done >"$dir/got"
    awk '{ n[$1] = $2 } END { print "B", n["State"]; print "E", n["State"]; print "i", n["Event"]; print "C", n["Variable"]
        print "s", n["Link"]; print "f", n["Link"] }' "$dir/counts" >"$dir/numbers"
    same "chrome $name: how many events" "$dir/numbers" "$dir/got"
    # processes and threads have other numbers
    plain() { sed -E 's/"(pid|tid|id|sort_index)":[0-9]+,?//g; s/,$//' | grep -E '"ph":"[BEiCsf]"' | sorted -u; }
    plain <"$dir/some" >"$dir/got"
    check "chrome $name: events of the whole" sh -c "test -s '$dir/got' || ! grep -Eq ' [1-9]' '$dir/numbers'"
    "$paje" chrome "$trace" | plain >"$dir/all"
    check "chrome $name: as in the whole" sh -c "! comm -23 '$dir/got' '$dir/all' | grep -q ."
    awk '/"ph":"[BE]"/ { match($0, /"pid":[0-9]+,"tid":[0-9]+/); at = substr($0, RSTART, RLENGTH)
            depth[at] += /"ph":"B"/ ? 1 : -1; if (depth[at] < 0) wrong = 1 }
        END { for (at in depth) if (depth[at]) wrong = 1; exit wrong }' "$dir/some"
    check "chrome $name: each state that begins, ends" test $? = 0

    total=$(wc -l <"$dir/expected")
    expect "equals $name" 0 "^equal: $total entities\$" "$paje" equals "${words[@]}" "$trace" "$trace"

    "$paje" profile --own --format csv "${words[@]}" "$trace" | awk -F, 'NR > 1 { sum[$3] += $7 }
        END { print "State", sum["State"] + 0; print "Event", sum["Event"] + 0; print "Variable", sum["Variable"] + 0
            print "Link", sum["Link"] + 0 }' >"$dir/got"
    grep -v Container "$dir/counts" >"$dir/numbers"
    same "profile $name: how many there are" "$dir/numbers" "$dir/got"

    check "matrix $name: how many links" test "$("$paje" matrix --format csv "${words[@]}" "$trace" 2>/dev/null |
        awk -F, '{ sum += $3 } END { print "Link", sum + 0 }')" = "$(grep Link "$dir/counts")"
    check "histogram $name: how many there are" test "$("$paje" histogram --bins 0 --format csv "${words[@]}" "$trace" 2>/dev/null |
        awk -F, '{ sum[$1] += $4 } END { print "State", sum["State"] + 0; print "Link", sum["Link"] + 0 }')" = \
        "$(grep 'State\|Link' "$dir/counts")"
    check "slices $name: variables and states" test "$("$paje" slices --format csv "${words[@]}" "$trace" 2>/dev/null |
        awk -F, '{ sum[$2] += $7 } END { print "State", sum["State"] + 0; print "Variable", sum["Variable"] + 0 }')" = \
        "$(grep 'State\|Variable' "$dir/counts")"
    number=$((number + 1))
done <<<"$cases"
check 'all cases were looked at' test $number = 11

# at: states and variables of what is chosen
"$paje" dump -s 0.8 -e 0.8 --container 'rank1*' --type State "$trace" | awk -F', ' '$5 > 0.8 { print $2 ": " $8 }' | sorted >"$dir/expected"
"$paje" at --container 'rank1*' --type State "$trace" 0.8 | awk '/^ *Thread: / { sub(/^ *Thread: /, ""); sub(/, .*/, ""); on = $0 }
    /^ *state / { sub(/^[^:]*: /, ""); sub(/, .*/, ""); print on ": " $0 }' | sorted >"$dir/got"
same 'at: the states of a process' "$dir/expected" "$dir/got"
check 'at: something is there' test -s "$dir/got"
check 'at: lines of the whole' sh -c "'$paje' at '$trace' 0.8 >'$dir/all'; '$paje' at --container 'rank1*' '$trace' 0.8 |
    grep -vxFf '$dir/all'; test \$? = 1"

# with an index
for options in '-s 0.5 -e 0.6 --container rank1' '-s 1 -e 1.1 --type S*' '-s 0.2 -e 0.3 --unit ms' '--container rank?-t2 -j 2'; do
    set -f
    rm -f "$trace.pajeidx"
    "$paje" dump $options "$trace" >"$dir/expected"
    "$paje" index --events 100 "$trace" >/dev/null
    "$paje" dump $options "$trace" >"$dir/got"
    set +f
    same "with an index: $options" "$dir/expected" "$dir/got"
done
"$paje" at --type State "$trace" 0.8 >"$dir/got"
rm -f "$trace.pajeidx"
"$paje" at --type State "$trace" 0.8 >"$dir/expected"
same 'with an index: at' "$dir/expected" "$dir/got"

# ---- the unit of times

# times DIVISOR: what entities have of names and times
times() {
    awk -F', ' -v by="$1" '$1 != "Container" { printf "%s, %s, %s", $1, $2, $3
        for (i = 4; i <= ($1 == "Event" ? 4 : 6); i++) printf ", %.12f", $i / by
        print "" }'
}
"$paje" dump -l 9 "$trace" | times 1000 >"$dir/expected"
"$paje" dump -l 12 --unit ms "$trace" | times 1 >"$dir/got"
same 'dump --unit ms: seconds' "$dir/expected" "$dir/got"
"$paje" dump -l 9 "$trace" >"$dir/expected"
"$paje" dump -l 9 --unit s "$trace" >"$dir/got"
same 'dump --unit s: as without' "$dir/expected" "$dir/got"
"$paje" dump -l 9 -i -s 0.5 -e 0.7 "$trace" | times 1000 >"$dir/expected"
"$paje" dump -l 12 -i -s 0.5 -e 0.7 --unit ms "$trace" | times 1 >"$dir/got"
same 'dump -i --unit ms, -s in the unit of the trace' "$dir/expected" "$dir/got"
"$paje" csv -d "$dir/csv" --unit us "$trace"
awk -F, 'NR == FNR { start[FNR] = $5; end[FNR] = $6; next } FNR > 1 && (($5 - start[FNR] / 1e6) ^ 2 > 1e-24 ||
    ($6 - end[FNR] / 1e6) ^ 2 > 1e-24) { exit 1 }' "$dir/csv-whole/states.csv" "$dir/csv/states.csv"
check 'csv --unit us' test $? = 0
# The decimals of times are divided, so seconds and durations are those of a trace in seconds, digit by digit.
decimals() { # UNIT DECIMALS
    awk -v decimals="$2" 'BEGIN {
        print "0 H 0 Host\n1 S H State\n6 0 h H 0 host x"
        for (time = i = 0; i < 2000; i++) {
            time += 7 + i * 48271 % 65537
            whole = sprintf("%016d", time)
            printf "10 %d.%s S h v%d x\n", substr(whole, 1, 16 - decimals), substr(whole, 17 - decimals), i % 3
        }
    }' | cat tests/tool/header.trace - >"$dir/$1.trace"
}
for unit in 'ms 6 9' 'us 3 9' 'ns 1 10'; do
    read -r unit less all <<<"$unit"
    decimals "$unit" "$less" && decimals s "$all"
    "$paje" csv -d "$dir/in-unit" --unit "$unit" "$dir/$unit.trace"
    "$paje" csv -d "$dir/in-seconds" "$dir/s.trace"
    same "csv --unit $unit: as of seconds" "$dir/in-seconds/states.csv" "$dir/in-unit/states.csv"
done
number() { "$paje" "$@" "$trace" | awk "$program"; }
program='/^last time/ { printf "%.9f\n", $3 }'
check 'null --unit ms' test "$(number null --unit ms)" = "$(program='/^last time/ { printf "%.9f\n", $3 / 1000 }' && number null)"
program='/^  0: 0, / { print $5 * 1 }'
check 'info --unit ns' test "$(number info --unit ns)" = "$(number info | awk '{ print $1 / 1e9 }')"
program='/^\// { root = $1 == "/" } root && /^  State  .*compute/ { print $5, $7 * 1 }'
check 'profile --unit ms: times' test "$(number profile --unit ms | cut -d' ' -f 1)" = \
    "$(number profile | awk '{ print $1 / 1000 }')"
check 'sql --unit ms' test "$("$paje" sql --unit ms "$trace" | grep -o 'last_time = [0-9.]*' | tail -n 1)" = \
    "last_time = $("$paje" sql "$trace" | grep -o 'last_time = [0-9.]*' | tail -n 1 | awk '{ printf "%.9f\n", $3 / 1000 }')"
check 'at --container NOPE: no line' test -z "$("$paje" at --container NOPE "$trace" 0.8 2>"$dir/err")"
check 'at --unit ms: TIME in the unit of the trace' test "$("$paje" at --unit ms "$trace" 0.8 | wc -l)" = "$("$paje" at "$trace" 0.8 | wc -l)"

# The unit is guessed where the trace tells it, for what names units; --unit goes before.
starpu=$traces/emitters/starpu.trace
told='starpu.trace: its times are taken for milliseconds, which StarPU writes; --unit s, ms, us or ns says otherwise'
expect 'svg: StarPU writes ms' 0 'time \[s\]<' "$paje" svg $starpu
check 'a message says so' grep -q "$told" "$dir/err"
check 'and a note in the picture' grep -q '>The times of the trace are taken for ms, which StarPU writes; --unit says' "$dir/out"
check 'the axis has seconds' grep -q '>5</text>' "$dir/out"
"$paje" svg --unit ms $starpu 2>&1 | sed '/taken for ms/d' >"$dir/expected"
sed '/taken for ms/d' "$dir/out" >"$dir/got"
check 'as with --unit ms' sh -c "grep '<rect\|<text' '$dir/got' | head -n 200 >'$dir/a'; grep '<rect\|<text' '$dir/expected' |
    head -n 200 | cmp - '$dir/a'"
expect '--unit s goes before' 0 '>5000</text>' "$paje" svg --unit s $starpu
check 'and no message comes' test ! -s "$dir/err"
expect 'html: StarPU writes ms' 0 '"seconds":0.001' "$paje" html $starpu
expect 'chrome: StarPU writes ms' 0 "$told" "$paje" chrome $starpu
check 'chrome: microseconds of these' grep -q '"ts":[0-9]\{7\}' "$dir/out"
expect 'view: StarPU writes ms' 0 "$told" "$paje" view --once $starpu
for command in info profile sql "csv -d $dir/csv"; do
    expect "${command%% *}: which option prints seconds" 0 \
        'milliseconds, which StarPU writes, and printed as they are; --unit ms' "$paje" $command $starpu
done
# guess NAME UNIT COMMENT FACTOR: the unit in the page of a trace of that comment, whose times have that factor
guess() {
    { echo "$3"; cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '1 S H S'; awk -v by=$4 'BEGIN {
        printf "6 %.0f h H 0 h 1\n10 %.0f S h a 1\n7 %.0f H h\n", by, by * 1.000001, by * 1.000002 }'; } >"$dir/guess.trace"
    check "the unit: $1" sh -c "'$paje' html '$dir/guess.trace' 2>/dev/null | grep -q '\"seconds\":$2,'"
}
guess 'a comment' 0.000001 '# Unit of times: us' 10
guess 'a comment with a full name' 0.000000001 '# time unit is nanosecond' 10
guess 'a comment of something else' 1 '# the unit tests for us, in ms' 10
guess 'words of two comments' 1 $'# one\n# no unit\n# ms are not meant' 10
guess 'seconds since 1970' 1 '#' 1.7e9
guess 'milliseconds since 1970' 0.001 '#' 1.7e12
guess 'microseconds since 1970' 0.000001 '#' 1.7e15
guess 'nanoseconds since 1970' 0.000000001 '#' 1.7e18
guess 'nothing tells it' 1 '#' 1e6
# A pipe may bring the comment later than what comes before it, and in pieces.
{ cat tests/tool/header.trace; printf '# unit of ti' && sleep 0.2; printf 'mes: m' && sleep 0.2
    printf '%s\n' s '0 H 0 Host' '1 S H S' '6 1 h H 0 h 1' '10 2 S h a 1'; } | "$paje" chrome >"$dir/out" 2>"$dir/err"
check 'the unit: a comment in pieces' grep -q '"ph":"B".*"ts":2000,' "$dir/out"
check 'the unit: a comment in pieces: a message says so' grep -q 'milliseconds, which a comment says' "$dir/err"
# Comments are read for a unit in the first 64 KB, also if a read begins before the end of these and goes on behind it.
{ cat tests/tool/header.trace; printf '#%999s\n' $(seq 64); } | head -c 65400 >"$dir/first"
printf '%s\n' "#$(printf ' %.0s' $(seq 200))" '# unit of times: ms' '0 H 0 Host' '1 S H S' '6 1 h H 0 h 1' '10 2 S h a 1' >"$dir/rest"
{ cat "$dir/first"; sleep 0.2; cat "$dir/rest"; } | "$paje" chrome >"$dir/out" 2>"$dir/err"
check 'the unit: a comment behind 64 KB is not read' grep -q '"ph":"B".*"ts":2000000,' "$dir/out"
# A long comment, as of a command line, and what is read of it with an index.
{ printf '# %2000s unit of times: us\n' 'of a command'; cat $traces/tour.trace; } >"$dir/long.trace"
expect 'the unit: a long comment' 0 'microseconds, which a comment says' "$paje" svg -s 0 -e 1 "$dir/long.trace"
cp "$dir/out" "$dir/expected"
"$paje" index "$dir/long.trace" >/dev/null
"$paje" svg -s 0 -e 1 "$dir/long.trace" 2>/dev/null >"$dir/got"
same 'the unit: a long comment, with an index' "$dir/expected" "$dir/got"
expect 'nothing tells it, and it lasts for days: a note says so' 0 'times of the trace are taken for seconds; --unit' \
    "$paje" svg --type NONE -s 0 -e 1e6 "$dir/guess.trace"

# ---- nothing is left, and what is refused

lone='^paje: .*t.trace: nothing is shown: '
for command in dump csv null info sql chrome perfetto profile efficiency matrix histogram slices waits critical diff equals at; do
    arguments="$trace"
    [[ $command = @(equals|diff) ]] && arguments="$trace $trace"
    [ $command = csv ] && arguments="-d $dir/csv $trace"
    [ $command = at ] && arguments="$trace 0.8"
    expect "$command: no such container" 0 "${lone}no container matches --container NOPE" "$paje" $command --container NOPE $arguments
    expect "$command: no such type" 0 "${lone}no entity has a type that matches --type N.PE, --type x" \
        "$paje" $command --type 'N*PE' --type x $arguments
    [ $command = at ] || expect "$command: outside of the trace" 0 "${lone}the range is outside of the trace, which lasts from 0 to 1.8" \
        "$paje" $command -s 100 $arguments
    check "$command: it is said once for each trace" test \
        "$("$paje" $command --container NOPE $arguments 2>&1 >/dev/null | grep -c 'nothing is shown')" = "$(grep -o "$trace" <<<"$arguments" | grep -c .)"
    check "$command: the help says what they mean" sh -c "'$paje' $command --help | grep -q 'Options that choose entities:'"
done
expect 'dump: the end before the start' 2 'the end, -e, is before the start, -s' "$paje" dump -s 2 -e 1 "$trace"
expect 'a unit that is none' 2 '`min`: no unit: s, ms, us or ns' "$paje" dump --unit min "$trace"
for command in parse validate index merge; do
    for option in '-s 1' '-e 2' '--container x' '--type x' '--unit ms'; do
        expect "$command $option" 2 "paje: $command: there is no --[a-z]* here: [a-z ]" "$paje" $command $option "$trace"
    done
done
expect 'at -s' 2 'TIME is the instant' "$paje" at -s 1 "$trace" 1
expect 'equals --unit' 2 'the times of both traces' "$paje" equals --unit ms "$trace" "$trace"
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '6 0 a H 0 "h[1]" 1' '6 0 b H 0 h1 1'; } >"$dir/brackets.trace"
check 'a name that is a glob matches itself' test "$("$paje" dump --container 'h[1]' "$dir/brackets.trace" | wc -l)" = 2
# A ? is one character, whatever the locale, and any byte that is not UTF-8; the root is no 0 that is called by a pattern.
{
    cat tests/tool/header.trace
    printf '%b\n' '0 H 0 Host' '6 0 a1 H 0 caf\0303\0251 1' '6 0 b1 H 0 caf\0351 1' '6 0 c1 H 0 0 1' '6 0 d1 H 0 \0346\0227\0245 1'
} >"$dir/characters.trace"
for case in 'caf?;a1 b1' 'caf[é];a1' 'caf*;a1 b1' '?;c1 d1' '[0-9];c1' '[0];c1' '0;a1 b1 c1 d1 0' '*;a1 b1 c1 d1 0' '??1;'; do
    for locale in C C.UTF-8; do
        LC_ALL=$locale "$paje" csv -d "$dir/tables" --container "${case%;*}" "$dir/characters.trace" 2>/dev/null
        check "--container ${case%;*} in $locale" test \
            "$(LC_ALL=C awk -F, 'NR > 1 { printf s $2; s = " " }' "$dir/tables/containers.csv")" = "${case#*;}"
    done
done

# An empty GLOB, as of a variable of a script that is not set, chooses containers without a name, not the root.
{ cat tests/tool/header.trace; printf '%s\n' '0 H 0 Host' '6 0 a H 0 "" 1' '6 0 b H 0 h1 1'; } >"$dir/nameless.trace"
check 'an empty GLOB matches a container without a name' test \
    "$("$paje" dump --container '' "$dir/nameless.trace")" = 'Container, 0, Host, 0, 0, 0, '
expect 'an empty GLOB where all have names' 0 'nothing is shown: no container matches --container ' \
    "$paje" dump --container= $traces/tour.trace

# What is not there is said.
expect 'a container that is not there' 0 'nothing is shown: no container matches --container NOPE$' \
    "$paje" profile --container NOPE $traces/tour.trace
cp $traces/tour.trace "$dir/indexed.trace"
"$paje" index "$dir/indexed.trace" >/dev/null
for range in '-s 100' '-e -5' '-s 100 -e 200'; do
    for command in dump profile null; do
        for trace in $traces/tour.trace "$dir/indexed.trace"; do
            expect "$command $range $(basename $trace)" 0 \
                'nothing is shown: the range is outside of the trace, which lasts from 0 to 3$' "$paje" $command $range "$trace"
        done
    done
done

# What is there is not said to be missing because other filters, or a range, leave nothing of it.
{
    cat tests/tool/header.trace
    printf '%s\n' '0 P 0 Proc' '1 S P State' '1 Q P Late' '6 0 a P 0 alpha 0'
    awk 'BEGIN { for (i = 0; i < 50; i++) printf "10 %d S a x m\n", i; print "7 50 P a\n6 60 b P 0 beta 0"
        for (i = 60; i < 200; i++) printf "10 %d Q b x m\n", i; print "7 200 P b" }'
} >"$dir/apart.trace"
cp "$dir/apart.trace" "$dir/apart-indexed.trace"
"$paje" index --events 10 "$dir/apart-indexed.trace" >/dev/null
for trace in "$dir/apart.trace" "$dir/apart-indexed.trace"; do
    for command in dump 'csv -d OUT' null sql profile matrix histogram slices svg html platform 'view --once' 'diff ALSO' equals\ ALSO; do
        command=${command/OUT/$dir/csv}
        command=${command/ALSO/$trace}
        expect "${command%% *}: a container, and a type that it has not, ${trace##*/}" 0 \
            'nothing is shown: no entity matches all of the filters$' "$paje" $command --container beta --type State "$trace"
        for filters in '--container alpha -s 100' '--type Late -e 20'; do
            expect "${command%% *} $filters, ${trace##*/}" 0 \
                'nothing is shown: no (entity matches all of the filters; the trace|(container|entity) in that range )' \
                "$paje" $command $filters "$trace"
        done
    done
done
for command in slices histogram; do
    expect "$command: a value that is outside of the range" 0 'nothing that the filters choose has a value like `x`' \
        "$paje" $command --value x --type Late -e 20 "$dir/apart.trace"
done

expect 'at, behind the end' 0 'tour.trace: nothing is shown: the trace lasts until 3$' "$paje" at $traces/tour.trace 100

exit $failed
