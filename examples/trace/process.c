/* The trace of a process: begins before main, begins again in a child of fork, ends at exit. */
#include "process.h"
#include "../base/job.h"
#include "sample.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

trace_process trace_the_process;
trace_control *trace_page;
static const uint32_t no_category = 0;
const uint32_t *trace_mask = &no_category;
__thread uint32_t trace_hidden;

const trace_control *trace_get_page(void)
{
    return trace_the_process.state == PROCESS_OFF ? NULL : trace_page;
}

void trace_find_next(const char *name, void *place)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function)
        memcpy(place, &function, sizeof function);
}

/* ---- the file */

char *trace_next_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    char *buffer = pajewrite_block_next_buffer(data, used, needed, size);
    if (!buffer && needed) {
        uint64_t none = 0;
        __atomic_add_fetch(&trace_page->failures, 1, __ATOMIC_RELAXED);
        __atomic_compare_exchange_n(&trace_page->failed_at, &none, trace_clock(NULL), 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    return buffer;
}

pajewrite_status trace_open_writer(trace_writer *it, size_t size, uint32_t *aliases)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_block_init(&it->block, &trace_the_process.file, size);
    config.next_buffer = trace_next_buffer;
    config.next_buffer_data = &it->block;
    config.origin = trace_page->origin;
    config.aliases = aliases;
    config.clock = trace_clock;
    config.clock_data = &it->last;
    return pajewrite_init(&it->w, NULL, 0, &config);
}

static char *put_text(char *p, char *end, const char *text)
{
    while (*text && p < end)
        *p++ = *text++;
    *p = 0;
    return p;
}

static char *put_number(char *p, char *end, uint64_t number)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = 0;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    return put_text(p, end, first);
}

/* Names the process: "rank 3" in a parallel program, "rank 3 of job 2" in the second one of the run, else by its
 * program and number, as "xz 1234". */
static void name_process(char *name, size_t size)
{
    const parallel_job job = job_of_environment();
    char *end = name + size - 1, *p;
    if (job.rank >= 0 && !trace_the_process.is_copy) {
        const uint32_t number = job.number ? trace_find_job(job.number) : 1;
        if (job.here > 0 && job.here < job.size)
            __atomic_store_n(&trace_page->elsewhere, (uint32_t)(job.size - job.here), __ATOMIC_RELAXED);
        p = put_number(put_text(name, end, "rank "), end, (uint64_t)job.rank);
        if (number > 1)
            p = put_number(put_text(p, end, " of job "), end, number);
    } else {
        p = put_text(name, end - 24, trace_the_process.program);
        p = put_text(p, end, " ");
        p = put_number(p, end, (uint64_t)trace_the_process.number);
    }
    for (end = p, p = name; p < end; p++)
        if (*p == '"' || (unsigned char)*p < ' ')
            *p = '_';
}

static void write_definitions(pajewrite *w)
{
    static const struct {
        const char *name, *color;
    } states[] = {
#define TRACE_STATE(NAME, name, color) {name, color},
        TRACE_STATES(TRACE_STATE)
#undef TRACE_STATE
    };
    const pajewrite_type process = PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), thread = PAJEWRITE_TYPE(TRACE_THREAD_TYPE);
    const pajewrite_type state = PAJEWRITE_TYPE(TRACE_STATE_TYPE), creation = PAJEWRITE_TYPE(TRACE_CREATION_TYPE);
    const pajewrite_type fork = PAJEWRITE_TYPE(TRACE_FORK_TYPE);
    uint32_t i;
    pajewrite_header(w);
    trace_the_process.ended_bytes = pajewrite_define_variant(w, PAJEWRITE_POP_STATE, "Bytes int");
    trace_the_process.named = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Name string");
    trace_the_process.allocated = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Bytes int");
    trace_the_process.sent = pajewrite_define_variant(w, PAJEWRITE_START_LINK, "Bytes int");
    trace_the_process.received = pajewrite_define_variant(w, PAJEWRITE_END_LINK, "Bytes int");
    trace_the_process.collective =
        pajewrite_define_variant(w, PAJEWRITE_PUSH_STATE,
                                 "Communicator string,Root int,Bytes int,Instance int,Rank int,Size int");
    trace_the_process.access = pajewrite_define_variant(w, PAJEWRITE_PUSH_STATE, "Target int,Bytes int");
    trace_the_process.accessed = pajewrite_define_variant(w, PAJEWRITE_START_LINK, "Bytes int");
    trace_the_process.noted = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Class string");
    trace_the_process.sized = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Class string,Bytes int");
    trace_the_process.completed = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Key string");
    if (trace_page->sampler)
        trace_the_process.numbered = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Number int");
    if (trace_page->counters)
        trace_define_counters(w);
    pajewrite_define_container_type(w, process, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(w, thread, process, "Thread");
    pajewrite_define_state_type(w, state, thread, "State");
    pajewrite_define_link_type(w, creation, process, thread, thread, "Thread created");
    pajewrite_define_link_type(w, fork, PAJEWRITE_ROOT_TYPE, thread, thread, "Process created");
    pajewrite_define_event_type(w, PAJEWRITE_TYPE(TRACE_NAME_TYPE), thread, "Name");
    pajewrite_define_event_type(w, PAJEWRITE_TYPE(TRACE_MARK_TYPE), thread, "Mark");
    pajewrite_define_event_type(w, PAJEWRITE_TYPE(TRACE_LEFT_OUT_TYPE), thread, "Left out");
    if (trace_page->heap) {
        const pajewrite_type allocation = PAJEWRITE_TYPE(TRACE_ALLOCATION_TYPE);
        pajewrite_define_variable_type(w, PAJEWRITE_TYPE(TRACE_HEAP_TYPE), process, "Heap bytes", "0.8 0.4 0.1");
        pajewrite_define_event_type(w, allocation, thread, "Allocation");
        pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ALLOCATED), allocation, "allocate", "0.9 0.3 0.1");
        pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_FREED), allocation, "free", "0.3 0.6 0.2");
    }
    for (i = 0; i < sizeof states / sizeof *states; i++)
        pajewrite_define_value(w, PAJEWRITE_VALUE(i + 1), state, states[i].name, states[i].color);
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), creation, "create", "0.6 0.5 0.2");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), fork, "fork", "0.5 0.3 0.5");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), PAJEWRITE_TYPE(TRACE_NAME_TYPE), "named", NULL);
    if (trace_page->sampler)
        trace_define_samples(w);
    if (trace_page->counters)
        trace_define_counter_types(w);
}

