#!/bin/bash
# JVMs under `paje trace`: of other releases, with virtual threads, killed, created by a program of C; the agent attached
# late, refused, missing; a machine without a JDK.
set -u
test=java_jvm
. "$(dirname "$0")/java_lib.sh"

# A machine without a JDK, and one that has a part of it.
mkdir none
ln -s "$(command -v dirname)" none
for missing in javac jcmd; do
    out=$(PATH=$dir/none /bin/bash "$root/tests/trace/java.sh" 2>&1)
    if [ $? = 0 ] && [ "$out" = "SKIP trace_java: there is no $missing (install default-jdk-headless)" ]; then
        pass "without $missing: the tests are skipped, and name the package"
    else
        fail "without $missing: the tests are skipped, and name the package" "$out"
    fi
    ln -sf "$(command -v java)" "$(command -v javac)" none
done

# Releases: those in /usr/lib/jvm, and below the folders of JDKS.  The newest may have virtual threads.
newest=0 newest_java=java
while read -r home; do
    release=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
    [ "$release" ] && [ -x "$home/bin/java" ] || continue
    [ "$release" -le "$newest" ] || newest=$release newest_java=$home/bin/java
    [ "$FULL" ] || continue
    traced "Java $release: PiExample" -- "$home/bin/java" PiExample
    if [ "$("$paje" dump t.trace | grep -c '^Container, .*, Thread, .*Thread-')" = 15 ] && [ "$(count_of container.Thread)" -ge 18 ]; then
        pass "Java $release: PiExample: its threads"
    else
        fail "Java $release: PiExample: its threads" "$(tr '\n' ' ' <counts)"
    fi
    traced "Java $release: methods, verified" JavaShapes.third=913 'JavaShapes$Box.<init>=2' JavaShapes.nested=1 JavaShapes.ofTable=10 -- \
        --methods 'JavaShapes*,!*.deep' "$home/bin/java" -Xverify:all -XX:TieredStopAtLevel=1 JavaShapes 900
    traced "Java $release: waits" link.Notified=4 Object.notify=3 container.Collector=1 -- "$home/bin/java" JavaProgram waits
    traced "Java $release: notifies" Object.notify=50000 -- "$home/bin/java" JavaProgram notifies 50000
# shellcheck disable=SC2086
done < <(find /usr/lib/jvm ${JDKS:-} -name release -printf '%h\n' 2>/dev/null | sort -u)
if [ "$newest" -lt 21 ]; then
    traced "virtual threads: Java $newest has none" -- java JavaVirtual 50
else
    traced "virtual threads of Java $newest" event.caught=50 event.exception=50 exception=50 work=50 JavaVirtual.run=50 JavaVirtual.deep=300 -- \
        --methods JavaVirtual.run,JavaVirtual.deep "$newest_java" JavaVirtual 50
    # a virtual thread leaves its carrier at least once, and what it has begun there ends with its stay
    if [ "$(count_of 'virtual thread')" -ge 51 ] && [ "$(count_of container.Thread)" -le 20 ] && "$paje" dump t.trace | awk -F', ' '
        $1 == "State" && $NF == "virtual thread" {stays[$2] = stays[$2] $4 " " $5 " "}
        $1 == "State" && $NF ~ /^(work|JavaVirtual.run|JavaVirtual.deep)$/ && $2 ~ /^ForkJoinPool/ {inner[++n] = $2 " " $4 " " $5}
        END {
            for (i = 1; i <= n; i++) {
                split(inner[i], it, " "); count = split(stays[it[1]], time, " "); within = 0
                for (k = 1; k < count; k += 2) within += it[2] >= time[k] && it[3] <= time[k + 1]
                bad += it[1] ~ /worker/ && !within
            }
            exit bad || n < 100
        }'; then
        pass 'virtual threads: stays on their carriers'
    else
        fail 'virtual threads: stays on their carriers' "$(tr '\n' ' ' <counts)"
    fi
fi

if [ "$newest" -ge 21 ]; then # what a carrier itself has begun stays open while it carries others
    "$paje" trace -o t.trace --methods 'java.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec' "$newest_java" JavaVirtual 50 >out
    deepest=$("$paje" dump t.trace | awk -F', ' '/topLevelExec$/ && $7 > most {most = $7} END {print most + 0}')
    if [ "$deepest" -ge 1 ] && [ "$deepest" -le 2 ]; then
        pass 'virtual threads: methods of carriers end'
    else
        fail 'virtual threads: methods of carriers end' "$deepest within each other"
    fi
fi

