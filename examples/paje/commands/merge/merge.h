/* paje merge: the functions of its files.  Their data is in data.h.
 *
 * All inputs are read in several passes.  The survey collects the definitions of types and values, and finds out which
 * link keys belong to one input only; if need be, a second survey does that.  With --align, passes over all messages
 * follow until the clocks fit.  The last pass writes the merged trace.  Who calls whom:
 *
 *     merge -+-> folder -> raw -> symbols
 *            +-> sort -> files, split, raw
 *            +-> align -----+-> windows -> solve -> messages
 *            |              |
 *            +-> processes -+
 *            +--------------+-> pass -+-> circles -> queue, waits
 *                                     +-> write --+-> known -> containers -> types, scopes, mixed
 *                                     |           +-> links, collectives -> messages, scopes, waits
 *                                     +-> input -> direct -> lines, plain; comments, definitions
 *
 * Most of them also call keys (of hash maps), words (with quotes), clock (corrected times) and share (which process
 * writes a line).  Below, the files are listed from the bottom up: each calls only functions of files that come before
 * it. */
#pragma once

#include "data.h"

static const char merge_no_bytes[MERGE_SLACK];
static const pajesim_text merge_no_text = {merge_no_bytes, 0};

static inline double merge_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double merge_max(double a, double b)
{
    return a > b ? a : b;
}

/* ---- keys.c */

/* Makes a key of two numbers and a text; valid until the next call. */
pajesim_text merge_key(merge *m, uint64_t a, uint64_t b, pajesim_text text);

/* Two numbers in one. */
static inline uint64_t merge_two(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}
/* Like map_find() and map_add(), with the key that merge_key() makes. */
size_t merge_find(merge *m, const hash_map *map, uint64_t a, uint64_t b, pajesim_text text);
size_t merge_add(merge *m, hash_map *map, uint64_t a, uint64_t b, pajesim_text text);

/* ---- words.c */

/* Returns the digits of a number in `bytes`, which has 20 at least. */
pajesim_text merge_digits(char *bytes, uint64_t number);
/* Appends a word, in quotes if it needs them.  `is_strict`: for strict readers, as the inputs are read. */
void merge_put_word(text_buffer *output, pajesim_text word, int is_strict);

/* ---- decimal.c: decimals without rounding */

/* Decimals of a number: of 1.5e-7 there are 8. */
size_t merge_decimals_of(pajesim_text number);
/* Writes the sum of two numbers, with so many decimals at least.  Returns 0 if there are more digits than there is room
 * for. */
int merge_add_decimals(text_buffer *sum, pajesim_text a, pajesim_text b, size_t least);

/* ---- clock.c: corrected times */

/* Notes how many decimals a time has. */
void merge_note_decimal_count(merge *m, size_t count);
void merge_note_decimals(merge *m, pajesim_text time);
/* Writes a time of a file, with what --offset adds.  Returns 0 if that has more digits than there is room for. */
int merge_put_given(text_buffer *sum, const merge_input *input, pajesim_text text, size_t decimals);
/* A time of a file, with what --offset adds; `time`: the number that the text stands for. */
pajesim_time merge_read_time(const merge_input *input, pajesim_text text, pajesim_time time);
pajesim_time merge_correct(merge *m, const merge_input *input, pajesim_time time);
/* Delays the clock of an input so that its next line is not before `time`. */
void merge_delay(merge *m, merge_input *input, pajesim_time time, pajesim_time line_time);
/* The index of the last of `count` ascending times that is not after this one; 0 if all are. */
uint32_t merge_find_time(const double *times, uint32_t count, double time);
/* The value at a place (merge_place), linear between the knots, from values that are `step` apart. */
double merge_interpolate(merge *m, const double *values, size_t step, double place);
double merge_place(const merge *m, const merge_input *input, double time);
/* Whether the clock of an input is not corrected at all. */
int merge_is_unchanged(const merge *m, const merge_input *input);
/* Moves all times alike where the correction has made some negative, and says so. */
void merge_shift_to_zero(merge *m);
/* Prints how the clock of an input is corrected. */
void merge_report_clock(merge *m, const merge_input *input);
void merge_free_clocks(merge *m);

