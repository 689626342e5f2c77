/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time by class, from samples: the classes, one row each; distinct stacks; counts by side,
 * shares with their interval, and the CPU time of a side divided by them. Pure.
 *
 * Copies and pinning are stages of the ledger. The other classes follow the taxonomy of
 * "Understanding Host Network Stack Overheads" (SIGCOMM 2021), with separate classes for pacing and
 * timers, zero-copy notifications, and the application's own work.
 */
#ifndef MODEL_CPU_TIME_H
#define MODEL_CPU_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/samples.h"
#include "number.h"

/* clang-format off */
/* Classes: id; key in data; heading; description. */
#define CPU_CLASSES(X)                                                                          \
	X(GATHER, "gather", "gather",                                                           \
	  "the application packs its fields into one buffer (two-copy mode)")                   \
	X(TX_COPY, "tx_copy", "send copy", "user memory to socket buffer")                      \
	X(TX_PIN, "tx_pin", "pin", "user pages pinned for MSG_ZEROCOPY")                        \
	X(DEFERRED_COPY, "deferred_copy", "deferred copy", "pinned pages copied after all")     \
	X(RX_COPY, "rx_copy", "receive copy", "socket buffer to user memory")                   \
	X(OTHER_COPY, "other_copy", "other copy", "payload copied elsewhere in the kernel")     \
	X(COMPLETION, "completion", "completion",                                               \
	  "MSG_ZEROCOPY notifications: made, queued, read")                                     \
	X(TCP_IP, "tcp_ip", "TCP/IP", "TCP and IP processing, and the socket layer's")          \
	X(TIMERS, "timers", "pacing/timers", "timers started, moved and run; pacing")           \
	X(NETDEV, "netdev", "net device", "queueing disciplines, devices, their softirq")       \
	X(SKB, "skb", "skb", "socket buffers made, cloned, freed")                              \
	X(MEMORY, "memory", "memory", "pages and slab objects got and given back, page faults") \
	X(LOCK, "lock", "lock", "locks taken, waited for, released")                            \
	X(SCHEDULING, "scheduling", "scheduling", "sleeping, waking others, switching tasks")   \
	X(SYSCALL, "syscall", "system call", "entry, exit, arguments, descriptors")             \
	X(IRQ, "irq", "interrupts", "hardware interrupts and softirq dispatch")                 \
	X(TRACING, "tracing", "tracing", "BPF programs and tracing, also of netiotrace itself") \
	X(FILE_READ, "file_read", "file read", "files read from the page cache, and into it")   \
	X(USER, "user", "application", "the application itself, but gathering")                 \
	X(OTHER, "other", "unclassified", "files written, disks, and stacks that no rule knows")

enum cpu_class {
#define X(id, ...) CPU_CLASS_##id,
	CPU_CLASSES(X)
#undef X
	CPU_CLASS_NR,
};
/* clang-format on */

const char *cpu_class__key(enum cpu_class c);     /* "tx_copy" */
const char *cpu_class__heading(enum cpu_class c); /* "send copy" */
const char *cpu_class__help(enum cpu_class c);

/* A stack and the number of its samples, for flame graphs. */
struct profile_stack {
	char *frames; /* names separated by ';', outermost first; owned */
	uint64_t count;
	enum nio_sample_owner owner;
	enum cpu_class class;
};

struct profile {
	struct profile_stack *stacks;
	size_t nr;
	uint64_t left_out; /* samples of further stacks, which were not kept */
};

/* Adds to a stack that is there, or adds it; frames are copied. */
void profile__add(struct profile *p, const struct profile_stack *stack);
void profile__merge(struct profile *p, const struct profile *other); /* takes NULL */

/* Sorts by frames and owner, so that the output is deterministic. */
void profile__sort(struct profile *p);

void profile__clear(struct profile *p); /* leaves an empty one */

/* The sample events. */
#define CPU_SOURCE_CYCLES "cycles"               /* of a PMU */
#define CPU_SOURCE_CLOCK  "cpu-clock"            /* a timer */
#define CPU_SOURCE_BOTH   "cycles and cpu-clock" /* of a sum: some rounds by either */

#define CPU_NO_CYCLES_MAX 128 /* length of the reason why not by cycles, with its end */

/* clang-format off */
#define SAMPLES_NUMBERS(X, S)                                                                       \
	X(S, u64, samples, "samples", "count", READ, ZERO) /* of all classes, CPU_CLASS_OTHER too */ \
	/* due, but not to be had; elsewhere: or maybe for other sockets */                         \
	X(S, u64, lost, "lost", "count", READ, ZERO)                                                \
	/* landed where interrupts are let in again; see stack_rules.h */                           \
	X(S, u64, shifted, "shifted", "count", READ, ZERO)
/* clang-format on */

/* Samples of one side, or of elsewhere. */
struct cpu_samples {
	SAMPLES_NUMBERS(NUMBER_MEMBER, )
	uint64_t classes[CPU_CLASS_NR];
};

extern const struct number_row samples__numbers[];

/* The result of one or more sampled rounds, or of attach. */
struct cpu_result {
	bool known;
	char reason[192];   /* why not */
	const char *source; /* CPU_SOURCE_*; NULL: none */
	/* Why not by cycles, of a sum the first that says so; "": all are. */
	char no_cycles[CPU_NO_CYCLES_MAX];
	unsigned int hz;      /* asked for, a CPU */
	uint64_t duration_ns; /* sampled */
	uint64_t payload;     /* of rounds: bytes moved meanwhile */
	bool both_machines;   /* the receiver's machine has sampled too */
	/* Why samples do not have TCP's softirq work, or have it twice; NULL: they have it once. */
	const char *softirq_reason;
	bool gather_hidden; /* samples of the sender's gather are in CPU_CLASS_USER */
	struct cpu_samples by[NIO_SAMPLE_OWNER_NR];
	struct profile profile;
};

const char *cpu_time__whose(enum nio_sample_owner w); /* "sender", "elsewhere"... */

/* Marks as not sampled and copies the reason. Frees earlier samples. */
void cpu_time__none(struct cpu_result *c, const char *reason);
void cpu_time__clear(struct cpu_result *c);

/* Counts a stack and keeps it. 0, so that walks over samples go on. */
int cpu_time__add_stack(struct cpu_result *c, const struct profile_stack *stack, bool shifted);

/* The source of the sum of both; NULL: no samples so far. */
const char *cpu_time__source(const char *a, const char *b);

/* Adds src to dst: the sum of what either knows. They share no memory afterwards. */
void cpu_time__add(struct cpu_result *dst, const struct cpu_result *src);

/*
 * Divides total_ns by the samples of each class, to the nanosecond: each gets the part below its
 * share, and those with the largest remainders one more (Hamilton's method). All 0 without samples.
 */
void cpu_time__divide(const struct cpu_samples *s, uint64_t total_ns, uint64_t ns[CPU_CLASS_NR]);

struct cpu_share {
	double value;     /* 0..1; NaN without samples */
	double low, high; /* that holds the true share in 95 of 100 cases: Wilson's interval */
};

struct cpu_share cpu_time__share(const struct cpu_samples *s, enum cpu_class c);

/* The mean of such counts of samples, between which ends it is in 95 of 100 cases (Poisson). */
struct cpu_share cpu_time__mean(uint64_t samples);

#endif
