# SPDX-License-Identifier: GPL-2.0-only
# Where the panels of a picture are: some beside each other, the legend, title and caption of all of them in a frame of
# their own. Loaded by lines.gp and histograms.gp after the settings (width: of a picture that is not as wide as the
# others), panel_height and legend_longest: the characters of its longest title.
caption_height = 10.0 + 16.0*caption_lines
if (!exists("width")) { width = 900 }
rows = (panels + columns - 1)/columns
# gnuplot gives a title of the legend 10 pixels a character, which is more than it needs, and 73 for its line.
legend_columns = int((width + 40)/(10.0*legend_longest + 73))
legend_rows = ceil(real(words(modes))/(legend_columns > 1 ? legend_columns : 1))
top = 60.0 + 19.0*legend_rows; bottom = 72.0 + caption_height; gap = 84.0
left = width > 600 ? 82.0 : 66.0; middle = width > 600 ? 60.0 : 44.0; right = 18.0
height = top + bottom + rows*panel_height + (rows - 1)*gap
panel_width = (width - left - right - (columns - 1)*middle)/columns
load "common.gp"

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
set key at screen 0.5, screen 1 - (31.0 + 9.5*legend_rows)/height center vertical maxrows legend_rows samplen (width > 600 ? 3.5 : 2.5) width (width > 600 ? 1 : -2) font ",12"
