/* SPDX-License-Identifier: GPL-2.0-only */
/* The entry points of both sides, and the identity of a session and of its clock. */
#ifndef LOADGEN_SESSION_H
#define LOADGEN_SESSION_H

#include "protocol.h"
#include "reporter.h"
#include "lg_options.h"

struct session_mode {
	bool signals;      /* SIGINT and SIGTERM end the current phase */
	bool after_sender; /* receiver: its threads take the CPUs after the sender's */
};

/*
 * Each for the main thread of its process. 0; 1: --verify found errors; -errno, reported;
 * -ECANCELED: end of stdin, not reported. loopback__run(): a receiver process on loopback, a sender
 * in this process, one report.
 */
int sender__run(const struct lg_options *s, struct reporter *r, struct session_mode mode);
int receiver__run(const struct lg_options *s, struct reporter *r, struct session_mode mode);
int loopback__run(const struct lg_options *s);

/*
 * Tries whether the mode, or --receive, can run here, with the rights of this process. 0 or -errno,
 * reported but for -EINTR: SIGINT or SIGTERM is pending.
 */
int sender__try_mode(const struct lg_options *options, struct reporter *r);
int session__try_receive(const struct lg_options *options, struct reporter *r);

/* Both report that a trial failed with err. where: "here", ... Return err. */
int session__refuse_mode(struct reporter *r, int err, enum mode mode, const char *where);
int session__refuse_receive(struct reporter *r, int err, enum receive way, const char *where);

/* Reports that the threads of a session, or their rings, cannot be set up. Returns err. */
int session__refuse_setup(struct reporter *r, int err, unsigned int connections,
			  unsigned int threads);

/* 0 if sockets can use the congestion control, or if name is empty; else -errno, reported. */
int session__check_congestion(struct reporter *report, const char *name);

/* Adds uid, address and cookies to *c and reports `ready`. 0 or -errno, reported. */
int session__describe(struct reporter *report, struct side_config *c, const int *fds, uint32_t nr);

int session__make_token(uint8_t token[PROTOCOL_TOKEN_SIZE]); /* random; 0 or -errno */

/*
 * Identifies CLOCK_MONOTONIC: boot id and time namespace (time_namespaces(7)); zeros: unknown.
 * Machines cloned while running share the id, but not the clock: see
 * pending_sessions__stamp_fits().
 */
void session__clock_id(uint8_t id[PROTOCOL_TOKEN_SIZE]);
bool session__same_clock(const uint8_t a[PROTOCOL_TOKEN_SIZE],
			 const uint8_t b[PROTOCOL_TOKEN_SIZE]);

/* Mixes 36 characters of boot_id with the inode number of the namespace. */
void session__mix_clock_id(uint8_t id[PROTOCOL_TOKEN_SIZE], const char *boot, uint64_t time_ns);

#endif
