/* A file that is merged: its lines are read a piece at a time, and kept until it is their turn. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 4096       /* bytes of each file whose lines are kept, */
#define SMALL_PIECE 1024 /* where there are many */
#define SHOWN_WARNINGS 5 /* of each file */
#define MANY 256         /* files: from then on less is read ahead of each */
#define SPARE 32         /* descriptors for what else is open */

static int are_many;      /* the files: memory goes with their number, so it shall be little for each */
static int closes_often;  /* so many that they cannot be open at once: each is, only while it is read */

static const pajesim_text nothing = {"", 0};

void merge_begin_inputs(void)
{
    struct rlimit files;
    are_many = merge_input_count > MANY;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        closes_often = files.rlim_max != RLIM_INFINITY && (rlim_t)merge_input_count + SPARE > files.rlim_max;
    }
}

int merge_on_definition(pajesim *sim, const pajesim_definition *definition)
{
    merge_input *input = pajesim_data(sim);
    merge_key key = merge_make_key(MERGE_DEFINED, input->index, definition->ref, 0, nothing);
    merge_entry *entry = merge_find(key);
    if (entry) /* a ref may come again after the end of an included file */
        merge_remove(entry);
    const merge_definition *like = merge_define(sim, definition);
    void *thing = paje_room(NULL, sizeof like);
    memcpy(thing, &like, sizeof like);
    merge_add(merge_make_key(MERGE_DEFINED, input->index, definition->ref, 0, nothing), thing, 1);
    return PAJESIM_GO_ON;
}

/* The name of the file that is read, to keep. */
static char *file_name(merge_input *input)
{
    const char *name = input->run.source->name;
    if (!input->file || strcmp(input->file, name) != 0) {
        pajesim_text text = {name, strlen(name) + 1};
        merge_key key = merge_make_key(MERGE_FILE, 0, 0, 0, text);
        const merge_entry *entry = merge_find(key);
        if (!entry)
            entry = merge_add(key, memcpy(paje_room(NULL, text.size), name, text.size), 1);
        input->file = entry->thing;
    }
    return input->file;
}

static merge_line *keep_line(merge_input *input)
{
    if (input->count == input->room) {
        input->room += input->room / 2 + 16;
        input->lines = paje_room(input->lines, input->room * sizeof *input->lines);
    }
    merge_line *kept = &input->lines[input->count++];
    kept->file = file_name(input);
    kept->number = pajesim_line_number(&input->run.sim);
    kept->text = input->text.size;
    return kept;
}

void merge_keep_comment(merge_input *input, pajesim_text text)
{
    merge_line *kept = keep_line(input);
    kept->definition = NULL;
    kept->spans[0] = 0;
    kept->spans[1] = (uint32_t)text.size;
    paje_add_text(&input->text, text);
}

int merge_on_line(pajesim *sim, const pajesim_line *line)
{
    merge_input *input = pajesim_data(sim);
    merge_line *kept = keep_line(input);
    merge_entry *entry = merge_find(merge_make_key(MERGE_DEFINED, input->index, line->definition, 0, nothing));
    memcpy(&kept->definition, entry->thing, sizeof kept->definition);
    kept->time = line->time;
    pajesim_field field;
    for (uint32_t i = 0; pajesim_line_field(sim, line, i, &field); i++) {
        kept->spans[2 * i] = (uint32_t)(input->text.size - kept->text);
        kept->spans[2 * i + 1] = (uint32_t)field.text.size;
        paje_add_text(&input->text, field.text);
    }
    return PAJESIM_GO_ON;
}

static void show_problem(merge_input *input, const pajesim_problem *problem)
{
    if (problem->severity == PAJESIM_WARNING && input->warnings++ >= SHOWN_WARNINGS)
        return;
    paje_buffer text = {0};
    paje_format_problem(&text, &input->run, problem);
    paje_add(&text, "\n", 1);
    paje_complain(&text);
    paje_release(&text);
}

/* Once, though all is read several times. */
int merge_on_problem(pajesim *sim, const pajesim_problem *problem)
{
    if (merge_pass == MERGE_WRITE)
        show_problem(pajesim_data(sim), problem);
    return PAJESIM_GO_ON;
}

int merge_refuse(merge_input *input, const merge_line *line, pajesim_code code, pajesim_text bytes)
{
#define SEVERITY(code, strict, lenient, text) {PAJESIM_##lenient, PAJESIM_##strict},
    static const pajesim_severity severities[][2] = {PAJESIM_PROBLEMS(SEVERITY)};
#undef SEVERITY
    static paje_source file; /* what is read meanwhile may be another one */
    paje_source *source = input->run.source;
    pajesim_problem problem;
    int defines = line->definition->event <= PAJESIM_DEFINE_ENTITY_VALUE; /* these are taken in the survey only */
    memset(&problem, 0, sizeof problem);
    problem.code = code;
    problem.severity = severities[code][input->run.settings->simulation.strict != 0];
    problem.text = pajesim_problem_text(code);
    problem.line = line->number;
    problem.bytes = bytes;
    problem.bytes.size = bytes.size < 64 ? bytes.size : 64;
    if (merge_pass == (defines ? MERGE_SURVEY : MERGE_WRITE)) {
        file.name = line->file;
        input->run.source = &file;
        show_problem(input, &problem);
        input->run.source = source;
        input->errors += problem.severity == PAJESIM_ERROR;
    }
    return problem.severity == PAJESIM_ERROR;
}

