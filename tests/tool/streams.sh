#!/bin/bash
# Pipes, files that grow, readers that go away.
. "$(dirname "$0")/lib.sh"

cat tests/tool/header.trace tests/tool/body.trace >"$dir/whole.trace"
"$paje" dump "$dir/whole.trace" >"$dir/expected"
event='^Event, t2, Alarm, 1.800000, out of paper$'
until_event=$(grep -n '^30 1.8 ' "$dir/whole.trace" | cut -d: -f1)

# Partial outcomes: the event is printed before the writer, which waits for that, goes on.
{
    head -n "$until_event" "$dir/whole.trace"
    wait_for 10 grep -q "$event" "$dir/got" && : >"$dir/seen"
    tail -n +$((until_event + 1)) "$dir/whole.trace"
} | "$paje" dump >"$dir/got"
check 'a pipe: lines appear as soon as they are known' test -e "$dir/seen"
same 'a pipe: and in the end all are there' "$dir/expected" "$dir/got"
{
    printf '30 '
    sleep 0.2
} | cat tests/tool/header.trace - | "$paje" dump >"$dir/out" 2>"$dir/err"
check 'a pipe that ends within a line' grep -q '<stdin>:1.*error: fewer fields' "$dir/err"

# Nothing at all, which a tracer leaves that failed.
: >"$dir/empty.trace"
expect 'an empty file is told' 0 'empty.trace: it is empty' "$paje" profile "$dir/empty.trace"
echo '{}' >"$dir/other.trace"
for command in dump validate 'view --once'; do
    # shellcheck disable=SC2086
    "$paje" $command "$dir/other.trace" >"$dir/out" 2>"$dir/err"
    check "$command: of what is no trace it is not said that it is empty" sh -c "! grep 'it is empty' '$dir/err' '$dir/out'"
done
expect 'and an empty pipe' 0 '<stdin>: it is empty' sh -c ": | '$paje' csv -d '$dir/tables'"

# A file that grows.
for signal in INT TERM; do
    grown=$dir/grown-$signal.trace got=$dir/got-$signal
    : >"$got"
    head -n "$until_event" "$dir/whole.trace" >"$grown"
    "$paje" dump -F "$grown" >"$got" 2>"$dir/err" &
    pid=$!
    check "dump -F, SIG$signal: what is there is printed" wait_for 10 grep -q "$event" "$got"
    check "dump -F, SIG$signal: and not closed yet" sh -c "! grep -q ^Container '$got'"
    printf '30 1.9 E t2 grown' >>"$grown"
    sleep 0.3
    check "dump -F, SIG$signal: half a line is waited for" sh -c "! grep -q grown '$got'"
    printf ' a 1\n' >>"$grown"
    check "dump -F, SIG$signal: what is added is printed" wait_for 10 grep -q 'Alarm, 1.900000, grown$' "$got"
    kill -$signal $pid
    wait $pid
    check "dump -F, SIG$signal: exit status 0" test $? = 0
    check "dump -F, SIG$signal: in the end all is closed" grep -q '^Container, 0, 0, 0, 1.9, 1.9, 0$' "$got"
done

# Readers that go away, and outputs that fail.
{
    head -n "$until_event" "$dir/whole.trace"
    awk 'BEGIN { for (i = 2; i < 20000; i++) print "30 " i " E t2 again a 1" }'
} >"$dir/long.trace" # more than a pipe holds
"$paje" dump "$dir/long.trace" 2>"$dir/err" | head -n 1 >"$dir/out"
status=${PIPESTATUS[0]}
check 'a reader that goes away: exit status of a closed pipe' test "$status" = 141
check 'a reader that goes away: nothing is said' test ! -s "$dir/err"
check 'a reader that goes away: it has its line' test "$(wc -l <"$dir/out")" = 1
{ sleep 0.2; head -n 20 "$dir/whole.trace"; } | "$paje" null >"$dir/out" 2>&1
check 'a late writer' grep -q '^lines  *20$' "$dir/out"
expect 'input that cannot be read' 3 'paje: <stdin>: Is a directory' sh -c "'$paje' dump <'$dir'"
[ ! -r /proc/self/mem ] ||
    expect 'input that fails' 3 'paje: /proc/self/mem: Input/output error' "$paje" dump /proc/self/mem
expect 'standard input is closed' 3 'standard input: Bad file descriptor' sh -c "'$paje' dump <&-"
{ echo 'What another command reads'; cat "$dir/whole.trace"; } >"$dir/behind"
# behind COMMAND...: it reads what is left of a file whose first line was read
behind() { { read -r _; "$paje" "$@"; } <"$dir/behind"; }
for command in dump merge import 'view --once'; do
    "$paje" $command <"$dir/whole.trace" >"$dir/from_begin"
    behind $command >"$dir/got"
    check "a file whose first line was read: $command: exit status 0" test $? = 0
    same "a file whose first line was read: $command" "$dir/from_begin" "$dir/got"
done

# Progress: on a terminal, after a second.
if [ "$(script -qec 'test -t 1 && echo terminal' /dev/null </dev/null 2>/dev/null | tr -d '\r')" = terminal ]; then
    cat >"$dir/slowly" <<END
{ cat tests/tool/header.trace; sleep 1.3; echo '0 H 0 Host'; sleep 0.1; } | '$paje' null
END
    script -qec "sh '$dir/slowly'" /dev/null >"$dir/out" </dev/null
    check 'progress on a terminal' grep -q ' MB/s' "$dir/out"
    check 'progress is wiped out' grep -q "$(printf '\r\033\\[K')" "$dir/out"
    sh "$dir/slowly" >"$dir/out" 2>"$dir/err"
    check 'no progress elsewhere' test ! -s "$dir/err"
else
    skip 'progress on a terminal' 'no script, or no terminal for it (install bsdutils, mount /dev/pts)'
fi

# A terminal that is a trace does not become the one of a session that has none.
if python3 -c 'import pty; pty.openpty()' 2>/dev/null && [ -d /proc/self/fd ]; then
    check 'a terminal stays what it is' python3 - "$paje" <<'END'
import os, pty, subprocess, sys, time
end, terminal = pty.openpty()
name = os.ttyname(terminal)
program = subprocess.Popen([sys.argv[1], "null", name], stdin=subprocess.DEVNULL, start_new_session=True)
files = "/proc/%d/fd/" % program.pid
def has_opened():
    try:
        return name in [os.readlink(files + file) for file in os.listdir(files)]
    except FileNotFoundError: # one was closed meanwhile
        return False
while not has_opened():
    time.sleep(0.01)
with open("/proc/%d/stat" % program.pid) as file:
    number = file.read().rpartition(")")[2].split()[4]
program.kill()
sys.exit(number != "0")
END
else
    skip 'a terminal stays what it is' 'no python3, /dev/pts or /proc'
fi

# Inputs without end that are no traces, and no pages.
for input in '--data /dev/zero' '--data --embed yes /dev/zero' '--viewer /dev/zero tests/traces/tour.trace'; do
    # shellcheck disable=SC2086
    expect "web $input" 3 '/dev/zero(: this is no trace| is no page)' timeout 20 "$paje" web $input
done

exit $failed
