/* Messages: which receive gets which send. */
#include "messages.h"

#include "call.h"
#include "memory.h"

#include <string.h>

struct mpi_receive {
    mpi_communicator *comm;
    int from, tag;        /* wildcards until it is complete */
    int is_numbered, is_complete, is_in_doubt;
    uint32_t number;      /* of the message */
    int64_t bytes;        /* if it is complete */
    trace_origin at;      /* if it is complete, but waits for its number */
    mpi_receive *next;    /* in the list of its communicator, or of those that are abandoned */
    mpi_receive *previous_posted, *next_posted; /* of those that are not complete */
};

static mpi_pool records = {sizeof(mpi_receive), NULL, NULL, NULL};
static mpi_map sent, received; /* how many, by communicator, and peer and tag */
static mpi_receive *posted, *abandoned;

static int is_open_wildcard(const mpi_receive *it)
{
    return it->from == MPI_ANY_SOURCE || it->tag == MPI_ANY_TAG;
}

int64_t mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;
    return count > 0 && mpi.Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? (int64_t)(count * size) : 0;
}

/* ---- keys */

static char *put_number(char *p, uint64_t number)
{
    char digits[20], *first = digits + sizeof digits;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(p, first, (size_t)(digits + sizeof digits - first));
    return p + (digits + sizeof digits - first);
}

enum { KEY_SIZE = 80 };

static void make_key(char *p, const char *comm, int from, int to, int tag, uint32_t number)
{
    while (*comm)
        *p++ = *comm++;
    *p++ = '.';
    p = put_number(p, (uint64_t)from);
    *p++ = '.';
    p = put_number(p, (uint64_t)to);
    *p++ = '.';
    p = put_number(p, (uint64_t)tag);
    *p++ = '.';
    p = put_number(p, number);
    *p = 0;
}

/* Counts a message.  Returns its number; 0: there is no memory. */
static uint32_t count_message(mpi_map *map, uint64_t comm, int peer, int tag)
{
    uint64_t *count = mpi_map_add(map, comm, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag);
    return count ? (uint32_t)++*count : 0;
}

/* ---- sends */

void mpi_send_bytes(int64_t bytes, int to, int tag, MPI_Comm comm)
{
    char key[KEY_SIZE];
    const mpi_communicator *it;
    uint32_t number = 0;
    if (to == MPI_PROC_NULL || to < 0 || tag < 0)
        return;
    mpi_lock();
    it = mpi_find_communicator(comm);
    if (it && it->number && to < it->size)
        number = count_message(&sent, it->number, to, tag);
    if (number && trace_is_on(TRACE_MPI))
        make_key(key, it->name, it->rank, to, tag, number);
    mpi_unlock();
    if (number && trace_is_on(TRACE_MPI))
        trace_start_message(key, bytes);
}

void mpi_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    mpi_send_bytes(to != MPI_PROC_NULL && trace_is_on(TRACE_MPI) ? mpi_bytes(count, type) : 0, to, tag, comm);
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
        char key[KEY_SIZE];
        make_key(key, it->comm->remote_name, it->from, it->comm->rank, it->tag, it->number);
        trace_end_message(key, at, it->bytes);
    }
    forget(it);
}

static void number_it(mpi_receive *it)
{
    it->number = count_message(&received, it->comm->number, it->from, it->tag);
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
    }
    for (; (it = *at); at = &it->next)
        comm->last = it;
}

mpi_receive *mpi_post(MPI_Comm comm, int from, int tag)
{
    mpi_communicator *c;
    mpi_receive *it = NULL;
    if (from == MPI_PROC_NULL)
        return NULL;
    mpi_lock();
    c = mpi_find_communicator(comm);
    if (c && c->number && (it = (mpi_receive *)mpi_pool_take(&records))) {
        c->receives++;
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
    }
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

void mpi_fail(mpi_receive *it)
{
    mpi_communicator *comm;
    if (!it)
        return;
    mpi_lock();
    comm = it->comm;
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
    mpi.Test_cancelled(status, &is_cancelled);
    if (is_cancelled || status->MPI_SOURCE < 0) {
        mpi_fail(it);
        return;
    }
    mpi_lock();
    unlink_posted(it);
    it->from = status->MPI_SOURCE;
    it->tag = status->MPI_TAG;
    it->bytes = size_of(status);
    it->is_in_doubt = 0;
    if (it->is_numbered) {
        write_end(it, NULL);
    } else {
        it->is_complete = 1;
        it->at = trace_get_origin();
        count_waiting(it->comm);
    }
    mpi_unlock();
}

/* ---- those that are cancelled, or that the program does not wait for */

/* Those that were counted after it, on the same channel, and that are not complete, wait again, in their order.  If one
 * of them is complete, this one is as well, or will be. */
void mpi_doubt(mpi_receive *it)
{
    mpi_receive *other, *first = NULL, **at;
    uint64_t *count;
    uint32_t waiting = 0;
    if (!it)
        return;
    mpi_lock();
    it->is_in_doubt = 1;
    count = it->is_numbered
                ? mpi_map_find(&received, it->comm->number, (uint64_t)(uint32_t)it->from << 32 | (uint32_t)it->tag)
                : NULL;
    for (other = posted; other && count; other = other->next_posted)
        waiting += other->is_numbered && other->comm == it->comm && other->from == it->from &&
                   other->tag == it->tag && other->number >= it->number;
    if (count && it->number && *count - it->number + 1 == waiting) {
        for (other = posted; other; other = other->next_posted)
            if (other->is_numbered && other->comm == it->comm && other->from == it->from && other->tag == it->tag &&
                other->number >= it->number) {
                for (at = &first; *at && (*at)->number < other->number; at = &(*at)->next)
                    ;
                other->next = *at;
                *at = other;
                other->is_numbered = 0;
            }
        if (it->number > 1)
            *count = it->number - 1;
        else
            mpi_map_remove(&received, it->comm->number, (uint64_t)(uint32_t)it->from << 32 | (uint32_t)it->tag);
        for (at = &first; *at; at = &(*at)->next)
            ;
        *at = it->comm->first;
        it->comm->first = first;
        count_waiting(it->comm);
    } else {
        it->is_in_doubt = it->is_numbered ? 0 : 1;
    }
    mpi_unlock();
}

void mpi_abandon(mpi_receive *it)
{
    if (!it)
        return;
    if (is_open_wildcard(it)) { /* it cannot be known what it gets */
        mpi_fail(it);
        return;
    }
    mpi_lock();
    unlink_posted(it);
    it->bytes = -1;
    it->at.container = 0;
    if (it->is_numbered) {
        it->next = abandoned;
        abandoned = it;
    } else {
        it->is_complete = 1;
        it->at = trace_get_origin();
    }
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
