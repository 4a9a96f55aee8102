/* Exact sums of many numbers, whatever their order: processes that share the work get the sum that one gets, to the
 * last digit.
 *
 * A sum has three terms, of which each holds what the one before cannot (the error of an addition is a double: Knuth's
 * TwoSum).  It is exact as long as the bits of the sum and of all numbers span less than 159 places, which times and
 * sizes do. */
#pragma once

typedef struct sum {
    double total, lost, rest;
} sum;

/* Adds a number; returns the error of that. */
static inline double sum_split(double *total, double number)
{
    double after = *total + number, added = after - *total, error = *total - (after - added) + (number - added);
    *total = after;
    return error;
}

static inline void sum_add(sum *it, double number)
{
    it->rest += sum_split(&it->lost, sum_split(&it->total, number));
}

/* The other terms of a sum that is not are no numbers. */
static inline int sum_is_finite(const sum *it)
{
    return it->total - it->total <= 0;
}

static inline void sum_add_sum(sum *to, const sum *from)
{
    sum_add(to, from->total);
    if (!sum_is_finite(from))
        return;
    sum_add(to, from->lost);
    sum_add(to, from->rest);
}

/* Returns the double that is nearest to the sum; infinity if a sum on the way was infinite. */
static inline double sum_of(const sum *it)
{
    double total = it->total, lost = it->lost, rest = it->rest;
    if (!sum_is_finite(it))
        return total;
    for (int i = 0; i < 2; i++) { /* until each term is at most half of the last place of the one before */
        rest = sum_split(&lost, rest);
        lost = sum_split(&total, lost);
    }
    rest = sum_split(&lost, rest);
    if ((lost > 0 && rest > 0) || (lost < 0 && rest < 0)) { /* if it is half, the rest tells where to round to */
        double doubled = 2 * lost, next = total + doubled;
        if (!(next - total < doubled) && !(next - total > doubled))
            total = next;
    }
    return total;
}
