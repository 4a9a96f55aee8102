#!/bin/bash
# Makes the seeds of the targets from the traces of the tests.
# usage: tests/fuzz/seeds.sh FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 3
out=$1
for target in $(sed -n 's/^\([a-z]*\)  .*/\1/p' tests/fuzz/targets); do
    mkdir -p "$out/$target"
done

# Each trace of tests/read/prose, with the numbers of scene.h for the names of events: once for lenient and once for strict.
awk -v out="$out" -v full="${FULL:-}" '
    BEGIN {
        split("ContainerType StateType EventType VariableType LinkType EntityValue CreateContainer DestroyContainer SetState" \
              " PushState PopState ResetState NewEvent SetVariable AddVariable SubVariable StartLink EndLink TraceFile", name, " ")
        for (i in name)
            number[name[i]] = substr("0123456789abcdefghi", i, 1)
    }
    /^```trace/ { trace = ""; within = 1; next }
    /^```/ && within {
        within = 0
        if (length(trace) > 3000 || trace ~ /\\[x{]/)
            next
        file = sprintf("%03d", ++count)
        printf "    %s", trace >(out "/reader/lenient-" file)
        printf "!   %s", trace >(out "/reader/strict-" file)
        printf "!  `%s", trace >(out "/reader/trees-" file)
        printf "    %s", trace >(out "/images/" file)
        printf "@%c$5%c!%s", 33 + count % 90, 33 + count % 8, trace >(out "/indexes/" file)
        printf "d%c%c%c%s", 33 + count % 90, 33 + count * 7 % 90, 33 + count * 3 % 90, trace >(out "/images/forged-" file)
        printf "@%c$5%c%c%s", 33 + count % 90, 8 + 16 * (count % 8), 33 + count * 7 % 90, trace >(out "/indexes/forged-" file)
        if (full || count % 4 == 0)
            printf "%c%c%c%c%s", 33 + count % 60, 32 + count / 4 % 4 * 4, 33, 33 + count % 90, trace >(out "/lookups/" file)
        printf "%c %s", 33 + count % 90, trace >(out "/commands/" file)
        printf "%c%s\377%s", 33 + count % 5, before, trace >(out "/merge/" file)
        before = trace
        close(out "/reader/lenient-" file); close(out "/reader/strict-" file)
        close(out "/images/" file); close(out "/indexes/" file); close(out "/commands/" file)
        close(out "/images/forged-" file); close(out "/indexes/forged-" file)
        close(out "/lookups/" file); close(out "/merge/" file)
    }
    within {
        match($0, /^[ \t]*/)
        indent = substr($0, 1, RLENGTH)
        rest = substr($0, RLENGTH + 1)
        match(rest, /^[A-Za-z]*/)
        word = substr(rest, 1, RLENGTH)
        gsub(/\\t/, "\t", rest)
        gsub(/\\r/, "\r", rest)
        trace = trace indent (word in number ? number[word] substr(rest, RLENGTH + 1) : rest) "\n"
    }' tests/read/prose/[a-z]*.md

# The traces, which have their own header: nothing precedes them.
for trace in tests/traces/*.trace; do
    name=$(basename "$trace" .trace)
    { printf '\0   '; head -c 4000 "$trace"; } >"$out/reader/$name"
    { printf '\377\3'; head -c 4000 "$trace"; } >"$out/commands/$name"
done

# Random lines (lines.h) through each index.
LC_ALL=C awk -v out="$out/lookups" -v count="${FULL:+60}" 'BEGIN {
    srand(1)
    for (i = 0; i < (count ? count : 80); i++) {
        file = out "/lines-" i
        printf "%c%c%c%c", 1 + int(rand() * 63), 16 + int(rand() * 4) * 4, 1 + int(rand() * 90), 1 + int(rand() * 90) >file
        for (left = 20 + int(rand() * rand() * 1200); left; left--)
            printf "%c", 1 + int(rand() * 126) >file
        close(file)
    }
}'

# Inputs by re2c that cover all paths of the lexer; its skeletons do not know the sentinel.
if command -v "${RE2C:-re2c}" >/dev/null; then
    sed '/sentinel/d' src/pajesim/text/lex.re >"$out/lex.re"
    (cd "$out" && "${RE2C:-re2c}" -S -o skeleton.c lex.re && ${CC:-cc} -w skeleton.c -o skeleton && ./skeleton) >/dev/null
    for input in "$out"/skeleton*.input; do
        { printf '    '; head -c 4000 "$input"; } >"$out/reader/$(basename "$input" .input)"
    done
    rm -f "$out"/skeleton* "$out/lex.re"
fi

n=0
for number in 0 -0 +1 1.5 .5 5. 1e22 1e-400 1e400 0.1 9007199254740993 9223372036854775807 9223372036854775808 \
    4.9406564584124654e-324 2.2250738585072014e-308 1.0000000000000002220446049250313 0000000000001e5 1e 1.. . - e1; do
    printf %s "$number" >"$out/numbers/$((n += 1))"
done
for size in 50 300 1500; do
    awk -v size=$size 'BEGIN { srand(size); for (i = 0; i < size; i++) printf "%c", 1 + int(rand() * 126) }' >"$out/writer/$size"
    { printf '\0\1\1\11\0\1\0\200'; cat "$out/writer/$size"; } >"$out/writer/scene-$size"
done

# Specifications, whole and one by one without their sections.
for spec in examples/mate/tunlets/*.tunlet; do
    cp "$spec" "$out/specs/"
    sed 's/;.*#[/]$/#\//' "$spec" >"$out/specs/${spec##*/}-cut"
done

# Requests between states of two threads.
{
    for aggregate in '' '<aggregate function="AVERAGE"/><aggregate function="MAXIMUM"/><aggregate function="VARIANCE"/>'; do
        for path in '' '<thread id="?"/>' '<process id="p1"><thread id="*"/></process>' '<process id="*"/>'; do
            file=$out/requests/$((n += 1))
            measuring=${aggregate:+<measuring delivery=\"-1\">$aggregate</measuring>}
            printf '%s\n' '<instrreq activated="true"><codeRegion from="solve" to="solve"/><metric name="WC_TIME"/>' \
                "<metric name=\"BLOCKED_COUNT\"/>$measuring$path</instrreq>" '+aa....' '+ac' '-a' '-a' '+cb' '-c.........' \
                '<ctrlreq action="VALUE"><probe id="p1"/></ctrlreq>' '<snapshotreq named="true" stack="3"/>' \
                '<instrreq activated="true"><metric name="THREAD_COUNT"/><measuring interval="10" duration="5" delivery="20"/></instrreq>' \
                '+aa.' '-a.............' '<ctrlreq action="RESET"><probe id="p2"/></ctrlreq>' '<catalogreq/>' '<ping id="&#65;"/>' \
                '<tunereq id="1" expires="90"><set name="number" value="5"/><replace name="slot" with="none"/><load file="x"/></tunereq>' \
                '<tunereq id="2"><insert name="iteration" call="call"/><param name="call" index="1" value="-9"/></tunereq>' '*a..' \
                '<tunereq id="3"><remove name="iteration" call="call"/><categories on="1" off="2"/></tunereq>' '*b.......' >"$file"
        done
    done
} </dev/null
