# SPDX-License-Identifier: GPL-2.0-only
# What all pictures share: terminals, colours, frame. Loaded by the others, after width and height (in
# pixels), caption_height, out and term are set.
#
# A template gets SETTINGS in ARG1, DATA in ARG2, the output in ARG3 and svg, png or pdf in ARG4. netiotrace makes
# one script of templates, settings and data, without any load (analysis/report/plotter.py).
#
# SETTINGS are gnuplot assignments of netiotrace: title, caption, caption_lines, the
# modes (all_modes, and by their order all_mode_words, all_mode_colors, ...) and what the template names. DATA is CSV with a header; columns are used by name.
#
# The modes' colours are those of Okabe and Ito, which colour-blind readers can distinguish. Points and dashes also
# differ, for print in grey.

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
mode_dash(m) = mode_of(m) ? int(word(all_mode_dashes, mode_of(m))) : 1
# The place of a word among words.
number_in(all, m, i) = i >= words(all) || word(all, i) eq m ? i : number_in(all, m, i + 1)

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
