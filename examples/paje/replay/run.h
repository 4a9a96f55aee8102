/* A trace from its file through the simulation. */
#pragma once

#include "base/text.h"
#include "replay/guess.h"
#include "replay/progress.h"
#include "replay/settings.h"
#include "replay/source.h"
#include "replay/tally.h"

/* The replay of one trace.  Within callbacks pajesim_data(sim) points to it. */
typedef struct paje_run {
    const paje_settings *settings;
    pajesim sim;
    pajesim_callbacks callbacks; /* those that the simulation calls */
    pajesim_callbacks filtered;  /* those of the command, if a filter calls them */
    paje_choice choice;
    paje_tally tally;
    unsigned char *arena;
    size_t capacity;
    unsigned moves;
    paje_source *source; /* the innermost */
    uint64_t most;       /* bytes of the trace that are read: those of a first pass; UINT64_MAX: all */
    uint64_t file_errors;
    const pajesim_counts *counts; /* see paje_counts_of(); NULL: those of the simulation */
    paje_unit_guess comments; /* the unit that comments tell; .unit NULL: none */
    uint64_t comments_read; /* bytes of the trace whose comments were read */
    text_buffer comment;    /* of these: the last line, if it has not ended yet */
    int has_told_unit, has_told_range;
    double unit_nanoseconds; /* see paje_nanoseconds(); 0: not known yet */
    double began, seconds;
    paje_progress progress;
    int trace;                  /* its number: see settings->begin */
    const pajesim_index *index; /* of which only a part of the trace is replayed; NULL: all of it is */
    void *command_data; /* the command's own: set by `begin`, for its callbacks */
} paje_run;

/* Replays one trace: `name` is a file, "-" standard input.  Returns an exit status. */
int paje_replay(const paje_settings *settings, const char *name, int trace);

/* The steps of paje_replay(), for commands that replay several traces at the same time: open, start, feed until it
 * returns 0, finish, close. */
void paje_open_run(paje_run *run, const paje_settings *settings, const char *name);
/* Reads a block, or feeds up to `most` bytes of it.  Returns 0 at the end of the trace and after a callback stopped
 * it. */
int paje_feed_run(paje_run *run, size_t most);
/* Returns how far the trace was fed, without the files that it includes. */
uint64_t paje_run_offset(const paje_run *run);
/* Feeds the trace up to there, and the files that it includes until then.  Returns 0 as paje_feed_run() does. */
int paje_feed_run_to(paje_run *run, uint64_t offset);
/* Goes on reading the trace at that offset; the simulation is brought there by other means. */
void paje_seek_run(paje_run *run, uint64_t offset);
/* Calls the command's `begin`, then puts the filter before the callbacks. */
void paje_start_run(paje_run *run, int trace);
void paje_finish_run(paje_run *run);
/* The counts up to the end of a part (replay/part.h), behind which more may have been read; else of what was read. */
static inline const pajesim_counts *paje_counts_of(const paje_run *run)
{
    return run->counts ? run->counts : pajesim_count(&run->sim);
}
/* The counts of the whole trace, at its end, also if only a part was replayed. */
pajesim_counts paje_whole_counts(const paje_run *run);
/* The same by an index: what comes behind its last checkpoint is read. */
pajesim_counts paje_indexed_counts(const paje_settings *settings, const char *name, const pajesim_index *index);
/* Returns an exit status. */
int paje_close_run(paje_run *run);

/* Whether a trace can be read twice: it is no pipe. */
int paje_is_file(const char *name);
/* Replays a file before the replay proper, for what the callbacks note.  Problems are left to that. */
void paje_look_ahead(const paje_settings *settings, const char *name, const pajesim_callbacks *callbacks);
/* Notes the trace at the end of a first pass, as paje_look_ahead() does: a run that begins later reads what that has
 * read, also if the file has grown, and fails if it is another one, or has changed. */
void paje_note_first_pass(const paje_run *run);

/* A file, and how far it was read. */
typedef struct paje_pass {
    uint64_t device, inode, length, date, bytes; /* bytes: 0: not at all */
} paje_pass;

paje_pass paje_pass_of(const paje_run *run);
/* Fails unless the file is the one of that pass, as it was, or has grown: then it has another date. */
void paje_check_pass(const paje_pass *pass, const paje_source *source);

/* The callbacks of a run. */
typedef struct paje_callbacks {
    pajesim_callbacks called, filtered;
} paje_callbacks;

/* Puts others, behind the filter, in their place, NULL: none; returns those that were there.  Put them back again. */
paje_callbacks paje_change_callbacks(paje_run *run, const pajesim_callbacks *callbacks);
void paje_put_back_callbacks(paje_run *run, const paje_callbacks *callbacks);

/* Moves the simulation into a larger arena, after PAJESIM_FULL. */
void paje_grow_run(paje_run *run);
/* Shows how far the trace is read: see replay/progress.h. */
void paje_show_run(paje_run *run);
/* Opens a trace at a checkpoint of its index. */
void paje_open_run_at(paje_run *run, const paje_settings *settings, const char *name, const pajesim_index *index,
                      uint32_t checkpoint);
/* Whether the trace differs from its index between the last checkpoint and the one before. */
int paje_is_last_stretch_stale(const paje_settings *settings, const char *name, const pajesim_index *index);
/* Opens a trace at the last checkpoint, to add to the index. */
void paje_resume_run(paje_run *run, const paje_settings *settings, const char *name, pajesim_index *index);
