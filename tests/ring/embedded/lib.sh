# Sourced by embedded.sh and sizes.sh, in the top-level folder.
dir=build/tests/ring/embedded
failed=0
mkdir -p $dir

pass() { echo "PASS embedded $1"; }
fail() { echo "FAIL embedded $1: $2"; failed=1; }

# reason LOG: prints the relevant lines of a log
reason() { { grep -aiE 'error|warning|differ|lost' "$1" || cat "$1"; } | head -n 3 | tr '\n' '|'; }

# check NAME COMMAND...: passes if the command succeeds
check() {
    local name=$1 log=$dir/log.$BASHPID
    shift
    if "$@" >$log 2>&1; then pass "$name"; else fail "$name" "$(reason $log)"; fi
    rm $log
}

# needs NAME {COMMAND PACKAGE}...
needs() {
    local name=$1
    shift
    while [ $# -gt 0 ]; do
        command -v "$1" >/dev/null || { echo "SKIP embedded $name: no $1 (install $2)"; return 1; }
        shift 2
    done
}

need_arm='arm-none-eabi-gcc gcc-arm-none-eabi qemu-system-arm qemu-system-arm'
need_riscv='riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf qemu-system-riscv32 qemu-system-misc'
need_avr='avr-gcc gcc-avr simavr simavr'

# run BOARD PROGRAM [OPTIONS]: builds it without a warning, and runs it with $input; the output is $dir/BOARD.PROGRAM
run() {
    local name=$1.$(basename "$2" .c)
    rm -f "$dir/$name.elf"
    timeout 120 make -s -C examples/firmware BOARD="$1" PROGRAM="$2" OPTIONS="${WERROR--Werror} ${CPPFLAGS-} ${3-}" \
        OUT="$PWD/$dir/$name.elf" run <"${input:-/dev/null}" >"$dir/$name" 2>"$dir/$name.err" && return
    cat "$dir/$name.err"
    return 1
}
