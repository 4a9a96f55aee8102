/* Compiled once for each ENGINE that engine.h names, each time with other PAJESIM_ options. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define PAJESIM_API static
#define PAJESIM_IMPLEMENTATION
#include "engine.h"

const engine ENGINE = {pajesim_init, pajesim_feed, pajesim_finish, pajesim_count, pajesim_used, pajesim_data,
                       pajesim_last_problem};
