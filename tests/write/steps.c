/* A signal at every instruction of the writer, by the trap flag of x86: the handler writes to the context that it
 * interrupts.  Prints the trace, which has to be strictly valid; the sink takes nothing for a while, so that there are
 * gaps, too.
 * usage: steps offer | flush CALLS */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
enum { THREAD = 1, STATE, GAUGE, MARK };
static const pajewrite_container me = {1};
static char taken[1 << 24], buffer[4000];
static size_t size;
static uint64_t ticks, offers;
static long calls, interrupted;
static pajewrite w;
static pajewrite_entry table[64];

static uint64_t tick(void *data)
{
    (void)data;
    return __atomic_add_fetch(&ticks, 1, __ATOMIC_RELAXED);
}

static pajewrite_status take(void *data, const char *bytes, size_t count)
{
    (void)data;
    if (count > sizeof taken - size)
        return PAJEWRITE_E_SINK;
    memcpy(taken + size, bytes, count);
    size += count;
    return PAJEWRITE_OK;
}

/* Takes nothing three times of four. */
static size_t offer(void *data, const char *bytes, size_t count)
{
    if (++offers % 4)
        return 0;
    return take(data, bytes, count) ? PAJEWRITE_OFFER_FAILED : count;
}

static void write_some(long number)
{
    pajewrite_set_state(&w, me, PAJEWRITE_TYPE(STATE), PAJEWRITE_VALUE(1 + number % 2));
    pajewrite_set_variable(&w, me, PAJEWRITE_TYPE(GAUGE), number);
    pajewrite_set_variable_double(&w, me, PAJEWRITE_TYPE(GAUGE), (double)number / 2);
    pajewrite_new_event(&w, me, PAJEWRITE_TYPE(MARK), PAJEWRITE_VALUE(3));
    calls += 4;
}

static void on_step(int number)
{
    (void)number;
    interrupted++;
    write_some(interrupted % 1000);
}

static void step(int on)
{
    const unsigned long long flag = 0x100, flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | flag : flags & ~flag);
}

int main(int argc, char **argv)
{
    struct sigaction action;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_counts counts;
    const int offers_lines = argc > 1 && strcmp(argv[1], "offer") == 0;
    const long rounds = argc > 2 ? atol(argv[2]) : 60;
    long i;
    if (offers_lines)
        config.offer = offer;
    else
        config.sink = take;
    config.clock = tick;
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(THREAD), PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, PAJEWRITE_TYPE(STATE), PAJEWRITE_TYPE(THREAD), "State");
    pajewrite_define_variable_type(&w, PAJEWRITE_TYPE(GAUGE), PAJEWRITE_TYPE(THREAD), "Gauge", NULL);
    pajewrite_define_event_type(&w, PAJEWRITE_TYPE(MARK), PAJEWRITE_TYPE(THREAD), "Mark");
    for (i = 1; i <= 3; i++)
        pajewrite_define_value(&w, PAJEWRITE_VALUE(i), PAJEWRITE_TYPE(i < 3 ? STATE : MARK), i < 3 ? "s" : "m", NULL);
    pajewrite_create_container(&w, me, PAJEWRITE_TYPE(THREAD), PAJEWRITE_ROOT, "main");
    memset(&action, 0, sizeof action);
    action.sa_handler = on_step;
    sigaction(SIGTRAP, &action, NULL);
    for (i = 0; i < rounds; i++) {
        step(1);
        write_some(i);
        if (i % 10 == 0)
            pajewrite_flush(&w);
        step(0);
    }
    for (i = 0; i < 4; i++) /* one of these is taken */
        pajewrite_flush(&w);
    pajewrite_finish(&w);
    counts = pajewrite_count(&w);
    fwrite(taken, 1, size, stdout);
    fprintf(stderr, "%ld interrupted, %ld calls, %llu written, %llu dropped\n", interrupted, calls,
            (unsigned long long)counts.written, (unsigned long long)counts.dropped);
    return interrupted < 1000 || (long)(counts.written + counts.dropped) < calls ||
           pajewrite_get_status(&w) != PAJEWRITE_OK;
}
#else
int main(void) { return 77; }
#endif
