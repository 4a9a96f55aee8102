#!/bin/bash
# `paje trace` on programs of Java: threads, what they wait for, exceptions, collections, methods, in the number that the
# program has them; the agent late, missing and refused; a JVM that is killed.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tests/java paje=$PWD/build/paje agent=$PWD/build/libpajetrace-java.so FULL=${FULL:-} failed=0
rm -rf "$dir"
mkdir -p "$dir/tmp"
make -s paje || exit 1
export TMPDIR=$dir/tmp
pass() { echo "PASS trace_java/$1"; }
fail() { echo "FAIL trace_java/$1: $2"; failed=1; }
if ! command -v javac java jcmd >/dev/null || [ ! -e "$agent" ]; then
    echo 'SKIP trace_java: no JDK with jvmti.h (install default-jdk-headless)'
    exit 0
fi
java=(java -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC)
javac -d "$dir" -sourcepath examples/trace/java tests/trace/Java{Program,Shapes}.java examples/trace/java/{PiExample,WordCount}.java \
    || exit 3
cd "$dir" || exit 3

# counts: the trace, as `TYPE.VALUE=COUNT` with blanks between them
counts() {
    "$paje" dump t.trace | awk -F', ' '
        /^State/ {n[$NF]++} /^Event/ {n["event." $5]++} /^Link/ {n["link." $3]++} /^Container/ {n["container." $3]++}
        END {for (name in n) printf "%s=%d\n", name, n[name]}' | sort
}
# traced NAME EXPECTED... -- ARGUMENTS...: runs it; the trace is valid and has these counts, and it prints nothing else
traced() {
    local name=$1 log expected wrong=''
    shift
    local wanted=()
    while [ "$1" != -- ]; do wanted+=("$1"); shift; done
    shift
    rm -f t.trace
    "$paje" trace -o t.trace "$@" >out 2>err
    status=$?
    if [ -s err ]; then
        fail "$name" "it says: $(head -n 1 err)"
    elif ! log=$("$paje" validate --strict t.trace 2>&1) || ! grep -q ' 0 warnings: valid' <<<"$log"; then
        fail "$name: strictly valid" "$(head -n 1 <<<"$log")"
    else
        counts >counts
        for expected in "${wanted[@]}"; do
            grep -qxF -- "${expected//_/ }" counts || wrong+=" $expected"
        done
        if [ "$wrong" ]; then
            fail "$name" "no$wrong in: $(tr '\n' ' ' <counts)"
        else
            pass "$name"
        fi
    fi
}

traced 'PiExample: 19 threads' container.Thread=19 running=19 -- java PiExample
if [ "$("$paje" dump t.trace | grep -c '^Container, .*, Thread, .*Thread-')" = 15 ] && grep -q 'with 8 threads: 3.14159265' out; then
    pass 'PiExample: 15 of them are its own, by name'
else
    fail 'PiExample: 15 of them are its own, by name' "$("$paje" dump t.trace | grep '^Container' | tr '\n' ' ')"
fi
if [ "$("$paje" dump t.trace | awk -F', ' '/^State, main, .*Thread.start/' | wc -l)" -ge 15 ] &&
    [ "$("$paje" dump t.trace | grep -c '^Link, .*Thread created, .*, main, Thread-')" = 15 ]; then
    pass 'PiExample: starts, with a link to each thread'
else
    fail 'PiExample: starts, with a link to each thread' "$(tr '\n' ' ' <counts)"
fi
traced 'threads of the JVM are shown' -- --jvm shown "${java[@]}" PiExample
if [ "$(sed -n 's/container.Thread=//p' counts)" -gt 24 ]; then
    pass 'threads of the JVM are shown: there are more'
else
    fail 'threads of the JVM are shown: there are more' "$(tr '\n' ' ' <counts)"
fi

traced 'waits, contended, exceptions, pool, collections' link.Notified=4 Object.notify=3 \
    container.Collector=1 event.exception_that_no_Java_catches=1 -- "${java[@]}" JavaProgram waits
# waiters that are notified together may contend as well
if [ "$("$paje" dump t.trace | grep -c '^State, main, .*, monitor$')" -ge 1 ]; then
    pass 'a monitor that another thread has'
else
    fail 'a monitor that another thread has' "$(tr '\n' ' ' <counts)"
fi
# of nine calls, three throw; a notify without the monitor throws as well
if [ "$("$paje" dump -u t.trace | grep -c '^Event, main, .*, exception, java.lang.Illegal\(Monitor\)*State')" = 4 ] &&
    [ "$(sed -n 's/^exception=//p' counts)" = "$(sed -n 's/^event.exception=//p' counts)" ]; then
    pass 'exceptions, and states up to their catch'
else
    fail 'exceptions, and states up to their catch' "$(tr '\n' ' ' <counts)"
fi
if "$paje" dump t.trace | grep -q '^Container, .*, Thread, .*, a waiter whose name is longer than what the system has_ 3$'; then
    pass 'long names'
else
    fail 'long names' "$("$paje" dump t.trace | grep -m 1 'a waiter')"
