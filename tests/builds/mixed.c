/* Two shared libraries with copies of the reader, and a program that calls both.  Where their options are the same,
 * both read; where they differ, the dynamic linker takes the functions of the first one for both, so that the second
 * one does not begin.  With LIBRARY, the library whose function has that name. */
#ifdef LIBRARY
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

__attribute__((visibility("default"))) int LIBRARY(void);
int LIBRARY(void)
{
    static const char trace[] =
        "%EventDef PajeDefineContainerType 0\n% Name string\n% Type string\n%EndEventDef\n0 P 0\n";
    static uint64_t arena[1 << 12], other[1 << 12], image[1 << 12];
    static pajesim sim, restored;
    pajesim_status status = pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL);
    if (status == PAJESIM_MISUSE)
        return pajesim_restore(&sim, arena, sizeof arena, image, sizeof image, NULL, NULL) == PAJESIM_MISUSE ? 2 : 0;
    return status == PAJESIM_OK && pajesim_feed(&sim, trace, sizeof trace - 1, NULL) == PAJESIM_OK &&
           pajesim_find_type(&sim, "P", 1) != 0 && pajesim_save(&sim, image, sizeof image) == PAJESIM_OK &&
           pajesim_restore(&restored, other, sizeof other, image, pajesim_image_size(&sim), NULL, NULL) == PAJESIM_OK &&
           pajesim_find_type(&restored, "P", 1) != 0;
}
#else
#include <stdio.h>

int read_a(void);
int read_b(void);

/* Prints of each library 1 if it reads, 2 if it does not begin, 0 if something is wrong. */
int main(void)
{
    int a = read_a(), b = read_b();
    printf("%d %d\n", a, b);
    return 0;
}
#endif
