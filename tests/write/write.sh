#!/bin/bash
# pajewrite.h beyond its own reader: it compiles everywhere, other readers accept its traces, threads do not disturb
# each other, and compiled out it is nothing.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/writing
mkdir -p $dir
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
failed=0 FULL=${FULL:-0}

# tell NAME COMMAND...: a case, which passes if the command succeeds
tell() {
    local name=$1 log
    shift
    if log=$("$@" 2>&1); then
        echo "PASS write/$name"
    else
        log=$(grep -m1 -a '^FAIL' <<<"$log" || grep -m1 -aiE 'error|warning|exception|differ' <<<"$log" || tail -n 1 <<<"$log")
        echo "FAIL write/$name: $log"
        failed=1
    fi
}
has() { command -v "$1" >/dev/null; }
links() { echo 'int main(void) { return 0; }' | "$1" "${@:2}" -x c - -o $dir/works 2>/dev/null; }
works() { links "$@" && $dir/works; }
# The compiler for 32-bit programs: a cross compiler, as multilib packages conflict with all others.
narrow() { if [ $1 = gcc ]; then echo i686-linux-gnu-gcc -static; else echo "$1" --target=i686-linux-gnu -static; fi; }

# ---- the header alone, with all compilers and standards

printf '#define PAJEWRITE_IMPLEMENTATION\n#include "pajewrite.h"\nint main(void) { return 0; }\n' >$dir/alone.c
alone() {
    local result="-o $dir/alone"
    # clang warns alike at all levels.
    [[ $1 != clang* || $* == 'clang -std=c99 -O2' || $* == *c++11* ]] || result=-fsyntax-only
    tell "compiles: $*" "$1" $warnings "${@:2}" -I. $dir/alone.c $result
}
for pair in gcc:g++ clang:clang++; do
    compiler=${pair%:*} plus=${pair#*:}
    if ! has $compiler; then
        echo "SKIP write/compiles: $compiler: no $compiler (install $compiler)"
        continue
    fi
    [ $FULL = 0 ] && [ $compiler = clang ] || alone $compiler -std=c99 -O2
    if [ $FULL != 0 ] || [ $compiler = gcc ]; then
        alone $compiler -std=gnu11 -O0 -DPAJEWRITE_CHECK=1
        if [ $FULL != 0 ]; then
            alone $compiler -std=gnu17 -O3 -DPAJEWRITE_CHECK=1
            alone $compiler -std=c99 -O1 -DPAJEWRITE_DOUBLE=0
        fi
        alone $compiler -std=c99 -O0 -D_POSIX_C_SOURCE=200809L
        alone $compiler -std=c99 -O2 -DPAJEWRITE_DISABLE
        alone $compiler -std=c99 -O1 -DPAJEWRITE_API=static
        alone $compiler -std=c99 -O0 -DPAJEWRITE_API=static -D_POSIX_C_SOURCE=200809L
        narrow=$(narrow $compiler)
        if links $narrow; then
            level=-O1
            [ $compiler = gcc ] || level=-O0
            tell "compiles: $compiler 32 bits" $narrow -std=gnu99 $level $warnings -I. $dir/alone.c -o $dir/alone
            # i486, MIPS and m68k have no atomic access to 64 bits.
            tell "compiles: $compiler 32 bits, checking mode of an i486" $narrow -march=i486 -std=gnu99 $level $warnings \
                -DPAJEWRITE_CHECK=1 -D_POSIX_C_SOURCE=200809L -DPAJEWRITE_ZONES=1 -I. $dir/alone.c -o $dir/alone
        else
            echo "SKIP write/compiles: $compiler 32 bits: it makes no 32-bit programs (install gcc-i686-linux-gnu)"
        fi
    fi
    has $plus || continue
    alone $plus -x c++ -std=c++11 -O0
    [ $FULL = 0 ] || alone $plus -x c++ -std=c++20 -O1 -DPAJEWRITE_CHECK=1
done
# The assembler of x86 may be in Intel's syntax.
for compiler in gcc clang; do
    links $compiler -masm=intel || continue # on other machines; for a compiler that is not there SKIP is printed above
    tell "compiles: $compiler -masm=intel" $compiler -std=gnu99 -O1 -masm=intel $warnings -DPAJEWRITE_ZONES=1 -I. \
        $dir/alone.c -o $dir/alone
done
# Other headers have macros of any names: as lines in <term.h> of curses, and PAGE in readline.
macros=$(printf -- '-D%s=( ' lines columns PAGE MOST LISTS END STATE VALUE EMPTY NUMBER NAME TYPE FIELDS)
for option in -DPAJEWRITE_ZONES=1 '-DPAJEWRITE_RING=1 -DPAJEWRITE_NOW()=0'; do
    tell "compiles: beside macros of others: ${option%% *}" ${CC:-cc} -std=gnu99 -O0 $warnings $option $macros -I. \
        $dir/alone.c -o $dir/alone
done
# Warnings that programs have besides those here.
! has gcc || tell "compiles: -Wlogical-op" gcc -std=gnu99 -O2 $warnings -Wlogical-op -Wduplicated-cond \
    -Wduplicated-branches -DPAJEWRITE_ZONES=1 -I. $dir/alone.c -o $dir/alone
printf '%s\n' '#define PAJEWRITE_ZONES 1' '#include "pajewrite.h"' 'namespace program {' \
    'PAJEWRITE_MAIN("other.trace");' 'void function(void);' 'void function(void) {' 'PAJEWRITE_ZONE_IN(1, "zone");' \
    'PAJEWRITE_PLOT("plot", PAJEWRITE_TYPE_IN(1, 2u).alias); PAJEWRITE_PLOT_SHARED("shared", 1);' '}' '}' \
    'int main() { return 0; }' >$dir/namespace.cc
for option in '' -DPAJEWRITE_DISABLE; do
    ! has g++ || tell "compiles: zones in a namespace $option" g++ -std=gnu++11 $warnings -Wold-style-cast $option -I. \
        -c $dir/namespace.cc -o $dir/namespace.o
done
needed() {
    ${CC:-cc} -std=c99 -O2 -ffreestanding -fno-stack-protector -I. -c $dir/alone.c -o $dir/alone.o &&
        ! nm -u $dir/alone.o | grep -vE ' (memcpy|memmove|memset|_GLOBAL_OFFSET_TABLE_)$' &&
        ! nm -g --defined-only $dir/alone.o | grep -vE ' (pajewrite_[a-z0-9_]+|main)$'
}
tell 'freestanding, it needs memcpy, memmove and memset only' needed

# ---- compiled out

identical() {
    local options="-std=c99 $1 -DPAJEWRITE_DISABLE -Wall -Wextra -Werror -I. -c tests/write/disable.c"
    ${CC:-cc} $options -o $dir/calls.o && ${CC:-cc} $options -DWITHOUT -o $dir/none.o &&
        objdump -drs $dir/calls.o | tail -n +4 >$dir/calls.txt && objdump -drs $dir/none.o | tail -n +4 >$dir/none.txt &&
        [ -s $dir/calls.txt ] && cmp $dir/calls.txt $dir/none.txt && ${CC:-cc} $dir/calls.o -o $dir/calls
}
for level in -O2 $([ $FULL = 0 ] || echo -O1 -O3 -Os); do
    tell "compiled out, nothing is left: $level" identical $level
done
# Without optimization the empty functions are there, but nothing of the writer.
unoptimized() {
    ${CC:-cc} -std=c99 -O0 -DPAJEWRITE_DISABLE -Wall -Wextra -Werror -I. -c tests/write/disable.c -o $dir/calls.o &&
        ${CC:-cc} $dir/calls.o -o $dir/calls && ! nm $dir/calls.o | grep -q ' pajewrite__make_room$'
}
tell 'compiled out, nothing is left: -O0' unoptimized
# Each call is among the disabled ones.
complete() {
    local name
    for name in $(sed -n 's/^PAJEWRITE__*[A-Z]* .*\b\(pajewrite_[a-z][a-z0-9_]*\)(.*/\1/p' src/pajewrite/api/calls.h); do
        grep -q "^static inline .*\b$name(" src/pajewrite/api/disabled.h || { echo "error: $name is not compiled out"; return 1; }
        grep -q "\b$name(" tests/write/disable.c || [[ $name =~ next_byte|read$ ]] ||
            { echo "error: tests/write/disable.c does not call $name"; return 1; }
    done
    [ "$name" ]
}
tell 'compiled out, nothing is forgotten' complete

# Calls are statements, with and without PAJEWRITE_DISABLE, and variables that only they use give no warning.
cat >$dir/statements.c <<'END'
#include "pajewrite.h"
void work(pajewrite *w, int n);
void work(pajewrite *w, int n)
{
    const pajewrite_container me = {1};
    const pajewrite_type state = {2}, gauge = {3};
    const pajewrite_value busy = {1};
    uint64_t start = pajewrite_now(w);
    int64_t load = n * 2;
    if (n)
        pajewrite_enable(w, 1u << n);
    else
        pajewrite_disable(w, 1u << 1);
    if (n)
        pajewrite_push_state_at(w, start, me, state, busy);
    else
        pajewrite_set_variable(w, me, gauge, load);
    for (; n; n--)
        pajewrite_flush(w);
}
END
for compiler in gcc clang; do
    has $compiler || continue # SKIP is printed above
    for off in '' -DPAJEWRITE_DISABLE; do
        tell "calls are statements: $compiler $off" $compiler -std=c99 $warnings $off -I. -c $dir/statements.c -o $dir/statements.o
    done
done

# No clock: where there is no ready-made one, pajewrite_init refuses.
cat >$dir/clock.c <<'END'
#define PAJEWRITE_POSIX 0
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
int main(void)
{
    static char buffer[4096];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite w;
    config.sink = pajewrite_to_stream;
    if (pajewrite_init(&w, buffer, sizeof buffer, &config) != PAJEWRITE_E_MISUSE)
        return 1;
    pajewrite_push_state(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
    return pajewrite_finish(&w) != PAJEWRITE_E_MISUSE || pajewrite_count(&w).dropped != 1 || pajewrite_now(&w);
}
END
tell 'no clock is misuse' eval "${CC:-cc} -std=c99 $warnings -I. $dir/clock.c -o $dir/clock && $dir/clock"

# A program whose functions call the writer when they are entered (-finstrument-functions).
for command in "${CC:-cc} -std=c99" 'g++ -x c++ -std=c++11'; do
    has "${command%% *}" || continue # SKIP is printed above
    for off in '' -DPAJEWRITE_DISABLE; do
        tell "functions that are instrumented: $command $off" eval \
            "$command $off -finstrument-functions -I. tests/write/instrumented.c -o $dir/instrumented -pthread && $dir/instrumented >$dir/instrumented.trace"
    done
done

# A file that is compiled out calls one that is not, and the other way round.
cat >$dir/mixed.c <<'END'
#include "pajewrite.h"
pajewrite_status user(void);
#ifdef PAJEWRITE_IMPLEMENTATION
pajewrite_status off(pajewrite *w, const pajewrite_fields *fields);
void on(pajewrite_trace *trace, const pajewrite_track *track);
void on(pajewrite_trace *trace, const pajewrite_track *track)
{
    pajewrite_header(&trace->w);
    pajewrite_set_state(&trace->w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
    pajewrite_track_push_state(track, PAJEWRITE_VALUE(1));
    (void)pajewrite_close(trace);
}
static pajewrite_status sink(void *data, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)data += size;
    return PAJEWRITE_OK;
}
int main(void)
{
    static char buffer[4096];
    size_t size = 0;
    pajewrite w;
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = sink;
    config.sink_data = &size;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_fields fields = pajewrite_fields_of(pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "A int"));
    pajewrite_flush(&w);
    size = 0;
    return off(&w, &fields) || pajewrite_finish(&w) || size;
}
#elif defined(PAJEWRITE_DISABLE)
pajewrite_status off(pajewrite *w, const pajewrite_fields *fields);
void on(pajewrite_trace *trace, const pajewrite_track *track);
pajewrite_status off(pajewrite *w, const pajewrite_fields *fields)
{
    static pajewrite_trace trace; /* zeros, which nothing changes here */
    static pajewrite_track track;
    pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT};
    pajewrite_track_init(&track, pajewrite_open(&trace, "none"), PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1));
    on(&trace, &track);
    pajewrite_write(w, &event, fields);
    pajewrite_push_state(w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
    return pajewrite_init(w, NULL, 0, NULL);
}
#endif
END
mixed() {
    ${CC:-cc} -std=c99 -D_POSIX_C_SOURCE=200809L $warnings -I. -DPAJEWRITE_DISABLE -c $dir/mixed.c -o $dir/mixed-off.o &&
        ${CC:-cc} -std=c99 -D_POSIX_C_SOURCE=200809L $warnings -I. -DPAJEWRITE_IMPLEMENTATION $dir/mixed.c $dir/mixed-off.o -o $dir/mixed &&
        $dir/mixed
}
tell 'compiled out and not, in one program' mixed

