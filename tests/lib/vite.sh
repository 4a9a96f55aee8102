#!/bin/bash
# Opens a trace in ViTE, without a window: succeeds if ViTE draws it, with all links, and does not complain; otherwise
# prints why not.
# usage: tests/lib/vite.sh FILE.trace   writes FILE.trace.svg and other files beside it
set -u
paje=$(cd "$(dirname "$0")/../.." && pwd)/build/paje
cd "$(dirname "$1")" || exit 3
trace=$(basename "$1")
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$PWD
rm -f log.txt "$trace.svg"
# ViTE complains about comments; other complaints count.
sed '/^#/d' "$trace" >"$trace.vite"
timeout 60 vite -e "$trace.svg" "$trace.vite" >"$trace.out" 2>&1
status=$?
shapes() { grep -o "<$1 " "$trace.svg" 2>/dev/null | wc -l; }
links=$("$paje" dump "$trace" 2>/dev/null | grep -c '^Link')
# ViTE does not know PajeResetState, and says so.
complaints=$(grep '^[0-9]' log.txt 2>/dev/null | grep -v ': PajeResetState$')
if [ $status -ne 0 ] || [ "$(shapes rect)" -le 1 ]; then # one rectangle is the background
    echo "error: ViTE draws nothing (status $status): $(tail -n 1 "$trace.out")"
elif [ "$complaints" ]; then
    echo "error: ViTE: $(head -n 3 <<<"$complaints" | tr '\n' '|')"
elif [ "$(shapes polygon)" -ne "$links" ]; then
    echo "error: ViTE draws $(shapes polygon) of $links links"
else
    exit 0
fi
exit 1
