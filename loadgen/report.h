/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What either side tells the outside, and the ways it is told: JSON events (--control), a report at
 * the end (text or --json), or a pipe to the other side's process. Sessions call these and do not
 * know which it is.
 */
#ifndef LOADGEN_REPORT_H
#define LOADGEN_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "settings.h"
#include "sock.h"
#include "tally.h"

#define REPORT_ADDRESS_MAX 64

/* Effective values of a run: what was set up, not what was asked for. */
struct report_config {
	bool sender;
	char address[REPORT_ADDRESS_MAX];
	unsigned int port;
	unsigned int uid;
	uint64_t sndbuf, rcvbuf; /* as the kernel reports them */
	unsigned int slots;      /* zerocopy: messages in flight per connection */
	uint64_t size;
	uint32_t threads;
	bool verify;
	uint32_t cookies_nr;
	uint64_t cookies[WIRE_THREADS_MAX];
};

/* One side's totals of the measured phase. Owns the tally. */
struct report_stats {
	bool sender;
	bool interrupted;
	bool same_clock; /* receiver: delivery could be measured */
	uint64_t elapsed_ns;
	uint64_t cpu_ns;
	struct tally tally;
	struct tcp_counts tcp;
};

struct report {
	const struct report_ops *ops;
	const struct settings *settings;
	int pipe_fd;                 /* report_pipe: where to */
	struct report_config config; /* report_final: kept for the end */
	struct report_stats stats;   /* report_final */
};

struct report_ops {
	void (*listening)(struct report *r, const struct report_config *c);
	void (*ready)(struct report *r, const struct report_config *c);
	void (*quiesced)(struct report *r);
	void (*stats)(struct report *r, const struct report_stats *s, bool done);
	void (*error)(struct report *r, const char *message);
};

extern const struct report_ops report_events; /* lines of JSON on stdout */
extern const struct report_ops report_pipe;   /* binary, to a process of the same program */
extern const struct report_ops report_final;  /* keeps config and stats, says errors on stderr */

/* Says one sentence about what ends the run. */
__attribute__((format(printf, 2, 3))) void report__error(struct report *r, const char *fmt, ...);

/* Of report_final: prints what was kept; others' halves may be NULL. 0 or -errno. */
int report__print_text(const struct report *sender, const struct report *receiver);
int report__print_json(const struct report *sender, const struct report *receiver);

/* JSON objects, written to f without a newline. */
void report__json_config(FILE *f, const struct report_config *c, const struct settings *s);
void report__json_stats(FILE *f, const struct report_stats *s); /* members only, no braces */
void report__json_string(FILE *f, const char *text);

/* The reading end of report_pipe: fills into->config, into->stats. 0, -EPIPE when it ended early.
 */
enum report_message { REPORT_LISTENING, REPORT_READY, REPORT_DONE };
int report__receive(int fd, struct report *into, enum report_message *what);

void report__clear(struct report *r);

#endif
