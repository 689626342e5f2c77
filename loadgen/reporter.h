/* SPDX-License-Identifier: GPL-2.0-only */
/* Reporters of a session: JSON events, or a report at the end. */
#ifndef LOADGEN_REPORTER_H
#define LOADGEN_REPORTER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/half.h"
#include "lg_options.h"
#include "sock.h"
#include "counters.h"

#define REPORTER_ADDRESS_MAX 64

/* Effective values of a session. */
struct side_config {
	bool sender;
	char address[REPORTER_ADDRESS_MAX];
	unsigned int port;
	char peer[REPORTER_ADDRESS_MAX]; /* receiver: the sender's address; empty: unknown */
	unsigned int uid;
	uint64_t sndbuf, rcvbuf;              /* as the kernel reports them */
	char congestion[CONGESTION_NAME_MAX]; /* sender, from the kernel; empty: unknown */
	unsigned int slots;                   /* zerocopy: messages in flight a connection */
	uint64_t size;
	uint32_t threads;
	uint32_t connections;
	bool verify;
	enum receive receive;
	const char *tls; /* version of kTLS, static; NULL: not encrypted */
	uint32_t cookies_nr;
	uint64_t cookies[LIMIT_CONNECTIONS_MAX];
	char challenge[HALF_CHALLENGE_TEXT]; /* sender: to prove its token for; empty: none */
};

/* Totals of one side for the measured phase. Owns the counters. */
struct side_stats {
	bool sender;
	bool interrupted;
	bool same_clock; /* receiver: the sender's stamps can be compared */
	uint64_t elapsed_ns;
	uint64_t paused_ns; /* of elapsed_ns, at least: the process was stopped or frozen */
	uint64_t cpu_ns;
	struct counters counters;
	struct tcp_counts tcp;
	struct {
		bool known; /* sender, when done: the receiver confirmed the totals */
		uint64_t bytes, messages, verify_errors;
		uint64_t elapsed_ns; /* on the receiver's clock */
	} confirmed;
};

enum reporter_kind {
	REPORTER_EVENTS, /* JSON lines on stdout */
	REPORTER_FINAL,  /* keeps config and stats; errors go to stderr */
	REPORTER_CHILD,  /* as REPORTER_FINAL, in the receiver process of loopback__run() */
};

struct reporter {
	enum reporter_kind kind;
	const struct lg_options *options;
	int parent_fd; /* REPORTER_CHILD: a socket, which gets the port (unsigned int) */
	struct side_config config; /* these two: not REPORTER_EVENTS; kept until the end */
	struct side_stats stats;
	uint64_t quiet_until; /* --forever: time before which no error is reported */
	unsigned int unsaid;  /* errors suppressed since the last report */
	bool refused;         /* the receiver cannot receive as asked: the event of its error */
};

/* The events of docs/reference/loadgen.md. done: the totals are final. */
void reporter__listening(struct reporter *r, const struct side_config *c);
void reporter__ready(struct reporter *r, const struct side_config *c);
void reporter__usable(struct reporter *r);
void reporter__quiesced(struct reporter *r);
/*
 * The receiver's driver is asked for a half of this kind, in a session of this number. proof:
 * empty: none.
 */
void reporter__phase(struct reporter *r, uint32_t kind, uint32_t session, const char *challenge,
		     const char *proof);
/* The text of the receiver's half; NULL: it sends none. */
void reporter__half(struct reporter *r, const char *text, size_t len);
void reporter__stats(struct reporter *r, const struct side_stats *s, bool done);

/*
 * Reports an error that ends the run, or the session with --forever, then at most one a second.
 * %m in fmt is the text of err, -errno. Returns err.
 */
__attribute__((format(printf, 3, 4))) int reporter__error(struct reporter *r, int err,
							  const char *fmt, ...);

/* Reports the text of err, or of the last row, which has err 0, with the text of -errno. */
struct error_text {
	int err;
	const char *text;
};

int reporter__error_of(struct reporter *r, int err, const struct error_text *texts);

/*
 * Prints the config and stats that were kept, as text or JSON. A report of both sides has two
 * parts: the sender's, with `first`, then the receiver's, with `last`. 0 or -errno.
 */
int reporter__print(const struct reporter *r, bool first, bool last);

void reporter__clear(struct reporter *r);

#endif
