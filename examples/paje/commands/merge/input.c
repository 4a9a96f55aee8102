/* Lines of an input, read a piece at a time and kept until it is their turn. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 4096         /* bytes of an input that are read ahead */
#define SMALL_PIECE 1024   /* with many inputs, as memory grows with their number */
#define MANY 256           /* more inputs are many */
#define SPARE 32           /* file descriptors for other files */
#define SHOWN_WARNINGS 5   /* of each input */
#define SHOWN_BYTES 64     /* bytes of the trace in a message */

void merge_limit_inputs(merge *m)
{
    struct rlimit files;
    m->has_many = m->input_count > MANY;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        m->closes_files = files.rlim_max != RLIM_INFINITY && (rlim_t)m->input_count + SPARE > files.rlim_max;
    }
}

/* ---- lines */

static merge_recent *recent_slot(merge_input *input, pajesim_ref ref)
{
    return &input->recent[(uint32_t)ref * 0x9e3779b1u >> 28];
}

static const merge_definition *find_definition(merge_input *input, pajesim_ref ref)
{
    merge_recent *recent = recent_slot(input, ref);
    if (!recent->definition || recent->ref != ref)
        *recent = (merge_recent){merge_find_definition(input->merge, input->index, ref), ref};
    return recent->definition;
}

int merge_on_definition(pajesim *sim, const pajesim_definition *definition)
{
    merge_input *input = pajesim_data(sim);
    recent_slot(input, definition->ref)->definition = NULL;
    merge_add_definition(input->merge, input->index, sim, definition);
    pajesim_field first;
    int is_direct = definition->event > PAJESIM_DESTROY_CONTAINER && definition->event != PAJESIM_TRACE_FILE &&
                    !input->run.source->includer &&
                    pajesim_definition_field(sim, definition->ref, 0, &first) && first.role == PAJESIM_TIME;
    merge_note_direct(input, definition->number, is_direct ? find_definition(input, definition->ref) : NULL);
    return PAJESIM_GO_ON;
}

/* Keeps the name of the file that is read until the end of the merge. */
static void keep_file_name(merge_input *input)
{
    merge *m = input->merge;
    const char *name = input->run.source->name;
    if (!input->file || strcmp(input->file, name) != 0) {
        size_t size = strlen(name) + 1, number = map_add(&m->file_names, name, size);
        char **kept = array_at(&m->files, number);
        if (!*kept)
            *kept = memcpy(memory_alloc(size, 1), name, size);
        input->file = *kept;
    }
}

static void add_comment(merge_input *input, pajesim_text text)
{
    if (text.size == 0)
        return;
    merge_line *line = merge_add_line(input);
    line->definition = NULL;
    merge_add_word(input, line, text);
}

static void survey_time(const pajesim *sim, merge_input *input, const pajesim_line *parsed,
                        const merge_definition *definition)
{
    merge *m = input->merge;
    pajesim_field field;
    uint32_t position = definition->positions[PAJESIM_TIME];
    if (position && pajesim_line_field(sim, parsed, position - 1, &field)) {
        pajesim_time time = merge_read_time(input, field.text, parsed->time);
        merge_note_decimals(m, field.text);
        input->least = merge_min(input->least, time);
        input->unkept = merge_max(input->unkept, merge_correct(m, input, time));
    }
}

static void add_fields(const pajesim *sim, merge_input *input, const merge_line *line, const pajesim_line *parsed)
{
    pajesim_field field;
    for (uint32_t i = 0; pajesim_line_field(sim, parsed, i, &field); i++)
        merge_add_word(input, line, field.text);
}

/* Returns what the sorter has noted of a line of its copy: its number in the input, and MERGE_EARLY; where there is no
 * copy, its number. */
static uint64_t number_in_copy(const merge_input *input, uint64_t number)
{
    uint64_t found;
    const uint64_t at = (input->copy.first_number + number - 1) * sizeof found;
    if (input->copy.lines < 0 || pread(input->copy.numbers, &found, sizeof found, (off_t)at) != (ssize_t)sizeof found)
        return number;
    return found;
}

