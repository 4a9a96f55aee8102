/* paje web: writes a page that shows a trace in a browser. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VIEWER = PAJE_LONG_ONLY, EMBED, DATA };

static const char *output_name, *viewer_name, *embed = "auto";
static int only_data;

enum {
    HEAD = 1 << 16,      /* bytes by which a trace is judged */
    STEP = 1 << 16,      /* bytes that are read at once */
    SMALL = 4 << 20,     /* of a trace that is put into the page */
    MOST_PAGE = 16 << 20 /* bytes of the viewer */
};

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    switch (key) {
    case 'o': output_name = argument; return NULL;
    case DATA: only_data = 1; return NULL;
    case VIEWER: viewer_name = argument; return NULL;
    default:
        embed = argument;
        return strcmp(argument, "auto") && strcmp(argument, "yes") && strcmp(argument, "no") ? "must be auto, yes or no"
                                                                                            : NULL;
    }
}

/* Appends bytes of a file, `most` at most.  Returns 0, with errno, if it cannot be read. */
static int read_some(text_buffer *to, int file, size_t most)
{
    ssize_t size = 0;
    while (most > 0 && ((size = read(file, text_reserve(to, STEP), most < STEP ? most : STEP)) > 0 ||
                        (size < 0 && errno == EINTR)))
        if (size > 0) {
            to->size += (size_t)size;
            most -= (size_t)size;
        }
    return size >= 0;
}

static int open_input(const char *name)
{
    struct stat status;
    int file = open(name, O_RDONLY | O_NOCTTY);
    if (file >= 0 && fstat(file, &status) == 0)
        output_note_input(&status, name);
    return file;
}

/* Reads a page.  Returns 0, with errno, if it cannot be read. */
static int read_page(text_buffer *page, const char *name)
{
    int file = open_input(name), is_read = file >= 0 && read_some(page, file, MOST_PAGE), error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return is_read;
}

/* Reads a trace: the beginning of what is none, which a device may be without end. */
static void read_trace(text_buffer *trace, const char *name, int is_within)
{
    int file = open_input(name), is_read = file >= 0 && read_some(trace, file, HEAD);
    if (is_read && paje_is_no_trace(trace->bytes, trace->size))
        stream_fail("%s: this is no trace: it has no event definitions (%%EventDef)", name);
    if (!is_read || (is_within && !read_some(trace, file, SIZE_MAX)))
        stream_fail("%s: %s", name, strerror(errno));
    close(file);
}

/* The folder of this program, with its slash; empty if the system does not tell it. */
static void put_own_folder(text_buffer *path)
{
    char name[4096];
    ssize_t size = readlink("/proc/self/exe", name, sizeof name);
    while (size > 0 && name[size - 1] != '/')
        size--;
    if (size > 0)
        text_put(path, name, (size_t)size);
}

/* The page that `make web` has built: beside the program, or where it is installed. */
static void read_viewer(text_buffer *page)
{
    static const char *const places[] = {"paje-viewer.html", "../share/paje/paje-viewer.html", NULL};
    if (viewer_name) {
        if (!read_page(page, viewer_name))
            stream_fail("%s: %s", viewer_name, strerror(errno));
        return;
    }
    for (int i = 0; places[i]; i++) {
        text_buffer name = {0};
        put_own_folder(&name);
        text_puts(&name, places[i]);
        int is_read = read_page(page, text_string(&name));
        text_free(&name);
        if (is_read)
            return;
        text_clear(page);
    }
    stream_fail("the viewer is not here: build it with `make web`, or name its page with --viewer");
}

static void put_base64(text_buffer *to, pajesim_text from)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < from.size; at += 3) {
        uint32_t word = 0;
        for (size_t i = 0; i < 3; i++)
            word = word << 8 | (at + i < from.size ? (unsigned char)from.bytes[at + i] : 0);
        for (size_t i = 0; i < 4; i++)
            text_putc(to, i <= from.size - at ? digits[word >> (18 - 6 * i) & 63] : '=');
    }
}

/* Where a text begins in another one; ends the program if it is not there. */
static size_t place_of(pajesim_text page, const char *mark)
{
    size_t size = strlen(mark);
    for (size_t at = page.size >= size ? page.size - size + 1 : 0; at-- > 0;) /* it is near the end */
        if (memcmp(page.bytes + at, mark, size) == 0)
            return at + size;
    stream_fail("%s is no page of this version's viewer", viewer_name ? viewer_name : "paje-viewer.html");
}

