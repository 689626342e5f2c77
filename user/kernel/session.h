/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loaded BPF programs of a run: the load generator's sockets by cookie, and their counters, as
 * plain snapshots. The ledger interprets them.
 */
#ifndef KERNEL_SESSION_H
#define KERNEL_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/perf_stage.h"
#include "bpf/sockets.h"
#include "base/num.h"
#include "probes/plan.h"
#include "model/snapshot.h"

struct session;

/*
 * Loads every program that one of plans_nr plans (NULL: unused) chose, for `slots` ledgers;
 * attaches nothing. optmem_max: bytes, of the senders' network namespace; shows which limit refused
 * a send. no_perf: why a counter is not read inside the stages, a static string, or NULL; without
 * cycles none is. 0 or -errno; *out is owned by the caller.
 */
int session__open(struct session **out, const struct plan *const *plans, size_t plans_nr,
		  unsigned int slots, const struct num *optmem_max,
		  const char *const no_perf[NIO_PERF_EVENT_NR]);
void session__close(struct session *s); /* takes NULL */

/* Makes the attached programs match plan: loader__attach(). 0 or -errno. */
int session__attach(struct session *s, const struct plan *plan);

/*
 * Until session__attach(), only `base_plan`, a subset of the plan, books events. Tracepoint
 * programs are detached. Programs at functions stay attached and return at once, because detaching
 * and attaching costs more than their calls (docs/PERFORMANCE.md). Their notes on sockets become
 * stale: call session__forget_streams() for the watched sockets before session__attach().
 */
void session__detach_events(struct session *s, const struct plan *base_plan);
void session__forget_streams(struct session *s, const uint64_t *cookies, size_t n);

/* Watches the sockets with these cookies: their traffic goes to slot, as the given side's. */
int session__watch(struct session *s, const uint64_t *cookies, size_t n, unsigned int slot,
		   enum nio_side side);
void session__unwatch(struct session *s, const uint64_t *cookies, size_t n);

/*
 * All counters so far of one slot, except its sockets. still: nothing moves, so all maps are read;
 * else places and other copies in out stay unchanged, since reading them takes system calls. 0 or
 * -errno.
 */
int session__read(struct session *s, unsigned int slot, struct snapshot *out, bool still);

/* Events of sending and receiving counted so far for one slot. */
uint64_t session__events(const struct session *s, unsigned int slot);

/*
 * Gives each watched TCP socket that a process has open to handle(); before Linux 6.1 also those of
 * other processes. 0 or -errno; -EOPNOTSUPP when the plan attached has no program for it.
 */
int session__each_socket(struct session *s, pid_t process,
			 void (*handle)(void *arg, const struct nio_socket *socket), void *arg);

#endif
