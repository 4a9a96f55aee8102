/* The translation unit with the implementation, complete. */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
