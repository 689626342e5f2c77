/* SPDX-License-Identifier: GPL-2.0-only */
/* Reporters of a session: JSON events, a report at the end, or a pipe to the parent process. */
#ifndef LOADGEN_HERALD_H
#define LOADGEN_HERALD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "settings.h"
#include "sock.h"
#include "counters.h"

#define REPORTER_ADDRESS_MAX 64

/* Effective values of a session. */
struct side_config {
	bool sender;
	char address[REPORTER_ADDRESS_MAX];
	unsigned int port;
	unsigned int uid;
	uint64_t sndbuf, rcvbuf;              /* as the kernel reports them */
	char congestion[CONGESTION_NAME_MAX]; /* sender, from the kernel; empty: unknown */
	unsigned int slots;                   /* zerocopy: messages in flight a connection */
	uint64_t size;
	uint32_t threads;
	uint32_t connections;
	bool verify;
	uint32_t cookies_nr;
	uint64_t cookies[PROTOCOL_CONNECTIONS_MAX];
};

/* Totals of one side for the measured phase. Owns the counters. */
struct side_stats {
	bool sender;
	bool interrupted;
	bool same_clock; /* receiver: the sender's stamps can be compared */
	uint64_t elapsed_ns;
	uint64_t cpu_ns;
	struct counters counters;
	struct tcp_counts tcp;
	struct {
		bool known; /* sender, when done: the receiver confirmed the totals */
		uint64_t bytes, messages, verify_errors;
		uint64_t elapsed_ns; /* on the receiver's clock */
	} confirmed;
};

struct reporter {
	const struct reporter_ops *ops;
	const struct settings *settings;
	FILE *pipe;                /* reporter_pipe: the write end */
	struct side_config config; /* reporter_final: kept until the end */
	struct side_stats stats;   /* reporter_final: kept until the end */
	uint64_t quiet_until;      /* --forever: time before which no error is reported */
	unsigned int unsaid;       /* errors suppressed since the last report */
};

struct reporter_ops {
	void (*listening)(struct reporter *r, const struct side_config *c);
	void (*ready)(struct reporter *r, const struct side_config *c);
	void (*quiesced)(struct reporter *r); /* NULL: not reported */
	void (*stats)(struct reporter *r, const struct side_stats *s, bool done);
	void (*error)(struct reporter *r, const char *message);
};

extern const struct reporter_ops reporter_events; /* JSON lines on stdout */
extern const struct reporter_ops reporter_pipe;   /* binary, to the parent process */
extern const struct reporter_ops reporter_final;  /* keeps config and stats; errors go to stderr */

/* Reports an error that ends the run, or the session with --forever, then at most one a second. */
__attribute__((format(printf, 2, 3))) void reporter__error(struct reporter *r, const char *fmt,
							   ...);

/* Prints what reporter_final has kept, as text or JSON; either side may be NULL. 0 or -errno. */
int reporter__print(const struct reporter *sender, const struct reporter *receiver);

/* Fills into->config or into->stats from reporter_pipe. 0 or -EPIPE: closed. */
enum reporter_message { REPORTER_LISTENING, REPORTER_READY, REPORTER_DONE };
int reporter__receive(FILE *from, struct reporter *into, enum reporter_message *what);

void reporter__clear(struct reporter *r);

#endif
