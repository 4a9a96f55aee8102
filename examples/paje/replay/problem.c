/* Warnings and errors as lines. */
#include "replay/problem.h"
#include "base/stream.h"

#include <string.h>

/* A problem is always one of the innermost file. */
static void add_file_name(text_buffer *line, const paje_run *run)
{
    text_put_printable(line, (pajesim_text){run->source->name, strlen(run->source->name)});
}

static void add_bytes(text_buffer *line, pajesim_text bytes)
{
    text_puts(line, ": `");
    text_put_printable(line, bytes);
    text_putc(line, '`');
}

void paje_format_problem(text_buffer *line, const paje_run *run, const pajesim_problem *problem)
{
    add_file_name(line, run);
    /* A problem of the line as a whole has column 0: print 1. */
    text_printf(line, ":%llu:%lu: %s: %s", (unsigned long long)problem->line,
                problem->column ? (unsigned long)problem->column : 1ul,
                problem->severity == PAJESIM_ERROR ? "error" : "warning", problem->text);
    if (problem->bytes.size > 0)
        add_bytes(line, problem->bytes);
}

/* ---- what is shown */

static int is_below_limit(const paje_run *run, uint64_t count)
{
    return run->settings->limit == 0 || count < run->settings->limit;
}

/* Whether the error is that nothing has the name which is its bytes. */
static int is_by_name(pajesim_code code)
{
    return code == PAJESIM_E_EVENT_UNKNOWN || code == PAJESIM_E_TYPE_UNKNOWN || code == PAJESIM_E_CONTAINER_UNKNOWN;
}

static int is_of_definition(pajesim_code code)
{
    return code >= PAJESIM_E_HEADER_LINE && code <= PAJESIM_E_HEADER_WORDS && code != PAJESIM_E_HEADER_TWICE;
}

/* Counts an error by a name that had one before, or whose definition had one.  Returns 0 if it is to be shown. */
static int count_name(paje_run *run, const pajesim_problem *problem)
{
    static text_buffer key;
    paje_tally *tally = &run->tally;
    text_clear(&key);
    text_putc(&key, (char)problem->code);
    text_append(&key, problem->bytes);
    size_t number = map_find(&tally->names, key.bytes, key.size);
    int is_first = number == MAP_NONE, has_error = problem->code == PAJESIM_E_EVENT_UNKNOWN && tally->has_refused;
    if (is_first && !is_below_limit(run, has_error ? tally->names.used : tally->shown))
        return 0;
    if (is_first)
        number = map_add(&tally->names, key.bytes, key.size);
    *array_at(&tally->counts, number) += !is_first || has_error;
    return !is_first || has_error;
}

int paje_admits_problem(paje_run *run, const pajesim_problem *problem, uint64_t warnings)
{
    paje_tally *tally = &run->tally;
    pajesim_code code = problem->code;
    if (problem->severity == PAJESIM_WARNING)
        return tally->warnings[code]++ < warnings;
    tally->errors[code]++;
    tally->has_refused |= is_of_definition(code);
    if (run->settings->limit && is_by_name(code) && count_name(run, problem))
        return 0;
    if (is_below_limit(run, tally->shown)) {
        tally->shown++;
        return 1;
    }
    tally->omitted++;
    return 0;
}

void paje_tell_problem(paje_run *run, const pajesim_problem *problem)
{
    if (!paje_admits_problem(run, problem, PAJE_SHOWN_WARNINGS))
        return;
    text_buffer line = {0};
    paje_format_problem(&line, run, problem);
    text_putc(&line, '\n');
    stream_write_error(&line);
    text_free(&line);
}

int paje_show_problem(pajesim *sim, const pajesim_problem *problem)
{
    paje_tell_problem(pajesim_data(sim), problem);
    return PAJESIM_GO_ON;
}

uint64_t paje_pajeng_errors;

int paje_show_problem_of_pajeng(pajesim *sim, const pajesim_problem *problem)
{
    pajesim_problem shown = *problem;
    if (problem->code == PAJESIM_E_CONTAINER_DESTROYED || problem->code == PAJESIM_E_NONE)
        shown.severity = PAJESIM_WARNING;
    paje_pajeng_errors += shown.severity == PAJESIM_ERROR;
    return paje_show_problem(sim, &shown);
}

/* ---- what was not shown */

static void put_count(text_buffer *lines, const paje_run *run, const char *severity, uint64_t count, const char *text)
{
    add_file_name(lines, run);
    text_printf(lines, ": %s: %llu %s", severity, (unsigned long long)count, text);
}

static void put_hint(text_buffer *lines, const paje_run *run, pajesim_code code, const char *hint)
{
    if (run->tally.errors[code] == 0)
        return;
    add_file_name(lines, run);
    text_printf(lines, ": %s\n", hint);
}

void paje_put_omitted(text_buffer *lines, paje_run *run, uint64_t warnings)
{
    paje_tally *tally = &run->tally;
    for (int code = 0; code < PAJESIM_E_COUNT; code++)
        if (tally->warnings[code] > warnings) {
            put_count(lines, run, "warning", tally->warnings[code] - warnings, "more times: ");
            text_printf(lines, "%s\n", pajesim_problem_text((pajesim_code)code));
        }
    for (size_t i = 0; i < tally->counts.count; i++) {
        pajesim_text key = map_key(&tally->names, i);
        pajesim_code code = (pajesim_code)key.bytes[0];
        if (tally->counts.items[i] == 0)
            continue;
        put_count(lines, run, "error", tally->counts.items[i],
                  code == PAJESIM_E_EVENT_UNKNOWN && tally->has_refused ? "times: " : "more times: ");
        text_puts(lines, pajesim_problem_text(code));
        add_bytes(lines, (pajesim_text){key.bytes + 1, key.size - 1});
        text_putc(lines, '\n');
    }
    if (tally->omitted)
        put_count(lines, run, "error", tally->omitted, "more errors; --limit=0 prints all\n");
    put_hint(lines, run, PAJESIM_E_HEADER_OLD_NAME, "-n accepts field names of older versions");
    put_hint(lines, run, PAJESIM_E_LINK_PENDING, "with -z, links that never get their other ends are no errors");
    map_free(&tally->names);
    array_free(&tally->counts);
    memset(tally, 0, sizeof *tally);
}

void paje_show_omitted(paje_run *run)
{
    text_buffer lines = {0};
    paje_put_omitted(&lines, run, PAJE_SHOWN_WARNINGS);
    if (lines.size)
        stream_write_error(&lines);
    text_free(&lines);
}
