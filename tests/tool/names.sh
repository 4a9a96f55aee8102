#!/bin/bash
# A command may have any name: those of functions and variables of the tool, of the C library, of other commands' files.
. "$(dirname "$0")/lib.sh"

names='run set main replay output usage filter array map text stream message merge2 tree rows printf exit index2'
for name in $names; do
    cat >"$dir/$name.c" <<END
#include "command.h"
static uint64_t count;
static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)sim, (void)entity;
    count++;
    return PAJESIM_GO_ON;
}
static void end(paje_run *run, int trace)
{
    (void)run, (void)trace;
    text_printf(&stream_output, "%llu", (unsigned long long)count);
    stream_end_line();
}
const paje_command command_$name = {.name = "$name", .summary = "Counts entities", .traces = 1,
                                   .filters = PAJE_FILTERS, .callbacks = {.closed = closed}, .end = end};
END
done
mkdir -p "$dir/list"
{ cat build/paje.d/command_list.h; printf 'PAJE_COMMAND(%s)\n' $names; } >"$dir/list/command_list.h"
flags='-std=c99 -Wall -Wextra -Wpedantic -Wshadow -Werror -I. -Iexamples -Iexamples/paje'
objects=$(find examples/base examples/paje -name '*.c' ! -path examples/paje/main.c | # those of files that are gone are not wanted
    sed 's|^examples/\(.*\)c$|build/paje.d/\1o|')
# shellcheck disable=SC2086
if ${CC:-cc} $flags "-I$dir/list" -o "$dir/paje" examples/paje/main.c "$dir"/*.c $objects ${LDFLAGS:-} -lm 2>"$dir/log"; then
    pass 'commands of such names compile and link'
else
    fail 'commands of such names compile and link' "$(grep -m 3 -E 'error|multiple|undefined' "$dir/log" | tr '\n' '|')"
fi
paje=$PWD/$dir/paje
cp $traces/tour.trace "$dir/tour.trace"
"$PWD/build/paje" dump "$dir/tour.trace" | wc -l | tr -d ' ' >"$dir/expected"
for name in $names; do
    "$paje" "$name" "$dir/tour.trace" >"$dir/got" 2>"$dir/err"
    same "$name: counts" "$dir/expected" "$dir/got"
done
"$PWD/build/paje" dump --type '*t*' -s 1 "$dir/tour.trace" | wc -l | tr -d ' ' >"$dir/expected"
"$paje" run --type '*t*' -s 1 "$dir/tour.trace" >"$dir/got"
same 'a new command has the filters' "$dir/expected" "$dir/got"
check 'and is in the help' sh -c "'$paje' --help | grep -q '^  set  *Counts entities'"

exit $failed
