/* The part that all Cortex-M boards share: start-up, SysTick as the clock and the interrupt of higher priority, PendSV
 * as the other one, semihosting to exit.  A board defines CLOCK, its frequency in Hz, includes this, and adds its
 * UART. */
#include "../board.h"
#include <string.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define ICSR REGISTER(0xe000ed04)
#define SHPR3 REGISTER(0xe000ed20)

enum { RELOAD = CLOCK / 1000 };

int main(void);
static void start_uart(void);
extern char data_from[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];
static volatile uint64_t milliseconds; /* in nanoseconds */

void board_start(void)
{
    start_uart();
    SHPR3 = 0x40ff0000; /* PendSV has the lowest priority, SysTick a higher one */
    SYST_RVR = RELOAD - 1;
    SYST_CVR = 0;
    SYST_CSR = 7;
}

uint64_t board_now(void *unused)
{
    uint64_t now;
    uint32_t left, before;
    (void)unused;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(before)::"memory");
    now = milliseconds;
    left = SYST_CVR;
    if (ICSR >> 26 & 1) { /* the counter has wrapped, and its interrupt is pending */
        left = SYST_CVR;
        now += 1000000;
    }
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
    return now + ((left ? RELOAD - left : 0) * (uint32_t)(1024000000000u / CLOCK) >> 10);
}

void board_wait(void) { __asm__ volatile("wfi"); }
void board_request(void) { ICSR = 1u << 28; }

static void on_systick(void)
{
    milliseconds += 1000000;
    on_timer();
}

void board_exit(int status)
{
    uint32_t why[2] = {0x20026, (uint32_t)status}; /* the arguments of SYS_EXIT_EXTENDED */
    __asm__ volatile("movs r0, #0x20\n mov r1, %0\n bkpt 0xab" ::"r"(why) : "r0", "r1", "memory");
    for (;;)
        board_wait();
}

static void fault(void) { board_exit(99); }

static void reset(void)
{
    memcpy(data_begin, data_from, (size_t)(data_end - data_begin));
    memset(bss_begin, 0, (size_t)(bss_end - bss_begin));
    board_exit(main());
}

__attribute__((section(".vectors"), used)) static const struct {
    char *stack;
    void (*handlers[15])(void);
} vectors = {stack_top, {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, 0, 0, on_request, on_systick}};