# ---- options that change a struct: files that differ in them do not link, and the message names the option

cat >$dir/user.c <<'END'
#include "pajewrite.h"
static char buffer[4096];
static pajewrite w;
int main(void)
{
    pajewrite_fields fields;
    pajewrite_variant variant = {40, PAJEWRITE_NEW_EVENT, 0};
    pajewrite_init(&w, buffer, sizeof buffer, NULL);
    fields = pajewrite_fields_of(variant);
    pajewrite_field_int(&fields, 1);
    return 0;
}
END
printf '#define PAJEWRITE_IMPLEMENTATION\n#include "pajewrite.h"\n' >$dir/implementation.c
# differ OPTION NAME_IN_MESSAGE [OPTIONS OF BOTH]
differ() {
    local log
    ${CC:-cc} -std=c99 -I. ${*:3} -c $dir/implementation.c -o $dir/implementation.o &&
        ${CC:-cc} -std=c99 -I. ${*:3} $dir/user.c $dir/implementation.o -o $dir/user || return 1
    if log=$(${CC:-cc} -std=c99 -I. ${*:3} "$1" $dir/user.c $dir/implementation.o -o $dir/user 2>&1); then
        echo "error: files with and without $1 are linked"
        return 1
    fi
    grep -q "undefined.*pajewrite_[a-z_0-9]*_$2" <<<"$log" || { echo "error: the message does not name $2"; return 1; }
}
ring='-DPAJEWRITE_RING=1 -DPAJEWRITE_NOW()=0'
tell 'options differ: fields' differ -DPAJEWRITE_FIELDS_SIZE=64 fields_size_64
tell 'options differ: doubles' differ -DPAJEWRITE_DOUBLE=0 double_0
tell 'options differ: table' differ -DPAJEWRITE_TABLE=0 table_0
tell 'options differ: kinds' differ -DPAJEWRITE_KINDS=31 kinds_11111
tell 'options differ: ring' differ -DPAJEWRITE_RING=1 ring_1
tell 'options differ: gaps of a ring' differ -DPAJEWRITE_GAPS=0 gaps_0 $ring
tell 'options differ: texts of a ring' differ -DPAJEWRITE_TEXTS=0 texts_0 $ring

