# SPDX-License-Identifier: GPL-2.0-only
# Targets that run something, as against the build rules of the Makefile.

FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(FUZZ_SRC))
# A unit test is also that nothing in the corpora breaks its parser.
UNIT_BIN := $(patsubst %.c,$(O)/%,$(UNIT_SRC)) $(FUZZ_TARGETS:%=$(O)/tests/fuzz/replay_%)

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make                 build ./netiotrace and ./netio-loadgen (no root, no network)
## make deps            install what is missing (apt or dnf); WITH='vm arm64': also for these
# Sets of packages: scripts/install-deps. Only this target, demo and test install anything; others say what is missing.
deps:
	@$(SUDO) scripts/install-deps all $(WITH)

# need-SET...: fails with the names of the packages that are missing.
need-%:
	@scripts/install-deps --check $(subst -, ,$*)

## make demo            deps, build, then all three modes for 3 s
demo: deps
	@$(MAKE) --no-print-directory all
	$(SUDO) ./netiotrace --mode all --size 64k --duration 3s

## make demo-report     build, a sweep of about a minute, then out/demo-report/report.html
demo-report: need-all
	@$(MAKE) --no-print-directory all
	@mkdir -p out && $(SUDO) rm -rf out/demo-results
	$(SUDO) ./netiotrace sweep --quick -o out/demo-results
	./netiotrace report -o out/demo-report out/demo-results

.PHONY: demo-report

# What a target builds before it runs something: on all CPUs, unless make was told how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

## make test            deps, build, then the unit, bpf and e2e tests
test: deps
	@$(MAKE) --no-print-directory $(JOBS) all unit-programs
	@$(SUDO) env O='$(O)' tests/run

## make test-sanitizers unit tests and the tagged e2e tests with AddressSanitizer, UBSan, ThreadSanitizer
.PHONY: test-sanitizers
test-sanitizers: need-all
	@$(MAKE) --no-print-directory $(JOBS) all test-programs
	@$(SUDO) env O='$(O)' tests/run sanitizers

## make test-unit       unit tests only: no root
test-unit: $(UNIT_BIN)
	@tests/run-unit $(UNIT_BIN)

# Built by whoever owns the tree, before tests/run runs them as root; and what measures, so that it builds
# when somebody wants to.
.PHONY: unit-programs
unit-programs: $(UNIT_BIN) $(TEST_PROGRAMS) $(TEST_LIBRARIES) $(O)/bench-overhead $(O)/bpf-cost

## make fuzz            each parser under libFuzzer: FUZZ_SECONDS=60 a target, FUZZ='document protocol': only these
.PHONY: fuzz fuzz-programs
FUZZ_SECONDS ?= 60
FUZZ         ?= $(FUZZ_TARGETS)
fuzz: need-fuzz
	@$(MAKE) --no-print-directory SAN=fuzz O=build-fuzz FUZZ='$(FUZZ)' fuzz-programs
	@scripts/fuzz $(FUZZ_SECONDS) build-fuzz $(FUZZ)

fuzz-programs: $(FUZZ:%=$(O)/tests/fuzz/fuzz_%)

## make mutate          do the unit tests notice 200 small changes to the pure code?
# MUTATE: options of tests/mutate/mutate, like "-n 50 -s 7 -f 'user/model/*' -v".
.PHONY: mutate print-unit-tests
mutate: need-all
	@O='$(O)' tests/mutate/mutate $(MUTATE)

print-unit-tests:
	@echo $(patsubst %.c,$(O)/%,$(UNIT_SRC))

## make cross           build for arm64 into build-aarch64, with libraries fetched for it
# On such a machine the ordinary build is it.
.PHONY: cross
cross: need-build$(if $(filter aarch64,$(shell uname -m)),,-arm64)
ifeq ($(shell uname -m),aarch64)
	@$(MAKE) --no-print-directory all test-programs
else
	@system=$$(scripts/vm/fetch-system arm64) && \
		$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu- O=build-aarch64 SYSROOT="$$system" \
			all test-programs
endif

.PHONY: test-programs
test-programs: $(TEST_PROGRAMS) $(TEST_LIBRARIES)

