/* Documents: what is read, in pieces of any size, and where what is refused is wrong. */
#include "live/document.h"
#include "../lib/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static document it;

/* Reads a document in pieces. */
static document_status read_pieces(const char *bytes, size_t size, size_t piece)
{
    size_t at = 0;
    it.status = DOCUMENT_BAD; /* nothing is kept */
    document_begin(&it);
    while (at < size && it.status == DOCUMENT_MORE)
        at += document_feed(&it, bytes + at, piece < size - at ? piece : size - at);
    return it.status;
}

/* The document is refused, with that text, whatever the pieces. */
static void refused(const char *text, const char *problem)
{
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        EXPECT(read_pieces(text, strlen(text), piece) == DOCUMENT_BAD);
        if (strcmp(it.problem, problem) != 0) {
            fail("%s: %s, not %s (pieces of %zu)", text, it.problem, problem, piece);
            return;
        }
    }
}

static void elements_and_attributes(void)
{
    static const char text[] =
        " <!-- of a - test -->\n<a x='1' y = \"&lt;&#65;&#x20ac;\"\n ><b/>text &amp; <c>deep</c >\n</a>";
    for (size_t piece = 1; piece < sizeof text; piece++) {
        EXPECT(read_pieces(text, sizeof text - 1, piece) == DOCUMENT_WHOLE);
        EXPECT(it.elements == 3 && document_is(it.element[1].name, "a") && it.element[1].attribute_count == 2);
        EXPECT(document_is(document_value(&it, 1, "x"), "1"));
        EXPECT(document_is(document_value(&it, 1, "y"), "<A\xe2\x82\xac"));
        EXPECT(!document_value(&it, 1, "z").bytes && !document_value(&it, 2, "x").bytes);
        EXPECT(it.element[1].first == 2 && it.element[2].next == 3 && it.element[3].next == 0);
        EXPECT(document_is(it.element[3].text, "deep") && document_is(it.element[1].text, "text & "));
        EXPECT(it.element[2].line == 3 && it.element[2].column == 3 && it.element[3].parent == 1);
    }
}

static void one_after_the_other(void)
{
    static const char text[] = "<a/><b>x</b>\n<c/>";
    EXPECT(read_pieces(text, sizeof text - 1, 100) == DOCUMENT_WHOLE && document_is(it.element[1].name, "a"));
    document_begin(&it);
    EXPECT(document_feed(&it, "", 0) == 0 && it.status == DOCUMENT_WHOLE && document_is(it.element[1].text, "x"));
    document_begin(&it);
    EXPECT(document_feed(&it, "", 0) == 0 && it.status == DOCUMENT_WHOLE && document_is(it.element[1].name, "c"));
    document_begin(&it);
    EXPECT(document_feed(&it, "", 0) == 0 && it.status == DOCUMENT_MORE);
}

static void malformed(void)
{
    refused("<a>\n <b></a>", "2:5: <b> of 2:2 is not closed");
    refused("<thread=\"*\">", "1:8: an attribute, > or /> is expected in <thread");
    refused("<a\n b=1>", "2:4: a value in quotes, without < and &, is expected in <a");
    refused("<a b>", "1:5: = is expected behind an attribute of <a");
    refused("<a b='1'c='2'/>", "1:9: an attribute, > or /> is expected in <a");
    refused("<a b='1' b='2'/>", "1:10: attribute b is given twice");
    refused("<a b='<'/>", "1:6: a value in quotes, without < and &, is expected in <a");
    refused("</a>", "1:1: an end tag of no element");
    refused("x<a/>", "1:1: text is not within an element");
    refused("<?xml version='1.0'?><a/>", "1:1: declarations, processing instructions and CDATA are not read here");
    refused("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
            "1:1: declarations, processing instructions and CDATA are not read here");
    refused("<a>&b;</a>", "1:4: an entity that is not known");
    refused("<a>&#0;</a>", "1:4: a character reference is no character of XML");
    refused("<a b='&#xd800;'/>", "1:6: a character reference is no character of XML");
    refused("<a>&#99999999999999999999;</a>", "1:4: a character reference is no character of XML");
    refused("<a>\xc3(</a>", "1:4: this is not UTF-8");
    refused("<a>x\xed\xa0\x80</a>", "1:5: this is not UTF-8");
    refused("<a>\x01</a>", "1:4: a byte that no document has");
    refused("<!-- a -- b --><a/>", "1:1: a tag or a comment is malformed");
    refused("< a/>", "1:2: a name is expected behind <");
    EXPECT(read_pieces("<a\0/>", 5, 5) == DOCUMENT_BAD && strstr(it.problem, "NUL"));
}

/* Sizes at the limit and one beyond. */
static void limits(void)
{
    static char text[4 * DOCUMENT_SIZE];
    for (int beyond = 0; beyond < 2; beyond++) {
        char *p = text;
        for (int i = 0; i < DOCUMENT_DEPTH + beyond; i++)
            p += sprintf(p, "<a>");
        for (int i = 0; i < DOCUMENT_DEPTH + beyond; i++)
            p += sprintf(p, "</a>");
        EXPECT(read_pieces(text, (size_t)(p - text), 1000) == (beyond ? DOCUMENT_BAD : DOCUMENT_WHOLE));
        p = text + sprintf(text, "<a>");
        for (int i = 1; i < DOCUMENT_ELEMENTS + beyond; i++)
            p += sprintf(p, "<b/>");
        p += sprintf(p, "</a>");
        EXPECT(read_pieces(text, (size_t)(p - text), 1000) == (beyond ? DOCUMENT_BAD : DOCUMENT_WHOLE));
        p = text + sprintf(text, "<a>");
        memset(p, ' ', 4 * DOCUMENT_SIZE - 100);
        for (size_t at = DOCUMENT_TOKEN; at < (size_t)DOCUMENT_SIZE - 100; at += DOCUMENT_TOKEN)
            memcpy(text + at, "<b/>", 4);
        memcpy(text + DOCUMENT_SIZE - 4 + beyond, "</a>", 4);
        EXPECT(read_pieces(text, (size_t)DOCUMENT_SIZE + (size_t)beyond, 999) ==
               (beyond ? DOCUMENT_BAD : DOCUMENT_WHOLE));
        p = text + sprintf(text, "<a x='");
        memset(p, 'x', DOCUMENT_TOKEN);
        strcpy(text + DOCUMENT_TOKEN - 3 + beyond, "'/>");
        EXPECT(read_pieces(text, strlen(text), 1) == (beyond ? DOCUMENT_BAD : DOCUMENT_WHOLE));
    }
    EXPECT(strstr(it.problem, "1:1: a tag, a comment or a text has more than 4096 bytes"));
    /* a million elements deep, and a million of them */
    it.status = DOCUMENT_BAD;
    document_begin(&it);
    for (long i = 0; i < 1000000 && it.status == DOCUMENT_MORE; i++)
        document_feed(&it, "<a>", 3);
    EXPECT(it.status == DOCUMENT_BAD && strstr(it.problem, "more than 16 deep"));
    document_begin(&it);
    document_feed(&it, "<a>", 3);
    for (long i = 0; i < 1000000 && it.status == DOCUMENT_MORE; i++)
        document_feed(&it, "<a/>", 4);
    EXPECT(it.status == DOCUMENT_BAD && strstr(it.problem, "more than 1024 elements"));
}

static void test(const char *name, void (*body)(void))
{
    body();
    report("document ", name);
}

int main(void)
{
    test("elements and attributes", elements_and_attributes);
    test("one after the other", one_after_the_other);
    test("malformed ones are refused with line and column", malformed);
    test("limits", limits);
    return failed;
}
