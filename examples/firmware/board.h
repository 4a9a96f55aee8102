/* The interface between a firmware and its board.  Each board implements it in a file of boards/. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* Starts the UART and the clock. */
void board_start(void);

/* Returns the nanoseconds since board_start.  May be called at any priority, and with interrupts disabled for up to a
 * millisecond. */
uint64_t board_now(void *unused);

/* Hands bytes to the UART without waiting.  Returns how many it took. */
size_t board_send(const char *bytes, size_t size);

/* Returns whether the UART has received a byte since the last call. */
int board_asked(void);

/* Waits until the next interrupt, or for a shorter time. */
void board_wait(void);

/* Ends the emulation, or loops forever. */
void board_exit(int status);

/* The two interrupt handlers, which the firmware implements.  on_timer is called every millisecond; on_request soon
 * after board_request, at a lower priority, so that on_timer may interrupt it. */
void on_timer(void);
void on_request(void);
void board_request(void);

/* On Linux, signals are the interrupts: board_mask blocks them, and returns the value with which board_unmask restores
 * them.  For microcontrollers pajewrite.h has these macros. */
#ifdef __linux__
unsigned board_mask(void);
void board_unmask(unsigned before);
#define PAJEWRITE_ENTER(saved) ((saved) = board_mask())
#define PAJEWRITE_LEAVE(saved) board_unmask(saved)
#endif

#endif
