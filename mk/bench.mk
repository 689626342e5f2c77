# SPDX-License-Identifier: GPL-2.0-only
# Build rules of the programs that measure. scripts/bench-* run them.

# Measures what watching costs on one connection: scripts/bench-overhead runs it.
$(O)/bench-overhead: $(O)/bench/overhead.o $(O)/bench/command.o $(O)/bench/cpu_clock.o $(O)/bench/prog_stats.o \
                     $(O)/bench/packets.o $(call obj,$(ATTACH_SRC)) $(O)/unit.a
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
