/* A user of the header whose implementation is in another translation unit: implementation.c. */
#include "pajesim.h"
#include <string.h>
#include "../lib/small.h"

int main(void)
{
    return small_replay();
}