# ---- kinds that PAJEWRITE_KINDS leaves out are refused by each call: no line has a number that the header does not define

cat >$dir/kinds.c <<'END'
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>

static const pajewrite_definition table[] = {
    PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_SET_STATE, PAJEWRITE_ROM_FIELD("Size int")),
    PAJEWRITE_ROM_VARIANT(41, PAJEWRITE_NEW_EVENT, PAJEWRITE_ROM_FIELD("Size int")),
    PAJEWRITE_ROM_VARIANT(42, PAJEWRITE_SET_VARIABLE, PAJEWRITE_ROM_FIELD("Size int")),
    PAJEWRITE_ROM_VARIANT(43, PAJEWRITE_START_LINK, PAJEWRITE_ROM_FIELD("Size int"))
};
static pajewrite w;

/* Writes an event by a variant of the table, whether that was defined or not. */
static void write_ints(uint32_t number, pajewrite_kind kind, pajewrite_type type)
{
    const pajewrite_variant variant = {number, kind, 1};
    const int64_t size = 5;
    pajewrite_event event = {0};
    event.kind = kind;
    event.container = event.other = PAJEWRITE_CONTAINER(1);
    event.type = type;
    event.value = PAJEWRITE_VALUE(kind != PAJEWRITE_SET_VARIABLE);
    event.time = PAJEWRITE_TIME_NOW;
    event.key = 2;
    pajewrite_write_ints(&w, &event, variant, &size, 1);
}

