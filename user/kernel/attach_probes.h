/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loaded BPF programs of attach: which sockets and tasks they watch, and their counters.
 * user/attach interprets the numbers.
 */
#ifndef KERNEL_ATTACH_PROBES_H
#define KERNEL_ATTACH_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/sock_state.h"
#include "base/num.h"
#include "probes/plan.h"
#include "model/event_windows.h"
#include "model/seen_groups.h"
#include "model/snapshot.h"

struct attach_probes;

#define ATTACH_WITHOUT_MAX 32

/* The targets. Tasks by id are added later: attach_probes__add_task(). */
struct attach_filter {
	bool by_task;
	bool follow_children;
	int cgroup; /* its directory, open; -1: none */
	char comms[NIO_COMMS_MAX][16];
	size_t comms_nr;
	const uint16_t *ports;
	size_t ports_nr;
	uint32_t sockets_max;
	bool by_group;           /* count what calls move by group: attach_events.groups */
	bool count_calls;        /* see every event of sends and receives, at any rate */
	struct window_rule rule; /* else: when to see them */
	bool sizes_up_to;        /* a power of two belongs to the sizes below it, not above */
	enum backend backend;
	const char *const *without; /* hooks that are not to be used */
	size_t without_nr;
};

/* Why this kernel cannot be watched as asked. */
struct attach_refusal {
	const char *backend; /* why the backend asked for does not work, a clause; or NULL */
	char missing[256];   /* plan__missing(); "": nothing */
};

/*
 * Loads and attaches; nothing is watched before attach_probes__arm(). 0 or -errno, explained by
 * *no: -EOPNOTSUPP: the kernel lacks a hook that attach needs; the backend's own error if fentry or
 * kprobe was requested. -EINTR: a signal that ends the program came (loop__is_to_end()), checked
 * before each step. The caller owns *out.
 */
int attach_probes__open(struct attach_probes **out, const struct attach_filter *filter,
			struct attach_refusal *no);
void attach_probes__close(struct attach_probes *probes); /* takes NULL */

/* Adds a task. 0 or -errno. A task known by its name only (named) does not replace another entry.
 */
int attach_probes__add_task(struct attach_probes *probes, uint32_t tgid,
			    const struct nio_task *task);

/* The table of watched tasks, a BPF hash of struct nio_task by tgid: a descriptor, owned by probes.
 */
int attach_probes__tasks(const struct attach_probes *probes);

/* From here on, new connections that match the filter are watched, and older ones when used. */
void attach_probes__arm(struct attach_probes *probes);

/* From here on no connection is added and no event is counted. */
void attach_probes__stop(struct attach_probes *probes);

/*
 * Takes in the existing connections that processes of the caller's PID namespace have open, and
 * notes where they listen: of the processes that match the filter, after the first call of those
 * that joined since. 0 or -errno.
 */
int attach_probes__find_existing(struct attach_probes *probes);

/*
 * Are there instances of io_uring on this machine, or were there since the start? Also true where
 * that cannot be seen. NULL: their zero-copy requests are not seen. Belongs to the probes.
 */
const volatile bool *attach_probes__rings(const struct attach_probes *probes);

/*
 * Names the owners of watched sockets without one: those accepted since, if no event has shown
 * their process. Searches the open files of all processes, at most a thousandth of the time unless
 * at_once, and only if there may be such sockets. Before attach_probes__each_socket(). 0 or -errno.
 */
int attach_probes__name_owners(struct attach_probes *probes, bool at_once);

/*
 * Reads all watched sockets: gives handle() each connection that ended since the last call, once,
 * and each open one with its present numbers. 0 or -errno.
 */
int attach_probes__each_socket(struct attach_probes *probes,
			       void (*handle)(void *arg, const struct sock_state *s), void *arg);

/* Only the connections that ended. Call when the descriptor is readable: it holds some 8000. */
int attach_probes__each_ended(struct attach_probes *probes,
			      void (*handle)(void *arg, const struct sock_state *s), void *arg);
int attach_probes__ends_fd(const struct attach_probes *probes); /* owned by probes */

/*
 * Attaches or detaches the programs of events by the rate of events. Returns when to call next
 * (CLOCK_MONOTONIC, ns).
 */
uint64_t attach_probes__step_events(struct attach_probes *probes, uint64_t now_ns);

/* The share of time in which send and receive events were seen, and what they showed. */
struct attach_events {
	uint64_t seen_ns, all_ns;
	double spent_ns;           /* event_windows__spent_ns() */
	bool sampled;              /* the programs were detached part of the time */
	struct seen_bytes seen;    /* of all watched sockets */
	struct seen_groups groups; /* of their groups; owned by the probes, until the next call */
};
struct attach_events attach_probes__events(struct attach_probes *probes);

/* Gives a copy of every task to handle(), and deletes the task if that returns true. 0 or -errno.
 */
int attach_probes__each_task(struct attach_probes *probes,
			     bool (*handle)(void *arg, uint32_t tgid, const struct nio_task *t),
			     void *arg);

struct nio_attach_loss attach_probes__losses(const struct attach_probes *probes);

/* Program runs that the kernel refused or skipped; unknown where it does not report them. */
struct num attach_probes__missed(const struct attach_probes *probes);

/*
 * How long the programs of each probe have run so far, in ns, where the kernel counts that (sysctl
 * kernel.bpf_stats_enabled). A program of several probes counts for the first of them; a probe
 * without a program of its own is unknown. NULL, or why all are unknown.
 */
const char *attach_probes__run_times(const struct attach_probes *probes, struct num ns[PROBE_NR]);

/* The rows of the plan. Owned by probes. */
size_t attach_probes__plan(const struct attach_probes *probes, const struct plan_row **rows);

/* Whether a row's hook replaces one of the requested backend. */
bool attach_probes__replaces(const struct plan_row *row, enum backend asked);

/* Whether the probe is served. */
bool attach_probes__has(const struct attach_probes *probes, enum probe_id probe);

#endif
