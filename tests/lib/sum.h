/* A sum of all that a test saw, which it prints if it is asked to (-v).  Tests on mutants compare it with that of the
 * original: what a test does not know, such as what an image holds and how much memory is needed, is looked at, too. */
#ifndef TESTS_SUM_H
#define TESTS_SUM_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t sum;

static void sum_number(uint64_t number)
{
    sum = (sum ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    sum ^= sum >> 29;
}

static void sum_bytes(const void *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t word;
    sum_number(size);
    for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum_number(word);
    }
    while (size--)
        sum_number(*p++);
}

static void print_sum(void)
{
    printf("%016llx\n", (unsigned long long)sum);
}

#endif
