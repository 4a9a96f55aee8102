#!/bin/sh
# tests/read/used.c, also with hash tables so small that all entries are in their trees, and with references of 16 bits.
set -u
cd "$(dirname "$0")/../.." || exit 3
status=0
# used NAME N OPTION...
used() {
    name=$1 count=$2
    shift 2
    if ! ${CC:-cc} -O1 -I. "$@" -o "build/tests/used-$name" tests/read/used.c; then
        echo "FAIL used/$name: does not compile"
        status=1
        return
    fi
    cases=$("build/tests/used-$name" "$count") || status=1
    echo "$cases" | sed "s,used/,used/$name/,"
}
make -s build/tests/read/used || exit 1
build/tests/read/used 100000 || status=1
used trees 30000 -DPAJESIM__BUCKET=1u
[ -z "${FULL:-}" ] || used short-chains 30000 -DPAJESIM__BUCKET=4u
used narrow 500 -DPAJESIM_REFERENCE=16
exit $status
