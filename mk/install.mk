# SPDX-License-Identifier: GPL-2.0-only
# Targets that put the program where users have it: installed here, or in a package.

bindir   := $(DESTDIR)$(PREFIX)/bin
datadir  := $(DESTDIR)$(PREFIX)/share
mandir   := $(datadir)/man
REFERENCE := $(wildcard docs/reference/*.md)
MAN_SRC  := $(wildcard docs/man/*) scripts/gen-man scripts/man.lua $(REFERENCE) docs/GLOSSARY.md CHANGELOG.md
# Pages are made by asking the program for its options: where it is built for another machine, one of
# this machine's. A tarball brings them along.
MAN_FROM := $(if $(CROSS),build,$(O))/netiotrace

## make man             the manual pages, into build/man
.PHONY: man
man: $(O)/man/.made

ifneq ($(CROSS),)
build/netiotrace:
	$(MAKE) --no-print-directory CROSS= O=build all
endif

## make schema          the JSON Schema of all documents, into build; a tarball brings it along
.PHONY: schema
schema: $(O)/netiotrace.schema.json
$(O)/netiotrace.schema.json: scripts/gen-schema $(REFERENCE)
	$(call say,SCHEMA,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(if $(wildcard netiotrace.schema.json),cat netiotrace.schema.json,scripts/gen-schema) >$@.tmp
	$(Q)mv $@.tmp $@

$(O)/man/.made: $(MAN_SRC) $(if $(wildcard man),,$(MAN_FROM))
	$(call say,MAN,$(@D))
	$(Q)mkdir -p $(@D)
	$(Q)$(if $(wildcard man),cp man/* $(@D),scripts/gen-man $(MAN_FROM) $(@D))
	@touch $@

## make install         PREFIX=/usr/local, DESTDIR=
## make uninstall       what install put there, and nothing else
# Quoted, for a directory with a space in its name: what is before the space is another's.
.PHONY: install uninstall
install: all man
	install -d "$(bindir)" "$(datadir)/netiotrace" "$(mandir)/man1" "$(mandir)/man5" \
		"$(mandir)/man8"
	install -m 755 $(O)/netiotrace $(O)/netio-loadgen "$(bindir)"
	install -d "$(datadir)/netiotrace/prometheus"
	install -m 755 contrib/prometheus/*.sh "$(datadir)/netiotrace/prometheus"
	install -m 644 $(filter-out %.sh,$(wildcard contrib/prometheus/*)) contrib/systemd/netiotrace-export.service "$(datadir)/netiotrace/prometheus"
	sed -i 's,/usr/share/netiotrace/prometheus/,$(PREFIX)/share/netiotrace/prometheus/,' "$(datadir)/netiotrace/prometheus/alerts.yml" "$(datadir)/netiotrace/prometheus/prometheusrule.sh"
	install -D -m 755 packaging/ci/copy-gate "$(datadir)/netiotrace/ci/copy-gate"
	install -m 644 packaging/ci/action.yml "$(datadir)/netiotrace/ci"
	install -d "$(datadir)/netiotrace/kubernetes"
	install -m 644 packaging/kubernetes/*.yaml "$(datadir)/netiotrace/kubernetes"
	install -m 644 $(O)/netiotrace.schema.json "$(datadir)/netiotrace"
	install -m 644 $(O)/man/*.1 "$(mandir)/man1"
	install -m 644 $(O)/man/*.5 "$(mandir)/man5"
	install -m 644 $(O)/man/*.8 "$(mandir)/man8"
	install -D -m 644 scripts/completion/netiotrace.bash "$(datadir)/bash-completion/completions/netiotrace"
	ln -sf netiotrace "$(datadir)/bash-completion/completions/netio-loadgen"
	install -D -m 644 scripts/completion/netiotrace.zsh "$(datadir)/zsh/site-functions/_netiotrace"

# Directories that others may use stay while anything is in them.
uninstall:
	rm -f "$(bindir)/netiotrace" "$(bindir)/netio-loadgen"
	rm -rf "$(datadir)/netiotrace"
	rm -f "$(mandir)/man1/netio-loadgen.1" "$(mandir)/man5/netiotrace-result.5" \
		"$(mandir)/man8/netiotrace.8" "$(mandir)"/man8/netiotrace-*.8
	rm -f "$(datadir)/bash-completion/completions/netiotrace" \
		"$(datadir)/bash-completion/completions/netio-loadgen"
	rm -f "$(datadir)/zsh/site-functions/_netiotrace"
	-@rmdir -p --ignore-fail-on-non-empty "$(bindir)" "$(mandir)/man1" "$(mandir)/man5" \
		"$(mandir)/man8" "$(datadir)/bash-completion/completions" \
		"$(datadir)/zsh/site-functions" 2>/dev/null

## make dist            the tarball of the sources, into build
.PHONY: dist
dist: man schema
	@scripts/dist $(O) $(O)/man $(O)/netiotrace.schema.json

## make static          programs that need no library, in build-static
.PHONY: static
static:
	@$(MAKE) --no-print-directory STATIC=1 all

## make test-static     static, then a run of it in an empty tree
.PHONY: test-static
test-static: static-tarball
	@$(SUDO) env O=build-static bats tests/package/static.bats

## make deb             the Debian package, into build/deb: built from the tarball in a clean Debian tree
# DEB_ARCH=arm64: for that architecture, cross-built.
## make test-deb        deb, then installed, used and removed in a clean tree
.PHONY: deb test-deb
deb: need-build-package dist
	@mkdir -p $(O)/deb
	@$(SUDO) scripts/deb/build $(O)/netiotrace-$(VERSION).tar.gz $(O)/deb $(DEB_ARCH)
test-deb: deb
	@$(SUDO) bats tests/package/deb.bats

## make rpm             the RPM package, into build/rpm, by rpmbuild
## make test-rpm        rpm, then looked into and unpacked
# On Debian the rpm database is empty, so rpmbuild must not check build dependencies (--nodeps).
.PHONY: rpm test-rpm
rpm: dist
	@mkdir -p $(O)/rpm
	@rpmbuild -bb $(if $(wildcard /etc/debian_version),--nodeps) -D '_topdir $(abspath $(O))/rpm' \
		-D '_sourcedir $(abspath $(O))' -D 'netiotrace_version $(VERSION)' \
		packaging/rpm/netiotrace.spec >$(O)/rpm/log 2>&1 || { tail -n 15 $(O)/rpm/log; exit 1; }
	@ls -l $(O)/rpm/RPMS/*/*.rpm
test-rpm: rpm
	@$(SUDO) bats tests/package/rpm.bats

# The static programs with documents, pages, units, notices and bill of materials, in one tarball: the same one from
# the same sources, compiler and libraries.
## make static-tarball  the static programs for a machine without a compiler, into build-static
.PHONY: static-tarball print-linked
STATIC_NAME    := netiotrace-$(VERSION)-linux-$(MACHINE)-static
STATIC_TARBALL := build-static/$(STATIC_NAME).tar.gz
static-tarball: static
	@rm -rf build-static/$(STATIC_NAME) && mkdir -p build-static/$(STATIC_NAME)
	@cp build-static/netiotrace build-static/netio-loadgen build-static/$(STATIC_NAME)
	@cp -r --parents README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE docs contrib packaging/ci \
		packaging/kubernetes scripts/completion build-static/$(STATIC_NAME)
	@$(MAKE) --no-print-directory -s STATIC=1 print-linked >build-static/linked
	@$(MAKE) --no-print-directory STATIC=1 man
	@mkdir build-static/$(STATIC_NAME)/man
	@cp build-static/man/*.[158] build-static/$(STATIC_NAME)/man
	@cp build-static/netiotrace.schema.json build-static/$(STATIC_NAME)
	@scripts/sbom '$(VERSION)' "$$(scripts/source-date)" build-static/$(STATIC_NAME) \
		build-static/netiotrace build-static/netio-loadgen <build-static/linked
	@tar -C build-static -c --sort=name --mtime="@$$(scripts/source-date)" --owner=0 --group=0 --numeric-owner \
		--mode='u+rw,go+rX,go-w' $(STATIC_NAME) | gzip -9n >$(STATIC_TARBALL)
	@rm -r build-static/$(STATIC_NAME)

# What the linker reads for both programs: archives and their members.
print-linked:
	@$(CC) $(LDFLAGS) -Wl,-t $(call obj,$(USER_SRC)) -o /dev/null $(LIB_LIBS) -lm
	@$(CC) $(LDFLAGS) -Wl,-t $(call obj,$(LOADGEN_SRC)) -o /dev/null -lm

# What a release publishes, in one directory: the tarballs of the sources and of the static programs, the
# packages, and the checksums of all.
## make release         tarballs, packages and checksums, into build/release
.PHONY: release
RELEASE      := $(O)/release
release: need-build-package dist static-tarball deb rpm
	@rm -rf $(RELEASE) && mkdir -p $(RELEASE)
	@cp $(STATIC_TARBALL) $(RELEASE)
	@cp $(O)/netiotrace-$(VERSION).tar.gz $(O)/deb/netiotrace_$(VERSION)-*.deb $(O)/rpm/RPMS/*/netiotrace-$(VERSION)-*.rpm \
		$(RELEASE)
	@cd $(RELEASE) && sha256sum -- * >SHA256SUMS && ls -l
