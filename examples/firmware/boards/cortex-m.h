/* Every Cortex-M: start-up, SysTick as the clock and the upper interrupt, PendSV as the lower one, semihosting to exit.
 * A board includes this behind CLOCK, its frequency in Hz, and adds its UART. */
#include "../board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define ICSR REGISTER(0xe000ed04)
#define SHPR3 REGISTER(0xe000ed20)

enum { RELOAD = CLOCK / 1000 };

int main(void);
extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];
static volatile uint64_t milliseconds; /* in nanoseconds */

static void start_uart(void);

void board_start(void)
{
    start_uart();
    SHPR3 = 0x40ff0000; /* PendSV is the lowest, SysTick is above it */
    SYST_RVR = RELOAD - 1;
    SYST_CVR = 0;
    SYST_CSR = 7;
}

uintptr_t board_mask(void)
{
    uintptr_t before;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(before)::"memory");
    return before;
}

void board_unmask(uintptr_t before) { __asm__ volatile("msr primask, %0" ::"r"(before) : "memory"); }

uint64_t board_now(void *unused)
{
    uintptr_t before = board_mask();
    uint64_t now = milliseconds;
    uint32_t left = SYST_CVR;
    (void)unused;
    if (ICSR >> 26 & 1) { /* it has come round, and its interrupt waits */
        left = SYST_CVR;
        now += 1000000;
    }
    board_unmask(before);
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
    uint32_t why[2] = {0x20026, (uint32_t)status};
    register uint32_t operation __asm__("r0") = 0x20; /* SYS_EXIT_EXTENDED */
    register uint32_t *argument __asm__("r1") = why;
    __asm__ volatile("bkpt 0xab" ::"r"(operation), "r"(argument) : "memory");
    for (;;)
        board_wait();
}

static void fault(void) { board_exit(99); }

static void reset(void)
{
    uint32_t *from = data_from, *to;
    for (to = data_begin; to < data_end;)
        *to++ = *from++;
    for (to = bss_begin; to < bss_end;)
        *to++ = 0;
    board_exit(main());
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[15])(void);
} vectors = {stack_top, {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, 0, 0, on_request, on_systick}};
