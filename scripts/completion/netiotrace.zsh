#compdef netiotrace
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion of netiotrace. The installed program itself prints the words (--describe).

# What stands in a specification of _arguments must not mean anything to it.
_netiotrace_quoted() {
	REPLY=${1//\\/\\\\}
	REPLY=${REPLY//:/\\:}
	REPLY=${REPLY//\[/\\[}
	REPLY=${REPLY//\]/\\]}
}

# The specifications of a command's options, for _arguments: in the array specs.
_netiotrace_specs() {
	local kind short long argument text action takes REPLY

	specs=()
	while IFS= read -r line; do
		local -a field=("${(@ps:\t:)line}")
		kind=$field[1] short=$field[2] long=$field[3] argument=$field[4] text=$field[5]
		if [[ $kind == usage ]]; then
			specs+=('*:file:_files')
		fi
		[[ $kind == option ]] || continue
		_netiotrace_quoted "$text"
		text=$REPLY takes=
		case $argument in
		'') ;;
		FILE) takes=':file:_files' ;;
		DIR) takes=':directory:_files -/' ;;
		*\|*) takes=":value:(${argument//|/ })" ;;
		*) _netiotrace_quoted "${(L)argument}"; takes=":$REPLY: " ;;
		esac
		specs+=("*${long}${takes:+=}[$text]$takes")
		if [[ -n $short && $short != '-?' ]]; then
			specs+=("*${short}${takes:++}[$text]$takes")
		fi
	done < <($words[1] $1 --describe 2>/dev/null)
}

_netiotrace() {
	local -a commands specs
	local command=run line

	commands=(${(f)"$($words[1] help --describe 2>/dev/null | cut -f 2,3 | sed 's/:/\\:/g; s/\t/:/')"})
	if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
		_describe command commands
		return
	fi
	if (( ${commands[(I)$words[2]:*]} )); then
		command=$words[2]
	fi
	if [[ $command == help ]]; then
		_describe command commands
		compadd -- --tables
		return
	fi
	_netiotrace_specs $command
	if [[ $command == $words[2] ]]; then
		words=($words[1] ${words[3,-1]})
		(( CURRENT-- ))
	fi
	_arguments -s $specs
}

_netiotrace "$@"
