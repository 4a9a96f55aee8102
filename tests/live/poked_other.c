/* Another file of poked, which has a variable of a name that poked.c has too. */
static volatile int twice = 2;
int twice_of_other(void);
int twice_of_other(void) { return twice; }
