# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# bash completion of netiotrace and netio-loadgen. The installed programs themselves print the
# words (--describe, --help).

# _netiotrace_describe: what the command takes that the line names, as `netiotrace COMMAND --describe` says.
_netiotrace_describe() {
	"$1" "$2" --describe 2>/dev/null
}

# _netiotrace_words LINES WORD: the lines that begin with WORD. compgen -W would expand them, also $(...).
_netiotrace_words() {
	local line

	while IFS= read -r line; do
		if [[ -n $line && $line == "$2"* ]]; then
			COMPREPLY+=("$line")
		fi
	done <<<"$1"
}

# _netiotrace_names WORD OPTIONS: process names that begin with WORD and that a command takes as its operand: options
# without their dashes are none. Anybody may name a process, so the line gets the name quoted.
_netiotrace_names() {
	local file name quoted

	compopt +o filenames 2>/dev/null
	for file in /proc/[0-9]*/comm; do
		# The file ends in a newline, which a name may also contain.
		IFS= read -r -d '' name 2>/dev/null <"$file"
		name=${name%$'\n'}
		if [[ -z $name || $name == -* || $name == */* || $'\n'$2$'\n' == *$'\n--'"$name"$'\n'* ]]; then
			continue
		fi
		printf -v quoted %q "$name"
		if [[ $name == "$1"* || $quoted == "$1"* ]]; then
			COMPREPLY+=("$quoted")
		fi
	done
}

# _netiotrace_value ARGUMENT WORD: what an option with that kind of argument can be given.
_netiotrace_value() {
	case $1 in
	FILE) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	DIR) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	*\|*) _netiotrace_words "${1//|/$'\n'}" "$2" ;;
	esac
}

_netiotrace() {
	local word=$2 before=$3 command=run commands argument described options

	COMPREPLY=()
	commands=$("$1" help --describe 2>/dev/null | cut -f 2)
	if [ "$COMP_CWORD" -eq 1 ] && [[ $word != -* ]]; then
		_netiotrace_words "$commands" "$word"
		return
	fi
	if grep -qxF -- "${COMP_WORDS[1]}" <<<"$commands"; then
		command=${COMP_WORDS[1]}
	fi
	if [ "$command" = help ]; then
		_netiotrace_words "$commands"$'\n--tables' "$word"
		return
	fi
	described=$(_netiotrace_describe "$1" "$command")
	# "--mode=one" is three words to readline: --mode, =, one.
	if [ "$before" = = ] && [ "$COMP_CWORD" -ge 2 ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [ "$word" = = ]; then
		word=
	fi
	options=$(awk -F '\t' '$1 == "option" { print $3 }' <<<"$described")
	argument=$(awk -F '\t' -v o="$before" '$1 == "option" && ($2 == o || $3 == o) { print $4 }' <<<"$described")
	if [ -n "$argument" ]; then
		_netiotrace_value "$argument" "$word"
	elif [[ $word == -* ]]; then
		_netiotrace_words "$options" "$word"
	elif grep -q '^usage	\[NAME' <<<"$described" && [[ " ${COMP_WORDS[*]} " != *' -- '* ]]; then
		# What follows a colon is the second half of a name.
		[[ $3 == [:=] ]] || _netiotrace_names "$word" "$options"
	elif grep -q '^usage' <<<"$described"; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

_netio_loadgen() {
	local word=$2

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ] && [[ $word != -* ]]; then
		_netiotrace_words $'send\nrecv' "$word"
	elif [[ $3 == --mode ]]; then
		_netiotrace_words "$("$1" --help | sed -n 's/.*--mode .*one of \([a-z ]*\).*/\1/p' | tr ' ' '\n')" "$word"
	elif [[ $word == -* ]]; then
		_netiotrace_words "$("$1" --help | grep -oE '^[ SRB]+--[a-z0-9-]+' | grep -oE -- '--.*')" "$word"
	fi
}

complete -o filenames -o bashdefault -F _netiotrace netiotrace
complete -o filenames -o bashdefault -F _netio_loadgen netio-loadgen
