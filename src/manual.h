/* pajesim.h: reads and simulates Pajé traces.
 *
 * Version 0.1.0.  C99, also C++11.  MIT licence: see the end.
 *
 * A push parser: you give it bytes, in pieces of any size, and it calls back as soon as something is known: a type, a
 * container, a state that was pushed, an entity that is complete.  It allocates nothing, opens nothing and depends on
 * nothing but memcpy, memmove, memset and memcmp: all that it knows lies in one block of memory that you hand in.
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
 * What pajesim_feed answers, and what to do then
 * ----------------------------------------------
 * It takes bytes up to where something has to be done, and says in `taken` how many.  What it did not take is fed again:
 *
 *     while (size > 0) {
 *         status = pajesim_feed(&sim, bytes, size, &taken);
 *         bytes += taken;
 *         size -= taken;
 *         if (status == PAJESIM_FULL) {           the arena is too small for the next line, which had no effect:
 *             grow to pajesim_needed(&sim) bytes or more, pajesim_move(&sim, wider, capacity), go on
 *         } else if (status == PAJESIM_OPEN) {    the line names another file of the trace:
 *             feed the bytes of pajesim_file(&sim), then pajesim_end_file(&sim); go on
 *         } else if (status == PAJESIM_PAUSED) {  a callback asked for it: go on when you like
 *         } else if (status == PAJESIM_STOPPED) { a callback asked for it: only pajesim_finish is left
 *         }
 *     }
 *
 * Bad lines do not stop it.  Each line either takes effect as a whole or not at all; what is wrong is told to the
 * `problem` callback, counted, and pajesim_finish answers PAJESIM_INVALID where there were errors.
 *
 *
 * Strict and lenient
 * ------------------
 * Strict refuses what the specification of the format and pj_dump refuse.  Lenient, the default, replays what tracers in
 * the wild write: old field names, single quotes, times out of order, values defined twice, and repairs what has one
 * obvious meaning.  The table PAJESIM_PROBLEMS below is the whole of the policy: what is an error and what a warning in
 * either mode.  "Section" refers to the format's description: 1 lexical rules, 2 header, 3 events, 4 identity,
 * 5 semantics.
 *
 *
 * Memory
 * ------
 * The arena holds what is alive, never what has passed: what is destroyed, popped or matched gives its room back.  It is
 * addressed by offsets, so that it may be copied to another place or into a file (pajesim_move, pajesim_save).  On
 * a 64-bit machine, and much the same on others:
 *
 *     pajesim_arena_min                         1.7 KB with the default options
 *     an event definition                       96 bytes, and 16 for its fields; those of a usual header: 2.3 KB
 *     a type; a value                           96 bytes; 64 bytes
 *     a container                               128 bytes, and 32 for each type of entity that it may have
 *     an open state                             16 bytes in a stack that doubles, from 2, as it grows
 *     a link of which one end is known          96 bytes
 *     an identifier longer than 16 bytes, a name that differs from its identifier, a colour, the user fields of
 *     an open entity                            what their text takes, and 4 to 8 bytes
 *     an entry of a table                       32 to 64 bytes for each type, value, container, pending link, 21 to 43
 *                                               where there are more than 32,768
 *     strict mode, for ever                     3 bytes for each container and each link that there ever was, if their
 *                                               identifiers and keys count, else 13
 *
 * With thousands of containers, an arena in large pages (on Linux, madvise with MADV_HUGEPAGE) saves a tenth of the time.
 *
 * Sizes are rounded up to 16, 32, 48, 64 bytes, and from there to two steps in each doubling.  Beside the arena, struct
 * pajesim has 8 KB (see PAJESIM_CACHE).  pajesim_feed, pajesim_init, pajesim_arena_min and windows take at most 12 KB of
 * stack, all else at most 3 KB.  Nothing recurses.
 *
 *
 * On a microcontroller
 * --------------------
 *     #define PAJESIM_SMALL 1
 *
 * makes times integers, in nanoseconds, values integers, in millionths, and references 16 bits wide, and leaves out what
 * a board seldom needs: see the options.  A trace of 4 containers, 2 state types and 8 values, behind a header that
 * defines every event, is replayed in an arena of 3.5 KB:
 *
 *     pajesim_arena_min                         0.9 KB with the default options
 *     an event definition                       64 bytes
 *     a type; a value                           56 bytes; 40 bytes; 8 or more for a name that differs from the identifier
 *     a container                               80 bytes, and 32 for each type of entity that it may have
 *     an open state                             16 bytes in a stack that doubles, from 2, as it grows
 *     a link of which one end is known          56 bytes
 *
 * Code and constants that a program which replays needs, with what they need of libgcc, without memcpy and its like; and
 * stack along the deepest path of calls, without what callbacks take (gcc 12 -Os):
 *
 *                      Cortex-M3    Cortex-M0    RV32IMAC
 *     code             12.3 KB      13.3 KB      14.5 KB
 *     stack            0.8 KB       0.9 KB       0.8 KB
 *     struct pajesim   192 bytes    192 bytes    192 bytes
 *
 * No byte is read but as its alignment permits, nothing depends on the order of bytes in words, and int may have 16 bits.
 * Where a line is longer than 128 bytes (pajesim_options.line_room), room for it is taken from the arena.
 *
 *
 * For users of Aiyra
 * ------------------
 * The plugin's entry points, and what they are called here:
 *
 *     newType               new_type               setState     state_set        startLink        link_started
 *     newValue              new_value              pushState    state_pushed     endLink          link_ended
 *     newCreatedContainer   container_created      popState     state_popped     newCompleteLink  link_completed
 *     destroyedContainer    container_destroyed    resetState   state_reset      newEvent         event
 *     finish                finished               setVar       variable_set     updateVar        variable_updated
 *
 * An entity that is not complete has `open` set, where Aiyra says -1 for its end.  What a plugin there collects from
 * destroyedContainer, popState, newCompleteLink and newEvent comes to one entry here: `closed`, each entity once.
 *
 *
 * Travel in time
 * --------------
 * An image (pajesim_save) is the simulation between two pieces of the trace; restored anywhere it goes on as if it had
 * never stopped.  An index (pajesim_index_begin) takes images while a trace is replayed, as many as fit into its block,
 * and notes when what was open at them closes.  With it a simulation begins anywhere (pajesim_index_restore), and a window
 * (pajesim_window_show) shows all that overlaps a range of time, with its true start and end, without reading more of the
 * trace than lies between two checkpoints.  It holds what it has shown, so that it can be moved, widened and narrowed.
 * None of this needs the trace to be sorted by time.
 *
 *
 * As a parser only
 * ----------------
 * With pajesim_options.parse_only, lines are decoded (callbacks `definition`, `line`, `problem`) and nothing is
 * simulated: to read a trace in one's own way, or to measure a parser. */
