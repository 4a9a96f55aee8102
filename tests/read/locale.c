/* Numbers are parsed alike in a locale with a decimal comma. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
#include "../lib/small.h"

int main(void)
{
    char text[16];
    int failure;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        puts("SKIP locale: no de_DE.UTF-8 (install locales, then: localedef -i de_DE -f UTF-8 de_DE.UTF-8)");
        return 0;
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    if (strcmp(text, "0,5") != 0) {
        printf("FAIL locale: de_DE.UTF-8 writes %s, so nothing is tested\n", text);
        return 1;
    }
    failure = small_replay();
    if (failure)
        printf("FAIL locale: the small replay fails at %d\n", failure);
    else
        puts("PASS locale: decimal comma");
    return failure != 0;
}
