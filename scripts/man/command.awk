# SPDX-License-Identifier: GPL-2.0-only
# The manual page of one command (mdoc), from what `netiotrace COMMAND --describe` prints:
# awk -v command= -v summary= -v date= [-v extra=FILE] -f text.awk -f command.awk
# extra: more sections, written by hand, that come before EXIT STATUS.
BEGIN {
	FS = "\t"
	print ".\\\" SPDX-License-Identifier: GPL-2.0-only"
	print ".\\\" Made by scripts/gen-man from the option table of the command."
	printf ".Dd %s\n.Dt NETIOTRACE-%s 8\n.Os\n", date, toupper(command)
	printf ".Sh NAME\n.Nm netiotrace-%s\n.Nd %s\n", command, text(summary)
}

# What would mean something to the formatter.
function text(s)
{
	gsub(/\\/, "\\e", s)
	return lines(s)
}

# Paragraphs; lines that begin with two spaces are shown as they are.
function paragraphs(s,    line, n, i, literal, space)
{
	n = split(s, line, /\\n/)
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^  / && !literal)
			print ".Bd -literal -offset indent"
		else if (line[i] !~ /^  / && literal)
			print ".Ed"
		literal = line[i] ~ /^  /
		if (line[i] == "")
			space = 1
		else {
			if (space && !literal)
				print ".Pp"
			space = 0
			print literal ? guard(substr(line[i], 3)) : text(line[i])
		}
	}
	if (literal)
		print ".Ed"
}

function begin_list()
{
	if (!listed)
		print ".Bl -tag -width Ds"
	listed = 1
}

function end_list()
{
	if (listed)
		print ".El"
	listed = 0
}

# "DIR|FILE" and "BEFORE AFTER" are names, "auto|none" are words.
function argument(s)
{
	if (s == "")
		return ""
	if (s ~ /[|]/ && s !~ /[A-Z]/) {
		gsub(/[|]/, " | ", s)
		return " Cm " s
	}
	gsub(/[|]/, " | ", s)
	return " Ar " tolower(s)
}

function head()
{
	if (headed)
		return
	headed = 1
	printf ".Sh SYNOPSIS\n.Nm netiotrace %s\n.Op Ar option ...\n", command
	if (usage != "")
		printf ".%s\n", substr(argument(usage), 2)
	print ".Sh DESCRIPTION"
	paragraphs(doc)
	print ".Sh OPTIONS"
}

$1 == "usage" { usage = $2 }
$1 == "doc" { doc = $2 }
$1 == "group" {
	head()
	end_list()
	sub(/:$/, "", $2)
	print ".Ss " text($2)
}
$1 == "option" {
	head()
	if ($3 == "--help") {
		end_list()
		print ".Ss Of every command"
	}
	begin_list()
	printf ".It %s%s%s\n", $2 == "" ? "" : "Fl " substr($2, 2) " , ", "Fl " substr($3, 2), argument($4)
	print text($5)
}
$1 == "after" { after = $2 }
END {
	end_list()
	at = index(after, "Exit status:")
	notes = at ? substr(after, 1, at - 1) : after
	gsub(/(\\n| )+$/, "", notes)
	if (notes != "") {
		print ".Sh NOTES"
		paragraphs(notes)
	}
	if (extra != "")
		while ((getline line < extra) > 0)
			print line
	if (at) {
		print ".Sh EXIT STATUS"
		paragraphs(substr(after, at + length("Exit status: ")))
	}
	print ".Sh SEE ALSO\n.Xr netio-loadgen 1 ,\n.Xr netiotrace-result 5 ,\n.Xr netiotrace 8"
}
