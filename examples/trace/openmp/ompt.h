/* The part of the tools interface of OpenMP (OMPT; OpenMP 5.1, sections 4.5 and 4.6) that is used here, so that nothing
 * has to be installed to build it.  tests/trace/openmp.sh compares it with omp-tools.h. */
#pragma once

#include <stdint.h>

typedef union ompt_data_t {
    uint64_t value;
    void *ptr;
} ompt_data_t;

typedef struct ompt_frame_t ompt_frame_t;

typedef enum ompt_callbacks_t {
    ompt_callback_thread_begin = 1,
    ompt_callback_thread_end = 2,
    ompt_callback_parallel_begin = 3,
    ompt_callback_parallel_end = 4,
    ompt_callback_task_create = 5,
    ompt_callback_task_schedule = 6,
    ompt_callback_implicit_task = 7,
    ompt_callback_control_tool = 11,
    ompt_callback_sync_region_wait = 16,
    ompt_callback_mutex_released = 17,
    ompt_callback_task_dependence = 19,
    ompt_callback_work = 20,
    ompt_callback_masked = 21,
    ompt_callback_mutex_acquire = 26,
    ompt_callback_mutex_acquired = 27,
    ompt_callback_reduction = 31
} ompt_callbacks_t;

typedef enum ompt_thread_t { ompt_thread_initial = 1, ompt_thread_worker = 2 } ompt_thread_t;

typedef enum ompt_scope_endpoint_t {
    ompt_scope_begin = 1,
    ompt_scope_end = 2,
    ompt_scope_beginend = 3
} ompt_scope_endpoint_t;

typedef enum ompt_sync_region_t {
    ompt_sync_region_taskwait = 5,
    ompt_sync_region_taskgroup = 6,
    ompt_sync_region_reduction = 7
} ompt_sync_region_t; /* all others are barriers */

typedef enum ompt_work_t {
    ompt_work_loop = 1,
    ompt_work_sections = 2,
    ompt_work_single_executor = 3,
    ompt_work_single_other = 4,
    ompt_work_workshare = 5,
    ompt_work_distribute = 6,
    ompt_work_taskloop = 7,
    ompt_work_scope = 8
} ompt_work_t;

typedef enum ompt_mutex_t {
    ompt_mutex_lock = 1,
    ompt_mutex_test_lock = 2,
    ompt_mutex_nest_lock = 3,
    ompt_mutex_test_nest_lock = 4,
    ompt_mutex_critical = 5,
    ompt_mutex_atomic = 6,
    ompt_mutex_ordered = 7
} ompt_mutex_t;

typedef enum ompt_task_flag_t {
    ompt_task_initial = 0x00000001,
    ompt_task_explicit = 0x00000004,
    ompt_task_taskwait = 0x00000010,
    ompt_task_untied = 0x10000000
} ompt_task_flag_t;

typedef enum ompt_task_status_t {
    ompt_task_complete = 1,
    ompt_task_yield = 2,
    ompt_task_cancel = 3,
    ompt_task_detach = 4,
    ompt_task_early_fulfill = 5,
    ompt_task_late_fulfill = 6,
    ompt_task_switch = 7,
    ompt_taskwait_complete = 8
} ompt_task_status_t;

typedef uint64_t ompt_wait_id_t;

/* What tools are called with. */
typedef void (*ompt_callback_t)(void);
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(ompt_callbacks_t event, ompt_callback_t callback);

typedef struct ompt_start_tool_result_t {
    int (*initialize)(ompt_function_lookup_t lookup, int device, ompt_data_t *data);
    void (*finalize)(ompt_data_t *data);
    ompt_data_t data;
} ompt_start_tool_result_t;
