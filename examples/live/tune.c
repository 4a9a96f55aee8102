/* Changes: from a request, through the mail, to the live_point that makes them, and back to who asked. */
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the program's side ---- */

static void tell_trace(live *l, const mail *it, uint64_t time)
{
    pajewrite_fields fields;
    pajewrite_event event = {0};
    if (!l->config.writer || !l->variant.number)
        return;
    fields = pajewrite_fields_of(l->variant);
    pajewrite_field_string(&fields, it->id);
    pajewrite_field_string(&fields, it->name);
    pajewrite_field_int(&fields, it->old);
    pajewrite_field_int(&fields, it->value);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.container = l->thread[0] ? l->thread[0]->container : PAJEWRITE_ROOT;
    event.type = l->config.tuned;
    event.time = time;
    event.name = "tuned";
    pajewrite_write(l->config.writer, &event, &fields);
}

/* The trace goes to another client from now on. */
static void attach(live *l, void *peer)
{
    channel_end_peer(l->agent->peer);
    free(l->agent->peer);
    l->agent->peer = peer;
    pajewrite_attach(l->config.writer, peer);
}

static void apply(live *l, mail *it, const char *at)
{
    live_agent *agent = l->agent;
    const live_choice *choices;
    switch (it->kind) {
    case MAIL_SET:
        it->old = *l->knob[it->index].word;
        __atomic_store_n(l->knob[it->index].word, it->value, __ATOMIC_RELAXED); /* the agent may read it */
        break;
    case MAIL_REPLACE:
        choices = l->slot[it->index].choices;
        while (it->old < (int64_t)l->slot[it->index].count && choices[it->old].function != *l->slot[it->index].place)
            it->old++;
        *l->slot[it->index].place = choices[it->value].function;
        break;
    case MAIL_CALL:
        l->call[it->index].function();
        break;
    case MAIL_INSERT:
        if (agent->inserted_count < LIVE_INSERTED) {
            agent->inserted[agent->inserted_count].call = it->index;
            snprintf(agent->inserted[agent->inserted_count++].at, REQUEST_NAME, "%s", it->at_text);
        } else {
            it->is_refused = 1;
        }
        break;
    case MAIL_REMOVE:
        for (uint32_t i = 0; i < agent->inserted_count; i++)
            if (agent->inserted[i].call == it->index && strcmp(agent->inserted[i].at, it->at_text) == 0) {
                agent->inserted[i--] = agent->inserted[--agent->inserted_count];
                it->old++;
            }
        break;
    case MAIL_CATEGORIES:
        pajewrite_enable_everywhere((uint32_t)it->value);
        pajewrite_disable_everywhere((uint32_t)it->old);
        break;
    case MAIL_ATTACH:
        attach(l, it->peer);
        break;
    }
    (void)at;
}

