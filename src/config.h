/* ================================================================================================
 * Options: define any of them before the header is included.  Every one has a default.
 * ============================================================================================= */

/* What the public functions are declared as: `static` makes the whole of it private to one file. */
#ifndef PAJESIM_API
#define PAJESIM_API extern
#endif

/* The most words of one line that are kept; what stands beyond is reported and ignored.  Each costs
 * 16 bytes of stack.  pj_dump reads 20.  At most 255. */
#ifndef PAJESIM_WORDS
#define PAJESIM_WORDS 32
#endif

/* Recently used definitions, types and values, outside of the arena: 32 bytes each in struct pajesim.  A power of 2; 0:
 * none.  With 256, a line of a trace with a thousand containers takes about a tenth less time than without. */
#ifndef PAJESIM_CACHE
#define PAJESIM_CACHE 256
#endif

/* 1 uses SSE2 where the compiler offers it, 0 is plain C throughout.  Results are the same;
 * without, a line takes two thirds more time. */
#ifndef PAJESIM_SIMD
#define PAJESIM_SIMD 1
#endif

/* 1 lexes plain lines from bitmaps of blanks and line ends (with SSE2), 0 leaves every line to the lexer
 * of re2c.  Results are the same: the tests hold the two equal.  It saves 6 % of the time of a line. */
#ifndef PAJESIM_FAST
#define PAJESIM_FAST 1
#endif
