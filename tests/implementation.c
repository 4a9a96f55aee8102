/* What a program adds to its sources, in full. */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
