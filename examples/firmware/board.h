/* What a board has to offer: one file in boards/ for each, of no more than a page. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* The UART and the clock. */
void board_start(void);

/* Nanoseconds since then; at any priority, and with interrupts off for less than a millisecond. */
uint64_t board_now(void *unused);

/* Gives the UART what it takes without waiting; answers how many bytes that was. */
size_t board_send(const char *bytes, size_t size);

/* 1: the UART has received a byte since the last time. */
int board_asked(void);

/* Until the next interrupt, or shorter. */
void board_wait(void);

/* Ends the emulation, or stays here for ever. */
void board_exit(int status);

/* Two interrupts, which are the firmware's: the one comes every millisecond, the other, which it may interrupt, soon
 * after board_request. */
void on_timer(void);
void on_request(void);
void board_request(void);

/* For the others, pajewrite.h has them ready.  No interrupts; answers what board_unmask takes to have them as before. */
#ifdef __linux__
unsigned board_mask(void);
void board_unmask(unsigned before);
#define PAJEWRITE_ENTER(saved) ((saved) = board_mask())
#define PAJEWRITE_LEAVE(saved) board_unmask(saved)
#endif

#endif
