/* A firmware that traces itself over its UART: two tasks, two interrupts of different priority, a sensor.
 *
 * Every 40 ms the timer interrupt requests a sample.  The sensor interrupt takes it and sends it to the control task,
 * which sends every fourth result to the logger task.  All of them write into one ring of 512 bytes, which the main
 * loop sends over the UART.
 *
 * With REPLAY the board also replays its own trace, and prints a summary in comment lines at its end (replay.h). */
#include "board.h"

#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() board_now(NULL)
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#ifdef REPLAY
#define PAJESIM_SMALL 1
#include "replay.h"
#else
#define replay_begin() ((void)0)
#define replay(bytes, size) ((void)0)
#define replay_end() ((void)0)
#endif

enum { SAMPLES = 16, PERIOD = 40, LOG_EVERY = 4 }; /* PERIOD in ms: long enough to send the trace at 115200 baud */

/* Identifiers and definitions of types, values and containers; the definitions are in flash. */
enum { BOARD = 1, TASK, INTERRUPT, ACTIVITY, HANDLER, TEMPERATURE, ALARM, SAMPLE, RESULT };
enum { RUNNING = 1, WAITING };
enum { ACTIVE = 1, TOO_HOT = 1, SENT = 1 };
enum { THE_BOARD = 1, CONTROL, LOGGER, TIMER, SENSOR };

static const pajewrite_definition definitions[] PAJEWRITE_ROM = {
    PAJEWRITE_ROM_CONTAINER_TYPE(BOARD, 0, "Board"),
    PAJEWRITE_ROM_CONTAINER_TYPE(TASK, BOARD, "Task"),
    PAJEWRITE_ROM_CONTAINER_TYPE(INTERRUPT, BOARD, "Interrupt"),
    PAJEWRITE_ROM_STATE_TYPE(ACTIVITY, TASK, "Activity"),
    PAJEWRITE_ROM_VALUE(RUNNING, ACTIVITY, "running", "33cc33"),
    PAJEWRITE_ROM_VALUE(WAITING, ACTIVITY, "waiting", "cccccc"),
    PAJEWRITE_ROM_STATE_TYPE(HANDLER, INTERRUPT, "Handler"),
    PAJEWRITE_ROM_VALUE(ACTIVE, HANDLER, "active", "cc3333"),
    PAJEWRITE_ROM_VARIABLE_TYPE(TEMPERATURE, BOARD, "Temperature", "3333cc"),
    PAJEWRITE_ROM_EVENT_TYPE(ALARM, BOARD, "Alarm"),
    PAJEWRITE_ROM_VALUE(TOO_HOT, ALARM, "too hot", "cc3333"),
    PAJEWRITE_ROM_LINK_TYPE(SAMPLE, BOARD, INTERRUPT, TASK, "Sample"),
    PAJEWRITE_ROM_VALUE(SENT, SAMPLE, "sample", "cccc33"),
    PAJEWRITE_ROM_LINK_TYPE(RESULT, BOARD, TASK, TASK, "Result"),
    PAJEWRITE_ROM_VALUE(SENT, RESULT, "result", "33cccc"),
    PAJEWRITE_ROM_CONTAINER(THE_BOARD, BOARD, 0, "board"),
    PAJEWRITE_ROM_CONTAINER(CONTROL, TASK, THE_BOARD, "control"),
    PAJEWRITE_ROM_CONTAINER(LOGGER, TASK, THE_BOARD, "logger"),
    PAJEWRITE_ROM_CONTAINER(TIMER, INTERRUPT, THE_BOARD, "timer"),
    PAJEWRITE_ROM_CONTAINER(SENSOR, INTERRUPT, THE_BOARD, "sensor")};

