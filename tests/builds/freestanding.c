/* A program without a C library: it has the four functions that the header needs, an entry point and an exit. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
#include "../lib/small.h"

/* volatile, so that the compiler does not turn the loops into calls of these very functions. */
void *memcpy(void *to, const void *from, size_t size)
{
    volatile unsigned char *t = (volatile unsigned char *)to;
    const volatile unsigned char *f = (const volatile unsigned char *)from;
    while (size--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    volatile unsigned char *t = (volatile unsigned char *)to;
    const volatile unsigned char *f = (const volatile unsigned char *)from;
    if (t <= f)
        return memcpy(to, from, size);
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    volatile unsigned char *t = (volatile unsigned char *)to;
    while (size--)
        *t++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const volatile unsigned char *x = (const volatile unsigned char *)a, *y = (const volatile unsigned char *)b;
    for (; size--; x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

/* The entry point: called with an aligned stack; leaves with the Linux system call that ends the program. */
#if defined(__GNUC__)
__attribute__((used, noreturn))
#endif
static void begin(void)
{
    long status = small_replay();
    for (;;) {
#if defined(__x86_64__)
        __asm__ volatile("syscall" : : "a"(60L), "D"(status) : "rcx", "r11", "memory");
#elif defined(__i386__)
        __asm__ volatile("int $0x80" : : "a"(1L), "b"(status) : "memory");
#elif defined(__aarch64__)
        register long number __asm__("x8") = 93;
        register long argument __asm__("x0") = status;
        __asm__ volatile("svc 0" : : "r"(number), "r"(argument) : "memory");
#else
#error "tests/builds/freestanding.c does not know how a program ends on this machine"
#endif
    }
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %rsp\n call begin\n");
#elif defined(__i386__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %esp\n call begin\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n bl begin\n");
#endif
