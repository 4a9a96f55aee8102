/* Streams of a program that runs: read as they come, given to tunlets, and kept in files. */
#pragma once

#include "base/array.h"
#include "feed.h"

#include <poll.h>

typedef struct stream {
    int file, record; /* -1: closed; not kept */
    int has_begun;    /* something has come: then `feed` has begun */
    feed feed;
} stream;

typedef struct streams {
    gathering *const *to; /* for feed_begin */
    size_t count;         /* of these */
    const char *folder;   /* where they are kept; NULL: nowhere */
    array_of(stream *) all;
    uint64_t bytes, events, refused, incomplete;
    feed_intrusion intrusion;
    int64_t arrived;      /* when the bytes that are being read came: ns, of CLOCK_MONOTONIC */
    int has_failed;       /* to keep them */
} streams;

void streams_begin(streams *it, gathering *const *to, size_t count, const char *folder);
/* Reads from a descriptor from now on; in files, the stream has that name.  NULL: it is not kept. */
void streams_add(streams *it, int file, const char *name);
/* Connects to a live program at a socket, and asks for its trace.  Returns 0 with errno. */
int streams_attach(streams *it, const char *path);
/* A connection to the socket of a live program, or -1 with errno. */
int streams_connect(const char *path);
/* Stores what to wait for, at most `capacity` descriptors; returns how many. */
nfds_t streams_wait(const streams *it, struct pollfd *files, nfds_t capacity);
/* Reads what has come, after poll() of these. */
void streams_read(streams *it, const struct pollfd *files, nfds_t count);
/* How many are open. */
size_t streams_open(const streams *it);
/* Ends all of them. */
void streams_end(streams *it);
