/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of attach on the sockets of a run, of which user space knows the cookies, and what
 * each send call is. They count the events of these sockets by side, in mapped memory.
 */
#ifndef KERNEL_DECLARED_PROBES_H
#define KERNEL_DECLARED_PROBES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach_probes.h"

/*
 * Loads the programs of these plans of a run (NULL: unused), and attaches the programs of each
 * once, to find a refusal before anything runs. requests_max: zero-copy requests of io_uring in
 * flight, at most. 0 or -errno; *out is owned by the caller: attach_probes__close().
 */
int declared_probes__open(struct attach_probes **out, const struct plan *const *plans,
			  size_t plans_nr, uint32_t sockets_max, uint32_t requests_max);

/*
 * Declares sockets. `what` is NIO_DECLARED_* with NIO_SEEN_CALL and more, or without. The first
 * declared_probes__sum() makes their states. 0 or -errno.
 */
int declared_probes__declare(struct attach_probes *probes, const uint64_t *cookies, size_t n,
			     uint32_t what);
/* Takes cookies back, and forgets all states: no declared socket may be in use. */
void declared_probes__undeclare(struct attach_probes *probes, const uint64_t *cookies, size_t n);

/* The declared sockets of one side, and the process that should have them open. */
struct declared_side {
	size_t sockets;
	pid_t process;
};

/*
 * Adds up the numbers of all declared sockets that a process has open, since the reading with
 * `begins`: events from then on are counted. 0 or -errno.
 */
int declared_probes__sum(struct attach_probes *probes,
			 const struct declared_side sides[NIO_SIDE_NR], bool begins,
			 struct nio_sums sums[NIO_SIDE_NR]);

/* Makes the attached programs match the plan, and counts their events. 0 or -errno. */
int declared_probes__attach(struct attach_probes *probes, const struct plan *plan);
/*
 * Counts no event until declared_probes__attach(): detaches programs from tracepoints that
 * base_plan does not want. Programs on functions stay, and return at once: detaching them and
 * attaching them again costs more than their calls.
 */
void declared_probes__pause(struct attach_probes *probes, const struct plan *base_plan);
/* Detaches all programs but the iterator. 0 or -errno. */
int declared_probes__rest(struct attach_probes *probes);

/* What the events of the declared sockets showed so far, from mapped memory: at any time. */
void declared_probes__seen(const struct attach_probes *probes, struct nio_seen seen[NIO_SIDE_NR]);
uint64_t declared_probes__events(const struct attach_probes *probes);

/* Adds runs that the kernel refused, of all programs and by probe, to out->missed*. 0 or -errno. */
int declared_probes__add_missed(const struct attach_probes *probes, struct snapshot *out);

#endif
