#!/bin/bash
# Names, and files' names, that try to control the terminal on which a command prints them.
. "$(dirname "$0")/lib.sh"

if command -v python3 >/dev/null; then
    python3 tests/tool/lib-terminal.py "$paje" "$dir/place" || failed=1
else
    skip 'names that control the terminal' 'no python3 (install python3)'
fi

exit $failed
