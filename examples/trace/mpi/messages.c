/* Messages: which receive gets which send. */
#include "messages.h"

#include "call.h"
#include "memory.h"

#include <string.h>

/* The messages of one communicator, sender, receiver and tag.  It stays until the process ends. */
struct mpi_channel {
    uint64_t count; /* of messages */
    size_t size;
    char text[48];  /* what keys of its messages begin with */
};

struct mpi_receive {
    mpi_communicator *comm;
    mpi_channel *channel; /* if it is numbered, and its message can be followed; else NULL */
    int from, tag;        /* wildcards until it is complete */
    int is_numbered, is_complete;
    int was_cancelled;    /* MPI_Cancel was called for it */
    int is_in_doubt;      /* that is so, and it may be in time */
    int is_abandoned;     /* its end is not known to the program; of an open wildcard: nor is its message */
    int has_no_status;    /* of its own: what it got is known by what was asked for only */
    uint32_t number;      /* of the message */
    int64_t bytes;        /* if it is complete */
    trace_origin at;      /* if it is complete, but waits for its number */
    mpi_receive *next;    /* in the list of its communicator, or of those that are abandoned */
    mpi_receive *previous_posted, *next_posted; /* of those that are not complete */
};

static mpi_pool records = {sizeof(mpi_receive), NULL, NULL, NULL};
static mpi_pool channels = {sizeof(mpi_channel), NULL, NULL, NULL};
static mpi_map sent, received; /* channels, by communicator, and peer and tag */
static mpi_receive *posted, *abandoned;

static int is_open_wildcard(const mpi_receive *it)
{
    return it->from == MPI_ANY_SOURCE || it->tag == MPI_ANY_TAG;
}

int64_t mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;
    return count > 0 && type != MPI_DATATYPE_NULL && mpi.Type_size_x(type, &size) == MPI_SUCCESS &&
           size > 0 ? (int64_t)(count * size) : 0;
}

/* ---- keys */

char *mpi_put_number(char *p, uint32_t number)
{
    if (number >= 100)
        p = mpi_put_number(p, number / 100);
    if (number >= 10)
        *p++ = (char)('0' + number / 10 % 10);
    *p = (char)('0' + number % 10);
    return p + 1;
}

char *mpi_put_pair(char *p, const mpi_name *comm, int from, int to)
{
    memcpy(p, comm->text, sizeof comm->text); /* room is there for as much */
    p += comm->size;
    *p++ = '.';
    p = mpi_put_number(p, (uint32_t)from);
    *p++ = '.';
    p = mpi_put_number(p, (uint32_t)to);
    *p++ = '.';
    return p;
}

char *mpi_put_channel(char *p, const mpi_name *comm, int from, int to, int tag)
{
    p = mpi_put_number(mpi_put_pair(p, comm, from, to), (uint32_t)tag);
    *p++ = '.';
    return p;
}

static void make_key(char *p, const mpi_channel *channel, uint32_t number)
{
    memcpy(p, channel->text, sizeof channel->text); /* room is there for as much */
    *mpi_put_number(p + channel->size, number) = 0;
}

/* ---- channels */

/* Returns that to a peer, or from it; NULL: there is no memory. */
static mpi_channel *find_channel(mpi_map *map, const mpi_communicator *comm, int peer, int tag)
{
    uint64_t *place = mpi_map_add(map, comm->number, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag);
    mpi_channel *it;
    if (!place || *place)
        return place ? (mpi_channel *)(uintptr_t)*place : NULL;
    it = (mpi_channel *)mpi_pool_take(&channels);
    if (it) {
        char key[MPI_KEY_SIZE];
        const char *end = map == &sent ? mpi_put_channel(key, &comm->name, comm->rank, peer, tag)
                                       : mpi_put_channel(key, &comm->remote_name, peer, comm->rank, tag);
        it->size = (size_t)(end - key);
        memcpy(it->text, key, it->size);
        *place = (uint64_t)(uintptr_t)it;
    } else {
        mpi_map_remove(map, comm->number, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag);
    }
    return it;
}

/* Counts a message.  Returns its number; 0: it cannot be followed. */
static uint32_t count_message(mpi_channel *channel)
{
    return channel ? (uint32_t)++channel->count : 0;
}

/* ---- sends */

static mpi_message count_send(mpi_communicator *comm, int to, int tag)
{
    mpi_message it = {NULL, 0, 0, trace_is_on(TRACE_MPI)};
    if (comm && comm->number && to >= 0 && to < comm->size && tag >= 0)
        it.channel = find_channel(&sent, comm, to, tag);
    it.number = count_message(it.channel);
    return it;
}

mpi_message mpi_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    mpi_message it = {NULL, 0, 0, 0};
    if (to == MPI_PROC_NULL)
        return it;
    mpi_lock();
    it = count_send(mpi_find_communicator(comm), to, tag);
    mpi_unlock();
    it.bytes = it.number && it.is_on ? mpi_bytes(count, type) : 0;
    return it;
}

