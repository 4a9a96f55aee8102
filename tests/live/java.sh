#!/bin/bash
# Metrics of Java: a program prints what it reads from the beans of its JVM, and mirctl asks for the same while it runs.
set -u
cd "$(dirname "$0")/../.." || exit 3
. tests/tool/lib.sh
mirctl=$PWD/build/examples/mir/mirctl engine=$PWD/build/examples/mir/mir_engine
for program in javac java; do
    command -v $program >/dev/null || { echo "SKIP live/java: there is no $program (install default-jdk-headless)"; exit 0; }
done
make -s paje build/examples/mir/mirctl build/examples/mir/mir_engine || exit 3
[ -e build/libpajetrace-java.so ] || { echo 'SKIP live/java: the JDK has no jvmti.h (install default-jdk-headless)'; exit 0; }
javac -d "$dir" --release 11 tests/live/JavaMetrics.java examples/trace/java/PiExample.java || exit 3
java=(java -cp "$dir" -Xshare:auto -XX:+UseSerialGC)
of_beans=LOADED_CL_CURR,UNLOADED_CL,COMP_TIME,NON_FINALIZED_OBJECTS,DAEMON_THREAD_COUNT

# compared FILE: whether its `METRIC VALUE` are those that the program has printed last; classes are loaded, and methods
# compiled, also when nothing else happens
compared() {
    tail -n 6 "$dir/printed" | awk '
        # LOADED_CL_CURR, COMP_TIME: by how much they may be greater
        FNR == NR { printed[$1] = $2; next }
        { n++; d = $2 - printed[$1]; bad += !($1 in printed) || d < 0 || d > ($1 == "LOADED_CL_CURR" ? 20 : $1 == "COMP_TIME" ? 1000 : 0) }
        END { exit bad || n != 6 || printed["UNLOADED_CL"] < 40 || printed["NON_FINALIZED_OBJECTS"] != 7 || printed["DAEMON_THREAD_COUNT"] < 3 }' - "$1"
}
mkfifo "$dir/go"
"$paje" trace --live --beans=0.05 -o "$dir/t.trace" "${java[@]}" JavaMetrics <"$dir/go" >"$dir/printed" 2>"$dir/said" &
traced=$!
exec 9>"$dir/go"
wait_for 60 sh -c "[ \$(wc -l <'$dir/printed') = 12 ]"
"$engine" -F -s "$dir/side" "$dir/t.trace" 2>"$dir/err2" &
side=$!
# asked: the metrics by mirctl, once the trace has what the program has printed
asked() {
    timeout 10 "$mirctl" "$dir/side" -m "$of_beans,GC_COUNT" -i 100ms -n 1 --json 2>/dev/null | tr '{' '\n' |
        sed -n 's/.*"metric": "\([A-Z_]*\)".*"value": \([0-9.]*\).*/\1 \2/p' >"$dir/asked"
    compared "$dir/asked"
}
check 'asked while it runs: what the program reads from its beans' wait_for 20 asked
expect 'all eight are in the catalogue' 0 '8' sh -c "'$mirctl' '$dir/side' --catalog | grep -c 'GC_\\|_CL\\|COMP_TIME\\|NON_FINAL\\|DAEMON'"
kill $side
wait $side 2>/dev/null
echo >&9
exec 9>&-
wait $traced
expect 'the program ends, and nothing else is printed' 0 '^12 0$' sh -c "echo \$(wc -l <'$dir/printed') \$(wc -c <'$dir/said')"
check 'its trace is strictly valid' "$paje" validate --strict "$dir/t.trace"
check 'the thread that reads the beans is no container of it' sh -c "! '$paje' dump '$dir/t.trace' | grep '^Container.*beans'"

# the whole trace, at its end
{
    printf '<instrreq>'
    for metric in ${of_beans//,/ } GC_COUNT; do printf '<metric name="%s"/>' "$metric"; done
    printf '<process id="*"/></instrreq><ctrlreq action="VALUE"><probe id="p1"/></ctrlreq>'
} >"$dir/at-end"
"$engine" -e "$dir/at-end" "$dir/t.trace" | grep -o 'value="[0-9.]*"' | tr -dc '0-9.\n' |
    paste -d ' ' <(printf '%s\n' ${of_beans//,/ } GC_COUNT) - >"$dir/ended"
check 'at the end of the trace' compared "$dir/ended"

# what a JVM does not have
printf '<catalogreq/>' >"$dir/catalog"
"$paje" trace --beans=0.05 -o "$dir/t.trace" "${java[@]}" -Xint JavaMetrics </dev/null >/dev/null
expect 'a JVM without a compiler has no time of it' 0 'LOADED_CL_CURR' "$engine" -e "$dir/catalog" "$dir/t.trace"
check 'and says so' sh -c "! '$engine' -e '$dir/catalog' '$dir/t.trace' | grep COMP_TIME"
"$paje" trace --beans=0.05 -o "$dir/t.trace" "${java[@]}" --limit-modules java.base PiExample >/dev/null 2>"$dir/said"
expect 'a JVM without the module java.management' 0 'has not loaded java.management' cat "$dir/said"
"$paje" trace -o "$dir/t.trace" "${java[@]}" JavaMetrics </dev/null >/dev/null
printf '<instrreq><metric name="COMP_TIME"/></instrreq>' >"$dir/asks"
expect 'nothing of the beans unless it is asked for' 0 'COMP_TIME: not in this catalogue' "$engine" -e "$dir/asks" "$dir/t.trace"
expect 'an interval that is none' 2 'beans=off, or seconds' "$paje" trace --beans=often true

exit $failed
