/* Files that a trace includes. */
#pragma once

#include "problems.h"

/* A file that another one includes. */
typedef struct pajesim__file {
    pajesim__offset importer; /* 0: the trace itself */
    pajesim__text name;
    pajesim__offset definitions; /* its own, the latest first */
    pajesim__length scope;
    pajesim__length importer_scope;
    pajesim_counter importer_line;
} pajesim__file;
#define PAJESIM__FILE_MEMBERS(X, T) \
    X(T, importer) X(T, name) X(T, definitions) X(T, scope) X(T, importer_scope) X(T, importer_line)

static uint32_t pajesim__scope(const pajesim *sim)
{
    pajesim__offset file = PAJESIM__FILE(PAJESIM__CONST_STATE(sim));
    return file ? PAJESIM__AT(sim, pajesim__file, file)->scope : 0;
}

/* A file that the current line includes. */
typedef struct pajesim__file_request {
    uint32_t word; /* of the file's name; 0: none */
    pajesim__offset file;
    pajesim__text name;
} pajesim__file_request;

/* Allocates what entering a file requires; returns 0, and reports it, if files are nested too deep. */
static int pajesim__reserve_file(pajesim *sim, pajesim__line *line, uint32_t word, pajesim__file_request *request)
{
    request->word = word;
    if (!word)
        return 1;
    if (!PAJESIM_FILES || PAJESIM__STATE(sim)->depth >= PAJESIM__STATE(sim)->file_depth_max) {
        pajesim__diagnose(sim, line, PAJESIM_E_FILE_DEPTH, word);
        return 0;
    }
    request->file = pajesim__alloc(sim, sizeof(pajesim__file));
    request->name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, word));
    return 1;
}

/* The file becomes the current one at the end of the line: pajesim__enter_file. */
static void pajesim__store_file(pajesim *sim, const pajesim__line *line, const pajesim__file_request *request)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__file *file;
    if (!PAJESIM_FILES || PAJESIM__LIKELY(!request->word))
        return;
    file = PAJESIM__AT(sim, pajesim__file, request->file);
    file->importer = state->file;
    file->name = request->name;
    file->definitions = 0;
    file->scope = file->importer_scope = (pajesim__length)pajesim__scope(sim);
    file->importer_line = 0;
    pajesim__write_text(sim, request->name, PAJESIM__WORD(line, request->word), PAJESIM__SIZE(line, request->word));
    state->next_file = request->file;
    pajesim__callback_returned(sim, PAJESIM_PAUSE);
}

/* Begins with the file that the last line named. */
static void pajesim__enter_file(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__file *file = PAJESIM__AT(sim, pajesim__file, state->next_file);
    file->importer_line = state->line;
    state->file = state->next_file;
    state->next_file = 0;
    state->depth++;
    state->line = 0;
    state->bom_state = 0;
}

PAJESIM_API pajesim_text pajesim_file(const pajesim *sim)
{
    pajesim__offset file = PAJESIM__FILE(PAJESIM__CONST_STATE(sim));
    return pajesim__text_at(sim, file ? PAJESIM__AT(sim, pajesim__file, file)->name : 0);
}
