#!/bin/sh
# Makes a header out of its parts: pastes src/HEADER/HEADER.h, and each part in place of the first #include "..." of it,
# with a banner in front.  Lines that say `#pragma once` are left out.
# usage: [LINE=1] src/amalgamate.sh HEADER [OUTPUT]    HEADER: pajesim or pajewrite; OUTPUT: HEADER.h beside src/
# LINE=1 adds #line directives, so that compilers and debuggers point at the parts.
set -eu
src=$(cd "$(dirname "$0")" && pwd)
header=$1
out=${2:-$src/../$header.h}
new=$(mktemp "$out.XXXXXX")
trap 'rm -f "$new"' EXIT
squeeze='cat -s'
[ "${LINE:-0}" = 0 ] || squeeze=cat

awk -v src="$src" -v header="$header" -v marks="${LINE:-0}" '
    # The path of an include, relative to src/HEADER, without "." and "..".
    function resolve(folder, name,    words, count, path, i) {
        count = split(folder name, words, "/")
        for (i = 1; i <= count; i++)
            if (words[i] == "..")
                sub(/[^\/]*\/$/, "", path)
            else if (words[i] != ".")
                path = path words[i] (i < count ? "/" : "")
        return path
    }
    function paste(part,    file, folder, text, number, word, status) {
        if (part in pasted)
            return
        pasted[part] = 1
        file = src "/" header "/" part
        folder = part
        sub(/[^\/]*$/, "", folder)
        if (part != header ".h")
            printf "\n/* ---------------- src/%s/%s */\n\n", header, part
        if (marks)
            printf "#line 1 \"src/%s/%s\"\n", header, part
        while ((status = (getline text < file)) > 0) {
            number++
            if (text ~ /^#pragma once/)
                continue
            if (text ~ /^#include "/) {
                split(text, word, "\"")
                paste(resolve(folder, word[2]))
                if (marks)
                    printf "#line %d \"src/%s/%s\"\n", number + 1, header, part
            } else
                print text
        }
        if (status < 0) {
            print "amalgamate.sh: cannot read " file > "/dev/stderr"
            failed = 1
            exit 1
        }
        close(file)
    }
    BEGIN {
        print "/* " header ".h: made by src/amalgamate.sh from src/" header "/; do not edit. */"
        print ""
        paste(header ".h")
        print ""
        print "/* ------------------------------------------------------------------------------------------------"
        licence = src "/../LICENSE"
        while ((getline text < licence) > 0)
            print text == "" ? " *" : " * " text
        print " * --------------------------------------------------------------------------------------------- */"
        exit failed
    }' | $squeeze >"$new"

chmod 644 "$new"
mv "$new" "$out"
