/* AVR, 8 bits: the ATmega328P of an Arduino Uno, with 2 KB of RAM.  TIMER1 is the clock and the interrupt of higher
 * priority.  TIMER0 is the other: its compare match is always pending, so enabling its interrupt requests it. */
#include "../board.h"
#include <avr/interrupt.h>
#include <avr/sleep.h>

#define CLOCK 16000000ul
static volatile uint64_t milliseconds; /* in nanoseconds */

void board_start(void)
{
    UCSR0A = 1 << U2X0;
    UBRR0 = CLOCK / 8 / 115200 - 1;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
    OCR1A = CLOCK / 1000 - 1;        /* a millisecond, in ticks of the CPU clock */
    TCCR1B = 1 << WGM12 | 1 << CS10; /* counts from 0 to OCR1A */
    TIMSK1 = 1 << OCIE1A;
    TCCR0B = 1 << CS00;
    sei();
}

uint64_t board_now(void *unused)
{
    uint8_t before = SREG;
    uint64_t now;
    uint16_t ticks;
    (void)unused;
    cli();
    now = milliseconds;
    ticks = TCNT1;
    if (TIFR1 & 1 << OCF1A) { /* the counter has wrapped, and its interrupt is pending */
        ticks = TCNT1;
        now += 1000000;
    }
    SREG = before;
    return now + ((uint32_t)ticks * 125 >> 1);
}

size_t board_send(const char *bytes, size_t size)
{
    if (!size || !(UCSR0A & 1 << UDRE0)) /* its buffer of one byte is full */
        return 0;
    UDR0 = (uint8_t)*bytes;
    return 1;
}

int board_asked(void)
{
    int asked = UCSR0A >> RXC0 & 1;
    if (asked)
        (void)UDR0;
    return asked;
}

void board_wait(void) { sleep_mode(); }
void board_request(void) { TIMSK0 = 1 << OCIE0A; }

/* simavr ends when the CPU sleeps with interrupts disabled. */
void board_exit(int status)
{
    (void)status;
    while (!(UCSR0A & 1 << UDRE0)) /* until the last byte is sent */
        ;
    cli();
    for (;;)
        sleep_mode();
}

ISR(TIMER1_COMPA_vect)
{
    milliseconds += 1000000;
    on_timer();
}

ISR(TIMER0_COMPA_vect)
{
    TIMSK0 = 0;
    sei();
    on_request();
}
