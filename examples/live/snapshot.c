/* Snapshots: threads, what they are in, and their states. */
#include "reply.h"

#include <string.h>

/* Whether two threads are in the same entity of a level and of all outside of it. */
static int is_same(const measure_place *a, const measure_place *b, int level)
{
    for (; level >= 0; level--)
        if ((a->id[level] != NULL) != (b->id[level] != NULL) ||
            (a->id[level] && strcmp(a->id[level], b->id[level]) != 0))
            return 0;
    return 1;
}

static void put_level(const reply *it, int level, uint32_t like, int are_named, uint32_t stack, markup *to);

/* Writes the entity of a level that a thread is in, with all that is in it. */
static void put_entity(const reply *it, int level, uint32_t number, int are_named, uint32_t stack, markup *to)
{
    const measure_place *place = &it->measure.place[number];
    markup_print(to, "<%s", request_levels[level]);
    markup_attribute(to, "id", place->id[level]);
    if (are_named)
        markup_attribute(to, "name", place->name[level]);
    if (level == LEVEL_THREAD && place->is_master)
        markup_attribute(to, "master", "true");
    markup_put(to, ">");
    if (level < LEVEL_THREAD)
        put_level(it, level + 1, number, are_named, stack, to);
    for (uint32_t depth = 0; level == LEVEL_THREAD && depth < stack; depth++) {
        const char *frame = it->frame(it->data, number, depth);
        if (!frame)
            break;
        markup_put(to, "<stack>");
        markup_text(to, (document_text){frame, strlen(frame)});
        markup_put(to, "</stack>");
    }
    markup_print(to, "</%s>", request_levels[level]);
}

/* Writes what is directly in the entity that `like` is in, or outermost: entities of level `from`, and of those further
 * inside that are in none between. */
static void put_level(const reply *it, int from, uint32_t like, int are_named, uint32_t stack, markup *to)
{
    const uint32_t places = __atomic_load_n(&it->measure.places, __ATOMIC_ACQUIRE);
    for (int level = from; level < LEVELS; level++)
        for (uint32_t i = 0; i < places; i++) {
            const measure_place *place = &it->measure.place[i];
            int is_left_out = place->is_over || !place->id[level] ||
                              (like < places && !is_same(place, &it->measure.place[like], from - 1));
            for (int between = from; between < level; between++)
                is_left_out |= place->id[between] != NULL;
            for (uint32_t k = 0; k < i && !is_left_out; k++)
                is_left_out = !it->measure.place[k].is_over && is_same(&it->measure.place[k], place, level);
            if (!is_left_out)
                put_entity(it, level, i, are_named, stack, to);
        }
}

void reply_snapshot(const reply *it, int are_named, uint32_t stack, markup *to)
{
    markup_put(to, "<snapshot>");
    put_level(it, 0, __atomic_load_n(&it->measure.places, __ATOMIC_ACQUIRE), are_named, stack, to);
    markup_put(to, "</snapshot>\n");
}
