/* Sums of many numbers, compensated (Neumaier): the error does not grow with their count. */
#pragma once

typedef struct sum {
    double total, lost;
} sum;

static inline void sum_add(sum *it, double number)
{
    double total = it->total + number, size = it->total < 0 ? -it->total : it->total;
    int smaller = size < (number < 0 ? -number : number);
    it->lost += smaller ? number - total + it->total : it->total - total + number;
    it->total = total;
}

static inline void sum_add_sum(sum *to, const sum *from)
{
    sum_add(to, from->total);
    to->lost += from->lost;
}

static inline double sum_of(const sum *it)
{
    return it->total + it->lost;
}
