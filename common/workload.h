/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload of the load generator, and its options in one table: netiotrace and netio-loadgen
 * parse them, netiotrace passes them on, and documents show them, all by these rows.
 */
#ifndef COMMON_WORKLOAD_H
#define COMMON_WORKLOAD_H

#include "option.h"
#include "receive_way.h"

/* Limits that other code needs too, all inclusive. */
#define LIMIT_SIZE_MIN        64          /* message size, bytes */
#define LIMIT_SIZE_MAX        (16u << 20) /* with the header */
#define LIMIT_THREADS_MAX     256
#define LIMIT_CONNECTIONS_MAX 4096
#define LIMIT_DURATION_MAX    (24 * 3600 * 1000000000ULL) /* ns */

#define WORKLOAD_FIELDS 8 /* default of --fields */

/* The TLS versions of mode ktls. Zero is the default of --tls. */
enum workload_tls {
	WORKLOAD_TLS_1_3,
	WORKLOAD_TLS_1_2,
	WORKLOAD_TLS_NR,
};

#define WORKLOAD_TLS_CHOICES "1.3|1.2"

static inline const char *workload__tls_name(unsigned int tls)
{
	return tls == WORKLOAD_TLS_1_2 ? "1.2" : "1.3";
}

/* The ledger stages that a mode (mode.h) can feed. */
enum mode_feature {
	MODE_GATHERS = 1,         /* user_gather: gathers the fields in a buffer or a pipe */
	MODE_COPIES = 2,          /* tx_copy: the send call copies */
	MODE_PINS = 4,            /* tx_pin, deferred_copy */
	MODE_SPLICES = 8,         /* tx_splice: pages of a file or a pipe */
	MODE_SENDS_FILE = 16,     /* the pages stay as they are: messages carry no tag */
	MODE_USES_URING = 32,     /* its requests copy */
	MODE_TAKES_IDS = 64,      /* pins by MSG_ZEROCOPY: ids, notifications on the error queue */
	MODE_PINS_BY_URING = 128, /* pins by io_uring requests, each with a notification */
	MODE_TRIED = 256,         /* may be missing here: the load generator tries it first */
	MODE_ENCRYPTS = 512,      /* tls_copy: the kernel's cipher copies */
	MODE_SUBMITS = MODE_USES_URING | MODE_PINS_BY_URING, /* sends by requests of io_uring */
};

enum workload_use {
	ON_SENDER = 1,   /* the sender's netio-loadgen has the option */
	ON_RECEIVER = 2, /* the receiver's has it */
	ON_BOTH = ON_SENDER | ON_RECEIVER,
	OF_CELL = 4,   /* each cell of a sweep has its own value: sweep lacks the option */
	OF_PLAN = 8,   /* decides what can be measured: doctor has the option */
	OF_TRIAL = 16, /* a trial of a mode or of a way to receive has it */
};

/*
 * The rows: ROW(X, member of struct workload, kind, option, argument, use, needs (enum
 * mode_feature: a value above min is for modes that have one of these; 0: for all), min, max,
 * range, type of the JSON member (none, u64, flag, text; way: of RECEIVE_WAYS; tls: of enum
 * workload_tls; or_null: 0 is null), its key, unit, help). A row of kind CPUS is --cpus in
 * netio-loadgen. First the messages and their pace, then sockets and threads.
 */
