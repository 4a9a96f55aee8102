/* The part that RISC-V boards with a SiFive CLINT share, in machine mode: start-up, timer, software interrupt.  A board
 * defines CLINT, its address, and TICK, the nanoseconds of a timer tick, includes this, and adds its UART and
 * board_exit. */
#include "../board.h"

#define BYTE(address) (*(volatile uint8_t *)(address))
#define REGISTER(address) (*(volatile uint32_t *)(address))
#define MSIP REGISTER(CLINT)
#define MTIMECMP REGISTER(CLINT + 0x4000)
#define MTIMECMP_HIGH REGISTER(CLINT + 0x4004)
#define MTIME REGISTER(CLINT + 0xbff8)
#define MTIME_HIGH REGISTER(CLINT + 0xbffc)

enum { MIE = 8, SOFTWARE = 1 << 3, TIMER = 1 << 7, MACHINE = 0x1880 /* bits of mstatus: mret stays in machine mode */ };

int main(void);
static uint64_t started, next;

static uint64_t ticks(void)
{
    uint32_t high = MTIME_HIGH, low = MTIME;
    return high == MTIME_HIGH ? (uint64_t)high << 32 | low : (uint64_t)(high + 1) << 32;
}

static void set_timer(void)
{
    next += 1000000 / TICK;
    MTIMECMP_HIGH = 0xffffffff; /* the comparator must not be in the past while its halves are written */
    MTIMECMP = (uint32_t)next;
    MTIMECMP_HIGH = (uint32_t)(next >> 32);
}

static void start_clock(void)
{
    started = next = ticks();
    set_timer();
    __asm__ volatile("csrw mie, %0\n csrs mstatus, %1" ::"r"(SOFTWARE | TIMER), "r"(MIE) : "memory");
}

uint64_t board_now(void *unused)
{
    (void)unused;
    return (ticks() - started) * TICK;
}

void board_wait(void) { __asm__ volatile("wfi"); }
void board_request(void) { MSIP = 1; }

/* The trap handler.  Interrupts are enabled again while a request is handled, so that the timer can interrupt it. */
__attribute__((interrupt, aligned(4))) static void trap(void)
{
    uintptr_t cause, back;
    __asm__ volatile("csrr %0, mcause\n csrr %1, mepc" : "=r"(cause), "=r"(back));
    if (cause == 0x80000007) {
        set_timer();
        on_timer();
    } else if (cause == 0x80000003) {
        MSIP = 0;
        __asm__ volatile("csrsi mstatus, 8" ::: "memory");
        on_request();
        __asm__ volatile("csrci mstatus, 8\n csrw mepc, %0\n csrs mstatus, %1" ::"r"(back), "r"(MACHINE) : "memory");
    } else {
        board_exit(99);
    }
}

__attribute__((naked, used, section(".start"))) void start(void);
void start(void)
{
    __asm__("la sp, stack_top\n la t0, bss_begin\n la t1, bss_end\n"
            "1: sw zero, 0(t0)\n addi t0, t0, 4\n bltu t0, t1, 1b\n"
            "la t0, %0\n csrw mtvec, t0\n call main\n j board_exit" ::"i"(trap));
}
