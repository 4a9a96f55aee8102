#!/bin/bash
# paje null and paje parse.
. "$(dirname "$0")/lib.sh"
. tests/tool/lib-bad.sh

"$paje" null "$dir/bad.trace" >"$dir/out" 2>"$dir/err"
check 'null: exit status 1' test $? = 1
for line in "lines $((at + 5))" 'events 30' 'PajePushState 4' 'PajeNewEvent 1' 'skipped 0' 'Container 4' 'State 5' \
    'Event 1' 'Variable 3' 'Link 1' 'warnings 1' 'errors 4' 'first time 0' 'last time 7'; do
    check "null: $line" grep -Eq "^ *${line% *}  *${line##* }\$" "$dir/out"
done
check 'null: arena, seconds, speed' test "$(grep -Ec '^(arena bytes used|seconds|MB/s)  *[0-9.]+$' "$dir/out")" = 3
check 'null: the speed is bytes by seconds' awk -v bytes="$(wc -c <"$dir/bad.trace")" '
    /^seconds/ { seconds = $2 } /^MB/ { speed = $2 }
    END { error = speed - bytes / seconds / 1e6; exit !(error * error < (0.051 + speed / 50) ^ 2) }' "$dir/out"
check 'null: problems go to standard error' test "$(grep -c ': error: ' "$dir/err")" = 4
"$paje" parse "$dir/bad.trace" >"$dir/out" 2>"$dir/err"
check 'parse: exit status 1' test $? = 1
check 'parse: a container that does not exist is no matter' sh -c "! grep -q 'does not exist' '$dir/err'"
for line in "lines $((at + 5))" 'events 31' 'PajePushState 4' 'PajeNewEvent 2' 'warnings 1' 'errors 3'; do
    check "parse: $line" grep -Eq "^ *${line% *}  *${line##* }\$" "$dir/out"
done
check 'parse: no entities' sh -c "! grep -q '^Container' '$dir/out'"

exit $failed