/* clang-format off */
#define WORKLOAD_MESSAGES(ROW, X) \
	ROW(X, size, SIZE, "size", "SIZE", ON_SENDER | OF_CELL | OF_PLAN, 0, LIMIT_SIZE_MIN, LIMIT_SIZE_MAX, "a size from 64 to 16m such as 64k", u64, "size", "bytes", "bytes per message, 64 to 16m, as 4k (default 64k)") \
	ROW(X, fields, UINT, "fields", "N", ON_SENDER | OF_TRIAL, 0, 1, 64, "a number from 1 to 64", u64, "fields", "count", "fields per message, each its own allocation, 1 to 64 (default 8)") \
	ROW(X, header, SIZE, "header", "SIZE", ON_SENDER, 0, 0, 64 << 10, "a size from 0 to 64k such as 64", u64, "header", "bytes", "bytes before the fields of each message, in their own iovec, up to 64k (default 0)") \
	ROW(X, threads, UINT, "threads", "N", ON_SENDER | OF_CELL, 0, 1, LIMIT_THREADS_MAX, "a number from 1 to 256", u64, "threads", "count", "threads per side, 1 to 256 (default 1)") \
	ROW(X, connections, UINT, "connections", "N", ON_SENDER | OF_CELL, 0, 1, LIMIT_CONNECTIONS_MAX, "a number from 1 to 4096", or_null, "connections", "count", "connections, spread over the threads, up to 4096 (default: one per thread)") \
	ROW(X, duration_ns, TIME, "duration", "TIME", ON_SENDER, 0, 1, LIMIT_DURATION_MAX, "a time such as 5s or 500ms, up to 24h", none, NULL, NULL, "measured time per mode, all rounds together; 5s, 500ms (default 5s)") \
	ROW(X, messages, COUNT, "messages", "N", ON_SENDER, 0, 1, 1ULL << 48, "a number from 1 to 2^48", or_null, "messages", "count", "send exactly N messages per round instead") \
	ROW(X, warmup_ns, TIME, "warmup", "TIME", ON_SENDER, 0, 0, LIMIT_DURATION_MAX, "a time such as 500ms, up to 24h", none, NULL, NULL, "warm-up before each round, not counted (default 500ms, at most half a round)") \
	ROW(X, rounds, UINT, "rounds", "N", 0, 0, 1, 1000, "a number from 1 to 1000", u64, "rounds", "count", "rounds per mode, 1 to 1000; modes take turns (default 5 with --mode all and --duration, else 1)") \
	ROW(X, verify, FLAG, "verify", NULL, ON_BOTH, 0, 0, 0, NULL, flag, "verify", "true/false", "the receiver checks every byte") \
	ROW(X, rate, RATE, "rate", "N/s", ON_SENDER, 0, 1, 100000000, "a number of messages a second such as 2000/s, up to 100000000/s", or_null, "rate", "1/s", "messages per second; latencies count from the time a message is due (default: no limit)") \
	ROW(X, request_response, FLAG, "request-response", NULL, ON_SENDER, 0, 0, 0, NULL, flag, "request_response", "true/false", "wait for a reply of the same size after each message; sets TCP_NODELAY")

#define WORKLOAD_SOCKETS(ROW, X) \
	ROW(X, sndbuf, SIZE, "sndbuf", "SIZE", ON_SENDER, 0, 4 << 10, 1 << 30, "a size from 4k to 1g", or_null, "sndbuf", "bytes", "SO_SNDBUF of the senders, 4k to 1g (default: the system's)") \
	ROW(X, pipe_size, SIZE, "pipe-size", "SIZE", ON_SENDER, 0, 4 << 10, 1 << 30, "a size from 4k to 1g", or_null, "pipe_size", "bytes", "size of the pipes of mode splice, 4k to 1g (default: the system's, 64k)") \
	ROW(X, file_dir, STRING, "file-dir", "DIR", ON_SENDER | OF_TRIAL, 0, 0, 0, NULL, text, "file_dir", "text", "directory for the files of mode sendfile (default: in memory)") \
	ROW(X, tls, CHOICE, "tls", WORKLOAD_TLS_CHOICES, ON_SENDER | OF_TRIAL, MODE_ENCRYPTS, 0, 0, "1.3 or 1.2", tls, "tls", "text", "TLS version of mode ktls (default 1.3)") \
	ROW(X, fixed_buffers, FLAG, "fixed-buffers", NULL, ON_SENDER | OF_TRIAL, MODE_PINS_BY_URING, 0, 0, NULL, flag, "fixed_buffers", "true/false", "mode uringzc: sends from buffers that are registered with io_uring; a message is one field (--fields 1), and has no --header") \
	ROW(X, uring_depth, UINT, "uring-depth", "N", ON_SENDER | OF_TRIAL, MODE_SUBMITS, 1, 64, "a number from 1 to 64", u64, "uring_depth", "count", "messages that modes uring and uringzc submit together, 1 to 64 (default 1)") \
	ROW(X, receive, CHOICE, "receive", RECEIVE_CHOICES, ON_SENDER | OF_TRIAL, 0, 0, 0, "one of recv, mmap, trunc, splice, uring, multishot and bundle", way, "receive", "text", "way to receive: recv (default), mmap (TCP_ZEROCOPY_RECEIVE), trunc (MSG_TRUNC), splice (to /dev/null), uring (io_uring), multishot (its multishot RECV, provided buffers) or bundle (several of them at once)") \
	ROW(X, rcvbuf, SIZE, "rcvbuf", "SIZE", ON_RECEIVER, 0, 4 << 10, 1 << 30, "a size from 4k to 1g", or_null, "rcvbuf", "bytes", "SO_RCVBUF of the receivers, 4k to 1g (default: the system's)") \
	ROW(X, congestion, NAME, "congestion", "NAME", ON_BOTH | OF_CELL, 0, 0, 15 /* TCP_CA_NAME_MAX - 1 */, "the name of a congestion control such as cubic", none, NULL, NULL, "congestion control of the senders, or system for the system's default (default: system, but cubic or reno on local paths if the system's default paces)") \
	ROW(X, nodelay, FLAG, "nodelay", NULL, ON_SENDER, 0, 0, 0, NULL, flag, "nodelay", "true/false", "TCP_NODELAY on the senders") \
	ROW(X, spin_ns, TIME, "spin", "TIME", ON_BOTH, 0, 0, 1000000000, "a time from 0 to 1s such as 50us", or_null, "spin_ns", "ns", "busy-poll this long before blocking, up to 1s (default 0)") \
	ROW(X, rcvlowat, SIZE, "rcvlowat", "SIZE", ON_RECEIVER, 0, 1, 1 << 20, "a size from 1 to 1m", or_null, "rcvlowat", "bytes", "SO_RCVLOWAT of the receivers: wake up for this many bytes, up to 1m") \
	ROW(X, sender_cpus, CPUS, "cpu-sender", "LIST", ON_SENDER, 0, 0, 0, "a list of CPUs such as 0-3,8", text, "cpu_sender", "text", "pin the senders to these CPUs: 0-3,8") \
	ROW(X, receiver_cpus, CPUS, "cpu-receiver", "LIST", ON_RECEIVER, 0, 0, 0, "a list of CPUs such as 0-3,8", text, "cpu_receiver", "text", "pin the receivers")

