# Compares a trace with what a program says of itself.
# usage: awk -f openmp_check.awk [-v sections=for] [-v within=1] COUNTS containers.csv states.csv
# COUNTS: lines NAME COUNT of states, as `implicit_task 12` (-1: any), and of threads; the CSV files are those of `paje csv`.
# With sections=for, sections are loops in the trace.  With within=1 each implicit task has to be within its region, which
# LLVM's library does not ensure.  Prints what differs, nothing if all is right.
BEGIN { FS = "[ ,]" }
function nanoseconds(seconds) { return int(seconds * 1e9 + 0.5) }
FNR == 1 { file++ }
file == 1 { expected[sections && $1 == "sections" ? sections : $1] += $2; next }
FNR == 1 { FS = "," ; next }
file == 2 && $4 == "Thread" { threads++; life[$2] = nanoseconds($8) "-" nanoseconds($9) }
file == 3 && $8 == 0 && $3 == "State" {
    if (nanoseconds($5) == bottom_end[$2]) # it is in the place of the one before
        sub(/-.*/, "", bottom[$2])
    bottom[$2] = bottom[$2] (bottom[$2] == "" || bottom[$2] ~ /-/ ? nanoseconds($5) : "") "-" nanoseconds($6)
    bottom_end[$2] = nanoseconds($6)
}
file == 3 && $9 ~ /^omp / {
    name = substr($9, 5)
    if (within && name ~ /^(parallel|implicit task) /) {
        place = substr(name, name ~ /^p/ ? 10 : 15)
        n = ++times[name ~ /^p/, place]
        from[name ~ /^p/, place, n] = nanoseconds($5)
        to[name ~ /^p/, place, n] = nanoseconds($6)
        places[place]
    }
    if (name ~ /^wait /)
        next
    if (name !~ /^(implicit task|task resumed)/)
        sub(/ .*/, "", name)
    else
        name = name ~ /^i/ ? "implicit_task" : "resumed"
    found[name]++
}
END {
    for (name in expected)
        if (expected[name] >= 0 && (name == "threads" ? threads : found[name] + 0) != expected[name])
            print name ": the program counts " expected[name] ", the trace has " \
                (name == "threads" ? threads : found[name] + 0)
    for (place in places)
        for (i = 1; i <= times[0, place]; i++) {
            for (n = times[1, place]; n; n--)
                if (from[1, place, n] <= from[0, place, i] && to[0, place, i] <= to[1, place, n])
                    break
            if (!n)
                print "an implicit task outlives its region " place ": " from[0, place, i] "-" to[0, place, i]
        }
    for (alias in life)
        if (bottom[alias] != life[alias])
            print "a thread lives " life[alias] ", its states " bottom[alias]
}
