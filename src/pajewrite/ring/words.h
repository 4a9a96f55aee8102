/* The text of the header and of all lines, compressed into words. */
#pragma once

#include "platform.h"
#include "../api/definitions.h"

/* The words of an event; empty where PAJEWRITE_KINDS leaves it out. */
#define PAJEWRITE__IF_ALWAYS(text) text
#if PAJEWRITE__HAS_STATES
#define PAJEWRITE__IF_STATES(text) text
#else
#define PAJEWRITE__IF_STATES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_EVENTS
#define PAJEWRITE__IF_EVENTS(text) text
#else
#define PAJEWRITE__IF_EVENTS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_VARIABLES
#define PAJEWRITE__IF_VARIABLES(text) text
#else
#define PAJEWRITE__IF_VARIABLES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_LINKS
#define PAJEWRITE__IF_LINKS(text) text
#else
#define PAJEWRITE__IF_LINKS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_FILES
#define PAJEWRITE__IF_FILES(text) text
#else
#define PAJEWRITE__IF_FILES(text) PAJEWRITE__ABSENT
#endif

#define PAJEWRITE__ABSENT "\x80"

/* What digits stand for in words: data of the record. */
enum {
    PAJEWRITE__LINE_NUMBER, /* the number of the event, which the tag tells */
    PAJEWRITE__NUMBER,
    PAJEWRITE__TIME,
    PAJEWRITE__TEXT,
    PAJEWRITE__LONG,        /* 64 bits; a signed one is odd */
    PAJEWRITE__SIGNED_LONG,
    PAJEWRITE__KIND,        /* in definitions: the word of the kind */
    PAJEWRITE__OTHER_KIND,  /* in definitions: that of a kind which is the next number */
    PAJEWRITE__BARE_TEXT    /* in definitions: without quotes */
};

/* Words.  The last byte of each has bit 7 set.  Bytes below 32, except newline, are indices of words. */
static const char pajewrite__ring_words[] PAJEWRITE_ROM =
    "\x80"                                               /* empty */
    "021\xb1"                                            /* END_LINE and so on, in the order of the enum */
    "\x01\xb1"
    "011\xb3"
    "\x03\xb3"
    "\x02\xb3"
    " string\x8a"
    "Containe\xf2"
    "Typ\xe5"
    "Valu\xe5"
    "%\x13\x19 Paje6%End\x13\x99"                        /* 10: HEADER */
    "\x18" "Alias\x86"
    "\x18\x08\x86"
    "\x18\x07\x86"
    "\x18Name\x86"
    "\x18" "Color color\x8a"
    "\x18\x09\x86"
    "\x19in\xe5"
    "Stat\xe5"
    "Even\xf4"
    " 0\n\x18Time date\x8a"                              /* 20 */
    " 0\n\x8b"
    "\x14\x0d\x8c"
    "\x15\x0c\x8e"
    "%\xa0"
    "De\xe6"
#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS
    "Variabl\xe5"
    "Lin\xeb"
    "Star\xf4"
    "En\xe4"
    "\x18\x09 double\x8a"                                /* 30 */
    "\x18Key\x86"
#endif
#if PAJEWRITE__HAS_VARIABLES
    "\x01\xb5"
    "\x01\xb3"
#endif
#if PAJEWRITE__HAS_LINKS
    "01111\xb3"
    "\x02" "1\xb4"
    "\x02" "1\xb3"
#endif
#if PAJEWRITE_GAPS
    "# dropped1 events from2 to\xb2"
#endif
#if PAJEWRITE_FIELDS_SIZE
    "%\x13\x19 Paje78%End\x13\x99"
#endif
    "\x11\x07\x08\x97"                                   /* kinds of events, in order */
    PAJEWRITE__IF_STATES("\x11\x12\x08\x97")
    PAJEWRITE__IF_EVENTS("\x11\x13\x08\x97")
    PAJEWRITE__IF_VARIABLES("\x11\x1a\x08\x17\x8f")
    PAJEWRITE__IF_LINKS("\x11\x1b\x08\x15\x0c\x18\x1c\x07\x08\x06\x18\x1d\x07\x08\x06\x8e")
    "\x11" "Entity\x09\x17\x8f"
    "Create\x07\x14\x0b\x0c\x0d\x8e"
    "Destroy\x07\x14\x0e\x8c"
    PAJEWRITE__IF_STATES("Set\x12\x16\x90")
    PAJEWRITE__IF_STATES("Push\x12\x16\x90")
    PAJEWRITE__IF_STATES("Pop\x12\x96")
    PAJEWRITE__IF_STATES("Reset\x12\x96")
#if (PAJEWRITE_KINDS) >= PAJEWRITE_EVENTS
    PAJEWRITE__IF_EVENTS("New\x13\x16\x90")
#endif
#if (PAJEWRITE_KINDS) >= PAJEWRITE_VARIABLES
    PAJEWRITE__IF_VARIABLES("Set\x1a\x16\x9e")
    PAJEWRITE__IF_VARIABLES("Add\x1a\x16\x9e")
    PAJEWRITE__IF_VARIABLES("Sub\x1a\x16\x9e")
#endif
#if (PAJEWRITE_KINDS) >= PAJEWRITE_LINKS
    PAJEWRITE__IF_LINKS("\x1c\x1b\x16\x10\x18\x1c\x07\x06\x9f")
    PAJEWRITE__IF_LINKS("\x1d\x1b\x16\x10\x18\x1d\x07\x06\x9f")
#endif
#if (PAJEWRITE_KINDS) >= PAJEWRITE_FILES
    "TraceFile 0\n\x0d\x0c\x18" "Filename\x86"
#endif
    ;
/* The last kind in the words. */
#define PAJEWRITE__LAST_KIND \
    (PAJEWRITE__HAS_FILES ? PAJEWRITE_TRACE_FILE : PAJEWRITE__HAS_LINKS ? PAJEWRITE_END_LINK : \
     PAJEWRITE__HAS_VARIABLES ? PAJEWRITE_SUB_VARIABLE : PAJEWRITE__HAS_EVENTS ? PAJEWRITE_NEW_EVENT : \
     PAJEWRITE_RESET_STATE)
