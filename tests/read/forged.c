/* Forged images and indexes: each word is changed by itself, in some ways, and the checksum is made again.  Such an
 * image or index is refused, or does no harm.
 *
 * usage: forged [-v]     -v: also prints a number that is another one if other forgeries are refused */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "../fuzz/fuzz.h"
#include "../fuzz/pack.h"
#include "../fuzz/scene.h"
#include "../lib/account.h"
#include "../lib/expect.h"

enum { ARENA = 1 << 17, IMAGE = ARENA + (1 << 16), WAYS = 10 };

/* What may be open: stacks of states with user fields, variables, links without an end, a deep stack; and, where it is
 * taken, values that are not defined, ends of links without starts, a container that was destroyed. */
static const char open_scene[] =
    "6 0 third P m p3\n9 1 S p1 R\n9 1 S p1 W\nj 2 S p1 R \"a reason\"\nj 2 S p1 W why\n8 2 S p2 R\n"
    "d 1 V p1 1.5\ne 2 V p1 2\nd 2 V p2 7\nc 3 E p1 H\nc 3 E p2 H\n"
    "g 1 L m p1 C key1\ng 2 L m p1 C key2\nh 3 L m p2 C key1\n"
    "0 Node M N\n1 Phase N F\n5 Compute F c \"0 0 1\"\n6 3 \"a name that is longer than sixteen bytes\" N m n1\n"
    "9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n9 3 F n1 c\n"
    "7 4 p3 P\n"
    "j 4 D p1 mode0 why\n9 4 S p2 undefined\nk 4 L m p2 C key3 77 \"a note\"\nk 4 L m p1 C key4 1 n\n9 5 F n1 a\n";
/* What is fed to an image that is taken. */
static const char rest[] =
    "a 5 S p1\na 5 S p1\n9 5 S p2 W\n8 5 D p1 mode1\nd 5 V p1 3\nf 6 V p2 1\nh 6 L m p2 C key2\ng 6 L m p1 C key3\n"
    "a 6 F n1\n9 6 F n1 fresh\n5 Late S X \"0 0 0\"\n6 6 fourth P m p4\n9 6 S p4 X\n7 7 p2 P\n7 7 m M\n0 Q 0 Q\n";

static uint64_t arena[ARENA / 8], forged[ARENA / 8], other[ARENA / 8], image[IMAGE / 8];
static account seen;

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    hash_entity(sim, &seen, entity);
    return PAJESIM_GO_ON;
}

static void feed(pajesim *sim, const char *text)
{
    size_t size = strlen(text), taken;
    for (; size && pajesim_feed(sim, text, size, &taken) == PAJESIM_OK; size -= taken)
        text += taken;
}

/* Returns a word in place of the one at `at`: also one that refers to the block that it is in, or to a node there. */
static uint32_t forge(int way, uint32_t word, uint32_t at, uint32_t top)
{
    switch (way) {
    case 0: return word ? 0 : 1;
    case 1: return word + 1;
    case 2: return word - 8;
    case 3: return word + 16;
    case 4: return word ^ UINT32_C(0x100);
    case 5: return word ^ UINT32_C(1) << 31;
    case 6: return top;
    case 7: return (at & ~UINT32_C(15)) | 1;
    case 8: return at & ~UINT32_C(15);
    default: return 2;
    }
}

