#!/bin/bash
# Traces that several processes share (-j of null, validate, index, dump, csv, sql, profile, matrix, histogram, slices,
# svg, html, merge): the output, the messages with their order, and the exit status are those of one process.  Only
# traces of a megabyte or more are read so: small ones get comments between their lines.
# usage: chunks.sh [RANDOM]     so many random traces; 30, or 50 in make check-full
. "$(dirname "$0")/lib.sh"
random=${1:-${FULL:+25}}
random=${random:-30}
make -s build/bench/generate || exit 3
export LC_ALL=C

# Leaves out what one process and several may tell differently: seconds, and the most memory that was used.
lasting() { grep -avE '^(seconds|MB/s|arena bytes used) ' | sed -E 's|[0-9.]+ s, [0-9.]+ MB/s||'; }

told() {
    local messages=$dir/messages.$BASHPID
    "$paje" "$@" 2>$messages | lasting
    echo "status ${PIPESTATUS[0]}"
    cat $messages
    rm $messages
}

# The files that it writes, one after the other, and its messages.
written() {
    local folder
    folder=$(mktemp -d $dir/written.XXXXXX)
    told "$@" -d "$folder"
    (cd "$folder" && tail -vn +1 -- * 2>/dev/null)
    rm -r "$folder"
}

# All commands with -j but index, in several ways; of one trace a quarter of them is tried, half in make check-full.
commands=('null' 'null --strict' 'validate' 'validate --lenient --limit=0'
    'profile --format csv' 'matrix --format csv --strict' 'histogram --by value --format csv' 'slices --format csv'
    'profile --own --depth 1 --type S*' 'matrix --depth 1 --bytes Value' 'histogram --by container'
    'slices -s 0.01 -e 0.5'
    'dump -u' 'dump --strict --type S*' 'dump --limit=3' 'svg' 'svg --container *1 --height 60 --strict' 'html'
    'html --rows 10 --type S* --limit=0' 'written csv -u --container *1' 'written csv --strict' 'written sql'
    'written sql --strict --limit=0' 'dump -s 1e9' 'profile -e -1' 'written csv --container none')
turn=0 # which of them

