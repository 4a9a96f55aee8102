#!/bin/bash
# Every README.md in the tree does what it says.  In a folder that looks like a clone where `make` was run (if FULL is set, for
# the first README: like a fresh one)
#   ```sh                 is run, line by line, and must succeed; skipped if a program that it needs is missing
#   ```sh (not run: WHY)  is not run: WHY says why; its `make` targets must exist
#   ```c, ```python, ...  is written to the file that the comment in its first line names
#   ```                   after commands: each of its lines must be among what they printed; `...` stands for any lines
#   ```text               is only shown
# Links to files and headings must lead somewhere, and the `make` targets in the text must exist.
# usage: tests/examples/readme.sh [README...]
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$PWD dir=build/readme failed=0 most_lines=150 most_not_run=9
pass() { echo "PASS readme $1"; }
fail() { echo "FAIL readme $1"; failed=1; }

# pattern in the commands, program that they need, Debian package
needs='python3 python3 python3
demo-java javac default-jdk-headless
javac javac default-jdk-headless
java java default-jdk-headless
xz xz xz-utils
mpirun mpirun openmpi-bin
examples/read/mpi_replay mpicc libopenmpi-dev
fortran mpifort libopenmpi-dev
fortran gfortran gfortran
sqlite3 sqlite3 sqlite3
BOARD=microbit arm-none-eabi-gcc gcc-arm-none-eabi
BOARD=microbit qemu-system-arm qemu-system-arm'

# lacking FILE: prints the first program that the commands of FILE need and that is missing, with its package
lacking() {
    local pattern program package
    while read -r pattern program package; do
        if grep -q -- "$pattern" "$1" && ! command -v "$program" >/dev/null; then
            echo "no $program (install $package)"
            return
        fi
    done <<<"$needs"
}

# clone README: makes the folder in which its commands run
clone() {
    local file
    rm -rf $dir
    mkdir -p $dir/clone/home $dir/blocks
    for file in *; do
        case $file in
        build) ;;
        examples) cp -Rp examples $dir/clone/examples ;; # files may be added there
        *) ln -s "$root/$file" "$dir/clone/$file" ;;
        esac
    done
    if [ "$1" != README.md ] || [ -z "${FULL:-}" ]; then
        mkdir -p $dir/clone/build
        cp -Rp build/paje build/*.d build/*.so* build/liblive.a build/examples $dir/clone/build 2>/dev/null # some on Linux only
    fi
}

# targets README LINE COMMANDS: the Makefile has each target of each `make` in the commands, one a line
targets() {
    local target
    for target in $(awk '$1 == "make" { for (i = 2; $i ~ /^[a-z-]+$/; i++) print $i }' <<<"$3"); do
        grep -qE "^([^:=]* )?$target( [^:=]*)?:" Makefile examples/*/build.mk ||
            fail "$1:$2: the Makefile has no target \`$target\`"
    done
}

# headings README: their anchors, as GitHub makes them
headings() {
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" |
        sed 's/^#* //; s/[][`.,:;?!()"'"'"'\/*]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]'
}

# links README: each link leads to a file of the tree, and to a heading in it
links() {
    local readme=$1 link file anchor bad=0
    for link in $(awk '/^```/ { code = !code } !code' "$readme" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'); do
        case $link in *://*) continue ;; esac
        file=${link%%#*} anchor=''
        case $link in *'#'*) anchor=${link#*#} ;; esac
        file=$(dirname "$readme")/${file:-$(basename "$readme")}
        if [ ! -e "$file" ]; then
            fail "$readme: the link $link leads to no file" && bad=1
        elif [ "$anchor" ] && ! headings "$file" | grep -qFx -- "$anchor"; then
            fail "$readme: $file has no heading for the link $link" && bad=1
        fi
    done
    [ $bad = 1 ] || pass "$readme: links"
}

# blocks README: writes $dir/blocks/LINE.KIND for each block; KIND is the first word behind the fence, `output` if none.
blocks() {
    awk -v dir=$dir/blocks '
        /^```/ && file == "" {
            kind = substr($0, 4)
            skip = match(kind, /\(not run: .+\)$/)
            sub(/ .*/, "", kind)
            file = sprintf("%s/%05d.%s", dir, NR, skip ? "not-run" : kind == "" ? "output" : kind)
            printf "" >file
            next
        }
        /^```/ { close(file); file = ""; next }
        file != "" { print >file }' "$1"
}

# run README: all of its blocks, in order
run() {
    local readme=$1 block text line name status missing ran='' skipped=''
    for block in $(cd $dir/blocks && printf '%s\n' *); do
        text=$dir/blocks/$block line=$((10#${block%%.*}))
        [ -e "$text" ] || continue
        case $block in
        *.sh)
            ran=1 skipped=$(lacking "$text")
            if [ "$skipped" ]; then
                echo "SKIP readme $readme:$line: $skipped"
                continue
            fi
            (cd $dir/clone && env -u CORPUS HOME="$PWD/home" CFLAGS=-O0 bash -e -o pipefail "../blocks/$block" \
                >../output 2>../errors </dev/null)
            status=$?
            if [ $status = 0 ]; then
                pass "$readme:$line: $(sed -n '1s/  *#.*//; 1p' "$text")"
            else
                fail "$readme:$line: exit status $status of the block that begins \`$(head -n 1 "$text")\`: $(
                    grep -m 3 -i 'error' $dir/errors || tail -n 3 $dir/errors)"
            fi
            ;;
        *.output)
            if [ ! "$ran" ]; then
                fail "$readme:$line: a block without a language follows no commands; write \`\`\`text if it is only shown"
            elif [ "$skipped" ]; then
                continue
            elif missing=$(grep -vFx '...' "$text" | grep -vFxf $dir/output); then
                fail "$readme:$line: the commands above do not print: $(head -n 1 <<<"$missing")"
            else
                pass "$readme:$line: as printed"
            fi
            ;;
        *.not-run)
            not_run=$((not_run + 1))
            echo "not run: $readme:$line: $(sed -n "${line}s/.*(not run: \(.*\))/\1/p" "$readme")"
            targets "$readme" "$line" "$(cat "$text")"
            ;;
        *.text) ;;
        *)
            name=$(sed -n '1s,^\(/\*\|//\|#\|--\|!\) *\([a-zA-Z0-9_./]*\.[a-z0-9]*\).*,\2,p' "$text")
            if [ "$name" ]; then
                mkdir -p "$dir/clone/$(dirname "$name")" && cp "$text" "$dir/clone/$name"
            else
                fail "$readme:$line: a block of ${block##*.} whose first line is no comment with the name of its file"
            fi
            ;;
        esac
    done
}

not_run=0
[ $# -gt 0 ] || mapfile -t readmes < <(find . -name README.md -not -path './build/*' | sed 's,^\./,,' | LC_ALL=C sort)
[ $# = 0 ] || readmes=("$@")
[ -x build/paje ] || make -s || exit 3
for readme in "${readmes[@]}"; do
    clone "$readme"
    blocks "$readme"
    [ -z "$(ls $dir/blocks)" ] || run "$readme"
    links "$readme"
    targets "$readme" text "$(grep -oE '`make [^`]*`' "$readme" | tr -d '`')"
done
if [ "$(wc -l <README.md)" -le $most_lines ]; then
    pass "README.md: at most $most_lines lines"
else
    fail "README.md: more than $most_lines lines: move what is not for everybody to the README beside its code"
fi
[ $not_run -le $most_not_run ] || fail "$not_run blocks are not run; at most $most_not_run may be: make them run, or raise it"
exit $failed
