/* What the parts of a live program share: the agent, its clients, and what waits for a live_point. */
#pragma once

#include "reply.h"
#include "live.h"

#include <pthread.h>

enum {
    AGENT_CLIENTS = 8,
    AGENT_QUEUE = 65536,   /* bytes that a client has not taken yet */
    AGENT_MAIL = 64,       /* changes that wait for a live_point */
    AGENT_PATIENCE = 10000 /* rounds, of a millisecond or more, that a thread has to take a peer in */
};

/* A file, and which one its descriptor was: a program that closes all descriptors may give the number to another. */
typedef struct agent_file {
    int file; /* -1: none */
    uint64_t device, inode;
} agent_file;

typedef struct agent_client {
    agent_file at;
    uint32_t number;
    document *document;
    size_t queued;
    uint64_t dropped, told; /* documents that did not fit the queue; of these, those that a comment has reported */
    int is_ending;          /* it is closed when all is sent */
    char queue[AGENT_QUEUE];
} agent_client;

typedef enum mail_kind {
    MAIL_SET,
    MAIL_REPLACE,
    MAIL_CALL,
    MAIL_INSERT,
    MAIL_REMOVE,
    MAIL_CATEGORIES,
    MAIL_ATTACH
} mail_kind;
/* FREE and DONE belong to the agent, POSTED to both (who takes it exchanges the state), TAKEN to live_point. */
enum { MAIL_FREE, MAIL_POSTED, MAIL_TAKEN, MAIL_DONE };

typedef struct mail {
    uint32_t state; /* atomic */
    mail_kind kind;
    uint64_t ticket, expires; /* order; when it expires, 0: never */
    uint32_t index, index_2, client;
    int64_t value, old;
    uint64_t time;
    int is_clamped, is_quiet;  /* quiet: its end is not reported */
    int is_refused;            /* there was no place when it was to be made */
    const char *at;            /* "" : any live_point */
    char at_text[REQUEST_NAME], id[REQUEST_NAME], name[REQUEST_NAME];
    void *peer;
} mail;

typedef struct live_agent {
    reply *feed;     /* what replies: `own`, or that of a side program */
    reply own;
    live *owner;
    pthread_mutex_t places; /* for threads that begin at the same time */
    live_thread *of_place[MEASURE_PLACES];
    agent_file listener, wake[2]; /* wake: ends the thread */
    pthread_t thread;
    int has_thread;
    long process;
    char path[4096];       /* of the socket, from the root on; empty: none */
    uint64_t device, inode; /* of the socket: another file that has its path is none of ours */
    int is_resting;        /* no client is accepted for a moment, as there are no descriptors */
    uint32_t clients_so_far;
    agent_client *client[AGENT_CLIENTS];
    mail mail[AGENT_MAIL];
    uint32_t scans;                /* atomic: of the mail by live_point; odd during one */
    uint32_t freed_in[AGENT_MAIL]; /* the scan in which the agent took a change back */
    uint64_t tickets;
    struct { uint32_t call; char at[REQUEST_NAME]; } inserted[LIVE_INSERTED];
    uint32_t inserted_count;
    pajewrite_peer *peer;  /* that takes the trace; used by live_point only */
    int is_awaiting;       /* a thread is to take a peer: LIVE_AWAITED is set in all regions, until this is 0 */
} live_agent;

/* channel.c */
int channel_open(live_agent *agent, const char *where, char *problem, size_t size);
void channel_close(live_agent *agent);
/* Waits at most so many milliseconds, and serves what has come. */
void channel_serve(live_agent *agent, int milliseconds);
int channel_send(live_agent *agent, uint32_t client, const char *bytes, size_t size);
/* Sends what clients take now. */
void channel_flush(live_agent *agent);
int channel_has_clients(const live_agent *agent);
agent_file channel_file(int file);
int channel_is_ours(const agent_file *it);
void channel_close_file(agent_file *it);
/* Closes the descriptor of a peer; NULL: does nothing. */
void channel_end_peer(pajewrite_peer *peer);
/* Takes a client's descriptor away.  Returns -1 if it is gone. */
int channel_take(live_agent *agent, uint32_t client);

/* tune.c */
void tune_request(void *data, document *from, uint32_t client, markup *to);
void tune_trace(void *data, document *from, uint32_t client, markup *to);
void tune_catalog(void *data, markup *to);
/* Tells clients what has been done, and what has expired. */
void tune_report(live_agent *agent, uint64_t now);
void tune_forget(live_agent *agent, uint32_t client);
/* Regions are off again when no thread has to take a peer any more. */
void tune_end_await(live_agent *agent);
int tune_is_pending(const live_agent *agent);
uint64_t live_now(const live *l);
void live_forget_self(void);
