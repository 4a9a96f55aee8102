/* Requests: what the documents of MIR ask for, checked against their DTD, and `tunereq`, `tracereq`, `catalogreq` and
 * `ping`, which are added to these. */
#pragma once

#include "document.h"

#ifdef LIVE_SMALL /* limits that the inputs of a fuzzer reach */
enum { REQUEST_NAME = 24, REQUEST_REGION = 40, REQUEST_METRICS = 3, REQUEST_PATHS = 4, REQUEST_FUNCTIONS = 5 };
#else
enum {
    REQUEST_NAME = 64,
    REQUEST_REGION = 1024, /* the name of a region: functions of C++ have long ones */
    REQUEST_METRICS = 8,
    REQUEST_PATHS = 32,
    REQUEST_FUNCTIONS = 5
};
#endif

typedef enum request_kind {
    REQUEST_NONE,
    REQUEST_SIR,
    REQUEST_SNAPSHOT,
    REQUEST_INSTRUMENT,
    REQUEST_CONTROL,
    REQUEST_TUNE,
    REQUEST_TRACE,
    REQUEST_CATALOG,
    REQUEST_PING
} request_kind;

/* The entities of a program, from the outside to the inside. */
enum { LEVEL_SITE, LEVEL_NODE, LEVEL_COMMUNICATOR, LEVEL_PROCESS, LEVEL_THREAD, LEVELS };
extern const char *const request_levels[LEVELS];

/* Entities that are to be measured, such as communicator c1, of that process *.  Empty: this level is not named. */
typedef struct request_path {
    char id[LEVELS][REQUEST_NAME];
} request_path;

typedef enum request_function {
    FUNCTION_AVERAGE,
    FUNCTION_MAXIMUM,
    FUNCTION_MINIMUM,
    FUNCTION_SUM,
    FUNCTION_VARIANCE
} request_function;
extern const char *const request_functions[REQUEST_FUNCTIONS];

typedef struct request_measuring {
    int64_t interval, delivery, duration; /* ms */
    char destination[256];
    uint8_t functions[REQUEST_FUNCTIONS]; /* in their order */
    uint32_t function_count;
} request_measuring;

typedef enum request_action {
    ACTION_NONE,
    ACTION_VALUE,
    ACTION_ACTIVATE,
    ACTION_DEACTIVATE,
    ACTION_RESET,
    ACTION_REMOVE
} request_action;

typedef struct request {
    request_kind kind;
    uint32_t line, column;   /* of what to complain about */
    int flush;               /* 0: it is held back; 1: it and those held back take effect; -1: it takes effect */
    int is_activated, has_region, has_event, has_measuring;
    int is_own;              /* 1: threads are measured by their own executions of the region, whatever selects them */
    char from[REQUEST_REGION], to[REQUEST_REGION];
    char metrics[REQUEST_METRICS][REQUEST_NAME];
    uint32_t metric_count;
    uint32_t given;          /* of `measuring`: 1 interval, 2 delivery, 4 duration, 8 destination, 16 functions */
    request_measuring measuring;
    request_path paths[REQUEST_PATHS];
    uint32_t path_count;
    request_action action;
    int named;               /* snapshots */
    uint32_t stack;
} request;

/* Checks a whole document and reads what it asks for.  Returns 0 if it is refused (document.problem).  The elements of
 * `sirreq`, `ctrlreq` (probe) and `tunereq` are read from the document. */
int request_read(document *it, request *to);
/* Whether the name of the root of a document is that of a request. */
int request_is_known(document_text name);
/* Copies a text, which is cut where it is too long. */
void request_copy(char *to, size_t size, document_text from);
/* Reads an integer. */
int64_t request_integer(document_text text);
