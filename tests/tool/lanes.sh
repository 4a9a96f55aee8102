#!/bin/bash
# Lanes, in which `svg`, `html`, `platform`, `diff` and `view` keep what they draw.
. "$(dirname "$0")/lib.sh"

make -s build/tests/tool/lib-lanes || exit 3
build/tests/tool/lib-lanes || failed=1

exit $failed
