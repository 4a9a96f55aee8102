# How long several processes take for a trace without an index, on as many idle cores: a schedule, from what the steps
# cost one process.  See replay/relay.h and replay/chunks.c of the tool.
# usage: awk -v read=1.1 -v feed=0.06 -v replay=2.1 -v parts=2500 -f bench/schedule.awk
#   read, feed, replay   CPU time for the whole trace, in units of `paje null`: to read it by chunks, to feed what lasts
#                        of the chunks, to replay it with output
#   parts                of 4 MB
#        awk -v look=0.41 -v survey=0.79 -v write=2.67 -v skip=0.06 -v parts=2500 -f bench/schedule.awk
#   look, survey, write  those of a merge, in units of `paje null` of all files: to look whether they are in order, to
#                        read what has to be known of all of them, to write
#   skip                 what a process needs for all lines that others write
function most(a, b) { return a > b ? a : b }

# Processes that hand the state from part to part: dump.  Sizes are in units of the smallest part of few processes.
function relay(processes,    few, n, k, total, sizes, before, rest, free, at, state, ended, written) {
    few = processes <= 4
    for (n = 0; n < parts; n++) {
        before[n] = few && n % processes == 0 ? 2 : 0 # the state is handed over
        total += sizes[n] = !few ? 8 : before[n] + 5
    }
    for (n = 0; n < parts; n++) {
        k = n % processes
        rest = n ? (sizes[n - 1] - before[n - 1]) / total : 0
        at = few && k == 0 ? most(ended, free[k]) : most(state, free[k] + read * rest) + feed * rest
        state = at + replay * before[n] / total
        ended = at + replay * sizes[n] / total
        written = most(written, ended)
        free[k] = written
    }
    return written
}

# Processes that read, and one that feeds: null, validate, index.
function team(processes,    n, k, free, fed) {
    for (n = 0; n < parts; n++) {
        k = n % processes
        free[k] = most(free[k], n < 2 * processes ? 0 : fed[n - 2 * processes]) + read / parts
        fed[n] = most(fed[n - 1], free[k]) + feed / parts
    }
    return fed[parts - 1]
}

# Processes that write ranges in turn, after one has read what they have to know: merge.
function ranges(processes,    n, k, free, written) {
    for (n = 0; n < parts; n++) {
        k = n % processes
        if (n < processes)
            free[k] = look / processes + survey
        written = most(written, free[k] + write / parts + skip * processes / parts)
        free[k] = written
    }
    return written
}

BEGIN {
    if (write) {
        print "processes  merge, times as fast"
        for (processes = 2; processes <= 64; processes *= 2)
            printf "%9d %21.1f\n", processes, (look + survey + write) / ranges(processes)
        exit
    }
    print "processes  null, times as fast  dump, times as fast"
    for (processes = 2; processes <= 64; processes *= 2)
        printf "%9d %20.1f %20.1f\n", processes, 1 / team(processes), replay / relay(processes)
}
