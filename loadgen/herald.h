/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What either side tells the outside, and the ways it is told: JSON events (--control), a report at
 * the end (text or --json), or a pipe to the other side's process. Sessions call these and do not
 * know which it is.
 */
#ifndef LOADGEN_HERALD_H
#define LOADGEN_HERALD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "settings.h"
#include "sock.h"
#include "tally.h"

#define HERALD_ADDRESS_MAX 64

/* Effective values of a run: what was set up, not what was asked for. */
struct side_config {
	bool sender;
	char address[HERALD_ADDRESS_MAX];
	unsigned int port;
	unsigned int uid;
	uint64_t sndbuf, rcvbuf;              /* as the kernel reports them */
	char congestion[CONGESTION_NAME_MAX]; /* sender: likewise; empty: it does not */
	unsigned int slots;                   /* zerocopy: messages in flight per connection */
	uint64_t size;
	uint32_t threads;
	uint32_t connections;
	bool verify;
	uint32_t cookies_nr;
	uint64_t cookies[WIRE_CONNECTIONS_MAX];
};

/* One side's totals of the measured phase. Owns the tally. */
struct side_stats {
	bool sender;
	bool interrupted;
	bool same_clock; /* receiver: delivery could be measured */
	uint64_t elapsed_ns;
	uint64_t cpu_ns;
	struct tally tally;
	struct tcp_counts tcp;
	struct {
		bool known; /* sender, when done: the receiver confirmed these */
		uint64_t bytes, messages, verify_errors;
		uint64_t elapsed_ns; /* by the receiver's clock */
	} confirmed;
};

struct herald {
	const struct herald_ops *ops;
	const struct settings *settings;
	int pipe_fd;               /* herald_pipe: where to */
	struct side_config config; /* herald_final: kept for the end */
	struct side_stats stats;   /* herald_final */
	uint64_t quiet_until;      /* of a receiver that goes on: no error is said before */
	unsigned int unsaid;       /* errors that were not, for that */
};

struct herald_ops {
	void (*listening)(struct herald *r, const struct side_config *c);
	void (*ready)(struct herald *r, const struct side_config *c);
	void (*quiesced)(struct herald *r);
	void (*stats)(struct herald *r, const struct side_stats *s, bool done);
	void (*error)(struct herald *r, const char *message);
};

extern const struct herald_ops herald_events; /* lines of JSON on stdout */
extern const struct herald_ops herald_pipe;   /* binary, to a process of the same program */
extern const struct herald_ops herald_final;  /* keeps config and stats, says errors on stderr */

/* Says one sentence about what ends the run, or of a receiver that goes on the session: one a
 * second, with how many were not said. */
__attribute__((format(printf, 2, 3))) void herald__error(struct herald *r, const char *fmt, ...);

/* Of herald_final: prints what was kept; others' halves may be NULL. 0 or -errno. */
int herald__print_text(const struct herald *sender, const struct herald *receiver);
int herald__print_json(const struct herald *sender, const struct herald *receiver);

/* JSON objects, written to f without a newline. */
void herald__json_config(FILE *f, const struct side_config *c, const struct settings *s);
void herald__json_stats(FILE *f, const struct side_stats *s); /* members only, no braces */
void herald__json_string(FILE *f, const char *text);

/* The reading end of herald_pipe: fills into->config or ->stats. 0; -EPIPE: it ended early. */
enum herald_message { HERALD_LISTENING, HERALD_READY, HERALD_DONE };
int herald__receive(int fd, struct herald *into, enum herald_message *what);

void herald__clear(struct herald *r);

#endif
