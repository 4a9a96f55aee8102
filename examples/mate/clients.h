/* The tuner's side of live programs: their sockets are found in a folder, those that have knobs are turned. */
#pragma once

#include "base/array.h"
#include "live/document.h"
#include "tunlet.h"

#include <poll.h>

enum { CLIENT_KNOBS = 16, CLIENT_CHOICES = 8 };

typedef struct client {
    char path[108];
    int file;          /* -1: it has gone */
    int is_known;      /* it has said which knobs it has */
    int is_early;      /* no thread of it had begun when it was asked: knobs are registered before */
    size_t knobs;
    struct {
        char name[64];
        int64_t low, high;
        char choices[CLIENT_CHOICES][64]; /* of a slot: its values are their indexes */
        int is_call;
    } knob[CLIENT_KNOBS]; /* knobs, slots, calls */
    document *received;
} client;

typedef struct clients {
    const char *folder;
    int watch; /* inotify: of the folder */
    int waits; /* for a socket that nothing listens at yet, or a program that has not begun */
    array_of(client *) all;
    uint64_t asked, applied, refused; /* changes */
    /* Is called when it is known which knobs a program has; its trace can be asked for at its path. */
    void (*found)(void *data, const client *it);
    void *data;
} clients;

/* Returns 0 with errno. */
int clients_begin(clients *it, const char *folder, void (*found)(void *data, const client *it), void *data);
/* Looks for new sockets in the folder. */
void clients_look(clients *it);
nfds_t clients_wait(const clients *it, struct pollfd *files, nfds_t capacity);
void clients_read(clients *it, const struct pollfd *files, nfds_t count);
/* Asks the program that has what the point names to do what it says, with this value.  Returns 0 if there is none, the
 * value is out of range, or it takes nothing now. */
int clients_turn(clients *it, const tunlet_point *point, int64_t value);
/* Returns how many programs have not gone. */
size_t clients_open(const clients *it);
void clients_end(clients *it);
