# A trace whose names try to break out of every notation.  Sourced after lib.sh.

# hostile_trace: to standard output; `paje` takes it leniently only, because of the single quotes
hostile_trace() {
    local names=("say \"hi\", 'you'" "'); DROP TABLE state; --" "\\" "it's \\'); DROP TABLE state; --" "<b>&amp;</b>"
        '</script><script>alert(1)</script>' "]]>" '${HOME} $(id) `id`' '%s%n%5$x' ':name @name ?1' '=1+1' 'a/b' 'a\/b'
        'comma, blank' '  blanks  ' '' 'null' '0x41' '-- ' '/*' $'tab\there' $'\001\033[31m\177' $'bell\a\b\f\v'
        $'\xff\xfe' $'cut \xc3' $'\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80' \
        $'Paj\xc3\xa9 \xe2\x80\xa8 \xef\xbf\xbe \xf0\x9f\x90\xa7'
        "\\N" "\\n\\0\\u0000" 'name.' '.quit' "{\"a\":1}" "\u003c" "NUL@NUL" $'\r' "q\"\\\",0);")
    local i name parent=0
    cat tests/tool/header.trace
    for i in "${!names[@]}"; do
        name=${names[i]}
        case $name in
        *\"*\'*) name=${name//\'/} ;;& # the format can write only one of both
        *\"*) name="'$name'" ;;
        *) name="\"$name\"" ;;
        esac
        printf '%s\n' "0 H$i $([ $i -gt 0 ] && echo H$((i - 1)) || echo 0) $name" "1 S$i H$i $name" "2 E$i H$i $name" \
            "3 P$i H$i $name $name" "4 L$i 0 H$i H$i $name" "5 v$i S$i $name $name" \
            "6 $i c$i H$i $parent $name $i" "11 $i S$i c$i v$i $name 7" "11 $i S$i c$i $name $name 7" \
            "30 $i E$i c$i $name $name $i" "20 $i P$i c$i $i.5" "40 $i L$i 0 c$i $name $name 1" \
            "41 $((i + 1)) L$i 0 c$i $name $name $name" "12 $((i + 1)) S$i c$i $name"
        parent=c$i
    done | sed 's/NUL@NUL/nul\x00byte/'
}
