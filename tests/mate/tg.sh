#!/bin/bash
# tg: what is wrong in a specification is reported with line and column; what is right makes the tunlets that are written
# by hand.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tg-tests
make -s build/examples/tg/tg build/tests/mate/generated || exit 1
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || exit 3
tg=$root/build/examples/tg/tg
failed=0

# is NAME EXPECTED OUTPUT
is() {
    if [ "$3" = "$2" ]; then
        echo "PASS tg/$1"
    else
        echo "FAIL tg/$1: $(diff <(echo "$2") <(echo "$3") | tr '\n' '|')"
        failed=1
    fi
}
# wrong NAME SCRIPT MESSAGE...: the specification of workers, changed by sed
wrong() {
    rm -f out.c
    sed "$2" "$root/examples/mate/tunlets/workers.tunlet" >wrong.tunlet
    is "$1" "$(printf '%s\n' "${@:3}" 'status 1')" \
        "$("$tg" wrong.tunlet out.c 2>&1 | sed -n 's/^wrong.tunlet:\([0-9]*:[0-9]*\): error: /\1 /p'; echo "status ${PIPESTATUS[0]}")"
    [ ! -e out.c ] || is "$1: nothing is written" '' out.c
}

for name in workers factoring time pipeline; do
    "$tg" "$root/examples/mate/tunlets/$name.tunlet" $name.c 2>err.txt
    is "$name" "status 0" "status $?"
    is "$name: compiles" '' "$(${CC:-cc} -std=c99 -Wall -Wextra -Wno-unused-parameter -Wconversion -Wshadow -Werror \
        -I"$root/examples/mate" -c -o $name.o $name.c 2>&1)"
done
is 'a note' 'workers.tunlet:158:10: note: `communication` needs what the worker has, so it is computed when the iteration is complete' \
    "$("$tg" "$root/examples/mate/tunlets/workers.tunlet" 2>&1 >/dev/null | sed 's|.*/||')"

# as the appendices of the thesis are printed
wrong 'an id that is no name' 's/id: lambda/id: x[10]/' '178:7 an id is a name of letters, digits and _, not `x[10]`' \
    '181:13 `lambda` is not declared' '181:36 `lambda` is not declared' '195:48 `lambda` is not declared'
wrong 'a parameter without a type' '/id: lambda/,/value/{/type/d}' '178:3 a parameter needs `type:`'
wrong 'a variable that is not declared' '0,/id: Bytes/s//id: TheNumTuples/' '48:7 there is no variable `Bytes`' \
    '58:7 there is no variable `Bytes`'
wrong 'the number of an actor of which there is one' 's/WRepliesM.Worker/WRepliesM.id/' \
    '113:45 `WRepliesM.id` is the number of the master, of which there is one'
wrong 'an attribute of iterations that nothing sets' 's/n = iter.workers/n = iter.nw/' \
    '166:21 ITERATION INFORMATION has no attribute `nw`'
wrong 'the code of one assigns another' 's/V = master/tl = master/' '176:13 the code of `V` assigns `tl`'
wrong 'an actor without an index' 's/worker\[i\].cti/worker.cti/' '187:55 which `worker`? `worker[0]` or another index'
wrong 'an attribute that is none' 's/worker\[i\].cti/worker[i].ctii/' '187:64 the actor `worker` has no attribute `ctii`'
wrong 'a bracket that is not closed' 's/tl) + 0.5); }/tl) + 0.5; }/' '195:78 `}` closes nothing' '195:80 `(` is not closed'
wrong 'properties of other blocks' 's/endactor/idx: 1\nendactor/' '121:1 an attribute has no property `idx`' \
    '142:1 an attribute has no property `idx`'
wrong 'a parameter without a number' 's/SetVariableValue/FuncParamChange/' '203:9 a parameter has a number: `idx:`'
wrong 'a call without a place' 's/SetVariableValue/RemoveFuncCall/' '203:9 a call is inserted at a place: `syncfunction:`, the name of a live_point'
wrong 'an action that is none' 's/SetVariableValue/SetVariable/' \
    '203:9 `kind` is SetVariableValue, ReplaceFunction, InsertFunctionCall, RemoveFunctionCall, OneTimeFunctionCall, FunctionParamChange or LoadLibrary, not `SetVariable`'
