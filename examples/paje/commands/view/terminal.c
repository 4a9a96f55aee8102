/* The terminal: in raw mode while the viewer runs, restored however that ends; its size, its keys. */
#include "view.h"
#include "base/stream.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ESCAPE_MILLISECONDS = 50 }; /* to wait for the rest of a key's sequence */

/* To the alternate screen, without cursor and line wrap; and back.  CAN ends an incomplete sequence. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l";
static const char leave[] = "\030\033[0m\033[?7h\033[?25h\033[?1049l";

static int keyboard = -1;
static int is_open;
static struct termios before;
static int pipe_ends[2] = {-1, -1}; /* signals write to it, so that none is missed before poll() waits */
static volatile sig_atomic_t resized, suspended, hung_up;

static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE,
                                    SIGILL, SIGABRT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

const char *view_refuse_terminal(void)
{
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO))
        return "standard output is not a terminal; --once prints one screen as text";
    if (!term || !*term || strcmp(term, "dumb") == 0)
        return "TERM does not name a terminal that can be drawn on; --once prints one screen as text";
    return NULL;
}

int view_has_unicode(void)
{
    setlocale(LC_CTYPE, "");
    int has = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    setlocale(LC_CTYPE, "C.UTF-8"); /* as all of the tool */
    return has;
}

view_colors view_terminal_colors(void)
{
    const char *term = getenv("TERM"), *color = getenv("COLORTERM"), *none = getenv("NO_COLOR");
    if ((none && *none) || !term || strncmp(term, "vt", 2) == 0)
        return VIEW_NO_COLORS;
    if (color && (strcmp(color, "truecolor") == 0 || strcmp(color, "24bit") == 0))
        return VIEW_ALL_COLORS;
    if (strstr(term, "direct"))
        return VIEW_ALL_COLORS;
    return strstr(term, "256") || strncmp(term, "xterm", 5) == 0 ? VIEW_256_COLORS : VIEW_8_COLORS;
}

void view_terminal_size(int *rows, int *columns)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
        return;
    *rows = size.ws_row;
    *columns = size.ws_col;
}

/* ---- taking over and giving back: safe within signal handlers */

static void send(const char *sequence)
{
    size_t size = strlen(sequence);
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, sequence, size);
        if (written < 0 && errno != EINTR)
            return;
        sequence += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
}

static void set_raw(void)
{
    struct termios raw = before;
    raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP | IXON);
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(keyboard, TCSANOW, &raw) < 0)
        stream_fail("a terminal that takes no keys one by one: %s", strerror(errno));
    send(enter);
}

void view_close_terminal(void)
{
    if (!is_open)
        return;
    is_open = 0;
    stream_is_screen = 0;
    send(leave);
    tcsetattr(keyboard, TCSANOW, &before);
}

static void end_by_signal(int number)
{
    view_close_terminal();
    signal(number, SIG_DFL);
    raise(number);
}

static void note_signal(int number)
{
    int kept = errno;
    if (number == SIGTSTP)
        suspended = 1;
    else
        resized = 1;
    (void)!write(pipe_ends[1], "", 1);
    errno = kept;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(number, &action, NULL);
}

