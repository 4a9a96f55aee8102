/* Compressed traces: gzip, xz and zstd decompress them in processes of their own. */
#include "replay/compressed.h"
#include "base/process.h"
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *paje_decompressor_of(const char *bytes, size_t size)
{
    static const struct {
        const char *program, *magic;
        size_t size;
    } formats[] = {{"gzip", "\x1f\x8b", 2},
                   {"xz", "\xfd" "7zXZ", 6},
                   {"zstd", "\x28\xb5\x2f\xfd", 4},
                   {"zstd", "\x50\x2a\x4d\x18", 4}}; /* as pzstd writes: the first frame tells a size */
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (size >= formats[i].size && memcmp(bytes, formats[i].magic, formats[i].size) == 0)
            return formats[i].program;
    return NULL;
}

const char *paje_decompressor_of_file(int file)
{
    struct stat status;
    char magic[PAJE_MAGIC_BYTES];
    off_t at = fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? lseek(file, 0, SEEK_CUR) : -1;
    ssize_t size = at < 0 ? 0 : pread(file, magic, sizeof magic, at);
    return size <= 0 ? NULL : paje_decompressor_of(magic, (size_t)size);
}

static void open_pipe(int ends[2], const char *name)
{
    if (!process_pipe(ends))
        stream_fail("%s: a pipe to decompress it: %s", name, strerror(errno));
}

/* Writes what was read of a pipe already, then the rest of it: a process of its own. */
static NO_RETURN void feed(int from, int to, const char *bytes, size_t size)
{
    static char block[1 << 16];
    ssize_t some = (ssize_t)size;
    signal(SIGPIPE, SIG_DFL);
    close(STDOUT_FILENO); /* so that who reads it sees the end of the command's output */
    do {
        if (!stream_write(to, (pajesim_text){bytes, (size_t)some}))
            _exit(EXIT_FAILED);
        bytes = block;
    } while ((some = read(from, block, sizeof block)) > 0);
    _exit(some < 0 ? EXIT_FAILED : EXIT_OK);
}

/* Returns the descriptor from which the program is to read. */
static int start_feeder(paje_decompressor *it, int file, const char *name, const char *bytes, size_t size)
{
    int ends[2];
    if (size == 0)
        return file;
    open_pipe(ends, name);
    it->feeder = fork();
    if (it->feeder < 0)
        stream_fail("%s: no process to decompress it: %s", name, strerror(errno));
    if (it->feeder == 0) {
        close(ends[0]);
        feed(file, ends[1], bytes, size);
    }
    close(ends[1]);
    return ends[0];
}

int paje_decompress(paje_decompressor *it, const char *program, int file, const char *name, const char *bytes,
                    size_t size)
{
    char word[8] = "", option[] = "-dc", *arguments[] = {word, option, NULL};
    int ends[2], input = start_feeder(it, file, name, bytes, size);
    strncat(word, program, sizeof word - strlen(word) - 1);
    open_pipe(ends, name);
    it->process = process_start(arguments, input, ends[1]);
    if (it->process == 0 && errno == ENOENT)
        stream_fail("%s: it is compressed, and there is no program `%s`: install it, or decompress the trace elsewhere",
                    name, program);
    if (it->process == 0)
        stream_fail("%s: `%s`, to decompress it: %s", name, program, strerror(errno));
    it->program = program;
    close(ends[1]);
    if (input != file)
        close(input);
    return ends[0];
}

void paje_stop_decompressor(paje_decompressor *it)
{
    if (it->feeder > 0) /* it may wait for its input */
        kill(it->feeder, SIGTERM);
    process_wait(it->process);
    process_wait(it->feeder);
    memset(it, 0, sizeof *it);
}

void paje_end_decompressor(paje_decompressor *it, const char *name)
{
    enum { GZIP_WARNING = 2 }; /* such as for zeros behind the end */
    int status = process_wait(it->process), fed = process_wait(it->feeder);
    const char *program = it->program;
    memset(it, 0, sizeof *it);
    if (status == 0 || (status == GZIP_WARNING && strcmp(program, "gzip") == 0)) {
        if (fed > 0)
            stream_fail("%s: it could not be read to its end", name);
        return;
    }
    if (status < 0)
        stream_fail("%s: `%s -dc` was ended by a signal; what is shown, if anything, ends there", name, program);
    stream_fail("%s: `%s -dc` failed with exit status %d: it is damaged or cut off; what is shown, if anything, ends "
                "there", name, program, status);
}
