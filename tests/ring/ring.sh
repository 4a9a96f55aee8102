#!/bin/bash
# The ring of pajewrite.h with clocks and options of all kinds, and that it compiles for microcontrollers.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/rings
mkdir -p $dir
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Werror'
checked='-include tests/lib/checked.h'
failed=0
has() { command -v "$1" >/dev/null; }

# run HZ DECIMALS OPTIONS...: tests/ring/ring.c and linear.c, with a clock of HZ ticks a second
run() {
    local options="-std=c99 $warnings $checked -I. -DPAJEWRITE_HZ=$1 -DDECIMALS=$2 ${*:3}" compiler=${CC:-cc} log
    if ! log=$({ $compiler $options -c tests/ring/linear.c -o $dir/linear.o &&
        $compiler $options -c tests/ring/ring.c -o $dir/ring.o &&
        $compiler $options $dir/linear.o $dir/ring.o -o $dir/ring; } 2>&1); then
        echo "FAIL ring/$1.$2 compiles ${*:3}: $(grep -m1 -E 'error|warning' <<<"$log")"
        failed=1
    else
        timeout 300 $dir/ring || failed=1
    fi
}
sanitizers='-g1 -Og -fsanitize=address,undefined,alignment -fno-sanitize-recover=all'
works() { echo 'int main(void) { return 0; }' | "$@" -x c - -o $dir/works 2>/dev/null && $dir/works; }
works ${CC:-cc} $sanitizers || sanitizers=
if [ "${FULL:-}" ]; then
    run 1000000000 9 ${sanitizers:--O1}
    [ "$sanitizers" ] || echo "SKIP ring/sanitizers: ${CC:-cc} has none (install libasan8 libubsan1)"
fi
run 1000 3 -O2
run 32768 6 -O1
run 25000000 9 -O1
run 1000 3 -O1 -DPAJEWRITE_GAPS=0
if [ "${FULL:-}" ]; then
    run 1000000 6 -O2
    run 1 0 -Os
    run 48000000 9 -O1
    run 1999999999 9 -O1
    run 1000000000 9 -O2 -DDOUBLES | sed 's/ring\/[0-9.]*/& doubles:/'
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
fi

# ---- a translation unit for each architecture, with its predefined macros

cat >$dir/unit.c <<'END'
#include <stdint.h>
extern volatile uint32_t counter;
#if !defined(PAJEWRITE_SYSTICK) && !defined(PAJEWRITE_DWT)
#define PAJEWRITE_NOW() counter
#endif
#define PAJEWRITE_RING 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
typedef char context_of_64_bytes[sizeof(void *) > 4 || sizeof(pajewrite) <= 64 ? 1 : -1];
extern const pajewrite_definition table[];
const pajewrite_definition table[] PAJEWRITE_ROM = {
    PAJEWRITE_ROM_CONTAINER_TYPE(1, 0, "Task"),
    PAJEWRITE_ROM_STATE_TYPE(2, 1, "State"),
    PAJEWRITE_ROM_VALUE(3, 2, "running", "33cc33"),
    PAJEWRITE_ROM_LINK_TYPE(4, 1, 1, 1, "Message"),
    PAJEWRITE_ROM_CONTAINER(1, 1, 0, "main"),
    PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int"))
};
END
# unit PACKAGE COMPILER OPTIONS...
unit() {
    local log
    if ! has "$2"; then
        echo "SKIP ring/compiles: ${*:2}: no $2 (install $1)"
    elif log=$("$2" $warnings -Os "${@:3}" -I. -c $dir/unit.c -o $dir/unit.o 2>&1); then
        echo "PASS ring/compiles: ${*:2}"
    else
        echo "FAIL ring/compiles: ${*:2}: $(grep -m1 -E 'error|warning' <<<"$log")"
        failed=1
    fi
}
for cpu in cortex-m0 cortex-m3 cortex-m4; do
    unit gcc-arm-none-eabi arm-none-eabi-gcc -std=c99 -mthumb -mcpu=$cpu
