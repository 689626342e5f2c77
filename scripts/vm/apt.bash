# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Debian packages of another suite or architecture, without changes to this machine's configuration:
# apt in private directories under $work, which `apt_work` creates and which are removed at the end.
# Mirror and keyring come from the machine's apt configuration. `architecture`: the one to work for.
# A function that fails sets `reason`.

work='' reason='' architecture=''
cleanup() {
	[ -z "$work" ] || rm -rf "$work"
	work=
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# apt_begin: takes a lock, since only one process may change the cache.
apt_begin() {
	type -P apt-get dpkg-deb >/dev/null ||
		vm_die 77 "guests are made of Debian packages: this needs apt-get and dpkg"
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	mkdir -p "$VM_CACHE"
	exec 9>"$VM_CACHE/.lock"
	flock 9
}

apt_work() {
	reason=
	work=$(mktemp -d "$VM_CACHE/.fetch.XXXXXX")
}

# mirror RELEASE: the mirror in the machine's apt configuration for RELEASE; empty if none.
# shellcheck disable=SC2016 # apt's variables
mirror() {
	apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		awk -v release="$1" '$1 == release && $2 == "main" { print $3; exit }'
}

# keyring RELEASE: " signed-by=FILE" if the machine's apt configuration names a file for that
# source.
# shellcheck disable=SC2016 # apt's variables
keyring() {
	local entry file

	entry=$(apt-get indextargets --format '$(RELEASE) $(SOURCESENTRY)' 'Created-By: Packages' 2>/dev/null |
		awk -v release="$1" '$1 == release { print $2; exit }')
	file=${entry%:*}
	[ -r "$file" ] || return 0
	grep -oEi 'signed-by[=:] *[^] ]+' "$file" | head -n 1 | sed -E 's/^[^=:]*[=:] */ signed-by=/'
}

# sources SUITE: the lines of a private sources list.
sources() {
	local main security

	main=$(mirror "$codename")
	security=$(mirror "$codename-security")
	[ -n "$main" ] || return 1
	echo "deb [arch=$architecture$(keyring "$codename")] $main $1 main"
	if [ "$1" != sid ] && [ -n "$security" ]; then
		echo "deb [arch=$architecture$(keyring "$codename-security")] $security $1-security main"
	fi
}

# private COMMAND...: an apt command that uses this suite alone and downloads only package indexes.
private() {
	local command=$1

	shift
	"$command" -q -oDebug::NoLocking=1 -oDir::Etc::sourcelist="$work/sources.list" \
		-oDir::Etc::sourceparts=/dev/null -oDir::Etc::preferencesparts=/dev/null \
		-oDir::State::lists="$work/lists" -oDir::State::status="$work/status" \
		-oDir::Cache="$work/cache" -oAPT::Architecture="$architecture" -oAPT::Sandbox::User=root \
		-oAcquire::Languages=none -oAcquire::Retries=2 -oAcquire::http::Timeout=30 \
		-oAcquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}

# apt_said: the first error of apt.
apt_said() {
	grep -m 1 -E '^[EW]: ' "$work/log" || tail -n 1 "$work/log"
}

# apt_update SUITE
apt_update() {
	mkdir -p "$work"/{lists,cache/archives}/partial
	: >"$work/status"
	sources "$1" >"$work/sources.list" ||
		reason="this machine's apt has no Debian mirror for its own release"
	[ -z "$reason" ] || return 1
	# Some suites have no security part: ignores that error.
	private apt-get update >"$work/log" 2>&1 || true
}
