/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a session as plain data: what the ledger arithmetic fills and every view (live,
 * text, JSON, CSV, assertions) reads. No I/O, no libbpf. A number that was not measured is marked
 * unknown and carries the reason; no view may print it as 0.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "bpf/netiotrace.h"
#include "bpf/perf_stage.h"
#include "common/hist.h"
#include "common/mode.h"
#include "common/workload.h"
#include "congestion.h"
#include "counter.h"
#include "cpu_time.h"
#include "number.h"
#include "probes/plan_row.h"
#include "sysctl.h"

/* What netiotrace follow found about the bytes that a program sent, or received. */
struct followed {
	struct real per_byte; /* copies in user space; unknown: why[] has the reason */
	double low, high;     /* 95 % interval */
	uint64_t bytes;       /* followed, without the unknown ones */
	uint64_t unknown;
	char function[64]; /* that copies most often; empty: none, or without a name */
	char why[192];     /* why per_byte is unknown */
};

/* A mode of the load generator, whose sender was followed in a round of its own. */
struct followed_mode {
	enum mode mode;
	struct real own; /* the sender's own count of the same copies, per byte sent */
	struct followed sent;
};

#define RESULT_SCHEMA "netiotrace.result/1"

const char *stage__key(enum nio_stage s);     /* JSON key: "tx_copy" */
const char *stage__heading(enum nio_stage s); /* on screen: "send" */
const char *stage__help(enum nio_stage s);    /* its description, in a line */
enum nio_side stage__side(enum nio_stage s);  /* whose sockets feed it */
bool stage__is_copy(enum nio_stage s);        /* counts towards copies_per_byte */

/* Whose bytes a stage accounts for: stages of one account add up to the application's bytes. */
enum stage_account {
	STAGE_NEITHER, /* these bytes are in another stage as well */
	STAGE_SENT,
	STAGE_RECEIVED,
};

enum stage_account stage__account(enum nio_stage s);

/* Is the stage shown only where it has bytes: most sessions have none? */
bool stage__is_rare(enum nio_stage s);

struct stage_result {
	enum quality quality;  /* of bytes */
	const char *reason;    /* why less than exact; NULL when exact */
	uint64_t bytes;        /* meaningless when quality is QUALITY_UNAVAILABLE */
	struct num open_bytes; /* that may also belong to the stage, from missed events */
	uint64_t events;
	const char *no_events;  /* not NULL: no event is attached, and only bytes are known */
	const char *event;      /* what one event is: "send call", "transmit", "skb" */
	struct hist *sizes;     /* bytes per event; NULL when unavailable */
	struct num ns;          /* time spent in the stage, summed over the timed events */
	struct num timed;       /* events whose time was taken; all of them, or a sample */
	struct num timed_bytes; /* bytes that ns is of, in a timed round; unknown: those above */
	struct hist *times; /* ns per timed event; NULL when ns is unknown, or only its sum kept */
};

/* clang-format off */
/*
 * Latencies timed by the load generator (docs/reference/loadgen.md): enum suffix, JSON key, reporting side,
 * heading, why a run may lack it, description.
 */
#define LATENCIES(X)                                                                       \
	X(SEND_CALL, "send_call", SENDER, "send call", "no event was timed",               \
	  "time inside the send system call")                                              \
	X(SLOT_WAIT, "slot_wait", SENDER, "slot wait",                                     \
	  "no message waited for a zero-copy buffer",                                      \
	  "until a zero-copy buffer was free, of messages that waited")                    \
	X(DELIVERY, "delivery", RECEIVER, "delivery", "no event was timed",                \
	  "from before the send to the last byte read")                                    \
	X(RECV_CALL, "recv_call", RECEIVER, "recv call", "no event was timed",             \
	  "time inside recv(), with its wait for data if it blocks")                       \
	X(HALF_ROUND_TRIP, "half_round_trip", SENDER, "half round trip",                   \
	  "messages are answered only with --request-response",                            \
	  "half the time until a message was answered")                                    \
	X(COMPLETION, "completion", SENDER, "completion", "no event was timed",            \
	  "zero-copy send to its notification")                                            \
	X(MISSED, "missed", SENDER, "missed", "with --rate only: every message was sent",  \
	  "--rate: due and not sent; how long these waited, at least")

