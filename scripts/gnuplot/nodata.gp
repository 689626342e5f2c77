# SPDX-License-Identifier: GPL-2.0-only
# A picture that says why there is none.
#
# Settings: reason.
load ARG1
out = ARG3; term = ARG4
width = 900; caption_height = 10.0 + 16.0*caption_lines; height = 170 + caption_height
load "common.gp"
unset border
unset tics
unset key
set xrange [0:1]
set yrange [0:1]
set label 1 reason at screen 0.5, screen 0.6 center font ",13" textcolor rgb "#333333"
plot NaN notitle