/* Takes the link from the parent of this process, if it was forked and has executed another program. */
static void find_fork(void)
{
    trace_process *p = &trace_the_process;
    const uint32_t process = (uint32_t)syscall(SYS_getpid);
    trace_fork *fork = &trace_page->forks[process % TRACE_FORKS];
    uint32_t expected = process;
    const uint64_t time = fork->time, link = fork->key;
    if (__atomic_compare_exchange_n(&fork->process, &expected, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        p->fork_time = time;
        p->fork_key = link;
    }
}

/* Opens the file, RUN/NUMBER-PROCESS.raw, and defines what is used in it. */
static int open_file(void)
{
    trace_process *p = &trace_the_process;
    char *end = p->path + sizeof p->path - 1, *at, name[96];
    uint64_t time;
    p->number = (long)syscall(SYS_getpid);
    find_fork();
    at = put_text(put_text(p->path, end, p->folder), end, "/");
    p->index = __atomic_add_fetch(&trace_page->processes, 1, __ATOMIC_RELAXED);
    at = put_number(at, end, p->index);
    at = put_number(put_text(at, end, "-"), end, (uint64_t)p->number);
    at = put_text(at, end, ".raw");
    errno = 0; /* the caller keeps the program's */
    if (pajewrite_blocks_open(&p->file, p->path) || trace_open_writer(&p->head, 2 * p->file.page, NULL)) {
        __atomic_add_fetch(errno == EACCES ? &trace_page->strangers : &trace_page->failures, 1, __ATOMIC_RELAXED);
        return 0;
    }
    write_definitions(&p->head.w);
    name_process(name, sizeof name);
    prctl(PR_GET_NAME, p->name);
    p->container = PAJEWRITE_CONTAINER(__atomic_add_fetch(&trace_page->containers, 1, __ATOMIC_RELAXED));
    time = p->fork_time ? p->fork_time : trace_clock(NULL);
    pajewrite_create_container_at(&p->head.w, time, p->container, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), PAJEWRITE_ROOT,
                                  name);
    if (trace_page->heap) /* a child of fork has what its parent had */
        pajewrite_set_variable_at(&p->head.w, time, p->container, PAJEWRITE_TYPE(TRACE_HEAP_TYPE), p->heap);
    pajewrite_finish(&p->head.w);
    return 1;
}

