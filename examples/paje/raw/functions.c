/* Definitions of functions in raw files, and of constructs in functions, which have the place of their code in place of
 * a name. */
#include "raw/raw.h"

/* Returns the next word of a line; lines of the tracer have one blank between two words. */
static pajesim_text next_word(const char **at, const char *end)
{
    const char *start = *at, *blank = memchr(start, ' ', (size_t)(end - start));
    *at = blank ? blank + 1 : end;
    return (pajesim_text){start, (size_t)((blank ? blank : end) - start)};
}

int raw_name_function(text_buffer *to, const char *start, const char *end, int is_readable)
{
    const char *at = start;
    pajesim_text words[4];
    for (int i = 0; i < 4; i++)
        words[i] = next_word(&at, end);
    pajesim_text place = words[3];
    if (place.size && *place.bytes == '"') { /* a path with blanks */
        const char *quote = memchr(place.bytes + 1, '"', (size_t)(end - place.bytes - 1));
        place = (pajesim_text){place.bytes + 1, quote ? (size_t)(quote - place.bytes - 1) : 0};
        at = quote && quote + 2 < end ? quote + 2 : end;
    }
    if (!place.size || *place.bytes != '@')
        return 0;
    text_put(to, start, (size_t)(words[3].bytes - start));
    text_putc(to, '"');
    const char *slash = memchr(place.bytes, '/', place.size);
    if (slash && slash > place.bytes + 1) { /* @NAME FILE+0xOFFSET: a construct, which keeps its name */
        pajesim_text rest = {slash, (size_t)(place.bytes + place.size - slash)};
        text_put(to, place.bytes + 1, (size_t)(slash - place.bytes - 1));
        raw_put_place(to, rest, is_readable);
    } else {
        raw_put_function(to, place, is_readable);
    }
    text_puts(to, "\" ");
    text_put(to, at, (size_t)(end - at));
    text_putc(to, '\n');
    return 1;
}