wrong 'a circle' '/id: V/,/value/s/value/dependency: lambda\n  value/' '176:15 `V` depends on itself'
wrong 'division in an attribute' 's/worker\[master\[0\].lastWorker\].cti/iter.begin \/ 2/' \
    '158:88 attributes are sums and times, which are not divided: do so in MODEL PARAMETERS'
wrong 'a real number as an attribute' '0,/type: time/s//type: double/' \
    '90:9 an attribute is an int, or a time in nanoseconds, not a `double`, whose sums depend on their order: compute it in MODEL PARAMETERS'
wrong 'an event that is not what it depends on' 's/= MSendsTaskW.timestamp; #.$/= WRepliesM.timestamp; #\//' \
    '91:61 `WRepliesM` is not what this depends on, so its attributes are not known here' \
    '96:34 `WRepliesM` is not what this depends on, so its attributes are not known here'
wrong 'no end of an iteration' 's/controliter: end/controliter: no/' '1:1 there is no event with `controliter: end`'
wrong 'two of one name' 's/id: lastSend/id: sends/' '94:7 `sends` is there twice, first in line 83' \
    '96:22 the actor `master` has no attribute `lastSend`' '96:13 the code of `sends` assigns `lastSend`' \
    '171:28 the actor `master` has no attribute `lastSend`'
wrong 'a section that is missing' '/^ACTORS/d' '76:1 event should be here, not `actor`' \
    '142:1 ACTORS should be here, not `ITERATION INFORMATION`'
wrong 'code that goes on to the next end of code' 's/value: .# pf() #./value: \/# pf()/' \
    '200:1 a tuning point needs `kind:`' '200:1 a tuning point needs `current:`' '200:1 a tuning point needs `min:`' \
    '200:1 a tuning point needs `max:`'
# what is cumulative: told NAME SCRIPT MESSAGE: the specification with each operation, changed by sed
told() {
    sed "$2" "$root/tests/mate/cumulative.tunlet" >told.tunlet
    is "cumulative: $1" "$3" "$("$tg" told.tunlet told.c 2>&1 | sed 's/^told.tunlet:[0-9]*:[0-9]*: //')"
}
told 'right' '' ''
told 'it is not said' '/id: tasks/,/cum/{/cum/d}' \
    'error: `tasks` changes with events of the worker, of which there are several: `cum: true`, and its code is +=, -=, *=, or = with fmin, fmax, && or argmax'
operation='error: the code of what is cumulative is one operation on `tasks`, at most behind an if: +=, -=, *=, or = with fmin, fmax, && or argmax'
for code in '= WStartsTask.Tasks' '\/= 2' '+= iter.tasks' '= iter.tasks + 1 > 3' '= fmin(iter.tasks, 3) + 1' '= fmin(3, iter.tasks)' \
    '+= 1; iter.tasks += 1' '= iter.tasks \&\& 1 || 0'; do
    told "$code" "s/iter.tasks += WStartsTask.Tasks/iter.tasks $code/" \
        "$([[ $code = *2 ]] && echo 'error: attributes are sums and times, which are not divided: do so in MODEL PARAMETERS' || echo "$operation")"
done
for code in '-= 2' '= iter.tasks + 1' '= iter.tasks \&\& WStartsTask.Tasks > 3' '= fmin(iter.tasks, (3 + 1))'; do
    told "$code" "s/iter.tasks += WStartsTask.Tasks/if (WStartsTask.Tasks > 2) { iter.tasks $code; }/;s/{\(.*\); };/{\1; }/" ''
done
told 'of other actors' 's/iter.tasks += WStartsTask.Tasks/iter.tasks += worker[0].begin/' \
    'error: it needs `begin` of other actors, whose events may go elsewhere'
told 'of the iteration' 's/iter.tasks += WStartsTask.Tasks/iter.tasks += iter.spread * WStartsTask.Tasks/' \
    'note: `tasks` needs what the iteration has, so it is computed when the iteration is complete
