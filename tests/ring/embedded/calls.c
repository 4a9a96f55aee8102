/* Makes the same calls on every machine, with a simulated clock: the output has to be the same, byte by byte.  With
 * PAJEWRITE_RING it uses the writer for microcontrollers, drained in pieces of all sizes; without it the hosted one. */
#include "board.h"

static uint64_t simulated_now(void *unused);

#define PAJEWRITE_NOW() simulated_now(NULL)
#define PAJEWRITE_DOUBLE 0
#define PAJEWRITE_FIELDS_SIZE 64
#define PAJEWRITE_ROM_TEXT_SIZE 48
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { ROUNDS = 40, RING = 384 };
enum { BOARD = 1, TASK, STATE, MARK, TEMPERATURE, MESSAGE };       /* types */
enum { RUNNING = 1, WAITING, BEEP = 700, SAMPLE = 32767 }; /* values */
enum { THE_BOARD = 1, MAIN, SENSOR, FAR = 30000 };                 /* containers */

static const pajewrite_definition table[] PAJEWRITE_ROM = {
    PAJEWRITE_ROM_CONTAINER_TYPE(BOARD, 0, "Board"),
    PAJEWRITE_ROM_CONTAINER_TYPE(TASK, BOARD, "Task"),
    PAJEWRITE_ROM_STATE_TYPE(STATE, TASK, "Task state"),
    PAJEWRITE_ROM_EVENT_TYPE(MARK, TASK, "Mark"),
    PAJEWRITE_ROM_VARIABLE_TYPE(TEMPERATURE, TASK, "Temperature", "cc3333"),
    PAJEWRITE_ROM_LINK_TYPE(MESSAGE, BOARD, TASK, TASK, "Message"),
    PAJEWRITE_ROM_VALUE(RUNNING, STATE, "running", "33cc33"),
    PAJEWRITE_ROM_VALUE(WAITING, STATE, "waiting for a message", "cc3333"),
    PAJEWRITE_ROM_VALUE(BEEP, MARK, "beep", PAJEWRITE_GREY),
    PAJEWRITE_ROM_VALUE(SAMPLE, MESSAGE, "sample", PAJEWRITE_GREY),
    PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE,
        PAJEWRITE_ROM_FIELD("Size int") PAJEWRITE_ROM_FIELD("Mask hex") PAJEWRITE_ROM_FIELD("Note string")),
    PAJEWRITE_ROM_CONTAINER(THE_BOARD, BOARD, 0, "board"),
    PAJEWRITE_ROM_CONTAINER(MAIN, TASK, THE_BOARD, "main"),
    PAJEWRITE_ROM_CONTAINER(SENSOR, TASK, THE_BOARD, "sensor"),
    PAJEWRITE_ROM_CONTAINER(FAR, TASK, THE_BOARD, "far")};

static const pajewrite_type task = {TASK}, state = {STATE}, mark = {MARK};
static const pajewrite_type temperature = {TEMPERATURE}, message = {MESSAGE};
static const pajewrite_value running = {RUNNING}, waiting = {WAITING}, beep = {BEEP}, sample = {SAMPLE};
static const pajewrite_container board = {THE_BOARD}, tasks[] = {{MAIN}, {SENSOR}, {FAR}};
static const pajewrite_variant noted = {40, PAJEWRITE_PUSH_STATE, 3};

static uint64_t clock_now;
static uint32_t chance[2] = {1, 2}; /* random numbers: for the calls, and for how they are drained */
static pajewrite w;
static char buffer[RING];

static uint64_t simulated_now(void *unused)
{
    (void)unused;
    return clock_now;
}

static uint32_t random_below(uint32_t limit, int of)
{
    chance[of] = chance[of] * 1664525u + 1013904223u;
    return (chance[of] >> 16) % limit;
}

static void send(const char *bytes, size_t size)
{
    while (size) {
        size_t sent = board_send(bytes, size);
        bytes += sent;
        size -= sent;
    }
}