enum latency_kind {
#define X(id, ...) LATENCY_##id,
	LATENCIES(X)
#undef X
	LATENCY_NR,
};
/* clang-format on */

const char *latency__key(enum latency_kind k); /* "send_call", ... */
enum nio_side latency__side(enum latency_kind k);
const char *latency__heading(enum latency_kind k); /* "send call", ... */
const char *latency__none(enum latency_kind k);    /* why nothing may have been timed */
const char *latency__help(enum latency_kind k);
bool latency__is_detail(enum latency_kind k); /* not on the screen at the end of a run */

/* clang-format off */
#define ZC_NUMBERS(X, S)                                                                         \
	X(S, u64, sends, "sends", "count", HERE, NONE) /* with MSG_ZEROCOPY, that queued bytes */ \
	X(S, u64, completed, "completed", "count", HERE, NONE) /* of these, completion seen */   \
	X(S, u64, copied, "copied", "count", HERE, NONE)                                         \
	X(S, u64, not_copied, "not_copied", "count", HERE, NONE)                                 \
	X(S, u64, enobufs, "enobufs", "count", HERE, NONE) /* copied after ENOBUFS */            \
	X(S, u64, fallback_bytes, "fallback_bytes", "bytes", HERE, NONE) /* of these */
struct zc_counts { ZC_NUMBERS(NUMBER_MEMBER, ) };

/* With --request-response: what the receivers sent back. All 0 without. */
#define REPLIES_NUMBERS(X, S)                                                                    \
	X(S, num, tx_bytes, "tx_bytes", "bytes", READ, UNKNOWN) /* by the receivers' count */    \
	X(S, num, tx_messages, "tx_messages", "count", READ, UNKNOWN)                            \
	X(S, u64, rx_bytes, "rx_bytes", "bytes", HERE, NONE) /* by the senders' */               \
	X(S, u64, rx_messages, "rx_messages", "count", HERE, NONE)                               \
	/* messages of these with a wrong byte (--verify) or out of order */                     \
	X(S, u64, errors, "errors", "count of messages", HERE, NONE)
struct replies { REPLIES_NUMBERS(NUMBER_MEMBER, ) };
/* clang-format on */

struct latency_result {
	struct hist *hist;  /* ns; NULL when unknown */
	const char *reason; /* when NULL: why */
};

/* Counts of the load generator itself, with which the ledger is compared. */
struct app_result {
	uint64_t tx_bytes, tx_messages;
	uint64_t rx_bytes, rx_messages;
	struct num rx_uncopied; /* of rx_bytes: mapped, dropped or spliced by receive calls */
	struct replies replies;
	const char *rx_reason; /* not NULL: why received bytes are unknown */
	struct zc_counts zc;
	uint64_t partial_sends, eagain, eintr;
	uint64_t tcp_bytes_acked;        /* TCP_INFO of the senders: tcpi_bytes_acked */
	uint64_t tcp_bytes_received;     /* TCP_INFO of the receivers: tcpi_bytes_received */
	const char *tcp_received_reason; /* not NULL: it is not known, for this reason */
	uint64_t tcp_bytes_retrans;      /* TCP_INFO of the senders */
	struct num verify_errors;        /* messages that differed; see --verify */
	struct num sender_cpu_ns, receiver_cpu_ns; /* user + system time of either process */
	struct latency_result latency[LATENCY_NR];
};

/* clang-format off */
/* Time of send calls: the whole by the load generator's clock; its parts by the kernel's. */
enum path_part {
	PATH_SEND_TOTAL,
#define X(id, ...) PATH_##id,
	NIO_PATH_PARTS(X)
#undef X
	PATH_NR,
};
/* clang-format on */

