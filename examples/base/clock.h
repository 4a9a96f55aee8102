/* The machine's clock. */
#pragma once

#include "base/platform.h"

/* Seconds of a clock that never goes back; only differences have a meaning. */
double clock_seconds(void);
