# For the scripts here: trace NAME BYTES OPTION... generates $dir/NAME.trace and answers in $file where it is.  What is
# there is kept, if it is as asked for and younger than the generator.
dir=build/bench/traces
mkdir -p $dir
trace() {
    file=$dir/$1.trace
    local made="-b ${*:2}"
    if [ ! -e "$file" ] || [ build/bench/generate -nt "$file" ] || [ "$made" != "$(cat "$file.options")" ]; then
        # shellcheck disable=SC2086
        build/bench/generate $made >"$file" || exit 3
        echo "$made" >"$file.options"
    fi
}
