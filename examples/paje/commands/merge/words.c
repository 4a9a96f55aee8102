/* Words of the merged trace.  The format has no escapes: a word is bare, or in double quotes, or, which strict readers
 * take for a part of the word, in single quotes.  Each word of an input was written in one of these ways, so it can be
 * written again for readers of the same mode; what a number is appended to can be, too. */
#include "merge.h"

/* Whether a word with double quotes in it can be bare. */
static int can_be_bare(pajesim_text word, int is_strict)
{
    for (size_t i = 0; i < word.size; i++)
        if (strchr(" \t\r#", word.bytes[i]) && word.bytes[i])
            return 0;
    return word.bytes[0] != '"' && (is_strict || word.bytes[0] != '\'');
}

void merge_put_word(text_buffer *output, pajesim_text word, int is_strict)
{
    enum { QUOTED = 1, HAS_QUOTE = 2 };
    static const unsigned char signs[256] = {[0] = QUOTED,    [' '] = QUOTED, ['\t'] = QUOTED, ['\r'] = QUOTED,
                                             ['#'] = QUOTED,  ['%'] = QUOTED, [','] = QUOTED,  ['='] = QUOTED,
                                             ['\''] = QUOTED, ['"'] = HAS_QUOTE};
    unsigned found = word.size == 0 ? QUOTED : 0;
    for (size_t i = 0; i < word.size; i++)
        found |= signs[(unsigned char)word.bytes[i]];
    int is_quoted = found & HAS_QUOTE ? !can_be_bare(word, is_strict) : found != 0;
    char quote = found & HAS_QUOTE ? '\'' : '"';
    if (is_quoted)
        text_putc(output, quote);
    text_append(output, word);
    if (is_quoted)
        text_putc(output, quote);
}
