#!/bin/bash
# Files that commands write: never over what they read, whole or not at all, with the right permissions, through no
# link that somebody else put there; and pipes and devices as they are.
. "$(dirname "$0")/lib.sh"

place=$dir/place # where a command finds t.trace and writes

# prepare: a trace that includes another file, and nothing else
prepare() {
    rm -rf "$place"
    mkdir "$place"
    { cat tests/tool/header.trace tests/tool/body.trace; printf '%s\n' '6 8 y H 0 y 1' '6 8 z T y z 1' '50 z T part'; } >"$place/t.trace"
    printf '30 8 E z included a 1\n' >"$place/part"
    cp "$place/t.trace" "$place/part" "$dir"
}

# try COMMAND ARGUMENT...: FILE and OUT are t.trace and `out` in that place
try() {
    local arguments=() argument
    for argument in "${@:2}"; do
        argument=${argument//FILE/$place/t.trace}
        arguments+=("${argument//OUT/$place/out}")
    done
    "$paje" "$1" "${arguments[@]}" >"$dir/out" 2>"$dir/err" </dev/null
}

intact() { cmp -s "$dir/t.trace" "$place/t.trace" && cmp -s "$dir/part" "$place/part"; }
# The files of the place that were not there before.
written() { (cd "$place" && find . ! -type d ! -name t.trace ! -name part | LC_ALL=C sort); }
half_made() { find "$place" -name '*.new'; }

# ---- every command that writes files: what it writes is a link to what it reads, each of these files in turn

writes=0
while read -r command arguments; do
    prepare
    read -ra arguments <<<"$arguments"
    [ "$command" != index ] || sed -i '/^50 /d' "$place/t.trace" "$dir/t.trace" # it refuses traces of several files
    try "$command" "${arguments[@]}"
    mapfile -t files < <(written)
    for file in "${files[@]}"; do
        writes=$((writes + 1))
        cp -p "$place/$file" "$dir/before"
        for read in t.trace part; do
            [ "$command $read" != 'index part' ] || continue
            for link in -f -sf; do
                ln $link "$PWD/$place/$read" "$place/$file"
                try "$command" "${arguments[@]}"
                status=$?
                name="$command ${arguments[*]}: $file is $read, by a link ($link)"
                if [ $status = 2 ] && intact && [ ! "$(half_made)" ] &&
                    grep -q '^paje: .* is to be read and written: name another file' "$dir/err"; then
                    pass "$name"
                else
                    fail "$name" "exit status $status: $(head -n 1 "$dir/err") $(half_made)"
                fi
            done
        done
        rm -f "$place/$file"
    done
done < <("$paje" --commands)
check 'csv, index and merge write files' test $writes -ge 12

# ---- links that lead elsewhere, and permissions

prepare
echo victim >"$dir/victim"
sed -i '/^50 /d' "$place/t.trace"
ln -s "$PWD/$dir/victim" "$place/t.trace.pajeidx.new"
ln -s "$PWD/$dir/victim" "$place/t.trace.pajeidx"
ln -s "$PWD/$dir/victim" "$place/out"
try index FILE
try merge -o OUT FILE
check 'what a link leads to is left alone' test "$(cat "$dir/victim")" = victim
check 'and the link is replaced' test -f "$place/out" -a ! -L "$place/out" -a ! -L "$place/t.trace.pajeidx"
check 'a link that leads to nothing is replaced' sh -c "ln -sf nothing '$place/out' &&
    '$paje' merge -o '$place/out' '$place/t.trace' && test ! -L '$place/out' -a -s '$place/out' -a ! -e '$place/nothing'"

mode() { stat -c %a "$place/$1" 2>/dev/null || stat -f %Lp "$place/$1"; }
prepare
(umask 027; try merge -o OUT FILE)
check 'a new file has the permissions that umask leaves' test "$(mode out)" = 640
chmod 604 "$place/out"
try merge -o OUT FILE
check 'a file that is replaced keeps its own' test "$(mode out)" = 604
chmod 600 "$place/out"
if ! command -v setfacl >/dev/null; then
    skip 'lists of access: they cannot be set (install acl)'
elif setfacl -m u:65534:rw "$place/out" 2>/dev/null; then # not every file system has them
    list() { getfacl -cnp "$1" | tr -s '\n' ' '; }
    list "$place/out" >"$dir/before"
    try merge -o OUT FILE
    list "$place/out" >"$dir/after"
    same 'a file that is replaced keeps its list of access' "$dir/before" "$dir/after"
    setfacl -b "$place/out"
    chmod 640 "$place/out"
    setfacl -d -m u:65534:rw "$place"
    try merge -o OUT FILE
    check 'and where it has none, it takes none of its folder' test "$(list "$place/out")" = 'user::rw- group::r-- other::--- '
    setfacl -k "$place"
fi
chmod 444 "$place/out"
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${as[@]}" true 2>/dev/null && "${as[@]}" test -r "$place/t.trace"; then
    chmod 777 "$place"
    cp "$paje" "$place/paje"
    cp "$place/out" "$dir/before"
    expect 'a file that may not be written' 3 'place/out: Permission denied' \
        "${as[@]}" "$place/paje" merge -o "$place/out" "$place/t.trace"
    same 'and is as it was' "$dir/before" "$place/out"
    if [ "$(id -u)" = 0 ]; then # files that several people share
        chown 65534:65533 "$place/out"
        chmod 660 "$place/out"
        try merge -o OUT FILE
        check 'root: owner and group stay' test "$(stat -c %u:%g:%a "$place/out")" = 65534:65533:660
        setpriv --reuid=65532 --regid=65532 --groups=65533 "$place/paje" merge -o "$place/out" "$place/t.trace"
        check 'another one of the group: that stays' test "$(stat -c %u:%g:%a "$place/out")" = 65532:65533:660
        chown 0:0 "$place/out"
        chmod 666 "$place/out"
        "${as[@]}" "$place/paje" merge -o "$place/out" "$place/t.trace"
        check 'one who is not of the group' test "$(stat -c %u:%g:%a "$place/out")" = 65534:65534:666
    fi
    chmod 555 "$place"
    expect 'a folder that may not be written' 3 'out2: Permission denied; a new file beside it is needed' \
        "${as[@]}" "$place/paje" merge -o "$place/out2" "$place/t.trace"
    chmod 755 "$place"
else
    skip 'what may not be written' 'nobody else to be (install util-linux)'
fi
expect 'a folder that is not there' 3 'none/out: No such file or directory' "$paje" merge -o "$place/none/out" "$place/t.trace"
expect 'no name' 3 'paje: : No such file or directory' "$paje" merge -o '' "$place/t.trace"
long=$(printf '%0250d' 0)
expect 'a name of 250 bytes' 0 '!' "$paje" merge -o "$place/$long" "$place/t.trace"

# ---- disks that are full: files may have 100 KiB

prepare
seq -f '30 %g E z some-value-of-an-event-that-is-not-short a 1' 9 6000 >>"$place/t.trace" # enough for two processes
sed -i '/^50 /d' "$place/t.trace"
full='ulimit -f 100; exec "$@"'
for old in '' old; do
    for trial in 'merge -o OUT FILE' 'merge -j 2 -o OUT FILE' 'csv -d OUT FILE' 'index --events=20 FILE'; do
        rm -rf "$place/out" "$place"/*.pajeidx
        if [ $old ]; then
            mkdir -p "$place/out"
            for file in "$place"/out/{containers,states,events,variables,links}.csv "$place/t.trace.pajeidx"; do
                echo old >"$file"
            done
            [ "${trial%% *}" != merge ] || { rm -r "$place/out" && echo old >"$place/out"; }
        fi
        (cd "$place" && find . -exec stat -c '%n %i %s' {} + | grep -v '^\. ') | sorted >"$dir/before"
        arguments=${trial//FILE/$place/t.trace}
        # shellcheck disable=SC2086
        expect "a full disk: $trial${old:+, over a file}" 3 \
            "^paje: $place/[a-z./]*: File too large; ${old:+it is as it was before; }make room there, or write elsewhere\$" \
            bash -c "$full" - "$paje" ${arguments//OUT/$place/out}
        (cd "$place" && find . -exec stat -c '%n %i %s' {} + | grep -v '^\. ') | sorted >"$dir/after"
        same "a full disk: $trial${old:+, over a file}: all is as before" "$dir/before" "$dir/after"
    done
done
# Tables of an input that may wait are read meanwhile: what they hold stays, in whole rows.
expect 'a full disk: csv of a pipe' 3 '/events.csv: File too large; what was written before is there; make room' \
    bash -c "cat '$place/t.trace' | { $full; }" - "$paje" csv -d "$place/live"
check 'a full disk: csv of a pipe: whole rows' test "$(wc -l <"$place/live/events.csv")" -gt 500 -a \
    "$(tail -c 1 "$place/live/events.csv" | od -An -c | tr -d ' ')" = '\n'

# ---- signals

make -s build/bench/generate || exit 3
build/bench/generate -b 60000000 -c 64 >"$place/t.trace"
for signal in INT TERM HUP ALRM USR1 USR2 PROF VTALRM IO SYS TRAP RTMIN RTMAX; do
    kill -l $signal >/dev/null 2>&1 || continue
    for trial in 'merge -o OUT FILE' 'merge -j 2 -o OUT FILE' 'csv -d OUT FILE'; do
        name="SIG$signal: ${trial%% *}"
        arguments=${trial//FILE/$place/t.trace}
        for ((attempt = 0; attempt < 5; attempt++)); do # where the machine stands still, it may be done before the signal
            rm -rf "$place/out"
            # shellcheck disable=SC2086
            bash -c 'trap - INT; exec "$@"' - env --default-signal "$paje" ${arguments//OUT/$place/out} >"$dir/out" 2>"$dir/err" &
            pid=$!
            wait_for 20 sh -c "test \"\$(find '$place' -name '*.new')\"" && kill -$signal $pid 2>/dev/null
            wait $pid 2>/dev/null
            status=$?
            [ $status = 0 ] || break
        done
        check "$name: ends it" test "$(kill -l $status)" = $signal
        check "$name: nothing half-made stays" test ! "$(half_made)" -a ! -e "$place/out"
    done
done

# A signal that is ignored, as nohup has it, stays so.
mkfifo "$place/slow"
for signal in INT TERM HUP; do
    bash -c "trap '' $signal; exec \"\$@\"" - "$paje" merge -o "$place/out" - <"$place/slow" >"$dir/out" 2>"$dir/err" &
    pid=$!
    exec 8>"$place/slow"
    cat tests/traces/tour.trace >&8
    check "SIG$signal, ignored: it writes" wait_for 20 sh -c "test \"\$(find '$place' -name '*.new')\""
    kill -$signal $pid
    exec 8>&-
    wait $pid
    check "SIG$signal, ignored: it goes on" test $? = 0 -a -s "$place/out"
    rm -f "$place/out"
done

# ---- pipes, devices, standard output

prepare
try merge FILE
cp "$dir/out" "$dir/expected"
"$paje" merge -o /dev/stdout "$place/t.trace" 2>"$dir/err" | cat >"$dir/got"
same '/dev/stdout, a pipe' "$dir/expected" "$dir/got"
{ echo before; "$paje" merge -o /dev/stdout "$place/t.trace"; echo after; } >"$dir/got" 2>"$dir/err"
{ echo before; cat "$dir/expected"; echo after; } >"$dir/expected2"
same '/dev/stdout, a file: goes on where it is' "$dir/expected2" "$dir/got"
"$paje" merge -o /dev/fd/9 "$place/t.trace" 9>"$dir/got" 2>"$dir/err"
same '/dev/fd/9' "$dir/expected" "$dir/got"
mkfifo "$place/fifo"
cat "$place/fifo" >"$dir/got" &
try merge -o "$place/fifo" FILE
wait $!
same 'a named pipe' "$dir/expected" "$dir/got"
check 'a named pipe stays one' test -p "$place/fifo"
expect '/dev/null' 0 '!' "$paje" merge -o /dev/null "$place/t.trace"
check '/dev/null stays what it is' test -c /dev/null
[ ! -w /dev/full ] || expect '/dev/full' 3 '^paje: /dev/full: No space left on device; make room there, or write elsewhere$' \
    "$paje" merge -o /dev/full "$place/t.trace"

# ---- standard input and output that are the same file

for redirection in '- >>' '- 1<>' ; do
    expect "standard output is what is read: $redirection" 2 'is to be read and written' \
        bash -c "'$paje' dump ${redirection#- }'$place/t.trace' '$place/t.trace'"
    expect "standard output is standard input: $redirection" 2 'is to be read and written' \
        bash -c "'$paje' merge - <'$place/t.trace' ${redirection#- }'$place/t.trace'"
done
expect 'standard output is what is included' 2 'is to be read and written' \
    bash -c "'$paje' dump '$place/t.trace' >>'$place/part'"
expect '/dev/stdin is what is read' 2 '/dev/stdin. is to be read and written' \
    bash -c "'$paje' merge -o /dev/stdin - <>'$place/t.trace'"
expect 'the output is standard input' 2 'is to be read and written' \
    bash -c "'$paje' merge -o '$place/t.trace' - <'$place/t.trace'"
check 'the trace is as it was' intact
expect 'standard input is closed, and an output' 3 'standard input: Bad file descriptor' \
    bash -c "'$paje' merge -o '$place/out' - <&-"
echo '30 9 E absent a b 1' >>"$place/t.trace"
check 'standard output and error are closed: no message goes into an output' bash -c "'$paje' csv -d '$place/tables' \
    '$place/t.trace' >&- 2>&-; test \$? = 1 -a -s '$place/tables/links.csv' && ! grep -r absent '$place/tables'"
"$paje" merge -o "$place/whole" tests/traces/tour.trace
check 'standard input, output and error are closed: the output is whole' bash -c "
    '$paje' merge -o '$place/again' tests/traces/tour.trace <&- >&- 2>&- && cmp '$place/whole' '$place/again'"
head -c 9000 tests/traces/stencil.trace >"$place/cut.trace"
"$paje" svg -o "$place/whole.svg" "$place/cut.trace" 2>"$dir/err"
check 'where all three are closed, messages do not go into a file either' sh -c "grep -q 'fewer fields' '$dir/err' &&
    { '$paje' svg -o '$place/again.svg' '$place/cut.trace' <&- >&- 2>&-; cmp '$place/whole.svg' '$place/again.svg'; }"

rm -rf "$place"
exit $failed
