# What the tests of paje merge share.
. "$(dirname "$0")/lib.sh"

header=tests/tool/header.trace
types=('0 H 0 Host' '1 S H "Host state"' '2 E H Alarm' '3 P H Power "1 0 0"' '4 L 0 H H Message'
    '5 r S Running "0 1 0"' '5 m L Mail "0 0 1"')

# rank FILE LINE...: header, types and lines
rank() {
    local file=$dir/$1
    shift
    { cat $header; printf '%s\n' "${types[@]}" "$@"; } >"$file"
}

# valid NAME FILE: no error and no warning, also for pj_dump
valid() {
    expect "$1" 0 ' 0 errors, 0 warnings: valid$' "$paje" validate "$dir/$2"
    if has_pj_dump "$1, to pj_dump, too"; then
        check "$1, to pj_dump, too" sh -c "pj_dump '$dir/$2' >'$dir/out' 2>'$dir/err' && test ! -s '$dir/err'"
    fi
}

# lines NAME FILE PATTERN COUNT: so many entities are like the pattern
lines() {
    local count
    count=$("$paje" dump -u "$dir/$2" 2>/dev/null | grep -Ec -- "$3")
    if [ "$count" = "$4" ]; then pass "$1"; else fail "$1" "$count lines of $4 are like \`$3\`"; fi
}

merge() { "$paje" merge "$@" 2>"$dir/err"; }

# What a merged trace must say, whatever its aliases are.
dumped() { "$paje" dump -u "$dir/$1" 2>&1 | sorted; }