## make vmtest          build, then the kernel matrix in emulated guests: every kernel
## make vmtest-full     the same with every backend of each kernel
# VMTEST_ARGS: options of scripts/vm/matrix, like '-k 6.1 -b kprobe'.
.PHONY: vmtest vmtest-full
vmtest vmtest-full: need-all-vm
	@$(MAKE) --no-print-directory $(JOBS) all test-programs
	@$(MAKE) --no-print-directory $(JOBS) cross
	@$(SUDO) env O='$(O)' scripts/vm/matrix $(if $(filter vmtest,$@),-q) $(VMTEST_ARGS)

## make crosscheck      build, then the same runs watched by bpftrace, bcc and netiotrace
# On this kernel, then on a stock one. CROSSCHECK_ARGS: options of scripts/vm/crosscheck.
.PHONY: crosscheck
crosscheck: need-all-crosscheck
	@$(MAKE) --no-print-directory all
	@$(SUDO) env O='$(O)' tests/run e2e 'equals what bpftrace sums|count of bytes sent by IP|ss agrees'
	@$(SUDO) env O='$(O)' scripts/vm/crosscheck $(CROSSCHECK_ARGS)

## make vmstress        build, then interrupted and migrated calls for 60 s in a guest
# VMSTRESS_KERNEL: scripts/vm/run -h names them.
.PHONY: vmstress
vmstress: need-build-vm
	@$(MAKE) --no-print-directory all
	@$(SUDO) env O='$(O)' scripts/vm/run -c 4 -m 2048 -e O='$(O)' $(or $(VMSTRESS_KERNEL),6.12) tests/vm/stress

## make vmstorm         build, then zero-copy and plain sends under signals, moves and aborts, 60 s a backend
# KERNELS, RUNS of each (default: sid, 1); STORM: options of scripts/vm/storm.
.PHONY: vmstorm
vmstorm: need-build-vm
	@$(MAKE) --no-print-directory all
	@$(SUDO) env O='$(O)' scripts/vm/storm $(addprefix -k ,$(KERNELS)) $(addprefix -n ,$(RUNS)) $(STORM)

## make vmwatched       build, then uncommon uses of sockets, by every backend, in a guest
# VMWATCHED_KERNEL: scripts/vm/run -h names them.
.PHONY: vmwatched
vmwatched: need-build-vm
	@$(MAKE) --no-print-directory all $(O)/watched-run
	@$(SUDO) scripts/vm/run -t 1200 $(or $(VMWATCHED_KERNEL),6.12) tests/vm/watched $(O)/watched-run

## make check           format, shellcheck, cppcheck, modules, lengths, codespell
check:
	@scripts/check

## make bench-overhead  throughput watched against unwatched; WHAT=cost: BPF share of the CPU time
bench-overhead: all $(O)/bench-overhead
	@$(SUDO) scripts/bench-overhead

## make bench-attach    BPF share of the CPU time under attach, by load, watched and unwatched
bench-attach: all $(O)/bpf-cost
	@$(SUDO) env O='$(O)' scripts/bench-attach

## make bench-export    CPU time of a scrape with 10 000 sockets; memory over 100 000 connections
bench-export: all test-programs
	@$(SUDO) env O='$(O)' scripts/bench-export

## make bench-loadgen   load generator against iperf3
bench-loadgen: all
	@scripts/bench-loadgen

## make bench-noise     how sure a sweep is of its medians: half-widths of intervals, cell by cell
bench-noise: all $(O)/yardstick
	@$(SUDO) scripts/bench-noise

## make bench-connections  what connections cost, 64 to 4096 of them
bench-connections: all
	@$(SUDO) scripts/bench-connections

.PHONY: bench-noise bench-connections bench-attach bench-export
bench: bench-overhead bench-attach bench-loadgen bench-connections

## make format          clang-format everything
format:
	@clang-format -i $$(git ls-files '*.c' '*.h' | grep -v '^vmlinux.h')

## make pages           the reports of docs/results, into build/pages
.PHONY: pages
pages: all
	@mkdir -p $(O)/pages
	@for set in docs/results/*/; do $(O)/netiotrace report -o $(O)/pages/$$(basename $$set) $$set || exit 1; done

## make pictures        docs/pictures and the samples of GUIDE and README, from real runs on this machine
.PHONY: pictures
pictures: all
	@$(SUDO) scripts/pictures/make $(O)/netiotrace docs
	@$(SUDO) scripts/pictures/fleet $(O)/netiotrace docs/pictures