/* The round that the times of stages and send calls come from. */
enum times_source {
	TIMES_OF_ROUND,         /* the round of everything else */
	TIMES_FROM_TIMED_ROUND, /* a short one after it, in which nothing else was measured */
	TIMES_NOT_TAKEN,        /* a short one that was not made, or not yet */
};

struct times_result {
	enum times_source source;
	char reason[192]; /* TIMES_NOT_TAKEN: why */
	/* Of TIMES_FROM_TIMED_ROUND, added over the rounds: */
	uint64_t duration_ns, payload, messages;
	uint64_t calls;                         /* send calls, by the load generator's clock */
	struct num missed, map_full, unmatched; /* as of struct health */
};

const char *path_part__key(enum path_part p);     /* "send_total", "lock", ... */
const char *path_part__heading(enum path_part p); /* "send call", "lock", "inline receive" */

/* Where deferred copies ran. */
struct place_result {
	enum nio_context context;
	char comm[16]; /* of the task it ran in or on top of */
	char dev[16];  /* empty: the skb had no device */
	uint64_t bytes, events, ns;
};

/* Unexpected copies, by the kernel function that had them made. */
struct other_result {
	char caller[64];
	uint64_t bytes, events, ns;
};

#define PLACES_SHOWN 16 /* the last of more holds the sum of the rest, named "(others)" */
#define OTHERS_SHOWN 16

/* Zero-copy sends from call to completion, by the kernel's clock and account. */
struct pinned_result {
	struct num completed_bytes; /* pinned by sends that completed */
	struct latency_result
		completion; /* of the oldest send of each notification, from its call */
	struct latency_result outstanding; /* bytes of one socket pinned, after each send */
};

/* Further facts on a counter. */
struct perf_detail {
	struct num user, kernel; /* the parts spent in either mode */
	struct real running;     /* share of the time in which it was counting, 0..1 */
};

/* An event that --perf-events asked for. */
#define PERF_EVENTS_MAX 16
struct perf_asked {
	const char *name; /* as asked for; owned by the options */
	struct num count[NIO_SIDE_NR];
	struct real running[NIO_SIDE_NR];
};

/* Costs inside a part of the kernel's path, from the samples kept; JSON has ratios of them. */
#define WINDOW_NUMBERS(X, S)                                                                      \
	X(S, num, windows, NULL, NULL, HERE, NONE) /* passes, measured or not */                  \
	X(S, num, samples, NULL, NULL, HERE, NONE) /* measured and kept: the next are of these */ \
	X(S, num, bytes, NULL, NULL, HERE, NONE)                                                  \
	X(S, num, cycles, NULL, NULL, HERE, NONE)                                                 \
	X(S, num, llc_misses, NULL, NULL, HERE, NONE)                                             \
	X(S, num, discarded, NULL, NULL, HERE, NONE) /* measured and thrown away */
struct perf_window {
	WINDOW_NUMBERS(NUMBER_MEMBER, )
	enum quality quality; /* sampled, or unavailable */
	const char *reason;
};

const char *perf_window__key(enum nio_perf_window w); /* "send_call", "tx_pin", ... */

enum zc_cause {
	ZC_CAUSE_NONE, /* nothing was sent with MSG_ZEROCOPY, or nothing completed */
	ZC_CAUSE_NOT_COPIED,
	ZC_CAUSE_LOCAL,   /* delivered on this machine: skb_copy_ubufs on delivery */
	ZC_CAUSE_TAP,     /* a packet tap is handed every packet: skb_copy_ubufs before that */
	ZC_CAUSE_NO_SG,   /* route without scatter-gather: copied in the send call, or below it */
	ZC_CAUSE_ENOBUFS, /* sends that fell back to copying; which limit, is not known */
	ZC_CAUSE_ENOBUFS_MEMLOCK,
	ZC_CAUSE_ENOBUFS_OPTMEM,
	ZC_CAUSE_RETRANSMISSION, /* retransmitted bytes are copied again */
	ZC_CAUSE_ARRIVED,        /* copied on this machine: pages arrived, or the copy was seen */
	ZC_CAUSE_NO_OPTION,      /* MSG_ZEROCOPY without SO_ZEROCOPY: the kernel ignores the flag */
	ZC_CAUSE_IO_URING,       /* io_uring's SEND_ZC: not known whether copied */
	ZC_CAUSE_UNKNOWN,
};

