/* A file that is merged: its lines are read a piece at a time, and kept until it is their turn. */
#include "merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 4096           /* bytes that are read ahead of each file, so that memory goes with their number only */
#define SHOWN_WARNINGS 5     /* of each file */

static const pajesim_text nothing = {"", 0};

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

int merge_on_line(pajesim *sim, const pajesim_line *line)
{
    merge_input *input = pajesim_data(sim);
    if (input->count == input->room) {
        input->room += input->room / 2 + 64;
        input->lines = paje_room(input->lines, input->room * sizeof *input->lines);
    }
    merge_line *kept = &input->lines[input->count++];
    merge_entry *entry = merge_find(merge_make_key(MERGE_DEFINED, input->index, line->definition, 0, nothing));
    memcpy(&kept->definition, entry->thing, sizeof kept->definition);
    kept->time = line->time;
    kept->file = file_name(input);
    kept->number = pajesim_line_number(sim);
    kept->text = input->text.size;
    pajesim_field field;
    for (uint32_t i = 0; pajesim_line_field(sim, line, i, &field); i++) {
        kept->spans[2 * i] = (uint32_t)(input->text.size - kept->text);
        kept->spans[2 * i + 1] = (uint32_t)field.text.size;
        paje_add_text(&input->text, field.text);
    }
    return PAJESIM_GO_ON;
}

int merge_on_problem(pajesim *sim, const pajesim_problem *problem)
{
    merge_input *input = pajesim_data(sim);
    if (!merge_writing || (problem->severity == PAJESIM_WARNING && input->warnings++ >= SHOWN_WARNINGS))
        return PAJESIM_GO_ON;
    paje_buffer text = {0};
    paje_format_problem(&text, &input->run, problem);
    paje_add(&text, "\n", 1);
    paje_complain(&text);
    paje_release(&text);
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
    memset(&problem, 0, sizeof problem);
    problem.code = code;
    problem.severity = severities[code][input->run.settings->simulation.strict != 0];
    problem.text = pajesim_problem_text(code);
    problem.line = line->number;
    problem.bytes = bytes;
    problem.bytes.size = bytes.size < 64 ? bytes.size : 64;
    file.name = line->file;
    input->run.source = &file;
    merge_on_problem(&input->run.sim, &problem);
    input->run.source = source;
    input->errors += problem.severity == PAJESIM_ERROR;
    return problem.severity == PAJESIM_ERROR;
}

void merge_open_input(merge_input *input, const paje_settings *settings)
{
    paje_open_run(&input->run, settings, input->name);
    input->timed = input->ended = 0;
    input->latest = -INFINITY;
    input->file = NULL;
    input->count = input->next = input->text.size = 0;
    input->errors = input->warnings = 0;
}

int merge_close_input(merge_input *input)
{
    if (merge_writing && input->warnings > SHOWN_WARNINGS)
        paje_message("%s: %llu more warnings", input->run.source->name,
                     (unsigned long long)(input->warnings - SHOWN_WARNINGS));
    free(input->lines);
    input->lines = NULL;
    input->count = input->room = 0;
    paje_release(&input->text);
    int status = paje_close_run(&input->run);
    return input->errors ? PAJE_ERRORS : status;
}

const merge_line *merge_next_line(merge_input *input)
{
    while (input->next == input->count) {
        input->next = input->count = input->text.size = 0;
        if (input->ended)
            return NULL;
        if (!paje_feed_run(&input->run, PIECE)) {
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
