#!/bin/bash
# Debian packages, made in a copy of the tree: lintian finds nothing in them, and what is in them works.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=$PWD/build/tests/full/debian
failed=0
pass() { echo "PASS debian: $1"; }
fail() { echo "FAIL debian: $1: $2"; failed=1; }
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "\`$*\`: $(tail -n 5 <<<"$output" | tr '\n' '|')"; fi
}

for program in dpkg-buildpackage dh lintian; do
    command -v $program >/dev/null || {
        echo "SKIP debian: no $program (install dpkg-dev debhelper lintian)"
        exit
    }
done

rm -rf "$dir"
mkdir -p "$dir/tree" "$dir/root"
tar cf - --exclude=./build --exclude=./.git . | tar xf - -C "$dir/tree"
cp -r examples/packaging/debian "$dir/tree/"
if ! (cd "$dir/tree" && env -u MAKEFLAGS DEB_BUILD_OPTIONS='noautodbgsym noopt' dpkg-buildpackage -us -uc -b) >"$dir/log" 2>&1; then
    fail 'dpkg-buildpackage' "$(tail -n 3 "$dir/log" | tr '\n' '|')"
    exit 1
fi
pass 'dpkg-buildpackage'
check 'the version' test "$(dpkg-parsechangelog -l examples/packaging/debian/changelog -S Version)" = \
    "$(sed -n 's/^#define PAJESIM_VERSION_TEXT "\(.*\)"/\1/p' pajesim.h)"
lintian "$dir"/*.changes >"$dir/lintian" 2>/dev/null
check 'lintian' test ! -s "$dir/lintian"
cat "$dir/lintian" >&2

for package in "$dir"/*.deb; do dpkg -x "$package" "$dir/root"; done
paje=$dir/root/usr/bin/paje
check 'paje' sh -c "'$paje' dump tests/traces/tour.trace | grep -q '^Link'"
check 'paje trace finds its library' sh -c "cd '$dir' && '$paje' trace -o t.trace ls && '$paje' validate --strict t.trace"
check 'the manual page' sh -c "gzip -dc '$dir/root/usr/share/man/man1/paje.1.gz' | grep -q '^.TH PAJE 1'"
for file in bash-completion/completions/paje fish/vendor_completions.d/paje.fish zsh/vendor-completions/_paje; do
    check "share/$file" test -s "$dir/root/usr/share/$file"
done
cat >"$dir/states.c" <<'END'
#define PAJESIM_IMPLEMENTATION
#define PAJEWRITE_IMPLEMENTATION
#include <pajesim.h>
#include <pajewrite.h>
int main(void) { return pajesim_version() == 0; }
END
check 'the headers' sh -c "${CC:-cc} \$(PKG_CONFIG_PATH='$dir/root/usr/share/pkgconfig' PKG_CONFIG_SYSROOT_DIR='$dir/root' \
    pkg-config --cflags pajesim pajewrite || echo -I'$dir/root/usr/include') '$dir/states.c' -o '$dir/states' && '$dir/states'"
check 'all that is installed is in a package' sh -c "! find '$dir/tree/debian/tmp' ! -type d | sed 's|.*/debian/tmp/||' |
    sed 's|zsh/site-functions|zsh/vendor-completions|; s|\(man1/.*\)|\1.gz|' | while read -r file; do
        test -e '$dir/root/'\$file || echo \$file; done | grep ."

exit $failed
