# Checks how the parts of a header include each other.
# usage: awk -v header=NAME -v floors="FLOOR..." -f parts.awk PART...    in src/NAME; the first PART is NAME.h

function fail(text) {
    print "FAIL parts/" header "/" text
    failed = 1
}

# The folder of a path; "" for that of the header itself.
function folder(path) {
    return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : ""
}

# The path of an include of `part`, without "..".
function resolve(part, name,    path) {
    path = folder(part)
    while (name ~ /^\.\.\//) {
        name = substr(name, 4)
        path = folder(path)
    }
    return path == "" ? name : path "/" name
}

# Follows the includes of a part; tells of the first circle that comes back to one of those on the way.
function follow(part, way,    i, names, count) {
    if (part in left)
        return
    if (part in entered) {
        if (!told[part]++)
            fail(part ": includes itself: " substr(way, index(way " ", part " ")) " " part "; move what the one needs of the other to a part of its own")
        return
    }
    entered[part]
    count = split(includes[part], names, " ")
    for (i = 1; i <= count; i++)
        follow(names[i], way " " names[i])
    left[part]
}

BEGIN {
    count = split(floors, words, " ")
    for (i = 1; i <= count; i++)
        floor[words[i]] = i
    root = header ".h"
}

FNR == 1 {
    parts[++all] = FILENAME
    is_part[FILENAME]
    depth = 0
    statement = ""
    if (FILENAME != root && !(folder(FILENAME) in floor))
        fail(FILENAME ": the folder " folder(FILENAME) "/ is no floor of src/floors; add it to the line of " header)
}
FNR <= 2 && /^\/\* / { purpose[FILENAME] }
/^#pragma once/ { once[FILENAME] }
/^#if/ { depth++ }
/^#endif/ { depth-- }
/^#include "/ {
    split($0, words, "\"")
    name = resolve(FILENAME, words[2])
    if (FILENAME == root) {
        rooted[name]
    } else {
        includes[FILENAME] = includes[FILENAME] " " name
        if (depth)
            fail(FILENAME ":" FNR ": includes " name " within #if; move the include to the top, as the part is pasted but once")
        if ((folder(name) in floor) && floor[folder(name)] > floor[folder(FILENAME)])
            fail(FILENAME ":" FNR ": " folder(FILENAME) "/ includes " name " of a floor above; move what it needs down, or let the part above call it: see src/floors")
    }
}
# A function that is declared, and not defined, in the same part: one that another part defines, so an include too few.
FILENAME != root && folder(FILENAME) != "api" {
    if (statement == "" && /^(static|PAJE[A-Z]+__[A-Z]+ |PAJE[A-Z]+_API )/ && !/[=]/)
        statement = $0
    else if (statement != "")
        statement = statement " " $0
    if (statement ~ /[;{=]/) {
        sub(/\{.*/, "{", statement) # a body in the same line
        if (statement ~ /\) *;/ && match(statement, /paje[a-z]+_[a-z0-9_]+\(/)) {
            name = substr(statement, RSTART, RLENGTH)
            declared[FILENAME, name] = FNR
        } else if (match(statement, /paje[a-z]+_[a-z0-9_]+\(/)) {
            defined[FILENAME, substr(statement, RSTART, RLENGTH)]
        }
        statement = ""
    }
}

END {
    for (key in declared)
        if (!(key in defined)) {
            split(key, words, SUBSEP)
            fail(words[1] ":" declared[key] ": declares " words[2] ") that another part defines; include that part, or pass a pointer to the function")
        }
    for (i = 1; i <= all; i++) {
        part = parts[i]
        if (part == root)
            continue
        if (!(part in purpose))
            fail(part ": does not begin with a comment that says its purpose")
        if (!(part in once) && includes[part] != "")
            fail(part ": lacks #pragma once")
        if (!(part in rooted))
            fail(part ": is not included by " root "; add it there, in its floor")
        n = split(includes[part], names, " ")
        for (k = 1; k <= n; k++)
            if (!(names[k] in is_part))
                fail(part ": includes " names[k] ", which is not there")
        follow(part, part)
    }
    exit failed
}