void live_point_pending(live *l, const char *at)
{
    live_agent *agent = l->agent;
    if (!agent)
        return;
    (void)__atomic_fetch_add(&agent->scans, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        mail *next = NULL;
        uint32_t posted = MAIL_POSTED, fewer;
        for (uint32_t i = 0; i < AGENT_MAIL; i++) {
            mail *it = &agent->mail[i];
            if (__atomic_load_n(&it->state, __ATOMIC_ACQUIRE) == MAIL_POSTED && (!*it->at || strcmp(it->at, at) == 0) &&
                (!next || it->ticket < next->ticket))
                next = it;
        }
        if (!next)
            break;
        if (!__atomic_compare_exchange_n(&next->state, &posted, MAIL_TAKEN, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue; /* it has expired just now */
        apply(l, next, at);
        next->time = l->config.clock(l->config.clock_data);
        if (next->kind != MAIL_ATTACH && !next->is_refused)
            tell_trace(l, next, next->time);
        fewer = (next->kind == MAIL_INSERT && !next->is_refused) || next->kind == MAIL_ATTACH ? 0 : 1;
        fewer += next->kind == MAIL_REMOVE ? (uint32_t)next->old : 0;
        __atomic_store_n(&next->state, MAIL_DONE, __ATOMIC_RELEASE); /* another change may be there at once */
        (void)__atomic_fetch_sub(&l->pending, fewer, __ATOMIC_RELAXED);
    }
    (void)__atomic_fetch_add(&agent->scans, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < agent->inserted_count; i++)
        if (strcmp(agent->inserted[i].at, at) == 0)
            l->call[agent->inserted[i].call].function();
    if (agent->peer)
        pajewrite_flush(l->config.writer);
}

/* ---- the agent's side ---- */

static void put_tuned(markup *to, const char *id, const char *name, const char *status)
{
    markup_put(to, "<tuned");
    markup_attribute(to, "id", id);
    markup_attribute(to, "name", name);
    markup_attribute(to, "status", status);
}

static void refuse(markup *to, const mail *it, const char *why)
{
    put_tuned(to, it->id, it->name, "refused");
    markup_attribute(to, "reason", why);
    markup_put(to, "/>\n");
}

/* Takes a change back, unless live_point has it by now.  Its place is used again after the scan that may be looking at
 * it. */
static int take_back(live_agent *agent, uint32_t i)
{
    uint32_t posted = MAIL_POSTED;
    if (!__atomic_compare_exchange_n(&agent->mail[i].state, &posted, MAIL_TAKEN, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return 0;
    agent->freed_in[i] = __atomic_load_n(&agent->scans, __ATOMIC_SEQ_CST);
    (void)__atomic_fetch_sub(&agent->owner->pending, 1, __ATOMIC_RELAXED);
    return 1;
}

static int is_free(const live_agent *agent, uint32_t i)
{
    return __atomic_load_n(&agent->mail[i].state, __ATOMIC_ACQUIRE) == MAIL_FREE &&
           (agent->freed_in[i] % 2 == 0 || agent->freed_in[i] != __atomic_load_n(&agent->scans, __ATOMIC_SEQ_CST));
}

/* Posts a change.  Returns 0 if the mail is full. */
static int post(live_agent *agent, const mail *it)
{
    uint32_t i = 0;
    mail *place;
    while (i < AGENT_MAIL && !is_free(agent, i))
        i++;
    if (i == AGENT_MAIL)
        return 0;
    place = &agent->mail[i];
    memcpy((char *)place + offsetof(mail, kind), (const char *)it + offsetof(mail, kind), /* all but the state */
           sizeof *place - offsetof(mail, kind));
    place->at = it->at == it->at_text ? place->at_text : it->at;
    place->ticket = ++agent->tickets;
    (void)__atomic_fetch_add(&agent->owner->pending, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&place->state, MAIL_POSTED, __ATOMIC_RELEASE);
    return 1;
}

/* Takes back the changes of a knob or slot that wait: a later one has the last word. */
static void supersede(live_agent *agent, const mail *by, markup *to)
{
    for (uint32_t i = 0; i < AGENT_MAIL; i++) {
        mail *it = &agent->mail[i];
        if (it->kind == by->kind && it->index == by->index && (it->kind == MAIL_SET || it->kind == MAIL_REPLACE) &&
            __atomic_load_n(&it->state, __ATOMIC_RELAXED) == MAIL_POSTED && take_back(agent, i)) {
            if (it->client == by->client) {
                put_tuned(to, it->id, it->name, "superseded");
                markup_put(to, "/>\n");
            } else if (!it->is_quiet) {
                char bytes[1024];
                markup text = {bytes, 0, sizeof bytes, 0};
                put_tuned(&text, it->id, it->name, "superseded");
                markup_put(&text, "/>\n");
                (void)channel_send(agent, it->client, text.bytes, text.size);
            }
            __atomic_store_n(&it->state, MAIL_FREE, __ATOMIC_RELEASE);
        }
    }
}

static uint32_t find_call(const live *l, document_text name)
{
    uint32_t i = 0;
    while (i < l->calls && !document_is(name, l->call[i].name))
        i++;
    return i;
}

/* Reads a change from its element.  Returns why it is refused; NULL: it is not. */
static const char *read_change(const live *l, const document *from, uint32_t element, mail *it)
{
    const document_text kind = from->element[element].name, name = document_value(from, element, "name");
    document_text text = name;
    char both[2 * REQUEST_NAME];
    uint64_t beyond;
    if (document_is(kind, "load"))
        return "never: the program has named no folder of libraries";
    if (document_is(kind, "categories")) {
        const document_text on = document_value(from, element, "on"), off = document_value(from, element, "off");
        it->kind = MAIL_CATEGORIES;
        it->value = on.bytes ? request_integer(on) : 0;
        it->old = off.bytes ? request_integer(off) : 0;
        return NULL;
    }
    if (document_is(kind, "call") || document_is(kind, "insert") || document_is(kind, "remove")) {
        it->kind = document_is(kind, "call") ? MAIL_CALL : document_is(kind, "insert") ? MAIL_INSERT : MAIL_REMOVE;
        if (it->kind != MAIL_CALL) {
            request_copy(it->at_text, sizeof it->at_text, name);
            it->at = it->at_text;
            text = document_value(from, element, "call");
        }
        it->index = find_call(l, text);
        return it->index < l->calls ? NULL : "unknown";
    }
    if (document_is(kind, "replace")) {
        const document_text with = document_value(from, element, "with");
        it->kind = MAIL_REPLACE;
        for (it->index = 0; it->index < l->slots && !document_is(name, l->slot[it->index].name); it->index++)
            ;
        if (it->index == l->slots)
            return "unknown";
        for (it->value = 0; it->value < (int64_t)l->slot[it->index].count; it->value++)
            if (document_is(with, l->slot[it->index].choices[it->value].name))
                break;
        if (!*it->at)
            it->at = l->slot[it->index].at;
        return it->value < (int64_t)l->slot[it->index].count ? NULL : "range";
    }
    it->kind = MAIL_SET;
    request_copy(both, sizeof both, name);
    if (document_is(kind, "param")) { /* a parameter of a function is the knob FUNCTION:INDEX */
        char index[REQUEST_NAME];
        request_copy(index, sizeof index, document_value(from, element, "index"));
        snprintf(both + strlen(both), sizeof both - strlen(both), ":%s", index);
    }
    for (it->index = 0; it->index < l->knobs && strcmp(both, l->knob[it->index].name) != 0; it->index++)
        ;
    if (it->index == l->knobs)
        return "unknown";
    it->value = request_integer(document_value(from, element, "value"));
    if (it->value < l->knob[it->index].low || it->value > l->knob[it->index].high)
        return "range";
    beyond = ((uint64_t)it->value - (uint64_t)l->knob[it->index].low) % (uint64_t)l->knob[it->index].step;
    it->is_clamped = beyond != 0;
    it->value -= (int64_t)beyond;
    if (!*it->at)
        it->at = l->knob[it->index].at;
    else if (*l->knob[it->index].at && strcmp(it->at, l->knob[it->index].at) != 0)
        return "never: it changes at another place";
    return NULL;
}

void tune_request(void *data, document *from, uint32_t client, markup *to)
{
    live *l = data;
    live_agent *agent = l->agent;
    const document_text expires = document_value(from, 1, "expires");
    const document_text at = document_value(from, 1, document_value(from, 1, "at").bytes ? "at" : "place");
    if (!from->element[1].first)
        markup_error(to, "<tunereq> needs something to change");
    for (uint32_t i = from->element[1].first; i; i = from->element[i].next) {
        mail it;
        const char *why;
        memset(&it, 0, sizeof it);
        it.client = client;
        request_copy(it.id, sizeof it.id, document_value(from, 1, "id"));
        request_copy(it.name, sizeof it.name, document_value(from, i, "name"));
        request_copy(it.at_text, sizeof it.at_text, at);
        it.at = it.at_text;
        it.expires = expires.bytes ? live_now(l) + (uint64_t)request_integer(expires) * 1000000 : 0;
        why = read_change(l, from, i, &it);
        if (!why)
            supersede(agent, &it, to);
        if (!why && !post(agent, &it))
            why = "not now";
        if (why)
            refuse(to, &it, why);
        else if (it.kind == MAIL_SET)
            l->knob[it.index].changed_by = client;
    }
}

/* ---- streams of threads ---- */

static void await(live_agent *agent, int is_awaited)
{
    live *l = agent->owner;
    for (uint32_t i = 0; i < __atomic_load_n(&l->regions, __ATOMIC_ACQUIRE); i++)
        if (is_awaited)
            (void)__atomic_or_fetch(&l->region[i].on, LIVE_AWAITED, __ATOMIC_RELAXED);
        else
            (void)__atomic_and_fetch(&l->region[i].on, ~(uint32_t)LIVE_AWAITED, __ATOMIC_RELAXED);
    agent->is_awaiting = is_awaited ? AGENT_PATIENCE : 0;
}

void tune_end_await(live_agent *agent)
{
    if (!agent->is_awaiting)
        return;
    for (uint32_t i = 0; i < MEASURE_PLACES && agent->is_awaiting > 1; i++) {
        const live_thread *thread = agent->of_place[i];
        if (thread && __atomic_load_n(&thread->next_peer, __ATOMIC_RELAXED) &&
            !__atomic_load_n(&agent->feed->measure.place[i].is_over, __ATOMIC_RELAXED)) {
            agent->is_awaiting--;
            return;
        }
    }
    await(agent, 0);
}

/* Gives the stream of a thread to a client, from the next region on that the thread enters. */
static void trace_thread(live *l, document_text id, uint32_t client, markup *to)
{
    live_thread *thread = NULL;
    pajewrite_peer *peer, *before;
    for (uint32_t i = 0; i < MEASURE_PLACES && !thread; i++)
        if (l->agent->of_place[i] && l->agent->of_place[i]->has_stream &&
            !__atomic_load_n(&l->agent->feed->measure.place[i].is_over, __ATOMIC_RELAXED) &&
            document_is(id, l->agent->of_place[i]->id))
            thread = l->agent->of_place[i];
    if (!thread) {
        char problem[160];
        snprintf(problem, sizeof problem, "<tracereq>: no thread %.*s has a trace of its own that can be sent",
                 id.size < 40 ? (int)id.size : 40, id.bytes);
        markup_error(to, problem);
        return;
    }
    peer = malloc(sizeof *peer);
    if (!peer || pajewrite_peer_init(peer, channel_take(l->agent, client)) != PAJEWRITE_OK) {
        channel_end_peer(peer);
        free(peer);
        markup_error(to, "<tracereq>: not now");
        return;
    }
    before = __atomic_exchange_n(&thread->next_peer, peer, __ATOMIC_ACQ_REL);
    channel_end_peer(before); /* another client came just now, and is not sent anything any more */
    free(before);
    await(l->agent, 1);
}

void tune_trace(void *data, document *from, uint32_t client, markup *to)
{
    live *l = data;
    mail it;
    pajewrite_peer *peer;
    const document_text thread = document_value(from, 1, "thread");
    if (thread.bytes && !(l->config.writer && l->thread[0] && l->thread[0]->writer == l->config.writer &&
                          document_is(thread, l->thread[0]->id))) {
        trace_thread(l, thread, client, to);
        return;
    }
    memset(&it, 0, sizeof it);
    it.kind = MAIL_ATTACH;
    it.at = "";
    it.is_quiet = 1;
    if (!l->config.writer || l->config.writer->config.offer != live_offer) {
        markup_error(to, "<tracereq>: the program writes no trace that can be sent");
        return;
    }
    peer = malloc(sizeof *peer);
    if (peer) {
        const int file = channel_take(l->agent, client);
        it.peer = peer;
        if (pajewrite_peer_init(peer, file) == PAJEWRITE_OK && post(l->agent, &it))
            return;
        channel_end_peer(peer); /* no client has it any more, whom it would be closed with */
        free(peer);
    }
    markup_error(to, "<tracereq>: not now");
}

void tune_catalog(void *data, markup *to)
{
    const live *l = data;
    for (uint32_t i = 0; i < l->knobs; i++) {
        const live_knob_info *knob = &l->knob[i];
        markup_put(to, "<knob");
        markup_attribute(to, "name", knob->name);
        markup_print(to, " value=\"%lld\" low=\"%lld\" high=\"%lld\" step=\"%lld\"",
                     (long long)__atomic_load_n(knob->word, __ATOMIC_RELAXED), (long long)knob->low,
                     (long long)knob->high, (long long)knob->step);
        markup_attribute(to, "at", *knob->at ? knob->at : NULL);
        markup_put(to, knob->reverts ? " reverts=\"true\"/>" : "/>");
    }
    for (uint32_t i = 0; i < l->slots; i++) {
        markup_put(to, "<slot");
        markup_attribute(to, "name", l->slot[i].name);
        markup_put(to, ">");
        for (size_t k = 0; k < l->slot[i].count; k++) {
            markup_put(to, "<choice");
            markup_attribute(to, "name", l->slot[i].choices[k].name);
            markup_put(to, "/>");
        }
        markup_put(to, "</slot>");
    }
    for (uint32_t i = 0; i < l->calls; i++) {
        markup_put(to, "<call");
        markup_attribute(to, "name", l->call[i].name);
        markup_put(to, "/>");
    }
}

int tune_is_pending(const live_agent *agent)
{
    for (uint32_t i = 0; i < AGENT_MAIL; i++) {
        const uint32_t state = __atomic_load_n(&agent->mail[i].state, __ATOMIC_ACQUIRE);
        if (state == MAIL_DONE || (state != MAIL_FREE && !agent->mail[i].is_quiet)) /* quiet: nothing waits for it */
            return 1;
    }
    return 0;
}

void tune_report(live_agent *agent, uint64_t now)
{
    for (uint32_t i = 0; i < AGENT_MAIL; i++) {
        mail *it = &agent->mail[i];
        const uint32_t state = __atomic_load_n(&it->state, __ATOMIC_ACQUIRE);
        char bytes[1024]; /* also if each byte of both names is an entity */
        markup text = {bytes, 0, sizeof bytes, 0};
        if (state == MAIL_POSTED && it->expires && it->expires <= now && take_back(agent, i)) {
            put_tuned(&text, it->id, it->name, "expired");
        } else if (state == MAIL_DONE) {
            put_tuned(&text, it->id, it->name,
                      it->is_refused ? "refused" : it->is_clamped ? "clamped" : "applied");
            markup_attribute(&text, "reason", it->is_refused ? "not now" : NULL);
            if (it->kind == MAIL_SET)
                markup_print(&text, " old=\"%lld\" new=\"%lld\"", (long long)it->old, (long long)it->value);
            markup_put(&text, " time=\"");
            markup_fixed(&text, (int64_t)(it->time - agent->owner->config.origin), 9);
            markup_put(&text, "\"");
        } else {
            continue;
        }
        markup_put(&text, "/>\n");
        if (!it->is_quiet)
            (void)channel_send(agent, it->client, text.bytes, text.size);
        __atomic_store_n(&it->state, MAIL_FREE, __ATOMIC_RELEASE);
    }
}

void tune_forget(live_agent *agent, uint32_t client)
{
    live *l = agent->owner;
    for (uint32_t i = 0; i < l->knobs; i++)
        if (l->knob[i].reverts && l->knob[i].changed_by == client) {
            mail it;
            char ignored[REQUEST_NAME * 8];
            markup text = {ignored, 0, sizeof ignored, 0};
            memset(&it, 0, sizeof it);
            it.kind = MAIL_SET;
            it.index = i;
            it.value = l->knob[i].first;
            it.at = l->knob[i].at;
            it.is_quiet = 1;
            it.client = client;
            snprintf(it.id, sizeof it.id, "revert");
            snprintf(it.name, sizeof it.name, "%s", l->knob[i].name);
            supersede(agent, &it, &text);
            (void)post(agent, &it);
            l->knob[i].changed_by = 0;
        }
}