/* ---- definitions.c: event definitions of the merged trace */

#define MERGE_FIELD "%  " /* before each field; results are known by it */

/* Notes an event definition of an input; adds one to the merged trace if that has none like it. */
void merge_add_definition(merge *m, uint32_t input, const pajesim *sim, const pajesim_definition *definition);
const merge_definition *merge_find_definition(merge *m, uint32_t input, pajesim_ref ref);
/* Whether a field names the file of a container, which the merged trace leaves out as it includes no file. */
static inline int merge_is_container_file(pajesim_event event, pajesim_role role)
{
    return event == PAJESIM_CREATE_CONTAINER && role == PAJESIM_FILENAME;
}
void merge_free_definitions(merge *m);

/* ---- comments.c: comment lines, which the reader skips */

/* Returns how many of the bytes that come next to feed at once, so that no line before a comment is read after it. */
size_t merge_find_comment(const merge_comment *comment, const char *bytes, size_t size);
/* Notes bytes that were fed.  Returns the text of the comment that ends with them, valid until the next call; no bytes:
 * none does. */
pajesim_text merge_read_comment(merge_comment *comment, const char *bytes, size_t size);
/* Notes the end of a file; returns the comment that ends there. */
pajesim_text merge_end_comment(merge_comment *comment);

/* ---- plain.c: times in decimals */

/* Returns 0 to 109 for the number of an event that has one or two digits, else MERGE_SHORT_NUMBERS. */
static inline size_t merge_short_number(const char *bytes, size_t size)
{
    unsigned first = size ? (unsigned)bytes[0] - '0' : 10, last = size == 2 ? (unsigned)bytes[1] - '0' : 0;
    return size > 2 || first > 9 || last > 9 ? MERGE_SHORT_NUMBERS : size == 2 ? 10 + 10 * first + last : first;
}

/* Returns that of the line which begins there; `*time` is the word behind it. */
static inline size_t merge_read_short_number(const char *bytes, const char *end, const char **time)
{
    size_t size = end - bytes > 2 ? 1 + (bytes[1] != ' ') : 0;
    if (!size || bytes[size] != ' ')
        return MERGE_SHORT_NUMBERS;
    *time = bytes + size + 1;
    return merge_short_number(bytes, size);
}

/* Returns 0 if there is no time of digits and a point, before a blank or the end. */
int merge_read_plain(const char *bytes, const char *end, merge_plain *time);
/* The number, correctly rounded. */
double merge_plain_number(const merge_plain *time);
/* As merge_read_time(). */
pajesim_time merge_read_latest(const merge_input *input, const merge_latest *latest);
/* Whether a time begins there that is not before the latest one, with its digits and its point at the same places.
 * That takes no conversion. */
static inline int merge_is_next(const merge_latest *latest, const char *bytes, const char *end)
{
    if (!latest->size || end - bytes < BLOCK_BYTES)
        return 0;
    block16 next = block_load(bytes);
    uint32_t time = (UINT32_C(1) << latest->size) - 1, digits = latest->digits;
    if ((block_digits(next) & time) != digits || (block_find(next, '.') & time) != (time & ~digits) ||
        bytes[latest->size] != ' ')
        return 0;
    uint32_t other = ~block_same(next, block_load(latest->text)) & time;
    return !other || bytes[block_first(other)] > latest->text[block_first(other)];
}

/* Notes the text of a time of so many bytes, which merge_read_plain() has read; none if it is too long. */
void merge_set_latest(merge_latest *latest, const char *bytes, size_t size);
/* Notes the time that merge_is_next() has found. */
static inline void merge_go_to_next(merge_latest *latest, const char *bytes)
{
    memcpy(latest->text, bytes, BLOCK_BYTES);
}
double merge_latest_number(const merge_latest *latest);

/* ---- lines.c: lines that were read */

