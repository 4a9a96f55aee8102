/* A Linux process as a board: signals are its interrupts, standard output is its UART.  Runs under qemu-user, too. */
#define _XOPEN_SOURCE 700
#include "../board.h"
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint64_t started;
static sigset_t both, none;

uint64_t board_now(void *unused)
{
    struct timespec now;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - started;
}

static void on_signal(int number)
{
    if (number == SIGALRM)
        on_timer();
    else
        on_request();
}

/* The timer may interrupt the handler of a request, but not the other way round. */
void board_start(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 1000}, {0, 1000}};
    started = board_now(NULL);
    sigemptyset(&none);
    sigemptyset(&both);
    sigaddset(&both, SIGALRM);
    sigaddset(&both, SIGUSR1);
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    action.sa_mask = both;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

unsigned board_mask(void)
{
    sigset_t before;
    sigprocmask(SIG_BLOCK, &both, &before);
    return (unsigned)sigismember(&before, SIGALRM) | (unsigned)sigismember(&before, SIGUSR1) << 1;
}

void board_unmask(unsigned before)
{
    sigset_t set = none;
    if (before & 1)
        sigaddset(&set, SIGALRM);
    if (before & 2)
        sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

size_t board_send(const char *bytes, size_t size)
{
    ssize_t sent = size ? write(STDOUT_FILENO, bytes, size) : 0;
    if (sent < 0)
        _exit(3);
    return (size_t)sent;
}

int board_asked(void)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    char byte;
    return poll(&input, 1, 0) == 1 && read(STDIN_FILENO, &byte, 1) == 1;
}

void board_wait(void) { pause(); }
void board_request(void) { raise(SIGUSR1); }
void board_exit(int status) { _exit(status); }
