# SPDX-License-Identifier: GPL-2.0-only
# netiotrace-result(5) (mdoc) from docs/reference: awk -v date= -f text.awk -f result.awk PAGE...
# Knows of Markdown what that page uses: headings, paragraphs, tables, lists, examples by indentation or fences.
BEGIN {
	print ".\\\" SPDX-License-Identifier: GPL-2.0-only"
	print ".\\\" Made by scripts/gen-man from docs/reference."
	printf ".Dd %s\n.Dt NETIOTRACE-RESULT 5\n.Os\n", date
	print ".Sh NAME\n.Nm netiotrace-result\n.Nd what netiotrace writes"
}

# Code and strong text are bold, links their words.
function inline(s,    n, part, i, out)
{
	gsub(/\\/, "\\e", s)
	gsub(/\*\*/, "`", s)
	while (match(s, /\[[^]`]*\]\([^)]*\)/)) {
		part[0] = substr(s, RSTART + 1, RLENGTH - 1)
		sub(/\].*/, "", part[0])
		s = substr(s, 1, RSTART - 1) part[0] substr(s, RSTART + RLENGTH)
	}
	n = split(s, part, "`")
	for (i = 1; i <= n; i++)
		out = out (i % 2 ? part[i] : "\\fB" part[i] "\\fP")
	gsub(/ +/, " ", out)
	return guard(out)
}

# Ends what is open but KIND.
function only(kind)
{
	if (open == kind)
		return
	if (open == "bullet" || open == "table")
		print ".El"
	else if (open == "literal")
		print ".Ed"
	open = ""
}

# The space before a paragraph, where it is not the first below a heading.
function space()
{
	if (blank && !fresh)
		print ".Pp"
	blank = fresh = 0
}

function heading(macro, s)
{
	only("")
	gsub(/`/, "", s)
	print macro " " (macro == ".Sh" ? toupper(s) : s)
	fresh = 1
	blank = 0
}

function row(line,    cell, n, i, said, s)
{
	sub(/^\|/, "", line)
	sub(/\|$/, "", line)
	n = split(line, cell, "|")
	if (open != "table") {
		only("")
		for (i = 1; i <= n; i++)
			title[i] = inline(cell[i])
		print ".Bl -tag -width Ds"
		open = "table"
		return
	}
	if (line ~ /^[-| ]+$/)
		return
	keyed = title[1] == "key" ? 1 : title[2] == "key" ? 2 : 0
	s = inline(cell[1])
	if (keyed == 2)
		s = s ": " inline(cell[2])
	if (keyed && inline(cell[keyed + 1]) != "")
		s = s " (" inline(cell[keyed + 1]) ")"
	printf ".It %s\n", s == "" ? "\\&-" : s
	for (i = keyed ? keyed + 2 : 2; i <= n; i++) {
		s = inline(cell[i])
		if (s == "")
			continue
		said = said (said == "" ? "" : ". ") \
			(!keyed && title[i] != "" && n > 2 ? title[i] ": " : title[i] == "source" ? "Source: " : "") s
	}
	if (said != "")
		print lines(said) (said ~ /[.]$/ ? "" : ".")
}

/^<!--/ { next }
/^# / { heading(".Sh", NR == 1 ? "DESCRIPTION" : substr($0, 3)); next }
/^##+ / { sub(/^#+ /, ""); heading(".Ss", $0); next }
/^```/ {
	fenced = !fenced
	if (fenced) {
		only("")
		print ".Bd -literal -offset indent"
		open = "literal"
	} else
		only("")
	next
}
fenced || (/^    / && open != "bullet") {
	if (open != "literal") {
		only("")
		print ".Bd -literal -offset indent"
		open = "literal"
	}
	line = fenced ? $0 : substr($0, 5)
	gsub(/\\/, "\\e", line)
	print (line ~ /^[.']/ ? "\\&" : "") line
	next
}
/^$/ {
	blank = 1
	if (open == "table")
		only("")
	next
}
/^\|/ { row($0); blank = 0; fresh = 0; next }
/^- / {
	if (open != "bullet") {
		only("")
		print ".Bl -bullet"
		open = "bullet"
	}
	print ".It\n" lines(inline(substr($0, 3)))
	blank = fresh = 0
	next
}
open == "bullet" && /^ / { print lines(inline($0)); next }
{
	only("")
	space()
	print lines(inline($0))
}
END {
	only("")
	print ".Sh SEE ALSO\n.Xr netio-loadgen 1 ,\n.Xr netiotrace 8"
}
