# SPDX-License-Identifier: GPL-2.0-only
# Stacked bars, lying: a bar for each mode, a piece for each part, with its value where there is room.
#
# DATA has the columns position (of the bar, from the top), part (its name), from, to, and
# first: 1 in one of the rows that lie over each other. Settings: xlabel; ytics: what
# goes into "set ytics (...)"; positions: the last one; xmax: the end of the longest bar; bar_ends, bar_totals: arrays, what
# stands behind each bar; parts: names in DATA, separated by spaces, in the order of the legend; part_words: array of the
# names in the legend; part_colors: theirs; part_is_dark: 1 where white is to be read on them.
load ARG1
data = ARG2; out = ARG3; term = ARG4
rows = ceil(words(parts)/5.0)
top = 46.0 + 22.0*rows
width = 900; caption_height = 10.0 + 16.0*caption_lines; height = top + 32*positions + 72 + caption_height
load "common.gp"

here(k) = strcol("part") eq word(parts, k)
y_of(k) = here(k) ? column("position") : NaN
x_text(k) = here(k) && column("first") > 0 && column("to") - column("from") > 0.04*xmax ? 0.5*(column("from") + column("to")) : NaN
text(k) = sprintf(column("to") - column("from") < 9.95 ? "%.2f" : "%.0f", column("to") - column("from"))

set lmargin at screen 172.0/width
set rmargin at screen 1 - 96.0/width
set bmargin at screen (66.0 + caption_height)/height
set tmargin at screen 1 - top/height
eval "set ytics (".ytics.") scale 0 font ',12'"
set xtics font ",11"
unset grid
set grid xtics lc rgb "#dddddd" lt 1 back
set yrange [positions + 0.6:0.4]
set xrange [0:xmax*1.02]
set xlabel xlabel offset 0,0.4
do for [i=1:|bar_totals|] {
	set label 100 + i bar_totals[i] at first bar_ends[i], first i offset 0.6,0 font ",12" front
}
set key at screen 0.5, screen 1 - (35.0 + 11.0*rows)/height center horizontal samplen 1.6 font ",12" maxrows rows width 1
plot for [k=1:words(parts)] data using (column("from")):(y_of(k)):(column("from")):(column("to")):(y_of(k) - 0.36):(y_of(k) + 0.36) \
		with boxxyerror lc rgb "#ffffff" lw 1 fs solid 1 border lc rgb "#ffffff" notitle, \
     for [k=1:words(parts)] data using (column("from")):(y_of(k)):(column("from")):(column("to")):(y_of(k) - 0.36):(y_of(k) + 0.36) \
		with boxxyerror lc rgb word(part_colors, k) fs solid 1 border lc rgb "#ffffff" title part_words[k], \
     for [k=1:words(parts)] data using (x_text(k)):(y_of(k)):(text(k)) with labels font ",11" \
		tc rgb (int(word(part_is_dark, k)) ? "#ffffff" : "#1a1a1a") notitle