void view_open_terminal(void)
{
    keyboard = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (keyboard < 0 || tcgetattr(keyboard, &before) < 0)
        stream_fail("no terminal to read keys from: %s", strerror(errno));
    if (pipe(pipe_ends) < 0)
        stream_fail("a pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++)
        fcntl(pipe_ends[i], F_SETFL, O_NONBLOCK);
    atexit(view_close_terminal);
    stream_before_message = view_close_terminal;
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
        handle(fatal_signals[i], end_by_signal);
    handle(SIGWINCH, note_signal);
    handle(SIGTSTP, note_signal);
    is_open = 1;
    stream_is_screen = 1;
    set_raw();
}

static void suspend(void)
{
    suspended = 0;
    view_close_terminal();
    handle(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    handle(SIGTSTP, note_signal); /* resumed */
    is_open = 1;
    stream_is_screen = 1;
    set_raw();
    resized = 1;
}

/* ---- keys */

static unsigned char typed[256];
static size_t typed_at, typed_size;

static int read_keys(void)
{
    if (typed_at > 0) {
        memmove(typed, typed + typed_at, typed_size - typed_at);
        typed_size -= typed_at;
        typed_at = 0;
    }
    if (typed_size == sizeof typed)
        return 0;
    ssize_t size = read(keyboard, typed + typed_size, sizeof typed - typed_size);
    if (size > 0)
        typed_size += (size_t)size;
    return size > 0;
}

unsigned view_wait(int input, int milliseconds)
{
    struct pollfd files[] = {{keyboard, POLLIN, 0}, {pipe_ends[0], POLLIN, 0}, {input, POLLIN, 0}};
    unsigned what = typed_at < typed_size ? VIEW_KEYS : 0;
    int count = poll(files, 3, what ? 0 : milliseconds);
    if (count > 0 && files[1].revents) {
        char bytes[64];
        while (read(pipe_ends[0], bytes, sizeof bytes) > 0)
            continue;
    }
    if (suspended)
        suspend();
    if (resized) {
        resized = 0;
        what |= VIEW_RESIZED;
    }
    if (count > 0 && files[0].revents) {
        if (read_keys())
            what |= VIEW_KEYS;
        else
            hung_up = 1; /* the terminal is gone, even without SIGHUP */
    }
    if (count > 0 && files[2].revents)
        what |= VIEW_INPUT;
    return what | (hung_up ? VIEW_GONE : 0);
}

/* Whether there is a byte at that place of the sequence, or comes soon. */
static int has_more(size_t at)
{
    struct pollfd file = {keyboard, POLLIN, 0};
    if (at < typed_size - typed_at)
        return 1;
    return poll(&file, 1, ESCAPE_MILLISECONDS) > 0 && read_keys() && at < typed_size - typed_at;
}

static uint32_t key_of_sequence(unsigned char last, unsigned number, unsigned modifier)
{
    int shifted = modifier > 1;
    switch (last) {
    case 'A': return VIEW_UP;
    case 'B': return VIEW_DOWN;
    case 'C': return shifted ? VIEW_SHIFT_RIGHT : VIEW_RIGHT;
    case 'D': return shifted ? VIEW_SHIFT_LEFT : VIEW_LEFT;
    case 'H': return VIEW_HOME;
    case 'F': return VIEW_END;
    case 'Z': return VIEW_BACK_TAB;
    case '~':
        switch (number) {
        case 1: case 7: return VIEW_HOME;
        case 4: case 8: return VIEW_END;
        case 5: return VIEW_PAGE_UP;
        case 6: return VIEW_PAGE_DOWN;
        default: return VIEW_OTHER_KEY;
        }
    default: return VIEW_OTHER_KEY;
    }
}

/* Reads ESC [ numbers letter, or ESC O letter; or the escape key. */
static uint32_t escape_key(void)
{
    unsigned numbers[2] = {0, 0}, at = 0;
    size_t i = 2;
    if (!has_more(1) || (typed[typed_at + 1] != '[' && typed[typed_at + 1] != 'O')) {
        typed_at++;
        return VIEW_ESCAPE;
    }
    for (; has_more(i) && i < 32; i++) {
        unsigned char byte = typed[typed_at + i];
        if (byte >= 0x40) {
            typed_at += i + 1;
            return key_of_sequence(byte, numbers[0], numbers[1]);
        }
        if (byte == ';')
            at = 1;
        else if (byte >= '0' && byte <= '9')
            numbers[at] = (10 * numbers[at] + byte - '0') % 1000;
    }
    typed_at += i < typed_size - typed_at ? i : typed_size - typed_at;
    return VIEW_OTHER_KEY;
}

uint32_t view_next_key(void)
{
    if (typed_at == typed_size)
        return VIEW_NO_KEY;
    unsigned char byte = typed[typed_at];
    if (byte == VIEW_ESCAPE)
        return escape_key();
    if (byte >= 0x80) {
        size_t size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        for (size_t i = 1; i < size; i++)
            if (!has_more(i))
                size = i;
        size_t real = utf8_size((const char *)typed + typed_at, size);
        size_t at = 0;
        uint32_t key = real ? utf8_next((const char *)typed + typed_at, size, &at) : VIEW_OTHER_KEY;
        typed_at += real ? real : size;
        return key;
    }
    typed_at++;
    return byte == '\n' ? VIEW_ENTER : byte == '\b' ? VIEW_BACKSPACE : byte ? byte : VIEW_OTHER_KEY;
}
