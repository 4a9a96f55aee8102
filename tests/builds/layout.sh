#!/bin/bash
# Layouts: images of another one are refused; the public structs have one whatever the compiler's flags are; options that
# change it do not link with others.
set -u
cd "$(dirname "$0")/../.." || exit 3
dir=build/tests/layout
rm -rf $dir
mkdir -p $dir
compiler=${CC:-cc} failed=0

pass() { echo "PASS layout $1"; }
fail() { echo "FAIL layout $1: $2"; failed=1; }

# ---- the lists of members from which the fingerprint of images is made

awk -f tests/builds/layout.awk src/pajesim/*/*.h >$dir/members
records=$(awk '$1 == "list" { print $2 }' $dir/members | sort -u)
[ "$(wc -w <<<"$records")" -ge 20 ] || fail 'lists of members' "only these: $records"
for record in $records; do
    members() { awk -v kind="$1" -v record="$record" '$1 == kind && $2 == record { print $3 }' $dir/members | sort -u; }
    if ! diff <(members struct) <(members list) >$dir/diff; then
        fail "$record" "its list of members is not that of the struct: $(grep '^[<>]' $dir/diff | sed 's/^< /lacks /; s/^> /has /' | tr '\n' ';')"
    elif ! grep -q "X($record, " src/pajesim/travel/*.h; then
        fail "$record" 'its list is not in PAJESIM__RECORDS or PAJESIM__INDEX_RECORDS'
    else
        pass "$record: members"
    fi
done

# The fingerprint has the length and five characters of each name (PAJESIM__HASH_NAME).
if alike=$(awk 'function at(i, of) { return substr($3, int((n + 1) * i / of) + 1, 1) }
    $1 == "list" {
        n = length($3)
        key = $2 " " n substr($3, 1, 1) at(1, 2) at(2, 3) at(3, 4) substr($3, n)
        if (key in seen && seen[key] != $3) { print $2 ": " seen[key] " and " $3; exit }
        seen[key] = $3
    }' $dir/members) && [ ! "$alike" ]; then
    pass 'names that differ in the fingerprint'
else
    fail 'names that differ in the fingerprint' "$alike do not; rename one"
fi

# A record that PAJESIM__AT finds in an arena, or PAJESIM__STORED in an index, without a list.
records=$(grep -ohE 'PAJESIM__(AT|STORED|WHOLE)\((sim, )?(const )?pajesim__[a-z_0-9]+' src/pajesim/{memory,text,model,simulation,run}/*.h src/pajesim/travel/{image,index_store,index_build}.h |
    sed 's/.*[( ]//' | sort -u)
[ "$(wc -w <<<"$records")" -ge 20 ] || fail 'records in arenas and indexes' "only these: $records"
for record in $records; do
    if grep -q "^struct $record " $dir/members && ! grep -q "^list $record " $dir/members; then
        fail "$record" 'it lies in images, but has no list of members behind its struct'
    fi
done

# ---- two members of a record change places

build() { "$compiler" -std=c99 -O0 -DPAJESIM_SIMD=0 "-I$1" tests/write/exchange.c -o "$2"; }
build . $dir/exchange || exit 3
trace=tests/traces/stencil.trace
$dir/exchange write $trace $dir/image $dir/index || exit 3
# swapped NAME FROM TO EXPECTED: by a header that has TO in place of FROM
swapped() {
    local got
    mkdir -p "$dir/$1"
    sed "s/$2/$3/" pajesim.h >"$dir/$1/pajesim.h"
    if cmp -s pajesim.h "$dir/$1/pajesim.h"; then
        fail "$1 swapped" "there is no \`$2\` any more; mend this test"
        return
    fi
    build "$dir/$1" "$dir/exchange-$1" || exit 3
    got=$("$dir/exchange-$1" read $trace $dir/image $dir/index 2>&1 | grep '^the ' | tr '\n' ' ')
    if [ "$got" = "the image: $4 the index: foreign " ]; then pass "$1 swapped"; else fail "$1 swapped" "it said \`$got\`"; fi
}
swapped link '^    pajesim__offset next, previous; .*of its container.*' '    pajesim__offset previous, next;' foreign
swapped checkpoint '^    uint32_t image_size, count, top;' '    uint32_t count, image_size, top;' ok

# ---- flags of the compiler

numbers='-DPAJESIM_TIME_DECIMALS=9 -DPAJESIM_VALUE_DECIMALS=6'
if [[ $($compiler -dumpmachine) == x86_64-* ]]; then
    flags=('-msse2' '-mgeneral-regs-only')
    ! grep -qw avx2 /proc/cpuinfo || flags+=('-mavx2')
    for flag in "${flags[@]}"; do
        # shellcheck disable=SC2086
        "$compiler" -std=c99 -O0 $numbers "$flag" -I. -c tests/lib/implementation.c -o "$dir/implementation$flag.o" || exit 3
        # shellcheck disable=SC2086
        "$compiler" -std=c99 -O0 $numbers "$flag" -I. -c tests/builds/apart.c -o "$dir/user$flag.o" || exit 3
    done
    for user in "${flags[@]}"; do
        for implementation in "${flags[@]}"; do
            if why=$("$compiler" "$dir/user$user.o" "$dir/implementation$implementation.o" -o $dir/apart 2>&1 && $dir/apart 2>&1); then
                pass "user $user, implementation $implementation"
            else
                fail "user $user, implementation $implementation" "${why:-it ends badly}"
            fi
        done
    done
    implementation=$dir/implementation-msse2.o
else
    echo 'SKIP layout flags: those of x86_64 (nothing to install)'
    # shellcheck disable=SC2086
    "$compiler" -std=c99 -O1 $numbers -I. -c tests/lib/implementation.c -o $dir/implementation.o || exit 3
    implementation=$dir/implementation.o
fi

# ---- options that change a struct

for option in PAJESIM_REFERENCE=16 PAJESIM_TIME_DECIMALS=6 PAJESIM_VALUE_DECIMALS=3 PAJESIM_CACHE=64 PAJESIM_SIMD=1 PAJESIM_SIMD=0 \
    PAJESIM_TRAVEL=0; do
    name=${option#PAJESIM_}
    name=$(tr 'A-Z=' 'a-z_' <<<"$name")
    printf '%s\n' '#include "pajesim.h"' 'int main(void) { static uint64_t arena[512]; static pajesim sim;' \
        'return (int)pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL); }' >$dir/option.c
    defaults=
    [ ${option%=*} = PAJESIM_TIME_DECIMALS ] || defaults+=' -DPAJESIM_TIME_DECIMALS=9'
    [ ${option%=*} = PAJESIM_VALUE_DECIMALS ] || defaults+=' -DPAJESIM_VALUE_DECIMALS=6'
    # shellcheck disable=SC2086
    if "$compiler" -std=c99 $defaults -D$option -I. $dir/option.c $implementation -o $dir/option 2>$dir/option.err; then
        fail "$option" 'it links with other options'
    elif grep -q "undefined.*pajesim_init_.*_${name}" $dir/option.err; then
        pass "$option does not link with another"
    else
        fail "$option" "the message does not name it: $(tail -n 1 $dir/option.err)"
    fi
done
exit $failed