/* Adds a line, which has no words yet. */
merge_line *merge_add_line(merge_input *input);
void merge_add_word(merge_input *input, const merge_line *line, pajesim_text word);
/* Adds the words of a line from its bytes, at once.  The first one has at least `known` bytes, which are digits and
 * points; a block may be read from the byte behind them on.  Returns 0, with nothing changed, if a word may need
 * quotes, or the line has not `count` words. */
int merge_add_words(merge_input *input, merge_line *line, pajesim_text bytes, size_t known, uint32_t count);

static inline pajesim_text merge_word(const merge_input *input, const merge_line *line, uint32_t word)
{
    merge_span span = input->spans.items[line->spans + word];
    return span.size ? (pajesim_text){input->text.bytes + line->text + span.offset, span.size} : merge_no_text;
}

/* The field of that role; no bytes if there is none. */
static inline pajesim_text merge_field(const merge_input *input, const merge_line *line, pajesim_role role)
{
    uint32_t position = line->definition->positions[role];
    return position ? merge_word(input, line, position - 1) : merge_no_text;
}

/* Whether a line defines something, or concerns a container or a link.  Of all others the survey needs the times. */
static inline int merge_is_surveyed(pajesim_event event)
{
    return event <= PAJESIM_DESTROY_CONTAINER || event >= PAJESIM_START_LINK;
}

/* ---- share.c: processes that share the last pass */

/* Call it before the survey. */
void merge_begin_share(merge *m, uint64_t processes);
/* Notes the time of a line that was read and kept. */
static inline void merge_reach(merge_input *input, pajesim_time time)
{
    merge *m = input->merge;
    if (m->share.is_possible || m->share.processes)
        input->unkept = merge_max(input->unkept, merge_correct(m, input, time));
}
/* The offset in its file of a byte, among those that were read last. */
uint64_t merge_offset_of(const merge_input *input, const char *byte);
/* Leaves out lines up to a mark that comes before what this process writes. */
void merge_skip_to_mark(merge_input *input);
/* Cuts the time of the merge so that about as many bytes of all inputs are in each range; returns how many ranges, one
 * if sharing does not pay.  Call it after merge_settle_scopes(). */
size_t merge_cut(merge *m);
/* Begins the work of a process, whose first range has its number. */
void merge_enter_share(merge *m, paje_turn turn, size_t own, size_t processes);
/* Call it before each line, with the time by which it is in its place: when one range was written this process goes on
 * with another one, or ends. */
void merge_begin_line(merge *m, double time);
/* Waits until all before this line was written, and ends the other processes: what comes depends on what they have not
 * seen. */
void merge_go_on_alone(merge *m);
/* Ends all processes but the one that writes the last range. */
void merge_end_ranges(merge *m);
void merge_free_share(merge *m);

/* ---- direct.c: lines that do without the reader */

void merge_begin_direct(merge_input *input, int is_possible);
/* Notes how events of this number are defined; NULL: the reader is needed for them. */
void merge_note_direct(merge_input *input, pajesim_text number, const merge_definition *definition);
/* Takes up to `most` bytes of such lines, or more if none is kept, from the beginning of one on.  Returns how many
 * bytes. */
size_t merge_take_lines(merge_input *input, const char *bytes, size_t size, size_t most);
/* Returns how many bytes, of one line at least, come before the next line that may be taken. */
size_t merge_count_others(const merge_input *input, const char *bytes, size_t size);
/* Takes account of the times that the survey has skipped.  Call it before the lines behind them are read. */
void merge_settle_times(merge_input *input);

/* ---- input.c: lines of a file */

/* The callbacks of the command. */
int merge_on_definition(pajesim *sim, const pajesim_definition *definition);
int merge_on_line(pajesim *sim, const pajesim_line *line);
int merge_on_problem(pajesim *sim, const pajesim_problem *problem);

