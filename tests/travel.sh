#!/bin/bash
# Travel in time through traces in one file: those here, those of the corpus up to a size, and made up ones.
# usage: tests/travel.sh [KILOBYTES]   30 by default
set -u
cd "$(dirname "$0")/.." || exit 3
make -s build/tests/travel || exit 3
files=(tests/traces/{crlf,dialects,included,stencil,tour}.trace)
if [ -d "${CORPUS:-}" ]; then
    mapfile -t corpus < <(find "$CORPUS" -name '*.trace' -size "-${1:-30}k" | LC_ALL=C sort | xargs grep -L PajeTraceFile)
    files+=("${corpus[@]}")
fi
build/tests/travel "${files[@]}"