int merge_on_line(pajesim *sim, const pajesim_line *parsed)
{
    merge_input *input = pajesim_data(sim);
    const merge_definition *definition = find_definition(input, parsed->definition);
    if (definition->event == PAJESIM_TRACE_FILE)
        input->merge->share.is_possible = 0;
    if (input->merge->pass == MERGE_SURVEY && !input->merge->aligns && !merge_is_surveyed(definition->event)) {
        survey_time(sim, input, parsed, definition);
        return PAJESIM_GO_ON;
    }
    merge_line *line = merge_add_line(input);
    line->definition = definition;
    line->time = parsed->time;
    add_fields(sim, input, line, parsed);
    if (definition->positions[PAJESIM_TIME])
        line->time = merge_read_time(input, merge_field(input, line, PAJESIM_TIME), parsed->time);
    if (definition->event == PAJESIM_CREATE_CONTAINER && !input->run.source->includer)
        line->is_early = (number_in_copy(input, line->number) & MERGE_EARLY) != 0;
    if (definition->event >= PAJESIM_CREATE_CONTAINER && definition->positions[PAJESIM_TIME] && !line->is_early)
        merge_reach(input, line->time);
    return PAJESIM_GO_ON;
}

/* What messages call an input. */
static const char *shown_name(const merge_input *input)
{
    return strcmp(input->name, "-") == 0 ? "<stdin>" : input->name;
}

/* ---- problems */

/* Returns the number that a line had before its input was sorted; `file` is where the line is from. */
static uint64_t line_number(const merge_input *input, const char *file, uint64_t number)
{
    return strcmp(file, shown_name(input)) == 0 ? number_in_copy(input, number) & ~MERGE_EARLY : number;
}

static void show_named(merge_input *input, const pajesim_problem *problem)
{
    if (problem->severity == PAJESIM_WARNING && input->warnings++ >= SHOWN_WARNINGS)
        return;
    if (!paje_admits_problem(&input->run, problem, UINT64_MAX))
        return;
    text_buffer text = {0};
    paje_format_problem(&text, &input->run, problem);
    text_putc(&text, '\n');
    stream_write_error(&text);
    text_free(&text);
}

/* `file`: where the line is from; the file that is read now may be another one. */
static void show_problem(merge_input *input, char *file, const pajesim_problem *problem)
{
    paje_source *source = input->run.source;
    char *name = source->name;
    if (input->merge->share.is_outside)
        return;
    merge_go_on_alone(input->merge);
    source->name = file;
    show_named(input, problem);
    source->name = name;
}

int merge_on_problem(pajesim *sim, const pajesim_problem *problem)
{
    merge_input *input = pajesim_data(sim);
    if (input->merge->pass != MERGE_WRITE) /* other passes meet the same problem */
        return PAJESIM_GO_ON;
    keep_file_name(input);
    merge_line *line = merge_add_line(input);
    line->definition = NULL;
    *array_push(&input->problems) = *problem;
    line->problem = input->problems.count;
    line->number = problem->line + (input->run.source->includer ? 0 : input->direct.lines);
    merge_add_word(input, line, problem->bytes);
    /* With its NUL: the text about a file that is left out ends with this call. */
    merge_add_word(input, line, (pajesim_text){problem->text, strlen(problem->text) + 1});
    return PAJESIM_GO_ON;
}

void merge_show_problem(merge_input *input, const merge_line *line)
{
    pajesim_problem problem = input->problems.items[line->problem - 1];
    problem.line = line_number(input, line->file, line->number);
    problem.bytes = merge_word(input, line, 0);
    problem.text = merge_word(input, line, 1).bytes;
    show_problem(input, line->file, &problem);
}

int merge_reject(merge_input *input, const merge_line *line, pajesim_code code, pajesim_text bytes)
{
#define SEVERITY(code, strict, lenient, text) {PAJESIM_##lenient, PAJESIM_##strict},
    static const pajesim_severity severities[][2] = {PAJESIM_PROBLEMS(SEVERITY)};
#undef SEVERITY
    pajesim_problem problem;
    /* Definitions are processed in the survey only. */
    int is_definition = line->definition->event <= PAJESIM_DEFINE_ENTITY_VALUE;
    memset(&problem, 0, sizeof problem);
    problem.code = code;
    problem.severity = severities[code][input->run.settings->simulation.strict != 0];
    problem.text = pajesim_problem_text(code);
    problem.line = line_number(input, line->file, line->number);
    problem.bytes = bytes;
    problem.bytes.size = bytes.size < SHOWN_BYTES ? bytes.size : SHOWN_BYTES;
    if (input->merge->pass == (is_definition ? MERGE_SURVEY : MERGE_WRITE)) {
        show_problem(input, line->file, &problem);
        input->errors += problem.severity == PAJESIM_ERROR;
    }
    return problem.severity == PAJESIM_ERROR;
}

/* ---- reading */

