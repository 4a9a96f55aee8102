/* pajewrite.h, once for all programs here. */
#include "base/platform.h"

#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