int main(void)
{
    static const pajewrite_type states = {2}, events = {3}, variables = {4}, links = {5};
    static const pajewrite_container one = {1};
    static const pajewrite_value value = {1};
    static char buffer[16384];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_track track;
    pajewrite_entered entered;
    config.sink = pajewrite_to_stream;
    config.sink_data = stdout;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_announce(&w, table, 4);
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(&w, states, PAJEWRITE_TYPE(1), "state");
    pajewrite_define_event_type(&w, events, PAJEWRITE_TYPE(1), "event");
    pajewrite_define_variable_type(&w, variables, PAJEWRITE_TYPE(1), "variable", NULL);
    pajewrite_define_link_type(&w, links, PAJEWRITE_TYPE(1), PAJEWRITE_TYPE(1), PAJEWRITE_TYPE(1), "link");
    pajewrite_create_container(&w, one, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "one");
    pajewrite_push_state(&w, one, states, value);
    pajewrite_pop_state_at(&w, pajewrite_now(&w), one, states);
    entered = pajewrite_enter(&w, one, states, value);
    pajewrite_leave(&entered);
    pajewrite_track_init(&track, &w, one, states);
    pajewrite_track_set_state(&track, value);
    pajewrite_new_event(&w, one, events, value);
    pajewrite_track_init(&track, &w, one, events);
    pajewrite_track_new_event_at(&track, pajewrite_now(&w), value);
    pajewrite_set_variable(&w, one, variables, 1);
    pajewrite_set_variable_double(&w, one, variables, 0.5);
    pajewrite_track_init(&track, &w, one, variables);
    pajewrite_track_set_variable(&track, 2);
    pajewrite_start_link(&w, one, links, value, one, 1);
    pajewrite_end_link_named(&w, one, links, value, one, "key");
    write_ints(40, PAJEWRITE_SET_STATE, states);
    write_ints(41, PAJEWRITE_NEW_EVENT, events);
    write_ints(42, PAJEWRITE_SET_VARIABLE, variables);
    write_ints(43, PAJEWRITE_START_LINK, links);
    return (int)pajewrite_finish(&w);
}
END
# left_out KINDS STATUS LINES
left_out() {
    local status=0
    ${CC:-cc} -std=gnu99 $warnings -I. -DPAJEWRITE_KINDS=$1 $dir/kinds.c -o $dir/kinds || return 1
    $dir/kinds >$dir/kinds.trace || status=$?
    awk -v lines="$3" '$1 == "%EventDef" { defined[$3] = 1 } /^[0-9]/ { n++; if (!defined[$1]) undefined++ }
        END { if (undefined || n != lines) { print "error: " n " lines, " undefined + 0 " undefined"; exit 1 } }' \
        $dir/kinds.trace || return 1
    [ $(((status != 0))) = $2 ] || { echo "error: status $status"; return 1; }
}
tell 'kinds left out: all but containers' left_out 0 1 2
tell 'kinds left out: all but states' left_out 1 1 9
tell 'kinds left out: all but events' left_out 2 1 6
tell 'kinds left out: all but variables' left_out 4 1 7
tell 'kinds left out: all but links' left_out 8 1 6
tell 'kinds left out: trace files' left_out 15 0 22

# ---- a CLOCK_MONOTONIC that stands still, as of a library that makes times up, is not waited for for ever

cat >$dir/still.c <<'END'
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>
#include <time.h>
static struct timespec now = {1000, 0};
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = now;
    return 0;
}
int main(void)
{
#ifdef PAJEWRITE_TSC
    static pajewrite_tsc clock;
    int i;
    pajewrite_tsc_init(&clock);
    for (i = 0; i < 3; i++) {
        const uint64_t time = pajewrite_tsc_now(&clock);
        if (time / 1000000000 != (uint64_t)now.tv_sec) {
            printf("error: %.9f s\n", (double)time * 1e-9);
            return 1;
        }
        now.tv_sec += 1000;
        clock.ticks -= UINT64_C(1) << 34; /* seconds later */
    }
#endif
    return 0;
}
END
tell 'a clock that stands still' bash -c "${CC:-cc} -std=gnu99 $warnings -I. $dir/still.c -o $dir/still && timeout 60 \
    $dir/still"

# sanitized NAME PROGRAM: compiles PROGRAM.c with the undefined-behaviour sanitizer of clang, and runs it
sanitized() {
    local name="$1, undefined-behaviour sanitizer of clang"
    compile_and_run() {
        clang -std=gnu99 $warnings -fsanitize=undefined -fno-sanitize-recover=all -I. "$1.c" -o "$1" && "$1"
    }
    if links clang -fsanitize=undefined; then
        tell "$name" compile_and_run "$2"
    else
        echo "SKIP write/$name: no clang (install clang)"
    fi
}

