/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The meter of a run: BPF programs on functions that take times, name the places of deferred
 * copies, and see copies that nothing else shows. It knows the load generator's sockets by cookie,
 * and counts no event that attach's programs count. The ledger interprets its numbers.
 *
 * A kernel that refuses such programs has no meter: all functions take NULL, and do nothing.
 */
#ifndef KERNEL_METER_H
#define KERNEL_METER_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/perf_stage.h"
#include "base/num.h"
#include "probes/plan.h"
#include "model/snapshot.h"

struct meter;

/*
 * Loads every program of the meter that one of plans_nr plans (NULL: unused) chose, and attaches
 * nothing; *out is NULL if there is none. optmem_max: bytes, of the senders' network namespace;
 * shows which limit refused a send. no_perf: why a counter is not read inside the stages, a static
 * string, or NULL; without cycles none is. 0 or -errno; *out is owned by the caller.
 */
int meter__open(struct meter **out, const struct plan *const *plans, size_t plans_nr,
		const struct num *optmem_max, const char *const no_perf[NIO_PERF_EVENT_NR]);
void meter__close(struct meter *m);

/* Makes the attached programs match plan: loader__attach(). 0 or -errno. */
int meter__attach(struct meter *m, const struct plan *plan);

/*
 * Watches the sockets with these cookies, of one side. Both sides are unwatched before others are
 * watched. 0 or -errno.
 */
int meter__watch(struct meter *m, const uint64_t *cookies, size_t n, enum nio_side side);
void meter__unwatch(struct meter *m, const uint64_t *cookies, size_t n);

/*
 * Fills the meter's part of *out with all counters so far, and adds refused runs. still: nothing
 * moves, so all maps are read; else places and other copies in *out stay unchanged, since reading
 * them takes system calls. 0 or -errno.
 */
int meter__read(struct meter *m, struct snapshot *out, bool still);

#endif
