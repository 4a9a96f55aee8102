/* The states that a thread may be in: name of its constant, name and colour in the trace. */
#pragma once

#define TRACE_STATES(STATE) \
    STATE(RUNNING, "running", "0.70 0.88 0.70") \
    STATE(CREATE, "create thread", "0.95 0.80 0.30") \
    STATE(JOIN, "join thread", "0.85 0.60 0.25") \
    STATE(BARRIER, "barrier", "0.70 0.25 0.45") \
    STATE(LOCK, "lock", "0.85 0.15 0.15") \
    STATE(CONDITION, "condition", "0.92 0.45 0.40") \
    STATE(SEMAPHORE, "semaphore", "0.95 0.60 0.50") \
    STATE(OPEN, "open", "0.45 0.75 0.90") \
    STATE(CLOSE, "close", "0.60 0.80 0.90") \
    STATE(READ, "read", "0.25 0.60 0.90") \
    STATE(WRITE, "write", "0.20 0.40 0.85") \
    STATE(SYNC, "sync", "0.15 0.25 0.60") \
    STATE(POLL, "poll", "0.55 0.65 0.80") \
    STATE(CONNECT, "connect", "0.40 0.75 0.75") \
    STATE(ACCEPT, "accept", "0.55 0.85 0.80") \
    STATE(SEND, "send", "0.10 0.55 0.60") \
    STATE(RECEIVE, "receive", "0.20 0.70 0.65") \
    STATE(SLEEP, "sleep", "0.75 0.75 0.75") \
    STATE(FORK, "fork", "0.80 0.55 0.85") \
    STATE(WAIT, "wait for process", "0.60 0.45 0.75")

typedef enum trace_state {
    TRACE_NO_STATE,
#define TRACE_STATE(NAME, name, color) TRACE_##NAME,
    TRACE_STATES(TRACE_STATE)
#undef TRACE_STATE
} trace_state;