const char *zc_cause__key(enum zc_cause c); /* "local_delivery", ... */

/* A cause of copies, and what says so. */
struct cause {
	enum zc_cause cause;
	char evidence[512]; /* a clause: no capital, no full stop */
};

#define VERDICT_CAUSES_MAX 8

struct verdict {
	struct real copied_fraction;             /* copied / completed */
	enum zc_cause cause;                     /* the first of causes, if any */
	struct cause causes[VERDICT_CAUSES_MAX]; /* by weight */
	unsigned int causes_nr;
	char text[1024]; /* a few sentences; empty without a verdict */
};

const char *nio_context__name(enum nio_context c); /* "process", "softirq", "unknown" */

/* clang-format off */
/* One direction of kTLS, by the numbers of its records. All 0 in modes that do not encrypt. */
#define TLS_NUMBERS(X, S)                                                                        \
	X(S, num, bytes, "bytes", "bytes", READ, ZERO) /* of plaintext */                        \
	X(S, num, records, "records", "count", READ, ZERO)                                       \
	X(S, num, overhead, "overhead", "bytes", READ, ZERO) /* that the records add */
struct tls_result { TLS_NUMBERS(NUMBER_MEMBER, ) };

/* Bytes of the watched sockets by their own sequence numbers: see bpf/socket_sums.h. */
#define SEQUENCE_NUMBERS(X, S)                                                                   \
	X(S, num, tx_bytes, "tx_bytes", "bytes", HERE, NONE) /* queued by the senders */         \
	X(S, num, rx_bytes, "rx_bytes", "bytes", READ, UNKNOWN) /* taken by the receivers */     \
	X(S, num, tx_retrans, "tx_retrans", "bytes", HERE, NONE) /* sent again by the senders */ \
	X(S, num, tx_ids, "tx_zerocopy_ids", "count", HERE, NONE) /* that the senders took */
struct sequence_result {
	SEQUENCE_NUMBERS(NUMBER_MEMBER, )
	const char *source; /* "iter/task_file"; NULL: none, see the reasons */
	struct tls_result tls[NIO_SIDE_NR]; /* sent by the senders, received by the receivers */
};

#define HEALTH_NUMBERS(X, S)                                                                     \
	/* share of bytes seen by events, of directions with events; its parts, if it is known */ \
	X(S, real, coverage, "coverage", "ratio", READ, UNKNOWN)                                 \
	X(S, hidden, covered_bytes, NULL, NULL, HERE, NONE)                                      \
	X(S, hidden, coverable_bytes, NULL, NULL, HERE, NONE)                                    \
	/* time with events attached, and total; 0, 0: all of it */                              \
	X(S, hidden, attached_ns, NULL, NULL, HERE, NONE)                                        \
	X(S, hidden, phase_ns, NULL, NULL, HERE, NONE)                                           \
	X(S, num, missed, "missed", "count", ADD, UNKNOWN) /* runs that the kernel refused */    \
	X(S, num, dropped, "dropped", "count", HERE, NONE) /* on their way to user space */      \
	X(S, num, map_full, "map_full", "count", ADD, UNKNOWN)                                   \
	X(S, num, unmatched, "unmatched", "count", ADD, UNKNOWN)                                 \
	X(S, num, anomalies, "anomalies", "count", ADD, UNKNOWN) /* events not booked */         \
	/* ns of the measured phase in which a load generator process was stopped: the least */  \
	X(S, hidden, paused_ns, NULL, NULL, HERE, NONE)                                          \
	/* CPU time of the machine in the measured phase, and parts of it; total 0: unknown */   \
	X(S, hidden, machine_ns, NULL, NULL, HERE, NONE)                                         \
	X(S, hidden, machine_stolen_ns, NULL, NULL, HERE, NONE)                                  \
	X(S, hidden, machine_others_ns, NULL, NULL, HERE, NONE) /* not of the run */
