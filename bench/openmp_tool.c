/* A tool of OpenMP (OMPT) that does nothing: what LLVM's library takes to call it is what no tool can save. */
#include "trace/openmp/ompt.h"

#include <stddef.h>

static void do_nothing(void)
{
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    static const ompt_callbacks_t events[] = {
        ompt_callback_thread_begin, ompt_callback_parallel_begin, ompt_callback_parallel_end,
        ompt_callback_implicit_task, ompt_callback_task_create, ompt_callback_task_schedule,
        ompt_callback_task_dependence, ompt_callback_work, ompt_callback_masked, ompt_callback_mutex_acquire,
        ompt_callback_mutex_acquired, ompt_callback_mutex_released, ompt_callback_control_tool,
        ompt_callback_reduction, ompt_callback_sync_region_wait};
    const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    size_t i;
    (void)device, (void)data;
    for (i = 0; set && i < sizeof events / sizeof *events; i++)
        set(events[i], do_nothing);
    return set != NULL;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library);
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)library;
    return &result;
}
