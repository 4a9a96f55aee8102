#!/bin/bash
# The pages of `paje html` in headless Chromium: what is drawn, zooming, moving, tooltips, search, and hostile names.
set -u
cd "$(dirname "$0")/../.." || exit 3
export CORPUS=${CORPUS:-}
if ! command -v chromium >/dev/null; then
    echo 'SKIP html in a browser: no chromium (install chromium)'
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo 'SKIP html in a browser: no python3 (install python3)'
    exit 0
fi
make -s paje build/bench/generate || exit 3
exec timeout 300 python3 tests/full/html.py build/tests/full/html