/* Finds out how many files can be open at once.  Call it before merge_copy_pipes(). */
void merge_limit_inputs(merge *m);
/* Begins a pass over an input. */
void merge_open_input(merge_input *input, const paje_settings *settings);
/* Returns an exit status. */
int merge_close_input(merge_input *input);
/* Returns the line that comes next; NULL at the end. */
const merge_line *merge_next_line(merge_input *input);
/* Shows a problem that the reader had, when it is its turn. */
void merge_show_problem(merge_input *input, const merge_line *line);
/* Reports that a line is left out, as a warning where that does no harm.  Returns whether it is an error. */
int merge_reject(merge_input *input, const merge_line *line, pajesim_code code, pajesim_text bytes);
void merge_free_inputs(merge *m);

/* ---- types.c: types and values */

void merge_begin_types(merge *m);
/* Whether an identifier may stand for the root type or container. */
int merge_is_root(pajesim_text alias);
/* Returns NULL if the type is not defined, or if it is not clear which of several is meant. */
merge_type *merge_find_type(merge *m, const merge_input *input, pajesim_text alias);
/* Sets `*is_new` if the type must be written; the merged trace may have it already.  Returns NULL if the input has
 * defined that identifier already. */
merge_type *merge_define_type(merge *m, merge_input *input, pajesim_kind kind, merge_type *parent,
                              const merge_type *start, const merge_type *end, pajesim_text name, pajesim_text alias,
                              int *is_new);
/* Returns 0 if the input has defined that identifier already.  Sets `*written` to the identifier if the value must be
 * written; no bytes: the merged trace has it already. */
int merge_define_value(merge *m, merge_input *input, const merge_type *type, pajesim_text name, pajesim_text alias,
                       pajesim_text *written);
/* Returns the identifier as it is written; no bytes: as it is in the input.  Sets `*is_new` where the value must be
 * written before: it is not defined, and its name is the identifier of another one. */
/* The value that an input calls so, as it is written; `alias` itself if there is none. */
pajesim_text merge_look_up_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text alias);
pajesim_text merge_find_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text alias,
                              int *is_new);
void merge_free_types(merge *m);

/* ---- scopes.c: whose link keys they are */

/* Whether this pass finds out which links there are. */
static inline int merge_surveys_links(const merge *m)
{
    return m->pass == MERGE_SURVEY || m->links.is_second;
}

/* Returns how an input uses link keys of a type in a container; NULL if that is not known.  The survey adds it. */
merge_scope_use *merge_find_scope_use(merge *m, uint32_t input, const merge_type *type, merge_container *container);
/* Whether the input keeps its keys, as most of its links are from file to file: after merge_settle_scopes(). */
int merge_keeps_keys(const merge_scope_use *use);
/* Whether all links of the input both start and end in it, while other inputs use the scope as well.  `use` may be
 * NULL. */
int merge_has_own_keys(const merge *m, const merge_scope_use *use);
/* Whether keys of the input are written with its number. */
int merge_renames_keys(const merge *m, const merge_scope_use *use, uint32_t input);
/* In the survey: notes that another input has a link of the same key: in flight at the same time, or one that has taken
 * a half of this input whose other half comes later. */
void merge_note_collision(merge_scope_use *use, int is_in_flight);
/* Whether halves of two inputs may be those of one link; not if both have links of their own, and keys collide. */
int merge_may_cross(const merge_scope_use *one, const merge_scope_use *other);
/* Notes a link between two inputs, or within one. */
void merge_note_link(const merge *m, merge_scope_use *one, merge_scope_use *other);
/* Notes that a link of the input, to or from another one, is not among those that links.c joins. */
void merge_note_unsure(merge_scope_use *use);
/* Notes a link within the input that has the key of one from input to input. */
void merge_note_guess(merge_scope_use *use);
/* Finds out which inputs have keys of their own, at the end of the survey, after merge_note_disputes(). */
void merge_settle_scopes(merge *m);
/* Whether a second survey may come to another result: links from input to input that the first one could not note may
 * be lost, or, `by_clocks`, keys may collide only now that the clocks are corrected. */
