/* What peers get that are attached, and which are refused, for offer.c. */
#ifndef TESTS_OFFER_ATTACH_H
#define TESTS_OFFER_ATTACH_H

/* A call that was refused before its peer died does not keep another peer from coming. */
static void attached_after_refusal(void)
{
    pajewrite_config config = offer_config(1);
    int i;
    config.definitions_size = 2400;
    peer.patience = 0;
    peer.die_at = 4000;
    out.size = 0;
    pajewrite_init(&w, buffer, 6000, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", "no colour");
    for (i = 0; i < 1000; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL); /* when no peer is there */
    peer.die_at = 0;
    out.size = 0;
    if (pajewrite_attach(&w, &out) != PAJEWRITE_E_COLOR || pajewrite_count(&w).refused != 1)
        fail("attached: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 7);
    pajewrite_finish(&w);
    if (records_of(out.bytes, out.size) < 17)
        fail("%zu records", records_of(out.bytes, out.size));
    replay(out.bytes, out.size, 0, 0);
    config.definitions_size = 3000;
    pajewrite_init(&w, buffer, 4500, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    peer.patience = UINT32_MAX; /* too slow for all that it has to know */
    if (pajewrite_attach(&w, &out) != PAJEWRITE_E_SNAPSHOT)
        fail("a slow peer: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    if (!strstr(pajewrite_status_text(PAJEWRITE_E_SNAPSHOT), "peer"))
        fail("a slow peer is not named: %s", pajewrite_status_text(PAJEWRITE_E_SNAPSHOT));
    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 7);
    peer.patience = 0;
    out.size = 0;
    if (pajewrite_attach(&w, &out) != PAJEWRITE_OK)
        fail("attached after a slow peer: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    if (pajewrite_finish(&w) != PAJEWRITE_OK || records_of(out.bytes, out.size) < 17)
        fail("%zu records after a slow peer", records_of(out.bytes, out.size));
    replay(out.bytes, out.size, 0, 0);
    end_case("attach: after a refused call, after a peer that was too slow");
}

/* What is kept fills the buffer up to any byte: each new peer gets all of it. */
static void attached_to_full_buffer(void)
{
    char name[160];
    size_t size;
    memset(name, 'n', sizeof name);
    for (size = 600; size < 1000 && !fault[0]; size++) {
        pajewrite_config config = offer_config(1);
        uint32_t i;
        config.definitions_size = 4096;
        pajewrite_init(&w, buffer, config.definitions_size + size, &config);
        for (i = 0; i < 10; i++) {
            name[100 + i * 5] = 0;
            pajewrite_define_variable_type(&w, PAJEWRITE_TYPE(10 + i), PAJEWRITE_ROOT_TYPE, name, NULL);
            name[100 + i * 5] = 'n';
        }
        out.size = 0;
        if (pajewrite_attach(&w, &out) || pajewrite_finish(&w) || records_of(out.bytes, out.size) != 10)
            fail("buffer of %zu bytes: %s, %zu records", size, pajewrite_problem(&w), records_of(out.bytes, out.size));
    }
    end_case("attach: what is kept fills the buffer");
}

/* When not all is kept any more, no peer may come, but the one that is there gets all. */
static void kept_no_more(void)
{
    enum { SIZE = 1 << 21, KEPT = 1 << 20, ENTRIES = 1 << 16 };
    char *const large = (char *)malloc(SIZE);
    pajewrite_config config = offer_config(1);
    uint32_t i;
    config.definitions_size = KEPT;
    config.table_entries = ENTRIES;
    config.table = (pajewrite_entry *)malloc(ENTRIES * sizeof *config.table);
    out.size = 0;
    pajewrite_init(&w, large, SIZE, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "group");
    for (i = 1; i <= 40000; i++)
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(i), GROUP, PAJEWRITE_ROOT, NULL);
    if (pajewrite_attach(&w, &out) != PAJEWRITE_E_DEFINITIONS)
        fail("another peer: %s", pajewrite_problem(&w));
    if (pajewrite_finish(&w) != PAJEWRITE_E_DEFINITIONS || pajewrite_count(&w).dropped)
        fail("status: %s, %" PRIu64 " dropped", pajewrite_problem(&w), pajewrite_count(&w).dropped);
    replay(out.bytes, out.size, 0, 0);
    free(config.table);
    free(large);
    end_case("attach: more containers than are kept");
}

/* Why another peer may not come: nothing was kept for it, not all was, or the trace has ended. */
static void refused_peers(void)
{
    pajewrite_config config = offer_config(1);
    char name[PAJEWRITE_BUFFER_MIN] = "";
    int dies, i;
    memset(name, 'n', sizeof name - 1);
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    if (pajewrite_attach(&w, &out) != PAJEWRITE_E_MISUSE)
        fail("nothing is kept: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    config.definitions_size = PAJEWRITE_BUFFER_MIN;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, name, NULL);
    if (pajewrite_attach(&w, &out) != PAJEWRITE_E_DEFINITIONS)
        fail("not all is kept: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    config.definitions_size = 3000;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    for (i = 0; i < 20; i++)
        pajewrite_define_variant(&w, PAJEWRITE_SET_STATE, "Field int");
    if (pajewrite_attach(&w, &out) != PAJEWRITE_E_DEFINITIONS)
        fail("not all variants are kept: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    for (dies = 0; dies < 2; dies++) {
        pajewrite_status wanted = dies ? PAJEWRITE_E_SINK : PAJEWRITE_E_CLOSED;
        memset(&peer, 0, sizeof peer);
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
        pajewrite_flush(&w);
        peer.die_at = dies ? 1 : 0;
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
        pajewrite_finish(&w);
        if (pajewrite_attach(&w, &out) != wanted || pajewrite_count(&w).refused != 1)
            fail("after the end: %s, %" PRIu64 " refused", pajewrite_status_text(pajewrite_get_status(&w)),
                 pajewrite_count(&w).refused);
        out.size = 0;
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 2);
        pajewrite_flush(&w);
        if (out.size)
            fail("after the end %zu bytes are offered", out.size);
    }
    end_case("attach: refused");
}

#endif