#define WORKLOAD_OPTIONS(ROW, X) WORKLOAD_MESSAGES(ROW, X) WORKLOAD_SOCKETS(ROW, X)

/* Numbers that are 0, and texts that are NULL, were not given. */
struct workload {
#define MEMBER(X, member, kind, ...) OPTION_TYPE_##kind member;
	WORKLOAD_OPTIONS(MEMBER, )
#undef MEMBER
};

/* A struct option_row: `at` is the offset of the struct workload, `commands` an expression of `use`. */
#define WORKLOAD_ROW(at, member, kind_, name_, arg_, commands_, needs_, min_, max_, range_, json, key_, unit, help_) \
	{.name = (name_), .arg = (arg_), .help = (help_), .kind = OPTION_##kind_,                            \
	 .offset = (at) + offsetof(struct workload, member), .range = (range_), .min = (min_),               \
	 .max = (max_), .commands = (commands_), .needs = (needs_), .key = (key_), .zero = WORKLOAD_ZERO_##json}
#define WORKLOAD_ZERO_u64     true
#define WORKLOAD_ZERO_or_null false
#define WORKLOAD_ZERO_flag    false
#define WORKLOAD_ZERO_text    false
#define WORKLOAD_ZERO_way     false
#define WORKLOAD_ZERO_tls     false
#define WORKLOAD_ZERO_none    false
/* clang-format on */

#define WORKLOAD_NR_ONE(...) +1
#define WORKLOAD_OPTIONS_NR  (0 WORKLOAD_OPTIONS(WORKLOAD_NR_ONE, ))

/* All rows, of fields in struct workload; commands: enum workload_use. */
extern const struct option_row workload_options[WORKLOAD_OPTIONS_NR];

/* What does not fit together, in one sentence without a full stop; NULL: nothing. */
const char *workload__conflict(const struct workload *w);

/* Bytes of one message: header and fields. */
static inline uint64_t workload__message_size(const struct workload *w)
{
	return w->header + w->size;
}

static inline unsigned int workload__connections(const struct workload *w)
{
	return w->connections ? w->connections : w->threads;
}

/* Length of one round's measured phase, ns; 0 with messages. */
static inline uint64_t workload__round_ns(const struct workload *w)
{
	return w->duration_ns / w->rounds;
}

#endif