struct health { HEALTH_NUMBERS(NUMBER_MEMBER, ) };

/* Of a run, by the kernel. Documents have them among formulas: see json_run.c. */
#define KERNEL_NUMBERS(X, S)                                                                     \
	X(S, num, notifications, NULL, NULL, HERE, NONE) /* completion notifications */          \
	/* by the sockets themselves; only where kernel_zc is a sample */                        \
	X(S, num, zc_completed, NULL, NULL, HERE, NONE)                                          \
	X(S, num, zc_unseen, NULL, NULL, HERE, NONE) /* ids of calls whose return was not seen */\
	/* requests of io_uring: perhaps copied; reported as copied, though they were not */      \
	X(S, num, unreported, NULL, NULL, HERE, NONE)                                            \
	X(S, num, misreported, NULL, NULL, HERE, NONE)                                           \
	X(S, num, enobufs_optmem, NULL, NULL, HERE, NONE) /* by net.core.optmem_max */           \
	X(S, num, enobufs_memlock, NULL, NULL, HERE, NONE) /* by RLIMIT_MEMLOCK */               \
	X(S, num, unclassified, NULL, NULL, HERE, NONE) /* queued bytes, their events missed */
/* clang-format on */

extern const struct number_row zc__numbers[], replies__numbers[], tls__numbers[];
extern const struct number_row sequence__numbers[], health__numbers[], kernel__numbers[],
	window__numbers[];

struct run_result {
	enum mode mode;
	uint64_t size;
	unsigned int fields, threads, connections, round;
	uint64_t duration_ns; /* of the measured phase; 0: nothing was measured */
	bool interrupted;
	const char *not_final; /* not NULL: why figures of application and kernel are unknown */
	struct app_result app;
	bool sender_side;      /* the receiver is on another machine: bytes are bytes sent */
	bool request_response; /* the receivers answered */
	enum receive receive;  /* the way the receivers took the bytes */
	bool ledger_known;     /* false: backend none */
	const char *ledger_reason;
	struct stage_result stages[NIO_STAGE_NR];
	KERNEL_NUMBERS(NUMBER_MEMBER, )
	struct num refused[NIO_REFUSAL_NR]; /* failed send calls of the senders, by error */
	struct zc_counts kernel_zc;
	bool kernel_zc_known;
	/* what no stage covers; all 0 where nothing was watched */
	struct nio_uncovered uncovered[NIO_SIDE_NR][NIO_UNCOVERED_NR];
	int64_t unaccounted_tx, unaccounted_rx; /* only with balance_known */
	bool balance_known;                     /* the ledger is, and totals are final */
	struct sequence_result sequence;
	uint64_t device_copies;      /* bytes that the sender's device may have copied unseen, and
				      * again what was sent again: sequence.tx_retrans */
	struct real copies_per_byte; /* the least that is certain */
	struct real copies_per_byte_at_most;
	struct num open_copies; /* of a sum of runs: the sum of ledger_bytes__open() of each */
	struct verdict verdict;
	struct num path_ns[PATH_NR];
	struct num path_calls;     /* calls the parts are the sum of */
	struct times_result times; /* the round of these times and of the stages' */
	enum quality path_quality; /* sampled: of some of the calls */
	const char *path_reason;   /* why less than exact; NULL when exact */
	struct pinned_result pinned;
	struct place_result places[PLACES_SHOWN];
	size_t places_nr;
	const char *places_reason; /* NULL: known, also when there are none */
	struct other_result others[OTHERS_SHOWN];
	size_t others_nr;
	/* known, with a reason: scaled up, since it was counting only part of the time */
	struct num perf[NIO_SIDE_NR][PERF_NR];
	struct perf_detail perf_detail[NIO_SIDE_NR][PERF_NR];
	struct perf_window perf_window[NIO_PERF_WINDOW_NR];
	struct cpu_result cpu; /* from a sampled round: see figures.h */
	struct perf_asked perf_asked[PERF_EVENTS_MAX];
	size_t perf_asked_nr;
	struct health health;
};

