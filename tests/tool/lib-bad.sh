# A trace with four errors and a warning, $dir/bad.trace, behind line $at.
trace=$dir/whole.trace
cat tests/tool/header.trace tests/tool/body.trace >"$trace"
{
    cat "$trace"
    echo '30 8 E absent late a 1'
    echo '30 soon E h1 late a 1'
    echo "99 ${1:-$(printf '\033')}[31m"
    echo '30 8 E h1 "open'
    echo '0 H2 0 Host more'
} >"$dir/bad.trace"
at=$(wc -l <"$trace")
