/* Java, as Extrae writes it: types of events, values and states for what the layer of Java of `paje trace` records.
 *
 * A trace is of Java if it has that layer's type of events.  Besides the events that all states have, those of Java
 * have some of the type JAVA_BASE, and threads of the type JAVA_THREAD_RUN. */
#include "paraver.h"

static const struct {
    const char *name; /* of the state, or the event */
    int value;        /* of JAVA_BASE */
    int state;        /* of Paraver */
} known[] = {
    {"collection of garbage", 1, 15}, {"exception", 2, 15},      {"allocation", 3, -1},
    {"Object.wait", 5, 5},            {"monitor", 5, 5},         {"Thread.start", 6, 7},
    {"Object.notify", 7, 13},         {"Object.notifyAll", 7, 13},
};

static const char *const labels[] = {
    "Outside Java events", "Garbage Collection", "Exception", "Object allocated", "Object freed", "Monitor wait",
    "Thread scheduling", "Monitor notify",
};
enum { LABELS = sizeof labels / sizeof *labels };

static int is_java, has_base, has_run;
static int is_used[LABELS];

void java_add_type(const pajesim_type_info *type)
{
    is_java |= type->kind == PAJESIM_EVENT && text_is_equal(type->name, text_of("Java"));
}

static size_t find(pajesim_text name)
{
    size_t i = is_java ? 0 : sizeof known / sizeof *known;
    while (i < sizeof known / sizeof *known && !text_is_equal(name, text_of(known[i].name)))
        i++;
    return i;
}

uint32_t java_type(pajesim_text name, int64_t *value)
{
    size_t i = find(name);
    *value = 1;
    if (i == sizeof known / sizeof *known)
        return is_java && text_is_equal(name, text_of("running")) ? JAVA_THREAD_RUN : 0;
    *value = known[i].value;
    return JAVA_BASE;
}

int java_state(pajesim_text name)
{
    size_t i = find(name);
    return i < sizeof known / sizeof *known ? known[i].state : -1;
}

void java_put_event(text_buffer *text, uint32_t type, int64_t value)
{
    text_printf(text, "%lu:%lld", (unsigned long)type, (long long)value);
    has_base |= type == JAVA_BASE;
    has_run |= type == JAVA_THREAD_RUN;
    if (type == JAVA_BASE)
        is_used[value] = 1;
}

void java_put_labels(text_buffer *text)
{
    if (has_base) {
        text_printf(text, "\n\nEVENT_TYPE\n0    %d    Java basic events\nVALUES\n", JAVA_BASE);
        for (int i = 0; i < LABELS; i++)
            if (is_used[i] || i == 0)
                text_printf(text, "%-4d %s\n", i, labels[i]);
    }
    if (has_run)
        text_printf(text, "\n\nEVENT_TYPE\n0    %d    Java thread running\nVALUES\n0    End\n1    Begin\n",
                    JAVA_THREAD_RUN);
}
