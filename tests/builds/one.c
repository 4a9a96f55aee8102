/* Declarations, implementation, and both once more, in one translation unit. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#include PAJESIM_HEADER
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER
#include PAJESIM_HEADER
#include "../lib/small.h"

int main(void)
{
    return small_replay();
}