struct mode_summary {
	enum mode mode;
	uint64_t size;
	unsigned int threads, rounds;
	struct spread throughput_gbps;
	struct spread copies_per_byte;
	struct spread cpu_ns_per_kib;
	struct run_result total; /* all rounds added up: what tables and histograms show */
};

#define TAPS_MAX 16

/* A receiver of every packet of a device: a packet socket, or a function of the kernel. */
struct tap {
	char device[16];  /* empty: every device of its network namespace */
	char process[32]; /* name of the process that holds it; empty: not known */
	struct num pid;
	char function[64];     /* of the kernel, that gets the packets; empty: not known */
	uint64_t inode;        /* of the socket; 0: it is none */
	bool sender, receiver; /* whose packets it is handed */
	bool elsewhere;        /* its namespace is that of neither side */
	bool at_start;         /* open when the session began */
	bool open;             /* open when last looked for */
	bool in_run;           /* open at the beginning or at the end of the run in hand */
};

struct taps {
	struct tap list[TAPS_MAX]; /* all that were seen, in that order */
	unsigned int nr;
	unsigned int more; /* open, but the list was full */
	unsigned int searches;
	struct flag per_netns; /* a tap sees its own namespace's packets only; see tap.c */
	bool known;            /* false: could not be looked for, see reason */
	const char *reason;
};

/* CPU time of all processors since boot, in ticks (/proc/stat). */
struct cpu_times {
	bool known;
	uint64_t total, steal;
	uint64_t tasks, interrupts; /* user, nice and system time; irq and softirq time */
};

/* How often a CPU quota stopped a cgroup: cpu.stat. */
struct throttling {
	struct num periods, throttled; /* with something to run; in which it was stopped */
	struct num ns;                 /* stopped, summed over CPUs */
};

#define QUOTA_UNLIMITED "unlimited"

/* The setup of the machine and its other users: influences on the figures other than copying. */
struct machine {
	char host[65];
	char boot_id[40];       /* of the kernel (random(4)); empty: unknown */
	char started[24];       /* of the session, UTC, ISO 8601 */
	const char *preemption; /* model of the kernel, see preemption.h; NULL: unknown */
	char governor[32];      /* of the CPUs' frequency; empty: the machine has none */
	char huge_pages[16];    /* transparent: always, madvise, never */
	char mitigations[512];  /* active mitigations of CPU vulnerabilities, separated by spaces */
	bool mitigations_known;
	struct num numa_nodes;
	char caches[96]; /* of the first CPU: "L1d 32 KiB, L1i 32 KiB, L2 1 MiB"; empty: unknown */
	struct num memory;          /* bytes */
	struct real load, load_end; /* average of one minute when the session began, and ended */
	struct real steal;  /* share of CPU time during the session that the hypervisor gave away */
	struct real others; /* share of CPU time during rounds that was not the run's */
	struct real quota;  /* of the cgroup, CPUs; unknown: QUOTA_UNLIMITED, or why */
	struct throttling throttling; /* by the quota during the session */
	struct flag irq_time;         /* CONFIG_IRQ_TIME_ACCOUNTING */
};

struct environment {
	struct machine machine;
	struct congestion congestion;
	char qdisc[32];            /* of the sender's device */
	struct flag tso, gso, gro; /* of the sender's device */
	struct flag arfs;          /* accelerated receive flow steering of the sender's device */
	char driver[32];           /* of the sender's device */
	char kernel[128];
	char cpu[128];
	unsigned int cpus;
	char path[16]; /* "loopback", "veth", "remote" */
	char device[16];
	unsigned int mtu;
	char clocksource[32];
	struct num optmem_max;
	struct num memlock; /* RLIMIT_MEMLOCK of the senders, bytes; UINT64_MAX: unlimited */
	char virtualization[64];
	char lockdown[32];
	bool ipv6;
	struct sysctl sysctls[SYSCTL_NR]; /* of the sender's network namespace */
	struct sysctl rps;                /* masks of the receive queues of the sender's device */
	/* of the sender's device, as it was when the session began */
	struct flag device_scatter_gather; /* NETIF_F_SG */
	struct flag device_tx_checksum;    /* of TCP over the addresses used */
	struct taps taps;
	/* With --connect: what the receiver's machine says of itself; NULL: nothing. */
	const struct environment *receiver;
};

