# SPDX-License-Identifier: GPL-2.0-only
# Stacked bars: a group for each mode, a bar for each size, a piece for each part.
#
# DATA has the columns position (of the bar), part (its name), from and to. Settings: ylabel; xtics:
# what goes into "set xtics (...)"; groups: "'NAME' CENTRE 'NAME' CENTRE ..."; positions: the last one;
# parts: names in DATA, separated by spaces, in the order of the legend; part_words: array of the names in the
# legend; part_colors: theirs, or empty.
load ARG1
data = ARG2; out = ARG3; term = ARG4
width = 900; caption_height = 10.0 + 16.0*caption_lines; height = 466 + caption_height
load "common.gp"

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
	set label 100 + g word(groups, 2*g - 1) at first (word(groups, 2*g) + 0), screen (60.0 + caption_height)/height center font (words(groups) > 10 ? ",10" : "")
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
