/* Tests of the arena: its size, moves, images and damaged ones, words of the caller, wrong arguments. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "scene.h"

#include <stdlib.h>

static void test(const char *name, void (*body)(void))
{
    body();
    report("arena ", name);
}

static uint64_t other_arena[4096];

static void arena_min_is_exact(void)
{
    static const pajesim_options options[] = {
        {.strict = 0},      {.strict = PAJESIM_CHECKS}, {.parse_only = PAJESIM_CHECKS}, {.line_capacity = 16},
        {.line_capacity = 10000}, {.remembered = 1000}, {.file_depth_max = 99}};
    size_t i;
    for (i = 0; i < sizeof options / sizeof *options; i++) {
        size_t least = pajesim_arena_min(&options[i]);
        unsigned char *exact = malloc(least);
        EXPECT(exact != NULL && least > 100 && least < sizeof arena);
        if (!exact)
            return;
        EXPECT(pajesim_init(&sim, exact, least - 1, &options[i], NULL, NULL) == PAJESIM_FULL);
        EXPECT(pajesim_capacity_needed(&sim) == least);
        EXPECT(feed("# a comment\n") == PAJESIM_BUSY && pajesim_finish(&sim) == PAJESIM_BUSY);
        EXPECT(pajesim_init(&sim, NULL, least, &options[i], NULL, NULL) == PAJESIM_MISUSE);
        EXPECT(feed("# a comment\n") == PAJESIM_BUSY && pajesim_end_file(&sim) == PAJESIM_BUSY);
        EXPECT(pajesim_init(&sim, exact, least, &options[i], NULL, NULL) == PAJESIM_OK);
        EXPECT(pajesim_used(&sim) <= least && feed("# a comment\n") == PAJESIM_OK);
        EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
        free(exact);
    }
    EXPECT(pajesim_arena_min(NULL) == pajesim_arena_min(&options[0]));
}

static void what_lies_beyond_the_use_is_untouched(void)
{
    size_t i;
    memset(arena, 0x77, sizeof arena);
    begin(NULL, NULL);
    EXPECT(feed("7 1 S p1 R m\n8 2 S p1\n6 3 P p1\n") == PAJESIM_OK);
    for (i = pajesim_used(&sim); i < sizeof arena; i++)
        EXPECT(((unsigned char *)arena)[i] == 0x77);
}

static void move_to_smaller_and_larger(void)
{
    size_t used;
    begin(NULL, NULL);
    used = pajesim_used(&sim);
    EXPECT(pajesim_move(&sim, other_arena, used - 1) == PAJESIM_FULL && pajesim_capacity_needed(&sim) == used);
    EXPECT(container("p1") != 0);
    EXPECT(pajesim_move(&sim, other_arena, used) == PAJESIM_OK);
    EXPECT(feed("5 2 \"a container that takes some more of the arena than is free\" P m x\n") == PAJESIM_FULL);
    EXPECT(pajesim_move(&sim, other_arena, sizeof other_arena) == PAJESIM_OK); /* in place, as realloc may do */
    EXPECT(feed("5 2 \"a container that takes some more of the arena than is free\" P m x\n") == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && pajesim_count(&sim)->containers == 5);
}

/* ---- words of the caller ---- */

static int words_told;

static int word_of_type(pajesim *it, const pajesim_type_info *info)
{
    EXPECT(*pajesim_user_data(it, info->ref) == 0);
    *pajesim_user_data(it, info->ref) = 100;
    return PAJESIM_GO_ON;
}

static int word_of_value(pajesim *it, const pajesim_value_info *info)
{
    *pajesim_user_data(it, info->ref) = UINT64_C(0x123456789abcdef0);
    return PAJESIM_GO_ON;
}

static int word_of_container(pajesim *it, const pajesim_entity *created)
{
    EXPECT(*pajesim_user_data(it, created->container) == 0);
    *pajesim_user_data(it, created->container) = 7;
    return PAJESIM_GO_ON;
}

static int word_at_the_end(pajesim *it, const pajesim_entity *destroyed)
{
    words_told++;
    if (destroyed->container != pajesim_root(it))
        EXPECT(*pajesim_user_data(it, destroyed->container) == 8);
    return PAJESIM_GO_ON;
}