# differ TRACE N: prints the first command line whose output, messages or status is another one with -j
differ() {
    local command how
    for command in "${!commands[@]}"; do
        [ $(((command + turn) % (4 ${FULL:+- 2}))) = 0 ] || continue
        command=${commands[command]} how=told
        [[ $command != written* ]] || { how=written command=${command#written }; }
        # shellcheck disable=SC2086
        cmp -s <($how $command "$1") <($how $command -j "$2" "$1") || { echo "$command"; return; }
    done
}

# wide FILE: adds comments, of at most 60,000 bytes, so that it has more than a megabyte
wide() {
    awk -v size="$(stat -c %s "$1")" -v lines="$(grep -c '^[0-9]' "$1")" '
        BEGIN { each = int((1300000 - size) / (lines ? lines : 1)); pad = sprintf("%60000s", "x"); gsub(" ", "x", pad) }
        { print } /^[0-9]/ { for (left = each; left > 0; left -= 60000) printf "# %s\n", substr(pad, 1, left) }' "$1"
}

# hostile SEED: puts into a trace what does not suit chunks, a few times
hostile() {
    awk -v seed="$1" 'BEGIN { srand(seed); kinds = 17; rate = (0.3 + 9 * rand() ^ 3) / 40000 }
        BEGIN { only = rand() < 0.5 ? int(kinds * rand()) : -1 }
        { print } !/^[0-9]/ || rand() > rate { next }
        { kind = only < 0 ? int(kinds * rand()) : only }
        kind == 0 { print "99 1.0 no event" } kind == 1 { print $1, "0.0", $3, $4, $5, $6, $7, $8 }
        kind == 2 { print $0, "surplus" } kind == 3 { print $1, $2, "nowhere", $4, $5, $6, $7, $8 }
        kind == 4 { print $1, $2, $3, "notype", $5, $6 } kind == 5 { print "\"cut within" }
        kind == 6 { print "%EventDef PajeSetState 77\n% Time date\n% Type string\n% Container string" }
        kind == 6 { print "% Value string\n%EndEventDef" } kind == 7 { print "" }
        kind == 8 { print substr($0, 1, length / 2) }
        kind == 9 { printf "# %70000s\n", "long" } kind == 10 { print "\"" $1 "\"", $2, $3, $4, $5, $6, $7 }
        kind == 11 { print $0 "\r" } kind == 12 { gsub("[0-9]", "&9", $2); print }
        kind == 13 { print $1, "-" $2, $3, $4 }
        kind == 14 { print "%EventDef PajeTraceFile 78\n% Filename string\n%EndEventDef\n78 no.such.file" }
        kind == 15 { print $1, $2, $3, $4, "\047single\047" } kind == 16 { print "  " $0 "  # comment" }'
}

corpus=()
[ ! "${FULL:-}" ] || corpus
wrong=''
for trace in $traces/*.trace $traces/emitters/*.trace "${corpus[@]}"; do
    wide "$trace" >$dir/wide
    [ "$(stat -c %s $dir/wide)" -ge 1048576 ] || wrong+=" $trace has too few comments to be shared:"
    turn=$((turn + 1))
    found=$(differ $dir/wide $((2 + turn / 4 % 2)))
    wrong+=${found:+ $found of $trace}
done
if [ "$wrong" ]; then fail 'traces of the tests' "-j tells something else:$wrong"; else pass 'traces of the tests'; fi

wrong=''
for ((seed = 1; seed <= random && ${#wrong} == 0; seed++)); do
    RANDOM=$seed
    containers=(1 2 3 8 100)
    mixes=(74,12,7 100,0,0 20,20,50 30,60,0 0,0,100)
    build/bench/generate -b $((1200000 + RANDOM * 20)) -s $seed -c "${containers[RANDOM % 5]}" \
        -m "${mixes[RANDOM % 5]}" -d $((RANDOM % 7)) -u $((RANDOM % 2)) -l $((1 + RANDOM % 300)) >$dir/random
    [ $((seed % 3)) = 0 ] || { hostile $seed <$dir/random >$dir/hostile; mv $dir/hostile $dir/random; }
    [ $((seed % 5)) -gt 0 ] || truncate -s -1 $dir/random
    processes=$((2 + seed / 4 % 4)) turn=$seed
    found=$(differ $dir/random $processes)
    [ ! "$found" ] || { cp $dir/random $dir/failed; wrong="$found -j $processes of trace $seed, $dir/failed"; }
done
if [ "$wrong" ]; then fail 'random traces' "another output by $wrong"; else pass "random traces: $random"; fi

# busy FILE SEED: puts containers that come and go into a trace, and comments; values that files define alike or not at
# all, or containers that none defines.  What is odd comes late.
busy() {
    awk -v file="$1" -v seed="$2" 'BEGIN { srand(seed); only = int(6 * rand()); rate = 0.5 + 20 * rand() ^ 3 }
        { print } /^5/ && !named++ && only == 0 { print "5 v ST value" file % 2 " \"1 0 0\"" }
        !/^[0-9]/ || $1 < 8 || rand() > rate / 5000 { next }
        only == 0 && NR > 4000 { print "12 " $2 " rank0-t0 ST v_" int(4 * rand()) }
        only < 4 { name = file "c" made++; print "6 " $2 " " name " T rank0 " name "\n12 " $2 " " name " ST idle" }
        only < 4 && rand() < 0.5 { print "7 " $2 " T " name "\n# gone at " $2 }
        only == 4 && NR > 4000 { print "12 " $2 " c" int(3 * rand()) " ST idle" }
        only == 5 { print "15 " $2 " 0 L rank0-t0 eager \"a key\"\n7 " $2 " T rank0-t0\n6 " $2 " rank0-t0 T rank0 new" }'
}

# Sets of traces are merged as by one process, some with lines out of order.
wrong=''
for ((seed = 1; seed <= random && ${#wrong} == 0; seed++)); do
    RANDOM=$seed
    containers=(1 2 8 100)
    mixes=(74,12,7 100,0,0 20,20,50 30,60,0)
    options=('' '--apart --limit=0' '--offset 1=0.3' '--strict')
    rm -rf $dir/set
    mkdir $dir/set
    for ((file = 0; file <= seed % 3; file++)); do
        build/bench/generate -b $((200000 + RANDOM * 10)) -s $((seed * 3 + file)) -c "${containers[RANDOM % 4]}" \
            -m "${mixes[RANDOM % 4]}" -d $((RANDOM % 7)) -l $((1 + RANDOM % 300)) >$dir/random
        [ $((RANDOM % 2)) -gt 0 ] ||
            { busy $file $((seed * 3 + file)) <$dir/random >$dir/busy; mv $dir/busy $dir/random; }
        [ $((RANDOM % 4)) -gt 0 ] || { hostile $seed <$dir/random >$dir/busy; mv $dir/busy $dir/random; }
        mv $dir/random $dir/set/$file
    done
    processes=$((2 + seed % 4)) option=${options[seed % 4]}
    # shellcheck disable=SC2086
    cmp -s <(told merge $option $dir/set/*) <(told merge -j $processes $option $dir/set/*) ||
        wrong="merge $option -j $processes of set $seed"
done
if [ "$wrong" ]; then fail 'sets to merge' "another output by $wrong"; else pass "sets to merge: $random"; fi

# Indexes: entities are shown with one that several processes made as with that of one.  (Messages depend on where the
# checkpoints are.)
wrong=''
for ((seed = 1; seed <= (random + 7) / 8 && ${#wrong} == 0; seed++)); do
    build/bench/generate -b $((9000000 + seed * 70001)) -s $seed -c $((seed * 7)) -l 20 >$dir/alone.trace
    [ $((seed % 2)) = 0 ] || { hostile $seed <$dir/alone.trace >$dir/hostile; mv $dir/hostile $dir/alone.trace; }
    cp $dir/alone.trace $dir/shared.trace
    end=$(tail -n 1 $dir/alone.trace | awk '{ print $2 }')
    for file in alone shared; do
        [ $file = alone ] && options='' || options='-j 2'
        # shellcheck disable=SC2086
        "$paje" index $options $dir/$file.trace 2>&1 |
            sed "s/$file/FILE/; s/.*; \([0-9]* events\).*/\1/" >$dir/$file.messages
        for part in "-s $end" '-s 0.1 -e 0.2' '-e 0.05' '-s 2 -e 2.01' '-j 3'; do
            # shellcheck disable=SC2086
            "$paje" dump $part $dir/$file.trace 2>/dev/null
        done >$dir/$file.shown
        # shellcheck disable=SC2086
        written csv $options $dir/$file.trace | sed "s/$file/FILE/" >>$dir/$file.shown
        "$paje" at $dir/$file.trace 2 >>$dir/$file.shown 2>/dev/null
    done
    cmp -s $dir/alone.messages $dir/shared.messages || wrong="the messages of trace $seed"
    cmp -s $dir/alone.shown $dir/shared.shown || wrong="trace $seed"
done
if [ "$wrong" ]; then fail 'indexes' "by -j it is another one: $wrong"; else pass 'indexes'; fi

# A worker that is killed, each of them, at its first read or write and at a later one: an error, and no output that
# looks whole.  (One that has no such call left has ended well, and so must have the command.)
build/bench/generate -b 2000000 >$dir/large
build/bench/generate -b 400000 -s 7 -m 50,50,0 |
    awk '$1 == 8 && NR > 1000 && late == "" { late = $0; from = NR; next } { print }
        late && NR > from + 3 { print late; late = "" }' >$dir/unsorted
cat >$dir/killed.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static int forks, own = -1, calls; /* own: the number of this worker */
pid_t fork(void)
{
    int number = forks++;
    pid_t process = ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
    if (process == 0)
        own = number;
    return process;
}
/* Returns 1 if the call is to fail: one of those of pipes and sockets, rather than of all. */
static int count(int file)
{
    struct stat status;
    const int fails = getenv("KILLED_FAILS") != NULL;
    if (own != atoi(getenv("KILLED_WORKER")) || (fails && (fstat(file, &status) < 0 || S_ISREG(status.st_mode))) ||
        ++calls != atoi(getenv("KILLED_CALL")))
        return 0;
    if (!fails)
        raise(SIGKILL);
    errno = EIO;
    return 1;
}
ssize_t read(int file, void *bytes, size_t size)
{
    return count(file) ? -1 : syscall(SYS_read, file, bytes, size);
}
ssize_t write(int file, const void *bytes, size_t size)
{
    return count(file) ? -1 : syscall(SYS_write, file, bytes, size);
}
ssize_t pread(int file, void *bytes, size_t size, off_t at)
{
    return count(file) ? -1 : syscall(SYS_pread64, file, bytes, size, at);
}
ssize_t pread64(int file, void *bytes, size_t size, off_t at) { return pread(file, bytes, size, at); }
C
# output COMMAND...: runs it with the files that it writes in $dir/killed, and what it prints in $dir/printed
output() {
    local status
    rm -rf $dir/killed $dir/large.pajeidx
    mkdir $dir/killed
    timeout 100 "$@" >$dir/printed 2>$dir/err
    status=$?
    [ ! -e $dir/large.pajeidx ] || mv $dir/large.pajeidx $dir/killed
    return $status
}
# killed COMMAND...: kills its workers; prints what is wrong
killed() {
    local worker call status errors=0
    output "$paje" "$@" || echo "alone, status $?"
    rm -rf $dir/whole
    mv $dir/killed $dir/whole
    lasting <$dir/printed >$dir/whole.printed
    for worker in 0 1 2; do
        for call in 1 4; do
            output env LD_PRELOAD="$PWD/$dir/killed.so" KILLED_WORKER=$worker KILLED_CALL=$call "$paje" "$@"
            status=$?
            if [ $status = 0 ]; then
                diff -r $dir/whole $dir/killed >/dev/null || echo "worker $worker, call $call: other files and no error"
                cmp -s <(lasting <$dir/printed) $dir/whole.printed ||
                    echo "worker $worker, call $call: other output and no error"
            elif [ $status != 3 ] || ! grep -q 'ended early' $dir/err; then
                echo "worker $worker, call $call: status $status, $(head -n 1 $dir/err)"
            else
                errors=$((errors + 1))
                [ ! "$(ls $dir/killed)" ] || echo "worker $worker, call $call: there are $(ls $dir/killed)"
                cmp -s -n "$(stat -c %s $dir/printed)" $dir/printed $dir/whole.printed ||
                    echo "worker $worker, call $call: other output"
                [ $1 = dump ] || [ ! -s $dir/printed ] || echo "worker $worker, call $call: there is output"
            fi
        done
    done
    [ $errors -gt 0 ] || echo 'no error'
}
if ${CC:-cc} -shared -fPIC -o $dir/killed.so $dir/killed.c -ldl 2>/dev/null; then
    for command in null validate index dump profile matrix 'histogram --by value' slices svg html \
        "svg -o $dir/killed/out.svg" "csv -d $dir/killed/tables" "sql -d $dir/killed/tables"; do
        # shellcheck disable=SC2086
        wrong=$(killed ${command%% *} -j 3 ${command#"${command%% *}"} $dir/large)
        check "killed workers of ${command%% *}${wrong:+: ${wrong//$'\n'/, }}" test ! "$wrong"
    done
    wrong=$(killed merge --apart -j 3 -o $dir/killed/merged $dir/unsorted $dir/unsorted $dir/unsorted)
    check "killed workers that sort${wrong:+: ${wrong//$'\n'/, }}" test ! "$wrong"
    wrong=$(killed merge -j 3 -o $dir/killed/merged $dir/large)
    check "killed workers of merge${wrong:+: ${wrong//$'\n'/, }}" test ! "$wrong"
    # Calls of pipes that fail, rather than kill, are reported once.
    wrong=''
    for command in dump profile; do
        for ((worker = 0, call = 1; worker < 3; call = call % 6 + 1, worker += call == 1)); do
            env LD_PRELOAD="$PWD/$dir/killed.so" KILLED_FAILS=1 KILLED_WORKER=$worker KILLED_CALL=$call \
                "$paje" $command -j 3 $dir/large >$dir/printed 2>$dir/err
            [ "$? $(grep -c '^paje: a pipe .*: Input/output error$' $dir/err) $(wc -l <$dir/err)" = '3 1 1' ] ||
                wrong+=" $command, worker $worker, call $call: $(tr '\n' '|' <$dir/err)"
        done
    done
    check "pipes that fail${wrong:+: $wrong}" test ! "$wrong"
else
    skip 'killed workers' 'no shared libraries here'
fi

# Messages of a part that do not fit into a pipe.
{
    cat $traces/tour.trace
    for ((i = 0; i < 6; i++)); do head -c 50000 /dev/zero | tr '\0' x | sed 's/^/# /'; echo; done
    for ((i = 0; i < 20000; i++)); do echo 9; done
    for ((i = 0; i < 15; i++)); do head -c 50000 /dev/zero | tr '\0' x | sed 's/^/# /'; echo; done
} >$dir/wrong
for command in dump 'profile --format csv'; do
    "$paje" $command --limit=0 $dir/wrong 2>$dir/expected >/dev/null
    "$paje" $command --limit=0 -j 2 $dir/wrong 2>$dir/got >/dev/null
    same "$command: messages of more than a megabyte" $dir/expected $dir/got
done

# What is no trace is reported once, as by one process, and nothing of it is read.
awk 'BEGIN { print "a,b,c"; for (i = 0; i < 150000; i++) print i ",2,3" }' >$dir/table
for command in null validate index dump; do
    told $command $dir/table >$dir/expected
    told $command -j 2 $dir/table >$dir/got
    same "$command -j 2: no trace" $dir/expected $dir/got
done

# Fewer processes share the work than asked for where there are no more descriptors.
for command in dump null profile svg; do
    "$paje" $command $dir/large | lasting >$dir/expected
    for files in 32 200; do
        (ulimit -n $files && "$paje" $command -j 1000 $dir/large 2>&1) | lasting >$dir/got
        same "$command -j 1000 with $files descriptors" $dir/expected $dir/got
    done
done
expect 'no processes' 2 'no number of processes' "$paje" null -j 0 $dir/large
expect 'statements are made in turn' 2 'needs files' "$paje" sql -j 2 $dir/large
expect 'a part is of one process' 2 'no -j' "$paje" csv -j 2 --part 1/2 -d $dir/tables $dir/large
expect 'a pipe' 0 '^events' bash -c "cat $dir/large | '$paje' null -j 4"
expect 'standard input' 0 '^events' bash -c "'$paje' null -j 4 - <$dir/large"
exit $failed
