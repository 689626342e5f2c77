# Draws copies again: `gnuplot copies.plot` writes copies.svg into the working directory,
# `gnuplot -e "term='pdf'" copies.plot` a PDF; png is the third form.
if (!exists("term")) { term = "svg" }
if (!exists("out")) { out = "copies.".term }
$data << END_OF_DATA_OF_NETIOTRACE
mode,size,position,part,from,to
twocopy,4096,1,user_gather,0,1
twocopy,4096,1,tx_copy,1,2
twocopy,4096,1,rx_copy,2,3
twocopy,65536,2,user_gather,0,1
twocopy,65536,2,tx_copy,1,2
twocopy,65536,2,rx_copy,2,3
onecopy,4096,4,tx_copy,0,1
onecopy,4096,4,rx_copy,1,2
onecopy,65536,5,tx_copy,0,1
onecopy,65536,5,rx_copy,1,2
zerocopy,4096,7,deferred_copy,0,1
zerocopy,4096,7,rx_copy,1,2
zerocopy,65536,8,deferred_copy,0,1
zerocopy,65536,8,rx_copy,1,2

END_OF_DATA_OF_NETIOTRACE
ARG2 = "$data"; ARG3 = out; ARG4 = term
# SPDX-License-Identifier: GPL-2.0-only
# Stacked bars: a group for each mode, a bar for each size, a piece for each part.
#
# DATA has the columns position (of the bar), part (its name), from and to. Settings: ylabel; xtics:
# what goes into "set xtics (...)"; groups: "NAME CENTRE NAME CENTRE ..."; positions: the last one;
# parts: names in DATA, separated by spaces, in the order of the legend; part_words: array of the names in the
# legend; part_colors: theirs, or empty.
ylabel = "copies per payload byte"
xtics = "'4k' 1,'64k' 2,'4k' 4,'64k' 5,'4k' 7,'64k' 8"
groups = "two-copy 1.5 one-copy 4.5 zero-copy 7.5"
positions = 8
parts = "user_gather tx_copy deferred_copy rx_copy"
part_colors = ""
array part_words[4] = ["gather", "send copy", "deferred", "receive"]
title = "Where the bytes were copied"
all_modes = "twocopy onecopy zerocopy"
all_mode_words = "two-copy one-copy zero-copy"
all_mode_colors = "#0072B2 #D55E00 #009E73"
all_mode_points = "7 5 9"
all_mode_open_points = "6 4 8"
all_mode_dashes = "1 2 4"
caption = "Linux 6.18.44-fc-v782, AMD EPYC, 2 CPUs, virtualization: vm, path loopback, MTU 65536, clock tsc.\nMedians of 7 rounds.\nWith 1 thread. Not measured, so not in the bars: other."
caption_lines = 3
data = ARG2; out = ARG3; term = ARG4
width = 900; caption_height = 10.0 + 16.0*caption_lines; height = 466 + caption_height
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

color_of(k) = k > words(part_colors) ? part_color(k) : word(part_colors, k)
x_of(k) = strcol("part") eq word(parts, k) ? column("position") : NaN

set lmargin at screen 84.0/width
# A long legend stands beside the bars, from the top of a bar down.
many = words(parts) > 8
set rmargin at screen 1 - (many ? 176.0 : 20.0)/width
set bmargin at screen (98.0 + caption_height)/height
set tmargin at screen 1 - 100.0/height
eval "set xtics (".xtics.") scale 0 font ',11'"
set ytics font ",11"
set xrange [0.2:positions + 0.8]
set yrange [0:*]
y = 0.5*(1 - 100.0/height + (98.0 + caption_height)/height)
eval put_ylabel
do for [g=1:words(groups)/2] {
	set label 100 + g word(groups, 2*g - 1) at first (word(groups, 2*g) + 0), screen (60.0 + caption_height)/height center
}
set label 99 "message size (bytes), by mode" at graph 0.5, screen (36.0 + caption_height)/height center
if (many) {
	set key at screen 1 - 8.0/width, screen 1 - 90.0/height right top vertical samplen 2 font ",11" maxrows 24 maxcols 1 spacing 0.9 invert
} else {
	set key at screen 0.5, screen 1 - 62.0/height center horizontal samplen 2 font ",12" maxrows 2
}
plot for [k=1:words(parts)] data using (x_of(k)):(column("from")):(x_of(k) - 0.38):(x_of(k) + 0.38):(column("from")):(column("to")) \
		with boxxyerror lc rgb color_of(k) fs solid 0.45 border lc rgb color_of(k) notitle, \
     for [k=1:words(parts)] data using (x_of(k)):(column("from")):(x_of(k) - 0.38):(x_of(k) + 0.38):(column("from")):(column("to")) \
		with boxxyerror lc rgb color_of(k) fs transparent pattern part_pattern(k) \
		border lc rgb "#444444" title part_words[k]
