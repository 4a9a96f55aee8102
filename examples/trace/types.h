/* The types of a trace of processes, whose aliases are fixed.  Values of states are those of trace_state. */
#pragma once

enum {
    TRACE_PROCESS_TYPE = 1,
    TRACE_THREAD_TYPE,
    TRACE_STATE_TYPE,
    TRACE_CREATION_TYPE, /* links from thread to thread */
    TRACE_FORK_TYPE      /* links from process to process */
};
enum { TRACE_LINK = 1 }; /* the value of a link */
