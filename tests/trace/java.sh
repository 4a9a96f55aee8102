#!/bin/bash
# `paje trace` on programs of Java: threads, what they wait for, exceptions, collections, messages, methods, in the number
# that the program has them.
set -u
test=java
. "$(dirname "$0")/java_lib.sh"

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
traced 'PiExample: 19 threads also while the agent reads beans' container.Thread=19 running=19 -- --beans 0.05 java PiExample
variables() { "$paje" dump t.trace | awk -F', ' '/^Variable/ && !seen[$3]++ { n++ } END { print n + 0 }'; }
if [ "$(variables)" = 5 ]; then
    pass 'beans: five variables of the process'
else
    fail 'beans: five variables of the process' "$(variables)"
fi
traced 'a program that ends at once, with beans' -- --beans 0.05 java JavaEmpty
if [ "$(variables)" = 5 ]; then
    pass 'beans of a program that ends at once: five variables'
else
    fail 'beans of a program that ends at once: five variables' "$(variables)"
fi
traced 'threads of the JVM are shown' -- --jvm shown "${java[@]}" PiExample
if [ "$(count_of container.Thread)" -gt 24 ]; then
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
    [ "$(count_of exception)" = "$(count_of event.exception)" ]; then
    pass 'exceptions, and states up to their catch'
else
    fail 'exceptions, and states up to their catch' "$(tr '\n' ' ' <counts)"
fi
if "$paje" dump t.trace | grep -q '^Container, .*, Thread, .*, a waiter whose name is longer than what the system has_ 3$'; then
    pass 'long names'
else
    fail 'long names' "$("$paje" dump t.trace | grep -m 1 'a waiter')"
fi
if [ "$(count_of park)" -ge 2 ] && [ "$(count_of sleep)" -ge 7 ] &&
    [ "$(count_of Object.wait)" -ge 4 ] && [ "$(count_of 'collection of garbage')" -ge 1 ] &&
    [ "$("$paje" dump -u t.trace | grep -c ', allocation, byte\[\], 100016$')" -ge 20 ]; then
    pass 'park, sleep, wait, collections, allocations'
else
    fail 'park, sleep, wait, collections, allocations' "$(tr '\n' ' ' <counts)"
fi

traced 'threads that wait without the lock' -- java JavaProgram waits-without-lock 20
if [ $status = 0 ] && [ "$("$paje" dump t.trace | grep -c '^State, waiter, .*, Object.wait$')" = 64 ] &&
    ! "$paje" dump t.trace | grep -q '^State, refused, .*, Object.wait$'; then
    pass 'threads that wait without the lock: they do not, and others do'
else
    fail 'threads that wait without the lock: they do not, and others do' "$status, $(tr '\n' ' ' <counts)"
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
if "$paje" dump t.trace | awk -F', ' '/, JavaShapes/ {n++; bad += ($NF == "JavaShapes.main") != ($7 == 1); last = $NF}
    END {exit bad || n < 900 || last != "JavaShapes.main"}'; then
    pass 'methods: each is within that which called it'
else
    fail 'methods: each is within that which called it' "$("$paje" dump t.trace | grep JavaShapes | tail -n 2)"
fi
traced 'methods of a class whose loader knows only itself and the JDK' JavaEmpty.main=1 -- --methods 'JavaEmpty.*' "${java[@]}" \
    -Xverify:all JavaProgram loads
if [ "$status $(cat out)" = '0 true' ]; then
    pass 'methods of a class whose loader knows only itself and the JDK: it runs'
else
    fail 'methods of a class whose loader knows only itself and the JDK: it runs' "$status $(head -n 1 out)"
fi
traced 'exceptions that leave methods which are recorded are one event each' event.exception=4 \
    event.exception_that_no_Java_catches=1 JavaProgram.third=10 -- --methods 'JavaProgram.*' "${java[@]}" JavaProgram throws 9
printf '# a list\nJavaShapes.deep\n java.util.ArrayList.add* # of the JDK\n' >list
traced 'methods of a list, also of classes of the JDK' JavaShapes.deep=501 -- --methods @list "${java[@]}" -Xverify:all JavaShapes 9
if grep -q '^java.util.ArrayList.add=' counts && [ "$(grep -c JavaShapes counts)" = 1 ] &&
    [ "$("$paje" dump t.trace | awk -F', ' '/JavaShapes.deep$/ && !seen[$7]++ {n++} END {print n}')" = 501 ]; then
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
traced '1,000 threads at once' container.Thread=1004 -- "${java[@]}" JavaProgram at-once 1000
traced 'threads=slots: one after the other' -- --threads slots "${java[@]}" JavaProgram in-turn 30
if [ "$(count_of container.Thread)" -le 6 ]; then
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

# Three runs, each with its own clock (in namespaces that set it, where the system has them), as on three machines.  `begun`
# has when each began: clocks are off by that, and are set right up to half of the time that a message and its reply take.
if [ "$FULL" ]; then
    begin() { # begin NAME HOURS ARGUMENT...
        local clock=()
        ! unshare --time --monotonic "$2" true 2>/dev/null || clock=(unshare --time --monotonic $((3600 * $2)))
        echo "$1 $(date +%s.%N)" >>begun
        exec "${clock[@]}" "$paje" trace --keep "$1.run" -o "$1.trace" "${java[@]}" WordCount "${@:3}"
    }
    : >begun
    (begin master 0 master 2 47163) >out 2>err &
    for i in 1 2; do
        (sleep $i; begin worker.$i $i worker localhost 47163) 2>>err &
    done
    wait
    "$paje" merge --align -o t.trace master.run worker.?.run 2>aligned
    counts >counts
    name='word count: three runs, each with its own clock, merged into one tree'
    if grep -qx 'link.Message=12' counts && [ "$("$paje" dump t.trace | awk -F', ' '/^Link/ && $6 < 0' | wc -l)" = 0 ] &&
        "$paje" validate --strict t.trace >/dev/null 2>&1 && cmp -s plain out; then
        pass "$name"
    else
        fail "$name" "$(cat aligned err out | head -n 3 | tr '\n' ' ') $(tr '\n' ' ' <counts)"
    fi
    if awk 'FNR == NR {begun[$1] = $2; next} # paje: worker.1.run/1-PID.raw: clock corrected by SECONDS
        {split($2, part, ".run/"); off = begun[part[1]] - begun["master"] - $NF; n++; bad += off * off > 0.25}
        END {exit bad || n != 2}' begun aligned; then
        pass 'word count: the clocks are set right'
    else
        fail 'word count: the clocks are set right' "$(cat begun aligned | tr '\n' ' ')"
    fi
fi

ended
