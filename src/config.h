/* ================================================================================================
 * Options: define any of them before the header is included.  Every one has a default.
 * ============================================================================================= */

/* What the public functions are declared as: `static` makes the whole of it private to one file. */
#ifndef PAJESIM_API
#define PAJESIM_API extern
#endif

/* The most words of one line that are kept; what stands beyond is reported and ignored.  Each costs
 * 8 bytes of stack.  pj_dump reads 20.  At most 255. */
#ifndef PAJESIM_WORDS
#define PAJESIM_WORDS 32
#endif

/* 1 uses SSE2 or NEON where the compiler offers them, 0 is plain C throughout (8 bytes at a time).
 * Results are the same. */
#ifndef PAJESIM_SIMD
#define PAJESIM_SIMD 1
#endif

/* 1 lexes well-formed lines from bitmaps of blanks and line ends, made 1 KiB at a time; 0 leaves every
 * line to the lexer of re2c.  Results are the same: the tests hold the two equal. */
#ifndef PAJESIM_FAST
#define PAJESIM_FAST 1
#endif
