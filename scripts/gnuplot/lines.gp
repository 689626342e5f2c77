# SPDX-License-Identifier: GPL-2.0-only
# Medians with their intervals, a line for each mode, in one or more panels.
#
# DATA has the columns panel (1, 2, ...), mode, series (1, 2), x, median, low, high. Settings: xlabel,
# ylabel; modes: those in the data, apart by spaces; modes_longest: characters of their longest words; series: names, "" where there is one; xtics: what
# goes into "set xtics (...)"; ylog, bars (a point has an interval): 0 or 1; ymax; xmin, xmax; panels: how many; panel_title: array; base: 1 where
# values are relative to two-copy, which is then a line at 1.
load ARG1
data = ARG2; out = ARG3; term = ARG4
if (!exists("panel_height")) { panel_height = 235.0 }
series_nr = strlen(series) ? words(series) : 1
legend_rows = series_nr
legend_longest = modes_longest + (strlen(series) ? strlen(word(series, 1)) + 2 : 0)
if (!exists("base")) { base = 0 }
load "panels.gp"

here(p, m, s) = column("panel") == p && column("series") == s && strcol("mode") eq m
x_of(p, m, s) = here(p, m, s) ? column("x")*mode_dodge(m) : NaN
title_of(m, s) = mode_words(m).(strlen(series) ? ", ".word(series, s) : "")
point_of(m, s) = s == 1 ? mode_point(m) : mode_open_point(m)
line_width(s) = s == 1 ? 2 : 1

set multiplot
p = 0
eval set_panel
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
plot for [m in modes] for [s=1:series_nr] NaN with linespoints lc rgb mode_color(m) \
	dt mode_dash(m) lw line_width(s) pt point_of(m, s) ps 0.9 title title_of(m, s)
eval end_legend

set logscale x 2
set xrange [xmin*0.88:xmax*1.14]
eval "set xtics nomirror font ',11' (".xtics.")"
set xlabel xlabel offset 0,0.4
if (ylog) {
	set logscale y 10
} else {
	set yrange [0:*]
	if (base) { set yrange [0:1.08*(ymax > 1 ? ymax : 1)] }
}
if (base) {
	set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb mode_color("twocopy") lw 1.5 dt 2 back
}
set format y (ymax >= 1e6 ? "%.0s%c" : "%g")
do for [p=1:panels] {
	eval set_panel
	set title panel_title[p] font ",12" offset 0,-0.6
	unset label 1003
	y = panel_middle(p)
	if ((p - 1) % columns == 0) { eval put_ylabel }
	plot for [s=1:(bars ? series_nr : 0)] for [m in modes] data \
		using (x_of(p, m, s)):(column("median")):(column("low")):(column("high")) \
		with yerrorbars lc rgb mode_color(m) dt 1 lw 1.5 pt 0, \
	     for [s=1:series_nr] for [m in modes] data \
		using (x_of(p, m, s)):(column("median")) with linespoints \
		lc rgb mode_color(m) dt mode_dash(m) lw line_width(s) pt point_of(m, s) ps 0.9
}
unset multiplot