# ---- an offer that fails: its result, SIZE_MAX, is added to no address

cat >$dir/refusing.c <<'END'
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

static size_t refuse(void *data, const char *bytes, size_t size)
{
    (void)data, (void)bytes, (void)size;
    return PAJEWRITE_OFFER_FAILED;
}

int main(void)
{
    static char buffer[4096];
    static pajewrite w;
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.offer = refuse;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    return pajewrite_finish(&w) != PAJEWRITE_E_SINK;
}
END
sanitized 'an offer that fails' $dir/refusing

# ---- a path that the environment does not name, and an empty table of definitions

cat >$dir/nothing.c <<'END'
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

int main(void)
{
    static pajewrite_trace trace;
    pajewrite_blocks blocks;
    pajewrite_map map;
    pajewrite *w = pajewrite_open(&trace, NULL);
    pajewrite_announce(w, NULL, 0);
    return pajewrite_close(&trace) != PAJEWRITE_E_SINK || pajewrite_blocks_open(&blocks, NULL) != PAJEWRITE_E_SINK ||
        pajewrite_map_open(&map, NULL, 0) != PAJEWRITE_E_SINK;
}
END
sanitized 'a path and a table of NULL' $dir/nothing

# ---- other readers

make -s build/tests/write/write build/tests/write/faults build/tests/write/threads build/paje || exit 1
for seed in 1 2 $([ $FULL = 0 ] || echo 3 4 5); do
    build/tests/write/write --trace $seed >$dir/$seed.trace
    tell "paje validate --strict: trace $seed" build/paje validate --strict $dir/$seed.trace
    if has pj_dump; then
        tell "pj_dump: trace $seed" pj_dump $dir/$seed.trace
    else
        echo "SKIP write/pj_dump: trace $seed: no pj_dump (install pajeng)"
    fi
    if has vite; then
        sed '/^%EventDef PajeTraceFile/,/^%EndEventDef/d' $dir/$seed.trace >$dir/$seed.without # it does not know this
        # event
        tell "ViTE: trace $seed" tests/lib/vite.sh $dir/$seed.without
    else
        echo "SKIP write/ViTE: trace $seed: no vite (install vite)"
    fi
done

# ---- scopes

for pair in "${CC:-cc}:C" c++:C++; do
    compiler=${pair%:*} language=${pair#*:}
    if has $compiler; then
        $compiler -x ${language,,} -std=${language,,}$([ $language = C ] && echo 99 || echo 11) $warnings -I. \
            -include tests/lib/checked.h tests/write/scope.c -o $dir/scope && $dir/scope $language || failed=1
    else
        echo "SKIP write/scope in $language: no $compiler (install g++)"
    fi
done

# What is wrong does not compile, or warns: SOURCE in the body of a function.
cat >$dir/warned.h <<'END'
#include "pajewrite.h"
static pajewrite w;
void work(void);
void work(void)
{
    int i;
    for (i = 0; i < 3; i++)
END
# warned NAME MESSAGE SOURCE COMPILER...
warned() {
    local log
    { cat $dir/warned.h; echo "        { $3 }"; echo '}'; } >$dir/warned.c
    if log=$("${@:4}" -Wall -Werror -I. -c $dir/warned.c -o $dir/warned.o 2>&1); then
        echo "error: it compiles"
        return 1
    fi
    grep -qE "$2" <<<"$log" || { echo "error: $(grep -m1 error <<<"$log")"; return 1; }
}
at='&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1)'
for command in gcc clang g++ clang++; do
    has $command || continue # SKIP is printed above
    language='-x c -std=c99'
    [[ $command != *++ ]] || language='-x c++ -std=c++11'
    for off in '' -DPAJEWRITE_DISABLE; do
        tell "scope that is fine: $command $off" eval "! warned x . 'PAJEWRITE_SCOPE($at);' $command $language $off >/dev/null"
        tell "scope as a block: $command $off" warned x 'expected' "PAJEWRITE_SCOPE($at) { break; }" $command $language $off
        tell "scope whose variable was forgotten: $command $off" \
            warned x 'unused' "pajewrite_enter($at);" $command $language $off
        [[ $command != *++ ]] || tell "scope without a name: $command $off" \
            warned x 'unused|nodiscard|ignoring' "pajewrite_scope($at);" $command $language $off
    done
    zones="$language -D_POSIX_C_SOURCE=200809L -DPAJEWRITE_ZONES=1"
    tell "zone that is fine: $command" eval "! warned x . '(void)&w; PAJEWRITE_ZONE(__func__);' $command $zones >/dev/null"
    for macro in ZONE MARK; do # a place keeps its first name
        tell "$macro whose name is no constant: $command" warned x 'constant' \
            "(void)&w; const char *name = i ? \"a\" : \"b\"; PAJEWRITE_$macro(name);" $command $zones
    done
done

# A file in which calls are compiled out leaves the scopes of others as they are, in any order of linking.
cat >$dir/scopes-off.cpp <<'END'
#define PAJEWRITE_DISABLE
#include "pajewrite.h"
void work(pajewrite *w);
void work(pajewrite *w) { PAJEWRITE_SCOPE(w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(2)); }
END
cat >$dir/scopes-on.cpp <<'END'
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
void work(pajewrite *w);
static pajewrite_trace trace;
int main(int, char **arguments)
{
    pajewrite *w = pajewrite_open(&trace, arguments[1]);
    {
        PAJEWRITE_SCOPE(w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
        work(w);
    }
    return pajewrite_close(&trace) != PAJEWRITE_OK;
}
END
mixed_scopes() {
    $1 -std=c++11 -O0 $warnings -I. $2 $3 -o $dir/scopes && $dir/scopes $dir/scopes.trace &&
        [ "$(sed -n 's/^\(19\|20\) [^ ]* //p' $dir/scopes.trace | tr '\n' ';')" = '1 1 1;1 1;' ] ||
        { echo "error: $(grep '^[12]' $dir/scopes.trace | tr '\n' ';')"; return 1; }
}
for command in g++ clang++; do
    has $command || continue # SKIP is printed above
    tell "scopes compiled out in the first file: $command" mixed_scopes $command $dir/scopes-off.cpp $dir/scopes-on.cpp
    tell "scopes compiled out in the second file: $command" mixed_scopes $command $dir/scopes-on.cpp $dir/scopes-off.cpp
done

# ---- a signal at every instruction

if ${CC:-cc} -std=c99 -O2 $warnings -I. tests/write/steps.c -o $dir/steps; then
    for sink in offer flush; do
        $dir/steps $sink $([ $FULL = 0 ] && echo 15 || echo 60) >$dir/steps.trace 2>/dev/null
        case $? in
        0) tell "a signal at every instruction: $sink" build/paje validate --strict $dir/steps.trace ;;
        77) echo "SKIP write/a signal at every instruction: needs the trap flag of x86-64" ;;
        *) tell "a signal at every instruction: $sink" false ;;
        esac
    done