int merge_is_survey_in_doubt(const merge *m, int by_clocks);
/* Begins the second survey. */
void merge_begin_recount(merge *m);
/* Whether the second survey has nothing to find out about these links: no other input has any.  `use` may be NULL. */
int merge_is_only_use(const merge_scope_use *use);
/* Says how many links cannot be told apart, or are taken for links within a file and may be others. */
void merge_report_scopes(const merge *m);
/* Forgets the scopes of a container that is destroyed, unless several inputs use them. */
void merge_forget_scopes(merge *m, merge_container *container);
void merge_free_scopes(merge *m);

/* ---- mixed.c: states and variables of one container that several files write */

/* Call it when a pass begins. */
void merge_clear_shared(merge *m);
/* Notes that a second input creates a container, of that name. */
void merge_note_shared(merge *m, merge_container *container, pajesim_text name);
/* Makes room to note who writes what, before the last pass, of so many processes. */
void merge_begin_mixed(merge *m, size_t processes);
/* In the last pass: chooses the place of a process. */
static inline void merge_enter_mixed(merge *m, size_t process)
{
    if (m->mixed.writers)
        m->mixed.own = m->mixed.writers + m->mixed.count * process;
}
/* In the last pass: notes that an input writes a state, or sets a variable, on a container that is shared. */
void merge_note_writer(merge *m, const merge_input *input, const merge_container *container, const merge_type *type);
/* In the last pass: notes a state, or that a variable is set, on a container that may be shared. */
static inline void merge_note_write(merge *m, const merge_input *input, merge_container *container,
                                    const merge_type *type)
{
    if (container->is_shared)
        merge_note_writer(m, input, container, type);
    else if (type->lasting_number < 64)
        container->early |= (uint64_t)1 << type->lasting_number;
}
/* Notes what the input that has created a container has written on it before it was shared. */
void merge_note_early(merge *m, const merge_container *container, const merge_input *input);
/* Says which container is the first of those whose states or variables several inputs write, and how many there are. */
void merge_report_mixed(const merge *m);
void merge_free_mixed(merge *m);

/* ---- containers.c */

/* Call these in each pass; types and values stay. */
void merge_begin_containers(merge *m);
void merge_end_containers(merge *m);
/* `parent_type` is the parent of the type of the event; it distinguishes the root from a container with alias 0. */
merge_container *merge_find_container(merge *m, const merge_input *input, pajesim_text alias,
                                      const merge_type *parent_type);
/* Sets `*is_new` if the container must be written.  Returns NULL if the input has that identifier already. */
merge_container *merge_create_container(merge *m, merge_input *input, merge_container *parent,
                                        const merge_type *type, pajesim_text name, pajesim_text alias, int *is_new);
/* Notes that an input destroys a container.  Afterwards m->containers.destroyed lists those that no input has any
 * longer, in the order in which to write them. */
void merge_destroy_container(merge *m, const merge_input *input, merge_container *container);
void merge_free_containers(merge *m);

/* ---- known.c: caches of what identifiers stand for */

/* Like merge_find_type() and so on, for words of a line. */
merge_type *merge_know_type(merge *m, merge_input *input, pajesim_text alias);
merge_container *merge_know_container(merge *m, merge_input *input, pajesim_text alias, const merge_type *parent_type);
/* In the last pass only. */
pajesim_text merge_know_value(merge *m, merge_input *input, const merge_type *type, pajesim_text alias,
                              int *is_new);

/* ---- waits.c: lines that wait for the start of their link */

/* Whether the next line of the input, at this time, may wait. */
int merge_may_wait(merge *m, const merge_input *input, pajesim_time time);
/* `keys_of`: 1 + the input whose own keys they are; 0: of all inputs. */
void merge_wait(merge *m, merge_input *input, const merge_type *type, const merge_container *container,
                uint32_t keys_of, pajesim_text key);
void merge_stop_waiting(merge *m, merge_input *input);
/* Notes that a link starts at this time: the input that has waited longest for it becomes m->waits.woken. */
void merge_wake(merge *m, const merge_type *type, const merge_container *container, uint32_t keys_of, pajesim_text key,
                pajesim_time time);
