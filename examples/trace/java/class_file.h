/* Changes class files (JVMS, chapter 4) so that methods call CLASS_PROBE where they begin and end: the fuzz target
 * `classes` tries it on any bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The class that changed methods call: begin(int) and end(int), with the number of the method; negative: end in the
 * handler of its exceptions, which throws what it has caught.  Every class loader has
 * to leave names that begin with java. to the JDK's, but many do so with no other, as those of OSGi.  In a package of a
 * module, such as java.lang, the JVM would print a warning about its native methods. */
#define CLASS_PROBE "java/pajetrace/Probe"

enum { CLASS_MOST_NUMBERS = 32767 /* of methods */ };

typedef struct class_text {
    const char *bytes; /* in the encoding of class files, which is ASCII for ASCII */
    size_t size;
} class_text;

typedef struct class_choice {
    /* Returns the number of a method that has code, up to CLASS_MOST_NUMBERS; 0: it stays as it is. */
    int (*choose)(void *data, class_text class_name, class_text method);
    void *data;
} class_choice;

/* Returns the changed class, to be freed; NULL: there is nothing to change, or it is no class file that is understood.
 * A method that cannot be changed stays as it is, as one that would become too long. */
unsigned char *class_change(const unsigned char *bytes, size_t size, const class_choice *choice, size_t *new_size);

/* ---- shared by class_file.c and class_code.c */

typedef struct class_reader {
    const unsigned char *at, *end;
    int has_failed; /* 1: something was read behind the end; what was read since then is 0 */
} class_reader;

typedef struct class_writer {
    unsigned char *bytes;
    size_t size, capacity;
    int has_failed; /* 1: there is no memory */
} class_writer;

uint32_t class_get(class_reader *it, size_t size); /* 1, 2 or 4 bytes */
const unsigned char *class_skip(class_reader *it, size_t size);
void class_put(class_writer *it, size_t size, uint32_t number);
void class_put_bytes(class_writer *it, const void *bytes, size_t size);
void class_set(class_writer *it, size_t at, size_t size, uint32_t number);

typedef struct class_file {
    const unsigned char *bytes;
    size_t size;
    uint32_t version;
    uint32_t *pool; /* where entries of the constant pool are; 0: there is none of that number */
    uint32_t count; /* of them; those that are added have numbers from that on */
    uint32_t this_class, super_class;
} class_file;

/* Entries that are added to the constant pool. */
enum {
    POOL_FRAMES,
    POOL_PROBE,
    POOL_PROBE_CLASS,
    POOL_BEGIN,
    POOL_END,
    POOL_TYPE,
    POOL_BEGIN_NAMED,
    POOL_END_NAMED,
    POOL_CALL_BEGIN,
    POOL_CALL_END,
    POOL_THROWABLE,
    POOL_THROWABLE_CLASS,
    POOL_ADDED
};

/* Returns the text of an entry; bytes NULL: it is none. */
class_text class_text_of(const class_file *it, uint32_t number);
int class_is_text(const class_file *it, uint32_t number, const char *text);
/* Whether a method reference is to a constructor; of which class. */
int class_is_constructor_call(const class_file *it, uint32_t number, uint32_t *of_class);

/* class_code.c: appends the attribute Code of a method, changed; `code`: its content.  Returns 0 if it cannot be
 * changed. */
int class_change_code(const class_file *it, class_reader code, int is_constructor, int number, class_writer *out);
