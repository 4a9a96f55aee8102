/* The first line of a .prv:
 * #Paraver (date):length_unit:nodes(cpus,...):applications:tasks(threads:node,...):...,communicators */
#include "import.h"

enum { MOST_THREADS = 1 << 22 };

typedef struct header {
    prv_model *model;
    const input_lines *lines;
    const char *start, *at, *end;
    int is_wrong;
} header;

int prv_read_number(const char **at, const char *end, int64_t *number)
{
    const char *digit = *at;
    int is_negative = digit < end && *digit == '-';
    uint64_t sum = 0;
    digit += is_negative;
    const char *first = digit;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        unsigned value = (unsigned)(*digit - '0');
        if (sum > INT64_MAX / 10 || (sum = sum * 10 + value) > INT64_MAX)
            return 0;
    }
    if (digit == first)
        return 0;
    *at = digit;
    *number = is_negative ? -(int64_t)sum : (int64_t)sum;
    return 1;
}

static void refuse(header *it, const char *what)
{
    if (!it->is_wrong)
        lines_report(it->lines, it->start, it->at, (size_t)(it->end - it->at), what);
    it->is_wrong = 1;
}

/* Takes a byte if it comes next. */
static int take(header *it, char byte)
{
    if (it->at == it->end || *it->at != byte)
        return 0;
    it->at++;
    return 1;
}

/* Takes a number of that least size; 0, after a message, if there is none. */
static uint32_t take_count(header *it, uint32_t least, const char *what)
{
    int64_t number = 0;
    const char *at = it->at;
    if (it->is_wrong)
        return 0;
    if (!prv_read_number(&at, it->end, &number) || number < least || number > MOST_THREADS) {
        refuse(it, what);
        return 0;
    }
    it->at = at;
    return (uint32_t)number;
}

static void expect(header *it, char byte, const char *what)
{
    if (!it->is_wrong && !take(it, byte))
        refuse(it, what);
}

static void read_length(header *it)
{
    static const struct {
        const char *name;
        uint32_t decimals;
    } units[] = {{"_ns", 9}, {"_us", 6}, {"_ms", 3}, {"_s", 0}};
    int64_t length = 0;
    if (!prv_read_number(&it->at, it->end, &length) || length < 0) {
        refuse(it, "the header has no length of the trace here");
        return;
    }
    it->model->length = (uint64_t)length;
    if (take(it, '.')) /* Paraver reads a real number */
        while (it->at < it->end && *it->at >= '0' && *it->at <= '9')
            it->at++;
    it->model->decimals = 6;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t size = strlen(units[i].name);
        if ((size_t)(it->end - it->at) > size && memcmp(it->at, units[i].name, size) == 0 && it->at[size] == ':') {
            it->at += size;
            it->model->decimals = units[i].decimals;
            break;
        }
    }
    expect(it, ':', "the unit of times is none of _ns, _us, _ms");
}

static void read_nodes(header *it)
{
    take_count(it, 0, "the header has no number of nodes here");
    if (take(it, '(')) {
        do
            take_count(it, 0, "the header has no number of CPUs here");
        while (take(it, ','));
        expect(it, ')', "a parenthesis is not closed");
    }
    expect(it, ':', "the header has no applications behind the nodes");
}

static void add_task(header *it, uint32_t application)
{
    prv_model *model = it->model;
    uint32_t threads = take_count(it, 1, "the header has no number of threads here");
    expect(it, ':', "the header has no node of the task here");
    uint32_t node = take_count(it, 0, "the header has no node of the task here");
    if (!it->is_wrong && model->threads.count + threads > MOST_THREADS)
        refuse(it, "the header has more than 4194304 threads");
    if (it->is_wrong)
        return;
    *array_push(&model->tasks) = (prv_task){application, node, threads, (uint32_t)model->threads.count};
    model->applications.items[application].tasks++;
    for (uint32_t i = 0; i < threads; i++)
        array_push(&model->threads)->task = (uint32_t)model->tasks.count - 1;
}

static void read_application(header *it, uint32_t number)
{
    uint32_t tasks = take_count(it, 1, "the header has no number of tasks here");
    take(it, ':'); /* which some write */
    expect(it, '(', "the header has no list of tasks here");
    if (it->is_wrong)
        return;
    *array_push(&it->model->applications) = (prv_application){(uint32_t)it->model->tasks.count, 0};
    for (uint32_t i = 0; i < tasks && !it->is_wrong; i++) {
        add_task(it, number);
        if (i + 1 < tasks)
            expect(it, ',', "the header has fewer tasks than it says");
    }
    expect(it, ')', "a parenthesis is not closed");
}

void prv_read_header(prv_model *model, const input_lines *lines, pajesim_text line)
{
    header it = {model, lines, line.bytes, line.bytes, line.bytes + line.size, 0};
    const char *date = memchr(line.bytes, '(', line.size), *colon = memchr(line.bytes, ':', line.size);
    const char *date_end = date && date < colon ? memchr(date, ')', (size_t)(it.end - date)) : NULL;
    model->decimals = 9;
    if (!date_end) {
        refuse(&it, "the header has no date in parentheses");
        return;
    }
    it.at = date_end + 1;
    expect(&it, ':', "the header has no length of the trace here");
    if (!it.is_wrong)
        read_length(&it);
    if (!it.is_wrong)
        read_nodes(&it);
    uint32_t applications = take_count(&it, 1, "the header has no number of applications here");
    for (uint32_t i = 0; i < applications && !it.is_wrong; i++) {
        if (!take(&it, ':') && !take(&it, ','))
            refuse(&it, "the header has fewer applications than it says");
        else
            read_application(&it, i);
    }
}
