# Draws a table of bench/full, a line for each column; `csv`, the output and the titles are set before.
set terminal svg size 720,420 font 'sans-serif,13' background '#ffffff'
set datafile separator comma
set logscale x
set format x '%.0s%c'
set yrange [0<*:]
set key outside bottom center horizontal
set autoscale xfix
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
stats csv skip 1 nooutput
plot for [i = 2 : STATS_columns] csv using 1:i with linespoints pt 7 ps 0.5 lw 2 title columnheader(i)
