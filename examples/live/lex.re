/* The lexer of documents.  Each function reads a token at `from`; `*end` is behind it.  Behind the bytes there is a NUL,
 * which no document has.  A token that runs into the end of what there is so far sets it->waits, and is read again when
 * there is more. */
#pragma once

#include "document.h"

/* The tokens of the outer level, and what is wrong. */
typedef enum document_token {
    TOKEN_END, /* of the bytes */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMENT,
    TOKEN_TEXT,
    TOKEN_DECLARATION,
    TOKEN_BAD
} document_token;

/*!re2c
    re2c:eof = 0;
    re2c:flags:nested-ifs = 1;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = cursor;
    re2c:define:YYMARKER = marker;
    re2c:define:YYLIMIT = limit;
    re2c:define:YYFILL = "(it->waits = 1, 0)"; /* there is no more */
    re2c:define:YYFILL:naked = 1;

    blank    = [ \t\r\n];
    wide     = [\x80-\xff]; /* whether that is UTF-8 is tested where a token is whole */
    ascii    = [\t\r\n\x20-\x7f];
    name     = [A-Za-z_:] [-A-Za-z0-9._:]*;
    entity   = "&" ("lt" | "gt" | "amp" | "quot" | "apos" | "#" [0-9]+ | "#x" [0-9A-Fa-f]+) ";";
    value    = "\"" ((ascii \ [<&"]) | wide | entity)* "\"" | "'" ((ascii \ [<&']) | wide | entity)* "'";
    equals   = blank* "=" blank*;
*/

static document_token document_lex(document *it, const unsigned char *from, const unsigned char *limit,
                                   const unsigned char **end)
{
    const unsigned char *cursor = from, *marker = from;
    document_token token;
    /*!re2c
    "<" name (blank+ name equals value)* blank* "/"? ">" { token = TOKEN_OPEN; goto found; }
    "</" name blank* ">"                                 { token = TOKEN_CLOSE; goto found; }
    "<!--" ("-"? ((ascii \ [-]) | wide))* "-->"           { token = TOKEN_COMMENT; goto found; }
    ((ascii \ [<&]) | wide | entity)+                    { token = TOKEN_TEXT; goto found; }
    "<?" | "<!" (ascii \ [-])                            { token = TOKEN_DECLARATION; goto found; }
    $                                                    { token = TOKEN_END; goto found; }
    *                                                    { token = TOKEN_BAD; goto found; }
    */
found:
    *end = cursor;
    return token;
}

/* The pieces of an opening tag, each with the blanks behind it.  They tell where a tag is wrong, too. */
typedef enum document_piece { PIECE_BAD, PIECE_NAME, PIECE_EQUALS, PIECE_VALUE, PIECE_END, PIECE_END_EMPTY } document_piece;

static document_piece document_lex_piece(document *it, const unsigned char *from, const unsigned char *limit,
                                         const unsigned char **end)
{
    const unsigned char *cursor = from, *marker = from;
    document_piece piece;
    /*!re2c
    name   { piece = PIECE_NAME; goto found; }
    "="    { piece = PIECE_EQUALS; goto found; }
    value  { piece = PIECE_VALUE; goto found; }
    ">"    { piece = PIECE_END; goto found; }
    "/>"   { piece = PIECE_END_EMPTY; goto found; }
    $      { piece = PIECE_BAD; goto found; }
    *      { piece = PIECE_BAD; goto found; }
    */
found:
    *end = cursor;
    return piece;
}