/* Makes sure that a line does not wait, in this pass and all others. */
void merge_forbid_wait(merge *m, const merge_input *input, uint64_t line);
/* Notes that the link that ends with this line starts in `source`. */
void merge_record_source(merge *m, const merge_input *input, uint64_t line, merge_input *source);
/* Returns the input where the link starts that this one waits for; NULL if that is not known. */
merge_input *merge_find_source(merge *m, const merge_input *input);
void merge_free_waits(merge *m);

/* ---- messages.c: how long messages take, by pairs of inputs */

void merge_begin_messages(merge *m);
/* Adds a message, in corrected times. */
void merge_add_message(merge *m, uint32_t from, uint32_t to, pajesim_time sent, pajesim_time received);
/* Returns by how much the worst message arrives before it is sent; 0 if none does. */
double merge_worst_message(const merge *m);
void merge_find_reverse_pairs(merge *m);
/* Prints which messages arrive before they are sent. */
void merge_report_messages(const merge *m);
void merge_free_messages(merge *m);

/* ---- unpaired.c: messages of `paje trace` that have one end */

/* Notes such an end.  Returns 0 if it stays in the merged trace, as another machine has the other one. */
int merge_note_unpaired(merge *m, const merge_input *input, uint32_t type, int is_start, pajesim_text key);
/* Prints how many there are, and between whom. */
void merge_report_unpaired(const merge *m);
void merge_free_unpaired(merge *m);

/* ---- collectives.c: collective operations as messages */

int merge_has_collectives(const merge *m);
void merge_begin_collectives(void);
/* Adds the line of a state on a container. */
void merge_add_state(merge *m, merge_input *input, const merge_line *line, const merge_type *type, size_t container);
void merge_free_collectives(void);

/* ---- links.c: both ends of links */

void merge_begin_links(merge *m);
/* Begins a second survey of the links if that may come to another result; see merge_is_survey_in_doubt(). */
int merge_begin_second_survey(merge *m, int by_clocks);
/* Notes which scopes have links from input to input that may be none. */
void merge_note_disputes(merge *m);
void merge_end_links(merge *m);
/* Whether the next line of an input is half of a link whose other half is in no input, as that process was killed: raw
 * files only, whose merged trace does without it. */
int merge_is_unpaired(merge *m, const merge_input *input);
/* Adds the start (1) or the end (0) of a link.  Returns 0 if the line has to wait.  Sets `*written` to the key as it is
 * written, valid until the next call, if it is not that of the input. */
int merge_add_link(merge *m, merge_input *input, const merge_type *type, merge_container *container, int start,
                   pajesim_text key, pajesim_time time, pajesim_text *written);
void merge_free_links(merge *m);

/* ---- write.c: lines of the merged trace */

/* Writes event definitions, types and values, before all other lines. */
void merge_write_definitions(merge *m);
/* Processes an event or a definition.  Returns 0, with nothing changed, if it has to wait. */
int merge_process_line(merge *m, merge_input *input, const merge_line *line);
void merge_write_comment(merge *m, const merge_input *input, const merge_line *line);

/* ---- queue.c: inputs in the order of their next lines */

void merge_begin_queue(merge *m);
void merge_push_input(merge *m, merge_input *input);
/* Puts the first input where its next line belongs, or removes it. */
void merge_update_first(merge *m);
void merge_remove_first(merge *m);
void merge_free_queue(merge *m);

/* ---- circles.c: inputs that wait for one another */

/* Lets some inputs go on if any wait.  Call it when the queue is empty. */
void merge_break_circles(merge *m);

/* ---- pass.c: all inputs, once */

/* Returns an exit status. */
int merge_run_pass(merge *m, const paje_settings *settings);
/* Surveys the links once more if that may come to another result.  Returns whether it has. */
int merge_look_again(merge *m, const paje_settings *settings, int by_clocks);

/* ---- processes.c: the last pass by several processes */

