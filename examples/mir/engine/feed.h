/* The feed of a trace: its states are regions, its containers the entities.  Times are integers, so values are those
 * that the program itself has measured. */
#pragma once

#include "live/reply.h"

typedef struct feed feed;

feed *feed_new(void);
void feed_free(feed *it);
reply *feed_reply(feed *it);
/* The unit of the trace's times: s, as without a call, ms, us or ns.  Returns 0 if there is none of that name. */
int feed_set_unit(feed *it, const char *unit);
/* Hands documents that are due, as the trace's time passes. */
void feed_set_delivery(feed *it, reply_deliver deliver);
/* Reads more of the trace.  Returns 0 if there is no memory. */
int feed_read(feed *it, const char *bytes, size_t size);
/* Ends the trace: what is open is closed at its last time. */
void feed_finish(feed *it);
/* How many lines were refused; the first one's problem. */
uint64_t feed_errors(const feed *it, const char **first);
/* What of the trace the replies do not tell of, such as threads beyond MEASURE_PLACES; NULL: nothing. */
const char *feed_lack(const feed *it);
