# Draws send-call again: `gnuplot send-call.plot` writes send-call.svg into the working directory,
# `gnuplot -e "term='pdf'" send-call.plot` a PDF; png is the third form.
if (!exists("term")) { term = "svg" }
if (!exists("out")) { out = "send-call.".term }
$data << END_OF_DATA_OF_NETIOTRACE
mode,size,position,part,from,to
twocopy,4096,1,lock,0,0.1326540252
twocopy,4096,1,copy,0.1326540252,1.061232202
twocopy,4096,1,transmit,1.061232202,1.193886227
twocopy,4096,1,inline_receive,1.193886227,1.326540252
twocopy,4096,1,release,1.326540252,1.459194277
twocopy,4096,1,other,1.459194277,2.255118428
twocopy,4096,1,rest,2.255118428,3.051042579
twocopy,65536,2,copy,0,10.70570472
twocopy,65536,2,transmit,10.70570472,14.27427296
twocopy,65536,2,inline_receive,14.27427296,18.73498326
twocopy,65536,2,release,18.73498326,20.51926738
twocopy,65536,2,other,20.51926738,26.76426179
twocopy,65536,2,rest,26.76426179,28.54854591
onecopy,4096,4,copy,0,0.9374357783
onecopy,4096,4,transmit,0.9374357783,1.288974195
onecopy,4096,4,inline_receive,1.288974195,1.757692084
onecopy,4096,4,release,1.757692084,1.874871557
onecopy,4096,4,other,1.874871557,2.343589446
onecopy,4096,4,rest,2.343589446,3.398204696
onecopy,65536,5,copy,0,5.60746684
onecopy,65536,5,transmit,5.60746684,9.112133614
onecopy,65536,5,inline_receive,9.112133614,15.42053381
onecopy,65536,5,release,15.42053381,16.82240052
onecopy,65536,5,other,16.82240052,19.62613394
onecopy,65536,5,rest,19.62613394,21.728934
zerocopy,4096,7,lock,0,0.9073470157
zerocopy,4096,7,pin,0.9073470157,2.722041047
zerocopy,4096,7,wait,2.722041047,3.175714555
zerocopy,4096,7,transmit,3.175714555,4.536735078
zerocopy,4096,7,inline_receive,4.536735078,9.073470157
zerocopy,4096,7,release,9.073470157,9.527143665
zerocopy,4096,7,other,9.527143665,11.3418377
zerocopy,4096,7,rest,11.3418377,13.15653173
zerocopy,65536,8,pin,0,5.516505004
zerocopy,65536,8,transmit,5.516505004,9.929709007
zerocopy,65536,8,inline_receive,9.929709007,27.58252502
zerocopy,65536,8,release,27.58252502,28.68582602
zerocopy,65536,8,other,28.68582602,33.09903002
zerocopy,65536,8,rest,33.09903002,34.20233102

END_OF_DATA_OF_NETIOTRACE
ARG2 = "$data"; ARG3 = out; ARG4 = term
# SPDX-License-Identifier: GPL-2.0-only
# Stacked bars: a group for each mode, a bar for each size, a piece for each part.
#
# DATA has the columns position (of the bar), part (its name), from and to. Settings: ylabel; xtics:
# what goes into "set xtics (...)"; groups: "NAME CENTRE NAME CENTRE ..."; positions: the last one;
# parts: names in DATA, separated by spaces, in the order of the legend; part_words: array of the names in the
# legend; part_colors: theirs, or empty.
ylabel = "CPU time per message (us)"
xtics = "'4k' 1,'64k' 2,'4k' 4,'64k' 5,'4k' 7,'64k' 8"
groups = "two-copy 1.5 one-copy 4.5 zero-copy 7.5"
positions = 8
parts = "lock copy pin wait transmit inline_receive release other rest"
part_colors = ""
array part_words[9] = ["lock", "copy", "pin", "wait", "transmit", "inline receive", "release", "other", "rest"]
title = "Where the sender's CPU time in a send call goes, from samples"
all_modes = "twocopy onecopy zerocopy"
all_mode_words = "two-copy one-copy zero-copy"
all_mode_colors = "#0072B2 #D55E00 #009E73"
all_mode_points = "7 5 9"
all_mode_open_points = "6 4 8"
all_mode_dashes = "1 2 4"
caption = "Linux 6.18.44-fc-v782, AMD EPYC, 2 CPUs, virtualization: vm, path loopback, MTU 65536, clock tsc.\nAll rounds of a cell added up.\nWith 1 thread. By samples, because the parts of a call are not timed (this kernel refused the program\n(permission denied)). CPU time only, so without what a call sleeps. inline receive: the peer's receive work, run\ninside the call on loopback and veth. rest: of the system call, what is outside of tcp_sendmsg."
caption_lines = 5
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
