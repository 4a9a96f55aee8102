/* Macros for microcontrollers: masking interrupts, clocks, reading tables in flash. */
#pragma once

#include "../api/platform.h"

/* PAJEWRITE_ENTER(saved) masks the interrupts that write or drain, and saves their state in `saved`, an unsigned;
 * PAJEWRITE_LEAVE(saved) restores it; PAJEWRITE_BARRIER() keeps stores in order.  Several cores also need a lock. */
#ifndef PAJEWRITE_ENTER
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(PAJEWRITE_BASEPRI)
#define PAJEWRITE_ENTER(saved) \
    __asm__ volatile("mrs %0, basepri\n\tmsr basepri_max, %1" : "=&r"(saved) : "r"(PAJEWRITE_BASEPRI) : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("msr basepri, %0" : : "r"(saved) : "memory")
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define PAJEWRITE_ENTER(saved) __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(saved) : : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("msr primask, %0" : : "r"(saved) : "memory")
#elif defined(__riscv) && !defined(__linux__)
#define PAJEWRITE_ENTER(saved) __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(saved) : : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("csrs mstatus, %0" : : "r"((saved) & 8) : "memory")
#elif defined(__AVR__)
#define PAJEWRITE_ENTER(saved) __asm__ volatile("in %A0, __SREG__\n\tcli" : "=r"(saved) : : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("out __SREG__, %A0" : : "r"(saved) : "memory")
#else /* there are no interrupts */
#define PAJEWRITE_ENTER(saved) ((saved) = 0)
#define PAJEWRITE_LEAVE(saved) ((void)(saved))
#endif
#endif
/* Whether numbers of 32 bits are read in parts, between which an interrupt may change them. */
#ifndef PAJEWRITE__IN_PARTS
#define PAJEWRITE__IN_PARTS (sizeof(int) < sizeof(uint32_t))
#endif
#ifndef PAJEWRITE_BARRIER
#define PAJEWRITE_BARRIER() PAJEWRITE__BARRIER()
#endif

/* Ready-made clocks of Cortex-M. */
#if defined(PAJEWRITE_SYSTICK) || defined(PAJEWRITE_DWT)
PAJEWRITE__UNTRACED
static uint64_t pajewrite__ring_cortex_now(void)
{
    static uint64_t time;
    static uint32_t last;
#ifdef PAJEWRITE_SYSTICK
    /* It counts down from its reload value, and sets a flag where it becomes 0, which reading clears.  That the number
     * is smaller than the last one does not tell all periods: the handler of SysTick reads it a whole period after it
     * read it last.  At 0, for one tick, the period has ended, and the next one has not begun. */
    uint32_t reload = *(volatile uint32_t *)0xe000e014u, periods = 0, left, control, now;
    do {
        left = *(volatile uint32_t *)0xe000e018u;
        control = *(volatile uint32_t *)0xe000e010u;
        periods += control >> 16 & 1;
    } while (control >> 16 & 1 || (!left && control & 1));
    now = left ? reload - left : 0;
    if (!periods && now < last) /* other code has read the flag */
        periods = 1;
    time += now - last + periods * (reload + 1);
#else
    uint32_t now = *(volatile uint32_t *)0xe0001004u;
    time += now - last;
#endif
    last = now;
    return time;
}
#define PAJEWRITE_NOW() pajewrite__ring_cortex_now()
#endif
#ifndef PAJEWRITE_NOW
#error "define PAJEWRITE_NOW() as what reads your clock: 64 bits, in ticks of PAJEWRITE_HZ; or PAJEWRITE_SYSTICK"
#endif

#ifdef __AVR__
#define PAJEWRITE__ROM_BYTE(p) ((char)pgm_read_byte(p))
#define PAJEWRITE__ROM_UNIT(p) pgm_read_word(p)
/* Stores two bytes, without interrupts in between. */
#define PAJEWRITE__STORE(place, n) \
    do { \
        unsigned saved; \
        PAJEWRITE_ENTER(saved); \
        (place) = (uint16_t)(n); \
        PAJEWRITE_LEAVE(saved); \
    } while (0)
#else
#define PAJEWRITE__ROM_UNIT(p) (*(p))
#define PAJEWRITE__STORE(place, n) ((place) = (uint16_t)(n))
#define PAJEWRITE__ROM_BYTE(p) (*(p))
#endif
