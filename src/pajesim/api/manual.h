/* pajesim.h: reads and simulates Pajé traces.
 *
 * Version 0.2.0.  C99, also C++11.  MIT licence: see the end.
 *
 * A push parser: you give it bytes, in pieces of any size, and it calls back as soon as something is known: a type, a
 * container, a state that was pushed, an entity that is complete.  It allocates nothing, opens nothing and depends only
 * on memcpy, memmove, memset and memcmp: all that it knows is in one block of memory that you provide.
 *
 *
 * Using it
 * --------
 * Copy this file into your source tree.  Include it wherever it is used, and in exactly one C or C++ file write
 *
 *     #define PAJESIM_IMPLEMENTATION
 *     #include "pajesim.h"
 *
 * A complete program, which prints every state as it closes:
 *
 *     #include <stdio.h>
 *     #define PAJESIM_IMPLEMENTATION
 *     #include "pajesim.h"
 *
 *     static int closed(pajesim *sim, const pajesim_entity *e)
 *     {
 *         pajesim_text who = pajesim_name(sim, e->container);
 *         if (e->kind == PAJESIM_STATE)
 *             printf("%.*s %.*s %f %f\n", (int)who.size, who.bytes, (int)e->value_name.size, e->value_name.bytes,
 *                    e->start, e->end);
 *         return PAJESIM_GO_ON;
 *     }
 *
 *     int main(void)
 *     {
 *         static uint64_t arena[1 << 17];
 *         static char piece[1 << 16];
 *         static pajesim_callbacks callbacks;
 *         pajesim sim;
 *         size_t size, taken;
 *         callbacks.closed = closed;
 *         pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
 *         while ((size = fread(piece, 1, sizeof piece, stdin)) > 0)
 *             if (pajesim_feed(&sim, piece, size, &taken) != PAJESIM_OK)
 *                 return 1;
 *         return pajesim_finish(&sim) != PAJESIM_OK;
 *     }
 *
 *
 * What pajesim_feed returns, and what to do then
 * ----------------------------------------------
 * It consumes bytes up to where the caller has to do something, and stores in `taken` how many.  Feed the rest again:
 *
 *     while (size > 0) {
 *         status = pajesim_feed(&sim, bytes, size, &taken);
 *         bytes += taken;
 *         size -= taken;
 *         if (status == PAJESIM_FULL) {           the arena is too small for the next line, which had no effect:
 *             grow to pajesim_capacity_needed(&sim) bytes or more, pajesim_move(&sim, wider, capacity), go on
 *         } else if (status == PAJESIM_OPEN) {    the line names another file of the trace:
 *             feed the bytes of pajesim_file(&sim), call pajesim_end_file(&sim), go on
 *         } else if (status == PAJESIM_PAUSED) {  a callback asked for it: go on when you like
 *         } else if (status == PAJESIM_STOPPED) { a callback asked for it: only pajesim_finish is left
 *         }
 *     }
 *
 * Bad lines do not stop it.  Each line either takes effect as a whole or not at all; what is wrong is reported to the
 * `problem` callback, counted, and pajesim_finish returns PAJESIM_INVALID where there were errors.
 *
 *
 * Strict and lenient
 * ------------------
 * Strict mode refuses what the specification of the format and pj_dump refuse.  Lenient mode, the default, accepts what
 * tracers write in practice, such as old field names, single quotes, times out of order and values defined twice, and
 * repairs what has one obvious meaning.  The table PAJESIM_PROBLEMS below is the whole policy: what is an error and
 * what is a warning in each mode.  "Section" refers to the format's description: 1 lexical rules, 2 header, 3 events,
 * 4 identity, 5 semantics.
 *
 *
 * Memory
 * ------
 * The arena holds only what is alive: the memory of what is destroyed, popped or matched is freed.  References within
 * it are offsets, so that it may be copied to another place or into a file (pajesim_move, pajesim_save).  On a 64-bit
 * machine, and much the same on others:
 *
 *     pajesim_arena_min                         1.9 KB with the default options
 *     an event definition                       96 bytes, and 16 for its fields; those of a usual header: 2.3 KB
 *     a type; a value                           96 bytes; 64 bytes
 *     a container                               128 bytes, and 32 for each type of entity that it may have, of the
 *                                               first 28; 64 for each other type once it has had one
 *     an open state                             16 bytes in a stack that doubles, from 2, as it grows
 *     a link of which one end is known          96 bytes
 *     an identifier longer than 16 bytes, a name that differs from its identifier, a colour, the user fields of
 *     an open entity                            what their text takes, and 4 to 8 bytes
 *     an entry of a table                       32 to 64 bytes for each type, value, container, pending link, 21 to 43
 *                                               where there are more than 32,768
 *     strict mode, never freed                  3 bytes for each container and each link, if their identifiers and keys
 *                                               count up, else 13
 *
 * With thousands of containers, an arena in large pages (on Linux, madvise with MADV_HUGEPAGE) saves a tenth of the
 * time.
 *
 * Sizes are rounded up to 16, 32, 48, 64, 96, 128, 192, 256 bytes and so on.  Beside the arena, struct pajesim has 8 KB
 * (see PAJESIM_CACHE).  pajesim_feed, pajesim_init, pajesim_arena_min and windows take at most 12 KB of stack, all
 * other calls at most 3 KB.  Nothing recurses.
 *
 *
 * On a microcontroller
 * --------------------
 *     #define PAJESIM_SMALL 1
 *
 * makes times integers, in nanoseconds, values integers, in millionths, and references 16 bits wide, and leaves out
 * what a board seldom needs: see the options.  A trace of 4 containers, 2 state types and 8 values, behind a header
 * that defines every event, is replayed in an arena of 3.5 KB:
 *
 *     pajesim_arena_min                         0.9 KB with the default options
 *     an event definition                       64 bytes
 *     a type; a value                           56 bytes; 40 bytes; 8 or more for a name that is not the identifier
 *     a container                               80 bytes, and 32 for each type of entity that it may have
 *     an open state                             16 bytes in a stack that doubles, from 2, as it grows
 *     a link of which one end is known          56 bytes
 *
 * Code and constants of a program that replays, including the functions of libgcc that they need, but not memcpy and
 * the like; and the stack of the deepest path of calls, without callbacks (gcc 12 -Os):
 *
 *                      Cortex-M3    Cortex-M0    RV32IMAC
 *     code             12.3 KB      13.3 KB      14.5 KB
 *     stack            0.8 KB       0.9 KB       0.8 KB
 *     struct pajesim   192 bytes    192 bytes    192 bytes
 *
 * No access is misaligned, nothing depends on the byte order, and int may have 16 bits.  For a line longer than 128
 * bytes (pajesim_options.line_capacity), memory is allocated from the arena.
 *
 *
 * For users of Aiyra
 * ------------------
 * The entry points of a plugin, and the callbacks that correspond to them:
 *
 *     newType               new_type               setState     state_set        startLink        link_started
 *     newValue              new_value              pushState    state_pushed     endLink          link_ended
 *     newCreatedContainer   container_created      popState     state_popped     newCompleteLink  link_completed
 *     destroyedContainer    container_destroyed    resetState   state_reset      newEvent         event
 *     finish                finished               setVar       variable_set     updateVar        variable_updated
 *
 * An entity that is not complete has `open` set, where Aiyra has an end of -1.  What a plugin of Aiyra collects from
 * destroyedContainer, popState, newCompleteLink and newEvent arrives in one callback here: `closed`, once for each
 * entity.
 *
 *
 * Travel in time
 * --------------
 * An image (pajesim_save) is the simulation between two pieces of the trace; when restored, in any process, it goes on
 * as if it had never stopped.  An index (pajesim_index_begin) stores checkpoints while a trace is replayed, as many as
 * fit into its block: images, and when the entities that were open at them close.  With an index, a simulation can
 * begin at any checkpoint (pajesim_index_restore), and a window (pajesim_window_show) shows all that overlaps a range
 * of time, with its true start and end, and reads no more of the trace than lies between two checkpoints.  A window
 * stores what it has shown, so that it can be moved, widened and narrowed.  The trace need not be sorted by time.
 *
 * An index has a digest of the trace up to each checkpoint.  What is read again is compared with it at the next
 * checkpoint (PAJESIM_STALE): entities that closed before that were shown already.  What is not read is not compared,
 * and the ends that the index knows are those of the trace as it was: keep its size and date in pajesim_index_label.
 *
 *
 * Programs that run
 * -----------------
 * A tool that watches programs has a simulation for each stream, and feeds it what poll() and read() bring.  Many
 * streams: build with PAJESIM_CACHE 16 (a struct pajesim of 0.9 KB) and PAJESIM_TRAVEL 0; a stream with some tens of
 * containers takes an arena of 8 KB.
 *
 * Sums of times and values that are doubles depend on the order of the events, and so on the streams that happen to
 * come first.  With PAJESIM_TIME_DECIMALS 9 and PAJESIM_VALUE_DECIMALS 6 they are integers, and exact in any order:
 * parts of them may be summed elsewhere.  User fields are read as such numbers by pajesim_user_field_fixed.
 *
 * A program can watch itself, without a server: the sink of its pajewrite context calls pajesim_feed, and callbacks
 * find what has been written at the next pajewrite_flush.
 *
 *
 * As a parser only
 * ----------------
 * With pajesim_options.parse_only, lines are decoded (callbacks `definition`, `line`, `problem`) and nothing is
 * simulated: for programs that interpret a trace in their own way, and to measure the parser. */
