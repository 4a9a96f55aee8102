# What the tests of the tool share.  A test sources this as its first act; it starts in the top folder.
set -u
cd "$(dirname "$0")/../.." || exit 3
paje=$PWD/build/paje traces=tests/traces
group=$(basename "$0" .sh)
dir=build/tests/tool/$group
failed=0
rm -rf "$dir"
mkdir -p "$dir"
[ -x "$paje" ] || make -s paje || exit 3

pass() { echo "PASS tool $group: $1"; }
fail() { echo "FAIL tool $group: $1: $2"; failed=1; }
skip() { echo "SKIP tool $group: $1: $2"; }

# check NAME COMMAND...: passes if the command succeeds
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "\`$*\`: $(head -n 5 <<<"$output" | tr '\n' '|')"; fi
}

# expect NAME STATUS TEXT COMMAND...: passes if that is the exit status, and the text, an extended regular expression,
# matches a line of the output or of standard error; a text of ! means that both are empty
expect() {
    local name=$1 status=$2 text=$3 got
    shift 3
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    if [ $got != "$status" ]; then
        fail "$name" "exit status $got in place of $status: $(head -n 2 "$dir/err" | tr '\n' '|')"
    elif [ "$text" = '!' ] && [ -s "$dir/out" -o -s "$dir/err" ]; then
        fail "$name" "output where there should be none: $(cat "$dir/out" "$dir/err" | head -n 2 | tr '\n' '|')"
    elif [ "$text" != '!' ] && ! cat "$dir/err" "$dir/out" | grep -Eaq -- "$text"; then
        fail "$name" "no line is like \`$text\`: $(cat "$dir/err" "$dir/out" | head -n 3 | tr '\n' '|')"
    else
        pass "$name"
    fi
}

# same NAME EXPECTED GOT: passes if both files are equal, byte for byte
same() {
    if cmp -s "$2" "$3"; then
        pass "$1"
    else
        fail "$1" "$(diff "$2" "$3" | grep -m 4 '^[<>]' | tr '\n' '|')"
    fi
}

# wait_for SECONDS COMMAND...: until the command succeeds; fails after so many seconds
wait_for() {
    local tenths=$(($1 * 10))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $((tenths -= 1)) -ge 0 ] || return 1
        sleep 0.1
    done
}

has_pj_dump() {
    command -v pj_dump >/dev/null && return
    skip "$1" 'no pj_dump (install pajeng)'
    return 1
}

# The traces of the corpus, as an array of that name; says so if there are none.
corpus() {
    mapfile -t corpus < <([ -z "${CORPUS:-}" ] || find "$CORPUS" -name '*.trace' | LC_ALL=C sort)
    [ ${#corpus[@]} -gt 0 ] || echo "CORPUS tool $group"
}

# All commands; and the command lines for tests that one names, with FILE and OUT for what it reads and writes.
commands() { "$paje" --commands | cut -d' ' -f 1 | uniq; }
trials() { "$paje" --commands | sed -n "s|^$1 ||p" | sed "s|FILE|$2|g; s|OUT|$3|g"; }

sorted() { LC_ALL=C sort "$@"; }
