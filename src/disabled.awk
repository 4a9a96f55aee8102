# Makes src/pajewrite/api/disabled.h of api/calls.h: each call as an inline function that does nothing, and returns what
# stands for nothing.  Comments are left out, preprocessor lines stay.
# usage: awk -f src/disabled.awk src/pajewrite/api/calls.h >src/pajewrite/api/disabled.h
BEGIN {
    returned["void"] = ""
    returned["pajewrite_status"] = "PAJEWRITE_OK"
    returned["int"] = "-1" # pajewrite_next_byte: there is none
    returned["char"] = "\"no problem\"" # pajewrite_problem
    returned["size_t"] = returned["uint32_t"] = returned["uint64_t"] = "0"
    print "/* Calls that are compiled out (PAJEWRITE_DISABLE): made by src/disabled.awk from calls.h; do not edit. */"
    print "#pragma once"
    print ""
}

# Prints what was collected of a declaration as a function.
function define(text,    type, name, list, count, i, unused, words) {
    name = text
    sub(/\(.*/, "", name)
    count = split(name, words, " ")
    name = words[count]
    type = words[count - 1]
    list = text
    sub(/^[^(]*\(/, "", list)
    sub(/\);$/, "", list)
    count = split(list, words, ",")
    for (i = 1; i <= count; i++) {
        sub(/.*[ *]/, "", words[i])
        unused = unused (i > 1 ? ", " : "") "(void)" words[i]
    }
    print "PAJEWRITE__UNTRACED"
    print declaration
    print "{"
    print "    " unused ";"
    if (!(type in returned)) {
        print "    {"
        print "        " type " nothing = PAJEWRITE__ZERO;"
        print "        return nothing;"
        print "    }"
    } else if (returned[type] != "")
        print "    return " returned[type] ";"
    print "}"
    print ""
}

{ sub(/[ \t]*\/\*.*\*\/[ \t]*$/, "") }
/^ *\/\*/ { comment = 1 }
comment { if (/\*\//) comment = 0; next }
/^#pragma once/ || /^#define PAJEWRITE__CALL/ { next }
/^#include/ { print; next }
/^(PAJEWRITE__API|PAJEWRITE__CALL) / {
    shift = /^PAJEWRITE__CALL/ ? 2 : 1 # as much shorter is what comes in its place
    sub(/^(PAJEWRITE__API|PAJEWRITE__CALL)/, "static inline")
    joined = declaration = ""
    collecting = 1
}
collecting {
    line = $0
    if (joined != "") {
        sub(/^ +/, "", line)
        line = sprintf("%*s%s", match($0, /[^ ]/) - 1 - shift, "", line)
        sub(/^ +/, " ")
    }
    declaration = declaration (joined == "" ? "" : "\n") line
    joined = joined $0
    if (/;$/) {
        collecting = 0
        sub(/;$/, "", declaration)
        define(joined)
    }
    next
}
/^#/ || /^[{}]/ || /^extern/ { print; next }
/^$/ { next }
{
    print "disabled.awk: " FILENAME ":" FNR ": neither a declaration nor a line of the preprocessor: " $0 >"/dev/stderr"
    exit 1
}
