# The figures of the thesis, of what bench/mate has measured in the folder `dir`, as `picture`.
set terminal pngcairo noenhanced size 1000,720 font "sans,10"
set output picture
set multiplot layout 2,2
set style fill solid 0.7 noborder
load = "#8080c0"; more = "#c03030"; few = "#60a060"

set title "Load, and the workers that follow it (as figure 3.3)"
set xlabel "time (s)"
set ylabel "workers"
set key top left
set yrange [0:55]
plot dir."Load.txt" using 1:($2 * 5) with fillsteps fc rgb "#d0d0e8" title "load, times 5", \
     dir."Nopt.txt" with steps lc rgb few title "what iterations ask for", \
     dir."Workers.txt" with steps lw 2 lc rgb more title "workers"

set title "From an event to the change, medians (as figure 3.10)"
set xlabel ""
set ylabel "ms"
set key top right
stats dir."parts.txt" using 2 nooutput
set yrange [0:STATS_max * 1.4]
set style data histogram
set style histogram clustered gap 1
plot dir."parts.txt" using 2:xtic(1) lc rgb load title "until all events are read", \
     "" using 3 lc rgb few title "to evaluate", "" using 4 lc rgb more title "to send the change"

set title "Fixed numbers of workers, and tuned from 1 (as figure 5.1)"
set ylabel "s"
set xlabel "workers"
set yrange [0:19]
plot dir."fixed.txt" using 2:xtic(1) lc rgb load notitle, \
     "" using 0:2:(sprintf("%.1f", $2)) with labels offset 0,0.7 notitle

set title "A worker that becomes slow (as figure 5.2)"
set yrange [0:*]
plot dir."chunks.txt" using 2:xtic(1) lc rgb few title "none is slow", \
     "" using 3 lc rgb more title "one is slow: equal chunks", "" using 4 lc rgb load title "one is slow: tuned chunks"
