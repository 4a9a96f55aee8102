/* Settings: one grammar, in the environment, in a file, and for the options. */
#include "trace.h"
#include "trace/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    uint32_t bit;
} categories[] = {
#define TRACE_CATEGORY(name, NAME, bit, help) {#name, TRACE_##NAME},
    TRACE_CATEGORIES(TRACE_CATEGORY)
#undef TRACE_CATEGORY
};

int trace_read_categories(const char *text, uint32_t *result)
{
    *result = 0;
    while (*text) {
        size_t size = strcspn(text, ","), i = 0, count = sizeof categories / sizeof *categories;
        while (i < count && !text_is_equal((pajesim_text){text, size}, text_of(categories[i].name)))
            i++;
        if (i == count)
            return 0;
        *result |= categories[i].bit;
        text += size + (text[size] != '\0');
    }
    return *result != 0;
}

#define TRACE_CATEGORY(name, NAME, bit, help) ", " #name
const char *const trace_category_list = &(TRACE_CATEGORIES(TRACE_CATEGORY) ", with commas between them")[2];
#undef TRACE_CATEGORY

static const char *read_record(trace_settings *it, const char *value)
{
    return trace_read_categories(value, &it->record) ? NULL : trace_category_list;
}

static const char *read_threads(trace_settings *it, const char *value)
{
    it->slots = strcmp(value, "slots") == 0;
    return it->slots || strcmp(value, "each") == 0 ? NULL : "each or slots";
}

/* Reads a number of bytes, such as 4096 or 64K.  Returns 0 if it is none. */
static uint64_t read_bytes(const char *value)
{
    char *end;
    uint64_t bytes = *value >= '0' && *value <= '9' ? strtoull(value, &end, 10) : 0;
    if (bytes && *end && !end[1] && strchr("KMG", *end))
        bytes <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
    else if (bytes && *end)
        bytes = 0;
    return bytes < UINT64_C(1) << 62 ? bytes : 0;
}

static const char *read_heap(trace_settings *it, const char *value)
{
    it->heap = read_bytes(value);
    return it->heap ? NULL : "a number of bytes, such as 4096 or 64K";
}

static const char *read_allocations(trace_settings *it, const char *value)
{
    it->allocations = strcmp(value, "off") == 0 ? 0 : read_bytes(value);
    return (it->allocations && it->allocations < UINT64_C(1) << 31) || strcmp(value, "off") == 0
               ? NULL : "off, or a number of bytes below 2G, such as 512K";
}

static const char *read_exceptions(trace_settings *it, const char *value)
{
    it->no_exceptions = strcmp(value, "off") == 0;
    return it->no_exceptions || strcmp(value, "on") == 0 ? NULL : "on or off";
}

static const char *read_beans(trace_settings *it, const char *value)
{
    char *end;
    const double seconds = *value >= '0' && *value <= '9' ? strtod(value, &end) : 0;
    it->beans = 0;
    if (strcmp(value, "off") == 0)
        return NULL;
    if (seconds >= 0.001 && seconds <= 86400 && !*end)
        it->beans = (uint32_t)(seconds * 1000);
    return it->beans ? NULL : "off, or seconds from 0.001 to 86400, such as 0.5";
}

static const char *read_jvm(trace_settings *it, const char *value)
{
    it->shows_jvm = strcmp(value, "shown") == 0;
    return it->shows_jvm || strcmp(value, "hidden") == 0 ? NULL : "hidden or shown";
}

/* Reads the names of methods from a file, one a line; # begins a comment. */
static void read_list(const char *name, text_buffer *list)
{
    char line[1024];
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *start = line + strspn(line, " \t");
        size_t size = strcspn(start, " \t\r\n#");
        if (size) {
            text_puts(list, list->size ? "," : "");
            text_put(list, start, size);
        }
    }
    if (!file || ferror(file))
        stream_fail("%s: %s", name, strerror(errno));
    fclose(file);
}

static const char *read_methods(trace_settings *it, const char *value)
{
    text_buffer list = {0};
    if (*value == '@')
        read_list(value + 1, &list);
    else
        text_puts(&list, value);
    size_t size = list.size;
    memset(it->methods, 0, sizeof it->methods);
    memcpy(it->methods, text_string(&list), size < sizeof it->methods ? size : 0);
    text_free(&list);
    return size && size < sizeof it->methods
               ? NULL : "CLASS.METHOD with * and ?, with commas between them, or @FILE with one a line; in 4,000 bytes";
}

static const char *read_names(trace_settings *it, const char *value)
{
    it->are_names_mangled = strcmp(value, "mangled") == 0;
    return it->are_names_mangled || strcmp(value, "readable") == 0 ? NULL : "readable or mangled";
}

static const char *read_functions(trace_settings *it, const char *value)
{
    size_t size = strlen(value);
    memset(it->functions, 0, sizeof it->functions);
    memcpy(it->functions, value, size < sizeof it->functions ? size : 0);
    return size && size < sizeof it->functions ? NULL : "names with * and ?, with commas between them, in 500 bytes";
}

