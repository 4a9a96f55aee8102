/* There are no processes in WebAssembly: see ../posix.h. */
#pragma once

#define WIFEXITED(how) 1
#define WEXITSTATUS(how) (how)
