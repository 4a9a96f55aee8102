/* The files of a merge: checks, copies of pipes, and the output. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int is_stdin(const merge_input *input)
{
    return strcmp(input->name, "-") == 0;
}

void merge_check_files(merge *m)
{
    struct stat status;
    hash_map identities = {0}; /* numbered as the inputs in `indices` */
    array_of(uint32_t) indices = {0};
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_input *input = &m->inputs[i];
        const char *name = input->name;
        if (is_stdin(input) ? fstat(STDIN_FILENO, &status) < 0 : stat(name, &status) < 0)
            continue;
        output_note_input(&status, name);
        input->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
        if (S_ISREG(status.st_mode) && !input->is_raw)
            input->opened = (paje_pass){(uint64_t)status.st_dev, (uint64_t)status.st_ino, input->size,
                                        paje_date_of(&status), 0};
        if (m->keeps_apart && S_ISREG(status.st_mode))
            continue;
        size_t same = merge_add(m, &identities, (uint64_t)status.st_dev, (uint64_t)status.st_ino, merge_no_text);
        if (same < indices.count)
            paje_usage(m->command, "`%s` is the same file as `%s`%s", name,
                       m->inputs[indices.items[same]].name, S_ISREG(status.st_mode) ? "; with --apart it may be" : "");
        *array_push(&indices) = i;
    }
    array_free(&indices);
    map_free(&identities);
}

static text_buffer output_folder; /* no bytes: output goes to standard output */

/* Whether a folder has room for so many bytes, as far as that is known. */
static int has_room(const char *folder, uint64_t bytes)
{
    struct statvfs system;
    return statvfs(folder, &system) != 0 || system.f_bavail / 1024 * system.f_frsize >= bytes / 1024;
}

/* Returns where copies go: where the output goes if only that has as much room. */
static const char *copy_folder(uint64_t bytes)
{
    const char *folder = getenv("TMPDIR");
    folder = folder && *folder ? folder : "/tmp";
    return output_folder.size && !has_room(folder, bytes) && has_room(text_string(&output_folder), 2 * bytes)
               ? text_string(&output_folder)
               : folder;
}

int merge_make_file(const char *name, uint64_t bytes)
{
    text_buffer path = {0};
    text_printf(&path, "%s/paje-merge-XXXXXX", copy_folder(bytes));
    int copy = mkstemp(text_string(&path));
    if (copy < 0)
        stream_fail("%s: a copy of `%s` is needed: %s; see TMPDIR", path.bytes, name, strerror(errno));
    unlink(path.bytes);
    text_free(&path);
    return copy;
}

void merge_write_file(int file, const char *name, text_buffer *text)
{
    if (text->size > 0 && !stream_write(file, text_view(text)))
        stream_fail("a copy of `%s` is needed: %s; TMPDIR names the folder where it goes", name, strerror(errno));
    text_clear(text);
}

void merge_set_file(merge_input *input, int file)
{
    text_buffer path = {0};
    text_printf(&path, "/dev/fd/%d", file);
    free(input->path);
    input->path = text_string(&path);
}

/* Reads `size` bytes, less at the end. */
static size_t read_bytes(int file, const char *name, char *bytes, size_t size)
{
    size_t all = 0;
    ssize_t got;
    while (all < size && (got = read(file, bytes + all, size - all)) != 0)
        if (got > 0)
            all += (size_t)got;
        else if (errno != EINTR)
            stream_fail("%s: %s", name, strerror(errno));
    return all;
}

/* Returns a file without a name that holds what is left in this one.  With `stops`, of what is no trace it holds the
 * beginning, as there may be no end of it; the reader reports that. */
static int copy_file(int file, const char *name, int stops)
{
    static char bytes[1 << 16];
    int copy = merge_make_file(name, 0);
    text_buffer copied = {0};
    for (size_t size; (size = read_bytes(file, name, bytes, sizeof bytes)) > 0; stops = 0) {
        text_put(&copied, bytes, size);
        merge_write_file(copy, name, &copied);
        if (stops && size == sizeof bytes && paje_is_no_trace(bytes, size))
            break;
    }
    text_free(&copied);
    return copy;
}

/* Returns a file that holds what is compressed in this one, or this one if it is not compressed. */
static int decompress(int file, const char *name)
{
    paje_decompressor decompressor = {0};
    const char *program = paje_decompressor_of_file(file);
    if (!program)
        return file;
    int output = paje_decompress(&decompressor, program, file, name, "", 0), copy = copy_file(output, name, 0);
    paje_end_decompressor(&decompressor, name);
    close(output);
    return copy;
}

static void copy_if_pipe(merge_input *input)
{
    int file = STDIN_FILENO;
    struct stat status;
    if (!is_stdin(input) && stat(input->name, &status) == 0 && S_ISREG(status.st_mode) &&
        !paje_is_compressed(input->name))
        return;
    if ((!is_stdin(input) && (file = open(input->name, O_RDONLY | O_NOCTTY)) < 0) || fstat(file, &status) < 0)
        stream_fail("%s: %s", is_stdin(input) ? "standard input" : input->name, strerror(errno));
    if (!S_ISREG(status.st_mode) || lseek(file, 0, SEEK_CUR) > 0) { /* others may have read its first lines */
        int copy = copy_file(file, input->name, 1);
        if (!is_stdin(input))
            close(file);
        file = copy;
        lseek(file, 0, SEEK_SET);
    }
    int decompressed = decompress(file, input->name);
    if (decompressed != file && file != STDIN_FILENO)
        close(file);
    merge_set_file(input, decompressed);
}

static output_file merged;

/* Ends the program if all inputs are empty and would replace a file, whose name may be that of a forgotten output. */
static void report_empty(const merge *m)
{
    uint32_t empty = 0;
    struct stat status;
    for (uint32_t i = 0; i < m->input_count; i++) {
        const merge_input *input = &m->inputs[i];
        if (input->is_raw || stat(input->path ? input->path : input->name, &status) < 0 || status.st_size > 0)
            continue;
        stream_message("%s: it is empty", is_stdin(input) ? "<stdin>" : input->name);
        empty++;
    }
    if (empty == m->input_count && merged.is_replaced)
        stream_fail("there is nothing to be merged, and `%s` stays as it is: is it an input, after -o?", merged.name);
}

void merge_copy_pipes(merge *m)
{
    for (uint32_t i = 0; i < m->input_count; i++)
        copy_if_pipe(&m->inputs[i]);
    report_empty(m);
}

static void write_merged(text_buffer *text)
{
    output_write(&merged, text);
}

void merge_open_output(const char *name)
{
    const char *slash = strrchr(name, '/');
    text_put(&output_folder, slash ? name : ".", slash ? (size_t)(slash + 1 - name) : 1);
    output_open(&merged, name, OUTPUT_WHOLE);
    stream_divert = write_merged;
}

void merge_check_output(void)
{
    output_check(&merged);
}

void merge_close_output(void)
{
    stream_flush();
    stream_divert = NULL;
    text_free(&output_folder);
    output_close(&merged, 1);
}
