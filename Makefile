# SPDX-License-Identifier: GPL-2.0-only
# netiotrace. `make help` lists the targets. O=DIR: output directory; V=1: show commands;
# SAN=address|thread|fuzz: sanitizer build in its own directory; CROSS=aarch64-linux-gnu-: for another
# machine, in its own directory.

VERSION   := $(shell scripts/version)
CROSS     ?=
CLANG     ?= clang
BPFTOOL   ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
PREFIX    ?= /usr/local
SUDO      := $(if $(filter 0,$(shell id -u)),,sudo)
SAN       ?=
STATIC    ?=
# The machine to build for: the first word of the compiler's prefix.
MACHINE   := $(if $(CROSS),$(firstword $(subst -, ,$(CROSS))),$(shell uname -m))
O         ?= build$(if $(CROSS),-$(MACHINE))$(if $(SAN),-$(SAN))$(if $(STATIC),-static)
V         ?= 0
Q         := $(if $(filter 1,$(V)),,@)
say        = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)')

ARCH_x86_64  := x86
ARCH_aarch64 := arm64
BPF_ARCH  := $(ARCH_$(MACHINE))
ifeq ($(BPF_ARCH),)
$(error $(MACHINE) is not supported: x86_64 and aarch64 are)
endif

# The cross compiler takes headers and libraries of the other machine from SYSROOT: by itself from
# what scripts/vm/fetch-system left (`make cross` fetches it), or from this machine's own directories
# of that architecture where there is none.
ifneq ($(CROSS),)
CC         := $(CROSS)gcc
AR         := $(CROSS)ar
DEBIAN_x86_64  := amd64
DEBIAN_aarch64 := arm64
KERNELS    := $(or $(NETIOTRACE_KERNELS),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/netiotrace/kernels)
SYSROOT    ?= $(wildcard $(KERNELS)/system-$(DEBIAN_$(MACHINE))/root)
CC         += $(if $(SYSROOT),--sysroot=$(SYSROOT))
PKG_CONFIG := env PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
              PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(MACHINE)-linux-gnu/pkgconfig $(PKG_CONFIG)
else ifeq ($(SAN),fuzz)
CC         := $(CLANG)
else
CC         ?= gcc
endif

WARNINGS  := -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
             -Wmissing-declarations -Wpointer-arith -Wwrite-strings -Wundef -Wvla
CPPFLAGS  += -D_GNU_SOURCE -DNETIOTRACE_VERSION='"$(VERSION)"'
# Sanitizers see the same at -O1, which compiles in three quarters of the time.
CFLAGS    ?= $(if $(filter address thread,$(SAN)),-O1,-O2) -g
# What is built is the same wherever it is: of two that match, the last is taken.
PREFIX_MAP := -ffile-prefix-map='$(CURDIR)=.' -ffile-prefix-map='$(abspath $(O))=build'
ALL_CFLAGS = -std=c11 $(WARNINGS) $(CFLAGS) $(PREFIX_MAP) -fno-strict-aliasing -pthread -MMD -MP
LDFLAGS   += -pthread
SAN_FLAGS_address := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# With libFuzzer's coverage (tests/fuzz). NULL + 0, as in a loop over an empty list, is defined from
# C2y on (N3322), and clang's pointer-overflow refuses it.
SAN_FLAGS_fuzz    := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
                     -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN_FLAGS_thread  := -fsanitize=thread -fno-omit-frame-pointer
ALL_CFLAGS += $(SAN_FLAGS_$(SAN))
LDFLAGS    += $(SAN_FLAGS_$(SAN))

LIBS      := libbpf jansson ncursesw libcap-ng libmnl
LIB_LIBS   = $(shell $(PKG_CONFIG) --libs $(LIBS)) -lelf -lz
# STATIC=1 (`make static`): programs that need no library where they run.
ifneq ($(STATIC),)
LDFLAGS   += -static -s
LIB_LIBS   = $(call obj,static/mnl.c) $(shell $(PKG_CONFIG) --static --libs $(filter-out libmnl,$(LIBS))) -lelf -lz
endif
LIB_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(LIBS) | sed 's/-D_[A-Z_]*_SOURCE=*[0-9]*//g; s/-D_DEFAULT_SOURCE//g')

