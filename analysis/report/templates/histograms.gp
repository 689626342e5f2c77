# SPDX-License-Identifier: GPL-2.0-only
# Histograms of times, the modes over each other, a panel for each stage, all with one scale.
#
# DATA has the columns panel (1, 2, ...), mode, ns, share: the share of events (%) from this time to
# that of the next row. Settings: xlabel, ylabel; modes: those in the data, apart by spaces; modes_longest: characters of
# their longest words; xtics: what goes into "set xtics (...)"; xmin, xmax, ymax; panels: how many; columns: of panels;
# panel_title, panel_modes: arrays.
load ARG1
data = ARG2; out = ARG3; term = ARG4
panel_height = 200.0
legend_longest = modes_longest
load "panels.gp"

ns_of(p, m) = column("panel") == p && strcol("mode") eq m ? column("ns") : NaN

set multiplot
p = 0
eval set_panel
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
plot for [m in modes] NaN with lines lc rgb mode_color(m) dt mode_dash(m) lw 2 title mode_words(m)
eval end_legend

set logscale x 10
set xrange [xmin*0.8:xmax*1.25]
eval "set xtics nomirror font ',11' (".xtics.")"
set yrange [0:ymax]
set xlabel xlabel offset 0,0.4
do for [p=1:panels] {
	eval set_panel
	set title panel_title[p] font ",12" offset 0,-0.6
	unset label 1003
	y = panel_middle(p)
	if ((p - 1) % columns == 0) { eval put_ylabel }
	drawn = panel_modes[p]
	plot for [m in drawn] data using (ns_of(p, m)):(column("share")) with steps \
		lc rgb mode_color(m) dt mode_dash(m) lw 2
}
unset multiplot
