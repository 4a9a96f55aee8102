/* PAJEWRITE_SYSTICK against the clock of the board, which has the same counter: read by the handler of SysTick alone,
 * once in each period, and then all the time as well.  Exits with 1 where it is wrong. */
#include "board.h"

#define PAJEWRITE_RING 1
#define PAJEWRITE_SYSTICK
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { ALONE = 100, TOGETHER = 20, NEAR = 20000 }; /* in ms; in ns */

static pajewrite w;
static volatile uint16_t periods;

void on_timer(void)
{
    pajewrite_now(&w);
    periods++;
}

void on_request(void) {}

static uint64_t time_now(void)
{
    uint32_t ticks = *(volatile uint32_t *)0xe000e014u + 1; /* in a millisecond */
    return pajewrite_now(&w) * 1000000 / ticks;
}

int main(void)
{
    uint64_t first, last, board, ahead = 0;
    int wrong = 0;
    board_start();
    first = last = time_now();
    board = board_now(NULL);
    while (periods < ALONE)
        board_wait();
    while (periods < ALONE + TOGETHER && !wrong) {
        uint64_t passed = board_now(NULL) - board, now = time_now();
        ahead = now - first - passed;
        wrong = now < last || ahead + NEAR > 2 * NEAR;
        last = now;
    }
    board_exit(wrong);
    return 0;
}