/* Unless others followed it meanwhile, one that failed has no number. */
static void take_back(const mpi_message *it)
{
    mpi_lock();
    if (it->channel->count == it->number)
        it->channel->count--;
    mpi_unlock();
}

int mpi_sent(const mpi_message *it, int result)
{
    if (!it->number)
        return result;
    /* The message of a call that receives too much as well was sent. */
    if (result != MPI_SUCCESS && mpi_class_of(result) != MPI_ERR_TRUNCATE) {
        take_back(it);
    } else if (it->is_on) {
        char key[MPI_KEY_SIZE];
        make_key(key, it->channel, it->number);
        trace_start_message(key, NULL, it->bytes);
    }
    return result;
}

mpi_message mpi_send_bytes(int64_t bytes, int to, int tag, mpi_communicator *comm)
{
    mpi_message it;
    mpi_lock();
    it = count_send(comm, to, tag);
    mpi_unlock();
    it.bytes = bytes;
    mpi_sent(&it, MPI_SUCCESS);
    return it;
}

void mpi_complete_send(const mpi_channel *channel, uint32_t number)
{
    char key[MPI_KEY_SIZE];
    if (!trace_is_on(TRACE_MPI) || !trace_has_waited())
        return;
    make_key(key, channel, number);
    trace_complete_message(key);
}

/* ---- receives */

static void forget(mpi_receive *it)
{
    mpi_release_communicator(it->comm);
    mpi_pool_give(&records, it);
}

static void unlink_posted(mpi_receive *it)
{
    *(it->previous_posted ? &it->previous_posted->next_posted : &posted) = it->next_posted;
    if (it->next_posted)
        it->next_posted->previous_posted = it->previous_posted;
}

/* Writes the end of a message, and ends the record. */
static void write_end(mpi_receive *it, const trace_origin *at)
{
    if (it->number && trace_is_on(TRACE_MPI)) {
        char key[MPI_KEY_SIZE];
        make_key(key, it->channel, it->number);
        trace_end_message(key, at, it->bytes);
    }
    forget(it);
}

static void number_it(mpi_receive *it)
{
    it->channel = find_channel(&received, it->comm, it->from, it->tag);
    it->number = count_message(it->channel);
    it->is_numbered = 1;
}

/* Whether the message of `it` could have been that of `earlier`. */
static int may_match(const mpi_receive *earlier, const mpi_receive *it)
{
    return (earlier->from == MPI_ANY_SOURCE || earlier->from == it->from) &&
           (earlier->tag == MPI_ANY_TAG || earlier->tag == it->tag);
}

/* Whether one of the list before `it` has to be known first. */
static int has_to_wait(const mpi_communicator *comm, const mpi_receive *it)
{
    const mpi_receive *earlier = comm->first;
    for (; earlier && earlier != it; earlier = earlier->next)
        if ((is_open_wildcard(earlier) || earlier->is_in_doubt) && may_match(earlier, it))
            return 1;
    return 0;
}

/* Keeps one that is numbered until MPI ends, and with it what the program does not wait for. */
static void put_aside(mpi_receive *it)
{
    it->next = abandoned;
    abandoned = it;
}

/* Counts all of the list that need not wait any more. */
static void count_waiting(mpi_communicator *comm)
{
    mpi_receive **at = &comm->first, *it;
    comm->last = NULL;
    while ((it = *at)) {
        if (is_open_wildcard(it) || it->is_in_doubt || has_to_wait(comm, it)) {
            comm->last = it;
            at = &it->next;
            if (it->from == MPI_ANY_SOURCE && it->tag == MPI_ANY_TAG)
                break; /* it holds up all */
            continue;
        }
        *at = it->next;
        number_it(it);
        if (it->is_complete)
            write_end(it, &it->at);
        else if (it->is_abandoned)
            put_aside(it);
    }
    for (; (it = *at); at = &it->next)
        comm->last = it;
}

/* Whether it may get the message of a wildcard whose end is not known, so that its number will not be known. */
static int is_lost(const mpi_communicator *comm, int from, int tag)
{
    const mpi_receive *it = comm->first;
    for (; it; it = it->next)
        if (it->is_abandoned && is_open_wildcard(it) &&
            (it->from == MPI_ANY_SOURCE || from == MPI_ANY_SOURCE || it->from == from) &&
            (it->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG || it->tag == tag))
            return 1;
    return 0;
}

static mpi_receive *post(mpi_communicator *c, int from, int tag)
{
    mpi_receive *it;
    if (!c || !c->number || (c->is_lossy && is_lost(c, from, tag)) || !(it = (mpi_receive *)mpi_pool_take(&records)))
        return NULL;
    c->references++;
    it->comm = c;
    it->from = from;
    it->tag = tag;
    it->next_posted = posted;
    if (posted)
        posted->previous_posted = it;
    posted = it;
    if (!is_open_wildcard(it) && !has_to_wait(c, it)) {
        number_it(it);
    } else {
        *(c->last ? &c->last->next : &c->first) = it;
        c->last = it;
    }
    return it;
}

