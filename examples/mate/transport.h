/* Messages between a master and its workers, which are processes: by sockets (transport_fork.c), or MPI. */
#pragma once

#include <stddef.h>

enum { TRANSPORT_MASTER = -1, TRANSPORT_FAILED = -2, TRANSPORT_ANY = -3, TRANSPORT_HEAD = 128 };

/* Begins `workers` workers.  Returns the number of the calling process, from 0 on, or TRANSPORT_MASTER in the master;
 * TRANSPORT_FAILED, after a message, if it cannot be done. */
int transport_begin(int workers, int *argc, char ***argv);
/* Sends a head of at most TRANSPORT_HEAD bytes, and what follows it.  Returns 0 if the process has gone. */
int transport_send(int to, const void *head, size_t head_size, const void *bytes, size_t size);
/* Waits for a message of the process `*from`, or of any worker, and stores whose it is.  `bytes` are valid until the
 * next call.  Returns 0 if that process has gone. */
int transport_receive(int *from, void *head, size_t head_size, const void **bytes, size_t *size);
/* Begins the worker of that number again, which has gone.  Returns as transport_begin does. */
int transport_again(int worker);
/* Ends: the master waits for its workers. */
void transport_end(void);
