# SPDX-License-Identifier: GPL-2.0-only
# What all pictures share: terminals, colours, frame. Loaded by the others, after width and height (in
# pixels), caption_height, out and term are set.
#
# Each picture is made by
#
#   GNUPLOT_LIB=DIRECTORY-OF-THIS-FILE gnuplot -c TEMPLATE.gp SETTINGS DATA OUT svg|png
#
# SETTINGS is a file of gnuplot assignments that netiotrace writes beside DATA: title, caption, caption_lines and what
# the template names. DATA is CSV with a header; columns are used by name.
#
# Colours are those of Okabe and Ito, told apart by the colour-blind; points, dashes and patterns
# differ as well, for print.

if (term eq "svg") {
	set terminal svg size width,height font "sans-serif,13" background "white" noenhanced
} else {
	set terminal pngcairo size 2*width,2*height font "sans-serif,13" fontscale 2 \
		linewidth 2 pointscale 2 background "white" noenhanced
}
set output out
set encoding utf8
set datafile separator comma
set datafile columnheaders
set datafile missing ""

# Modes by number: twocopy, onecopy, zerocopy.
mode_of(m) = m eq "twocopy" ? 1 : m eq "onecopy" ? 2 : 3
mode_words(m) = word("two-copy one-copy zero-copy", mode_of(m))
mode_color(m) = word("#0072B2 #D55E00 #009E73", mode_of(m))
mode_point(m) = int(word("7 5 9", mode_of(m)))
mode_open_point(m) = int(word("6 4 8", mode_of(m)))
mode_dash(m) = int(word("1 2 4", mode_of(m)))
# Modes beside each other, not over each other.
mode_dodge(m) = 1 + 0.03*(mode_of(m) - 2)

part_color(k) = word("#0072B2 #E69F00 #009E73 #D55E00 #CC79A7 #56B4E9 #F0E442 #999999", 1 + (k-1)%8)
part_pattern(k) = int(word("1 2 4 5 6 7 3 3", 1 + (k-1)%8))

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
