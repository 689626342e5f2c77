# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Shared by the scripts of this directory: the kernels, where they are kept, how messages are
# printed.

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM_REPO=$(cd "$VM_DIR/../.." && pwd)
VM_CACHE=${NETIOTRACE_KERNELS:-${XDG_CACHE_HOME:-$HOME/.cache}/netiotrace/kernels}
export VM_DIR VM_REPO VM_CACHE

# Stock Debian kernels: name, suite whose current kernel it is, package, and architecture, which
# also names the emulator. Package and architecture have defaults.
vm_kernels='
	5.10	bullseye
	6.1	bookworm
	6.12	trixie
	sid	sid
	rt	trixie	linux-image-rt-amd64	amd64
	arm64	trixie	linux-image-arm64	arm64
'

# vm_names: the names of all kernels.
vm_names() {
	awk 'NF { print $1 }' <<<"$vm_kernels"
}

# vm_column NAME N DEFAULT: empty if there is no such kernel.
vm_column() {
	awk -v name="$1" -v n="$2" -v usual="$3" '$1 == name { print NF < n ? usual : $n }' <<<"$vm_kernels"
}

vm_suite() {
	vm_column "$1" 2 ''
}

vm_package() {
	vm_column "$1" 3 linux-image-amd64
}

vm_architecture() {
	vm_column "$1" 4 amd64
}

# vm_emulator NAME: the program that boots such a kernel.
vm_emulator() {
	case "$(vm_architecture "$1")" in
	arm64) echo qemu-system-aarch64 ;;
	*) echo qemu-system-x86_64 ;;
	esac
}

# vm_machine ARCHITECTURE: the output of uname -m there; also the prefix of compilers and libraries.
vm_machine() {
	case "$1" in
	arm64) echo aarch64 ;;
	*) echo x86_64 ;;
	esac
}

# vm_foreign NAME: this machine's programs do not run in a guest of that kernel. The guest needs its
# own system (scripts/vm/fetch-system), in root/ of the directory that vm_system prints.
vm_foreign() {
	[ "$(vm_machine "$(vm_architecture "$1")")" != "$(uname -m)" ]
}

vm_system() {
	echo "$VM_CACHE/system-$1"
}

# vm_dependencies NAME: the set of scripts/install-deps that such a guest needs.
vm_dependencies() {
	if vm_foreign "$1"; then
		vm_architecture "$1"
	else
		echo vm
	fi
}

# vm_build NAME: the output directory of the programs for such a guest.
vm_build() {
	if vm_foreign "$1"; then
		echo "build-$(vm_machine "$(vm_architecture "$1")")"
	else
		echo "${O:-build}"
	fi
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

# vm_known NAME: ends the script with 2 if there is no such kernel.
vm_known() {
	[ -n "$(vm_suite "$1")" ] ||
		vm_die 2 "there is no kernel '$1': choose from $(vm_names | paste -sd ' ')"
}