error: `WStartsTask` is not what this depends on, so its attributes are not known here'
told 'argmax, but not cumulative' '/id: slowest/,/cum/s/cum: true/cum: false/' \
    'error: `argmax` is over several actors: of an attribute of iterations, `cum: true`'
told 'another beginning' '/id: tasks/,/type/s/type/inic: \/# iter.tasks = 5; #\/\n  type/' \
    'error: an attribute begins with 0, or with what does not change its operation: no other `inic`'
told 'the same beginning' '/id: tasks/,/type/s/type/inic: \/# iter.tasks = 0; #\/\n  depinic: none\n  type/' ''
# parameters that collectors leave to the analyser: why
for case in 'mean += worker\[i\].cti;|mean += worker[i].cti * 0.5;|its terms are real numbers, whose sum depends on the order' \
    'mean += worker\[i\].cti;|mean += worker[i].cti / 2;|its terms are real numbers, whose sum depends on the order' \
    'mean += worker\[i\].cti;|mean += worker[i].cti * n;|it needs the parameter `n`' \
    'mean += worker\[i\].cti;|mean += worker[i].cti - iter.first;|it needs `iter.first`' \
    'mean += worker\[i\].cti;|mean += worker[0].cti;|it needs `cti` of other actors, whose events may go elsewhere' \
    'i < n; i++) mean|i < n - 1; i++) mean|`n - 1` is not known to be the number of all that share the iteration' \
    'i < n; i++) mean|i < iter.spread; i++) mean|`iter.spread` is not known to be the number of all that share the iteration' \
    'int i = 0; i < n; i++) mean|int i = 1; i < n; i++) mean|it is not `for (int i = 0; i < N; i++) mean += TERM;`, or another operation: +=, -=, *=, or = with fmin, fmax, && or argmax' \
    'mean += worker\[i\].cti;|{ mean += 1; mean += worker[i].cti; }|it is not `for (int i = 0; i < N; i++) mean += TERM;`, or another operation: +=, -=, *=, or = with fmin, fmax, && or argmax'; do
    IFS='|' read -r from to why <<<"$case"
    told "$to" "s|$from|$to|" "note: collectors do not compute \`mean\`, but pass on what each actor has: $why"
    is "cumulative: $to: compiles" '' "$(${CC:-cc} -std=c99 -Wall -Wextra -Wno-unused-parameter -Wconversion -Wshadow -Werror \
        -I"$root/examples/mate" -c -o told.o told.c 2>&1)"
done
told 'too many' "$(for i in $(seq 20); do echo "/^ITERATION/a id: a$i\\ntype: int\\nvalue: /# iter.a$i += 1; #/\\ncum: true\\ndependency: WStartsTask"; done)" \
    'error: collectors pass on 32 attributes of actors and cumulative ones; 24 is the most'

is 'a specification that is not there' 'tg: none: No such file or directory' "$("$tg" none 2>&1)"
is 'a full disk' 'tg: /dev/full: No space left on device; make room there, or write elsewhere' "$("$tg" "$root/examples/mate/tunlets/time.tunlet" /dev/full 2>&1)"
is 'empty' '1:1: error: the specification ends where TUNLET should be' "$("$tg" /dev/null 2>&1 | head -n 1 | sed 's/^[^:]*://')"

# ---- the example of section 4.4: for any ten times the terms add up to i10 - i1

