#!/bin/bash
# Zones: what threads, signals, fork, libraries and sudden ends leave behind is a trace that is strictly valid, and the
# same to pj_dump.  With QUICK set (for mutants): nothing that takes long to compile, and few kills.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=$PWD/build/tests/zones paje=$PWD/build/paje failed=0 FULL=${FULL:-} QUICK=${QUICK:-}
level=-O2 seconds=900
rm -rf "$dir"
mkdir -p "$dir"
make -s paje || exit 1
cd "$dir" || exit 3
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
[ ! "$QUICK" ] || level=-O0 warnings=-w seconds=60

pass() { echo "PASS zones/$1"; }
fail() { echo "FAIL zones/$1: $2"; failed=1; }
skip() { echo "SKIP zones/$1"; }

# expect NAME EXPECTED COMMAND...: the command prints that
expect() {
    local got
    got=$("${@:3}" 2>&1)
    if [ "$got" = "$2" ]; then pass "$1"; else fail "$1" "\`$(head -c 200 <<<"$got")\`, expected \`$2\`"; fi
}
# run NAME COMMAND...: runs it without its traces of before
run() {
    local status
    rm -f ./*.trace
    timeout $seconds "${@:2}" >out 2>err
    status=$?
    [ $status = 0 ] || fail "$1" "exit status $status: $(head -n 1 err)"
    return $status
}
[ "$QUICK" ] || command -v pj_dump >/dev/null || skip 'traces as pj_dump sees them: there is none (install pajeng)'
# valid NAME [TRACE...]: to a strict reader, and to pj_dump, which prints the same as paje
valid() {
    local trace log
    for trace in "${@:2}"; do
        if ! log=$("$paje" validate --strict "$trace" 2>&1) || ! grep -q ' 0 warnings: valid' <<<"$log"; then
            fail "$1: strictly valid" "$trace: $(head -n 1 <<<"$log")"
            return 1
        elif command -v pj_dump >/dev/null && ! [ "${quick:-$QUICK}" ]; then
            pj_dump "$trace" 2>err.pj | grep -v '^Container' | LC_ALL=C sort >pj.txt
            if [ -s err.pj ] || ! "$paje" dump "$trace" | grep -v '^Container' | LC_ALL=C sort | cmp -s - pj.txt; then
                fail "$1: as pj_dump" "$trace: $(head -n 1 err.pj)"
                return 1
            fi
        fi
    done
    pass "$1"
}
# count KIND TRACE: lines of the dump that begin so
count() { "$paje" dump "$2" | grep -c "^$1"; }
values() { "$paje" dump "$1" | sed -n 's/^State.*, //p' | sort -u | tr '\n' ';'; }

# whole_pages NAME TRACE: no line crosses a page, at whose end a write stops if the process is killed; but long ones may
whole_pages() {
    if LC_ALL=C awk '{ at = end; end += length($0) + 1
                       if (length($0) < 400 && int(at / 4096) != int((end - 1) / 4096)) exit bad = 1 }
                     END { exit bad || end < 100000 }' "$2"; then
        pass "$1"
    else
        fail "$1" "$2"
    fi
}

# ---- it compiles in C and C++; it says the same compiled out

${CC:-cc} -std=gnu99 $level $warnings -I"$root" "$root/tests/write/zones.c" -o zones -pthread || exit 1
ways=()
[ "$QUICK" ] || ways+=("C99, -O0|${CC:-cc} -std=gnu99 -O0")
[ "$QUICK" ] || ! command -v g++ >/dev/null || ways+=("C++11|g++ -x c++ -std=c++11 -O0")
! command -v clang >/dev/null || [ ! "$FULL" ] || ways+=("clang C11|clang -std=gnu11 -O1")
! command -v clang++ >/dev/null || [ ! "$FULL" ] || ways+=("clang++ C++20|clang++ -x c++ -std=c++20 -O1")
for way in "${ways[@]}"; do
    # shellcheck disable=SC2086
    if ${way#*|} $warnings -I"$root" "$root/tests/write/zones.c" -o zones-way -pthread 2>err; then
        run "${way%%|*}" ./zones-way at-once 100 && valid "${way%%|*}" zones.*.trace
    else
        fail "${way%%|*}" "$(grep -m 1 error err)"
    fi
done
${CC:-cc} -std=gnu99 $level $warnings -DPAJEWRITE_DISABLE -I"$root" "$root/tests/write/zones.c" -o zones-out -pthread || exit 1
for case in 'at-once 50' 'in-turn 100' jump skipped cancel again again-in-file here disabled names messages running exit-of-thread fork vfork 'tick 100'; do
    rm -f ./*.trace
    # shellcheck disable=SC2086
    expect "compiled out: $case" "$(./zones $case)" ./zones-out $case
done
rm -f ./*.trace
./zones-out at-once 10 >out
expect 'compiled out: no trace' 'zones*.trace' sh -c 'echo zones*.trace'
expect 'compiled out: no code' '' sh -c "nm zones-out | grep -E 'pajewrite__(enter_zone|append|claim|shared_process)'"

# ---- threads

run '64 at once' ./zones at-once 300 && valid '64 at once' zones.*.trace &&
    expect '64 at once: nothing is lost' 19200 sh -c "'$paje' dump zones.*.trace | grep -c '^State.* round$'" &&
    expect '64 at once: nothing is said to be dropped' 0 grep -c '^# dropped' zones.*.trace &&
    expect '64 at once: messages' 128 count Link zones.*.trace &&
    expect '64 at once: keys of messages differ' 128 sh -c "awk '\$1 == 26 { print \$NF }' zones.*.trace | sort -u | wc -l" &&
    whole_pages '64 at once: pages end with lines' zones.*.trace &&
    expect '64 at once: names have different colours' 1 sh -c "n=\$(grep '^15 ' zones.*.trace | sed 's/.* //' | sort -u | wc -l); echo \$((n > 1))"
expect 'times are of the process, from its first zone on' 0 \
    sh -c "'$paje' dump zones.*.trace | awk -F', ' '\$4 > 100 || \$4 < 0 { n++ } END { print n + 0 }'"
run 'line by line' ./zones flushed 5000 && valid 'line by line' zones.*.trace &&
    whole_pages 'line by line: pages end with lines' zones.*.trace
run '1000 in turn' ./zones in-turn 1000 && valid '1000 in turn' zones.*.trace &&
    expect '1000 in turn: nothing is lost' 15000 sh -c "'$paje' dump zones.*.trace | grep -c '^State.* round$'" &&
    expect '1000 in turn: few containers' 1 sh -c "n=\$('$paje' dump zones.*.trace | grep -c '^Container.*thread'); echo \$((n <= 4))"
run 'own types' ./zones here && valid 'own types' zones.*.trace &&
    expect 'own types: variables' 20 count Variable zones.*.trace
run 'messages' ./zones messages && valid messages zones.*.trace && expect 'messages: links' 12 count Link zones.*.trace
run 'a message of another process' sh -c './zones message-to-output >sent && rm zones.*.trace && ./zones message-from-input <sent' &&
    valid 'a message of another process' zones.*.trace &&
    expect 'a message of another process: no link' 1 count Link zones.*.trace
run 'a message without a trace' sh -c 'PAJEWRITE_TRACE=off ./zones message-to-output >sent' &&
    expect 'a message without a trace: zeros' 0000000000000000:16 sh -c 'echo "$(tr "\0" 0 <sent):$(wc -c <sent)"'
run 'interrupted' ./zones interrupted && valid interrupted zones.*.trace &&
    expect 'a handler interrupts a call by pajewrite_here(): what it writes is dropped' 'dropped 3' cat out &&
    expect 'a handler interrupts a call by pajewrite_here(): the end of the trace tells it' 1 \
        sh -c "awk '/^# dropped 3 events from/ && \$6 < \$8 && \$8 < 60 { n++ } END { print n }' zones.*.trace"
run 'disabled by an earlier thread' ./zones disabled && valid 'disabled by an earlier thread' zones.*.trace &&
    expect 'disabled by an earlier thread: not in the next one' 3 count Event zones.*.trace
run names ./zones names && valid names zones.*.trace &&
    expect 'names: each is defined once for each type' 4 sh -c "grep -c ' same ' zones.*.trace" &&
    expect 'names that are numbers: with a _ in front' 12 sh -c "grep -c '^1[35] .* _[23][0-9] [0-9a-f]*$' zones.*.trace"
run jump ./zones jump && valid jump zones.*.trace &&
    expect 'jump: zones are one in another' '10 20' \
        sh -c "'$paje' dump zones.*.trace | awk -F', ' '/^State/ { most += \$7 } END { print most, NR - $(grep -c '^Container\|^Event' <("$paje" dump zones.*.trace)) }'"
${CC:-cc} -std=gnu99 -O0 -I"$root" "$root/tests/write/zones.c" -o zones-slow -pthread || exit 1
run skipped ./zones-slow skipped && valid skipped zones.*.trace &&
    expect 'skipped: a zone that goto jumps over ends no other one' '' \
        sh -c "sed -n '/^22 /q; /^20 /p' zones.*.trace | sed 1d"
run 'no key of threads' env ZONES_KEYS=100000 PAJEWRITE_TRACE=off ./zones no-key &&
    expect 'no key of threads: that is said' "1:pajewrite: zones.no-key.trace: no key of pthread_key_create is left; nothing is traced" \
        sh -c 'echo "$(cat out):$(cat err)"'
run 'signals at 1 kHz' ./zones tick ${FULL:+4}1000 && valid 'signals at 1 kHz' zones.*.trace &&
    expect 'signals at 1 kHz: handlers have zones' 1 sh -c "n=\$('$paje' dump zones.*.trace | grep -c '^State.* handler$'); echo \$((n > 0))"
run cancel ./zones cancel && valid cancel zones.*.trace
run 'threads run at exit' ./zones running && valid 'threads run at exit' zones.*.trace
run 'exit from any thread' ./zones exit-of-thread && valid 'exit from any thread' zones.*.trace
run 'several traces' ./zones again && expect 'several traces: said' again cat out && valid 'several traces' ./*.trace
run 'the next trace in the file' env PAJEWRITE_TRACE=zones.again.trace ./zones again-in-file &&
    expect 'the next trace in the file, which a child has, too' 'again 0:' sh -c 'echo "$(cat out):$(cat err)"' &&
    valid 'the next trace in the file' zones.again.trace
run fork ./zones fork && expect 'fork: two traces' 2 sh -c 'ls zones.*.trace | wc -l' && valid fork zones.*.trace &&
    expect 'fork: all zones of the child' 4 sh -c "'$paje' dump \$(grep -l 'in the child' zones.*.trace) | grep -c '^State.* work$'"
run 'fork, %p at the end' env PAJEWRITE_TRACE=ends-%p ./zones fork &&
    expect 'fork, %p at the end: two traces' 2 sh -c 'ls ends-* | wc -l' && rm -f ends-*
run 'fork after a thread' ./zones fork-after-a-thread && valid 'fork after a thread' zones.*.trace &&
    expect 'fork after a thread: a context for each thread of the child' 6 sh -c "'$paje' dump \$(grep -l forever zones.*.trace) | grep -c '^State.* forever$'"
run 'fork without %p' env PAJEWRITE_TRACE=one.trace ./zones fork && valid 'fork without %p: the child is silent' one.trace &&
    expect 'fork without %p: the child says nothing' '' cat err &&
    expect 'fork without %p: nothing of the child' 0 sh -c "'$paje' dump one.trace | grep -c 'in the child'"
run vfork env PAJEWRITE_SIGNALS=1 ./zones vfork && expect 'vfork: how the children ended' '0 15 0 0' cat out &&
    valid vfork zones.*.trace && expect 'vfork: all zones are in the trace' 4050 sh -c "'$paje' dump zones.*.trace | grep -c '^State.* round$'"

# shellcheck disable=SC2086
${CC:-cc} -std=gnu99 $level -w -I"$root" "$root/tests/write/zones_fork.c" -o zones-fork -pthread || exit 1
run 'a fork that waits for a thread that traces' timeout -s KILL 60 ./zones-fork &&
    expect 'a fork that waits for a thread that traces: it goes on' 'status 0' cat out &&
    valid 'a fork that waits for a thread that traces' zones.*.trace
run 'a fork within the end of a trace' timeout -s KILL 60 ./zones-fork end &&
    expect 'a fork within the end of a trace: its child does not wait for that' 'status 0' cat out &&
    valid 'a fork within the end of a trace' zones.*.trace &&
    expect 'a fork within the end of a trace: two traces' 2 sh -c 'ls zones.*.trace | wc -l'

# ---- C++: an inline function in two files, in which its zones have other numbers, inline or not

cat >inline.hpp <<'END'
#include "pajewrite.h"
int add(int n);
inline int add_all(int n)
{
    PAJEWRITE_ZONE("outer");
    int sum = 0;
    {
        PAJEWRITE_ZONE("inner");
        for (int i = 0; i < n; i++)
            sum += i;
    }
    return sum;
}
END
cat >inline-add.cpp <<'END'
#include "inline.hpp"
int add(int n) { return add_all(n); }
END
cat >inline-main.cpp <<'END'
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
PAJEWRITE_MAIN("inline.trace");
static void first() { PAJEWRITE_ZONE("first"); }
#include "inline.hpp"
int main()
{
    first();
    return add(3) + add_all(3) != 6;
}
END
for compiler in ${QUICK:-g++ clang++}; do
    command -v $compiler >/dev/null || continue
    for files in 'inline-add.cpp inline-main.cpp' 'inline-main.cpp inline-add.cpp'; do
        # shellcheck disable=SC2086
        $compiler -std=c++11 -O2 $warnings -DPAJEWRITE_ZONES=1 -I"$root" $files -o inline -pthread || exit 1
        run "$compiler: $files" ./inline && valid "$compiler: $files" inline.trace &&
            expect "$compiler: $files: each zone has its name" '      1 first       2 inner       2 outer' \
                sh -c "'$paje' dump inline.trace | sed -n 's/^State.*, //p' | sort | uniq -c | tr '\n' ' ' | sed 's/ \$//'"
    done
done

# Static objects, whose constructors linkers order with that of the header.
cat >static.hpp <<'END'
#include "pajewrite.h"
struct part {
    part() { PAJEWRITE_ZONE("made"); }
    ~part() { PAJEWRITE_ZONE("ended"); }
};
END
printf '%s\n' '#include "static.hpp"' 'static part another;' >static-another.cpp
cat >static-main.cpp <<'END'
#define PAJEWRITE_IMPLEMENTATION
#include "static.hpp"
static part before;
PAJEWRITE_MAIN("static.trace");
static part behind;
int main() { PAJEWRITE_ZONE("main"); }
END
for compiler in ${QUICK:-g++ 'g++ -flto=1' clang++}; do
    for files in 'static-another.cpp static-main.cpp' 'static-main.cpp static-another.cpp'; do
        # shellcheck disable=SC2086
        $compiler -std=c++11 -O2 $warnings -DPAJEWRITE_ZONES=1 -I"$root" $files -o static -pthread 2>err || continue
        run "$compiler: $files" ./static && valid "$compiler: $files" static.trace &&
            expect "$compiler: $files: static objects are traced" '      3 ended       3 made       1 main' \
                sh -c "'$paje' dump static.trace | sed -n 's/^State.*, //p' | sort | uniq -c | tr '\n' ' ' | sed 's/ \$//'"
    done
done

# ---- the lock that threads share; C99 of strict POSIX

# shellcheck disable=SC2086
if ${CC:-cc} -std=c99 $level -fexceptions $warnings -I"$root" "$root/tests/write/zones_lock.c" -o lock -pthread 2>err; then
    run 'cancelled at the first zone' ./lock cancel && valid 'cancelled at the first zone' zones.*.trace
    run 'held by a signal handler' ./lock hold && valid 'held by a signal handler' zones.*.trace
    expect 'cancelled at any instruction, but not with the lock' instruction ./lock instruction
    expect 'contexts are claimed, and free afterwards' claim ./lock claim
    run 'left in another thread' ./lock moved && expect 'left in another thread: it stays open' moved cat out &&
        valid 'left in another thread' zones.*.trace
    expect 'a trace waits for the calls of other threads' wait ./lock wait
    run 'exit while another thread ends the trace' ./lock ending &&
        valid 'exit while another thread ends the trace' zones.*.trace &&
        expect 'exit while another thread ends the trace: it is whole' 1 count Event zones.*.trace
    run 'the next trace, while another thread ends this one' ./lock again &&
        expect 'the next trace, while another thread ends this one: it begins' again cat out &&
        valid 'the next trace, while another thread ends this one' zones.*.trace again.trace &&
        expect 'the next trace, while another thread ends this one: it is whole' 1 count Event again.trace
    expect 'a trace waits for the lock' lock ./lock lock
    expect 'a trace does not get the lock: told, and it ends later' taken ./lock taken
    expect 'places of threads that take the lock are free again' inside ./lock inside
    expect 'signals that are blocked stay so after fork' mask ./lock mask
    run 'a signal that is handled' ./lock saved && expect 'a signal that is handled: it waits for pipes as before' saved cat out &&
        expect 'a signal that is handled: what is shared is written' 1 count Variable zones.*.trace
    PAJEWRITE_TRACE='' expect 'a full disk: nothing is left of a definition' disk ./lock disk
    expect 'a trace that ends gets the lock from a thread that writes without end' lines ./lock lines
    run 'aliases run out' ./lock aliases && expect 'aliases run out: told' aliases cat out &&
        valid 'aliases run out' zones.*.trace &&
        expect 'aliases run out: what has none is left out' 'a value;the last value;the last variable;zone;' \
            sh -c "'$paje' dump zones.*.trace | sed -n '/^State\|^Event/s/.*, //p; /^Variable/s/.*\(the last variable\).*/\1/p' | sort -u | tr '\n' ';'"
    expect 'paths that are too long' paths sh -c './lock paths 2>err'
    run 'no memory to note a context' ./lock memory && expect 'no memory to note a context: it is used later' memory cat out &&
        valid 'no memory to note a context' zones.*.trace &&
        expect 'no memory to note a context: the next thread writes' 10 count Event zones.*.trace &&
        expect 'no memory to note a context: what is not written is counted' 1 grep -c '^# dropped 10 events' zones.*.trace
    run 'jumped out of a call' ./lock jumped && valid 'jumped out of a call' zones.*.trace &&
        expect 'jumped out of a call: the next threads write' 50 count Event zones.*.trace &&
        expect 'jumped out of a call: what it did not write is counted' 1 grep -c '^# dropped 12 events' zones.*.trace
    expect 'jumped out of a call: its container ends, and the next one has the name of the same thread' \
        'thread 1, ends, thread 1, ends, thread 1, ends, ends, ' \
        sh -c "sed -n 's/^17 .*/ends, /p; s/^16 .* 2 1 .\\(.*\\).\$/\\1, /p' zones.*.trace | tr -d '\n'"
    run 'ended within a call' ./lock ended && valid 'ended within a call' zones.*.trace &&
        expect 'ended within a call: no state is left for the next thread' 3 \
            sh -c "'$paje' dump zones.*.trace | grep -c '^State.* 0.000000, zone of a thread$'"
    run 'a pipe without a reader' sh -c 'mkfifo pipe && { PAJEWRITE_TRACE=pipe ./lock errno & head -c 1 pipe >/dev/null; wait $!; }' &&
        expect 'a pipe without a reader: told' "pajewrite: pipe: the sink failed; what it did not take is lost" cat err
    ends() {
        rm -f full
        mkfifo full && timeout -s KILL 20 sh -c "${*:2} & program=\$!; sleep 0.5; kill \$program; wait \$program" <>"$1" 2>/dev/null
        echo "$?"
    }
    for signals in '' 1; do
        PAJEWRITE_SIGNALS=$signals PAJEWRITE_TRACE=full expect "a pipe that is full: SIGTERM ends the program $signals" 143 \
            ends full ./lock errno
        PAJEWRITE_SIGNALS=$signals PAJEWRITE_TRACE=full expect "a pipe that none opens: SIGTERM ends the program $signals" 143 \
            ends /dev/null ./lock errno
    done
    PAJEWRITE_SIGNALS=1 PAJEWRITE_TRACE=full expect 'a pipe that is full, and the program computes: SIGTERM ends it' 143 \
        ends full ./lock fill
    rm -f full slow
    # shellcheck disable=SC2016
    PAJEWRITE_SIGNALS=1 PAJEWRITE_TRACE=full expect 'a pipe that is slow: SIGTERM ends the trace' all sh -c 'mkfifo full
        ./lock flood & { head -c 50000; sleep 0.5; kill $!; sleep 0.3; cat; } <full >slow
        created=$(grep -c "^16 " slow); [ "$created" -gt 1 ] && [ "$(grep -c "^17 " slow)" = "$created" ] && echo all' &&
        valid 'a pipe that is slow' slow
    rm -f late
    expect 'a pipe that is full for a while: no other signal comes through' pipe timeout -s KILL 20 ./lock pipe
    if [ -c /dev/full ]; then
        PAJEWRITE_TRACE=/dev/full expect 'errno is kept' 'errno' sh -c './lock errno 2>err'
    fi
else
    fail 'strict C99' "$(grep -m 1 error err)"
fi

# ---- zones in a malloc of the program's own, which the C library calls for a key beyond its first ones

cat >allocator.c <<'END'
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
static char memory[1 << 24];
static size_t used;
void *malloc(size_t size)
{
    const size_t at = __atomic_fetch_add(&used, (size + 31) / 16 * 16, __ATOMIC_RELAXED) + 16;
    PAJEWRITE_ZONE("malloc");
    memcpy(memory + at - 16, &size, sizeof size);
    return memory + at;
}
void *calloc(size_t count, size_t size) { PAJEWRITE_ZONE("calloc"); return malloc(count * size); /* zeros */ }
void free(void *bytes) { PAJEWRITE_ZONE("free"); (void)bytes; }
void *realloc(void *bytes, size_t size)
{
    size_t before = 0;
    void *moved = malloc(size);
    if (bytes) {
        memcpy(&before, (char *)bytes - 16, sizeof before);
        memcpy(moved, bytes, before < size ? before : size);
    }
    return moved;
}
static void *work(void *data)
{
    PAJEWRITE_ZONE("work");
    return data;
}
__attribute__((constructor(101))) static void take_keys(void) /* before the writer takes its own */
{
    pthread_key_t key;
    int i;
    for (i = 0; i < 40; i++)
        pthread_key_create(&key, NULL);
}
int main(void)
{
    pthread_t thread;
    int i;
    pajewrite_begin("allocator.trace");
    for (i = 0; i < 20 && !pthread_create(&thread, NULL, work, NULL); i++)
        pthread_join(thread, NULL);
    return i != 20;
}
END
if ${CC:-cc} -std=gnu99 -fno-builtin $level -w -I"$root" allocator.c -o allocator -pthread; then
    run 'an allocator that has zones' timeout -s KILL 20 ./allocator && valid 'an allocator that has zones' allocator.trace &&
        expect 'an allocator that has zones: of 20 threads' 20 sh -c "'$paje' dump allocator.trace | grep -c 'State.*, work$'"
fi

# Functions of the system that the program has replaced, as libraries do that trace them: the writer calls them, too.
cat >replaced.c <<'END'
#define _GNU_SOURCE
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_ZONES_BUFFER 2000
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <dlfcn.h>
#include <sys/wait.h>
#define REPLACE(type, name, parameters, ...) \
    type name parameters \
    { \
        static type (*next) parameters; \
        if (!next) \
            *(void **)&next = dlsym(RTLD_NEXT, #name); \
        PAJEWRITE_ZONE(#name); \
        return next(__VA_ARGS__); \
    }
REPLACE(void *, mmap, (void *at, size_t size, int may, int flags, int descriptor, off_t from), \
        at, size, may, flags, descriptor, from)
REPLACE(ssize_t, writev, (int descriptor, const struct iovec *pieces, int count), descriptor, pieces, count)
REPLACE(off_t, lseek, (int descriptor, off_t at, int from), descriptor, at, from)
REPLACE(int, close, (int descriptor), descriptor)
REPLACE(int, nanosleep, (const struct timespec *time, struct timespec *left), time, left)
REPLACE(int, pthread_mutex_trylock, (pthread_mutex_t *lock), lock)
REPLACE(int, pthread_mutex_unlock, (pthread_mutex_t *lock), lock)
static void *work(void *data)
{
    int i;
    PAJEWRITE_ZONE("work");
    for (i = 0; i < 200; i++)
        PAJEWRITE_PLOT_SHARED("plot", i);
    return data;
}
int main(void)
{
    pthread_t threads[4];
    int i, status = 1;
    pid_t child;
    pajewrite_begin("replaced.%p.trace");
    for (i = 0; i < 4 && !pthread_create(&threads[i], NULL, work, NULL); i++)
        ;
    while (i--)
        pthread_join(threads[i], NULL);
    child = fork();
    work(NULL);
    if (child)
        waitpid(child, &status, 0);
    for (i = 0; child && i < 20; i++) {
        pajewrite_end();
        pajewrite_begin("again.trace");
        work(NULL);
    }
    return child && status;
}
END
if ${CC:-cc} -std=gnu99 $level -w -I"$root" replaced.c -o replaced -pthread -ldl; then
    run 'replaced functions that have zones' timeout -s KILL 20 ./replaced &&
        valid 'replaced functions that have zones' ./*.trace &&
        expect 'replaced functions that have zones: all other zones' 7 \
            sh -c "for t in *.trace; do '$paje' dump \$t; done | grep -c 'State.*, work$'"
fi

# The key of threads is one of the first, however many the program takes: so the first zone of a thread calls no calloc.
cat >keys.c <<'END'
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>
#include <stdlib.h>
static __thread int calls;
static char memory[1 << 20];
static size_t used;
void *calloc(size_t count, size_t size)
{
    calls++;
    return memory + __atomic_fetch_add(&used, (count * size + 15) / 16 * 16, __ATOMIC_RELAXED);
}
void free(void *bytes) { (void)bytes; }
static void *work(void *data)
{
    calls = 0;
    { PAJEWRITE_ZONE("work"); }
    *(int *)data = calls;
    return NULL;
}
int main(void)
{
    pthread_t thread;
    pthread_key_t key;
    int i, called = -1;
    for (i = 0; i < 40; i++)
        pthread_key_create(&key, NULL);
    pajewrite_begin("keys.trace");
    pthread_create(&thread, NULL, work, &called);
    pthread_join(thread, NULL);
    printf("%d\n", called);
    return 0;
}
END
if ${CC:-cc} -std=gnu99 -fno-builtin $level -w -I"$root" keys.c -o keys -pthread; then
    run 'many keys' ./keys && valid 'many keys' keys.trace &&
        expect 'many keys: the first zone of a thread calls no calloc' 0 cat out
fi

# A child of fork changes no context of its parent's threads before a thread of its own needs it.
cat >crowd.c <<'END'
#define _GNU_SOURCE
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
PAJEWRITE_MAIN("crowd.%p.trace");
enum { CROWD = 500, FEW = 3 };
static pthread_barrier_t all;
static void *work(void *data)
{
    PAJEWRITE_ZONE("work");
    pthread_barrier_wait(&all);
    return data;
}
static void run(unsigned count)
{
    pthread_t threads[CROWD];
    unsigned i;
    pthread_barrier_init(&all, NULL, count);
    for (i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            exit(3);
    while (i--)
        pthread_join(threads[i], NULL);
}
int main(void)
{
    int generation = 0, status = 0;
    struct rusage used;
    pid_t child;
    PAJEWRITE_ZONE("main");
    run(CROWD);
    fflush(stdout);
    while ((child = fork()) == 0 && generation++ < 2) {
        getrusage(RUSAGE_SELF, &used);
        printf("%d ", used.ru_minflt < CROWD);
        fflush(stdout);
        run(FEW);
    }
    if (child)
        waitpid(child, &status, 0);
    if (!generation)
        printf("%u %d\n", (unsigned)pajewrite__the_process.threads - CROWD, status);
    if (generation == 2)
        run(CROWD - 1); /* all that are inherited, but the one of this thread */
    return status != 0 || pajewrite__the_process.threads != CROWD + 1;
}
END
if ${CC:-cc} -std=gnu99 $level -w -I"$root" crowd.c -o crowd -pthread; then
    run 'a fork where there were many threads' ./crowd &&
        expect 'a fork where there were many threads: pages are copied for few' '1 1 1 0' cat out &&
        valid 'a fork where there were many threads' crowd.*.trace
fi

# ---- the environment

run 'no trace, and nobody reads standard error' sh -c 'mkfifo errors && exec 8<>errors 9>errors 8>&- &&
    PAJEWRITE_TRACE=/nonexistent/x exec ./zones at-once 10 2>&9'
run 'no standard input, as of a daemon' sh -c 'exec ./zones at-once 10 <&-' && valid 'no standard input, as of a daemon' zones.*.trace
run 'a limit of the size of files' bash -c 'ulimit -f 64; exec ./zones at-once 300' &&
    expect 'a limit of the size of files: that is told, once' '1 1' sh -c 'echo $(wc -l <err) $(grep -c "zones.*trace: " err)' &&
    expect 'a limit of the size of files: lines are whole' 1 sh -c "'$paje' validate zones.*.trace >/dev/null 2>&1; echo \$((\$? < 2))"
for wrong in PAJEWRITE_TRACE=/nonexistent/x PAJEWRITE_CATEGORIES=x; do
    expect "a message about $wrong: signals come after it" 143 \
        bash -c "{ env $wrong ./zones die-alone 15; } 2>err; echo \$?"
done
run off env PAJEWRITE_TRACE=off ./zones at-once 10 && expect 'PAJEWRITE_TRACE=off' 'zones*.trace' sh -c 'echo zones*.trace'
run rank env PMI_RANK=7 'PAJEWRITE_TRACE=r%r-%%.trace' ./zones at-once 10 && valid '%r and %%' r7-%.trace &&
    expect '%r: name of the process' 1 sh -c "'$paje' dump r7-%.trace | grep -c '^Container.*, rank 7$'"
for name in PMIX_RANK OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK SLURM_PROCID; do
    run "rank of $name" env $name=12 'PAJEWRITE_TRACE=a%-%x-%%-%r.trace%' ./zones at-once 10 &&
        valid "rank of $name" 'a%-%x-%-12.trace%' && rm -f 'a%-%x-%-12.trace%'
done
run 'no rank' env PMI_RANK= PAJEWRITE_TRACE=r%r.trace ./zones at-once 10 && valid 'no rank' r0.trace
run categories env PAJEWRITE_CATEGORIES=1,3-4 ./zones at-once 10 && valid 'PAJEWRITE_CATEGORIES' zones.*.trace &&
    expect 'PAJEWRITE_CATEGORIES: zones' 'of category 3;' values zones.*.trace
run 'the first category' env PAJEWRITE_CATEGORIES=0,30-31 ./zones at-once 10 && valid 'the first category' zones.*.trace &&
    expect 'the first category: zones' no sh -c "'$paje' dump zones.*.trace | grep -q 'of category 3' && echo yes || echo no" &&
    expect 'the first category: nothing is wrong' 0 sh -c 'grep -c CATEGORIES err'
run 'bad categories' env PAJEWRITE_CATEGORIES=1,x ./zones at-once 10 &&
    expect 'bad PAJEWRITE_CATEGORIES: told' 1 grep -c '^pajewrite: PAJEWRITE_CATEGORIES has to be numbers from 0 to 31' err
for bad in 4294967297 -3 0,,1 3-; do
    run "bad categories $bad" env PAJEWRITE_CATEGORIES=$bad ./zones at-once 10 &&
        expect "bad PAJEWRITE_CATEGORIES=$bad: told" 1 grep -c '^pajewrite: PAJEWRITE_CATEGORIES has to be numbers' err
done
# A program that its file gives rights, and that has made these its own: who starts it may not choose a file.
cat >rights.c <<'END'
#define _XOPEN_SOURCE 700
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
int main(void) { return setregid(getegid(), getegid()) || setreuid(geteuid(), geteuid()) ||
                        pajewrite_begin("own.trace") || pajewrite_end(); }
END
${CC:-cc} -std=c99 -I"$root" rights.c -o rights -pthread || exit 1
mkdir -m 777 rights.dir
if chown 65534:65534 rights 2>/dev/null && chmod 6755 rights; then
    run 'rights of the file of a program' sh -c 'cd rights.dir && PAJEWRITE_TRACE=other.trace exec ../rights' &&
        expect 'rights of the file of a program: the environment is not read' own.trace ls rights.dir
else
    skip 'rights of the file of a program: it cannot be made (run as root)'
fi
run 'standard output is closed' sh -c './zones exit-of-thread >&-' && valid 'standard output is closed' zones.*.trace
run nowhere env PAJEWRITE_TRACE=no/where ./zones at-once 10 &&
    expect 'nowhere to write' 'pajewrite: no/where: cannot be opened for writing; nothing is traced' cat err
if [ -c /dev/full ]; then
    run '/dev/full' env PAJEWRITE_TRACE=/dev/full ./zones at-once 100 &&
        expect 'a full disk is reported' 'pajewrite: /dev/full: the sink failed; what it did not take is lost' cat err
fi

run 'closed by the program' ./zones closed && expect 'closed by the program: reported' 1 grep -c 'the sink failed' err &&
    expect 'closed by the program: no other file is written' 0 sh -c 'cat other | wc -c'

# ---- sudden ends: what is in the file is whole lines

whole() {
    local trace log
    for trace in "${@:2}"; do
        [ -s "$trace" ] || continue # killed before it wrote anything
        if [ "$(tail -c 1 "$trace" | od -An -tx1)" != ' 0a' ]; then
            fail "$1" "$trace ends within a line"
            return
        fi
        log=$("$paje" validate --strict "$trace" 2>&1)
        if grep -v 'valid$' <<<"$log" | grep -q .; then
            fail "$1" "$(head -n 1 <<<"$log")"
            return
        fi
    done
    pass "$1"
}
rm -f ./*.trace
kills=${FULL:+200}${QUICK:+3}
for i in $(seq "${kills:-12}"); do
    PAJEWRITE_TRACE=kill-$i.trace ./zones die -1 & pid=$!
    sleep 0.0$((i % 10))3
    kill -9 $pid
    wait $pid 2>/dev/null
done 2>/dev/null
whole 'kill -9' kill-*.trace
rm -f ./*.trace
./zones die 0
whole '_exit' zones.*.trace
rm -f ./*.trace
for i in 0 1 2 3 4 5 6 7; do
    PAJEWRITE_TRACE=messages-$i.trace ./zones die-within-messages $i
done
whole '_exit: both ends of a link, or none' messages-*.trace
expect '_exit: no page ends within a link' 0 \
    awk '/^27 / && last !~ /^26 / { parted++ } { last = $0 } END { print parted + 0 }' messages-*.trace
for signal in 6 11 15; do
    rm -f ./*.trace
    { PAJEWRITE_SIGNALS=1 ./zones die $signal; } 2>/dev/null
    expect "PAJEWRITE_SIGNALS: signal $signal ends the process" $((128 + signal)) \
        sh -c "PAJEWRITE_SIGNALS=1 PAJEWRITE_TRACE=more.trace ./zones die $signal 2>/dev/null; echo \$?"
    valid "PAJEWRITE_SIGNALS: signal $signal" zones.*.trace more.trace &&
        expect "PAJEWRITE_SIGNALS: signal $signal: the trace ends" 1 \
            sh -c "n=\$('$paje' dump more.trace | grep -c ' a bit$'); echo \$((n > 0))"
done
for flush in '0 0' '1 1'; do
    rm -f ./*.trace
    { PAJEWRITE_SIGNALS=${flush% *} ./zones die-alone 15; } 2>/dev/null
    expect "PAJEWRITE_SIGNALS=${flush% *}: what is in the buffer" "${flush#* }" sh -c "'$paje' dump zones.*.trace 2>&1 | grep -c ' last$'"
done
rm -f ./*.trace
{ PAJEWRITE_SIGNALS=1 ./zones fault; } 2>/dev/null
valid 'PAJEWRITE_SIGNALS: a fault' zones.*.trace

# ---- libraries

for name in a b; do
    ${CC:-cc} -std=gnu99 $warnings -fPIC -shared -DNAME="\"in $name\"" -DTRACE='"zones.%p.trace"' -I"$root" \
        "$root/tests/write/zones_library.c" -o lib$name.so -pthread || exit 1
done
${CC:-cc} -std=gnu99 -DMAIN=1 -I"$root" "$root/tests/write/zones_library.c" -o plain -pthread -ldl || exit 1
${CC:-cc} -std=gnu99 -DMAIN=2 -I"$root" "$root/tests/write/zones_library.c" -o tracing -pthread -ldl -rdynamic || exit 1
${CC:-cc} -std=gnu99 -DMAIN=2 -I"$root" "$root/tests/write/zones_library.c" -o alone -pthread -ldl || exit 1
run 'two libraries' ./plain ./liba.so ./libb.so && expect 'two libraries: one trace' 1 sh -c 'ls zones.*.trace | wc -l' &&
    valid 'two libraries' zones.*.trace && expect 'two libraries: both' 'in a;in b;of both;round;' values zones.*.trace &&
    expect 'two libraries: a name is defined once' 1 sh -c "grep -c '\"of both\"' zones.*.trace"
run 'two libraries and a program' ./tracing ./liba.so ./libb.so && valid 'two libraries and a program' zones.*.trace &&
    expect 'two libraries and a program: all' 'in a;in b;main;of both;round;' values zones.*.trace
run 'a program without -rdynamic' ./alone ./liba.so ./libb.so && valid 'a program without -rdynamic' zones.*.trace &&
    expect 'a program without -rdynamic: told' '' sh -c "grep -q 'another library of this one, is writing it; nothing is traced' err || { echo it says; cat err; }"
for partition in max 1to1 none; do # how many object files link-time optimization makes of a library
    ! [ "$QUICK" ] && ${CC:-cc} -flto -flto-partition=$partition -x c -c -o lto.o /dev/null 2>err && ! [ -s err ] || continue
    ${CC:-cc} -std=gnu99 -O1 -flto -flto-partition=$partition -fPIC -shared -DNAME='"in b"' -DTRACE='"zones.%p.trace"' \
        -I"$root" "$root/tests/write/zones_library.c" -o libb.so -pthread 2>err || cat err
    run "-flto-partition=$partition" ./plain ./libb.so ./liba.so && valid "-flto-partition=$partition" zones.*.trace &&
        expect "-flto-partition=$partition: both libraries" 'in a;in b;of both;round;' values zones.*.trace
done
for signal in SIGTERM SIGABRT; do
    ${CC:-cc} -std=gnu99 $warnings -fPIC -shared -DSIGNAL=$signal -DNAME='"in b"' -DTRACE='"zones.%p.trace"' -I"$root" \
        "$root/tests/write/zones_library.c" -o libb.so -pthread || exit 1
    rm -f ./*.trace
    { timeout 60 ./plain ./liba.so ./libb.so; } 2>/dev/null
    valid "$signal is handled by a library that has only zones in the trace" zones.*.trace &&
        expect "$signal is handled by such a library: zones" 'in a;in b;of both;round;' values zones.*.trace
done
for option in TABLE=0 KINDS=31; do
    ${CC:-cc} -std=gnu99 -fPIC -shared -DPAJEWRITE_$option -DNAME='"in b"' -DTRACE='"b.trace"' -I"$root" \
        "$root/tests/write/zones_library.c" -o libb.so -pthread || exit 1
    run "options differ: $option" ./plain ./liba.so ./libb.so &&
        valid "options differ: $option: the first library goes on" zones.*.trace &&
        expect "options differ: $option: told" '' sh -c "grep -q 'a library of this process has pajewrite.h of another version or with other options' err || { echo it says; cat err; }"
    # A dynamic linker takes the functions of the first library for both, where it is linked, or loaded for all.
    run "options differ: $option: linked" env LD_PRELOAD="$PWD/liba.so" ./plain ./liba.so ./libb.so &&
        valid "options differ: $option: linked: the first library goes on" zones.*.trace &&
        expect "options differ: $option: linked: the other one traces nothing" 'in a;of both;round;' values zones.*.trace &&
        expect "options differ: $option: linked: told" '' sh -c "grep -q 'a library of this process has pajewrite.h of another version or with other options' err || { echo it says; cat err; }"
done
${CC:-cc} -std=gnu99 -fPIC -shared -DPAJEWRITE_FIELDS_SIZE=48 -DNAME='"in b"' -DTRACE='"zones.%p.trace"' -I"$root" \
    "$root/tests/write/zones_library.c" -o libb.so -pthread || exit 1
run 'user fields differ: linked' env LD_PRELOAD="$PWD/liba.so" ./plain ./liba.so ./libb.so &&
    valid 'user fields differ: linked' zones.*.trace &&
    expect 'user fields differ: linked: both libraries' 'in a;in b;of both;round;' values zones.*.trace

[ ! "$QUICK" ] || exit $failed

# ---- MIPS, whose code finds the addresses of local and of global symbols in two ways

if ! command -v mips-linux-gnu-gcc >/dev/null || ! command -v qemu-mips >/dev/null; then
    skip 'MIPS: no mips-linux-gnu-gcc or qemu-mips (install gcc-mips-linux-gnu qemu-user)'
else
    mips-linux-gnu-gcc -static -std=gnu99 -O1 $warnings -I"$root" "$root/tests/write/zones.c" -o zones-mips -pthread || exit 1
    run MIPS qemu-mips ./zones-mips at-once 20 && valid MIPS zones.*.trace
fi

# ---- random programs

# shellcheck disable=SC2086
${CC:-cc} -std=gnu99 $level $warnings -I"$root" "$root/tests/write/zones_random.c" -o random -pthread || exit 1
count=${FULL:+300}
run 'random programs' ./random 1 "${count:-20}" && quick=1 valid 'random programs' ./*.trace

# ---- sanitizers

works() { echo 'int main(void) { return 0; }' | ${CC:-cc} "$@" -x c - -o works 2>/dev/null && ./works; }
for sanitizer in ${FULL:+thread address,undefined}; do
    if ! works -fsanitize=$sanitizer; then
        skip "sanitizer $sanitizer: it makes no such programs (install libtsan2 libasan8)"
        continue
    fi
    ${CC:-cc} -std=gnu99 -g1 -Og -fsanitize=$sanitizer -fno-sanitize-recover=all -include "$root/tests/lib/checked.h" -I"$root" \
        "$root/tests/write/zones.c" -o zones-sanitized -pthread || exit 1
    for case in 'at-once 50' again 'tick 500' 'in-turn 50' running exit-of-thread cancel fork messages here jump; do
        # shellcheck disable=SC2086
        TSAN_OPTIONS='halt_on_error=1 exitcode=66' ASAN_OPTIONS=detect_leaks=0 \
            run "sanitizer $sanitizer: $case" ./zones-sanitized $case && quick=1 valid "sanitizer $sanitizer: $case" ./*.trace
    done
done
exit $failed
