# SPDX-License-Identifier: GPL-2.0-only
# Medians with their intervals, a line for each mode, in one or more panels with one scale.
#
# DATA has the columns panel (1, 2, ...), mode, series (1, 2), x, median, low, high, rounds; a row of 0 rounds is a
# value that is not known: the line has a gap there, and "n/a" stands at the foot. Settings: xlabel, ylabel; modes: those
# in the data, apart by spaces; modes_longest: characters of their longest words; xtics: what goes into "set xtics (...)";
# ylog, bars (a point has an interval): 0 or 1; ymin, ymax: of the axis; ytics: as xtics, or "" for gnuplot's; xmin, xmax;
# panels: how many; columns: of panels; panel_title, panel_modes: arrays; base: 1 where values are relative to two-copy,
# which is then a line at 1.
load ARG1
data = ARG2; out = ARG3; term = ARG4
if (!exists("panel_height")) { panel_height = 235.0 }
legend_longest = modes_longest
if (!exists("base")) { base = 0 }
load "panels.gp"

# As wide as the axis is: beside each other, in the middle the tick, where there are intervals to tell apart.
x_low = xmin/1.25; x_high = xmax*1.25
x_pad = (x_high/x_low)**0.03
dodge(m, all) = bars ? (x_high/x_low)**(0.016*(number_in(all, m, 1) - 0.5*(words(all) + 1))) : 1
here(p, m) = column("panel") == p && strcol("mode") eq m
x_of(p, m) = here(p, m) ? column("x")*dodge(m, panel_modes[p]) : NaN
y_of(name) = column("rounds") > 0 ? column(name) : NaN
share_of(y) = ylog ? ymin*(ymax/ymin)**y : ymax*y
x_gap(p, m) = here(p, m) && column("rounds") == 0 ? column("x") : NaN
y_gap(p, m) = share_of(0.05 + 0.075*(number_in(panel_modes[p], m, 1) - 1))

set multiplot
p = 0
eval set_panel
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
plot for [m in modes] NaN with linespoints lc rgb mode_color(m) \
	dt mode_dash(m) lw 2 pt mode_point(m) ps 0.9 title mode_words(m)
eval end_legend

set logscale x 2
set xrange [x_low/x_pad:x_high*x_pad]
eval "set xtics nomirror font ',11' (".xtics.")"
set xlabel xlabel offset 0,0.4
if (ylog) { set logscale y 10 }
set yrange [ymin:ymax]
set format y (ymax >= 1e6 ? "%.0s%c" : "%g")
if (strlen(ytics)) { eval "set ytics nomirror font ',11' (".ytics.")" }
if (base) {
	set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb mode_color("twocopy") lw 1.5 dt 2 back
}
do for [p=1:panels] {
	eval set_panel
	set title panel_title[p] font ",12" offset 0,-0.6
	unset label 1003
	y = base ? 0.5*(panel_middle(1) + panel_middle(panels)) : panel_middle(p)
	if (base ? p == 1 : (p - 1) % columns == 0) { eval put_ylabel }
	drawn = panel_modes[p]
	plot for [i=1:(bars ? words(drawn) : 0)] data using (x_of(p, word(drawn, i))):(y_of("median")):(y_of("low")):(y_of("high")) \
		with yerrorbars lc rgb mode_color(word(drawn, i)) dt 1 lw 1.5 pt 0, \
	     for [m in drawn] data using (x_of(p, m)):(y_of("median")) with linespoints \
		lc rgb mode_color(m) dt mode_dash(m) lw 2 pt mode_point(m) ps 0.9, \
	     for [m in drawn] data using (x_gap(p, m)):(y_gap(p, m)):("n/a") with labels font ",9" tc rgb mode_color(m)
}
unset multiplot
