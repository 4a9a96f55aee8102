/* main for a target: runs inputs without a fuzzer.
 *
 *     TARGET FILE...
 *
 * Prints their number; a failing one ends the program, after its name, and so does one that takes two minutes. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        uint8_t *bytes;
        long size;
        if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
            perror(argv[i]);
            return 2;
        }
        bytes = malloc((size_t)size ? (size_t)size : 1);
        if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
            perror(argv[i]);
            return 2;
        }
        fclose(file);
        fprintf(stderr, "%s\n", argv[i]); /* the one that failed is the last one printed */
        alarm(120);
        LLVMFuzzerTestOneInput(bytes, (size_t)size);
        free(bytes);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
