/* pajewrite.h as the tracer uses it: without what follows a trace, and without FILE. */
#pragma once

#define PAJEWRITE_TABLE 0
#define PAJEWRITE_STDIO 0
#include "pajewrite.h"
