/* Lines of the source, by the table .debug_line of an ELF file (DWARF 2 to 5), which `-g` leaves there.
 *
 * The table is a program for each part of the file, whose instructions count up an address and a line, and add rows of
 * both.  Tables that are compressed or in files of their own are not read. */
#include "raw/raw.h"

#include "base/array.h"

#include <elf.h>
#include <stdlib.h>

typedef struct row {
    uint64_t address;
    uint32_t line; /* 0: the code ends there, or is of no line */
    uint32_t file; /* in `files` */
} row;

struct raw_lines {
    array_of(row) rows; /* by address */
    array_of(pajesim_text) files;
};

/* Bytes that are read one after the other; what is not there is 0. */
typedef struct cursor {
    const unsigned char *at, *end;
    int is_over; /* 1: something was not there */
} cursor;

static int has(cursor *c, uint64_t size)
{
    if ((uint64_t)(c->end - c->at) < size) {
        c->at = c->end;
        c->is_over = 1;
    }
    return !c->is_over;
}

static uint64_t take(cursor *c, size_t size)
{
    uint64_t number = 0;
    if (has(c, size)) {
        for (size_t i = 0; i < size; i++) /* the machine is the one of the program, and so little-endian */
            number |= (uint64_t)c->at[i] << 8 * i;
        c->at += size;
    }
    return number;
}

static void skip(cursor *c, uint64_t size)
{
    if (has(c, size))
        c->at += size;
}

/* Seven bits a byte; a number with a sign has its last bit in front of it. */
static uint64_t take_leb(cursor *c, int is_signed)
{
    uint64_t number = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && !c->is_over; shift += 7) {
        byte = take(c, 1);
        number |= shift < 64 ? (byte & 0x7f) << shift : 0;
    }
    return is_signed && byte & 0x40 && shift < 64 ? number | UINT64_MAX << shift : number;
}

static pajesim_text take_text(cursor *c)
{
    const unsigned char *start = c->at, *zero = start < c->end ? memchr(start, 0, (size_t)(c->end - start)) : NULL;
    skip(c, zero ? (uint64_t)(zero - start) + 1 : UINT64_MAX);
    return (pajesim_text){(const char *)start, zero ? (size_t)(zero - start) : 0};
}

typedef struct sections {
    cursor line, text, line_text; /* .debug_line, .debug_str, .debug_line_str */
} sections;

/* ---- headers */

/* What the instructions of a part mean. */
typedef struct part {
    cursor code;
    uint64_t shortest;  /* instruction, in bytes */
    int64_t line_base;
    uint64_t line_range, first_special;
    unsigned char operands[256]; /* of each standard instruction */
    size_t first_file;  /* in the files of all parts */
    size_t file_count;
    uint64_t first_number; /* of a file in this part */
} part;

enum { FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07, FORM_STRING = 0x08, FORM_BLOCK = 0x09,
       FORM_DATA1 = 0x0b, FORM_STRP = 0x0e, FORM_UDATA = 0x0f, FORM_DATA16 = 0x1e, FORM_LINE_STRP = 0x1f };

/* Takes a field of an entry; returns its text, if it is one. */
static pajesim_text take_field(cursor *c, uint64_t form, size_t offset_size, const sections *all)
{
    pajesim_text none = {"", 0};
    cursor text = form == FORM_STRP ? all->text : all->line_text;
    switch (form) {
    case FORM_STRING: return take_text(c);
    case FORM_STRP:
    case FORM_LINE_STRP: skip(&text, take(c, offset_size)); return take_text(&text);
    case FORM_DATA1: skip(c, 1); return none;
    case FORM_DATA2: skip(c, 2); return none;
    case FORM_DATA4: skip(c, 4); return none;
    case FORM_DATA8: skip(c, 8); return none;
    case FORM_DATA16: skip(c, 16); return none;
    case FORM_UDATA: take_leb(c, 0); return none;
    case FORM_BLOCK: skip(c, take_leb(c, 0)); return none;
    default: c->is_over = 1; return none; /* how long it is is not known */
    }
}

