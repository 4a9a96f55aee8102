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
    line->is_early = 0;
    line->is_plain = 0;
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

/* The bytes, other than blanks, that may need quotes around their word, or have a meaning for the reader. */
static uint32_t find_special(block16 bytes, uint32_t blanks)
{
    return (block_up_to(bytes, '\'') | block_find(bytes, ',') | block_find(bytes, '=')) & ~blanks;
}

int merge_add_words(merge_input *input, merge_line *line, pajesim_text bytes, size_t known, uint32_t count)
{
    merge_span *spans = input->spans.items + input->spans.count;
    size_t word = 0;
    uint32_t words = 0;
    for (size_t at = known; at <= bytes.size; at += BLOCK_BYTES) {
        block16 some = block_load(bytes.bytes + at);
        size_t left = bytes.size - at;
        uint32_t behind = left < BLOCK_BYTES ? ~UINT32_C(0) << left : 0;
        uint32_t blanks = block_find(some, ' ') | block_find(some, '\t') | behind;
        if (find_special(some, blanks))
            return 0;
        for (blanks &= BLOCK_ALL; blanks; blanks &= blanks - 1) {
            size_t blank = at + block_first(blanks);
            if (blank > word) {
                if (words == count)
                    return 0;
                spans[words++] = (merge_span){(uint32_t)word, (uint32_t)(blank - word)};
            }
            word = blank + 1;
        }
    }
    if (words < count)
        return 0;
    memcpy(text_reserve(&input->text, bytes.size + MERGE_SLACK), bytes.bytes, bytes.size);
    input->text.size += bytes.size;
    input->spans.count += count;
    line->is_plain = 1;
    return 1;
}