void merge_open_input(merge_input *input, const paje_settings *settings)
{
    int is_copy = input->copy.lines >= 0;
    paje_open_run(&input->run, settings, is_copy ? "/dev/null" : input->path ? input->path : input->name);
    if (!is_copy && !input->path && !input->is_raw) {
        if (input->opened.inode)
            paje_check_pass(&input->opened, input->run.source);
        else
            input->opened = paje_pass_of(&input->run);
    }
    if (!is_copy && !input->path && input->size && input->size < input->run.source->length)
        input->run.source->length = input->size; /* what is added meanwhile is left out in each pass */
    input->merge->progress.total += is_copy ? input->copy.size : input->run.source->length;
    input->run.progress.is_shown = 0;
    if (is_copy || input->path) { /* messages name it otherwise */
        paje_source *source = input->run.source;
        const char *name = shown_name(input);
        free(source->name);
        source->name = memcpy(memory_alloc(strlen(name) + 1, 1), name, strlen(name) + 1);
        lseek(source->file, 0, SEEK_SET);
    }
    if (is_copy) {
        close(input->run.source->file);
        input->run.source->file = -1;
    }
    input->is_timed = input->is_at_end = input->is_waiting = input->skips_wait = 0;
    input->latest = input->unkept = -INFINITY;
    input->clock.delay = input->clock.delayed_at = 0;
    input->file = NULL;
    input->next = 0;
    array_clear(&input->lines);
    array_clear(&input->spans);
    array_clear(&input->problems);
    text_clear(&input->text);
    input->processed = input->next_mark = 0;
    input->source = NULL;
    memset(input->known_types, 0, sizeof input->known_types);
    memset(input->known_values, 0, sizeof input->known_values);
    free(input->known_containers);
    input->known_containers = NULL;
    input->known_count = 0;
    input->comment.state = MERGE_LINE_BEGIN;
    merge_begin_direct(input, settings->simulation.parse_only && !settings->stats); /* --stats counts what it reads */
    input->warnings = 0;
}

int merge_close_input(merge_input *input)
{
    if (input->warnings > SHOWN_WARNINGS)
        stream_message("%s: %llu more warnings", input->run.source->name,
                       (unsigned long long)(input->warnings - SHOWN_WARNINGS));
    array_free(&input->lines);
    array_free(&input->spans);
    array_free(&input->problems);
    text_free(&input->text);
    text_free(&input->comment.text);
    int status = paje_close_run(&input->run);
    return input->errors ? EXIT_ERRORS : status;
}

static void reopen(paje_source *source)
{
    struct stat status;
    source->file = open(source->name, O_RDONLY | O_NOCTTY);
    if (source->file < 0 || fstat(source->file, &status) < 0 ||
        lseek(source->file, (off_t)source->consumed, SEEK_SET) < 0)
        stream_fail("%s: %s", source->name, strerror(errno));
    if ((uint64_t)status.st_dev != source->device || (uint64_t)status.st_ino != source->inode)
        stream_fail("%s: it was replaced by another file meanwhile", source->name);
}

/* Returns where an input ends: in its copy, or where it ended when the merge began; 0: where its file ends. */
static uint64_t end_of(const merge_input *input)
{
    const paje_source *source = input->run.source;
    if (source->includer)
        return 0;
    if (input->copy.lines >= 0)
        return input->copy.size;
    return input->path ? 0 : source->length;
}

/* Lets the reader find the end there. */
static void end_file(paje_source *source)
{
    if (source->file >= 0)
        close(source->file);
    if ((source->file = open("/dev/null", O_RDONLY)) < 0)
        stream_fail("/dev/null: %s", strerror(errno));
}

/* Reads the next bytes of the file, behind those that are left; returns how many. */
static size_t read_bytes(merge_input *input)
{
    paje_source *source = input->run.source;
    const merge_copy *copy = &input->copy;
    size_t left = source->size - source->at, room = PAJE_SOURCE_BYTES - left;
    size_t most = input->merge->has_many && PIECE < room ? PIECE : room;
    int is_copy = copy->lines >= 0 && !source->includer;
    const uint64_t end = end_of(input);
    if ((is_copy || end) && end - source->consumed < most)
        most = (size_t)(end - source->consumed);
    if (!is_copy && source->file < 0)
        reopen(source);
    ssize_t size;
    memmove(source->bytes, source->bytes + source->at, left);
    do
        size = is_copy ? pread(copy->lines, source->bytes + left, most, (off_t)(copy->start + source->consumed))
                       : read(source->file, source->bytes + left, most);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        stream_fail("%s: %s", source->name, strerror(errno));
    if (size == 0 && (is_copy ? source->file < 0 : end && source->consumed == end))
        end_file(source);
    source->at = 0;
    source->size = left + (size_t)size;
    source->consumed += (uint64_t)size;
    if (!source->includer)
        input->merge->read += (uint64_t)size;
    paje_show_progress(&input->merge->progress, input->merge->read);
    return (size_t)size;
}