static const pajewrite_type board = {BOARD}, task = {TASK}, interrupt = {INTERRUPT};
static const pajewrite_type activity = {ACTIVITY}, handler = {HANDLER}, temperature = {TEMPERATURE}, alarm = {ALARM};
static const pajewrite_type sample = {SAMPLE}, result = {RESULT};
static const pajewrite_value running = {RUNNING}, waiting = {WAITING}, active = {ACTIVE}, too_hot = {TOO_HOT};
static const pajewrite_value sent = {SENT};
static const pajewrite_container the_board = {THE_BOARD}, control = {CONTROL}, logger = {LOGGER};
static const pajewrite_container timer = {TIMER}, sensor = {SENSOR};

static pajewrite trace;
static char ring[512];

static volatile uint8_t ready;            /* the definitions have been sent */
static volatile uint8_t sampled, results; /* mailboxes: the number of a message, 0 if empty */
static volatile int16_t value;            /* of the sample, in hundredths of a degree */

/* ---- interrupts */

void on_timer(void)
{
    static uint8_t left = PERIOD;
    if (!ready || --left)
        return;
    left = PERIOD;
    PAJEWRITE_SCOPE(&trace, timer, handler, active);
    board_request();
}

/* The timer may interrupt this. */
void on_request(void)
{
    static uint8_t number;
    PAJEWRITE_SCOPE(&trace, sensor, handler, active);
    if (!sampled) {
        value = (int16_t)(2000 + ++number * 37 % 500);
        pajewrite_set_variable(&trace, the_board, temperature, value);
        pajewrite_start_link(&trace, the_board, sample, sent, sensor, number);
        sampled = number;
    }
}

/* ---- tasks */

/* Processes a sample.  Returns its number, 0 if there was none. */
static uint8_t run_control(void)
{
    uint8_t number = sampled;
    if (!number)
        return 0;
    pajewrite_set_state(&trace, control, activity, running);
    pajewrite_end_link(&trace, the_board, sample, sent, control, number);
    if (value > 2400)
        pajewrite_new_event(&trace, the_board, alarm, too_hot);
    sampled = 0;
    if (number % LOG_EVERY == 0) {
        pajewrite_start_link(&trace, the_board, result, sent, control, number);
        results = number;
    }
    pajewrite_set_state(&trace, control, activity, waiting);
    return number;
}

static void run_logger(void)
{
    if (!results)
        return;
    pajewrite_set_state(&trace, logger, activity, running);
    pajewrite_end_link(&trace, the_board, result, sent, logger, results);
    results = 0;
    pajewrite_set_state(&trace, logger, activity, waiting);
}

/* ---- the trace */

/* Sends the next byte if the UART can take one now.  Returns 0 when the ring is empty. */
static int drain(void)
{
    static int byte = -1; /* taken from the ring but not sent yet; -1 if none */
    char c;
    if (byte < 0 && (byte = pajewrite_next_byte(&trace)) < 0)
        return 0;
    c = (char)byte;
    if (board_send(&c, 1)) {
        replay(&c, 1);
        byte = -1;
    }
    return 1;
}

static void define(void) { pajewrite_announce(&trace, definitions, sizeof definitions / sizeof *definitions); }

int main(void)
{
    uint8_t done = 0;
    board_start();
    pajewrite_init(&trace, ring, sizeof ring, NULL);
    replay_begin();
    while (!board_send("\n", 1)) /* ends the line that a reset may have cut */
        ;
    define();
    while (drain())
        ;
    pajewrite_set_state(&trace, control, activity, waiting);
    pajewrite_set_state(&trace, logger, activity, waiting);
    ready = 1;
    while (done < SAMPLES) {
        uint8_t number;
        if (board_asked()) /* by a host that missed the definitions */
            define();
        if ((number = run_control()) != 0)
            done = number;
        run_logger();
        if (!drain())
            board_wait();
    }
    ready = 0;
    pajewrite_destroy_container(&trace, control, task);
    pajewrite_destroy_container(&trace, logger, task);
    pajewrite_destroy_container(&trace, timer, interrupt);
    pajewrite_destroy_container(&trace, sensor, interrupt);
    pajewrite_destroy_container(&trace, the_board, board);
    while (drain())
        ;
    replay_end();
    board_exit(pajewrite_get_status(&trace) != PAJEWRITE_OK);
    return 0;
}