/* Takes a table of folders or files as DWARF 5 has them; notes the files' names if `lines` is not NULL. */
static void take_entries(cursor *c, size_t offset_size, const sections *all, raw_lines *lines)
{
    enum { PATH = 1 };
    uint64_t kinds[256][2], kind_count = take(c, 1);
    for (uint64_t i = 0; i < kind_count; i++) {
        kinds[i][0] = take_leb(c, 0);
        kinds[i][1] = take_leb(c, 0);
    }
    for (uint64_t count = take_leb(c, 0); count > 0 && kind_count && !c->is_over; count--) {
        pajesim_text name = {"", 0};
        for (uint64_t i = 0; i < kind_count; i++) {
            pajesim_text text = take_field(c, kinds[i][1], offset_size, all);
            name = kinds[i][0] == PATH ? text : name;
        }
        if (lines && !c->is_over)
            *array_push(&lines->files) = name;
    }
}

static void take_old_files(cursor *c, raw_lines *lines)
{
    while (take_text(c).size > 0) /* folders */
        ;
    for (pajesim_text name; (name = take_text(c)).size > 0;) {
        take_leb(c, 0), take_leb(c, 0), take_leb(c, 0); /* folder, time, size */
        *array_push(&lines->files) = name;
    }
}

/* Takes the next part of the table.  Returns 0 if there is none that can be read. */
static int take_part(cursor *table, part *p, const sections *all, raw_lines *lines)
{
    uint64_t size = take(table, 4);
    const size_t offset_size = size == 0xffffffff ? 8 : 4;
    if (offset_size == 8)
        size = take(table, 8);
    if (!size || !has(table, size))
        return 0;
    cursor c = {table->at, table->at + size, 0};
    table->at += size;
    const uint64_t version = take(&c, 2);
    if (version < 2 || version > 5)
        return 0;
    skip(&c, version >= 5 ? 2 : 0); /* sizes of an address and of a selector */
    const uint64_t head = take(&c, offset_size);
    p->code = c;
    skip(&p->code, head);
    p->shortest = take(&c, 1);
    skip(&c, version >= 4 ? 2 : 1); /* operations in an instruction, whether it is a statement */
    p->line_base = (int8_t)take(&c, 1);
    p->line_range = take(&c, 1);
    p->first_special = take(&c, 1);
    memset(p->operands, 0, sizeof p->operands);
    for (uint64_t i = 1; i < p->first_special; i++)
        p->operands[i] = (unsigned char)take(&c, 1);
    p->first_number = version < 5;
    if (version >= 5)
        take_entries(&c, offset_size, all, NULL);
    p->first_file = lines->files.count;
    if (version >= 5)
        take_entries(&c, offset_size, all, lines);
    else
        take_old_files(&c, lines);
    p->file_count = lines->files.count - p->first_file;
    return p->line_range > 0 && !p->code.is_over;
}

/* ---- instructions */

typedef struct registers {
    uint64_t address, line, file;
    size_t first_row; /* of the sequence */
} registers;

/* A row takes the place of one before it of the same address, which is of no code. */
static void add_row(raw_lines *lines, const part *p, const registers *now, int is_end)
{
    const uint64_t file = now->file - p->first_number;
    const int is_known = !is_end && file < p->file_count && now->line <= UINT32_MAX;
    const size_t last = lines->rows.count - 1;
    const int is_same = lines->rows.count > now->first_row && lines->rows.items[last].address == now->address;
    *(is_same ? &lines->rows.items[last] : array_push(&lines->rows)) =
        (row){now->address, is_known ? (uint32_t)now->line : 0, is_known ? (uint32_t)(p->first_file + file) : 0};
}

static void begin_sequence(raw_lines *lines, registers *now)
{
    *now = (registers){0, 1, 1, lines->rows.count};
}

static void run_extended(raw_lines *lines, part *p, registers *now)
{
    enum { END = 1, SET_ADDRESS = 2 };
    const uint64_t size = take_leb(&p->code, 0);
    cursor c = p->code;
    skip(&p->code, size);
    const uint64_t number = size ? take(&c, 1) : 0;
    if (number == SET_ADDRESS && size <= 9) {
        now->address = take(&c, (size_t)size - 1);
    } else if (number == END) {
        add_row(lines, p, now, 1);
        if (lines->rows.items[now->first_row].address == 0) /* the linker has left this code out */
            lines->rows.count = now->first_row;
        begin_sequence(lines, now);
    }
}

