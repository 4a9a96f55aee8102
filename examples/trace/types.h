/* The types of a trace of processes, whose aliases are fixed.  Values of states are those of trace_state. */
#pragma once

enum {
    TRACE_PROCESS_TYPE = 1,
    TRACE_THREAD_TYPE,
    TRACE_STATE_TYPE,
    TRACE_CREATION_TYPE, /* links from thread to thread */
    TRACE_FORK_TYPE,     /* links from process to process */
    TRACE_NAME_TYPE,     /* events: a thread is given a name, which is their user field */
    TRACE_MARK_TYPE,     /* events of pajetrace.h */
    TRACE_HEAP_TYPE,     /* variables of processes: bytes that are allocated */
    TRACE_LEFT_OUT_TYPE, /* events: a function is left out from now on */
    TRACE_ALLOCATION_TYPE, /* events: many bytes are allocated or freed; their user field is how many */
    TRACE_MESSAGE_TYPE,  /* links from thread to thread, of any processes; defined at the first one */
    TRACE_NUMBER_TYPE,   /* events: the system's number of a thread, which is their user field */
    TRACE_SAMPLED_TYPE,  /* states: functions, by samples */
    TRACE_TASK_TYPE,     /* links from thread to thread of a process: a task is created, and runs first */
    TRACE_DEPENDENCE_TYPE, /* links of the same kind: a task ends, and one that depends on it begins */
    TRACE_LANE_TYPE = 20, /* containers in which something happens that no thread does; defined at the first one */
    TRACE_LANE_STATE_TYPE,
    TRACE_NOTE_TYPE,     /* events of layers, with a text as user field; defined at the first one */
    TRACE_WAKE_TYPE,     /* links from a thread that ends another one's waiting; defined at the first one */
    TRACE_ACCESS_TYPE = 24, /* links from thread to process, whose memory it uses; defined at the first one */
    TRACE_SENT_TYPE,     /* events: a call waited until a message was sent, whose key is their user field; likewise */
    TRACE_COUNTER_TYPE = 32, /* variables: the first of the counters */
    TRACE_VARIABLE_TYPE = 48, /* variables of processes: the first of a layer's */
    TRACE_FIXED_ALIASES = 63 /* greater ones are handed out */
};
enum { TRACE_ONLY_VALUE = 1 }; /* of links, and of events with user fields */
enum { TRACE_MESSAGE = 1, TRACE_COLLECTIVE_MESSAGE };

/* Events with user fields, by the order in which they are defined. */
enum {
    TRACE_BYTES_EVENT = 40,
    TRACE_NAME_EVENT,
    TRACE_ALLOCATION_EVENT,
    TRACE_SENT_EVENT,
    TRACE_RECEIVED_EVENT,
    TRACE_COLLECTIVE_EVENT,
    TRACE_ACCESS_EVENT,
    TRACE_ACCESS_BYTES_EVENT,
    TRACE_NOTE_EVENT,
    TRACE_SIZED_NOTE_EVENT,
    TRACE_COMPLETED_EVENT
};
enum { TRACE_ALLOCATED = 1, TRACE_FREED };

/* Containers of threads are created with a name of as many bytes, blanks at its end, so that `paje trace` can replace
 * it by that of the last event of a name. */
enum { TRACE_NAME_SIZE = 15 };
