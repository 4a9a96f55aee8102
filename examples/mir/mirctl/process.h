/* A process that was not prepared: its symbols, its memory. */
#pragma once

#include "elf.h"

#include <sys/types.h>

typedef struct process {
    pid_t id;
    elf_file elf;
    uint64_t bias; /* of addresses against those of the file */
} process;

typedef enum number_type { NUMBER_INTEGER, NUMBER_FLOATING } number_type;

/* A variable that is a number. */
typedef struct variable {
    uint64_t address;
    size_t size; /* 1, 2, 4 or 8 */
    number_type type;
} variable;

/* Ends this program, with the reason, if the process is not of this user or cannot be read. */
void process_open(process *it, const char *number);
/* Finds a symbol by NAME or FILE/NAME; `type` is STT_OBJECT or STT_FUNC.  Ends this program if there is not one. */
elf_symbol process_find(const process *it, const char *name, int type);
/* Finds a variable by NAME, FILE/NAME, either with :float or :double behind it. */
variable process_variable(const process *it, const char *name);

/* Each returns 0, with errno, if it is not possible. */
int process_read(pid_t id, uint64_t address, void *to, size_t size);
int process_write(pid_t id, uint64_t address, const void *from, size_t size);

/* Reads a number as text.  Returns 0 if it is none, or does not fit. */
int variable_parse(const variable *it, const char *text, unsigned char *bytes);
void variable_print(const variable *it, const unsigned char *bytes, char *text, size_t size);
/* Why another process cannot be traced or written to, by errno. */
const char *process_problem(int error);
