# SPDX-License-Identifier: GPL-2.0-only
# Builds netiotrace and netio-loadgen. `make help` lists all targets. Variables:
#   O=DIR                      output directory (default build; each variant below has its own)
#   V=1                        show commands
#   SAN=address|thread|fuzz    sanitizer build
#   STATIC=1                   static programs
#   CROSS=aarch64-linux-gnu-   cross build
# mk/ has the rest: compiler flags, tests, benchmarks, targets that run something, installation.

VERSION   := $(shell scripts/version)
CROSS     ?=
CLANG     ?= clang
BPFTOOL   ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
PREFIX    ?= /usr/local
SUDO      := $(if $(filter 0,$(shell id -u)),,sudo)
SAN       ?=
STATIC    ?=
# The target architecture: first word of the compiler prefix.
MACHINE   := $(if $(CROSS),$(firstword $(subst -, ,$(CROSS))),$(shell uname -m))
O         ?= build$(if $(CROSS),-$(MACHINE))$(if $(SAN),-$(SAN))$(if $(STATIC),-static)
V         ?= 0
Q         := $(if $(filter 1,$(V)),,@)
say        = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)')

obj   = $(patsubst %.c,$(O)/%.o,$(1))
comma := ,

include mk/compiler.mk

# Each folder is a module. A new .c file in a module is built without an entry here.
COMMON_SRC  := $(sort $(wildcard common/*.c))
LOADGEN_SRC := $(sort $(wildcard loadgen/*.c)) $(COMMON_SRC)
# Without the libraries of follow (mk/compiler.mk) the command only says so.
NO_FOLLOW   := $(if $(FOLLOW),,$(filter-out user/follow/follow.c user/follow/follow_options.c,\
               $(wildcard user/follow/*.c)) $(wildcard tests/unit/follow/*.c) tests/fuzz/fuzz_decoder.c)
USER_SRC    := $(filter-out $(NO_FOLLOW),$(sort $(wildcard user/*.c user/*/*.c))) $(COMMON_SRC)
UNIT_SRC    := $(filter-out $(NO_FOLLOW),$(sort $(wildcard tests/unit/*/test_*.c)))
FUZZ_SRC    := $(filter-out $(NO_FOLLOW),$(sort $(wildcard tests/fuzz/fuzz_*.c)))
# Only these files include the BPF skeletons: of both, of the meter, of attach, of follow.
LOADER_SRC  := user/kernel/loader.c
METER_SRC   := $(LOADER_SRC) user/kernel/meter.c
ATTACH_SRC := $(LOADER_SRC) $(sort $(wildcard user/kernel/attach_*.c)) user/kernel/declared_probes.c
FOLLOW_SRC  := user/follow/watchpoints.c
# Unit tests link an archive of both programs, without main() and the files above.
UNIT_LINK   := $(filter-out user/main.c $(METER_SRC) $(ATTACH_SRC) $(FOLLOW_SRC) loadgen/main.c,\
               $(sort $(USER_SRC) $(LOADGEN_SRC)))

# user/ includes headers of other modules as "module/file.h".
$(O)/user/%.o $(O)/tests/%.o $(O)/bench/%.o: MODULES := -Iuser
$(O)/tests/unit/%.o: MODULES += -Itests/unit

.PHONY: all help deps demo test test-unit test-e2e check format bench bench-overhead bench-loadgen \
        bench-connections clean
all: $(O)/netiotrace $(O)/netio-loadgen netiotrace netio-loadgen $(O)/netiotrace.schema.json

include mk/tests.mk
include mk/bench.mk
include mk/targets.mk
include mk/install.mk

# Names the package of a missing dependency before anything is compiled.
$(O)/.deps: scripts/check-deps Makefile
	@mkdir -p $(O)
	@CC='$(CC)' CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' PKG_CONFIG='$(PKG_CONFIG)' scripts/check-deps $(LIBS)
	@touch $@

$(O)/%.bpf.o: %.bpf.c Makefile | $(O)/.deps
	@mkdir -p $(@D)
	$(call say,BPF,$@)
	$(Q)$(CLANG) -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) $(PREFIX_MAP) -Wall -Wextra \
		-Wno-unused-parameter -Wno-missing-declarations -MMD -MP -I. -c $< -o $@

$(O)/%.skel.h: $(O)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@.tmp && mv $@.tmp $@

$(call obj,$(METER_SRC)): $(O)/bpf/meter.skel.h
$(call obj,user/kernel/sampler.c): $(O)/bpf/samples.skel.h
$(call obj,user/kernel/kernel_addresses.c): $(O)/bpf/addresses.skel.h
$(call obj,$(ATTACH_SRC)): $(O)/bpf/attach.skel.h
$(call obj,$(FOLLOW_SRC)): $(O)/bpf/follow.skel.h
$(call obj,user/follow/follow.c): CPPFLAGS += $(if $(FOLLOW),-DNETIOTRACE_FOLLOW)
$(O)/analysis.zip: scripts/make-zip $(shell find analysis -type f -o -type l | grep -v __pycache__) | $(O)/.deps
	$(call say,ZIP,$@)
	$(Q)scripts/make-zip $@ analysis

$(O)/metrics.txt: $(O)/analysis.zip
	$(Q)python3 -I $< metrics >$@.tmp && mv $@.tmp $@

# They contain the help texts, the analysis, and the names of functions.
$(call obj,$(filter %options.c user/analysis/%.c user/run/serve.c user/export/export.c,$(USER_SRC) $(LOADGEN_SRC))): $(wildcard */*.help user/*/*.help)
$(call obj,user/analysis/analysis.c): $(O)/analysis.zip
$(call obj,user/analysis/analysis.c): CPPFLAGS += -DANALYSIS_ZIP='"$(O)/analysis.zip"'
$(call obj,user/analysis/compare.c): $(O)/metrics.txt
$(call obj,user/analysis/compare.c): CPPFLAGS += -DMETRICS_TEXT='"$(O)/metrics.txt"'
$(call obj,user/model/stack_rules.c): user/model/stack_rules.txt

# What contains the version is compiled again where it changes.
$(O)/.version: FORCE
	@mkdir -p $(O) && { echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@; }
.PHONY: FORCE
$(call obj,$(shell grep -rslE --include=*.c 'NETIOTRACE_VERSION|target_json\.h' user loadgen tests/unit)): $(O)/.version

$(O)/%.o: %.c | $(O)/.deps
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(LIB_CFLAGS) -I. $(MODULES) -I$(O)/bpf $(ALL_CFLAGS) -c $< -o $@

$(O)/netiotrace: $(if $(STATIC),$(call obj,static/no_tls.c))
$(O)/netiotrace: $(call obj,$(USER_SRC))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(call obj,$(USER_SRC)) -o $@ $(LIB_LIBS) -lm

# The load generator needs only libc and pthreads. Another user executes it, whatever the umask is.
$(O)/netio-loadgen: $(call obj,$(LOADGEN_SRC))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lm && chmod a+rx $@

# ./netiotrace and ./netio-loadgen link to the programs of the default build.
netiotrace netio-loadgen: %: $(O)/%
	$(Q)$(if $(filter build,$(O)),ln -sf $< $@,true)

clean:
	rm -rf build build-address build-thread build-fuzz build-aarch64 build-static build-aarch64-static \
		netiotrace netio-loadgen

-include $(shell find $(O) -name '*.d' 2>/dev/null)
.DELETE_ON_ERROR:
.SECONDARY:
