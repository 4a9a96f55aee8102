/* What paje dump prints of numbers, against printf, byte for byte.  The argument is how many hundred thousand random
 * numbers of each shape to try (default 1; 450, that is 315 million in all, were tried in November 2026). */
#include "examples/paje/replay/dump_line.c"

static unsigned long numbers, failed;
static char why[400];
static uint64_t seed = UINT64_C(88172645463325252);

static uint64_t any(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void try(double number, int precision)
{
    static text_buffer line;
    char expected[400];
    line.size = 0;
    paje_format_number(&line, number, precision);
    int size = snprintf(expected, sizeof expected, ", %.*f", precision, number);
    numbers++;
    if (line.size == (size_t)size && memcmp(line.bytes, expected, line.size) == 0)
        return;
    if (!failed++)
        snprintf(why, sizeof why, "`%.*s' in place of `%.100s'", (int)line.size, line.bytes, expected);
}

static double any_bits(void)
{
    uint64_t bits = any();
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* A number of usual size, read from a text with `decimals` decimals. */
static double any_time(int decimals)
{
    double unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    return (double)(any() >> (12 + any() % 50)) / unit;
}

static double times(void) { return any_time((int)(any() % 13)); }
static double durations(void) { return any_time(6) - any_time(6); }
static double fractions(void) { return (double)(any() >> (11 + any() % 50)) / 18014398509481984.0; }
static double halves(void) { return (double)(any() >> (14 + any() % 40)) / (double)(1u << any() % 11); }
static double big(void) { return (double)any() * (double)(1u << any() % 8); }
static double negative(void) { return -times(); }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*next)(void);
    } shapes[] = {{"times", times}, {"durations", durations}, {"fractions", fractions}, {"halves", halves},
                  {"big", big}, {"negative", negative}, {"bits", any_bits}};
    static const double some[] = {0.0, -0.0, 0.5, 1.5, 2.5, 0.0000005, 0.0000015, 999999.9999995, 9e15, 9.1e15, 1e300,
                                  5e-324, 1e-320, -1e-9, 9007199254740993.0, 0.1, 0.125, 1.0 / 3};
    long count = 100000 * (argc > 1 ? atol(argv[1]) : 1);
    unsigned long all = 0;
    int any_failed = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        numbers = failed = 0;
        for (long i = 0; i < count; i++)
            try(shapes[s].next(), i % 4 ? 6 : (int)(any() % 13));
        for (size_t i = 0; i < sizeof some / sizeof *some; i++)
            for (int precision = 0; precision < 13; precision++)
                try(some[i], precision);
        if (failed)
            printf("FAIL format/%s: %lu of %lu numbers, the first: %s\n", shapes[s].name, failed, numbers, why);
        else
            printf("PASS format/%s\n", shapes[s].name);
        any_failed |= failed != 0;
        all += numbers;
    }
    if (argc > 1)
        fprintf(stderr, "%lu numbers\n", all);
    return any_failed;
}
