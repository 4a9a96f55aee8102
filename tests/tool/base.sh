#!/bin/bash
# What the files of the tool share: examples/base, and parts of examples/paje/replay by themselves.
. "$(dirname "$0")/lib.sh"

make -s build/tests/tool/lib-{base,texts,process,replay} || exit 3
build/tests/tool/lib-base >"$dir/first" || failed=1
build/tests/tool/lib-base >"$dir/second"
grep -v ^NOTE "$dir/first"
build/tests/tool/lib-texts || failed=1
# What is for other processors than x86.
check 'without SSE2, compiled' ${CC:-cc} -std=c99 -U__SSE2__ -I. -Iexamples -o "$dir/plain" tests/tool/lib-texts.c \
    build/paje.d/base/*.o -lm
check 'without SSE2' "$dir/plain"
build/tests/tool/lib-process || failed=1
build/tests/tool/lib-replay || failed=1
check 'hashes differ from run to run' sh -c "! cmp -s '$dir/first' '$dir/second'"
for file in examples/base/*.h examples/paje/*.h examples/paje/{raw,replay,timeline,chart}/*.h; do
    check "$file compiles alone" sh -c "echo '#include \"${file#examples/}\"' |
        ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. -Iexamples -Iexamples/paje -xc -"
done
check 'includes: base knows neither replay nor commands' sh -c \
    "! grep -n '#include \"\(raw\|replay\|timeline\|chart\|command\)' examples/base/*.[ch]"
check 'includes: replay knows no commands' sh -c "! grep -n '#include \"\(timeline\|chart\|command\)' examples/paje/replay/*.[ch]"
check 'includes: the timeline knows no commands' sh -c "! grep -n '#include \"command' examples/paje/timeline/*.[ch]"
check 'includes: charts know no commands' sh -c "! grep -n '#include \"command' examples/paje/chart/*.[ch]"

exit $failed
