/* The trace of a process: its file, its threads, names and functions.  Layers that wrap others need trace.h alone. */
#pragma once

#include "clock.h"
#include "trace.h"
#include "types.h"
#include "writer.h"

typedef struct trace_writer {
    pajewrite w;
    pajewrite_block block;
    uint64_t last; /* time that its clock has returned */
} trace_writer;

typedef struct trace_process {
    int state; /* PROCESS_OFF and so on; atomic */
    long number;
    uint32_t index; /* from 1, of those of the run */
    pajewrite_blocks file;
    pajewrite_container container;
    pajewrite_variant ended_bytes; /* a state that ends, with the bytes that were read or written */
    pajewrite_variant named;       /* an event: a thread is given a name */
    pajewrite_variant numbered;    /* an event: the system's number of a thread that is sampled */
    pajewrite_variant sent, received; /* ends of a message, with its bytes */
    pajewrite_variant collective;  /* a state that begins: see trace_collective */
    pajewrite_variant access;      /* a state that begins: with a target and bytes */
    pajewrite_variant accessed;    /* a link that starts: the bytes of an access */
    pajewrite_variant noted, sized; /* an event of a layer: with a class; and bytes */
    pajewrite_variant completed; /* the end of a send, with the key of its link */
    int has_lanes, has_notes, has_wakes; /* atomic; 1: their types are defined */
    int has_messages, has_accesses, has_completions; /* atomic; 1: their types are defined */
    int has_links[2];              /* atomic; 1: the type of a trace_link is defined */
    pajewrite_variant allocated;   /* an event: many bytes are allocated or freed */
    int64_t heap;                  /* bytes that are allocated, as threads have written; atomic */
    uint32_t threads;              /* how many there were */
    int is_copy;                   /* 1: a child of fork, which is the same program as its parent */
    uint64_t fork_time;            /* of a child of fork; 0: it is none, or not known as one */
    uint64_t fork_key;             /* of the link from its parent; 0: none */
    trace_writer head;             /* definitions, and the container of the process */
    char program[64];              /* its name, as it was at the beginning: programs write over it */
    char name[16];                 /* that the system has for its first thread, at first */
    char folder[512], path[560];
} trace_process;

enum {
    PROCESS_OFF,      /* nothing is recorded */
    PROCESS_WAITING,  /* a child of fork: its trace begins at its first call, as many only call exec */
    PROCESS_BEGINNING,
    PROCESS_ON
};

extern trace_process trace_the_process;
extern trace_control *trace_page;

/* Opens the file of the control page, without the C library.  Returns -1 if that is not possible. */
int trace_open_control(const char *folder, int how);
/* Begins the trace of the process unless it has begun.  Returns 0 if there is none. */
int trace_begin_process(void);
/* Gets the next block, and notes on the page if there is none. */
char *trace_next_buffer(void *data, size_t used, size_t needed, size_t *size);
/* Prepares a writer whose first block has at least `size` bytes.  `aliases`: the counter that its identifiers are from;
 * NULL: it defines what has fixed ones. */
pajewrite_status trace_open_writer(trace_writer *it, size_t size, uint32_t *aliases);

/* signals.c: handles SIGBUS, which would end the program where a page of the run's files cannot be written. */
void trace_handle_faults(void);
/* faults.c: goes on in memory of the process if the page is one of these, and records nothing more.  Returns 0 if it is
 * the program's own. */
int trace_replace_memory(const void *page);
/* thread.c: the block of a thread of this process, or of its head, in which an address is; NULL: there is none. */
pajewrite_block *trace_find_block(const void *address);

/* counters.c */
void trace_define_counters(pajewrite *w);
void trace_define_counter_types(pajewrite *w);
/* sample.c: in a new process; in a child of fork, of which nothing is recorded yet; before its end. */
void trace_define_samples(pajewrite *w);
void trace_sample_child(void);
int trace_is_worth_sampling(void);
/* code.c: in a child of fork. */
void trace_forget_code(void);

/* names.c */
typedef enum trace_name_kind { TRACE_NAMED_STATE, TRACE_NAMED_MARK, TRACE_NAMED_VARIABLE } trace_name_kind;
/* Returns the alias of a name, of a value or of a type, which is defined at its first use; 0: there are too many. */
uint32_t trace_find_name(pajewrite *w, trace_name_kind kind, const char *name);
void trace_forget_names(void);

/* java.c: loads the layer of Java, if this is a program that starts a JVM. */
const char *trace_load_java(void);

/* choose.c: whether a function is recorded; `place`: @FILE+0xOFFSET. */
int trace_is_chosen(const char *place);

/* functions.c */
enum {
    TRACE_RECORDED,
    TRACE_THROTTLED, /* it is left out from now on, as it is called often and short */
    TRACE_NOT_CHOSEN
};
typedef struct trace_function {
    uint64_t key;      /* its address, and above that the number of its construct if it is part of one; 0: free */
    uint32_t value;    /* of its state; 0: being defined */
    uint32_t is_off;   /* TRACE_RECORDED and so on */
    uint32_t place;    /* a hash of where it is in which file */
    uint32_t unloads;  /* how many times libraries had been unloaded when that was looked up */
    uint64_t calls, time; /* threads that add at the same time may lose a call */
} trace_function;

/* Returns a function, whose value is defined at its first use; NULL: there are too many.  `part`: NULL: all of it. */
trace_function *trace_find_function(pajewrite *w, uintptr_t address, const trace_construct *part);
/* Its key. */
static inline uint64_t trace_function_key(uintptr_t address, const trace_construct *part)
{
    return (uint64_t)(part ? part->number : 0) << 56 | address;
}
extern uint32_t trace_unloads; /* how many times libraries were unloaded; atomic */
/* Returns the value of its state. */
uint32_t trace_function_value(pajewrite *w, const trace_function *function, const trace_construct *part);
/* Counts a call that took so long.  Returns 1 if the function is left out from now on. */
int trace_count_call(trace_function *function, uint64_t time);
/* Marks in the trace of a thread that a function is left out from now on. */
void trace_mark_left_out(pajewrite *w, pajewrite_container thread, const trace_function *function);
void trace_forget_functions(void);

/* thread.c: in a new process, or in a child of fork. */
int trace_begin_threads(void);
void trace_forget_threads(void);
void trace_end_thread(void);
/* Adds what threads have left out to the page, when the process ends. */
void trace_sum_left_out(void);

/* events.c: writes what the thread has allocated since it did so last. */
void trace_write_heap(trace_thread *t);
/* Starts the link to a child that is about to be forked.  Returns its key; 0: none. */
uint64_t trace_start_fork(void);
