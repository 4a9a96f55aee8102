/* Compiler-dependent macros, and the check of preconditions. */
#pragma once

#include "model.h"

#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__LIKELY(x) __builtin_expect(!!(x), 1)
#define PAJEWRITE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PAJEWRITE__INLINE static inline __attribute__((always_inline, no_instrument_function))
#define PAJEWRITE__COLD static __attribute__((noinline, cold, no_instrument_function))
#define PAJEWRITE__NOINLINE static __attribute__((noinline, no_instrument_function))
#define PAJEWRITE__BARRIER() __asm__ volatile("" ::: "memory")
#else
#define PAJEWRITE__LIKELY(x) (x)
#define PAJEWRITE__UNLIKELY(x) (x)
#define PAJEWRITE__INLINE static inline
#define PAJEWRITE__COLD static
#define PAJEWRITE__NOINLINE static
#define PAJEWRITE__BARRIER() ((void)0)
#endif

/* Accesses to a word that another thread may use at the same time.  A relaxed one costs what a plain one does. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__LOAD_RELAXED(word) __atomic_load_n(word, __ATOMIC_RELAXED)
#define PAJEWRITE__OR_RELAXED(word, bits) ((void)__atomic_fetch_or(word, bits, __ATOMIC_RELAXED))
#define PAJEWRITE__AND_RELAXED(word, bits) ((void)__atomic_fetch_and(word, bits, __ATOMIC_RELAXED))
#else
#define PAJEWRITE__LOAD_RELAXED(word) (*(const volatile uint32_t *)(word))
#define PAJEWRITE__OR_RELAXED(word, bits) ((void)(*(volatile uint32_t *)(word) |= (bits)))
#define PAJEWRITE__AND_RELAXED(word, bits) ((void)(*(volatile uint32_t *)(word) &= (bits)))
#endif

/* value &= *word, read as by PAJEWRITE__LOAD_RELAXED.  Compilers do not merge an atomic load into the instruction that
 * uses it, which would cost every event one more.  (Once as AT&T write it, once as Intel does, for -masm=intel.) */
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define PAJEWRITE__MASK_RELAXED(value, word) \
    __asm__("{andl %1, %0|and %0, %1}" : "+r"(value) : "m"(*(word)) : "cc")
#else
#define PAJEWRITE__MASK_RELAXED(value, word) ((value) &= PAJEWRITE__LOAD_RELAXED(word))
#endif

/* Atomic access to plain words: what another thread or a signal handler may read or change meanwhile.  By the builtins
 * of GCC and Clang, else by C11 atomics, else as volatile.
 *
 * PAJEWRITE__LOAD, PAJEWRITE__STORE: relaxed.  PAJEWRITE__PUBLISH: a store that is visible only after all stores before
 * it.  PAJEWRITE__RELEASE(): stores before it come before stores after it; PAJEWRITE__ACQUIRE(): so do loads.
 * PAJEWRITE__SWAP_IF stores if the word is as expected, and returns whether it was. */
#if defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2
#define PAJEWRITE__LOAD(type, place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define PAJEWRITE__STORE_WORD(type, place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#define PAJEWRITE__PUBLISH(type, place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)
#define PAJEWRITE__RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#define PAJEWRITE__ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define PAJEWRITE__ADD(type, place, value) __atomic_fetch_add(&(place), value, __ATOMIC_RELAXED)
#define PAJEWRITE__SWAP_IF(type, place, expected, value) \
    __atomic_compare_exchange_n(&(place), expected, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#elif !defined(__cplusplus) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#define PAJEWRITE__ATOMIC(type, place) ((_Atomic(type) *)(uintptr_t)&(place)) /* which drops const without a warning */
#define PAJEWRITE__LOAD(type, place) atomic_load_explicit(PAJEWRITE__ATOMIC(type, place), memory_order_relaxed)
#define PAJEWRITE__STORE_WORD(type, place, value) \
    atomic_store_explicit(PAJEWRITE__ATOMIC(type, place), value, memory_order_relaxed)
#define PAJEWRITE__PUBLISH(type, place, value) \
    atomic_store_explicit(PAJEWRITE__ATOMIC(type, place), value, memory_order_release)
#define PAJEWRITE__RELEASE() atomic_thread_fence(memory_order_release)
#define PAJEWRITE__ACQUIRE() atomic_thread_fence(memory_order_acquire)
#define PAJEWRITE__ADD(type, place, value) \
    atomic_fetch_add_explicit(PAJEWRITE__ATOMIC(type, place), value, memory_order_relaxed)
#define PAJEWRITE__SWAP_IF(type, place, expected, value) \
    atomic_compare_exchange_strong(PAJEWRITE__ATOMIC(type, place), expected, value)
#else
#define PAJEWRITE__PLACE(type, place) (*(type volatile *)(uintptr_t)&(place))
#define PAJEWRITE__LOAD(type, place) (*(type const volatile *)(uintptr_t)&(place))
#define PAJEWRITE__STORE_WORD(type, place, value) ((void)(PAJEWRITE__PLACE(type, place) = (value)))
#define PAJEWRITE__PUBLISH(type, place, value) PAJEWRITE__STORE_WORD(type, place, value)
#define PAJEWRITE__RELEASE() PAJEWRITE__BARRIER()
#define PAJEWRITE__ACQUIRE() PAJEWRITE__BARRIER()
#define PAJEWRITE__ADD(type, place, value) ((PAJEWRITE__PLACE(type, place) += (value)) - (value))
#define PAJEWRITE__SWAP_IF(type, place, expected, value) \
    (PAJEWRITE__LOAD(type, place) == *(expected) ? (PAJEWRITE__PLACE(type, place) = (value), 1) \
                                                 : (*(expected) = PAJEWRITE__LOAD(type, place), 0))
#endif

/* Checks a precondition.  Does nothing by default; the tests define it to abort. */
#ifndef PAJEWRITE__ASSERT
#define PAJEWRITE__ASSERT(condition) ((void)0)
#endif