/* Shares it among `most` processes, fewer where there is not enough to share.  Returns an exit status. */
int merge_share_pass(merge *m, const paje_settings *settings, uint64_t most);

/* ---- blocks.c: inputs that messages connect both ways */

/* Finds the blocks, their order and the pairs within them. */
void merge_find_blocks(merge *m);

/* ---- solve.c: offsets that satisfy all messages */

void merge_begin_solver(merge *m);
/* Finds the offsets within the limits of the pairs.  Returns whether limits had to be relaxed. */
int merge_solve(merge *m);
void merge_free_solver(merge *m);

/* ---- windows.c: time in windows, an offset for each */

/* Makes windows over the times of all messages, as they are corrected now. */
void merge_begin_windows(merge *m);
/* Corrects the clocks by the messages of the last pass. */
void merge_correct_drift(merge *m);

/* ---- align.c */

/* Corrects the clocks of all inputs, in further passes. */
void merge_align(merge *m, const paje_settings *settings);
void merge_free_alignment(merge *m);

/* ---- files.c: standard input, pipes, copies and the output */

/* Ends the program if a file is given twice. */
void merge_check_files(merge *m);
/* Copies what can be read only once, such as a pipe. */
void merge_copy_pipes(merge *m);
/* Returns a file without a name, for copies of about so many bytes, one of them of the input `name`: in $TMPDIR, or
 * beside the output if there is not as much room. */
int merge_make_file(const char *name, uint64_t bytes);
/* Makes this file the one that is read as an input. */
void merge_set_file(merge_input *input, int file);
/* Writes a text to such a file, for the input `name`, and empties it. */
void merge_write_file(int file, const char *name, text_buffer *text);
/* From here on stream_output goes to the file of that name, which appears when it is closed. */
void merge_open_output(const char *name);
/* Ends the program if an input includes that file, which is known after a pass. */
void merge_check_output(void);
void merge_close_output(void);

/* ---- split.c: lines of a file that is mapped */

/* Call it before the first line. */
void merge_begin_split(merge_splitter *s);
/* Returns the offset behind the line at `start`. */
size_t merge_line_end(const merge_splitter *s, size_t start);
/* Whether a line is blank, or a comment. */
int merge_is_comment(const merge_splitter *s, size_t start, size_t end);
/* Returns the number; NaN if it is none. */
double merge_time_of(const merge_splitter *s, pajesim_text word);
/* Reads a line that is no comment.  Returns its class and the first `roles` words. */
merge_line_class merge_split_line(merge_splitter *s, size_t start, size_t end, pajesim_text words[MERGE_SPLIT_WORDS],
                                  int roles);
/* Where the first field of a line begins, if that is an event whose first field is its time; else NULL. */
const char *merge_find_plain_time(const merge_splitter *s, size_t start);
/* Whether a line is that of an event with a time. */
int merge_has_time(const merge_splitter *s, size_t start, size_t end, double *time);
void merge_free_split(merge_splitter *s);

/* ---- raw.c: files of `paje trace` */

/* Whether a folder is that of a run, and whether a file is one of its raw files. */
int merge_is_run(const char *folder, merge_run *run);
int merge_is_raw(const char *name, merge_run *run);
/* Finds out what is different in the copy of a raw file.  The bytes have to stay. */
void merge_read_raw(merge_raw *raw, const char *bytes, size_t size);
/* Changes a line to what the copy has in its place.  Returns 0 if that is nothing. */
int merge_change_raw(const merge_raw *raw, size_t offset, pajesim_text *line);
void merge_free_raw(merge_raw *raw);

/* ---- folder.c: folders among the files */

/* Returns the names of all files, those in folders in place of these.  `output`, which may be NULL, is left out if it
 * is the result of an earlier merge. */
char **merge_list_files(char **operands, int count, const char *output, int *listed);

/* ---- sort.c: inputs whose lines are out of order in time */

/* Replaces such inputs, and raw files, by sorted copies. */
void merge_sort_inputs(merge *m, uint64_t processes);
