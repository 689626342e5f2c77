#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The scripts of .github/workflows run here, step by step, with stand-ins for what installs, builds for minutes or
# publishes: make only looks for the target in its help, the others write down their arguments.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	python3 -c 'import yaml' || skip "python3-yaml is not installed"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	cat >bin/apt-get <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
END
	chmod +x bin/apt-get
	cp bin/apt-get bin/gh
	cp bin/apt-get bin/git
	cat >bin/make <<END
#!/bin/sh
echo "make \$*" >>"\$CALLS"
$(type -P make) -C "$REPO" help | grep -q "^make \$1 "
END
	chmod +x bin/make
	export CALLS=$PWD/calls GITHUB_WORKSPACE=$PWD
}

steps() { # WORKFLOW JOB
	PATH=$PWD/bin:$PATH /usr/bin/env python3 "$REPO/tests/e2e/action_steps.py" "$REPO/.github/workflows/$1.yml" "$2"
}

# called COMMAND...: these calls, in this order, among those of make and gh.
called() {
	run -0 grep -E '^(make|gh) ' calls
	[ "$output" = "$(printf '%s\n' "$@")" ]
}

@test "workflows: check and test run the targets that a contributor runs" {
	steps check sources
	called 'make deps' 'make check'
	rm calls
	steps test test
	called 'make deps' 'make test'
	rm calls
	steps test kernels
	called 'make deps' "make deps WITH=vm arm64" 'make vmtest'
}

@test "workflows: a tag is released if CHANGELOG.md has a part for it, which becomes the notes" {
	mkdir build
	printf '%s\n' '# Changelog' '' '## Unreleased' '' '- a' '' '## 1.2.0 (2026-01-02)' '' '- b' '' '## 1.1.0' '' '- c' \
		>CHANGELOG.md
	GITHUB_REF_NAME=v1.2.0 steps release build
	called 'make deps' 'make deps WITH=package' 'make release'
	[ "$(grep -v '^$' build/notes.md)" = '- b' ]
	rm calls
	GITHUB_REF_NAME=v1.1.0 run -1 steps release build
	[[ $output == *"CHANGELOG.md has no part for v1.1.0"* ]]
	run ! grep -q '^make' calls
}

@test "workflows: what is published are the files whose checksums hold" {
	mkdir release
	echo a >release/a.tar.gz
	(cd release && sha256sum -- * >SHA256SUMS)
	touch notes.md
	GITHUB_REF_NAME=v1.2.0 steps release publish
	called 'gh release create v1.2.0 --verify-tag --title netiotrace 1.2.0 --notes-file notes.md release/SHA256SUMS release/a.tar.gz'
	rm calls
	echo b >release/a.tar.gz
	GITHUB_REF_NAME=v1.2.0 run -1 steps release publish
	[ ! -e calls ]
}

@test "workflows: the containers of jobs that mount or load BPF programs are privileged" {
	python3 - "$REPO"/.github/workflows/*.yml >privileged <<-'END'
		import sys, yaml
		for path in sys.argv[1:]:
		    with open(path, encoding="utf-8") as file:
		        jobs = yaml.safe_load(file)["jobs"]
		    for name, job in sorted(jobs.items()):
		        container = job.get("container", {})
		        if isinstance(container, dict) and "--privileged" in container.get("options", ""):
		            print(name)
	END
	# make release builds the Debian package in a tree of its own (scripts/deb), in a mount namespace.
	[ "$(xargs <privileged)" = 'build test' ]
}