#define RESULT_FAILURE_MAX 640

struct result {
	const char *version;
	int argc;
	char **argv;
	const char *backend; /* "tracepoint", "none" */
	struct environment env;
	const struct plan_row *plan;
	size_t plan_nr;
	struct run_result *runs;
	size_t runs_nr;
	struct mode_summary summary[MODE_NR]; /* by order of first appearance */
	size_t summary_nr;
	struct followed_mode followed[MODE_NR]; /* with --follow, in the order of the rounds */
	size_t followed_nr;
	struct workload workload; /* asked for; its strings are the options' */
	enum mode modes[MODE_NR]; /* asked for */
	size_t modes_nr;
	unsigned int rounds;        /* asked for, per mode */
	uint64_t round_duration_ns; /* asked for, each; 0 with --messages */
	uint64_t messages;          /* asked for; 0 with --duration */
	bool interrupted;
	char failure[RESULT_FAILURE_MAX]; /* why a round failed, which ended the run; or empty */
	unsigned int probes;              /* attached */
};

/* result.c. run_result__init() marks everything unknown; __clear() frees what a result owns. */
void run_result__init(struct run_result *r);
void run_result__clear(struct run_result *r);

/* No kernel side: all its numbers and all stages but user_gather are unknown, for this reason. */
void run_result__no_kernel(struct run_result *r, const char *reason);

/* No counters inside the stages: every window is unavailable, for this (static) reason. */
void run_result__no_windows(struct run_result *r, const char *reason);

/* Payload that arrived: bytes received; without the receiver's totals, bytes acknowledged. */
uint64_t run_result__delivered(const struct run_result *r);

/* The divisor of copies per byte: bytes received, or bytes sent on a sender's side. */
uint64_t run_result__payload(const struct run_result *r);

/* Bytes that applications sent and received on this machine, replies included. */
uint64_t run_result__sent(const struct run_result *r);
uint64_t run_result__received(const struct run_result *r);

/* Completions that the application has read, and the kernel side missed; 0 with not_final. */
uint64_t run_result__completions_missed(const struct run_result *r);

/* The kernel side's counts with the missed completions; copied and not_copied are the least. */
struct zc_counts run_result__completions(const struct run_result *r);

/*
 * The share of the measured time in which send and receive events were attached. Below 1, events
 * are a sample of number and sizes, never of bytes; also deferred copies in zero-copy mode.
 */
struct real run_result__events_share(const struct run_result *r);

/* Shares of the machine's CPU time in the measured phase: stolen, and of others than this run. */
struct real health__stolen(const struct health *h);
struct real health__others(const struct health *h);
bool run_result__sampled_events(const struct run_result *r, enum nio_stage stage);

/* Were completions of zero-copy sends sampled? Then kernel_zc is a sample. */
bool run_result__sampled_completions(const struct run_result *r);

/* Do the counts of application and kernel differ? Only if both are final. */
bool run_result__unbalanced(const struct run_result *r);

/* Throughput of delivered bytes, 10^9 bits per second; unknown if nothing was measured. */
/* Unknown of a round, or a sum with one, in which a process was stopped. */
struct real run_result__gbps(const struct run_result *r);

const char *uncovered__key(enum nio_uncovered_kind kind);  /* of JSON: "mptcp" */
const char *uncovered__text(enum nio_uncovered_kind kind); /* "through MPTCP, whose ..." */

bool uncovered__any(const struct run_result *r);

#endif
