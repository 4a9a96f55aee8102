/* Layer: the heap.  It is a library of its own, libpajetrace-heap.so, which is preloaded only if the heap is recorded:
 * a program whose heap is not recorded calls its own malloc.
 *
 * Bytes are counted as malloc rounds them, the same when memory is allocated and when it is freed.  Nothing is
 * allocated here, so that nothing recurs; what dlsym allocates while malloc is looked up comes from `early`. */
#include "../trace.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static char early[1 << 16] __attribute__((aligned(16)));
static size_t early_used;
static int is_ready;
static int is_counting; /* not before constructors run: allocators of others, as of sanitizers, are not ready either */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
    size_t (*usable)(void *);
} next;

static void find(const char *name, void *place)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        abort(); /* there is no C library without these */
    memcpy(place, &function, sizeof function);
}

static void look_up(void)
{
    static __thread int is_looking __attribute__((tls_model("initial-exec")));
    if (is_looking || __atomic_load_n(&is_ready, __ATOMIC_ACQUIRE))
        return;
    is_looking = 1;
    find("malloc", &next.malloc);
    find("calloc", &next.calloc);
    find("realloc", &next.realloc);
    find("memalign", &next.memalign);
    find("aligned_alloc", &next.aligned_alloc);
    find("valloc", &next.valloc);
    find("pvalloc", &next.pvalloc);
    find("posix_memalign", &next.posix_memalign);
    find("free", &next.free);
    find("malloc_usable_size", &next.usable);
    is_looking = 0;
    __atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void begin(void)
{
    look_up();
    is_counting = 1;
}

/* Whether malloc is known; looks it up if not. */
static inline int is_known(void)
{
    if (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE))
        look_up();
    return __atomic_load_n(&is_ready, __ATOMIC_ACQUIRE);
}

static int is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

/* Memory that is zero, and is never freed; its size is in front of it. */
static void *allocate_early(size_t size)
{
    const size_t whole = (size + 31) & ~(size_t)15;
    const size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
    if (size > sizeof early || at + whole > sizeof early)
        return NULL;
    memcpy(early + at, &size, sizeof size);
    return early + at + 16;
}

static inline void *allocated(void *memory)
{
    if (memory && is_counting)
        pajetrace_lib_heap((int64_t)next.usable(memory));
    return memory;
}

TRACE_EXPORT void *malloc(size_t size)
{
    return is_known() ? allocated(next.malloc(size)) : allocate_early(size);
}

TRACE_EXPORT void *calloc(size_t count, size_t size)
{
    if (is_known())
        return allocated(next.calloc(count, size));
    return size && count > sizeof early / size ? NULL : allocate_early(count * size);
}

TRACE_EXPORT void free(void *memory)
{
    const int before = errno;
    if (!memory || is_early(memory) || !is_known())
        return;
    if (is_counting)
        pajetrace_lib_heap(-(int64_t)next.usable(memory));
    errno = before;
    next.free(memory);
}

TRACE_EXPORT void *realloc(void *memory, size_t size)
{
    int64_t before;
    void *result;
    if (!memory)
        return malloc(size);
    if (is_early(memory) || !is_known()) {
        size_t had;
        memcpy(&had, (char *)memory - 16, sizeof had);
        result = malloc(size);
        return result ? memcpy(result, memory, had < size ? had : size) : NULL;
    }
    before = is_counting ? (int64_t)next.usable(memory) : 0;
    result = next.realloc(memory, size);
    if (before && (result || !size)) /* of size 0, it is freed */
        pajetrace_lib_heap(-before);
    return allocated(result);
}

TRACE_EXPORT void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t product;
    if (__builtin_mul_overflow(count, size, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, product);
}

TRACE_EXPORT void *memalign(size_t alignment, size_t size)
{
    return is_known() ? allocated(next.memalign(alignment, size)) : NULL;
}

TRACE_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return is_known() ? allocated(next.aligned_alloc(alignment, size)) : NULL;
}

TRACE_EXPORT void *valloc(size_t size)
{
    return is_known() ? allocated(next.valloc(size)) : NULL;
}

TRACE_EXPORT void *pvalloc(size_t size)
{
    return is_known() ? allocated(next.pvalloc(size)) : NULL;
}

TRACE_EXPORT int posix_memalign(void **memory, size_t alignment, size_t size)
{
    const int status = is_known() ? next.posix_memalign(memory, alignment, size) : ENOMEM;
    if (status == 0)
        allocated(*memory);
    return status;
}
