/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of attach while they are loaded: which sockets and tasks they watch, and what
 * they saw of each. What the numbers mean is user/attach's business.
 */
#ifndef NETIOTRACE_WATCHER_H
#define NETIOTRACE_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/sock_state.h"
#include "model/plan.h"

struct watcher;

#define WATCHER_WITHOUT_MAX 32

/* Who is watched. Tasks by id are added later: watcher__add_task(). */
struct watcher_filter {
	bool by_task;
	bool follow_children;
	int cgroup; /* its directory, open; -1: none */
	char comms[NIO_COMMS_MAX][16];
	size_t comms_nr;
	const uint16_t *ports;
	size_t ports_nr;
	uint32_t sockets_max;
	bool count_calls; /* see every event of sends and receives, at any rate */
	enum backend backend;
	const char *const *without; /* hooks that are not to be used */
	size_t without_nr;
};

/* Why this kernel cannot be watched as asked. */
struct watcher_refusal {
	const char *backend; /* why the backend asked for does not work, a clause; or NULL */
	char missing[256];   /* plan__missing(); "": nothing */
};

/* Whether attach has a hook of this name, or on the function or tracepoint of this name. */
bool watcher__names_hook(const char *name);

/*
 * Loads and attaches; nothing is watched before watcher__arm(). 0 or -errno, explained by *no:
 * -EOPNOTSUPP: the kernel lacks a hook that attach needs; the backend's own error if one of
 * functions was asked for by name. -EINTR: a signal that ends the program came (loop__is_to_end()),
 * checked before each step. *out is owned by the caller.
 */
int watcher__open(struct watcher **out, const struct watcher_filter *filter,
		  struct watcher_refusal *no);
void watcher__close(struct watcher *w); /* takes NULL */

/* Adds a task. 0 or -errno. A task known by its name only (named) does not replace another entry.
 */
int watcher__add_task(struct watcher *w, uint32_t tgid, const struct nio_task *task);

/*
 * Names the owner of an existing socket by its cookie: the next socket iteration takes it in. 0 or
 * -errno; -E2BIG: no space, counted as left out.
 */
int watcher__add_owner(struct watcher *w, uint64_t cookie, const struct nio_owner *owner);

void watcher__add_listener(struct watcher *w, uint16_t port); /* of a watched task */

/* The table of watched tasks, a BPF hash of struct nio_task by tgid: a descriptor, owned by w. */
int watcher__tasks(const struct watcher *w);

/* From here on, new connections that match the filter are watched. */
void watcher__arm(struct watcher *w);

/* From here on, older connections are watched when used. After the first socket iteration. */
void watcher__adopt_used(struct watcher *w);

/* From here on no connection is added and no event is counted. */
void watcher__stop(struct watcher *w);

/*
 * Opens an iteration over the TCP sockets of the caller's network namespace; reading to its end
 * takes in those that watcher__add_owner() named. Owned by the caller; or -errno.
 */
int watcher__open_pass(const struct watcher *w);

/*
 * Reads all watched sockets: gives take() each connection that ended since the last call, once, and
 * each open one with its present numbers. 0 or -errno.
 */
int watcher__each_socket(struct watcher *w, void (*take)(void *arg, const struct sock_state *s),
			 void *arg);

/* Only the connections that ended. Call when the descriptor is readable: it holds some 8000. */
int watcher__each_ended(struct watcher *w, void (*take)(void *arg, const struct sock_state *s),
			void *arg);
int watcher__ends_fd(const struct watcher *w); /* owned by w */

/*
 * Attaches or detaches the programs of events by the rate of events. Returns when to call next
 * (CLOCK_MONOTONIC, ns).
 */
uint64_t watcher__step_events(struct watcher *w, uint64_t now_ns);

/* How much of the time the events of sends and receives were seen, and what they showed. */
struct watcher_events {
	uint64_t seen_ns, all_ns;
	size_t windows; /* periods between two readings of the counts */
	bool sampled;   /* the programs were detached part of the time */
	/* Share of the bytes sent by each kind of call, and its 95 % interval; 0 bytes: none. */
	struct {
		double share, low, high;
	} sent[NIO_CALL_NR];
	double sent_bytes;
};
struct watcher_events watcher__events(const struct watcher *w);

/* Gives a copy of every task to take(), and deletes the task if that returns true. 0 or -errno. */
int watcher__each_task(struct watcher *w,
		       bool (*take)(void *arg, uint32_t tgid, const struct nio_task *t), void *arg);

struct nio_attach_loss watcher__losses(const struct watcher *w);

/* Program runs that the kernel refused or skipped; unknown where it does not tell. */
struct num watcher__missed(const struct watcher *w);

/* The rows of the plan. Owned by w. */
size_t watcher__plan(const struct watcher *w, const struct plan_row **rows);

/* Whether a row's hook stands in for one of the backend asked for. */
bool watcher__replaces(const struct plan_row *row, enum backend asked);

/* Whether the probe of this name ("message") is served. */
bool watcher__has(const struct watcher *w, const char *probe);

#endif
