/* Tokens of C, as far as names in it are replaced.  Behind the text there is a NUL. */
#pragma once

typedef enum tg_code_token {
    TG_CODE_END,
    TG_CODE_NAME,
    TG_CODE_DOT,   /* with a name behind it: .timestamp */
    TG_CODE_OPEN,  /* ( [ or { */
    TG_CODE_CLOSE,
    TG_CODE_SEMICOLON,
    TG_CODE_ASSIGN, /* =, and += and its like */
    TG_CODE_BLANK,  /* also comments */
    TG_CODE_OTHER
} tg_code_token;

static tg_code_token tg_lex_code(const char *from, const char **end)
{
    const unsigned char *cursor = (const unsigned char *)from, *marker = cursor;
    tg_code_token token = TG_CODE_OTHER;
    for (;;) {
        /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYCURSOR = cursor;
        re2c:define:YYMARKER = marker;
        re2c:yyfill:enable = 0;
        re2c:flags:nested-ifs = 1;

        blank  = [ \t\r\n]+;
        name   = [A-Za-z_] [A-Za-z0-9_]*;
        number = [0-9] [A-Za-z0-9.]* | "." [0-9] [A-Za-z0-9.]*;

        "\x00" { token = TG_CODE_END; break; }
        name { token = TG_CODE_NAME; break; }
        number { token = TG_CODE_OTHER; break; }
        "." [ \t\r\n]* name { token = TG_CODE_DOT; break; }
        [([{] { token = TG_CODE_OPEN; break; }
        [)}] | "]" { token = TG_CODE_CLOSE; break; }
        ";" { token = TG_CODE_SEMICOLON; break; }
        "=" | [-+*/%&|^] "=" | "<<=" | ">>=" { token = TG_CODE_ASSIGN; break; }
        "==" | "!=" | "<=" | ">=" | "&&" | "||" | "++" | "--" | "<<" | ">>" { token = TG_CODE_OTHER; break; }
        blank | "//" [^\n\x00]* | "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/" { token = TG_CODE_BLANK; break; }
        ["] ([^"\\\n\x00] | "\\" [^\n\x00])* ["] { token = TG_CODE_OTHER; break; }
        ['] ([^'\\\n\x00] | "\\" [^\n\x00])* ['] { token = TG_CODE_OTHER; break; }
        * { token = TG_CODE_OTHER; break; }
        */
    }
    *end = (const char *)cursor;
    return token;
}