else
    tell 'a signal at every instruction' false
fi

if ${CC:-cc} -std=c99 -O2 $warnings -I. tests/write/forks.c -o $dir/forks -pthread; then
    $dir/forks $dir/forks.trace
    case $? in
    0) ;;
    77) echo "SKIP write/forks: needs the trap flag of x86-64" ;;
    *) failed=1 ;;
    esac
else
    tell 'forks' false
fi

# ---- faults, and a full disk: a small one of our own, if we may mount it

build/tests/write/faults || failed=1
disk='mount -t tmpfs -o size=300k none "$1" && exec build/tests/write/faults --full-disk "$1"'
mkdir -p $dir/disk
for as in 'unshare -m' 'unshare -rm'; do
    if $as sh -c 'mount -t tmpfs none "$1"' mount $dir/disk 2>/dev/null; then
        $as sh -c "$disk" mount $dir/disk || failed=1
        break
    fi
done

# ---- files in blocks

make -s build/tests/write/blocks || exit 1
mkdir -p $dir/blocks
build/tests/write/blocks $dir/blocks || failed=1
merged() { build/paje merge -o $dir/blocks/merged.trace $dir/blocks/threads.trace && build/paje validate --strict $dir/blocks/merged.trace; }
tell 'blocks: merged, it is strictly valid' merged
emulator=
works $(narrow gcc) -march=i486 2>/dev/null || emulator=qemu-i386 # kernels may run no 32-bit programs
if links $(narrow gcc) -march=i486 && $emulator $dir/works 2>/dev/null; then # which has no atomic access to 64 bits
    $(narrow gcc) -march=i486 -std=c99 -O1 $warnings -I. tests/write/offsets.c -o $dir/offsets &&
        $emulator $dir/offsets $dir/blocks/offsets.trace || failed=1
else
    echo 'SKIP write/blocks: the end of 32-bit offsets: no 32-bit programs run (install gcc-i686-linux-gnu qemu-user)'
fi

# ---- signals, cancelled threads, short writes, full pipes; the order of stores, also on machines of weak order

make -s build/tests/write/disturbed build/tests/write/order build/tests/write/limits || exit 1
build/tests/write/limits || failed=1
build/tests/write/disturbed || failed=1
build/tests/write/order || failed=1
weak_machines() {
    local pair target emulator barrier standard
    for pair in arm-linux-gnueabihf:arm:dmb powerpc64-linux-gnu:ppc64:lwsync; do
        IFS=: read -r target emulator barrier <<<"$pair"
        if has $target-gcc && has qemu-$emulator; then
            weak() {
                $target-gcc -static -std=c99 -O2 -I. tests/write/disturbed.c -o $dir/weak -pthread &&
                    qemu-$emulator $dir/weak --recorder &&
                    $target-objdump -d $dir/weak | awk -v barrier=$barrier '/^[0-9a-f]+ </ {
                            writes = /<\.?pajewrite_push_state>:/
                            reads = /<\.?pajewrite(__text_size|__find_texts|__dump_[a-z]+|_flight_dump)>:/
                        }
                        $0 ~ barrier { of_writer += writes; of_reader += reads }
                        END { exit of_writer < 2 || of_reader < 6 }'
            }
            tell "flight recorder dumped by another thread: $emulator" weak
        else
            echo "SKIP write/flight recorder dumped by another thread: $emulator: no compiler or emulator (install gcc-$target qemu-user)"
        fi
    done
    # Atomic access by C11, and by volatile: what compilers other than GCC and Clang use.
    for standard in c11 c99; do
        other() {
            ${CC:-cc} -std=$standard $warnings -U__GCC_ATOMIC_INT_LOCK_FREE -O2 -I. -c $dir/implementation.c -o $dir/other.o &&
                ${CC:-cc} -std=$standard -U__GCC_ATOMIC_INT_LOCK_FREE -O2 -I. tests/write/disturbed.c -o $dir/other -pthread &&
                $dir/other --recorder
        }
        tell "atomic access without builtins: $standard" other
    done
    if works "${CC:-cc}" -fsanitize=address,undefined; then # where memory that was freed is noticed
        ${CC:-cc} -std=c99 -g1 -Og -fsanitize=address,undefined -DREADER_IS_LINKED -I. tests/write/disturbed.c $dir/reader.o \
            -o $dir/disturbed -pthread &&
            $dir/disturbed | sed 's,write/,write/address sanitizer: ,'
        [ ${PIPESTATUS[0]} = 0 ] || failed=1
    else
        echo 'SKIP write/address sanitizer: it makes no such programs (install libasan8)'
    fi
}
if [ $FULL != 0 ]; then # with sanitizers for the writer, but not for the reader, which takes as long to compile
    ${CC:-cc} -std=c99 -O1 -I. -c tests/lib/implementation.c -o $dir/reader.o || failed=1
    weak_machines
