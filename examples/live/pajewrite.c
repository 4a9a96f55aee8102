/* The writer, for programs that have none of their own. */
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