/* What the page's address would say of the view. */
static void put_settings(text_buffer *to, const paje_settings *settings, const char *name)
{
    const paje_filter *filter = &settings->filter;
    const char *slash = strrchr(name, '/');
    text_puts(to, "{\"name\":");
    text_put_json(to, text_of(slash ? slash + 1 : name));
    if (filter->has_start && filter->has_end) {
        text_puts(to, ",\"view\":\"nested=true&links=true&from=");
        text_put_number(to, filter->start);
        text_puts(to, "&to=");
        text_put_number(to, filter->end);
        text_puts(to, "\"");
    }
    text_puts(to, "}");
}

/* The two elements of the page that this command fills. */
static const char settings_mark[] = "<script id=\"settings\" type=\"application/json\">",
                  trace_mark[] = "<script id=\"trace\" type=\"application/octet-stream\">", end_mark[] = "</script>\n";

static void put_page(text_buffer *to, pajesim_text settings, pajesim_text trace)
{
    text_buffer page = {0};
    read_viewer(&page);
    pajesim_text text = text_view(&page);
    size_t settings_at = place_of(text, settings_mark), trace_at = place_of(text, trace_mark);
    text_put(to, text.bytes, settings_at);
    text_append(to, settings);
    settings_at += strlen("{}");
    text_put(to, text.bytes + settings_at, trace_at - settings_at);
    put_base64(to, trace);
    text_put(to, text.bytes + trace_at, text.size - trace_at);
    text_free(&page);
}

static void put_data(text_buffer *to, pajesim_text settings, pajesim_text trace)
{
    text_puts(to, settings_mark);
    text_append(to, settings);
    text_puts(to, end_mark);
    text_puts(to, trace_mark);
    put_base64(to, trace);
    text_puts(to, end_mark);
}

static void tell(const char *name, int is_within)
{
    const char *page = output_name ? output_name : "the page";
    if (is_within)
        stream_message("open %s in a browser: the trace is in it", page);
    else
        stream_message("open %s in a browser and drop %s on it; or serve both, and open the page with ?trace=%s", page,
                       name, name);
}

static int run(const paje_settings *settings, char **names, int count)
{
    static output_file out;
    text_buffer trace = {0}, given = {0};
    struct stat status = {0};
    const char *name = names[0];
    if (count != 1)
        paje_usage(settings->command, "it takes a trace");
    if (stat(name, &status) < 0)
        stream_fail("%s: %s", name, strerror(errno));
    int is_within = strcmp(embed, "yes") == 0 || (strcmp(embed, "auto") == 0 && status.st_size <= SMALL);
    read_trace(&trace, name, is_within);
    put_settings(&given, settings, name);
    if (!is_within)
        text_clear(&trace);
    (only_data ? put_data : put_page)(&stream_output, text_view(&given), text_view(&trace));
    if (output_name) {
        output_open(&out, output_name, OUTPUT_PAGE);
        output_write(&out, &stream_output);
        output_close(&out, 1);
    }
    stream_flush();
    if (!only_data)
        tell(name, is_within);
    text_free(&trace);
    text_free(&given);
    return EXIT_OK;
}

static const paje_option option_table[] = {
    {'o', "output", "FILE", "write the page to FILE, in place of standard output"},
    {EMBED, "embed", "WHEN", "put the trace into the page: auto (default: up to 4 MB), yes or no"},
    {VIEWER, "viewer", "FILE", "the page that `make web` has built; default: beside the program, or as installed"},
    {DATA, "data", NULL, "only the two elements that hold the trace and the view, for a page that you have"},
    {0, NULL, NULL, NULL},
};

const paje_command command_web = {
    .name = "web",
    .summary = "Writes a page that shows the trace in a browser, to zoom, search and measure",
    .details = "The page needs no server and loads nothing.  A small trace is in it; a larger one, of any size, is\n"
               "dropped on it.  -s and -e together set the range of time that it shows first.",
    .traces = 1,
    .operands = "FILE",
    .trials = "--data --embed no FILE\n--data -s 1 -e 2 FILE",
    .filters = PAJE_TIME_FILTER | PAJE_KEEPS_UNIT,
    .unfiltered = "the page has filters of its own",
    .options = option_table,
    .option = option,
    .run = run,
};
