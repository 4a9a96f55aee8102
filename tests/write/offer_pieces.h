/* Peers that take lines in pieces, for offer.c. */
#ifndef TESTS_OFFER_PIECES_H
#define TESTS_OFFER_PIECES_H

/* A peer that takes some bytes of the header and dies: the definitions of events that it took are those counted. */
static void header_in_pieces(void)
{
    size_t most;
    for (most = 1; most < 1500; most += 1 + most / 8) {
        pajewrite_config config = offer_config(0);
        peer.most = most;
        peer.die_at = 1;
        out.size = 0;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_header(&w);
        pajewrite_flush(&w);
        end_slow(most, PAJEWRITE_E_SINK);
    }
    end_case("offer: a header in pieces");
}

/* A peer that takes each event in pieces of some size, and dies: the whole lines that it took are those counted. */
static void events_in_pieces(void)
{
    size_t most, die_at;
    for (most = 1; most < 80 && !fault[0]; most++)
        for (die_at = 1; die_at < 250; die_at += most < 10 ? most : 7) {
            const pajewrite_config config = offer_config(0);
            pajewrite_counts counts;
            uint64_t defined, lines = 0;
            size_t i;
            out.size = 0;
            pajewrite_init(&w, buffer, sizeof buffer, &config);
            pajewrite_header(&w);
            pajewrite_flush(&w);
            defined = pajewrite_count(&w).written;
            peer.most = most;
            peer.die_at = out.size + die_at;
            for (i = 0; i < 30; i++) {
                pajewrite_set_variable(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), (int64_t)(i * i * i));
                pajewrite_flush(&w);
            }
            while (!pajewrite_flush(&w))
                ;
            counts = pajewrite_count(&w);
            for (i = peer.die_at - die_at; i < out.size; i++)
                lines += out.bytes[i] == '\n';
            if (counts.written != defined + lines || counts.written + counts.dropped != defined + 30)
                fail("pieces of %zu, %zu bytes: %" PRIu64 " lines taken, %" PRIu64 " counted, %" PRIu64 " dropped",
                     most, die_at, lines, counts.written - defined, counts.dropped);
        }
    end_case("offer: events in pieces");
}

/* What a gap has left without an end does not fit the buffer: all of it is written as the peer takes more, and no
 * event after that is dropped. */
static void long_repair(void)
{
    pajewrite_config config = offer_config(1);
    uint64_t dropped, key;
    int i;
    out.size = 0;
    pajewrite_init(&w, buffer, 4096, &config);
    pajewrite_header(&w);
    pajewrite_flush(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "group");
    pajewrite_define_link_type(&w, PAJEWRITE_TYPE(77), PAJEWRITE_ROOT_TYPE, GROUP, GROUP, "link");
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "group");
    for (key = 0; key < 400; key++) {
        pajewrite_start_link(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(77), PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), key);
        pajewrite_flush(&w);
    }
    peer.patience = UINT32_MAX;
    seed = 1;
    for (key = 0; key < 400; key++)
        pajewrite_end_link(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(77), PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), key);
    dropped = pajewrite_count(&w).dropped;
    peer.patience = 0;
    for (i = 0; i < 20; i++)
        pajewrite_flush(&w);
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(2), GROUP, PAJEWRITE_ROOT, "later");
    if (dropped < 200 || pajewrite_count(&w).dropped != dropped)
        fail("%" PRIu64 " dropped, then %" PRIu64, dropped, pajewrite_count(&w).dropped);
    end_slow(0, PAJEWRITE_OK);
    replay(out.bytes, out.size, 0, 0);
    end_case("offer: a repair that is larger than the buffer");
}

/* A slow peer takes a little at a time of a large buffer, and the trace tells all that was dropped. */
static void large_buffer(void)
{
    const size_t size = (size_t)1 << 24;
    char *const large = (char *)malloc(size);
    pajewrite_config config = offer_config(1);
    uint64_t i;
    int offers;
    out.size = 0;
    pajewrite_init(&w, large, size, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    for (i = 0; !peer.offers; i++)
        pajewrite_set_variable_at(&w, config.origin + i, PAJEWRITE_ROOT, GAUGE, (int64_t)i);
    if (out.size < size - 200)
        fail("a buffer that is full has %zu bytes", out.size);
    peer.most = 4000;
    for (offers = peer.offers; peer.offers - offers < 1000; i++)
        pajewrite_set_variable_at(&w, config.origin + i, PAJEWRITE_ROOT, GAUGE, (int64_t)i);
    for (offers = peer.offers; peer.offers - offers < 1000;)
        pajewrite_flush(&w);
    peer.most = 0;
    pajewrite_flush(&w);
    pajewrite_flush(&w);
    if (!told_drops() || told_drops() != pajewrite_count(&w).dropped)
        fail("%" PRIu64 " dropped, %" PRIu64 " told", pajewrite_count(&w).dropped, told_drops());
    end_slow(0, PAJEWRITE_OK);
    free(large);
    end_case("offer: a large buffer");
}

#endif
