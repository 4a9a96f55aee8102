/* Runs a command at the end of a serial line, a pseudo terminal.  usage: pty COMMAND ARGUMENT... <BYTES
 *
 * The name of the line is added to the arguments.  When the command has made the line raw, the bytes are sent (if it
 * does not end before); when it has read them all, the line is closed.  Exit status: that of the command. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long milliseconds)
{
    struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

static void fail(const char *what)
{
    perror(what);
    exit(3);
}

int main(int argc, char **argv)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), slave, status, waiting, quiet;
    char *name, bytes[256];
    struct termios settings;
    ssize_t size;
    pid_t child;

    if (argc < 2 || master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || !(name = ptsname(master)))
        fail("pty");
    if ((slave = open(name, O_RDWR | O_NOCTTY)) < 0)
        fail(name);
    if ((child = fork()) == 0) {
        char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
        memcpy(arguments, argv + 1, ((size_t)argc - 1) * sizeof *arguments);
        arguments[argc - 1] = name;
        close(master);
        close(slave);
        execvp(arguments[0], arguments);
        fail(arguments[0]);
    }
    while (tcgetattr(slave, &settings) == 0 && settings.c_lflag & ICANON) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
        pause_ms(5);
    }
    while ((size = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        if (write(master, bytes, (size_t)size) != size)
            fail("the line");
    for (quiet = 0; quiet < 100 && ioctl(slave, FIONREAD, &waiting) == 0; quiet = waiting ? 0 : quiet + 1)
        pause_ms(5);
    close(slave);
    close(master);
    if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        fail("the command");
    return WEXITSTATUS(status);
}
