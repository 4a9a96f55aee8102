# Lists the members of the reader's records, one a line: `struct RECORD MEMBER` of a definition, `list RECORD MEMBER` of a
# PAJESIM__..._MEMBERS list.  Members of a struct within a record are OUTER.INNER.
# usage: awk -f layout.awk PART...

# Prints the names that a declaration such as `uint32_t first, list[4];` declares.
function declare(text,    count, names, i, name) {
    gsub(/\[[^]]*\]/, "", text)
    sub(/;.*/, "", text)
    count = split(text, names, ",")
    for (i = 1; i <= count; i++) {
        name = names[i]
        gsub(/[ *]+$/, "", name)
        sub(/.*[ *]/, "", name)
        declared[depth, ++many[depth]] = name
    }
}
# The members of an inner struct, or union, get its name.
function close_inner(name,    i) {
    for (i = 1; i <= many[depth]; i++)
        declared[depth - 1, ++many[depth - 1]] = (name == "" ? "" : name ".") declared[depth, i]
    many[depth] = 0
    depth--
}

{
    line = $0
    gsub(/\/\*.*\*\//, "", line)
    sub(/\/\*.*/, "", line)
}
/^typedef struct pajesim_[a-z_]* \{/ { record = $3; depth = 1; many[1] = 0; next }
record != "" && depth == 1 && /^\} / {
    for (i = 1; i <= many[1]; i++)
        print "struct", record, declared[1, i]
    record = ""
}
record != "" && line ~ /^ *(struct|union) \{/ { depth++; many[depth] = 0; next }
record != "" && line ~ /^ +\} [a-z_]*;/ { name = line; gsub(/[ };]/, "", name); close_inner(name); next }
record != "" && line ~ /;/ && line !~ /^#/ { declare(line) }

/^#define PAJESIM__[A-Z_]*_MEMBERS\(X, T\)/ {
    listing = 1
    listed = ""
    members = tolower($2)
    sub(/_members.*/, "", members)
    if (members == "pajesim__counts")
        members = "pajesim_counts"
}
listing {
    while (match(line, /X\(T, [a-z_.0-9]+\)/)) {
        listed = listed " " substr(line, RSTART + 5, RLENGTH - 6)
        line = substr(line, RSTART + RLENGTH)
    }
    if ($0 !~ /\\$/) {
        count = split(listed, names, " ")
        for (i = 1; i <= count; i++)
            print "list", members, names[i]
        listing = 0
    }
}