fi

# ---- a C library that does not define _POSIX_C_SOURCE

posix_by_default() {
    cat >$dir/posix.c <<'END'
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
PAJEWRITE_MAIN("build/tests/writing/posix.trace");
int main(void)
{
    static pajewrite_trace trace;
    PAJEWRITE_ZONE("zone");
    return pajewrite_close((pajewrite_open(&trace, "/dev/null"), &trace)) != PAJEWRITE_OK;
}
END
    musl-gcc $warnings -I. $dir/posix.c -o $dir/posix -static -pthread && $dir/posix &&
        build/paje validate --strict $dir/posix.trace
}
if has musl-gcc; then
    tell 'musl, without a macro for POSIX' posix_by_default
else
    echo 'SKIP write/musl: there is no compiler for it (install musl-tools)'
fi

# ---- a library that is unloaded takes its handlers of signals with it

unloaded() {
    mkdir -p $dir/plugin
    cat >$dir/plugin/plugin.c <<'END'
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
int work(void)
{
    static pajewrite_trace trace;
    pajewrite_open(&trace, "/dev/null");
    pajewrite_flush_at_signals();
    return pajewrite_close(&trace);
}
END
    cat >$dir/plugin/host.c <<'END'
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
static sigjmp_buf back;
static void recover(int number) { siglongjmp(back, number); }
int main(int count, char **arguments)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    volatile size_t i;
    int (*work)(void);
    void *library = dlopen(arguments[count - 1], RTLD_NOW), *symbol = library ? dlsym(library, "work") : NULL;
    memcpy(&work, &symbol, sizeof symbol);
    for (i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], recover);
    if (!symbol || work() || dlclose(library))
        return 1;
    for (i = 0; i < sizeof faults / sizeof *faults; i++)
        if (!sigsetjmp(back, 1))
            raise(faults[i]);
    raise(SIGTERM);
    return 2;
}
END
    ${CC:-cc} -std=c99 -shared -fPIC -I. $dir/plugin/plugin.c -o $dir/plugin/plugin.so -pthread &&
        ${CC:-cc} -std=c99 $dir/plugin/host.c -o $dir/plugin/host -ldl || return
    $dir/plugin/host $dir/plugin/plugin.so
    [ $? = 143 ]
}
tell 'a library that is unloaded takes its handlers of signals with it' unloaded

# ---- handlers of signals on a stack of 8 KB, of which the system and lazy binding take 6 where registers are wide

small_stack() {
    cat >$dir/small_stack.c <<'END'
#define _GNU_SOURCE
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdlib.h>
#include <sys/mman.h>
PAJEWRITE_MAIN("build/tests/writing/small_stack.trace");
static void handle(int number) { _exit(number); }
int main(int count, char **arguments)
{
    enum { PAGE = 4096, SIZE = 8192 };
    char *memory = (char *)mmap(NULL, PAGE + SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack;
    struct sigaction action;
    memset(&stack, 0, sizeof stack);
    memset(&action, 0, sizeof action);
    stack.ss_sp = memory + PAGE;
    stack.ss_size = SIZE;
    if (count < 2 || memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE))
        return 1;
    if (sigaltstack(&stack, NULL))
        return 77; /* the system takes more */
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGABRT, &action, NULL);
    pajewrite_flush_at_signals();
    PAJEWRITE_MARK("mark");
    raise(atoi(arguments[1]));
    return 2;
}
END
    for level in -O0 -O2; do
        ${CC:-cc} $warnings -std=gnu99 $level -Wl,-z,lazy -I. $dir/small_stack.c -o $dir/small_stack -pthread || return
        for signal in 6 11 15; do
            $dir/small_stack $signal
            status=$?
            [ $status != 77 ] || return 0
            [ $status = $((signal == 6 ? 6 : 128 + signal)) ] || return
            [ "$(build/paje dump build/tests/writing/small_stack.trace | grep -c ^Event)" = 1 ] || return
        done
    done
}
tell 'handlers of signals on a small stack' small_stack

