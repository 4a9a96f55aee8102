/* A worker that is killed in each of its states, at each occasion, in each worker: no piece is lost or counted twice.
 * The worker ends itself by SIGKILL at that place, so each run is the same.  Linked with --wrap: mw.c and
 * transport_fork.c call the functions here.  Prints PASS and FAIL lines.
 * usage: killed [STATE WORKER OCCASION TIMES SPREAD ITERATIONS]     with these: one run; prints its result */
#define _GNU_SOURCE
#include "mw.h"
#include "transport.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, ITEMS = 10, ITERATIONS = 5, RESULT = 3000 };
typedef enum state { BORN, WAITING, RECEIVING, COMPUTING, COMPUTED, SENDING, SENT, ENDING, STATES } state;
static const char *const names[STATES] = {"before it has begun", "waiting for work", "in the middle of receiving",
                                          "computing", "before it sends the result", "in the middle of sending",
                                          "when the result is sent", "at the end"};

/* What processes share. */
typedef struct shared {
    int born, killed;        /* processes; how many were */
    int is_over, is_wrong;   /* the master has ended well; items that came not once, or with another result */
    mw_report report;
} shared;

static shared *all;
static state in;
static int which, occasion, times;
static int itself = TRANSPORT_MASTER, occasions[STATES];
static __thread int is_receiving, is_sending;

/* Ends this worker, if that is what is tried. */
static void reach(state at)
{
    if (at != in || itself != which || occasions[at]++ < occasion ||
        __atomic_fetch_add(&all->killed, 1, __ATOMIC_SEQ_CST) >= times)
        return;
    kill(getpid(), SIGKILL);
}

/* ---- what the program calls in place of the functions of these names */

pid_t __real_getppid(void);
ssize_t __real_send(int file, const void *bytes, size_t size, int flags);
ssize_t __real_recv(int file, void *bytes, size_t size, int flags);
int __real_transport_begin(int workers, int *argc, char ***argv);
int __real_transport_again(int worker);
int __real_transport_send(int to, const void *head, size_t head_size, const void *bytes, size_t size);
int __real_transport_receive(int *from, void *head, size_t head_size, const void **bytes, size_t *size);
void __real_transport_end(void);

/* A worker calls it first of all. */
pid_t __wrap_getppid(void)
{
    itself = __atomic_fetch_add(&all->born, 1, __ATOMIC_SEQ_CST);
    reach(BORN);
    return __real_getppid();
}

/* Whether only the half of this is to be sent or received now: of each head and what follows it, once. */
static int is_halved(int is_tried, size_t size)
{
    static __thread int is_second;
    is_second = is_tried && size > 2 * sizeof size && !is_second;
    return is_second;
}

ssize_t __wrap_send(int file, const void *bytes, size_t size, int flags)
{
    const int is_half = is_halved(is_sending && in == SENDING, size);
    const ssize_t sent = __real_send(file, bytes, is_half ? size / 2 : size, flags);
    if (is_half)
        reach(SENDING);
    return sent;
}

ssize_t __wrap_recv(int file, void *bytes, size_t size, int flags)
{
    const int is_half = is_halved(is_receiving && in == RECEIVING, size);
    const ssize_t received = __real_recv(file, bytes, is_half ? size / 2 : size, flags);
    if (is_half)
        reach(RECEIVING);
    return received;
}

int __wrap_transport_begin(int workers, int *argc, char ***argv)
{
    return itself = __real_transport_begin(workers, argc, argv);
}

int __wrap_transport_again(int worker)
{
    const int number = __real_transport_again(worker);
    itself = number;
    return number;
}

int __wrap_transport_send(int to, const void *head, size_t head_size, const void *bytes, size_t size)
{
    int is_done;
    reach(COMPUTED);
    is_sending = itself >= 0;
    is_done = __real_transport_send(to, head, head_size, bytes, size);
    is_sending = 0;
    reach(SENT);
    return is_done;
}

int __wrap_transport_receive(int *from, void *head, size_t head_size, const void **bytes, size_t *size)
{
    int is_done;
    reach(WAITING);
    is_receiving = itself >= 0;
    is_done = __real_transport_receive(from, head, head_size, bytes, size);
    is_receiving = 0;
    return is_done;
}

void __wrap_transport_end(void)
{
    reach(ENDING);
    __real_transport_end();
}

/* ---- the program: an item's result is made of the input and its number, and is RESULT words long */

static int64_t input, seen[ITEMS];

static int64_t result_of(int64_t from, int64_t item, int64_t k)
{
    return from * 1000 + item * 31 + k;
}

static const void *partition(void *data, const mw_piece *piece, size_t *size)
{
    static int64_t sent[RESULT];
    (void)data;
    input = piece->iteration + 7;
    sent[0] = input;
    *size = sizeof sent;
    return sent;
}

