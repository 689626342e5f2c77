# Draws copy-times again: `gnuplot copy-times.plot` writes copy-times.svg into the working directory,
# `gnuplot -e "term='pdf'" copy-times.plot` a PDF; png is the third form.
if (!exists("term")) { term = "svg" }
if (!exists("out")) { out = "copy-times.".term }
$data << END_OF_DATA_OF_NETIOTRACE
panel,mode,series,x,median,low,high,rounds
1,twocopy,1,4096,335.4099224,283.8682984,386.9515465,2
1,twocopy,1,65536,206.2602781,44.08258384,247.3861405,3
1,onecopy,1,4096,271.2784514,120.8171297,390.9206667,3
1,onecopy,1,65536,94.49981507,33.11534361,147.4002941,3
1,zerocopy,1,4096,0,0,0,3
1,zerocopy,1,65536,0,0,0,3
2,twocopy,1,4096,258.1812881,228.9692565,287.3933198,2
2,twocopy,1,65536,184.8022951,163.5579268,184.9492204,3
2,onecopy,1,4096,43.01109305,0,243.8076446,3
2,onecopy,1,65536,65.75125839,48.06646732,99.58224265,3
2,zerocopy,1,4096,0,0,0,3
2,zerocopy,1,65536,113.0646505,83.30800545,153.5180904,3
3,twocopy,1,4096,0,0,0,2
3,twocopy,1,65536,0,0,0,3
3,onecopy,1,4096,0,0,0,3
3,onecopy,1,65536,0,0,0,3
3,zerocopy,1,4096,974.952287,270.4878066,1167.656854,3
3,zerocopy,1,65536,176.8286712,150.999678,251.4677461,3
4,twocopy,1,4096,38.69515465,0,77.39030929,2
4,twocopy,1,65536,0,0,0,3
4,onecopy,1,4096,0,0,0,3
4,onecopy,1,65536,0,0,0,3
4,zerocopy,1,4096,0,0,0,3
4,zerocopy,1,65536,0,0,0,3

END_OF_DATA_OF_NETIOTRACE
ARG2 = "$data"; ARG3 = out; ARG4 = term
# SPDX-License-Identifier: GPL-2.0-only
# Medians with their intervals, a line for each mode, in one or more panels.
#
# DATA has the columns panel (1, 2, ...), mode, series (1, 2), x, median, low, high. Settings: xlabel,
# ylabel; modes: those in the data, apart by spaces; series: names, "" where there is one; xtics: what
# goes into "set xtics (...)"; ylog, bars (a point has an interval): 0 or 1; ymax; xmin, xmax; panels: how many; panel_title: array; base: 1 where
# values are relative to two-copy, which is then a line at 1.
xtics = "'4k' 4096,'64k' 65536"
xlabel = "message size (bytes)"
ylabel = "CPU time (ns per KiB)"
series = ""
modes = "twocopy onecopy zerocopy"
panels = 4
array panel_title[4] = ["send copy", "receive copy", "deferred copy", "gather"]
ylog = 0
bars = 1
ymax = 1167.656854
xmin = 4096
xmax = 65536
title = "CPU time of each copy by message size, from samples, instead of how long a copy takes"
all_modes = "twocopy onecopy zerocopy"
all_mode_words = "two-copy one-copy zero-copy"
all_mode_colors = "#0072B2 #D55E00 #009E73"
all_mode_points = "7 5 9"
all_mode_open_points = "6 4 8"
all_mode_dashes = "1 2 4"
caption = "Linux 6.18.44-fc-v782, AMD EPYC, 2 CPUs, virtualization: vm, path loopback, MTU 65536, clock tsc.\nMedians of 2 to 3 rounds; bars: intervals of 50.0 % and more.\nWith 1 thread. Single copies are not timed (this kernel refused the program (permission denied)). A point at 0:\nno sample fell on that copy, not that there was none."
caption_lines = 4
data = ARG2; out = ARG3; term = ARG4
if (!exists("panel_height")) { panel_height = 235.0 }
series_nr = strlen(series) ? words(series) : 1
legend_rows = series_nr
if (!exists("base")) { base = 0 }
# SPDX-License-Identifier: GPL-2.0-only
# Where the panels of a picture are: two or three beside each other, the legend, title and caption of
# all of them in a frame of their own. Loaded by lines.gp and histograms.gp after the settings (width: of a
# picture that is not as wide as the others), panel_height and legend_rows.
caption_height = 10.0 + 16.0*caption_lines
if (!exists("width")) { width = 900 }
columns = panels == 3 && width > 600 ? 3 : panels > 1 ? 2 : 1
rows = (panels + columns - 1)/columns
top = 82.0 + 14.0*legend_rows + (legend_rows > 1 ? 8 : 0); bottom = 78.0 + caption_height; gap = 84.0
left = 92.0; middle = columns == 3 ? 64.0 : 76.0; right = 20.0
height = top + bottom + rows*panel_height + (rows - 1)*gap
panel_width = (width - left - right - (columns - 1)*middle)/columns
# SPDX-License-Identifier: GPL-2.0-only
# What all pictures share: terminals, colours, frame. Loaded by the others, after width and height (in
# pixels), caption_height, out and term are set.
#
# A template gets SETTINGS in ARG1, DATA in ARG2, the output in ARG3 and svg, png or pdf in ARG4. netiotrace makes
# one script of templates, settings and data, without any load (user/report/plotter.c).
#
# SETTINGS are gnuplot assignments of netiotrace: title, caption, caption_lines, the
# modes (all_modes, and by their order all_mode_words, all_mode_colors, ...) and what the template names. DATA is CSV with a header; columns are used by name.
#
# The colours of Okabe and Ito, which colour-blind readers can distinguish. Points, dashes and patterns
# also differ, for print.

