#!/bin/bash
# The manual page and the completion of shells, made from the tables of the help; words that are spelled alike.
. "$(dirname "$0")/lib.sh"
for name in man bash zsh fish; do
    "$paje" --describe $name >"$dir/$name"
    check "$name: there is one" test -s "$dir/$name"
done
expect 'a description that is none' 2 '--describe takes man, bash, zsh or fish' "$paje" --describe troff

# Every command and every option of the help is in each of them.
for command in $(commands); do
    options=$("$paje" $command --help | grep -o '^ *\(-., \)\?  *--[a-z0-9-]*\|^  -., --[a-z0-9-]*' | grep -o -- '--[a-z0-9-]*')
    missing=
    for option in $options; do
        grep -q "^    $command) words='\(.* \)\?$option " "$dir/bash" || missing+=" bash: $option"
        sed -n "/^    ($command) /,/;;$/p" "$dir/zsh" | grep -q -- "$option[]'=[,)}]" || missing+=" zsh: $option"
        grep -q "^complete .*_from $command'.* -l ${option#--} " "$dir/fish" || missing+=" fish: $option"
        grep -qF -- "${option//-/\\-}\\fR" "$dir/man" || missing+=" man: $option"
    done
    check "$command: all of its options are described" test -z "$missing"
    check "$command: it has options" test "$(wc -w <<<"$options")" -ge 8
    check "$command: it is in the manual" grep -q "^.SS \"paje $command " "$dir/man"
done

if command -v groff >/dev/null; then
    groff -man -ww -Tutf8 "$dir/man" >"$dir/page" 2>"$dir/err"
    check 'man: groff has no complaint' test ! -s "$dir/err"
    check 'man: nothing is lost' test "$(wc -l <"$dir/page")" -gt 500
else
    skip man 'no groff (install groff-base)'
fi

# completes WORDS...: what bash completes the last word to
completes() {
    bash -c 'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _paje; echo "${COMPREPLY[*]}"' - "$dir/bash" "$@"
}
check 'bash: a command' test "$(completes paje du)" = dump
check 'bash: commands' test "$(completes paje me i)" = ''
check 'bash: an option' test "$(completes paje dump --user)" = --user-defined
check 'bash: trace has no options of replays' test "$(completes paje trace --str)" = ''
check 'bash: an option that all commands have' test "$(completes paje null --str)" = --strict
check 'bash: an option of another command' test -z "$(completes paje null --user)"
check 'bash: files are left to bash' test -z "$(completes paje null tests)"
for shell in zsh fish; do
    if ! command -v $shell >/dev/null; then
        skip $shell "no $shell (install $shell)"
        continue
    fi
    check "$shell: it takes the file" $shell -n "$dir/$shell"
done
if command -v fish >/dev/null; then
    offers() { HOME=$PWD/$dir fish --no-config -c "source '$dir/fish'; complete -C '$1'" 2>/dev/null | cut -f 1 | tr '\n' ' '; }
    check 'fish: a command' test "$(offers 'paje du')" = 'dump '
    check 'fish: an option' test "$(offers 'paje dump --user')" = '--user-defined '
    check 'fish: an option of another command' test "$(offers 'paje null --user')" = ''
fi

# Words that are spelled alike.
for words in 'dmup dump' 'dum dump' 'sgv svg' 'profil profile' 'validates validate' 'equal equals' 'nul null'; do
    set -- $words
    expect "$1: did you mean $2?" 2 "^paje: .$1. is no command; did you mean .$2.\?" "$paje" $1
done
for word in frobnicate x profiles-of-all dd; do
    expect "$word: no command is like it" 2 "^paje: .$word. is no command \(see" "$paje" $word
done
for words in '--heder header' '--tpye=x type' '--containr container' '--user-define-d user-defined'; do
    set -- $words
    expect "$1: did you mean --$2?" 2 "no such option as .$1.; did you mean .--$2.\?" "$paje" dump $1
done
for name in user-defined strict help header; do
    expect "--$name=1: no argument" 2 "dump: option .--$name. takes no argument \(see" "$paje" dump --$name=1
done
expect 'an option that none is like' 2 'no such option as .--frobnicate. \(see' "$paje" dump --frobnicate
long=$(printf 'x%.0s' $(seq 300))
expect 'a long command' 2 "is no command \(see" "$paje" $long
expect 'a long option' 2 "no such option as .--x*. \(see" "$paje" dump --$long

# ---- the tables of the two READMEs

"$paje" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sorted >"$dir/expected"
# Words in backquotes, of rows; pj_dump is no command.
sed -n '/^## Commands/,/^`paje/s/^|//p' README.md | grep -o '`[a-z_][a-z_]*' | tr -d '`' | grep -v '^pj_dump$' | sorted -u >"$dir/out"
same 'README.md has all commands, and no others' "$dir/expected" "$dir/out"
sed -n 's/^| \(`paje [a-z].*\)/\1/p' examples/paje/README.md | cut -d'|' -f 1 | grep -o '`paje [a-z]*' | cut -d' ' -f 2 | sorted >"$dir/out"
same 'examples/paje/README.md has all commands, and no others' "$dir/expected" "$dir/out"
check 'the commands that have trials are among them' test -z "$(commands | sorted | comm -23 - "$dir/expected")"

exit $failed