fi
if [ "$(sed -n 's/^park=//p' counts)" -ge 2 ] && [ "$(sed -n 's/^sleep=//p' counts)" -ge 7 ] &&
    [ "$(sed -n 's/^Object.wait=//p' counts)" -ge 4 ] && [ "$(sed -n 's/^collection of garbage=//p' counts)" -ge 1 ] &&
    [ "$(sed -n 's/^event.allocation=//p' counts)" -ge 20 ]; then
    pass 'park, sleep, wait, collections, allocations'
else
    fail 'park, sleep, wait, collections, allocations' "$(tr '\n' ' ' <counts)"
fi

traced 'messages' link.Message=3 JavaProgram.messages=1 -- --methods JavaProgram.messages "${java[@]}" JavaProgram messages
if "$paje" dump t.trace | awk -F', ' '$1 == "Link" && /Message/ {bad += $6 < 0.02 || $4 < last + 0.02; last = $5}
    /messages$/ {bad += $5 < last + 0.02; n++} END {exit bad || n != 1}'; then
    pass 'messages: each when it was sent and received, whatever state they are in'
else
    fail 'messages: each when it was sent and received, whatever state they are in' "$("$paje" dump t.trace | grep -i messages | tr '\n' ' ')"
fi

# Methods by changed classes: the verifier takes them, they compute the same, and a throw ends each.
"${java[@]}" JavaShapes 900 >plain
traced 'methods, verified' JavaShapes.third=913 'JavaShapes$Box.<init>=2' 'JavaShapes$Base.<init>=5' JavaShapes.again=1 \
    JavaShapes.nested=1 'JavaShapes$Area.twice=1' 'JavaShapes$Area.three=1' 'JavaShapes$Box.area=2' 'JavaShapes.lambda$main$0=1' \
    JavaShapes.mixed=1 JavaShapes.ofTable=10 JavaShapes.ofText=3 JavaShapes.main=1 -- \
    --methods 'JavaShapes*,!*.deep' "${java[@]}" -Xverify:all JavaShapes 900
if cmp -s plain out && ! grep -q 'deep' counts; then pass 'methods: what they compute'; else fail 'methods: what they compute' "$(cat out)"; fi
if [ "$("$paje" dump t.trace | awk -F', ' '/^State, main, .*third$/ {print $7}' | sort | uniq -c | sort -rn | awk 'NR == 1 {print $1}')" -ge 900 ]; then
    pass 'methods: a throw in every third call leaves nothing open'
else
    fail 'methods: a throw in every third call leaves nothing open' "$("$paje" dump t.trace | grep -m 3 third)"
fi
printf '# a list\nJavaShapes.deep\n java.util.ArrayList.add* # of the JDK\n' >list
traced 'methods of a list, also of classes of the JDK' JavaShapes.deep=501 -- --methods @list "${java[@]}" -Xverify:all JavaShapes 9
if grep -q '^java.util.ArrayList.add=' counts && [ "$(grep -c JavaShapes counts)" = 1 ]; then
    pass 'methods of a list: these only'
else
    fail 'methods of a list: these only' "$(tr '\n' ' ' <counts)"
fi
if [ "$FULL" ]; then # thousands of methods of another one's program
    mkdir -p plain.out traced.out
    javac -d plain.out "$root/tests/trace/JavaProgram.java" "$root/tests/trace/JavaShapes.java"
    traced 'all methods of javac, verified' -- --allocations=off --methods 'com.sun.tools.javac.*' javac -J-Xverify:all -d traced.out \
        "$root/tests/trace/JavaProgram.java" "$root/tests/trace/JavaShapes.java"
    if diff -r plain.out traced.out >/dev/null && [ "$(grep -c 'com.sun.tools.javac' counts)" -gt 3000 ]; then
        pass 'all methods of javac: it compiles the same'
    else
        fail 'all methods of javac: it compiles the same' "$(grep -c 'com.sun.tools.javac' counts) methods"
    fi
fi

number=${FULL:+5000000}
number=${number:-50000}
traced "$number notifies of a hot loop" "Object.notify=$number" -- java JavaProgram notifies "$number"
traced '300 threads at once' container.Thread=304 -- "${java[@]}" JavaProgram at-once 300
[ ! "$FULL" ] || traced '1,000 threads at once' container.Thread=1004 -- "${java[@]}" JavaProgram at-once 1000
traced 'threads=slots: one after the other' -- --threads slots "${java[@]}" JavaProgram in-turn 30
if [ "$(sed -n 's/container.Thread=//p' counts)" -le 6 ]; then
    pass 'threads=slots: the smallest that is free'
else
    fail 'threads=slots: the smallest that is free' "$(tr '\n' ' ' <counts)"
fi
[ ! "$FULL" ] || traced 'java not recorded: its threads are those of the system' -- --record=threads,io "${java[@]}" JavaProgram in-turn 1

