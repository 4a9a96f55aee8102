# What the tests of Java share; `test` is the name before their cases.  Those that include it are in build/tests/$test, where
# the classes are, and have `java`, a JVM that begins fast.
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tests/$test paje=$PWD/build/paje agent=$PWD/build/libpajetrace-java.so FULL=${FULL:-} failed=0
pass() { echo "PASS trace_$test/$1"; }
fail() { echo "FAIL trace_$test/$1: $2"; failed=1; }
for program in javac java jcmd; do
    if ! command -v $program >/dev/null; then
        echo "SKIP trace_$test: there is no $program (install default-jdk-headless)"
        exit 0
    fi
done
rm -rf "$dir"
mkdir -p "$dir/tmp"
make -s paje || exit 1
if [ ! -e "$agent" ]; then
    echo "SKIP trace_$test: the JDK has no jvmti.h (install default-jdk-headless)"
    exit 0
fi
export TMPDIR=$dir/tmp
java=(java -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC)
javac --release 11 -d "$dir" -sourcepath examples/trace/java tests/trace/Java*.java examples/trace/java/{PiExample,WordCount}.java || exit 3
cd "$dir" || exit 3

# counts: the trace, as `TYPE.VALUE=COUNT`, one a line
counts() {
    "$paje" dump t.trace | awk -F', ' '
        /^State/ {n[$NF]++} /^Event/ {n["event." $5]++} /^Link/ {n["link." $3]++} /^Container/ {n["container." $3]++}
        END {for (name in n) printf "%s=%d\n", name, n[name]}' | sort
}
# count_of NAME: of what `counts` has written
count_of() { awk -F = -v name="$1" '$1 == name {n = $2} END {print n + 0}' counts; }
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
# ended: removes the folder unless something failed
ended() {
    cd "$root" && [ $failed = 0 ] && rm -rf "$dir"
    exit $failed
}