# Sources are found by room: a folder is a room, and a new file in it is built. common/ is pure, and
# all that both programs share.
COMMON_SRC  := $(sort $(wildcard common/*.c))
LOADGEN_SRC := $(sort $(wildcard loadgen/*.c)) $(COMMON_SRC)
USER_SRC    := $(sort $(wildcard user/*.c user/*/*.c)) $(COMMON_SRC)
UNIT_SRC    := $(sort $(wildcard tests/unit/*/test_*.c))
FUZZ_SRC    := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# The files that know the skeletons: of both, of a run, of attach.
LOADER_SRC  := user/kernel/loader.c
SESSION_SRC := $(LOADER_SRC) user/kernel/session.c
WATCHER_SRC := $(LOADER_SRC) $(sort $(wildcard user/kernel/watcher*.c))
# What unit tests link, as an archive, of which each takes only what it calls: everything of both
# programs but main and the files that know a skeleton.
UNIT_LINK   := $(filter-out user/main.c $(SESSION_SRC) $(WATCHER_SRC) loadgen/main.c,\
               $(sort $(USER_SRC) $(LOADGEN_SRC)))

# Uncommon uses of sockets, which two programs play: for the programs of run, and for attach.
PLAYS := $(addprefix $(O)/tests/bpf/,plays.o plays_layers.o plays_ports.o plays_turns.o)

# Programs that tests run: of known instructions; counters between two BPF programs; samples where
# cycles are refused; where the kernel's code is; a zero-copy sender that never reads its error queue;
# loads of known CPU time; the rules on stacks; uncommon sockets; many connections.
TEST_PROGRAMS := $(O)/tests/vm/counted_loop $(O)/tests/bpf/perf_stage_run \
                 $(O)/tests/bpf/sampler_run $(O)/tests/bpf/addresses_run \
                 $(O)/tests/e2e/deaf_sender $(O)/tests/e2e/known_loads \
                 $(O)/tests/e2e/classify_stacks $(O)/tests/e2e/play \
                 $(O)/tests/e2e/crowd $(O)/tests/e2e/chorus
# And what is loaded into programs of others, so never with a sanitizer.
TEST_LIBRARIES := $(addprefix $(O)/tests/e2e/,tcp_info.so paced.so little_memory.so)

# Files of user/ name those of other rooms as "room/file.h"; of anything else, by its path from here.
$(O)/user/%.o $(O)/tests/%.o $(O)/bench/%.o: ROOMS := -Iuser
$(O)/tests/unit/%.o: ROOMS += -Itests/unit

obj   = $(patsubst %.c,$(O)/%.o,$(1))
comma := ,

.PHONY: all help deps demo test test-unit test-e2e check format bench bench-overhead bench-loadgen \
        bench-connections clean
all: $(O)/netiotrace $(O)/netio-loadgen netiotrace netio-loadgen $(O)/gnuplot

include scripts/targets.mk
include scripts/install.mk

# A missing dependency is one sentence naming its package, said before anything is compiled.
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

$(call obj,$(SESSION_SRC)): $(O)/bpf/netiotrace.skel.h
$(call obj,user/kernel/sampler.c): $(O)/bpf/samples.skel.h
$(call obj,user/kernel/kernel_addresses.c): $(O)/bpf/addresses.skel.h
$(call obj,$(WATCHER_SRC)): $(O)/bpf/attach.skel.h

$(O)/%.o: %.c | $(O)/.deps
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CPPFLAGS) $(LIB_CFLAGS) -I. $(ROOMS) -I$(O)/bpf $(ALL_CFLAGS) -c $< -o $@

$(O)/netiotrace: $(if $(STATIC),$(call obj,static/mnl.c))
$(O)/netiotrace: $(call obj,$(USER_SRC))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(call obj,$(USER_SRC)) -o $@ $(LIB_LIBS) -lm

# The load generator needs libc and pthreads only.
$(O)/netio-loadgen: $(call obj,$(LOADGEN_SRC))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lm

# ./netiotrace and ./netio-loadgen are the ordinary build's programs.
netiotrace netio-loadgen: %: $(O)/%
	$(Q)$(if $(filter build,$(O)),ln -sf $< $@,true)

# Where netiotrace looks for the templates first, wherever O is.
$(O)/gnuplot: | $(O)/.deps
	$(Q)ln -sfn $(abspath scripts/gnuplot) $@

# What each unit test links besides: main(), for tests that register themselves (support/test.h), and
# short memory.
UNIT_MAIN   := $(O)/unit-main.a
UNIT_MEMORY := $(call obj,tests/unit/support/short_memory.c)
UNIT_WRAP   := $(addprefix -Wl$(comma)--wrap=,malloc aligned_alloc calloc realloc reallocarray \
                strdup strndup asprintf vasprintf open_memstream)

$(O)/unit.a: $(call obj,$(UNIT_LINK))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(UNIT_MAIN): $(call obj,tests/unit/support/unit_main.c)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/tests/unit/%: $(O)/tests/unit/%.o $(UNIT_MEMORY) $(UNIT_MAIN) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(UNIT_WRAP) $^ -o $@ -lcmocka $(LIB_LIBS) -lm

# A target and what drives it: libFuzzer, or a unit test that replays the corpus.
$(O)/tests/fuzz/%_options: FUZZ_LINK := -Wl,--wrap=exit,--wrap=argp_parse
FUZZ_OWN  := $(call obj,tests/fuzz/fuzz.c)
$(O)/tests/fuzz/fuzz_%: $(O)/tests/fuzz/fuzz_%.o $(FUZZ_OWN) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer $(FUZZ_LINK) $^ -o $@ $(LIB_LIBS) -lm

$(O)/tests/fuzz/replay_%: $(O)/tests/fuzz/fuzz_%.o $(FUZZ_OWN) $(O)/tests/fuzz/replay.o $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(FUZZ_LINK) $^ -o $@ -lcmocka $(LIB_LIBS) -lm

$(O)/tests/bpf/perf_stage_run.o: $(O)/tests/bpf/perf_stage.skel.h
$(O)/tests/bpf/%.o: ROOMS += -I$(O)/tests/bpf
$(O)/tests/e2e/play: $(PLAYS)
$(O)/tests/bpf/sampler_run: TEST_LINK := -Wl,--wrap=perf_event__open_sampling
$(TEST_PROGRAMS): %: %.o $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(TEST_LINK) $^ -o $@ $(LIB_LIBS) -lm

$(TEST_LIBRARIES): $(O)/%.so: %.c | $(O)/.deps
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIC -shared $< -o $@

# Measures what watching costs on one connection: scripts/bench-overhead runs it.
$(O)/bench-overhead: $(O)/bench/overhead.o $(O)/bench/command.o $(O)/bench/cpu_clock.o $(O)/bench/prog_stats.o \
                     $(O)/bench/packets.o $(call obj,$(SESSION_SRC)) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIB_LIBS) -lm

# Reads what the BPF programs of a process cost: scripts/bench-attach runs it.
$(O)/bpf-cost: $(O)/bench/bpf_cost.o $(O)/bench/prog_stats.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIB_LIBS)

# How steady the machine itself is: scripts/bench-noise runs it.
$(O)/yardstick: $(O)/bench/yardstick.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lpthread

# Plays uncommon uses of watched sockets: tests/bpf/watched.bats and tests/vm/watched run it.
$(O)/watched-run: $(O)/tests/bpf/watched_run.o $(PLAYS) $(call obj,$(SESSION_SRC)) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIB_LIBS) -lm

clean:
	rm -rf build build-address build-thread build-fuzz build-aarch64 build-static build-aarch64-static \
		netiotrace netio-loadgen

-include $(shell find $(O) -name '*.d' 2>/dev/null)
.DELETE_ON_ERROR:
.SECONDARY:
