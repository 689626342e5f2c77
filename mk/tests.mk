# SPDX-License-Identifier: GPL-2.0-only
# Build rules of the programs that only tests run. mk/targets.mk has the targets that run them.

# Scenarios of uncommon socket uses, shared by two test programs.
PLAYS := $(addprefix $(O)/tests/bpf/,socket_scenarios.o socket_scenarios_layers.o socket_scenarios_ports.o socket_scenarios_tls.o socket_scenarios_turns.o)

# Programs that tests run. The top of each source file says what it does.
TEST_PROGRAMS := $(O)/tests/vm/counted_loop $(O)/tests/bpf/perf_stage_run \
                 $(O)/tests/bpf/sampler_run $(O)/tests/bpf/addresses_run $(O)/tests/bpf/copy_witness_run \
                 $(O)/tests/bpf/fields_run \
                 $(O)/tests/e2e/no_errqueue_sender $(O)/tests/e2e/calibrated_loads \
                 $(O)/tests/e2e/classify_stacks $(O)/tests/e2e/play \
                 $(O)/tests/e2e/connection_churn $(O)/tests/e2e/shared_socket_senders $(O)/tests/e2e/slow_reader \
                 $(O)/tests/e2e/planted_copies $(O)/tests/e2e/slow_page $(O)/tests/e2e/zc_requests
# LD_PRELOAD libraries for other programs: never built with a sanitizer.
TEST_LIBRARIES := $(addprefix $(O)/tests/e2e/,tcp_info.so paced.so refused_runs.so little_memory.so)

# Unit tests also link main() (support/test.h).
UNIT_MAIN   := $(O)/unit-main.a

# Of two functions with one name, one in user/ and one in loadgen/, the linker would take either.
$(O)/unit.a: $(call obj,$(UNIT_LINK))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
	$(Q)twice=$$($(CROSS)nm -g --defined-only $@ | awk '$$2 ~ /^[TDRB]$$/ && $$3 !~ /[.]/ {print $$3}' | sort | uniq -d); \
		[ -z "$$twice" ] || { echo "user/ and loadgen/ both define $$twice: rename one." >&2; exit 1; }

$(UNIT_MAIN): $(call obj,tests/unit/support/unit_main.c)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/tests/unit/%: $(O)/tests/unit/%.o $(UNIT_MAIN) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ -lcmocka $(LIB_LIBS) -lm

# A fuzz target with its driver: libFuzzer, or a unit test that replays the corpus.
$(O)/tests/fuzz/%_options: FUZZ_LINK := -Wl,--wrap=exit
FUZZ_OWN  := $(call obj,tests/fuzz/fuzz.c)
$(O)/tests/fuzz/fuzz_%: $(O)/tests/fuzz/fuzz_%.o $(FUZZ_OWN) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer $(FUZZ_LINK) $^ -o $@ $(LIB_LIBS) -lm

$(O)/tests/fuzz/replay_%: $(O)/tests/fuzz/fuzz_%.o $(FUZZ_OWN) $(O)/tests/fuzz/replay.o $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(FUZZ_LINK) $^ -o $@ -lcmocka $(LIB_LIBS) -lm

$(O)/tests/bpf/perf_stage_run.o: $(O)/tests/bpf/perf_stage.skel.h
$(O)/tests/bpf/copy_witness_run.o: $(O)/tests/bpf/copy_witness.skel.h
$(O)/tests/bpf/%.o: MODULES += -I$(O)/tests/bpf
$(O)/tests/e2e/play: $(PLAYS)
$(O)/tests/bpf/sampler_run: TEST_LINK := -Wl,--wrap=perf_event__open_sampling,--wrap=bpf_object__load_skeleton
$(TEST_PROGRAMS): %: %.o $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(TEST_LINK) $^ -o $@ $(LIB_LIBS) -lm

$(TEST_LIBRARIES): $(O)/%.so: %.c | $(O)/.deps
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIC -shared $< -o $@

# tests/bpf/watched.bats and tests/vm/watched run this.
$(O)/watched-run: $(O)/tests/bpf/watched_run.o $(PLAYS) $(call obj,$(sort $(METER_SRC) $(ATTACH_SRC))) $(O)/unit.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIB_LIBS) -lm
