#!/bin/bash
# paje info.
. "$(dirname "$0")/lib.sh"

trace=$dir/whole.trace
cat tests/tool/header.trace tests/tool/body.trace >"$trace"

"$paje" info "$trace" >"$dir/out"
check 'info: definitions' grep -qx '  PajePushState 11: Time, Type, Container, Value, Mark (user), Line' "$dir/out"
check 'info: types, how many entities, values' grep -qx '      Thread = T: Container, 2' "$dir/out"
check 'info: values, those that were never defined too' \
    grep -qx '        Thread state = S: State, 5; polling, Running = r, waiting' "$dir/out"
check 'info: values of events' grep -qx '        Alarm = E: Event, 1; out of paper' "$dir/out"
check 'info: containers' grep -qx '      Thread one = t1: Thread, 0.25 to 5' "$dir/out"
"$paje" info --types "$trace" >"$dir/got"
cat >"$dir/expected" <<'END'
Parent, Name, Nature
0, Message, Link
Message, Mail, Value
0, Host, Container
Host, Thread, Container
Host, Power, Variable
Thread, Thread state, State
Thread state, polling, Value
Thread state, Running, Value
Thread state, waiting, Value
Thread, Alarm, Event
Alarm, out of paper, Value
END
same 'info --types' "$dir/expected" "$dir/got"
"$paje" info --containers "$trace" >"$dir/got"
cat >"$dir/expected" <<'END'
Parent, Name, Type, Nature
0, 0, 0, Container
0, Message, Message, Link
0, Host one, Host, Container
Host one, Power, Power, Variable
Host one, t2, Thread, Container
t2, Alarm, Alarm, Event
t2, Thread state, Thread state, State
Host one, Thread one, Thread, Container
Thread one, Alarm, Alarm, Event
Thread one, Thread state, Thread state, State
END
same 'info --containers' "$dir/expected" "$dir/got"
{
    cat tests/tool/header.trace
    awk 'function below(letter) { return i > 1 ? letter (i - 1) : "0" }
        BEGIN {
            for (i = 1; i <= 50000; i++)
                print "0 H" i " " below("H") " H" i "\n6 0 c" i " H" i " " below("c") " c" i " 1"
        }'
} >"$dir/deep.trace"
check 'info: trees as deep as they like' sh -c "test \$('$paje' info --containers '$dir/deep.trace' | wc -l) = 50002"
if has_pj_dump 'info: tables as those of pj_dump'; then
    for one in "$trace" $traces/tour.trace $traces/stencil.trace; do
        pj_dump -q --type-hierarchy="$dir/types" --entity-hierarchy="$dir/entities" "$one" >/dev/null
        "$paje" info --types "$one" >"$dir/got"
        same "info --types as pj_dump: $(basename "$one")" "$dir/types" "$dir/got"
        "$paje" info --containers "$one" >"$dir/got"
        same "info --containers as pj_dump: $(basename "$one")" "$dir/entities" "$dir/got"
    done
fi

exit $failed
