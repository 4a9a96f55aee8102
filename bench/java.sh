#!/bin/bash
# Measures what `paje trace` costs programs of Java: nanoseconds that it adds to each kind of event, and CPU time of whole
# programs, with the making of their trace.
# Prints lines `bench java/EVENT/VARIANT NANOSECONDS ns`, the median of ROUNDS runs, and `bench java/PROGRAM/VARIANT RATIO
# times`, the median of PAIRS runs in turn over that of `off`.  The variants: off (without the tracer), on, methods (those
# of the program as well).  The runs of the programs are a trace themselves, build/bench/java.d/study.trace, one state
# for each run: the table and the chart study.svg are made of that by `paje`.
#   ROUNDS  how often each kind of event is measured (5)
#   PAIRS   how often each program runs (11); 0: not
set -u
cd "$(dirname "$0")/.." || exit 3
rounds=${ROUNDS:-5} pairs=${PAIRS:-11} dir=$PWD/build/bench/java.d paje=$PWD/build/paje
make -s paje || exit 1
[ -e build/libpajetrace-java.so ] || { echo 'bench/java.sh: there is no JDK (install default-jdk-headless)' >&2; exit 1; }
rm -rf "$dir" && mkdir -p "$dir" || exit 3
javac -d "$dir" -sourcepath examples/trace/java bench/JavaEvents.java examples/trace/java/{PiExample,WordCount}.java \
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
programs='pi java PiExample
notify java JavaProgram notifies 200000
pool java JavaProgram waits
shapes java JavaShapes 20000
count java WordCount 2'
for ((pair = 0; pair < pairs; pair++)); do
    while read -r name command; do
        for variant in off on methods; do
            TIMEFORMAT='%U %S'
            # shellcheck disable=SC2086
            seconds=$({ time run $variant 'PiExample*,JavaProgram*,JavaShapes*,WordCount*' $command >out 2>err; } 2>&1)
            echo "$name $variant ${seconds/ /+}"
        done
    done <<<"$programs"
done | awk '{split($3, part, "+"); print $1, $2, part[1] + part[2]}' >times

# A container for each program and variant, a state for each run, as long as its CPU time.
{
    cat "$OLDPWD/tests/tool/header.trace"
    printf '0 P 0 Program\n1 S P "CPU time of a run"\n5 off S off 0.6,0.6,0.6\n5 on S on 0.2,0.5,0.8\n5 methods S methods 0.9,0.5,0.2\n'
    awk '!seen[$1 $2]++ {printf "6 0 %s-%s P 0 \"%s %s\" 1\n", $1, $2, $1, $2}' times
    awk '{at = ends[$1 $2] + 0; ends[$1 $2] += $3
        printf "11 %.6f S %s-%s %s x 1\n12 %.6f S %s-%s x\n", at, $1, $2, $2, ends[$1 $2], $1, $2}' times | sort -s -g -k 2,2
} >study.trace
echo; "$paje" histogram --bins 0 --by container study.trace
"$paje" svg study.trace >study.svg && echo "$dir/study.svg"
while read -r name _; do
    off=$(awk -v n="$name" '$1 == n && $2 == "off" {print $3}' times | median)
    for variant in on methods; do
        awk -v n="$name" -v v=$variant -v off="$off" '$1 == n && $2 == v {print $3 / off}' times | median |
            sed "s,.*,bench java/$name/$variant & times,"
    done
    echo "bench java/$name/off $off s"
done <<<"$programs"