static void words_survive_move_and_restore(void)
{
    static unsigned char image[sizeof arena];
    pajesim_callbacks callbacks;
    pajesim_ref p1, type_of_states, value;
    size_t size;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.new_type = word_of_type;
    callbacks.new_value = word_of_value;
    callbacks.container_created = word_of_container;
    callbacks.container_destroyed = word_at_the_end;
    words_told = 0;
    begin(NULL, &callbacks);
    p1 = container("p1");
    type_of_states = type("S");
    value = pajesim_find_value(&sim, type_of_states, "R", 1);
    EXPECT(pajesim_move(&sim, other_arena, sizeof other_arena) == PAJESIM_OK);
    memset(arena, 0xa5, sizeof arena);
    EXPECT(container("p1") == p1 && *pajesim_user_data(&sim, p1) == 7);
    (*pajesim_user_data(&sim, p1))++;
    (*pajesim_user_data(&sim, container("p2")))++;
    (*pajesim_user_data(&sim, container("m")))++;
    size = pajesim_image_size(&sim);
    EXPECT(size <= sizeof image && pajesim_save(&sim, image, size) == PAJESIM_OK);
    memset(&sim, 0xa5, sizeof sim);
    memset(other_arena, 0xa5, sizeof other_arena);
    EXPECT(pajesim_restore(&sim, arena, sizeof arena, image, size, &callbacks, &failed) == PAJESIM_OK);
    EXPECT(*pajesim_user_data(&sim, p1) == 8 && *pajesim_user_data(&sim, type_of_states) == 100);
    EXPECT(*pajesim_user_data(&sim, value) == UINT64_C(0x123456789abcdef0) && is(pajesim_name(&sim, value), "Running"));
    EXPECT(pajesim_data(&sim) == &failed);
    EXPECT(feed("7 1 S p1 R m\n6 2 P p1\n") == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && words_told == 4);
}

/* ---- images ---- */

static size_t make_image(unsigned char **image)
{
    size_t size;
    begin(NULL, NULL);
    EXPECT(feed("7 1 S p1 R m\n7 2 S p1 W m\n9 3 V p1 17\n8 4 S") == PAJESIM_OK); /* in the middle of a line */
    size = pajesim_image_size(&sim);
    *image = malloc(size);
    if (!*image)
        exit(2);
    EXPECT(pajesim_save(&sim, *image, size - 1) == PAJESIM_FULL);
    EXPECT(pajesim_save(&sim, *image, size) == PAJESIM_OK);
    return size;
}

static void image_of_the_middle_of_a_line(void)
{
    unsigned char *image;
    size_t size = make_image(&image), used = pajesim_used(&sim);
    pajesim_counts before = *pajesim_count(&sim);
    size_t needed, i;
    EXPECT(pajesim_restore(&sim, other_arena, used - 1, image, size, NULL, NULL) == PAJESIM_FULL);
    EXPECT(feed("# a comment\n") == PAJESIM_BUSY);
    needed = (size_t)pajesim_capacity_needed(&sim);
    EXPECT(needed >= used && needed <= used + used / 16 + 8); /* it is checked, unless PAJESIM_TRAVEL is 0 */
    EXPECT(pajesim_restore(&sim, other_arena, needed - 1, image, size, NULL, NULL) == PAJESIM_FULL);
    memset(other_arena, 0x5a, sizeof other_arena);
    EXPECT(pajesim_restore(&sim, other_arena, needed, image, size, NULL, NULL) == PAJESIM_OK);
    for (i = needed; i < sizeof other_arena; i++) /* nothing behind it is written */
        EXPECT(((const unsigned char *)other_arena)[i] == 0x5a);
    EXPECT(memcmp(pajesim_count(&sim), &before, sizeof before) == 0 && pajesim_used(&sim) == used);
    EXPECT(feed(" p1\n") == PAJESIM_OK && pajesim_count(&sim)->states == 1);
    EXPECT(pajesim_line_number(&sim) == lines_before() + 5);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
    free(image);
}

static int is_refusal(pajesim_status status)
{
    return status == PAJESIM_INCOMPATIBLE || status == PAJESIM_DAMAGED;
}

static void damaged_images_are_refused(void)
{
    unsigned char *image, *longer;
    size_t size = make_image(&image), i;
    pajesim_status status = PAJESIM_INCOMPATIBLE;
    for (i = 0; i < size && is_refusal(status); i++) {
        static const unsigned char masks[] = {1, 0x80, 0xff};
        unsigned char mask = masks[i % 3];
        image[i] ^= mask;
        status = pajesim_restore(&sim, other_arena, sizeof other_arena, image, size, NULL, NULL);
        image[i] ^= mask;
    }
    EXPECT(is_refusal(status));
    for (i = 0; i < size && is_refusal(status); i += 1 + i / 16) {
        unsigned char *cut = malloc(i ? i : 1);
        if (!cut)
            exit(2);
        memcpy(cut, image, i);
        status = pajesim_restore(&sim, other_arena, sizeof other_arena, cut, i, NULL, NULL);
        free(cut);
    }
    EXPECT(is_refusal(status));
    longer = malloc(size + 1);
    if (!longer)
        exit(2);
    memcpy(longer, image, size);
    longer[size] = 0;
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, longer, size + 1, NULL, NULL) == PAJESIM_DAMAGED);
    memset(longer, 0, size);
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, longer, size, NULL, NULL) == PAJESIM_INCOMPATIBLE);
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, image, size, NULL, NULL) == PAJESIM_OK);
    free(longer);
    free(image);
}