#if PAJEWRITE_RING
static void begin(void) { pajewrite_init(&w, buffer, sizeof buffer, NULL); }

/* Drains now and then byte by byte, as for a UART's interrupt, otherwise in blocks, as for DMA. */
static void drain(void)
{
    char bytes[64];
    size_t size;
    int byte;
    if (random_below(4, 1) == 0)
        while ((byte = pajewrite_next_byte(&w)) >= 0) {
            char c = (char)byte;
            send(&c, 1);
        }
    while ((size = pajewrite_read(&w, bytes, 1 + (size_t)random_below(sizeof bytes, 1))) > 0)
        send(bytes, size);
}

static int end(void) { return pajewrite_get_status(&w) != PAJEWRITE_OK; }
#else
static pajewrite_status to_board(void *unused, const char *bytes, size_t size)
{
    (void)unused;
    send(bytes, size);
    return PAJEWRITE_OK;
}

static void begin(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = to_board;
    config.clock = simulated_now;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
}

static void drain(void) { pajewrite_flush(&w); }
static int end(void) { return pajewrite_finish(&w) != PAJEWRITE_OK; }
#endif

static void write_noted(pajewrite_container container, uint32_t number)
{
    pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE};
    pajewrite_fields fields = pajewrite_fields_of(noted);
    event.time = clock_now;
    event.container = container;
    event.type = state;
    event.value = waiting;
    pajewrite_field_int(&fields, -(int64_t)number);
    pajewrite_field_hex(&fields, (uint64_t)number << 40 | number);
    pajewrite_field_string(&fields, "a note");
    pajewrite_write(&w, &event, &fields);
}

/* Makes one call of a kind that is allowed at this moment. */
static void call(uint32_t at, uint32_t number)
{
    static uint32_t depth[3], set[3];
    static uint64_t key;
    pajewrite_container c = tasks[at];
    switch (random_below(10, 0)) {
    case 0:
        pajewrite_set_state(&w, c, state, running);
        depth[at] = 1;
        return;
    case 1:
        pajewrite_push_state(&w, c, state, waiting);
        depth[at]++;
        return;
    case 2:
        write_noted(c, number);
        depth[at]++;
        return;
    case 3:
        pajewrite_reset_state(&w, c, state);
        depth[at] = 0;
        return;
    case 4:
        pajewrite_new_event(&w, c, mark, beep);
        return;
    case 5:
        pajewrite_set_variable(&w, c, temperature, number & 1 ? -(int64_t)number : (int64_t)number << 20);
        set[at] = 1;
        return;
    case 6:
        pajewrite_start_link(&w, board, message, sample, c, ++key);
        pajewrite_end_link(&w, board, message, sample, tasks[(at + 1) % 3], key);
        return;
    case 7:
        if (set[at])
            pajewrite_add_variable(&w, c, temperature, number % 1000);
        return;
    case 8:
        if (set[at])
            pajewrite_sub_variable(&w, c, temperature, INT64_C(1) << number % 60);
        return;
    default:
        if (depth[at]) {
            pajewrite_pop_state(&w, c, state);
            depth[at]--;
        }
    }
}

int main(void)
{
    uint32_t round, at;
    int status;
    board_start();
    begin();
    pajewrite_announce(&w, table, sizeof table / sizeof *table);
    drain();
    for (round = 0; round < ROUNDS; round++) {
        for (at = 0; at < 3; at++) {
            call(at, random_below(60000, 0));
            drain();
            clock_now += random_below(2, 0) ? random_below(5000, 0) : random_below(50000, 0) * UINT64_C(50021);
        }
        if (round == ROUNDS / 2)
            clock_now += UINT64_C(123456789012345678);
    }
    for (at = 0; at < 3; at++) {
        pajewrite_destroy_container(&w, tasks[at], task);
        drain();
    }
    status = end();
    board_exit(status);
    return status;
}

void on_timer(void) {}
void on_request(void) {}
