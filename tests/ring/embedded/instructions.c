/* Measures the cost of an event: instructions on the boards of QEMU, where one takes a nanosecond (-icount shift=0);
 * nanoseconds on the ATmega328P, where simavr counts cycles. */
#include "board.h"

#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() board_now(NULL)
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { TIMES = 20, ROUNDS = 20 };

static const pajewrite_container thread = {1};
static const pajewrite_type state = {1};
static const pajewrite_value running = {1};
static pajewrite w;
static char ring[640];

static void print(const char *text)
{
    while (*text)
        text += board_send(text, 1);
}

static void print_number(uint32_t number)
{
    char digits[11], *p = digits + 10;
    *p = '\0';
    do
        *--p = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    print(p);
}

static void at_a_time(uint64_t time) { pajewrite_push_state_at(&w, time, thread, state, running); }

static void by_clock(uint64_t time)
{
    (void)time;
    pajewrite_push_state(&w, thread, state, running);
}

static void nothing(uint64_t time) { (void)time; }

static int in_blocks;    /* takes the text in blocks, as for DMA; otherwise byte by byte, as for a UART's interrupt */
static uint32_t drained; /* the cost of writing an event, and of taking its text */

static void drain(void)
{
    char block[64];
    if (in_blocks)
        while (pajewrite_read(&w, block, sizeof block) > 0)
            ;
    else
        while (pajewrite_next_byte(&w) >= 0)
            ;
}

/* Returns the mean of many calls, with nine decimals each. */
static uint32_t measure(void (*call)(uint64_t time))
{
    uint64_t time = 1000000007, spent = 0, draining = 0;
    int round, i;
    for (round = 0; round < ROUNDS; round++) {
        uint64_t begin = board_now(NULL);
        for (i = 0; i < TIMES; i++)
            call(time += 1234567);
        spent += board_now(NULL) - begin;
        begin = board_now(NULL);
        drain();
        draining += board_now(NULL) - begin;
    }
    drained = (uint32_t)draining / (TIMES * ROUNDS);
    return (uint32_t)spent / (TIMES * ROUNDS);
}

int main(void)
{
    uint32_t loop;
    board_start();
    pajewrite_init(&w, ring, sizeof ring, NULL);
    loop = measure(nothing);
    print("event ");
    print_number(measure(at_a_time) - loop);
    print("\nevent-and-clock ");
    print_number(measure(by_clock) - loop);
    print("\ndrained ");
    print_number(drained);
    in_blocks = 1;
    measure(at_a_time);
    print("\nin-blocks ");
    print_number(drained);
    pajewrite_disable(&w, 0xffffffff);
    print("\ndisabled ");
    print_number(measure(by_clock) - loop);
    print("\n");
    board_exit(pajewrite_count(&w).dropped != 0);
    return 0;
}

void on_timer(void) {}
void on_request(void) {}