done
unit gcc-arm-none-eabi arm-none-eabi-gcc -std=c99 -mthumb -mcpu=cortex-m0 -DPAJEWRITE_SYSTICK
unit gcc-arm-none-eabi arm-none-eabi-gcc -std=c99 -mthumb -mcpu=cortex-m3 -DPAJEWRITE_DWT -DPAJEWRITE_BASEPRI=64
unit gcc-arm-none-eabi arm-none-eabi-gcc -std=c99 -mthumb -mcpu=cortex-m4 -DPAJEWRITE_DOUBLE=1
unit gcc-avr avr-gcc -std=c99 -mmcu=atmega328p
unit gcc-riscv64-unknown-elf riscv64-unknown-elf-gcc -std=c99 -march=rv32imac -misa-spec=2.2 -mabi=ilp32 \
    --specs=picolibc.specs
unit gcc-powerpc64-linux-gnu powerpc64-linux-gnu-gcc -std=c99
unit g++ g++ -x c++ -std=c++11
# A program may have macros called as parts of what the header pastes together.
unit gcc "${CC:-cc}" -std=c99 -DPAJEWRITE_DOUBLE=1 -DPAJEWRITE_KINDS=31 \
    -D{TYPE,VALUE,LINK_TYPE,CREATE,VARIANT,HEADER,GAP}=1 \
    -D{STATE,END,LINK,NAMED_LINK,VARIABLE,TEXT,SET_STATE,PUSH_STATE,POP_STATE,NEW_EVENT,SET_VARIABLE,START_LINK}=1
unit clang clang -std=c99
unit clang clang++ -x c++ -std=c++11 -DPAJEWRITE_DOUBLE=1

# ---- and the linear writer without a table

tell() {
    local log
    if log=$("${@:2}" 2>&1); then
        echo "PASS ring/$1"
    else
        echo "FAIL ring/$1: $(grep -m1 -E 'error|warning' <<<"$log")"
        failed=1
    fi
}
printf '#define PAJEWRITE_IMPLEMENTATION\n#include "pajewrite.h"\n' >$dir/alone.c
for options in -DPAJEWRITE_TABLE=0 '-DPAJEWRITE_TABLE=0 -DPAJEWRITE_DOUBLE=0' -DPAJEWRITE_KINDS=PAJEWRITE_STATES \
    '-DPAJEWRITE_DISABLE -DPAJEWRITE_RING=1' \
    '-DPAJEWRITE_RING=1 -DPAJEWRITE_NOW()=0 -DPAJEWRITE_KINDS=1 -DPAJEWRITE_DOUBLE=1 -DPAJEWRITE_FIELDS_SIZE=0'; do
    tell "compiles: $options" ${CC:-cc} -std=c99 $warnings -O${FULL:+2} $options -I. -c $dir/alone.c -o $dir/alone.o
done
for option in DOUBLE=1 FIELDS_SIZE=32; do
    tell "refused: PAJEWRITE_TEXTS 0 with PAJEWRITE_$option" bash -c "${CC:-cc} -std=c99 -DPAJEWRITE_RING=1 \
        '-DPAJEWRITE_NOW()=0' -DPAJEWRITE_TEXTS=0 -DPAJEWRITE_$option -I. -fsyntax-only $dir/alone.c 2>&1 |
        grep 'are texts in a ring'"
