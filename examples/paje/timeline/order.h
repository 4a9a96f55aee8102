/* The order of containers: as they were created; but where the names of several of one type differ in numbers alone,
 * these come in the order of their numbers. */
#pragma once

#include "base/text.h"

typedef struct order_item {
    pajesim_text name;
    uint32_t type, index, place; /* place: in the order of creation, from 0 on */
} order_item;

/* Writes the indexes of the items in their order; reorders the items. */
void order_items(order_item *items, size_t count, uint32_t *indexes);