small_stack_dump() {
    cat >$dir/small_stack_dump.c <<'END'
#define _GNU_SOURCE
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
static char memory[1 << 16];
static pajewrite_file file;
static void handle(int number)
{
    (void)number;
    _exit(pajewrite_flight_dump(memory, sizeof memory, 0, NULL, 0, pajewrite_to_file, &file) != PAJEWRITE_OK);
}
int main(void)
{
    enum { PAGE = 4096, SIZE = 8192, ROUNDS = 2000 };
    static pajewrite w;
    static pajewrite_entry table[64];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_type thread = PAJEWRITE_TYPE(1), variable = PAJEWRITE_TYPE(2);
    char *pages = (char *)mmap(NULL, PAGE + SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack;
    struct sigaction action;
    int round;
    memset(&stack, 0, sizeof stack);
    memset(&action, 0, sizeof action);
    stack.ss_sp = pages + PAGE;
    stack.ss_size = SIZE;
    if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) ||
        pajewrite_file_init(&file, open("build/tests/writing/small_stack_dump.trace", O_CREAT | O_TRUNC | O_WRONLY, 0666)))
        return 2;
    if (sigaltstack(&stack, NULL))
        return 77; /* the system takes more */
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    if (pajewrite_init(&w, memory, sizeof memory, &config))
        return 2;
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_variable_type(&w, variable, thread, "Round", NULL);
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), thread, PAJEWRITE_ROOT, "main");
    for (round = 0; round < ROUNDS; round++)
        pajewrite_set_variable(&w, PAJEWRITE_CONTAINER(1), variable, round);
    raise(SIGSEGV);
    return 2;
}
END
    for level in -O0 -O2; do
        ${CC:-cc} $warnings -std=gnu99 $level -Wl,-z,lazy -I. $dir/small_stack_dump.c -o $dir/small_stack_dump || return
        $dir/small_stack_dump
        status=$?
        [ $status != 77 ] || return 0
        [ $status = 0 ] && build/paje validate --strict build/tests/writing/small_stack_dump.trace >/dev/null || return
    done
}
tell 'a flight recorder is dumped on a small stack' small_stack_dump

# ---- the first process of a PID namespace goes on after signals: so do its traces

first_process() {
    cat >$dir/first.c <<'END'
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdlib.h>
PAJEWRITE_MAIN("build/tests/writing/first.zones.trace");
static void write_all(pajewrite *w)
{
    static const int numbers[] = {0, SIGTERM, SIGINT, SIGTERM, SIGABRT, SIGSEGV};
    pajewrite_type type = PAJEWRITE_TYPE(1), event = PAJEWRITE_TYPE(2);
    size_t i;
    pajewrite_define_container_type(w, type, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_event_type(w, event, type, "Event");
    pajewrite_define_value(w, PAJEWRITE_VALUE(1), event, "event", NULL);
    pajewrite_create_container(w, PAJEWRITE_CONTAINER(1), type, PAJEWRITE_ROOT, "thread");
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        kill(getpid(), numbers[i]);
        PAJEWRITE_MARK("mark");
        pajewrite_new_event(w, PAJEWRITE_CONTAINER(1), event, PAJEWRITE_VALUE(1));
    }
}
int main(int count, char **arguments)
{
    static pajewrite_trace trace;
    (void)arguments;
    pajewrite_flush_at_signals();
    write_all(pajewrite_open(&trace, "build/tests/writing/first.trace"));
    if (count > 1)
        abort();
    return pajewrite_close(&trace) != PAJEWRITE_OK || getpid() != 1;
}
END
    ${CC:-cc} $warnings -std=gnu99 -I. $dir/first.c -o $dir/first -pthread || return
    for way in '' abort; do
        if (timeout 60 $as $dir/first $way; exit $?) 2>/dev/null; then [ ! "$way" ]; else [ "$way" ]; fi || return
        for trace in $dir/first.trace $dir/first.zones.trace; do
            [ "$(build/paje dump $trace | grep -c ^Event)" = 6 ] || return
        done
    done
}
for as in 'unshare -pf' 'unshare -rpf'; do
    ! $as true 2>/dev/null || break
    as=
done
if [ "$as" ]; then
    tell 'signals that the first process of a container ignores' first_process
else
    echo 'SKIP write/signals that the first process of a container ignores: unshare may not make one'
fi

# ---- threads

build/tests/write/threads $((FULL ? 3000000 : 1000000)) || failed=1

# ---- all of it under sanitizers, which is slow to compile

[ $FULL != 0 ] || exit $failed # fuzz.sh runs under sanitizers, too
if works "${CC:-cc}" -fsanitize=thread; then
    ${CC:-cc} -std=c99 -g1 -O2 -fsanitize=thread -I. tests/write/threads.c -o $dir/threads &&
        TSAN_OPTIONS=halt_on_error=1 $dir/threads 2000000 'write-threads, thread sanitizer' || failed=1
else
    echo 'SKIP write-threads, thread sanitizer: it makes no such programs (install libtsan2)'
fi
if works "${CC:-cc}" -fsanitize=address,undefined; then
    sanitized="${CC:-cc} -std=c99 -g1 -Og -fsanitize=address,undefined -fno-sanitize-recover=all -include tests/lib/checked.h -DREADER_IS_LINKED -I. -o $dir/sanitized $dir/reader.o"
    for check in 1 0; do
        $sanitized -DPAJEWRITE_CHECK=$check tests/write/write.c
        tell "address and undefined behaviour sanitizers, PAJEWRITE_CHECK=$check" $dir/sanitized
    done
    $sanitized tests/write/faults.c
    tell 'address and undefined behaviour sanitizers, faults' $dir/sanitized
else
    echo 'SKIP write/address and undefined behaviour sanitizers: it makes no such programs (install libasan8)'
fi
exit $failed
