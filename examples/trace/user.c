/* Layer: what programs add themselves, by pajetrace.h. */
#include "pajetrace.h"
#include "trace.h"

TRACE_EXPORT unsigned pajetrace_lib_begin(const char *name)
{
    const trace_scope scope = trace_is_on(TRACE_USER) ? trace_begin_named(name) : (trace_scope){NULL, 0};
    return scope.thread ? scope.depth + 1 : 0;
}

TRACE_EXPORT void pajetrace_lib_end(unsigned depth)
{
    if (depth)
        trace_end_depth(depth - 1);
}

TRACE_EXPORT void pajetrace_lib_mark(const char *name)
{
    if (trace_is_on(TRACE_USER))
        trace_mark(name);
}

TRACE_EXPORT void pajetrace_lib_set(const char *name, double value)
{
    if (trace_is_on(TRACE_USER))
        trace_set(name, value);
}
