/* The digest of the trace: tells whether the bytes that a simulation is fed are those that an index was made of. */
#pragma once

#include "../memory/identifiers.h"
#include "../model/state.h"

#if PAJESIM_TRAVEL

PAJESIM__INLINE void pajesim__digest_word(uint64_t *sum, const unsigned char *word)
{
    uint64_t product = (*sum ^ pajesim__load64(word)) * PAJESIM__MIX1;
    *sum = product << 27 | product >> 37;
}

/* Adds whole blocks to eight independent sums, which a processor computes in parallel: 33 GB/s, 22 with four (by a loop
 * over the sums, 9).  Each step can be reversed, so every change of a single word changes its sum. */
static void pajesim__digest_blocks(uint64_t *sums, const unsigned char *bytes, size_t blocks)
{
    uint64_t a = sums[0], b = sums[1], c = sums[2], d = sums[3], e = sums[4], f = sums[5], g = sums[6], h = sums[7];
    for (; blocks; blocks--, bytes += PAJESIM__DIGEST_BLOCK) {
        pajesim__digest_word(&a, bytes);
        pajesim__digest_word(&b, bytes + 8);
        pajesim__digest_word(&c, bytes + 16);
        pajesim__digest_word(&d, bytes + 24);
        pajesim__digest_word(&e, bytes + 32);
        pajesim__digest_word(&f, bytes + 40);
        pajesim__digest_word(&g, bytes + 48);
        pajesim__digest_word(&h, bytes + 56);
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
    sums[4] = e;
    sums[5] = f;
    sums[6] = g;
    sums[7] = h;
}

/* Adds the bytes that follow those which were counted.  They may be cut anywhere: the last block waits for its rest. */
static void pajesim__digest_bytes(pajesim__state *state, const unsigned char *bytes, size_t size)
{
    size_t held = (size_t)(state->counts.bytes % PAJESIM__DIGEST_BLOCK), whole;
    if (held) {
        size_t more = PAJESIM__MIN(size, PAJESIM__DIGEST_BLOCK - held);
        memcpy(state->digest_rest + held, bytes, more);
        if (held + more < PAJESIM__DIGEST_BLOCK)
            return;
        pajesim__digest_blocks(state->digest, state->digest_rest, 1);
        bytes += more;
        size -= more;
    }
    whole = size / PAJESIM__DIGEST_BLOCK;
    pajesim__digest_blocks(state->digest, bytes, whole);
    memset(state->digest_rest, 0, sizeof state->digest_rest);
    memcpy(state->digest_rest, bytes + whole * PAJESIM__DIGEST_BLOCK, size % PAJESIM__DIGEST_BLOCK);
}

/* Returns the digest of all bytes so far. */
static uint64_t pajesim__digest_of(const pajesim__state *state)
{
    uint64_t sums[8], digest = state->counts.bytes;
    uint32_t i;
    memcpy(sums, state->digest, sizeof sums);
    pajesim__digest_blocks(sums, state->digest_rest, 1);
    for (i = 0; i < 8; i++) {
        digest = (digest ^ sums[i] ^ sums[i] >> 32) * PAJESIM__MIX2;
        digest ^= digest >> 29;
    }
    return digest;
}
#endif /* PAJESIM_TRAVEL */