/* Reads how often functions are called, and how long they take, from which on they are left out. */
static const char *read_throttle(trace_settings *it, const char *value)
{
    static const struct {
        const char *name;
        double nanoseconds;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    double time;
    it->throttle_time = 0;
    if (strcmp(value, "off") == 0)
        return NULL;
    it->throttle_calls = *value >= '0' && *value <= '9' ? strtoull(value, &end, 10) : 0;
    if (it->throttle_calls && *end == ':' && end[1] >= '0' && end[1] <= '9') {
        time = strtod(end + 1, &end);
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(end, units[i].name) == 0 && time < 1e6)
                it->throttle_time = (uint64_t)(time * units[i].nanoseconds);
    }
    return it->throttle_time ? NULL : "off, or CALLS:TIME such as 100000:10us";
}

static const char *read_counters(trace_settings *it, const char *value)
{
    return trace_read_counters(value, &it->counters) ? NULL : trace_counter_list;
}

static const char *read_sample(trace_settings *it, const char *value)
{
    uint64_t rate = 0;
    if (strcmp(value, "off") != 0 && (!paje_parse_count(value, &rate) || rate > TRACE_HIGHEST_RATE))
        return "RATE, samples of a second of CPU time, from 1 to " TRACE_HIGHEST_RATE_TEXT "; or off";
    it->rate = (uint32_t)rate;
    return NULL;
}

static const char *read_sampler(trace_settings *it, const char *value)
{
    it->sampler = strcmp(value, "perf") == 0 ? TRACE_PERF : strcmp(value, "timers") == 0 ? TRACE_TIMERS : 0;
    return it->sampler ? NULL : "perf or timers";
}

static const char *read_omp(trace_settings *it, const char *value)
{
    it->is_omp_llvm = strcmp(value, "llvm") == 0;
    return it->is_omp_llvm || strcmp(value, "own") == 0 ? NULL : "llvm or own";
}

static const struct {
    const char *name;
    const char *(*read)(trace_settings *it, const char *value); /* returns NULL, or what is right */
} keys[] = {
    {"record", read_record},
    {"threads", read_threads},
    {"names", read_names},
    {"functions", read_functions},
    {"throttle", read_throttle},
    {"heap", read_heap},
    {"methods", read_methods},
    {"allocations", read_allocations},
    {"exceptions", read_exceptions},
    {"beans", read_beans},
    {"jvm", read_jvm},
    {"sample", read_sample},
    {"sampler", read_sampler},
    {"counters", read_counters},
    {"omp", read_omp},
};

static void report_unknown(const char *from, size_t line, size_t column, const char *key, size_t size)
{
    text_buffer known = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        text_printf(&known, "%s%s", i ? ", " : "", keys[i].name);
    paje_usage(&command_trace, "%s:%zu:%zu: there is no setting `%.*s`; there are %s", from, line, column, (int)size,
               key, text_string(&known));
}

/* Reads one setting.  `line` and `column`: its place, from 1. */
static void read_setting(trace_settings *it, const char *from, size_t line, size_t column, const char *setting,
                         size_t size)
{
    size_t key = strcspn(setting, "="), i = 0, count = sizeof keys / sizeof *keys;
    text_buffer value = {0};
    const char *right;
    key = key < size ? key : size;
    while (i < count && !text_is_equal((pajesim_text){setting, key}, text_of(keys[i].name)))
        i++;
    if (i == count)
        report_unknown(from, line, column, setting, key);
    if (key < size)
        text_put(&value, setting + key + 1, size - key - 1);
    right = keys[i].read(it, text_string(&value));
    if (right)
        paje_usage(&command_trace, "%s:%zu:%zu: `%.*s`: it has to be %s=%s", from, line, column, (int)size, setting,
                   keys[i].name, right);
    text_free(&value);
}

void trace_read_settings(trace_settings *it, const char *from, const char *text)
{
    size_t line = 1;
    const char *start = text;
    while (*text) {
        size_t size = strcspn(text, " \t\r\n");
        if (*text == '#') {
            text += strcspn(text, "\n");
        } else if (size) {
            read_setting(it, from, line, (size_t)(text - start) + 1, text, size);
            text += size;
        } else {
            line += *text == '\n';
            start = *text++ == '\n' ? text : start;
        }
    }
}

void trace_read_settings_file(trace_settings *it, const char *name)
{
    text_buffer text = {0};
    FILE *file = fopen(name, "r");
    size_t size = 1;
    while (file && size) {
        size = fread(text_reserve(&text, 4096), 1, 4096, file);
        text.size += size;
    }
    if (!file || ferror(file))
        stream_fail("%s: %s", name, strerror(errno));
    fclose(file);
    trace_read_settings(it, name, text_string(&text));
    text_free(&text);
}