analyser=$root/build/examples/mate/analyser
make -C "$root" -s build/examples/mate/analyser || exit 1
awk 'BEGIN {
    srand(7)
    split("DefineContainerType Alias,Type,Name DefineEventType Alias,Type,Name DefineEntityValue Alias,Type,Name CreateContainer Time,Alias,Type,Container,Name NewEvent Time,Type,Container,Value,Iteration,Actors", words, " ")
    for (i = 1; i <= 10; i += 2) {
        print "%EventDef Paje" words[i] " " (i + 1) / 2
        n = split(words[i + 1], fields, ",")
        for (k = 1; k <= n; k++)
            print "% " fields[k], fields[k] == "Time" ? "date" : fields[k] ~ /Iteration|Actors/ ? "int" : "string"
        print "%EndEventDef"
    }
    print "1 P1 0 Process1\n1 P2 0 Process2\n2 E1 P1 Points1\n2 E2 P2 Points2"
    n = split("InitializeStarts DivideDataEnds SendEnds ProcessEnds ReceiveEnds FinalizeEnds", first, " ")
    for (i = 1; i <= n; i++) print "3", first[i], "E1", first[i]
    print "3 OtherProcessEnds E2 OtherProcessEnds\n3 OtherSendEnds E2 OtherSendEnds\n4 0 a P1 0 a\n4 0 b P2 0 b0"
    for (it = 0; it < 30; it++) {
        i1 = t + int(rand() * 1000); i3 = i1 + int(rand() * 1000); i4 = i3 + int(rand() * 1000); i6 = i4 + int(rand() * 9000)
        i7 = i4 + int(rand() * 9000); last = i6 > i7 ? i6 : i7
        i8 = i7 + int(rand() * 1000); i9 = (i8 > last ? i8 : last) + int(rand() * 1000); i10 = i9 + int(rand() * 1000)
        e["InitializeStarts"] = i1; e["DivideDataEnds"] = i3; e["SendEnds"] = i4; e["ProcessEnds"] = i6
        e["ReceiveEnds"] = i9; e["FinalizeEnds"] = i10
        for (i = 1; i <= n; i++) printf "5 %.9f E1 a %s %d 1\n", e[first[i]] / 1e9, first[i], it
        printf "5 %.9f E2 b OtherProcessEnds %d 1\n5 %.9f E2 b OtherSendEnds %d 1\n", i7 / 1e9, it, i8 / 1e9, it
        print "iteration", it, "Tex is", i10 - i1 >"expected.txt"
        t = i10
    }
}' >time.trace
is 'times of an iteration: they add up' "$(cat expected.txt)" \
    "$("$analyser" --tunlet=time --values time.trace 2>&1 | sed -n 's/^iteration *\([0-9]*\): Tex/iteration \1 Tex/p')"
# a number of actors that is none does not make tunlets count to it
sed 's/InitializeStarts 3 1$/InitializeStarts 3 1000000000000000000/' time.trace >many.trace
is 'times of an iteration: too many actors' 'iteration_time: 29 iterations; given up: 1; events too late: 0; of actors beyond 127: 1; decisions: 0' \
    "$(timeout 10 "$analyser" --tunlet=time many.trace 2>&1)"

# ---- a tunlet that is made by tg and a compiler, and loaded

make -C "$root" -s build/examples/mate/virtual || exit 1
"$root/build/examples/mate/virtual" -q --persist=1 -o step.trace >virtual.txt
"$tg" "$root/examples/mate/tunlets/workers.tunlet" generated_workers.c 2>err.txt
${CC:-cc} -shared -fPIC -fwrapv -I"$root/examples/mate" -o generated_workers.so generated_workers.c -lm
is 'a tunlet of a file: the same decisions' 'iteration   0: NOptWorkers 1 -> 11
iteration 200: NOptWorkers 11 -> 22
generated_workers: 400 iterations; decisions: 2
status 0' "$("$analyser" --persist=1 --tunlet=./generated_workers.so --replay step.trace 2>&1; echo "status $?")"
cp generated_workers.so other.so
is 'a tunlet of a file with another name' './other.so: undefined symbol: tunlet_other
status 2' "$("$analyser" --tunlet=./other.so step.trace 2>&1 | sed 's/.*symbol/.\/other.so: undefined symbol/; 2d'; echo "status ${PIPESTATUS[0]}")"

# whatever is cut off or changed, it ends with 0 or 1
ended=0
for ((at = 0; at < ${FULL:+30}0 + 40; at++)); do
    head -c $((at * 97 % 4500)) "$root/examples/mate/tunlets/workers.tunlet" >cut.tunlet
    timeout 10 "$tg" cut.tunlet cut.c 2>err.txt
    [ $? -le 1 ] || ended=1
done
is 'cut off anywhere' 0 $ended

"$root/build/tests/mate/generated" ${FULL:+1000} || failed=1
exit $failed
