/* Prints the summary that a board's replay of its own trace should have printed.  usage: summary <TRACE */
#include "board.h"
#include <stdio.h>
#include <string.h>

#define board_send send_to_stdout
static size_t send_to_stdout(const char *bytes, size_t size) { return fwrite(bytes, 1, size, stdout); }

#define REPLAY_ARENA (1 << 20)
#include "replay.h"

void on_timer(void) {}
void on_request(void) {}

int main(void)
{
    char bytes[4096];
    size_t size;
    replay_begin();
    while ((size = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        replay(bytes, size);
    replay_end();
    return ferror(stdin) || fflush(stdout) != 0;
}
