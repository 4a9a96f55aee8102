/* Arbitrary bytes as an image: pajesim_restore refuses everything that pajesim_save did not write, and continues
 * otherwise.
 *
 * The first four bytes of an input choose where an image of a small simulation is cut off, and which bit of it is
 * damaged, if any, or whether some bytes are forged, with the right checksum; the rest is a trace that is replayed
 * before, or, if the first byte is 0xff, the image itself.  What is forged is refused, or does no harm. */
#define PAJESIM_CACHE 4
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "fuzz.h"
#include "forge.h"
#include "scene.h"
#include "../lib/account.h"

enum { ARENA = 1 << 17 };

static uint64_t arena[ARENA / 8], other[ARENA / 8];

static void feed(pajesim *sim, const void *bytes, size_t size)
{
    const char *p = (const char *)bytes;
    size_t taken;
    for (; size; p += taken, size -= taken) {
        pajesim_status status = pajesim_feed(sim, p, size, &taken);
        if (status == PAJESIM_OPEN)
            pajesim_end_file(sim);
        else if (status != PAJESIM_OK)
            return;
    }
}

static account seen;

/* Reads all that an entity refers to. */
static int closed(pajesim *sim, const pajesim_entity *entity)
{
    hash_entity(sim, &seen, entity);
    return PAJESIM_GO_ON;
}

static int is_refused(pajesim_status status)
{
    return status == PAJESIM_INCOMPATIBLE || status == PAJESIM_DAMAGED;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static unsigned char image[ARENA + 64], again[ARENA + 64];
    static pajesim_callbacks callbacks;
    pajesim sim, restored;
    size_t saved, cut, at;
    pajesim_status status;
    callbacks.closed = closed;
    if (size < 4)
        return 0;
    if (bytes[0] == 0xff) {
        fuzz_expect(is_refused(pajesim_restore(&sim, arena, sizeof arena, bytes + 1, size - 1, NULL, NULL)),
                    "what is no image is refused");
        return 0;
    }
    pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL);
    feed(&sim, scene_header, sizeof scene_header - 1);
    feed(&sim, scene_body, sizeof scene_body - 1);
    feed(&sim, bytes + 4, size - 4);
    saved = pajesim_image_size(&sim);
    if (saved > sizeof image)
        return 0;
    fuzz_expect(pajesim_save(&sim, image, saved - 1) == PAJESIM_FULL, "an image needs its room");
    fuzz_expect(pajesim_save(&sim, image, saved) == PAJESIM_OK, "an image is saved");
    cut = bytes[0] & 64 ? (bytes[1] * 256u + bytes[2]) % saved : saved;
    at = ((bytes[1] << 16 | bytes[2] << 8 | bytes[3]) * (size_t)3) % saved;
    if (bytes[0] & 128)
        image[at] ^= (unsigned char)(1u << (bytes[0] & 7));
    if (bytes[0] & 32) {
        forge_image(image, saved, bytes[1] << 16 | bytes[2] << 8 | bytes[3]);
        if (pajesim_restore(&restored, other, sizeof other, image, saved, &callbacks, NULL) == PAJESIM_OK) {
            feed(&restored, scene_header, sizeof scene_header - 1);
            feed(&restored, bytes + 4, size - 4);
            feed(&restored, bytes + 4, size - 4);
            if (bytes[0] & 1)
                feed(&restored, "0 X P X\n1 X X XS\n3 X X XV\n6 9 x X p1 x\n9 9 XS x v\nd 9 XV x 1\n", 58);
            pajesim_finish(&restored);
        }
        return 0;
    }
    status = pajesim_restore(&restored, other, sizeof other, image, cut, NULL, NULL);
    if (cut != saved || bytes[0] & 128) {
        fuzz_expect(is_refused(status), "a damaged image is refused");
        return 0;
    }
    fuzz_expect(status == PAJESIM_OK, "an image is restored");
    feed(&sim, bytes + 4, size - 4);
    feed(&restored, bytes + 4, size - 4);
    pajesim_finish(&sim);
    pajesim_finish(&restored);
    saved = pajesim_image_size(&sim);
    fuzz_expect(saved == pajesim_image_size(&restored), "what is restored goes on as before");
    if (saved <= sizeof image) {
        pajesim_save(&sim, image, sizeof image);
        pajesim_save(&restored, again, sizeof again);
        fuzz_expect(!memcmp(image, again, saved), "what is restored goes on as before, to the byte");
    }
    return 0;
}