# A JVM that a program of C creates, without the launcher: the agent is named by a variable, of which the JVM says so.
home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
if ${CC:-cc} -I"$home/include" -I"$home/include/linux" -o embedded "$root/tests/trace/java_embedded.c" -ldl -pthread; then
    JAVA_TOOL_OPTIONS=-agentpath:$agent "$paje" trace -o t.trace ./embedded "$home/lib/server/libjvm.so" . JavaProgram waits >out 2>err
    status=$?
    counts >counts
    if [ $status = 0 ] && "$paje" validate --strict t.trace >/dev/null 2>&1 && [ "$(count_of link.Notified)" = 4 ] &&
        [ "$(count_of Object.notify)" = 3 ] && [ "$(count_of Thread.start)" -ge 9 ] && [ "$(wc -l <err)" = 1 ] &&
        [ "$("$paje" dump t.trace | grep -c '^Container, .*Thread, .*\(main\|pool-1-thread-[123]\|holder\|embedded\)$')" -ge 5 ] &&
        grep -q 'the JVM has ended' out; then
        pass 'a JVM in a program of C: its threads, and those after its end'
    else
        fail 'a JVM in a program of C: its threads, and those after its end' "status $status: $(head -n 2 err) $(tr '\n' ' ' <counts)"
    fi
else
    fail 'a JVM in a program of C' 'it does not compile'
fi

# Threads define types and values when they need them: the value of one may be in front of its type, by another one.
"$paje" trace --keep kept -o t.trace "${java[@]}" JavaProgram throws 9 >out
for raw in kept/*.raw; do
    grep -a '^12 [0-9]* [0-9]* Java$' "$raw" >type
    grep -av '^12 [0-9]* [0-9]* Java$' "$raw" >rest
    cat rest type >"$raw"
done
if [ "$(wc -l <type)" = 1 ] && "$paje" merge -o u.trace kept 2>err && cmp -s t.trace u.trace; then
    pass 'a value whose type is defined behind it'
else
    fail 'a value whose type is defined behind it' "$(wc -l <type) types, $(head -n 1 err)"
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
jcmd "$jvm" JVMTI.agent_load "$agent" '"methods"' >wrong 2>&1
jcmd "$jvm" JVMTI.agent_load "$agent" '"methods=JavaProgram.pause,java.lang.Throwable.<init>"' >late 2>&1
jcmd "$jvm" JVMTI.agent_load "$agent" >again 2>&1
echo go >&3
wait $traced
counts >counts
if grep -q 'return code: -1' wrong && grep -q 'options of the agent:1: .methods.: it has to be' err; then
    pass 'attached with a wrong option: refused, and the JVM goes on'
else
    fail 'attached with a wrong option: refused, and the JVM goes on' "$(tail -n 1 wrong), $(head -n 1 err)"
fi
if grep -q 'return code: 0' late && grep -q 'attached late: Thread.start, notify' err && grep -q 'attached late, of: exceptions' err &&
    "$paje" validate --strict t.trace >/dev/null 2>&1 && [ "$("$paje" dump t.trace | grep -c 'one of many$')" -ge 3 ]; then
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
mkdir -p folder=own
cp "$paje" "$root"/build/libpajetrace*.so folder=own
./folder=own/paje trace -o t.trace "${java[@]}" JavaProgram in-turn 1 >out 2>err
if [ $? = 0 ] && [ ! -s err ] && [ "$("$paje" dump t.trace | grep -c 'one of many$')" -ge 1 ]; then
    pass 'the agent in a folder whose name has a ='
else
    fail 'the agent in a folder whose name has a =' "$(head -n 2 err | tr '\n' ' ')"
fi
"$paje" trace -o t.trace --exceptions off --allocations off "${java[@]}" JavaProgram exit >out 2>err
if [ $? = 7 ] && [ ! -s err ] && ! "$paje" dump t.trace | grep -q 'exception\|allocation'; then
    pass 'the exit status; no exceptions, no allocations'
else
    fail 'the exit status; no exceptions, no allocations' "$(head -n 1 err)"
fi
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
if [ "$FULL" ]; then
    valid=0
    for delay in 0.05 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.6 0.7; do # as it begins, and while threads come and go
        "$paje" trace -o t.trace sh -c "exec ${java[*]} JavaProgram in-turn 100000" >out 2>err &
        traced=$!
        sleep $delay
        pkill -9 -P $traced # the shell has become the JVM
        wait $traced 2>/dev/null
        ! "$paje" validate --strict t.trace >/dev/null 2>&1 || valid=$((valid + 1))
    done
    if [ $valid = 10 ]; then pass '10 JVMs that are killed'; else fail '10 JVMs that are killed' "$valid of 10 are valid"; fi
fi
ended