static void forge_each_word(int strict)
{
    static pajesim_callbacks callbacks;
    pajesim_options options = {0};
    pajesim sim, restored;
    pajesim__image head;
    uint32_t top, at, word;
    unsigned refused = 0, taken = 0;
    int way;
    callbacks.closed = closed;
    options.strict = strict;
    EXPECT(pajesim_init(&sim, arena, sizeof arena, &options, NULL, NULL) == PAJESIM_OK);
    feed(&sim, scene_header);
    feed(&sim, scene_body);
    feed(&sim, open_scene);
    EXPECT(pajesim_image_size(&sim) <= sizeof image && pajesim_save(&sim, image, sizeof image) == PAJESIM_OK);
    memcpy(&head, image, sizeof head);
    top = (uint32_t)head.top;
    for (at = 0; at + 4 <= top && !fault[0]; at += 4)
        for (way = 0; way < WAYS; way++) {
            size_t size;
            pajesim_status status;
            memcpy(forged, arena, top);
            memcpy(&word, (char *)forged + at, 4);
            word = forge(way, word, at, top);
            memcpy((char *)forged + at, &word, 4);
            size = sizeof head + forge__pack((unsigned char *)forged, top, (unsigned char *)image + sizeof head);
            forge__sum((unsigned char *)image, size, head.magic, head.layout, top);
            status = pajesim_restore(&restored, other, sizeof other, image, size, &callbacks, NULL);
            hash_word(&seen, (uint64_t)status);
            EXPECT(status == PAJESIM_OK || status == PAJESIM_DAMAGED || status == PAJESIM_INCOMPATIBLE);
            refused += status != PAJESIM_OK;
            taken += status == PAJESIM_OK;
            if (status == PAJESIM_OK) {
                feed(&restored, rest);
                pajesim_finish(&restored);
            }
        }
    EXPECT(refused > taken / 2);
    report("forged: ", strict ? "each word of an image of a strict simulation" : "each word of an image");
}

/* ---- an index */

static char trace[1 << 14];
static size_t trace_size;

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    const size_t left = offset < trace_size ? trace_size - (size_t)offset : 0;
    (void)data;
    *bytes = trace + offset;
    return left < most ? left : most;
}

static void forge_each_word_of_an_index(void)
{
    static uint64_t block[IMAGE / 8], loaded[IMAGE / 8], budget[ARENA / 8];
    static pajesim_callbacks callbacks;
    const pajesim_index_options apart = {100, 0};
    unsigned refused = 0;
    pajesim_index index;
    pajesim_window window;
    pajesim__image head;
    const void *saved;
    size_t size, at;
    uint32_t word;
    int way;
    callbacks.closed = closed;
    trace_size = (size_t)sprintf(trace, "%s%s%s%s", scene_header, scene_body, open_scene, rest);
    EXPECT(pajesim_index_init(&index, block, sizeof block, &apart) == PAJESIM_OK);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &index, NULL, read_trace, NULL) == PAJESIM_OK);
    for (at = 0; at < 10; at++) /* checkpoints are made between the bytes that it reads at once */
        EXPECT(pajesim_window_extend(&window, trace_size / 20, 0) == PAJESIM_OK);
    EXPECT(pajesim_window_extend(&window, UINT64_MAX, 1) == PAJESIM_OK && pajesim_index_count(&index) > 3);
    saved = pajesim_index_save(&index, &size);
    memcpy(&head, saved, sizeof head);
    memcpy(image, saved, size);
    for (at = sizeof head; at + 4 <= size && !fault[0]; at += 4)
        for (way = 0; way < WAYS; way += 2) {
            pajesim_status status;
            memcpy(loaded, image, size);
            memcpy(&word, (char *)loaded + at, 4);
            word = forge(way, word, (uint32_t)at, (uint32_t)size);
            memcpy((char *)loaded + at, &word, 4);
            forge__sum((unsigned char *)loaded, size, head.magic, head.layout, (uint32_t)head.top);
            status = pajesim_index_load(&index, loaded, sizeof loaded, size);
            hash_word(&seen, (uint64_t)status);
            EXPECT(status == PAJESIM_OK || status == PAJESIM_DAMAGED || status == PAJESIM_INCOMPATIBLE);
            refused += status != PAJESIM_OK;
            if (status != PAJESIM_OK)
                continue;
            EXPECT(pajesim_window_init(&window, budget, sizeof budget, &index, NULL, read_trace, NULL) == PAJESIM_OK);
            status = pajesim_window_show(&window, 2, 3, &callbacks, NULL); /* images are checked where they are used */
            refused += status != PAJESIM_OK;
            hash_word(&seen, (uint64_t)status);
        }
    EXPECT(refused > 0);
    report("forged: ", "each word of an index");
}

int main(int argc, char **argv)
{
    (void)balance; /* of account.h only hashes are used */
    forge_each_word(0);
    forge_each_word(1);
    forge_each_word_of_an_index();
    if (argc > 1 && strcmp(argv[1], "-v") == 0)
        printf("%016llx\n", (unsigned long long)seen.hash);
    return failed != 0;
}
