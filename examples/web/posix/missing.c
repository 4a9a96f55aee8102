/* What has no meaning in the page: processes, signals, files that are written, compressed and included ones. */
#include "base/output.h"
#include "base/process.h"
#include "base/stream.h"
#include "posix/files.h"
#include "replay/compressed.h"
#include "replay/relay.h"

#include <errno.h>
#include <stdlib.h>

int getrlimit(int resource, struct rlimit *limit)
{
    (void)resource, (void)limit;
    return -1;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    (void)number, (void)action, (void)old;
    return 0;
}

pid_t fork(void)
{
    return errno = ENOSYS, -1;
}

pid_t waitpid(pid_t process, int *how, int options)
{
    (void)process, (void)how, (void)options;
    return errno = ECHILD, -1;
}

int pipe(int files[2])
{
    (void)files;
    return errno = ENOSYS, -1;
}

int dup2(int from, int to)
{
    (void)from, (void)to;
    return errno = ENOSYS, -1;
}

char *realpath(const char *name, char *resolved)
{
    (void)name, (void)resolved;
    errno = ENOENT; /* included files are refused with that reason */
    return NULL;
}

/* ---- base/output.h: the last file that is written is a text */

void output_open(output_file *it, const char *name, output_mode mode)
{
    (void)it, (void)name, (void)mode;
    text_clear(&files_written);
}

void output_write(output_file *it, text_buffer *text)
{
    (void)it;
    text_append(&files_written, text_view(text));
    text->size = 0;
}

void output_close(output_file *files, size_t count)
{
    (void)files, (void)count;
}

void output_make_folder(const char *name)
{
    stream_fail("%s: the page makes no folders", name);
}

void output_note_input(const struct stat *input, const char *name)
{
    (void)input, (void)name;
}

/* ---- replay/compressed.h: the worker decompresses */

const char *paje_decompressor_of(const char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return NULL;
}

const char *paje_decompressor_of_file(int file)
{
    (void)file;
    return NULL;
}

int paje_decompress(paje_decompressor *it, const char *program, int file, const char *name, const char *bytes,
                    size_t size)
{
    (void)it, (void)program, (void)name, (void)bytes, (void)size;
    return file;
}

void paje_end_decompressor(paje_decompressor *it, const char *name)
{
    (void)it, (void)name;
}

void paje_stop_decompressor(paje_decompressor *it)
{
    (void)it;
}

/* ---- base/process.h */

int process_pipe(int ends[2])
{
    return pipe(ends) == 0;
}

size_t process_fitting(size_t count, size_t files)
{
    (void)count, (void)files;
    return 1;
}

pid_t process_start(char *const arguments[], int input, int output)
{
    (void)arguments, (void)input, (void)output;
    return errno = ENOENT, 0;
}

int process_wait(pid_t process)
{
    (void)process;
    return -1;
}

/* ---- replay/relay.h: there is one process */

int paje_begin_relay(paje_relay *it, paje_run *run, size_t processes, uint64_t most)
{
    (void)it, (void)run, (void)processes, (void)most;
    return 0;
}

void paje_enter_relay(paje_relay *it, size_t own)
{
    (void)it, (void)own;
}

void paje_leave_relay(paje_relay *it)
{
    (void)it;
}

void paje_relay_to(paje_relay *it, size_t number)
{
    (void)it, (void)number;
}

int paje_relay_feed(paje_relay *it, size_t number)
{
    (void)it, (void)number;
    return 0;
}

/* ---- describe.h: for shells and manuals */

int paje_describe(const char *format)
{
    (void)format;
    return 0;
}