/* ---- arguments ---- */

static void misuse(void)
{
    unsigned char *crooked = (unsigned char *)arena + 1;
    static const pajesim_options checked[] = {{.strict = 1}, {.parse_only = 1}};
    size_t taken = 99, i;
    char image[8];
    for (i = 0; i < 2; i++) /* members that were left out cannot be used */
        EXPECT(pajesim_init(&sim, arena, sizeof arena, &checked[i], NULL, NULL) ==
               (PAJESIM_CHECKS ? PAJESIM_OK : PAJESIM_MISUSE));
    EXPECT(pajesim_init(NULL, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_init(&sim, NULL, sizeof arena, NULL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_init(&sim, crooked, sizeof arena - 8, NULL, NULL, NULL) == PAJESIM_MISUSE);
    begin(NULL, NULL);
    EXPECT(pajesim_feed(NULL, "x", 1, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_feed(&sim, NULL, 1, &taken) == PAJESIM_MISUSE && taken == 0);
    EXPECT(pajesim_feed(&sim, NULL, 0, &taken) == PAJESIM_OK && taken == 0);
    EXPECT(pajesim_feed(&sim, "x", 0, NULL) == PAJESIM_OK);
    EXPECT(pajesim_end_file(NULL) == PAJESIM_MISUSE && pajesim_end_file(&sim) == PAJESIM_MISUSE);
    EXPECT(pajesim_finish(NULL) == PAJESIM_MISUSE && pajesim_finish_at(NULL, 1) == PAJESIM_MISUSE);
    EXPECT(pajesim_move(NULL, arena, sizeof arena) == PAJESIM_MISUSE);
    EXPECT(pajesim_move(&sim, NULL, sizeof arena) == PAJESIM_MISUSE);
    EXPECT(pajesim_move(&sim, (unsigned char *)other_arena + 4, sizeof arena - 8) == PAJESIM_MISUSE);
    EXPECT(pajesim_save(NULL, image, sizeof image) == PAJESIM_MISUSE);
    EXPECT(pajesim_save(&sim, NULL, 100000) == PAJESIM_MISUSE);
    EXPECT(pajesim_restore(NULL, other_arena, sizeof other_arena, image, 8, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_restore(&sim, NULL, 8, image, 8, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, NULL, 8, NULL, NULL) == PAJESIM_MISUSE);
}

/* There is no global state: two simulations of the same lines, fed alternately, behave the same. */
static void two_at_once(void)
{
    static const char lines[] = "7 1 S p1 R m\n7 2 S p2 \"another value\" m\n8 3 S p1\n";
    pajesim second;
    size_t i;
    begin(NULL, NULL);
    EXPECT(pajesim_init(&second, other_arena, sizeof other_arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&second, header, sizeof header - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&second, scene, sizeof scene - 1, NULL) == PAJESIM_OK);
    for (i = 0; i < sizeof lines - 1; i++) {
        EXPECT(pajesim_feed(&sim, lines + i, 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_feed(&second, lines + i, 1, NULL) == PAJESIM_OK);
    }
    EXPECT(pajesim_used(&sim) == pajesim_used(&second));
    EXPECT(!memcmp(pajesim_count(&sim), pajesim_count(&second), sizeof(pajesim_counts)));
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && pajesim_finish(&second) == PAJESIM_OK);
}

int main(void)
{
    test("words survive move and restore", words_survive_move_and_restore);
    test("pajesim_arena_min is exact", arena_min_is_exact);
    test("what lies beyond the use is untouched", what_lies_beyond_the_use_is_untouched);
    test("move to smaller and larger", move_to_smaller_and_larger);
    test("an image of the middle of a line", image_of_the_middle_of_a_line);
    test("damaged images are refused", damaged_images_are_refused);
    test("misuse", misuse);
    test("two simulations at once", two_at_once);
    return failed;
}
