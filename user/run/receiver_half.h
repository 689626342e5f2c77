/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's half of rounds, measured by netiotrace serve with the engine of run: the sockets
 * of its own load generator, and nothing beyond its session.
 */
#ifndef RUN_RECEIVER_HALF_H
#define RUN_RECEIVER_HALF_H

#include "common/address.h"
#include "common/half.h"
#include "round.h"
#include "runner.h"

struct receiver_half {
	struct options o; /* of the engine */
	struct runner runner;
	struct round r;                /* of the current session */
	struct run_result out;         /* of the current round */
	struct plan plan;              /* attached in the current round */
	struct serve_token token;      /* len 0: every sender may have the half */
	char sender[ADDRESS_HOST_MAX]; /* of this session; empty: unknown */
	char peer[ADDRESS_HOST_MAX];
	unsigned int port;    /* on which the load generator listens; 0: unknown */
	enum receive receive; /* of the current session */
	bool direct;          /* likewise: kTLS may decrypt into the receiver's memory */
	enum half_kind kind;  /* HALF_NONE: no round */
	bool due;             /* the sender was promised a half, also of a dropped round */
	bool idle;            /* no round since receiver_half__rest() was called */
	const char *none;     /* why the kernel is never watched; NULL: it is */
	char failed[192];     /* why it is not in the current round; empty: it is */
};

/*
 * Loads the programs, with the privileges for it. Otherwise halves have no ledger. token: only a
 * sender that proves it gets the half; len 0: every sender.
 */
struct receiver_half *receiver_half__open(const struct options *serve,
					  const struct serve_token *token);
void receiver_half__close(struct receiver_half *h); /* takes NULL */

/* The sockets of a new session: of the event `ready` of the load generator's process. */
void receiver_half__session(struct receiver_half *h, const struct load_report *ready, pid_t pid);

/* Begins a round of a kind, while nothing moves. 0 or -errno: the load generator is not reached. */
int receiver_half__begin(struct receiver_half *h, struct driver *d);

/* Ends the round, while nothing moves, and gives its half to the load generator. 0 or -errno. */
int receiver_half__end(struct receiver_half *h, struct driver *d);

/* Drops a round whose session seems to have ended. */
void receiver_half__drop(struct receiver_half *h);

/* Attaches or detaches the programs of send and receive events when event_sampling__due() says. */
void receiver_half__turn(struct receiver_half *h, uint64_t now_ns);

/* Call now and then: detaches the programs when nobody has asked for a half since the last call. */
void receiver_half__rest(struct receiver_half *h);

#endif