# Several JVMs: of N workers each gets 3 splits and the addresses, sends N - 1 parts to others, and a result.
"${java[@]}" WordCount 2 >plain # without the tracer, the calls of Paje do nothing
traced 'word count on three JVMs, started by one' container.Process=5 link.Message=12 map=6 shuffle=2 reduce=4 \
    'wait_for_workers=1' -- "${java[@]}" WordCount 2
if "$paje" dump -u t.trace | awk -F', ' '/^Link/ && $3 == "Message" {n++; bad += $(NF) != $(NF - 1) || $6 < 0} END {exit !(n == 12 && !bad)}'; then
    pass 'word count: the same bytes at both ends of each message'
else
    fail 'word count: the same bytes at both ends of each message' "$("$paje" dump -u t.trace | grep -m 2 Message)"
fi
if [ "$FULL" ]; then
    "$paje" trace --keep master -o m.trace "${java[@]}" WordCount master 2 47163 >out 2>err &
    for i in 1 2; do
        (sleep 0.$i; exec "$paje" trace --keep worker.$i -o w.$i.trace "${java[@]}" WordCount worker localhost 47163) 2>>err &
    done
    wait
    "$paje" merge --align -o t.trace master worker.? 2>aligned
    counts >counts
    if grep -qx 'link.Message=12' counts && [ "$("$paje" dump t.trace | awk -F', ' '/^Link/ && $6 < 0' | wc -l)" = 0 ] &&
        "$paje" validate --strict t.trace >/dev/null 2>&1 && grep -q 'clock corrected' aligned && cmp -s plain out; then
        pass 'word count: three runs, each with its own clock, merged into one tree'
    else
        fail 'word count: three runs, each with its own clock, merged into one tree' "$(cat aligned err out | head -n 3 | tr '\n' ' ') $(tr '\n' ' ' <counts)"
    fi
fi

# The agent is attached to a JVM that has printed `ready`, and goes on with the line `go`.
mkfifo ready go
exec 3<>go 4<>ready
rm -f t.trace
"$paje" trace --record=threads,io,processes -o t.trace "${java[@]}" JavaProgram pause >ready 2>err <go &
traced=$!
read -r _ <&4
jvm=$(pgrep -P $traced -f 'JavaProgram pause' | head -n 1)
"$paje" trace --on java "$(echo "$TMPDIR"/paje-trace-*)"
jcmd "$jvm" JVMTI.agent_load "$agent" >late 2>&1
jcmd "$jvm" JVMTI.agent_load "$agent" >again 2>&1
echo go >&3
wait $traced
counts >counts
if grep -q 'return code: 0' late && grep -q 'attached late: Thread.start, notify' err && "$paje" validate --strict t.trace >/dev/null 2>&1 &&
    [ "$("$paje" dump t.trace | grep -c 'one of many$')" -ge 3 ]; then
    pass 'attached late'
else
    fail 'attached late' "$(tail -n 1 late), $(head -n 1 err), $(tr '\n' ' ' <counts)"
fi
if grep -q 'return code: -1' again && grep -q 'this JVM is recorded already' err; then
    pass 'attached again is refused'
else
    fail 'attached again is refused' "$(tail -n 1 again) $(cat err)"
fi
"${java[@]}" -agentpath:"$agent" JavaProgram in-turn 1 >out 2>err
if [ $? = 0 ] && grep -q 'does not run under `paje trace`: nothing is recorded' err; then
    pass 'without `paje trace`: a message, and the program runs'
else
    fail 'without `paje trace`: a message, and the program runs' "$(head -n 1 err)"
fi
mkdir -p elsewhere
cp "$paje" "$root/build/libpajetrace.so" elsewhere
elsewhere/paje trace -o t.trace "${java[@]}" JavaProgram in-turn 1 >out 2>err
if [ $? = 0 ] && grep -q 'no libpajetrace-java.so beside libpajetrace.so: install a JDK' err; then
    pass 'no agent: a message, and the program runs'
else
    fail 'no agent: a message, and the program runs' "$(head -n 1 err)"
fi
"$paje" trace -o t.trace --exceptions off --allocations off "${java[@]}" JavaProgram exit >out 2>err
if [ $? = 7 ] && [ ! -s err ] && ! "$paje" dump t.trace | grep -q 'exception\|allocation'; then pass 'the exit status; no exceptions, no allocations'; else fail 'the exit status; no exceptions, no allocations' "$(head -n 1 err)"; fi
"$paje" trace -o t.trace sh -c "${java[*]} JavaProgram pause <go & wait; exit 9" >ready 2>err &
traced=$!
read -r _ <&4
kill -9 "$(pgrep -f 'JavaProgram pause' | tail -n 1)"
wait $traced
exec 3<&- 4<&-
counts >counts
if "$paje" validate --strict t.trace >/dev/null 2>&1 && [ "$(grep -c '^event.class loaded\|^Thread.start\|^running' counts)" -ge 2 ]; then
    pass 'a JVM that is killed'
else
    fail 'a JVM that is killed' "$(tr '\n' ' ' <counts)"
fi
cd "$root" && [ $failed = 0 ] && rm -rf "$dir"
exit $failed
