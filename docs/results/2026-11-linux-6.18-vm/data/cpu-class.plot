# Draws cpu-class again: `gnuplot cpu-class.plot` writes cpu-class.svg into the working directory,
# `gnuplot -e "term='pdf'" cpu-class.plot` a PDF; png is the third form.
if (!exists("term")) { term = "svg" }
if (!exists("out")) { out = "cpu-class.".term }
$data << END_OF_DATA_OF_NETIOTRACE
mode,size,position,part,from,to
twocopy,4096,1,gather,0,38.69515465
twocopy,4096,1,tx_copy,38.69515465,374.1050771
twocopy,4096,1,rx_copy,374.1050771,632.2863652
twocopy,4096,1,tcp_ip,632.2863652,814.6781798
twocopy,4096,1,skb,814.6781798,924.340409
twocopy,4096,1,lock,924.340409,1034.002638
twocopy,4096,1,syscall,1034.002638,1175.936787
twocopy,4096,1,tracing,1175.936787,1285.599017
twocopy,4096,1,user,1285.599017,1394.727634
twocopy,65536,2,tx_copy,0,165.9096675
twocopy,65536,2,rx_copy,165.9096675,343.6794816
twocopy,65536,2,tcp_ip,343.6794816,484.4621113
twocopy,65536,2,timers,484.4621113,499.1563059
twocopy,65536,2,netdev,499.1563059,512.8999804
twocopy,65536,2,skb,512.8999804,540.3943401
twocopy,65536,2,memory,540.3943401,580.2256585
twocopy,65536,2,lock,580.2256585,594.9198531
twocopy,65536,2,syscall,594.9198531,622.4212235
twocopy,65536,2,tracing,622.4212235,669.9827157
onecopy,4096,4,tx_copy,0,261.0054159
onecopy,4096,4,rx_copy,261.0054159,356.6116618
onecopy,4096,4,tcp_ip,356.6116618,588.6429437
onecopy,4096,4,skb,588.6429437,623.116163
onecopy,4096,4,memory,623.116163,666.5517926
onecopy,4096,4,scheduling,666.5517926,741.4303823
onecopy,4096,4,syscall,741.4303823,1036.390198
onecopy,4096,4,tracing,1036.390198,1099.962016
onecopy,4096,4,user,1099.962016,1261.454406
onecopy,65536,5,tx_copy,0,91.6718176
onecopy,65536,5,rx_copy,91.6718176,162.8051404
onecopy,65536,5,tcp_ip,162.8051404,282.6398258
onecopy,65536,5,timers,282.6398258,304.7167216
onecopy,65536,5,netdev,304.7167216,323.7662473
onecopy,65536,5,memory,323.7662473,378.9666502
onecopy,65536,5,lock,378.9666502,400.5050775
onecopy,65536,5,scheduling,400.5050775,464.2550267
onecopy,65536,5,syscall,464.2550267,498.1030576
onecopy,65536,5,tracing,498.1030576,551.3530274
onecopy,65536,5,user,551.3530274,593.2121362
zerocopy,4096,7,tx_pin,0,453.790258
zerocopy,4096,7,deferred_copy,453.790258,1258.155907
zerocopy,4096,7,tcp_ip,1258.155907,2195.149067
zerocopy,4096,7,netdev,2195.149067,2314.219816
zerocopy,4096,7,skb,2314.219816,2622.623092
zerocopy,4096,7,memory,2622.623092,2741.693841
zerocopy,4096,7,lock,2741.693841,3035.585541
zerocopy,4096,7,scheduling,3035.585541,3302.22752
zerocopy,4096,7,syscall,3302.22752,3828.3488
zerocopy,4096,7,tracing,3828.3488,4644.108289
zerocopy,4096,7,user,4644.108289,4689.18959
zerocopy,65536,8,tx_pin,0,65.23910281
zerocopy,65536,8,deferred_copy,65.23910281,258.3378012
zerocopy,65536,8,rx_copy,258.3378012,374.96805
zerocopy,65536,8,tcp_ip,374.96805,472.962221
zerocopy,65536,8,timers,472.962221,486.8468886
zerocopy,65536,8,netdev,486.8468886,537.1539177
zerocopy,65536,8,skb,537.1539177,559.1770352
zerocopy,65536,8,memory,559.1770352,653.2066824
zerocopy,65536,8,scheduling,653.2066824,672.0507908
zerocopy,65536,8,syscall,672.0507908,732.6185561
zerocopy,65536,8,irq,732.6185561,744.4071342
zerocopy,65536,8,tracing,744.4071342,872.5010669
zerocopy,65536,8,user,872.5010669,882.7356062

END_OF_DATA_OF_NETIOTRACE
ARG2 = "$data"; ARG3 = out; ARG4 = term
# SPDX-License-Identifier: GPL-2.0-only
# Stacked bars: a group for each mode, a bar for each size, a piece for each part.
#
# DATA has the columns position (of the bar), part (its name), from and to. Settings: ylabel; xtics:
# what goes into "set xtics (...)"; groups: "NAME CENTRE NAME CENTRE ..."; positions: the last one;
# parts: names in DATA, separated by spaces, in the order of the legend; part_words: array of the names in the
# legend; part_colors: theirs, or empty.
ylabel = "CPU time, ns per KiB"
xtics = "'4k' 1,'64k' 2,'4k' 4,'64k' 5,'4k' 7,'64k' 8"
groups = "two-copy 1.5 one-copy 4.5 zero-copy 7.5"
positions = 8
parts = "gather tx_copy tx_pin deferred_copy rx_copy tcp_ip timers netdev skb memory lock scheduling syscall irq tracing user"
part_colors = "#56B4E9 #0072B2 #CC79A7 #D55E00 #009E73 #E69F00 #F0E442 #999933 #44AA99 #117733 #332288 #AA4499 #888888 #661100 #A6761D #BBBBBB"
array part_words[16] = ["gather", "send copy", "pin", "deferred copy", "receive copy", "TCP/IP", "pacing/timers", "net device", "skb", "memory", "lock", "scheduling", "system call", "interrupts", "tracing", "application"]
title = "CPU time by class"
all_modes = "twocopy onecopy zerocopy"
all_mode_words = "two-copy one-copy zero-copy"
all_mode_colors = "#0072B2 #D55E00 #009E73"
all_mode_points = "7 5 9"
all_mode_open_points = "6 4 8"
all_mode_dashes = "1 2 4"
caption = "Linux 6.18.44-fc-v782, AMD EPYC, 2 CPUs, virtualization: vm, path loopback, MTU 65536, clock tsc.\nAll rounds of a cell added up.\nWith 1 thread. Sender and receiver together, by samples of rounds of their own; means over the rounds, which add\nup to the CPU time."
caption_lines = 4
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
