/* Lines that wait for what they rest on.
 *
 * Clocks that are corrected piecewise linear may still let some messages arrive before they were sent.  Then the end of
 * the link waits for its start, is moved to just behind it, and what follows in its file is moved with it, by less and
 * less: the controlled logical clock of Rolf Rabenseifner.  So all messages come right, but for those that wait for one
 * another in a circle, and for lines that are not in the order of time in their file, which stay where they are.
 *
 * Circles show when all inputs that are left wait.  Which of them wait for which is not known then, but the next time
 * that the files are read. */
#include "merge.h"

#define DWINDLES 0.05 /* a clock that is late goes so much faster than the line that waited says */
#define ATTEMPTS 8    /* to find out what lines in circles wait for */

int merge_waiting;
static int attempt;
static int is_unsure; /* a line went on because nothing was known of what it waits for */

static const pajesim_text nothing = {"", 0};

double merge_lateness(const merge_clock *clock, double time)
{
    double late = clock->late - (time > clock->since ? DWINDLES * (time - clock->since) : 0);
    return late > 0 ? late : 0;
}

static merge_key line_key(enum merge_tag tag, uint32_t input, uint64_t line)
{
    return merge_make_key(tag, input, line, 0, nothing);
}

int merge_may_wait(const merge_input *input, pajesim_time time)
{
    return merge_waiting && !input->passes && !(time < input->latest) &&
           !merge_find(line_key(MERGE_NO_WAIT, input->index, input->taken));
}

void merge_never_wait(const merge_input *input, uint64_t line)
{
    if (!merge_find(line_key(MERGE_NO_WAIT, input->index, line)))
        merge_add(line_key(MERGE_NO_WAIT, input->index, line), NULL, 0);
}

void merge_note_source(uint32_t input, uint64_t line, merge_input *source)
{
    if (merge_waiting && !merge_find(line_key(MERGE_SOURCE, input, line)))
        merge_add(line_key(MERGE_SOURCE, input, line), source, 0);
}

void merge_end_wait(merge_entry *wait, pajesim_time sent)
{
    merge_input *input = wait->thing;
    merge_clock *clock = &input->clock;
    double time = merge_correct_smoothly(input, input->lines[input->next].time), late = sent + MERGE_RESOLUTION - time;
    if (late > merge_lateness(clock, time)) {
        clock->late = late;
        clock->since = time;
    }
    merge_go_on(input);
}

/* ---- circles */

static merge_input *source_of(const merge_input *input)
{
    const merge_entry *entry = merge_find(line_key(MERGE_SOURCE, input->index, input->taken));
    return entry ? entry->thing : NULL;
}

static void let_pass(merge_input *input, int ever)
{
    input->passes = 1;
    if (ever)
        merge_never_wait(input, input->taken);
    merge_go_on(input);
}

/* Lets those pass that wait for one another in a circle that this one leads to.  Answers 0 if it leads to none. */
static int break_circle_from(merge_input *input, uint32_t mark)
{
    merge_input *at = input, *next;
    for (; at && at->waits && !at->mark; at = source_of(at))
        at->mark = mark;
    if (!at || !at->waits || at->mark != mark)
        return 0;
    for (; at->waits; at = next) {
        next = source_of(at);
        let_pass(at, 1);
    }
    return 1;
}

void merge_break_circle(void)
{
    int passed = 0, ever = merge_pass == MERGE_WRITE || attempt >= ATTEMPTS;
    for (uint32_t i = 0; i < merge_input_count; i++)
        merge_inputs[i].mark = 0;
    for (uint32_t i = 0; i < merge_input_count; i++)
        passed |= break_circle_from(&merge_inputs[i], i + 1);
    if (passed)
        return;
    for (uint32_t i = 0; i < merge_input_count && !(passed && ever); i++) {
        merge_input *input = &merge_inputs[i];
        const merge_input *source = input->waits ? source_of(input) : NULL;
        if (!input->waits || (source && source->waits))
            continue;
        let_pass(input, ever || source); /* what it waits for has passed, or is not known */
        is_unsure |= !ever && !source;
        passed = 1;
    }
}

void merge_try_waiting(const paje_settings *settings, double worst)
{
    if (!(worst > 0))
        return;
    merge_waiting = 1;
    for (attempt = 1; attempt == 1 || is_unsure; attempt++) {
        is_unsure = 0;
        merge_take_all(settings);
    }
    merge_waiting = merge_worst_message() <= 1.01 * worst;
}
