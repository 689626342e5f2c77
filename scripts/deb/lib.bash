# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Clean Debian trees to build and try packages in: of this machine's own release, by debootstrap, from where
# this machine's apt takes its packages. Root.

DEB_REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/vm/lib.bash
source "$DEB_REPO/scripts/vm/lib.bash"
# shellcheck source=scripts/vm/apt.bash
source "$VM_DIR/apt.bash"

deb_die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

[ "$(id -u)" -eq 0 ] || deb_die "a Debian tree is made by root: use sudo."
for tool in debootstrap dpkg-deb unshare; do
	type -P "$tool" >/dev/null || deb_die "$tool is missing: run \`make deps WITH=package\`."
done
unshare -m true 2>/dev/null ||
	deb_die "no mount namespace can be made here: this is a container without --privileged, or a chroot of a plain directory (mount --bind DIR DIR, then chroot)."
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
architecture=$(dpkg --print-architecture)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

# deb_apt_setup TREE: the machine's own way to its packages.
deb_apt_setup() {
	sources "$codename" >"$1/etc/apt/sources.list"
	apt-config dump --format '%F "%v";%n' Acquire::http Acquire::https >"$1/etc/apt/apt.conf.d/99machine"
	cp /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
	mkdir -p "$1/usr/share/keyrings"
	cp -n /usr/share/keyrings/debian-archive-* "$1/usr/share/keyrings" 2>/dev/null || true
}

# deb_tree DIR: a minimal system with man and bash's completion, as users have them. Kept as a tarball.
deb_tree() {
	local kept=$VM_CACHE/debian-$codename-$architecture.tar main

	mkdir -p "$VM_CACHE"
	if [ ! -s "$kept" ]; then
		main=$(mirror "$codename")
		[ -n "$main" ] || deb_die "this machine's apt has no Debian mirror for its own release."
		echo "making a Debian tree ($codename), once"
		debootstrap --variant=minbase --include=man-db,bash-completion "$codename" "$1.new" "$main" \
			>"$1.log" 2>&1 || { tail -n 3 "$1.log"; deb_die "debootstrap failed."; }
		tar -C "$1.new" -cf "$kept.tmp" .
		mv "$kept.tmp" "$kept"
		rm -rf "$1.new" "$1.log"
	fi
	mkdir -p "$1"
	tar -C "$1" -xpf "$kept"
	deb_apt_setup "$1"
}

# deb_in TREE COMMAND...: in the tree, with /proc, /sys and the usual devices, in a mount namespace of its own.
deb_in() {
	local tree=$1

	shift
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m -- sh -c '
		mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" &&
			exec chroot "$0" "$@"' "$tree" "$@"
}
