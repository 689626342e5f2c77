/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs while they are loaded: the only part that knows the skeleton and libbpf. Reads
 * statistics as plain snapshots; what they mean is the ledger's business.
 */
#ifndef NETIOTRACE_SESSION_H
#define NETIOTRACE_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/perf_stage.h"
#include "model/plan.h"
#include "model/snapshot.h"

struct session;

/*
 * Tries each alternative of the table by itself (load and attach), filling offers in table order.
 * Costs tens of milliseconds each. 0, or -errno when nothing could be tried (-EPERM: privileges).
 */
int session__try_all(struct offer *offers);

/*
 * Guesses the offers without trying each: what the kernel's BTF has the functions and tracepoints
 * for, of the backends of which one alternative could be loaded and attached. Quick and usually
 * right; session__open() and session__attach() find out. backend: the only one wanted, or AUTO.
 */
void session__presume(struct offer *offers, enum backend backend);

/* Can a program that was at a trampoline and was detached be attached again? */
bool session__attaches_again(void);

/*
 * Loads every program that one of plans_nr plans (NULL: unused) chose, for `slots` ledgers;
 * optmem_max in bytes, of the senders' network namespace, tells which limit refused a send;
 * no_perf: of each counter why it is not to be read inside the stages, a static string, or NULL;
 * without cycles none is. Attaches nothing yet. 0 or -errno; *out is owned by the caller.
 */
int session__open(struct session **out, const struct plan *const *plans, size_t plans_nr,
		  unsigned int slots, const struct num *optmem_max,
		  const char *const no_perf[NIO_PERF_EVENT_NR]);
void session__close(struct session *s); /* takes NULL */

/*
 * Makes the attached programs those of plan: attaches what is missing, detaches the rest, but for
 * trampolines on kernels that cannot attach one again (before Linux 5.13).
 */
int session__attach(struct session *s, const struct plan *plan);

/*
 * Until session__attach(), rest is all of the plan that books events, of which it is a part. The
 * others are detached from tracepoints; at functions they stay and are told to rest, since to
 * detach them and attach them again costs more than their calls do (docs/PERFORMANCE.md). What they
 * noted of streams does not hold any more when they look again: session__forget_streams() before
 * that, of the sockets watched.
 */
void session__rest(struct session *s, const struct plan *rest);
void session__forget_streams(struct session *s, const uint64_t *cookies, size_t n);

/* Watches the sockets with these cookies: their traffic goes to slot, as the given side's. */
int session__watch(struct session *s, const uint64_t *cookies, size_t n, unsigned int slot,
		   enum nio_side side);
void session__unwatch(struct session *s, const uint64_t *cookies, size_t n);

/*
 * Everything counted so far for one slot, but its sockets. still: nothing moves, so that reading
 * disturbs nobody; else places and other copies are left as they stand in out, since only system
 * calls tell of them. 0 or -errno.
 */
int session__read(struct session *s, unsigned int slot, struct snapshot *out, bool still);

/* Events of sending and receiving counted so far for one slot. */
uint64_t session__events(const struct session *s, unsigned int slot);

/*
 * Opens a pass over the TCP sockets of the network namespace the caller is in: a descriptor for
 * socket_iter__read(), owned by the caller, or -errno; -EOPNOTSUPP when the plan attached has none.
 */
int session__open_pass(struct session *s);

#endif
