/* Makes the headers check their preconditions: included before all else (-include), so it includes nothing itself. */
#define PAJEWRITE__ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#define PAJESIM__ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
