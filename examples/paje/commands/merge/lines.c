/* Lines that were read and not processed yet: their words, in one buffer. */
#include "merge.h"

merge_line *merge_add_line(merge_input *input)
{
    array_reserve(&input->lines, 1);
    array_reserve(&input->spans, PAJESIM_WORDS);
    merge_line *line = &input->lines.items[input->lines.count++];
    line->file = input->file;
    line->number = pajesim_line_number(&input->run.sim) + (input->run.source->includer ? 0 : input->direct.lines);
    line->text = input->text.size;
    line->spans = input->spans.count;
    line->latest = input->unkept;
    line->problem = 0;
    line->quoted = ~(uint32_t)0;
    return line;
}

/* merge_add_line() has reserved the span. */
void merge_add_word(merge_input *input, const merge_line *line, pajesim_text word)
{
    input->spans.items[input->spans.count++] =
        (merge_span){(uint32_t)(input->text.size - line->text), (uint32_t)word.size};
    text_reserve(&input->text, word.size + MERGE_SLACK);
    text_append(&input->text, word);
}

int merge_add_words(merge_input *input, merge_line *line, pajesim_text bytes, size_t known, uint32_t count)
{
    char *start = text_reserve(&input->text, bytes.size + MERGE_SLACK);
    memcpy(start, bytes.bytes, bytes.size);
    start[bytes.size] = ' ';
    const unsigned char *first = (const unsigned char *)start, *word = first, *at = first + known;
    const unsigned char *end = first + bytes.size;
    merge_span *spans = input->spans.items + input->spans.count;
    uint32_t words = 0, quoted = 0;
    while (at < end && words < count) {
        unsigned found = 0;
        do
            found |= merge_signs[*at++];
        while (!(found & (MERGE_BLANK | MERGE_SPECIAL)));
        if (found & MERGE_SPECIAL)
            return 0;
        spans[words] = (merge_span){(uint32_t)(word - first), (uint32_t)(at - 1 - word)};
        quoted |= (uint32_t)(found != MERGE_BLANK) << words++;
        while (at < end && merge_signs[*at] & MERGE_BLANK)
            at++;
        word = at;
    }
    if (at < end || words < count)
        return 0;
    input->text.size += bytes.size;
    input->spans.count += count;
    line->quoted = quoted;
    return 1;
}
