# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of this directory share: the kernels there are, where they are kept, how one speaks.

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM_REPO=$(cd "$VM_DIR/../.." && pwd)
VM_CACHE=${NETIOTRACE_KERNELS:-${XDG_CACHE_HOME:-$HOME/.cache}/netiotrace/kernels}
export VM_DIR VM_REPO VM_CACHE

# Stock Debian kernels: the name they have here, the suite whose current generic amd64 kernel it is.
vm_kernels='
	5.10	bullseye
	6.1	bookworm
	6.12	trixie
	sid	sid
'

# vm_names: the names of all kernels, in the order of their age.
vm_names() {
	awk 'NF { print $1 }' <<<"$vm_kernels"
}

# vm_suite NAME: nothing when there is no such kernel.
vm_suite() {
	awk -v name="$1" '$1 == name { print $2 }' <<<"$vm_kernels"
}

vm_say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# vm_die STATUS SENTENCE
vm_die() {
	local status=$1

	shift
	vm_say "$*"
	exit "$status"
}

# vm_known NAME: ends the script with 2 when there is no such kernel.
vm_known() {
	[ -n "$(vm_suite "$1")" ] ||
		vm_die 2 "there is no kernel '$1': choose from $(vm_names | paste -sd ' ')"
}