static void compute(void *data, const mw_piece *piece, const void *bytes, size_t size, void *results)
{
    const int64_t from = *(const int64_t *)bytes;
    int64_t *to = (int64_t *)results;
    int64_t i, k;
    (void)data, (void)size;
    reach(COMPUTING);
    for (i = 0; i < piece->count; i++)
        for (k = 0; k < RESULT; k++)
            *to++ = result_of(from, piece->first + i, k);
}

static void take(void *data, const mw_piece *piece, const void *results)
{
    const int64_t *from = (const int64_t *)results;
    int64_t i, k;
    (void)data;
    for (i = 0; i < piece->count; i++) {
        seen[piece->first + i]++;
        for (k = 0; k < RESULT; k++)
            all->is_wrong |= *from++ != result_of(input, piece->first + i, k);
    }
}

static void finish(void *data, int64_t iteration)
{
    int64_t i;
    (void)data, (void)iteration;
    for (i = 0; i < ITEMS; i++) {
        all->is_wrong |= seen[i] != 1;
        seen[i] = 0;
    }
}

/* Runs it in this process.  Returns what mw_run does. */
static int run(int spread, int64_t iterations, int *argc, char ***argv)
{
    const mw_program program = {.iterations = iterations, .items = ITEMS, .most = WORKERS, .workers = WORKERS,
                                .spread = spread, .result_size = RESULT * sizeof(int64_t), .partition = partition,
                                .compute = compute, .take = take, .finish = finish};
    mw_report report;
    const int status = mw_run(&program, argc, argv, &report);
    if (status != 0) {
        all->report = report;
        all->is_over = status > 0;
    }
    return status;
}

/* Runs it in a process of its own.  Returns 1 if it ended as it should. */
static int try(int spread, int most, int *argc, char ***argv)
{
    int status;
    pid_t process;
    memset(all, 0, sizeof *all);
    times = most;
    process = fork();
    if (process == 0) {
        alarm(60); /* of the master only */
        status = run(spread, ITERATIONS, argc, argv);
        _exit(status < 0);
    }
    if (process < 0 || waitpid(process, &status, 0) != process)
        return 0;
    return WIFEXITED(status) && !all->is_wrong && all->is_over == (WEXITSTATUS(status) == 0) &&
           (!all->is_over || all->report.sent == all->report.received);
}

static int sweep(int *argc, char ***argv)
{
    int status = 0, spread;
    for (in = BORN; in < STATES; in++)
        for (spread = 0; spread <= 500000; spread += 500000) {
            int runs = 0, killed = 0, wrong = 0;
            for (which = 0; which < WORKERS; which++)
                for (occasion = 0; occasion < (in == BORN || in == ENDING ? 1 : 2 * ITERATIONS); occasion++, runs++) {
                    const int is_right = try(spread, 1, argc, argv) && all->is_over;
                    const int once = all->killed > 0;
                    /* where no piece is lost, it may be over before the master notices */
                    const int may_be_over = in == WAITING || in == SENT || in == ENDING;
                    killed += once;
                    wrong += !is_right || (int)all->report.begun_again > once ||
                             ((int)all->report.begun_again < once && !may_be_over);
                }
            printf("%s mate/killed: %s, %s: %d of %d runs\n", wrong || killed < WORKERS ? "FAIL" : "PASS", names[in],
                   spread ? "chunks" : "equal pieces", runs - wrong, runs);
            status |= wrong || killed < WORKERS;
        }
    return status;
}

/* A piece that kills each worker that gets it. */
static int try_deadly(int *argc, char ***argv)
{
    int is_right;
    in = COMPUTING;
    which = 1;
    occasion = 0;
    is_right = try(0, 1000000, argc, argv) && !all->is_over;
    printf("%s mate/killed: a piece that no worker survives ends the program: %d tried\n", is_right ? "PASS" : "FAIL",
           all->killed);
    return !is_right;
}

int main(int argc, char **argv)
{
    int status, k;
    all = (shared *)mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return 3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 7)
        return sweep(&argc, &argv) | try_deadly(&argc, &argv);
    for (k = 0; k < STATES && k != atoi(argv[1]); k++)
        ;
    in = (state)k;
    which = atoi(argv[2]);
    occasion = atoi(argv[3]);
    times = atoi(argv[4]);
    status = run(atoi(argv[5]), atoi(argv[6]), &argc, &argv);
    if (status)
        printf("%s, killed %d, sent %llu, received %llu\n", all->is_wrong || !all->is_over ? "wrong" : "right",
               all->killed < times ? all->killed : times, (unsigned long long)all->report.sent,
               (unsigned long long)all->report.received);
    return status < 0;
}