static void run_standard(raw_lines *lines, part *p, registers *now, uint64_t number)
{
    enum { COPY = 1, ADVANCE, ADVANCE_LINE, SET_FILE, ADD_SPECIAL = 8, ADVANCE_FIXED };
    switch (number) {
    case COPY: add_row(lines, p, now, 0); break;
    case ADVANCE: now->address += take_leb(&p->code, 0) * p->shortest; break;
    case ADVANCE_LINE: now->line += take_leb(&p->code, 1); break;
    case SET_FILE: now->file = take_leb(&p->code, 0); break;
    case ADD_SPECIAL: now->address += (255 - p->first_special) / p->line_range * p->shortest; break;
    case ADVANCE_FIXED: now->address += take(&p->code, 2); break;
    default:
        for (int i = 0; i < p->operands[number]; i++)
            take_leb(&p->code, 0);
    }
}

static void run_part(raw_lines *lines, part *p)
{
    registers now;
    begin_sequence(lines, &now);
    while (p->code.at < p->code.end) {
        const uint64_t number = take(&p->code, 1);
        if (number >= p->first_special) {
            const uint64_t special = number - p->first_special;
            now.address += special / p->line_range * p->shortest;
            now.line += (uint64_t)(p->line_base + (int64_t)(special % p->line_range));
            add_row(lines, p, &now, 0);
        } else if (number) {
            run_standard(lines, p, &now, number);
        } else {
            run_extended(lines, p, &now);
        }
    }
    lines->rows.count = now.first_row; /* of a sequence without an end */
}

/* ---- the whole */

/* Finds the sections, by their names. */
static sections find_sections(const unsigned char *bytes, size_t size)
{
    sections found;
    Elf64_Ehdr head;
    Elf64_Shdr names, one;
    memset(&found, 0, sizeof found);
    memcpy(&head, bytes, sizeof head);
    const uint64_t entries = head.e_shoff, count = head.e_shnum;
    if (entries > size || count > (size - entries) / sizeof one || head.e_shstrndx >= count)
        return found;
    memcpy(&names, bytes + entries + head.e_shstrndx * sizeof one, sizeof names);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&one, bytes + entries + i * sizeof one, sizeof one);
        if (one.sh_type == SHT_NOBITS || (one.sh_flags & SHF_COMPRESSED) || one.sh_offset > size ||
            one.sh_size > size - one.sh_offset || names.sh_offset > size || names.sh_size > size - names.sh_offset)
            continue;
        const cursor all = {bytes + one.sh_offset, bytes + one.sh_offset + one.sh_size, 0};
        cursor name = {bytes + names.sh_offset, bytes + names.sh_offset + names.sh_size, 0};
        skip(&name, one.sh_name);
        const pajesim_text text = take_text(&name);
        if (text_is_equal(text, text_of(".debug_line")))
            found.line = all;
        else if (text_is_equal(text, text_of(".debug_str")))
            found.text = all;
        else if (text_is_equal(text, text_of(".debug_line_str")))
            found.line_text = all;
    }
    return found;
}

/* By address; of the same address, an end before a begin. */
static int compare_rows(const void *a, const void *b)
{
    const row *first = a, *second = b;
    if (first->address != second->address)
        return first->address < second->address ? -1 : 1;
    return (first->line != 0) - (second->line != 0);
}

raw_lines *raw_read_lines(const unsigned char *bytes, size_t size)
{
    raw_lines *lines = memory_alloc_zero(1, sizeof *lines);
    const sections all = find_sections(bytes, size);
    cursor table = all.line;
    part p;
    while (table.at < table.end && take_part(&table, &p, &all, lines))
        run_part(lines, &p);
    if (lines->rows.count)
        qsort(lines->rows.items, lines->rows.count, sizeof *lines->rows.items, compare_rows);
    return lines;
}

int raw_find_line(const raw_lines *lines, uint64_t address, pajesim_text *file, uint32_t *line)
{
    size_t low = 0, high = lines->rows.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lines->rows.items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !lines->rows.items[low - 1].line)
        return 0;
    *file = lines->files.items[lines->rows.items[low - 1].file];
    *line = lines->rows.items[low - 1].line;
    return 1;
}

void raw_free_lines(raw_lines *lines)
{
    array_free(&lines->rows);
    array_free(&lines->files);
    free(lines);
}
