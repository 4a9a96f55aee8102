/* A tuner that is slow: asks each process of a program for its trace, and reads so many bytes a second of each, until
 * the program has gone; then what is left.  Keeps the trace of the process whose socket is named PROCESS.
 * usage: slow FOLDER PROCESS BYTES >TRACE     prints, on standard error, how many processes there were */
#include "streams.h"

#include "base/memory.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static int ask(const char *path)
{
    static const char request[] = "<tracereq/>";
    const int file = streams_connect(path);
    if (file >= 0 && send(file, request, sizeof request - 1, MSG_NOSIGNAL) < 0) {
        close(file);
        return -1;
    }
    return file;
}

int main(int argc, char **argv)
{
    static char bytes[1 << 16], path[4096];
    const struct timespec moment = {0, 100000000};
    struct dirent *entry;
    int files[MOST], count = 0, kept = -1, i;
    pid_t process;
    size_t piece;
    ssize_t size;
    DIR *folder = argc == 4 ? opendir(argv[1]) : NULL;
    if (!folder)
        return 2;
    process = (pid_t)atol(argv[2]);
    piece = (size_t)atol(argv[3]) / 10;
    while ((entry = readdir(folder)) && count < MOST)
        if (*entry->d_name != '.' &&
            snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name) < (int)sizeof path &&
            (files[count] = ask(path)) >= 0) {
            if (strcmp(entry->d_name, argv[2]) == 0)
                kept = count;
            count++;
        }
    fprintf(stderr, "%d\n", count);
    while (kill(process, 0) == 0) {
        nanosleep(&moment, NULL);
        for (i = 0; i < count; i++)
            if ((size = recv(files[i], bytes, piece, MSG_DONTWAIT)) > 0 && i == kept)
                fwrite(bytes, 1, (size_t)size, stdout);
    }
    while (kept >= 0 && (size = recv(files[kept], bytes, sizeof bytes, 0)) > 0)
        fwrite(bytes, 1, (size_t)size, stdout);
    return kept < 0 || fclose(stdout) != 0;
}
