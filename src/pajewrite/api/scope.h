/* The scope of a state, for instrumentation by hand. */
#pragma once

#include "model.h"

/* A state up to the end of the enclosing block:
 *
 *     {
 *         PAJEWRITE_SCOPE(&w, thread, state, computing);
 *         ...
 *     }
 *
 * pushes the state, and pops it however the block is left: at its end, by `break`, `continue`, `return` or `goto`, in
 * C++ also by an exception.  It is a declaration, so that it binds no `break` of the code around it; it needs a block,
 * and may not be jumped over.  A state that was disabled at the push is not popped.  In C++,
 * `pajewrite_scope scope(&w, thread, state, computing);` does the same.  Neither longjmp nor the end of the thread pops
 * the state.
 *
 * In C it needs GCC or Clang.  Any compiler has the two calls of which it is made:
 *
 *     pajewrite_entered entered = pajewrite_enter(&w, thread, state, computing);
 *     ...
 *     pajewrite_leave(&entered); // on every path out of here
 */

/* What pajewrite_leave has to know.  All members are private. */
typedef struct pajewrite_entered {
    pajewrite *w; /* NULL: nothing was pushed */
    pajewrite_container container;
    pajewrite_type type;
} pajewrite_entered;

/* Makes the compiler warn where what a call returns is not used. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__USE_RESULT __attribute__((warn_unused_result))
#else
#define PAJEWRITE__USE_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef PAJEWRITE_DISABLE
PAJEWRITE__UNTRACED PAJEWRITE__USE_RESULT
static inline pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite_entered entered;
    (void)w, (void)value;
    entered.w = NULL;
    entered.container = container;
    entered.type = type;
    return entered;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_leave(const pajewrite_entered *entered) { (void)entered; }
#else
PAJEWRITE__API PAJEWRITE__USE_RESULT pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container,
                                                                      pajewrite_type type, pajewrite_value value);
PAJEWRITE__API void pajewrite_leave(const pajewrite_entered *entered);
#endif
#ifdef __cplusplus
}
#endif

#define PAJEWRITE__JOIN2(a, b) a##b
#define PAJEWRITE__JOIN(a, b) PAJEWRITE__JOIN2(a, b)

#ifdef __cplusplus
/* Linkers take one of the functions that are called alike in two files, also where it is compiled out in one of them
 * only, or is `static` in one (PAJEWRITE_API).  So they are inline always, or have another name. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__MEMBER __attribute__((always_inline, no_instrument_function))
#else
#define PAJEWRITE__MEMBER
#ifdef PAJEWRITE_DISABLE
#define pajewrite_scope pajewrite_scope_disabled
#endif
#endif
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++17-extensions" /* nodiscard */
#endif
struct pajewrite_scope {
    pajewrite_entered entered;
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 10)
    [[nodiscard]] /* a scope without a name would end at once */
#endif
    PAJEWRITE__MEMBER
    pajewrite_scope(pajewrite *w, pajewrite_container container, pajewrite_type type, pajewrite_value value)
        : entered(pajewrite_enter(w, container, type, value)) {}
    PAJEWRITE__MEMBER
    ~pajewrite_scope() { pajewrite_leave(&entered); }
    pajewrite_scope(const pajewrite_scope &) = delete;
    pajewrite_scope &operator=(const pajewrite_scope &) = delete;
};
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#define PAJEWRITE_SCOPE(w, container, type, value) \
    pajewrite_scope PAJEWRITE__JOIN(pajewrite__scope_, __LINE__)(w, container, type, value)
#elif defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE_SCOPE(w, container, type, value) \
    const pajewrite_entered PAJEWRITE__JOIN(pajewrite__scope_, __LINE__) \
        __attribute__((cleanup(pajewrite_leave), unused)) = pajewrite_enter(w, container, type, value)
#else /* A call of PAJEWRITE_SCOPE does not compile, and this name says what to use. */
#define PAJEWRITE_SCOPE(w, container, type, value) this_compiler_has_no_PAJEWRITE_SCOPE_use_pajewrite_enter_and_leave
#endif
