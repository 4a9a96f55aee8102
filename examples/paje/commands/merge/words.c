/* Words of the merged trace.  The format has no escapes: a word is bare, or in double quotes, or, which strict readers
 * take for a part of the word, in single quotes.  Each word of an input was written in one of these ways, so it can be
 * written again for readers of the same mode; what a number is appended to can be, too. */
#include "merge.h"

/* What a byte asks for: quotes around its word, or other ones than itself. */
enum { NEEDS_QUOTES = 1, IS_QUOTE = 2 };
static const unsigned char signs[256] = {
    [0] = NEEDS_QUOTES,   ['\r'] = NEEDS_QUOTES, [' '] = NEEDS_QUOTES,  ['\t'] = NEEDS_QUOTES, ['"'] = IS_QUOTE,
    ['#'] = NEEDS_QUOTES, ['%'] = NEEDS_QUOTES,  ['\''] = NEEDS_QUOTES, [','] = NEEDS_QUOTES,  ['='] = NEEDS_QUOTES};

pajesim_text merge_digits(char *bytes, uint64_t number)
{
    char buffer[20], *at = buffer + sizeof buffer;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    size_t size = (size_t)(buffer + sizeof buffer - at);
    return (pajesim_text){memcpy(bytes, at, size), size};
}

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
    unsigned found = word.size == 0 ? NEEDS_QUOTES : 0;
    for (size_t i = 0; i < word.size; i++)
        found |= signs[(unsigned char)word.bytes[i]];
    int is_quoted = (found & NEEDS_QUOTES) != 0;
    if (found & IS_QUOTE)
        is_quoted = !can_be_bare(word, is_strict);
    char quote = found & IS_QUOTE ? '\'' : '"';
    if (is_quoted)
        text_putc(output, quote);
    text_append(output, word);
    if (is_quoted)
        text_putc(output, quote);
}
