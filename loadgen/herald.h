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
#include "tally.h"

#define HERALD_ADDRESS_MAX 64

/* Effective values of a session. */
struct side_config {
	bool sender;
	char address[HERALD_ADDRESS_MAX];
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
	uint64_t cookies[WIRE_CONNECTIONS_MAX];
};

/* Totals of one side for the measured phase. Owns the tally. */
struct side_stats {
	bool sender;
	bool interrupted;
	bool same_clock; /* receiver: the sender's stamps can be compared */
	uint64_t elapsed_ns;
	uint64_t cpu_ns;
	struct tally tally;
	struct tcp_counts tcp;
	struct {
		bool known; /* sender, when done: the receiver confirmed the totals */
		uint64_t bytes, messages, verify_errors;
		uint64_t elapsed_ns; /* on the receiver's clock */
	} confirmed;
};

struct herald {
	const struct herald_ops *ops;
	const struct settings *settings;
	int pipe_fd;               /* herald_pipe: the write end */
	struct side_config config; /* herald_final: kept until the end */
	struct side_stats stats;   /* herald_final: kept until the end */
	uint64_t quiet_until;      /* --forever: time before which no error is reported */
	unsigned int unsaid;       /* errors suppressed since the last report */
};

struct herald_ops {
	void (*listening)(struct herald *r, const struct side_config *c);
	void (*ready)(struct herald *r, const struct side_config *c);
	void (*quiesced)(struct herald *r);
	void (*stats)(struct herald *r, const struct side_stats *s, bool done);
	void (*error)(struct herald *r, const char *message);
};

extern const struct herald_ops herald_events; /* JSON lines on stdout */
extern const struct herald_ops herald_pipe;   /* binary, to the parent process */
extern const struct herald_ops herald_final;  /* keeps config and stats; errors go to stderr */

/* Reports an error that ends the run, or the session with --forever, then at most one a second. */
__attribute__((format(printf, 2, 3))) void herald__error(struct herald *r, const char *fmt, ...);

/* Prints what herald_final has kept; either side may be NULL. 0 or -errno. */
int herald__print_text(const struct herald *sender, const struct herald *receiver);
int herald__print_json(const struct herald *sender, const struct herald *receiver);

/* Write a JSON object, without a newline. */
void herald__json_config(FILE *f, const struct side_config *c, const struct settings *s);
void herald__json_stats(FILE *f, const struct side_stats *s); /* members only, no braces */
void herald__json_string(FILE *f, const char *text);

/* Fills into->config or into->stats from herald_pipe. 0; -EPIPE: closed; -ENOMEM. */
enum herald_message { HERALD_LISTENING, HERALD_READY, HERALD_DONE };
int herald__receive(int fd, struct herald *into, enum herald_message *what);

void herald__clear(struct herald *r);

#endif
