#include "import.h"
void otf2_import(const char *name) { stream_fail("%s: not yet", name); }