if (term eq "svg") {
	set terminal svg size width,height font "sans-serif,13" background "white" noenhanced
}
# For print: 100 pixels an inch, and what is as thick as a pixel is 0.72 points thick.
if (term eq "pdf") {
	set terminal pdfcairo size width/100.0,height/100.0 font "sans-serif,13" fontscale 0.72 \
		linewidth 0.72 pointscale 0.72 background "white" noenhanced
}
if (term eq "png") {
	set terminal pngcairo size 2*width,2*height font "sans-serif,13" fontscale 2 \
		linewidth 2 pointscale 2 background "white" noenhanced
}
if (strlen(out)) { set output out }
set encoding utf8
set datafile separator comma
set datafile columnheaders
set datafile missing ""

# Modes by number, from SETTINGS; one that is not there is drawn as itself, in grey.
mode_number(m, i) = i > words(all_modes) ? 0 : word(all_modes, i) eq m ? i : mode_number(m, i + 1)
mode_of(m) = mode_number(m, 1)
mode_words(m) = mode_of(m) ? word(all_mode_words, mode_of(m)) : m
mode_color(m) = mode_of(m) ? word(all_mode_colors, mode_of(m)) : "#999999"
mode_point(m) = mode_of(m) ? int(word(all_mode_points, mode_of(m))) : 1
mode_open_point(m) = mode_of(m) ? int(word(all_mode_open_points, mode_of(m))) : 1
mode_dash(m) = mode_of(m) ? int(word(all_mode_dashes, mode_of(m))) : 1
# Modes beside each other, not over each other.
mode_dodge(m) = 1 + 0.03*(mode_of(m) - 0.5*(words(all_modes) + 1))

part_color(k) = word("#0072B2 #E69F00 #009E73 #D55E00 #CC79A7 #56B4E9 #F0E442 #999999 #882255", 1 + (k-1)%9)
part_pattern(k) = int(word("1 2 4 5 6 7 3 3 1", 1 + (k-1)%9))

# The title of a vertical axis, always at the same distance from the edge: y is the middle of the
# axis, as a share of the height.
put_ylabel = "set label 1003 ylabel at screen 20.0/width, screen y center rotate by 90 front"

set border 3 lc rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set grid ytics lc rgb "#dddddd" lt 1
set style fill solid 1 noborder
set label 1001 title at screen 0.5, screen 1 - 18.0/height center font ",15" front
set label 1002 caption at screen 12.0/width, screen caption_height/height left font ",10.5" \
	textcolor rgb "#333333" front

panel_left(p) = (left + ((p - 1) % columns)*(panel_width + middle))/width
panel_top(p) = 1 - (top + int((p - 1)/columns)*(panel_height + gap))/height

# Margins of panel p; 0: the frame of the legend.
set_panel = "set lmargin at screen (p ? panel_left(p) : 0.01);".\
	"set rmargin at screen (p ? panel_left(p) + panel_width/width : 0.99);".\
	"set tmargin at screen (p ? panel_top(p) : 0.995);".\
	"set bmargin at screen (p ? panel_top(p) - panel_height/height : 0.005)"

panel_middle(p) = panel_top(p) - panel_height/height/2

# After the legend is drawn: what the panels have and it has not.
end_legend = "unset key; unset label 1001; unset label 1002; set border 3 lc rgb '#444444';".\
	"set ytics nomirror font ',11'; set autoscale"
set key at screen 0.5, screen 1 - 48.0/height center vertical maxrows legend_rows samplen 3.5 width 1 font ",12"

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