mpi_receive *mpi_post_on(mpi_communicator *comm, int from, int tag)
{
    mpi_receive *it;
    if (from == MPI_PROC_NULL)
        return NULL;
    mpi_lock();
    it = post(comm, from, tag);
    mpi_unlock();
    return it;
}

mpi_receive *mpi_post_without_status(MPI_Comm comm, int from, int tag)
{
    mpi_receive *it = mpi_post(comm, from, tag);
    if (it)
        it->has_no_status = 1;
    return it;
}

mpi_receive *mpi_post(MPI_Comm comm, int from, int tag)
{
    mpi_receive *it;
    if (from == MPI_PROC_NULL)
        return NULL;
    mpi_lock();
    it = post(mpi_find_communicator(comm), from, tag);
    mpi_unlock();
    return it;
}

/* Takes one that is not numbered out of the list of its communicator. */
static void remove_waiting(mpi_receive *it)
{
    mpi_receive **at = &it->comm->first;
    while (*at && *at != it)
        at = &(*at)->next;
    if (*at)
        *at = it->next;
}

/* Whether one was counted from `it` on, on the same channel, and is not complete. */
static int is_after(const mpi_receive *it, const mpi_receive *other)
{
    return other->is_numbered && other->channel == it->channel && other->number >= it->number;
}

/* Takes back the numbers of those that were counted from this one on, on its channel: they wait again, in their order.
 * If one of them is complete, this one is as well, or will be; then all stays. */
static void take_numbers_back(mpi_receive *it)
{
    mpi_receive *other, *first = NULL, **at;
    uint32_t waiting = 0;
    if (!it->channel)
        return;
    for (other = posted; other; other = other->next_posted)
        waiting += is_after(it, other) ? 1 : 0;
    if (it->channel->count - it->number + 1 != waiting)
        return;
    it->channel->count = it->number - 1;
    for (other = posted; other; other = other->next_posted)
        if (other != it && is_after(it, other)) {
            for (at = &first; *at && (*at)->number < other->number; at = &(*at)->next)
                ;
            other->next = *at;
            *at = other;
            other->is_numbered = 0;
        }
    it->is_numbered = 0;
    it->next = first;
    for (at = &it->next; *at; at = &(*at)->next)
        ;
    *at = it->comm->first;
    it->comm->first = it;
}

void mpi_fail(mpi_receive *it)
{
    mpi_communicator *comm;
    if (!it)
        return;
    mpi_lock();
    comm = it->comm;
    if (it->is_numbered)
        take_numbers_back(it);
    unlink_posted(it);
    if (!it->is_numbered) {
        remove_waiting(it);
        count_waiting(comm);
    }
    forget(it);
    mpi_unlock();
}

static int64_t size_of(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    return mpi.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0 ? (int64_t)bytes : -1;
}

void mpi_complete(mpi_receive *it, const MPI_Status *status)
{
    int is_cancelled = 0;
    if (!it)
        return;
    if (it->has_no_status && is_open_wildcard(it)) {
        mpi_abandon(it);
        return;
    }
    if (it->was_cancelled && !it->has_no_status)
        mpi.Test_cancelled(status, &is_cancelled);
    if (is_cancelled || (!it->has_no_status && status->MPI_SOURCE < 0)) {
        mpi_fail(it);
        return;
    }
    mpi_lock();
    unlink_posted(it);
    it->bytes = -1;
    if (!it->has_no_status) {
        it->from = status->MPI_SOURCE;
        it->tag = status->MPI_TAG;
        it->bytes = size_of(status);
    }
    it->is_in_doubt = 0;
    if (it->is_numbered) {
        write_end(it, NULL);
    } else {
        it->is_complete = 1;
        it->at = trace_get_end_of_call();
        count_waiting(it->comm);
    }
    mpi_unlock();
}

/* ---- those that are cancelled, or that the program does not wait for */

void mpi_doubt(mpi_receive *it)
{
    if (!it)
        return;
    mpi_lock();
    it->was_cancelled = 1;
    if (it->is_numbered)
        take_numbers_back(it);
    if (!it->is_numbered) {
        it->is_in_doubt = 1;
        count_waiting(it->comm);
    }
    mpi_unlock();
}

void mpi_abandon(mpi_receive *it)
{
    if (!it)
        return;
    if (it->is_in_doubt) { /* it was cancelled, and is not complete */
        mpi_fail(it);
        return;
    }
    mpi_lock();
    unlink_posted(it);
    it->bytes = -1;
    it->is_abandoned = 1;
    if (it->is_numbered)
        put_aside(it);
    else if (is_open_wildcard(it))
        it->comm->is_lossy = 1;
    mpi_unlock();
}

void mpi_complete_abandoned(void)
{
    mpi_lock();
    while (abandoned) {
        mpi_receive *it = abandoned;
        abandoned = it->next;
        write_end(it, NULL);
    }
    mpi_unlock();
}
