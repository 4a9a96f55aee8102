/* What requests are replied to, by a program or by a side program. */
#pragma once

#include "markup.h"
#include "measure.h"

typedef struct reply {
    measure measure;
    const char *folder; /* of destinations; NULL: none is allowed */
    void *data;         /* of these calls */
    uint64_t (*now)(void *data);
    /* The regions: their names by number, from 0; NULL beyond. */
    const char *(*region)(void *data, uint32_t number, const char **file, int *line);
    /* The states that a thread is in, from the innermost on; NULL beyond. */
    const char *(*frame)(void *data, uint32_t place, uint32_t depth);
    /* What only a program can do; NULL in a side program.  They reply by themselves. */
    void (*tune)(void *data, document *from, uint32_t client, markup *to);
    void (*trace)(void *data, document *from, uint32_t client, markup *to);
    void (*catalog)(void *data, markup *to); /* its knobs, slots and calls */
    uint32_t files_written;
} reply;

/* Replies to a document that is whole; `client` is who sent it. */
void reply_document(reply *it, document *from, uint32_t client, markup *to);
/* Does what is due, and hands documents to `deliver`, which returns 0 if it has no room. */
typedef int (*reply_deliver)(void *data, uint32_t client, const char *bytes, size_t size);
void reply_tick(reply *it, uint64_t now, reply_deliver deliver);
/* When reply_tick has to be called next; UINT64_MAX: not until the next request. */
uint64_t reply_next(const reply *it);
/* A client has gone: its probes are removed. */
void reply_forget(reply *it, uint32_t client);
/* The entities of a program. */
void reply_snapshot(const reply *it, int are_named, uint32_t stack, markup *to);
/* Opens a file in a folder to add to it.  Returns -1 with errno. */
int reply_open_file(const char *folder, const char *uri);
