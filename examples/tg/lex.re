/* Tokens of specifications of tunlets.  Behind the text there is a NUL. */
#pragma once

typedef enum tg_token {
    TG_TOKEN_END,
    TG_TOKEN_BAD,     /* a byte that is none, a comment or code without an end */
    TG_TOKEN_LABEL,   /* id: */
    TG_TOKEN_WORD,
    TG_TOKEN_SECTION, /* words that begin a section, MEASURE POINTS; parse.c makes it of words */
    TG_TOKEN_BLOCK,   /* a word that begins or ends a block, event, endevent; parse.c makes it of a word */
    TG_TOKEN_COMMA,
    TG_TOKEN_COMMENT, /* between slash-star and star-slash */
    TG_TOKEN_CODE     /* between slash-hash and hash-slash */
} tg_token;

/* Reads a token at `from`: it begins at `*begin`, and `*end` is behind it. */
static tg_token tg_lex(const char *from, const char **begin, const char **end)
{
    const unsigned char *cursor = (const unsigned char *)from, *marker = cursor;
    tg_token token;
    for (;;) {
        *begin = (const char *)cursor;
        /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYCURSOR = cursor;
        re2c:define:YYMARKER = marker;
        re2c:yyfill:enable = 0;
        re2c:flags:nested-ifs = 1;

        blank = [ \t\r\n]+;
        any   = [^\x00];
        plain = [^\x00-\x20,:/];

        blank { continue; }
        "\x00" { token = TG_TOKEN_END; break; }
        [A-Za-z]+ [ \t]* ":" { token = TG_TOKEN_LABEL; break; }
        "," { token = TG_TOKEN_COMMA; break; }
        "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/" { token = TG_TOKEN_COMMENT; break; }
        "/#" ([^#\x00] | "#"+ [^#/\x00])* "#"+ "/" { token = TG_TOKEN_CODE; break; }
        (plain | "/" [^*#\x00-\x20,:/])+ { token = TG_TOKEN_WORD; break; }
        * { token = TG_TOKEN_BAD; break; }
        */
    }
    *end = (const char *)cursor;
    return token;
}