done
# What PAJEWRITE_KINDS leaves out has no line in a ring: calls are refused, and entries of tables do not compile.
cat >$dir/left_out.c <<'END'
#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() 0
#define PAJEWRITE_DOUBLE 1
#define PAJEWRITE_KINDS 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
static const pajewrite_definition table[] = {
    PAJEWRITE_ROM_CONTAINER_TYPE(1, 0, "Task"), PAJEWRITE_ROM_STATE_TYPE(2, 1, "State"),
#ifdef ENTRY
    ENTRY,
#endif
    PAJEWRITE_ROM_VALUE(1, 2, "run", "33cc33"), PAJEWRITE_ROM_CONTAINER(1, 1, 0, "main")
};
int main(void)
{
    static char ring[512];
    static pajewrite w;
    const pajewrite_container task = PAJEWRITE_CONTAINER(1);
    const pajewrite_type type = PAJEWRITE_TYPE(3);
    const pajewrite_value value = PAJEWRITE_VALUE(1);
    uint32_t before;
    if (pajewrite_init(&w, ring, sizeof ring, NULL))
        return 1;
    pajewrite_announce(&w, table, sizeof table / sizeof *table);
    while (pajewrite_next_byte(&w) >= 0)
        ;
    before = w.head;
    pajewrite_define_event_type(&w, type, type, "e");
    pajewrite_define_variable_type(&w, type, type, "v", NULL);
    pajewrite_define_link_type(&w, type, type, type, type, "l");
    pajewrite_new_event(&w, task, type, value);
    pajewrite_set_variable(&w, task, type, 1);
    pajewrite_add_variable_at(&w, 1, task, type, 1);
    pajewrite_set_variable_double(&w, task, type, 0.5);
    pajewrite_start_link(&w, task, type, value, task, 1);
    pajewrite_end_link_named_at(&w, 1, task, type, value, task, "key");
    if (w.head != before || pajewrite_count(&w).dropped != 9 || pajewrite_get_status(&w) != PAJEWRITE_E_KIND)
        return 1;
    pajewrite_set_state(&w, task, PAJEWRITE_TYPE(2), value);
    return w.head == before;
}
END
tell 'kinds that are left out are refused' bash -c "${CC:-cc} -std=c99 $warnings -I. $dir/left_out.c \
    -o $dir/left_out && $dir/left_out"
for entry in 'EVENT_TYPE(3,1,"e")' 'VARIABLE_TYPE(3,1,"v","1 0 0")' 'LINK_TYPE(3,0,1,1,"l")' \
    'VARIANT(40,PAJEWRITE_NEW_EVENT,PAJEWRITE_ROM_FIELD("Size int"))' \
    'VARIANT(40,PAJEWRITE_END_LINK,PAJEWRITE_ROM_FIELD("Size int"))'; do
    tell "an entry that is left out: $entry" bash -c "${CC:-cc} -std=c99 -I. '-DENTRY=PAJEWRITE_ROM_$entry' \
        -fsyntax-only $dir/left_out.c 2>&1 | grep negative"
