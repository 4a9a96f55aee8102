/* Runs commands of the tool on TRACE, as `paje` does, once in each instance of the module. */
#include "posix/files.h"
#include "reader/web.h"

int paje_main(int argc, char **argv);

/* Returns a block for the bytes of TRACE.pajeidx. */
WEB_EXPORT(web_index_room) unsigned char *web_index_room(uint32_t size)
{
    return files_index(size);
}

/* The block was filled. */
WEB_EXPORT(web_index_ready) void web_index_ready(void)
{
    files_adopt_date();
}

/* Runs the command whose words are in the request, each ended by NUL.  Returns its exit status, unless it exits. */
WEB_EXPORT(web_command) int web_command(uint32_t count)
{
    char **words = memory_alloc_zero(count + 2, sizeof *words), *at = (char *)web_request;
    static char name[] = "paje";
    words[0] = name;
    for (uint32_t i = 1; i <= count; i++) {
        words[i] = at;
        while (*at++) {
        }
    }
    return paje_main((int)count + 1, words);
}

/* Returns what was written to standard output (0), standard error (1) or the last file (2). */
WEB_EXPORT(web_written) web_result *web_written(int which)
{
    return web_return_text(which == 0 ? &files_output : which == 1 ? &files_errors : &files_written);
}
