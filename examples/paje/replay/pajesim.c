/* The one file that holds the implementation of the header. */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
