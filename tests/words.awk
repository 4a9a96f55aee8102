# Prints the prose of source files: FILE:LINE:TEXT for each line of a comment, of a documentation string of Python, and of
# a Markdown file outside of its blocks.  TEXT begins with `^` where a comment begins.
# usage: awk -f tests/words.awk FILE...

FNR == 1 {
    inside = 0
    name = FILENAME
    sub(/.*\//, "", name)
    kind = name ~ /\.(c|h|re|html|ld)$/ ? "c" : name ~ /\.md$/ ? "md" : name ~ /\.py$/ ? "py" : name ~ /\.f90$/ ? "f90" : \
        name ~ /\.sql$/ ? "sql" : name ~ /\.(svg|csv|trace)$/ ? "" : "sh"
    before = 0 # the last line whose text was all comment, in languages where a comment ends with its line
}

kind == "" { next }

function say(text, starts) {
    sub(/^[ \t*]+/, "", text)
    sub(/[ \t]+$/, "", text)
    if (text != "")
        print FILENAME ":" FNR ":" (starts ? "^" : "") text
    return text != ""
}

# Comments up to the end of the line: `mark` stands at the start or behind a blank.
function say_line_comment(mark,    at, alone) {
    at = match($0, "(^|[ \t])" mark "([ \t]|$)")
    if (!at)
        return
    alone = substr($0, 1, at) ~ /^[ \t]*[#!-]?$/
    say(substr($0, RSTART + RLENGTH), !(alone && before == FNR - 1))
    if (alone)
        before = FNR
}

kind == "md" {
    if (/^```/)
        inside = !inside
    else if (!inside && !/^    /) {
        gsub(/`[^`]*`/, "`code`")
        sub(/^#+ /, "")
        say($0, 0)
    }
    next
}

kind == "py" && inside {
    if (/"""/) {
        inside = 0
        sub(/""".*/, "")
    }
    say($0, 0)
    next
}

kind == "py" && /"""/ {
    sub(/^[^"]*"""/, "")
    inside = !sub(/""".*/, "")
    say($0, 1)
    next
}

kind == "sh" || kind == "py" { say_line_comment("#"); next }
kind == "f90" { say_line_comment("!"); next }
kind == "sql" { say_line_comment("--"); next }

# C: strings and characters are passed over.
{
    rest = $0
    starts = !inside
    while (rest != "") {
        if (inside) {
            at = index(rest, "*/")
            say(at ? substr(rest, 1, at - 1) : rest, starts)
            rest = at ? substr(rest, at + 2) : ""
            inside = !at
            continue
        }
        if (!match(rest, /\/\*|\/\/|"|'/))
            break
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        starts = 1
        if (found == "/*")
            inside = 1
        else if (found == "//") {
            say(rest, 1)
            rest = ""
        } else if (match(rest, found == "\"" ? /^([^"\\]|\\.)*"/ : /^([^'\\]|\\.)+'/))
            rest = substr(rest, RLENGTH + 1)
    }
}
