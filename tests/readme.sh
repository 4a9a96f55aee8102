#!/bin/bash
# README.md does what it says, in its quick start and where it describes the tool: in a folder that looks like a fresh
# clone, each block of C or Python is written to the file that its first comment names, each block of shell commands is
# run, and each line of a block of text that follows must be among what the commands printed (a line `...` stands for
# any).  Left out are `git clone`, `cd`, and `make check`, which this is a part of; compiled is in haste.
set -u
cd "$(dirname "$0")/.." || exit 3
root=$PWD dir=build/readme
rm -rf $dir
mkdir -p $dir/blocks
if [ ! -e README.md ]; then
    echo 'FAIL readme: there is no README.md'
    exit 1
fi
for file in *; do
    case $file in
    build) ;;
    examples) cp -R "$root/$file" "$dir/$file" ;; # where files are added
    *) ln -s "$root/$file" "$dir/$file" ;;
    esac
done

# blocks/1.c, blocks/2.sh, ...: what stands between fences in these sections
awk -v dir=$dir/blocks '
    /^## / { inside = tolower($0) ~ /quick start|the tool/ }
    !inside { next }
    /^```/ {
        if (file != "") { close(file); file = "" }
        else { kind = substr($0, 4); file = dir "/" ++number "." (kind == "" ? "text" : kind); printf "" >file }
        next
    }
    file != "" { print >file }' README.md

failed=0 ran=0 skipped=''
fail() { echo "FAIL readme $1"; failed=1; }
for block in $(cd $dir/blocks && printf '%s\n' * | sort -n); do
    text=$dir/blocks/$block
    case $block in
    *.c | *.python)
        name=$(sed -n '1s,^\(/\*\|#\) *\([a-z0-9_/]*\.\(c\|py\)\).*,\2,p' "$text")
        if [ "$name" ]; then cp "$text" "$dir/$name"; else fail "$block: its first comment names no file"; fi
        ;;
    *.sh)
        if grep -q python3 "$text" && ! command -v python3 >/dev/null; then
            echo "SKIP readme $block: no python3 (install python3)"
            skipped=1
            continue
        fi
        skipped=''
        grep -vE '^(git clone|cd |make check)' "$text" | sed 's/^\$ //' >$dir/commands
        if (cd $dir && env -u CORPUS CFLAGS=-O0 bash -e commands >output 2>errors </dev/null); then
            echo "PASS readme $block: $(head -n 1 $dir/commands)"
        else
            fail "$block: exit status $? of: $(tr '\n' ';' <"$text") $(tail -n 1 $dir/errors)"
        fi
        ran=$((ran + 1))
        ;;
    *.text)
        if [ "$skipped" ]; then
            continue
        elif missing=$(grep -vFx '...' "$text" | grep -vFxf $dir/output); then
            fail "$block: not printed: $(head -n 1 <<<"$missing")"
        else
            echo "PASS readme $block: as printed"
        fi
        ;;
    *) fail "$block: a block of an unknown kind" ;;
    esac
done
[ $ran -gt 0 ] || fail 'quick start: it has no commands'
exit $failed