void merge_open_input(merge_input *input, const paje_settings *settings)
{
    paje_open_run(&input->run, settings, input->path ? input->path : input->name);
    if (input->path) { /* it has another name in messages */
        paje_source *source = input->run.source;
        const char *name = strcmp(input->name, "-") == 0 ? "<stdin>" : input->name;
        free(source->name);
        source->name = memcpy(paje_room(NULL, strlen(name) + 1), name, strlen(name) + 1);
        lseek(source->file, 0, SEEK_SET);
    }
    input->timed = input->ended = input->passes = 0;
    input->latest = -INFINITY;
    input->clock.late = input->clock.since = 0;
    input->file = NULL;
    input->count = input->next = input->text.size = 0;
    input->taken = 0;
    input->source = NULL;
    input->where = MERGE_LINE_BEGINS;
    input->waits = NULL;
    input->warnings = 0;
}

int merge_close_input(merge_input *input)
{
    if (input->warnings > SHOWN_WARNINGS)
        paje_message("%s: %llu more warnings", input->run.source->name,
                     (unsigned long long)(input->warnings - SHOWN_WARNINGS));
    free(input->lines);
    input->lines = NULL;
    input->count = input->room = 0;
    paje_release(&input->text);
    paje_release(&input->comment);
    int status = paje_close_run(&input->run);
    return input->errors ? PAJE_ERRORS : status;
}

static void reopen(paje_source *source)
{
    struct stat status;
    source->file = open(source->name, O_RDONLY | O_NOCTTY);
    if (source->file < 0 || fstat(source->file, &status) < 0 ||
        lseek(source->file, (off_t)source->consumed, SEEK_SET) < 0)
        paje_fail("%s: %s", source->name, strerror(errno));
    if ((uint64_t)status.st_dev != source->device || (uint64_t)status.st_ino != source->inode)
        paje_fail("%s: it was replaced by another file meanwhile", source->name);
}

/* Reads the next bytes of the file that is read. */
static void fill(merge_input *input)
{
    paje_source *source = input->run.source;
    if (source->file < 0)
        reopen(source);
    ssize_t size;
    do
        size = read(source->file, source->bytes, are_many ? PIECE : sizeof source->bytes);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        paje_fail("%s: %s", source->name, strerror(errno));
    source->at = 0;
    source->size = (size_t)size;
    source->consumed += (uint64_t)size;
}

/* Feeds some of what comes next.  Answers 0 at the end. */
static int feed(merge_input *input)
{
    paje_source *source = input->run.source;
    if (source != input->source) {
        merge_end_comment(input);
        input->source = source;
    }
    if (source->at == source->size)
        fill(input);
    size_t at = source->at, left = source->size - at, piece = are_many ? SMALL_PIECE : PIECE;
    size_t most = left < piece ? left : piece;
    int goes_on;
    if (most == 0) { /* the end of a file */
        if (merge_pass == MERGE_WRITE && input->where == MERGE_IN_LINE && !source->includer)
            paje_message("%s: the last line has no end: was it cut when the program died?", source->name);
        merge_end_comment(input);
        goes_on = paje_feed_run(&input->run, 0);
    } else if (merge_pass == MERGE_WRITE) {
        most = merge_find_comment(input, source->bytes + at, most);
        goes_on = paje_feed_run(&input->run, most);
        merge_pass_bytes(input, source->bytes + at, source->at - at);
    } else {
        goes_on = paje_feed_run(&input->run, most);
    }
    for (source = input->run.source; closes_often && source && !input->path; source = source->includer)
        if (source->file >= 0) {
            close(source->file);
            source->file = -1;
        }
    return goes_on;
}

const merge_line *merge_next_line(merge_input *input)
{
    while (input->next == input->count) {
        input->next = input->count = input->text.size = 0;
        if (input->ended)
            return NULL;
        if (!feed(input)) {
            paje_finish_run(&input->run);
            input->ended = 1;
        }
    }
    return &input->lines[input->next];
}

pajesim_text merge_word(const merge_input *input, const merge_line *line, uint32_t word)
{
    return (pajesim_text){input->text.bytes + line->text + line->spans[2 * word], line->spans[2 * word + 1]};
}

pajesim_text merge_role(const merge_input *input, const merge_line *line, pajesim_role role)
{
    uint32_t at = line->definition->at[role];
    return at ? merge_word(input, line, at - 1) : nothing;
}
