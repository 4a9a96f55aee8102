#!/bin/bash
# Measures what `paje trace` costs programs of Java: nanoseconds that it adds to each kind of event, and CPU time of whole
# programs, with the making of their trace: those of this project, two compilers and a database.
# Prints lines `bench java/EVENT/VARIANT NANOSECONDS ns`, the median of ROUNDS runs, and `bench java/PROGRAM/VARIANT RATIO
# times`, the median of PAIRS runs in turn over that of `off`.  The variants: off (without the tracer), on, methods (those
# of the program as well).  The runs of the programs are a trace themselves, build/bench/java.d/study.trace, one state
# for each run; the table and chart.svg are made of these runs by `paje`.
#   ROUNDS  how often each kind of event is measured (5)
#   PAIRS   how often each program runs (11); 0: not
set -u
cd "$(dirname "$0")/.." || exit 3
rounds=${ROUNDS:-5} pairs=${PAIRS:-11} dir=$PWD/build/bench/java.d paje=$PWD/build/paje
make -s paje || exit 1
[ -e build/libpajetrace-java.so ] || { echo 'bench/java.sh: there is no JDK (install default-jdk-headless)' >&2; exit 1; }
rm -rf "$dir" && mkdir -p "$dir" || exit 3
javac -d "$dir" -sourcepath examples/trace/java bench/JavaEvents.java examples/trace/java/{PiExample,Notify,WordCount}.java \
    tests/trace/Java{Program,Shapes}.java || exit 1
cd "$dir" || exit 3

# run VARIANT METHODS COMMAND...
run() {
    case $1 in
    off) "${@:3}" ;;
    on) "$paje" trace -o run.trace "${@:3}" ;;
    methods) "$paje" trace -o run.trace --methods "$2" "${@:3}" ;;
    esac
}
median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

for ((round = 0; round < rounds; round++)); do
    for variant in off on methods; do
        run $variant 'JavaEvents.work' java JavaEvents | sed "s/^/$variant /"
    done
done >events
while read -r event; do
    for variant in off on methods; do
        echo "bench java/$event/$variant $(awk -v v=$variant -v e="$event" '$1 == v && $2 == e {print $3}' events | median) ns"
    done
done < <(awk '!seen[$2]++ {print $2}' events)

[ "$pairs" -gt 0 ] || exit 0
# name, methods of the program, command
sources="$OLDPWD/examples/trace/java/WordCount.java $OLDPWD/bench/JavaEvents.java $OLDPWD/tests/trace/JavaProgram.java"
compile="-d $dir/compiled -sourcepath $OLDPWD/examples/trace/java $sources"
programs="pi PiExample* java PiExample
notify Notify* java Notify
notifies JavaProgram* java JavaProgram notifies 200000
pool JavaProgram* java JavaProgram waits
shapes JavaShapes* java JavaShapes 20000
count WordCount* java WordCount 2
javac com.sun.tools.javac.* javac $compile"
if [ -e /usr/share/java/eclipse-jdt-core.jar ]; then # of the package ecj
    programs+="
ecj org.eclipse.jdt.* java -cp /usr/share/java/eclipse-jdt-core.jar org.eclipse.jdt.internal.compiler.batch.Main -proc:none -17 $compile"
fi
if [ -e /usr/share/java/h2.jar ]; then # of libh2-java
    cat >h2.sql <<'END'
create table t(id int primary key, name varchar, n int);
insert into t select x, 'name ' || x, mod(x * 7919, 1000) from system_range(1, 20000);
create index i on t(n);
select n, count(*) c from t group by n order by c desc, n limit 5;
select count(*) from t a join t b on a.n = b.n where a.id < 2000;
END
    programs+='
h2 org.h2.command.* java -cp /usr/share/java/h2.jar org.h2.tools.RunScript -url jdbc:h2:mem: -script h2.sql'
fi
mkdir compiled
for ((pair = 0; pair < pairs; pair++)); do
    while read -r name methods command; do
        for variant in off on methods; do
            TIMEFORMAT='%U %S'
            # shellcheck disable=SC2086
            seconds=$({ time run $variant "$methods" $command >out 2>err; } 2>&1)
            echo "$name $variant ${seconds/ /+}"
        done
    done <<<"$programs"
done | awk '{split($3, part, "+"); print $1, $2, part[1] + part[2]}' >times

# A container for each program and variant.  In study.trace it has a state for each run, as long as its CPU time, one behind
# the other; in chart.trace one that is as long as their median.
# states FILE: the trace of its lines, `PROGRAM VARIANT SECONDS`
states() {
    cat "$OLDPWD/tests/tool/header.trace"
    printf '0 P 0 Program\n1 S P "CPU time of a run"\n5 off S off 0.6,0.6,0.6\n5 on S on 0.2,0.5,0.8\n5 methods S methods 0.9,0.5,0.2\n'
    awk '!seen[$1 $2]++ {printf "6 0 %s-%s P 0 \"%s %s\" 1\n", $1, $2, $1, $2}' "$1"
    awk '{at = ends[$1 $2] + 0; ends[$1 $2] += $3
        printf "11 %.6f S %s-%s %s x 1\n12 %.6f S %s-%s x\n", at, $1, $2, $2, ends[$1 $2], $1, $2}' "$1" | sort -s -g -k 2,2
}
while read -r name variant; do
    echo "$name $variant $(awk -v n="$name" -v v="$variant" '$1 == n && $2 == v {print $3}' times | median)"
done < <(awk '!seen[$1 $2]++ {print $1, $2}' times) >medians
states times >study.trace
states medians >chart.trace
echo; "$paje" histogram --bins 0 --by container study.trace
"$paje" svg chart.trace >chart.svg && echo "$dir/chart.svg"
while read -r name _; do
    off=$(awk -v n="$name" '$1 == n && $2 == "off" {print $3}' times | median)
    for variant in on methods; do
        awk -v n="$name" -v v=$variant -v off="$off" '$1 == n && $2 == v {print $3 / off}' times | median |
            sed "s,.*,bench java/$name/$variant & times,"
    done
    echo "bench java/$name/off $off s"
done <<<"$programs"
