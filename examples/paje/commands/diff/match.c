/* Which containers of the two traces are the same. */
#include "diff.h"

void diff_match(void)
{
    typedef struct path {
        size_t first;     /* container */
        size_t counts[2]; /* of containers of that path, in each trace */
    } path;
    hash_map numbers = {0}, row_numbers = {0};
    array_of(path) paths = {0};
    diff_rows_array joined = {0};
    for (size_t i = 0; i < diff_containers.count; i++) {
        pajesim_text name = diff_path(i);
        size_t known = numbers.used, number = map_add(&numbers, name.bytes, name.size);
        path *it = array_at(&paths, number);
        if (numbers.used > known)
            it->first = i;
        for (int k = 0; k < 2; k++)
            it->counts[k] += diff_containers.items[i].is_in[k];
    }
    for (size_t i = 0; i < diff_containers.count; i++) {
        pajesim_text name = diff_path(i);
        diff_container *container = &diff_containers.items[i];
        const path *it = &paths.items[map_find(&numbers, name.bytes, name.size)];
        container->is_named_by_alias = it->counts[0] > 1 || it->counts[1] > 1;
        container->matched = container->is_named_by_alias ? i : it->first;
        for (int k = 0; k < 2; k++)
            diff_containers.items[container->matched].is_in[k] |= container->is_in[k];
    }
    for (size_t i = 0; i < diff_rows.count; i++) {
        const diff_row *row = &diff_rows.items[i];
        size_t container = diff_containers.items[row->container].matched;
        diff_row *to = diff_row_of(&joined, &row_numbers, container, row->class);
        for (int k = 0; k < 2; k++) {
            to->of[k].count += row->of[k].count;
            sum_add_sum(&to->of[k].time, &row->of[k].time);
        }
    }
    array_free(&diff_rows);
    diff_rows = joined;
    map_free(&numbers);
    map_free(&row_numbers);
    array_free(&paths);
}
