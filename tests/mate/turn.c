/* Turns a knob of a program that runs, to a random value every so often, until the program has gone.
 * usage: turn FOLDER KNOB LOW HIGH MICROSECONDS     prints how often it did */
#include "clients.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void found(void *data, const client *it)
{
    *(int *)data |= it->knobs > 0;
}

int main(int argc, char **argv)
{
    static clients all;
    struct pollfd files[64];
    tunlet_point point = {NULL, 0, 0, 0, 0, NULL, TUNLET_SET, NULL, 0};
    int is_found = 0, turned = 0, waited = 0;
    uint32_t seed = 1;
    if (argc != 6 || !clients_begin(&all, argv[1], found, &is_found))
        return 2;
    point.knob = argv[2];
    clients_look(&all);
    while (waited < 2000) {
        const struct timespec moment = {0, 1000 * atol(argv[5])};
        const int64_t low = atoll(argv[3]), high = atoll(argv[4]);
        const nfds_t count = clients_wait(&all, files, 64);
        if (poll(files, count, 0) > 0 || all.waits)
            clients_read(&all, files, count);
        seed = seed * 1664525 + 1013904223;
        if (is_found && !clients_turn(&all, &point, low + (int64_t)(seed >> 8) % (high - low + 1)))
            break;
        turned += is_found;
        waited += !is_found;
        nanosleep(&moment, NULL);
    }
    printf("%d times turned, applied at least %s\n", turned, all.applied >= 10 ? "10" : "too rarely");
    clients_end(&all);
    return !is_found;
}
