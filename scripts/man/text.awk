# SPDX-License-Identifier: GPL-2.0-only
# Shared by the makers of manual pages.

# One sentence a line, with a guard against lines that begin with a command of the formatter.
function lines(s,    out)
{
	while (match(s, /[.!?][)]? +[A-Z]/)) {
		out = out guard(substr(s, 1, RSTART + RLENGTH - 2)) "\n"
		s = substr(s, RSTART + RLENGTH - 1)
	}
	return out guard(s)
}

function guard(s)
{
	sub(/^ +/, "", s)
	sub(/ +$/, "", s)
	return (s ~ /^[.']/ ? "\\&" : "") s
}
