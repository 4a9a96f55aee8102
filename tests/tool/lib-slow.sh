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
        if (shape == "sparse") # containers that have the last one of as many types
            for (i = n - 1; i >= 0; i--)
                if (i) print "1 S" i " H S" i
                else for (k = 0; k < n; k++) print "6 0 c" k " H 0 c" k " 1\n11 " k " S1 c" k " busy a 1"
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
        if (shape == "open") { # types that all have a state open, in which links begin and end, and events tell of these
            print "%EventDef PajeNewEvent 92\n% Time date\n% Type string\n% Container string\n% Value string\n% Key string"
            print "%EndEventDef\n2 Sent H Sent\n6 0 other H 0 other 1\n1 R H Receive"
            for (i = 0; i < n; i++) print "1 S" i " H S" i "\n40 " i " L h h v k" i " 1\n11 " i ".5 S" i " h lock a 1"
            print "10 " n " R other r a"
            for (i = 0; i < n; i++) print "41 " n + 1 + i " L h other v k" i " a"
            for (i = n - 1; i >= 0; i--) print "92 " 4 * n - i " Sent h e k" i "\n12 " 4 * n - i " S" i " h a"
        }
        if (shape == "scan" || shape == "barrier") { # ranks of one collective operation, which do not wait for each other
            print "%EventDef PajePushState 90\n% Time date\n% Type string\n% Container string\n% Value string"
            print "% Communicator string\n% Instance int\n% Rank int\n% Root int\n% Size int\n%EndEventDef\n0 P H P\n1 Q P Q"
            for (i = 0; i < n; i++) print "6 0 c" i " P h c" i " 1"
            for (i = 0; i < n; i++) print "90 " i " Q c" i " MPI_" shape " world 1 " i " -1 " n
            for (i = n - 1; i >= 0; i--) print "12 " 2 * n - i " Q c" i " a"
        }
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