static int feed_end(merge_input *input)
{
    const paje_source *source = input->run.source;
    if (input->merge->pass == MERGE_WRITE && input->comment.state == MERGE_IN_LINE && !source->includer)
        stream_message("%s: the last line has no end: was it cut when the program died?", source->name);
    if (input->direct.is_in_line) /* each process would say so */
        input->merge->share.is_possible = 0;
    add_comment(input, merge_end_comment(&input->comment));
    merge_settle_times(input);
    return paje_feed_run(&input->run, 0);
}

/* Feeds up to `most` bytes to the reader.  The last pass stops at comments, so that they keep their place among the
 * lines. */
static int feed_reader(merge_input *input, size_t most)
{
    paje_source *source = input->run.source;
    size_t at = source->at;
    input->is_direct = 0;
    if (input->merge->pass != MERGE_WRITE)
        return paje_feed_run(&input->run, most);
    most = merge_find_comment(&input->comment, source->bytes + at, most);
    int goes_on = paje_feed_run(&input->run, most);
    add_comment(input, merge_read_comment(&input->comment, source->bytes + at, source->at - at));
    return goes_on;
}

/* Reads some lines, about `most` bytes. */
static int read_lines(merge_input *input, size_t most)
{
    paje_source *source = input->run.source;
    merge_direct *direct = &input->direct;
    size_t left = source->size - source->at, at, size = left < most ? left : most;
    direct->is_possible &= !source->includer;
    if (!direct->is_possible)
        return feed_reader(input, size);
    if (!direct->is_in_line) {
        merge_skip_to_mark(input);
        left = source->size - source->at;
        source->at += merge_take_lines(input, source->bytes + source->at, left, most);
    }
    at = source->at;
    left = source->size - at;
    if (left == 0 || input->lines.count) /* none is left also if a mark lies behind what was read */
        return 1;
    if (at > 0 && !direct->is_in_line && !memchr(source->bytes + at, '\n', left) && read_bytes(input) > 0)
        return 1; /* now the line may be whole */
    at = source->at;
    merge_settle_times(input);
    int goes_on = feed_reader(input, merge_count_others(input, source->bytes + at, left < most ? left : most));
    if (input->run.source == source && source->at > at)
        direct->is_in_line = source->bytes[source->at - 1] != '\n';
    return goes_on;
}

static void close_files(merge_input *input)
{
    for (paje_source *source = input->run.source; source; source = source->includer)
        if (source->file >= 0) {
            close(source->file);
            source->file = -1;
        }
}

/* Feeds some of what comes next.  Returns 0 at the end. */
static int feed(merge_input *input)
{
    paje_source *source = input->run.source;
    if (source != input->source) {
        add_comment(input, merge_end_comment(&input->comment));
        input->source = source;
        keep_file_name(input);
    }
    if (source->at == source->size)
        read_bytes(input);
    size_t size = source->size - source->at, piece = input->merge->has_many ? SMALL_PIECE : PIECE;
    int goes_on = size == 0 ? feed_end(input) : read_lines(input, piece);
    if (input->merge->closes_files && !input->path)
        close_files(input);
    return goes_on;
}

const merge_line *merge_next_line(merge_input *input)
{
    while (input->next == input->lines.count) {
        input->next = 0;
        array_clear(&input->lines);
        array_clear(&input->spans);
        array_clear(&input->problems);
        text_clear(&input->text);
        if (input->is_at_end)
            return NULL;
        if (!feed(input)) {
            paje_finish_run(&input->run);
            input->is_at_end = 1;
        }
    }
    return &input->lines.items[input->next];
}

void merge_free_inputs(merge *m)
{
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_input *input = &m->inputs[i];
        free(input->path);
        free(input->known_containers);
        array_free(&input->marks);
        array_free(&input->by_type);
        array_free(&input->by_value);
        array_free(&input->by_use);
        map_free(&input->types);
        map_free(&input->values);
        map_free(&input->uses);
    }
    free(m->inputs);
    for (size_t i = 0; i < m->files.count; i++)
        free(m->files.items[i]);
    array_free(&m->files);
    map_free(&m->file_names);
}