done
cat >$dir/no_states.c <<'END'
#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() 0
#define PAJEWRITE_KINDS 14
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
int main(void)
{
    static char ring[96];
    static pajewrite w;
    if (pajewrite_init(&w, ring, sizeof ring, NULL))
        return 1;
    {
        PAJEWRITE_SCOPE(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
    }
    return w.head != 0 || pajewrite_count(&w).dropped != 1 || pajewrite_get_status(&w) != PAJEWRITE_E_KIND;
}
END
tell 'the scope of a state is refused where states are left out' bash -c "${CC:-cc} -std=c99 $warnings -I. \
    $dir/no_states.c -o $dir/no_states && $dir/no_states"
kinds='PAJEWRITE_STATES | PAJEWRITE_LINKS'
cat >$dir/kinds.c <<END
#define PAJEWRITE_KINDS $kinds
#include "pajewrite.h"
typedef char right[PAJEWRITE__HAS_STATES == 1 && !PAJEWRITE__HAS_EVENTS && !PAJEWRITE__HAS_VARIABLES &&
                   PAJEWRITE__HAS_LINKS == 1 && !PAJEWRITE__HAS_FILES ? 1 : -1];
END
tell "PAJEWRITE_KINDS $kinds" ${CC:-cc} -std=c99 $warnings -I. -fsyntax-only $dir/kinds.c

# The rate of the clock, decimals and segments may be expressions, too.
cat >$dir/rate.c <<'END'
#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() (UINT64_C(3) * 250000 + 62500)
#define PAJEWRITE_HZ 16000000 / 64
#define PAJEWRITE_DECIMALS 3 + 3
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
int main(void)
{
    static const char expected[] = "18 3.250000 1 2 3\n";
    static char ring[128], text[100];
    static pajewrite w;
    pajewrite_init(&w, ring, sizeof ring, NULL);
    pajewrite_set_state(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(2), PAJEWRITE_VALUE(3));
    return pajewrite_read(&w, text, sizeof text) != sizeof expected - 1 || memcmp(text, expected, sizeof expected - 1);
}
END
tell 'PAJEWRITE_HZ 16000000 / 64' bash -c "${CC:-cc} -std=c99 $warnings $checked -I. $dir/rate.c -o $dir/rate && $dir/rate"
cat >$dir/segments.c <<'END'
#define PAJEWRITE_SEGMENTS 2 + 2
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
static char memory[8192];
static pajewrite_status to_nothing(void *data, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)data += size;
    return PAJEWRITE_OK;
}
static uint64_t now(void *data) { return ++*(uint64_t *)data; }
int main(void)
{
    static pajewrite_entry table[16];
    static pajewrite w;
    static uint64_t time;
    size_t size = 0;
    int i;
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.clock = now;
    config.clock_data = &time;
    config.table = table;
    config.table_entries = 16;
    config.definitions_size = 2048;
    pajewrite_init(&w, memory, sizeof memory, &config);
    pajewrite_header(&w);
    for (i = 0; i < 1000; i++)
        pajewrite_set_state(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(2), PAJEWRITE_VALUE(3));
    return pajewrite_get_status(&w) ||
           pajewrite_flight_dump(memory, sizeof memory, 0, NULL, 0, to_nothing, &size) || size < 5000;
}
END
tell 'PAJEWRITE_SEGMENTS 2 + 2' bash -c "${CC:-cc} -std=c99 $warnings $checked -I. $dir/segments.c -o $dir/segments &&
    $dir/segments"
for number in 1 65; do
    sed "s/SEGMENTS 2 + 2/SEGMENTS $number/" $dir/segments.c >$dir/refused.c
    tell "PAJEWRITE_SEGMENTS $number is refused" bash -c "${CC:-cc} -std=c99 -I. -c -o /dev/null $dir/refused.c 2>&1 |
        grep -q PAJEWRITE_SEGMENTS_is_2_to_64"
done

cat >$dir/left_out.c <<'END'
#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() 0
#define PAJEWRITE_KINDS (PAJEWRITE_STATES | PAJEWRITE_LINKS)
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
int main(void)
{
    static char ring[1000], text[100];
    static pajewrite w;
    uint32_t kind, wrong = 0;
    for (kind = 0; kind < 64; kind++) {
        pajewrite_event event = {0};
        int is_there = (kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_RESET_STATE) || kind == PAJEWRITE_START_LINK ||
                       kind == PAJEWRITE_END_LINK;
        event.kind = (pajewrite_kind)kind;
        pajewrite_init(&w, ring, sizeof ring, NULL);
        pajewrite_write(&w, &event, NULL);
        wrong += (pajewrite_get_status(&w) == PAJEWRITE_OK) != is_there;
        wrong += (pajewrite_read(&w, text, sizeof text) != 0) != is_there;
    }
    return wrong != 0;
}
END
tell 'kinds that are left out are refused' bash -c \
    "${CC:-cc} -std=c99 $warnings -I. $dir/left_out.c -o $dir/left_out && $dir/left_out"

# ---- processes that are killed: 1000 times, if FULL is set

make -s build/tests/ring/killed && build/tests/ring/killed "${FULL:+1000}" || failed=1
exit $failed
