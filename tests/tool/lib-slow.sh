# Traces that were made to be slow.  Sourced after lib.sh.

# slow SHAPE N: to standard output; so many lines, times a few
slow() {
    cat tests/tool/header.trace
    printf '%s\n' '0 H 0 Host' '1 S H State' '2 E H Event' '3 V H Variable 0,0,1' '4 L H H H Link' '6 0 h H 0 host 1'
    awk -v shape="$1" -v n="$2" 'BEGIN {
        if (shape == "containers") # side by side
            for (i = 0; i < n; i++) print "6 0 c" i " H 0 container-" i " 1\n11 " i " S c" i " busy a 1"
        if (shape == "nested") { # within each other, each of a type of its own
            print "0 T0 H T0\n1 S0 T0 S\n6 0 c0 T0 h c0 1"
            for (i = 1; i <= n; i++)
                print "0 T" i " T" i - 1 " T" i "\n1 S" i " T" i " S\n6 0 c" i " T" i " c" i - 1 " c" i " 1\n11 " i " S" i " c" i " busy a 1"
        }
        if (shape == "own") # side by side, each of a type of its own
            for (i = 0; i < n; i++)
                print "0 T" i " H T" i "\n1 S" i " T" i " S\n6 0 c" i " T" i " h c" i " 1\n11 1 S" i " c" i " busy a 1"
        if (shape == "values") {
            for (i = 0; i < n; i++) print "5 v" i " S value-" i " 1,0,0\n10 " i " S h v" i " a"
            for (i = 0; i < n; i++) print "10 " n + i " S h made-on-the-fly-" i " a\n30 " n + i " E h event-" i " a 1"
        }
        if (shape == "types")
            for (i = 0; i < n; i++) print "3 V" i " H variable-" i " 0,0,1\n20 " i " V" i " h 1"
        if (shape == "alike") # types of one name, each with states on one container
            for (i = 0; i < n; i++) print "1 S" i " H Same\n11 " i " S" i " h busy a 1\n12 " i " S" i " h a"
        if (shape == "linktypes") # and links of each that begin and end there
            for (i = 0; i < n; i++)
                print "4 L" i " 0 H H Same\n40 " i " L" i " 0 h v k 1\n41 " i " L" i " 0 h v k a"
        if (shape == "stack") {
            for (i = 0; i < n; i++) print "11 " i " S h v" i % 10 " a 1"
            for (i = 0; i < n; i++) print "12 " n + i " S h a"
        }
        if (shape == "links") {
            for (i = 0; i < n; i++) print "40 " i " L h h v k" i " 1"
            for (i = 0; i < n; i++) print "41 " n + i " L h h v k" i * 7919 % n " a"
        }
        if (shape == "words") # one long word
            for (i = 0; i < n; i++) printf "%s%s", i ? "-word" : "30 1 E h \"", i == n - 1 ? "\" a 1\n30 2 E h b a 1\n" : ""
        if (shape == "errors")
            for (i = 0; i < n; i++) print "10 x S h v a\n99 1\n12 0 S h a"
    }'
}