int trace_begin_process(void)
{
    trace_process *p = &trace_the_process;
    int waiting = PROCESS_WAITING;
    const int before = errno;
    if (__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) == PROCESS_ON)
        return 1;
    if (!__atomic_compare_exchange_n(&p->state, &waiting, PROCESS_BEGINNING, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    p->threads = 0;
    trace_begin_clock();
    p->has_messages = p->has_accesses = p->has_completions = p->has_lanes = p->has_notes = p->has_wakes = 0;
    p->has_links[TRACE_TASK_LINK] = p->has_links[TRACE_DEPENDENCE_LINK] = 0;
    if (open_file()) {
        __atomic_store_n(&p->state, PROCESS_ON, __ATOMIC_RELEASE);
    } else {
        trace_mask = &no_category;
        p->state = PROCESS_OFF;
    }
    errno = before;
    return p->state == PROCESS_ON;
}

void trace_pause(int is_paused)
{
    if (trace_the_process.state != PROCESS_OFF)
        trace_mask = is_paused ? &no_category : &trace_page->mask;
}

/* ---- begin, fork, spawn, end */

void trace_start_spawn(int is_posix_spawn, char *text)
{
    char *end = text + TRACE_PARENT_SIZE - 1, *p;
    uint64_t key;
    *text = 0;
    if (!trace_is_on(TRACE_PROCESSES) || trace_the_process.state != PROCESS_ON ||
        (!is_posix_spawn && trace_the_process.number == (long)syscall(SYS_getpid)))
        return;
    key = trace_start_fork();
    if (key) {
        p = put_number(put_text(text, end, TRACE_PARENT "="), end, key);
        put_number(put_text(p, end, ":"), end, trace_clock(NULL));
    }
}

int trace_start_exec(void)
{
    const int before = errno;
    const uid_t user = geteuid();
    struct stat about;
    int is_stranger = 0;
    if (trace_the_process.state != PROCESS_OFF && user) { /* capabilities that it may still have end now */
        if (stat(trace_the_process.folder, &about))
            is_stranger = errno == EACCES;
        else
            is_stranger = user != about.st_uid && !(about.st_mode & (S_IWGRP | S_IWOTH));
    }
    if (is_stranger)
        __atomic_add_fetch(&trace_page->strangers, 1, __ATOMIC_RELAXED);
    errno = before;
    return is_stranger;
}

void trace_fail_exec(int is_stranger)
{
    if (is_stranger)
        __atomic_sub_fetch(&trace_page->strangers, 1, __ATOMIC_RELAXED);
}

void trace_note_child(long process)
{
    if (trace_page)
        __atomic_store_n(&trace_page->children[process % TRACE_FORKS], (uint32_t)process, __ATOMIC_RELAXED);
}

/* Takes the link from the parent of a process that was spawned. */
static void find_parent(void)
{
    const char *text = getenv(TRACE_PARENT);
    char *at;
    if (!text)
        return;
    trace_the_process.fork_key = strtoull(text, &at, 10);
    trace_the_process.fork_time = *at == ':' ? strtoull(at + 1, NULL, 10) : 0;
    unsetenv(TRACE_PARENT); /* it is not that of its children */
}

int trace_open_control(const char *folder, int how)
{
    char path[sizeof trace_the_process.path], *end = path + sizeof path - 1;
    put_text(put_text(path, end, folder), end, "/" TRACE_CONTROL);
    return (int)syscall(SYS_openat, AT_FDCWD, path, how | O_CLOEXEC);
}

/* Maps the page that the processes of the run share.  Returns NULL if there is none. */
static trace_control *map_page(const char *folder)
{
    const int descriptor = trace_open_control(folder, O_RDWR);
    trace_control *page = MAP_FAILED;
    struct stat about;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) == 0 && about.st_size >= (off_t)sizeof *page) /* it has not been truncated */
        page = (trace_control *)mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    syscall(SYS_close, descriptor);
    return page == MAP_FAILED || page->magic != TRACE_MAGIC ? NULL : page;
}

static __thread uint64_t fork_key __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
    fork_key = trace_is_on(TRACE_PROCESSES) ? trace_start_fork() : 0;
}

/* In a child of fork, only the calling thread goes on. */
static void in_child(void)
{
    trace_process *p = &trace_the_process;
    trace_forget_threads();
    trace_forget_names();
    trace_forget_functions();
    trace_forget_code();
    p->is_copy = 1;
    p->fork_key = fork_key;
    p->fork_time = trace_clock(NULL);
    if (p->state != PROCESS_OFF) {
        const uint32_t process = (uint32_t)syscall(SYS_getpid);
        trace_fork *fork = &trace_page->forks[process % TRACE_FORKS];
        fork->time = p->fork_time;
        fork->key = p->fork_key;
        __atomic_store_n(&fork->process, process, __ATOMIC_RELEASE);
        p->state = PROCESS_WAITING;
        if (trace_page->sampler == TRACE_TIMERS)
            trace_sample_child();
    }
}

void trace_begin_child(void)
{
    fork_key = 0;
    in_child();
}

/* The work of a launcher is not recorded; nor is it the parent of the processes of its job. */
static int is_launcher(void)
{
    if (!job_is_launcher(program_invocation_short_name))
        return 0;
    unsetenv(TRACE_PARENT);
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *folder = getenv(TRACE_RUN);
    trace_process *p = &trace_the_process;
    const int before = errno;
    if (folder && strlen(folder) < sizeof p->folder && (trace_page = map_page(folder)) &&
        !is_launcher() && trace_begin_threads()) {
        strcpy(p->folder, folder);
        put_text(p->program, p->program + sizeof p->program - 1, program_invocation_short_name);
        pthread_atfork(before_fork, NULL, in_child);
        p->state = PROCESS_WAITING;
        trace_handle_faults();
        find_parent();
        trace_mask = &trace_page->mask;
        trace_begin_thread_as((trace_origin){0, 0}, trace_load_java());
    }
    errno = before;
}

/* A child of vfork shares the memory of its parent, which goes on. */
void trace_end_process(void)
{
    const trace_process *p = &trace_the_process;
    if (trace_page && trace_is_worth_sampling())
        trace_begin_thread((trace_origin){0, 0});
    if (p->state == PROCESS_ON && p->number == (long)syscall(SYS_getpid)) {
        trace_sum_left_out();
        trace_end_thread();
    }
}

__attribute__((destructor)) static void end(void)
{
    trace_end_process();
}
