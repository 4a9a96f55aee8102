/* Interrupts at bad moments: the main loop, and the handler of a request, wait until the timer is about to fire, then
 * write; the timer's handler writes as well.  The last line has the number of events that each has written. */
#include "board.h"

#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() board_now(NULL)
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { ROUNDS = 60, BURST = 4 };
enum { THREAD = 1, STATE, MAIN = 1, TIMER, REQUEST, BUSY = 1 };

static const pajewrite_definition definitions[] PAJEWRITE_ROM = {
    PAJEWRITE_ROM_CONTAINER_TYPE(THREAD, 0, "Thread"),
    PAJEWRITE_ROM_STATE_TYPE(STATE, THREAD, "State"),
    PAJEWRITE_ROM_VALUE(BUSY, STATE, "busy", PAJEWRITE_GREY),
    PAJEWRITE_ROM_CONTAINER(MAIN, THREAD, 0, "main"),
    PAJEWRITE_ROM_CONTAINER(TIMER, THREAD, 0, "timer"),
    PAJEWRITE_ROM_CONTAINER(REQUEST, THREAD, 0, "request")};

static const pajewrite_type state = {STATE};
static const pajewrite_value busy = {BUSY};
static const pajewrite_container threads[] = {{0}, {MAIN}, {TIMER}, {REQUEST}};

static pajewrite w;
static char ring[640];
static volatile uint8_t left, timers, requested; /* left: how many more events the timer may write */
static uint16_t written[4];
static uint32_t window; /* duration of a burst, in nanoseconds */

static void write_both(int who)
{
    pajewrite_push_state(&w, threads[who], state, busy);
    pajewrite_pop_state(&w, threads[who], state);
    written[who] = (uint16_t)(written[who] + 2);
}

/* Begins a burst at a varying moment, so that the timer fires within it. */
static void burst(int who)
{
    static uint32_t turn;
    uint32_t early = window * (1 + ++turn % 15) / 16;
    int i;
    while ((uint32_t)(board_now(NULL) % 1000000) < 1000000 - early)
        ;
    for (i = 0; i < BURST; i++)
        write_both(who);
}

void on_timer(void)
{
    timers++;
    if (!left)
        return;
    left--;
    write_both(TIMER);
    if (!requested) {
        requested = 1;
        board_request();
    }
}

void on_request(void) { burst(REQUEST); }

static void send(const char *bytes, size_t size)
{
    while (size) {
        size_t sent = board_send(bytes, size);
        bytes += sent;
        size -= sent;
    }
}

static void drain(void)
{
    char bytes[32];
    size_t size;
    while ((size = pajewrite_read(&w, bytes, sizeof bytes)) > 0)
        send(bytes, size);
}

static void print_number(const char *name, uint16_t number)
{
    char digits[6], *p = digits + 5;
    *p = ' ';
    do
        *--p = (char)('0' + number % 10);
    while ((number = number / 10) != 0);
    send(name, strlen(name));
    send(p, (size_t)(digits + 6 - p));
}

int main(void)
{
    uint64_t begin;
    int round;
    board_start();
    pajewrite_init(&w, ring, sizeof ring, NULL);
    pajewrite_announce(&w, definitions, sizeof definitions / sizeof *definitions);
    drain();
    begin = board_now(NULL);
    for (round = 0; round < BURST; round++)
        write_both(MAIN);
    window = (uint32_t)(board_now(NULL) - begin);
    if (window > 900000)
        window = 900000;
    for (round = 0; round < ROUNDS; round++) {
        uint8_t before = timers;
        requested = 0;
        left = 3;
        burst(MAIN);
        while (timers == before) /* the timer has fired */
            ;
        left = 0;
        drain();
    }
    print_number("# main ", written[MAIN]);
    print_number("timer ", written[TIMER]);
    print_number("request ", written[REQUEST]);
    send("\n", 1);
    board_exit(pajewrite_count(&w).dropped != 0);
    return 0;
}
