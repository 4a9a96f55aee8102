# Draws a table of bench/full, a line for each column; `csv`, the output and the titles are set by the caller.
set terminal svg noenhanced size 720,400 font 'sans-serif,13' background '#ffffff'
set datafile separator comma
set logscale x
set format '%.0s%c'
set yrange [0<*:]
set key outside right center
set autoscale xfix
set grid lc rgb '#dddddd'
set border 3
set linetype 5 lc rgb '#d62728'
set linetype 7 lc rgb '#555555'
set tics nomirror
stats csv skip 1 nooutput
plot for [i = 2 : STATS_columns] csv using 1:i with linespoints pt 7 ps 0.5 lw 2 title columnheader(i)
