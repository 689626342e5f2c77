/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of attach while they are loaded: which sockets and tasks they watch, and what
 * they saw of each. The files of this name are the only ones that know their skeleton; what the
 * numbers mean is user/attach's.
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

/* Is this the name of a hook that attach can use, or of the function or tracepoint it is on? */
bool watcher__names_hook(const char *name);

/* Why this kernel cannot be watched as asked. */
struct watcher_refusal {
	const char
		*backend; /* why the one asked for has no use here: a static clause; NULL: it has */
	char missing[256]; /* what nothing shows, and which hooks would: a clause; "": nothing */
};

/*
 * Loads and attaches; nothing is watched before watcher__arm(). 0 or -errno: -EOPNOTSUPP when this
 * kernel has no hook for sent or received bytes; its own error where it refuses the backend of
 * functions that is asked for by name; *no then says more. -EINTR: a signal that ends the program
 * came meanwhile (loop__is_to_end()), which is looked for before each step, since one may wait for
 * grace periods. *out is owned by the caller.
 */
int watcher__open(struct watcher **out, const struct watcher_filter *filter,
		  struct watcher_refusal *no);
void watcher__close(struct watcher *w); /* takes NULL */

/*
 * Takes in a task. 0 or -errno. A task that is there already by its name alone (named) stays as it
 * is.
 */
int watcher__add_task(struct watcher *w, uint32_t tgid, const struct nio_task *task);

/*
 * Names the owner of a socket that was there before, by its cookie: the next pass takes the socket
 * in. 0 or -errno; -E2BIG: there is no room, and it is counted as left out.
 */
int watcher__add_owner(struct watcher *w, uint64_t cookie, const struct nio_owner *owner);

/* A watched task has a listener at this port. */
void watcher__add_listener(struct watcher *w, uint16_t port);

/* The table of watched tasks, a BPF hash of struct nio_task by tgid: a descriptor, owned by w. */
int watcher__tasks(const struct watcher *w);

/* From here on the programs take in connections that are made and match the filter. */
void watcher__arm(struct watcher *w);

/* And those, too, that were there before and are used. After the first pass, which is exact. */
void watcher__adopt_used(struct watcher *w);

/* From here on no socket is taken in, and no event of sends and receives is counted. */
void watcher__stop(struct watcher *w);

/*
 * Opens a pass over the TCP sockets of the network namespace the caller is in; reading the
 * descriptor to its end takes in those that watcher__add_owner() named. Owned by the caller;
 * -errno.
 */
int watcher__open_pass(const struct watcher *w);

/*
 * Reads all watched sockets: gives to take() each connection that has ended since the last time,
 * once, and each that is open, with its present numbers. 0 or -errno.
 */
int watcher__each_socket(struct watcher *w, void (*take)(void *arg, const struct sock_state *s),
			 void *arg);

/*
 * Gives only the connections that have ended. To be called when the descriptor is readable: the
 * buffer that they wait in has room for some 8000.
 */
int watcher__each_ended(struct watcher *w, void (*take)(void *arg, const struct sock_state *s),
			void *arg);
int watcher__ends_fd(const struct watcher *w); /* owned by w */

/*
 * Attaches or detaches the programs that see each send call, receive copy and packet, by how many
 * events there are. To be called when the time is come: the time of the next call is returned
 * (CLOCK_MONOTONIC, ns).
 */
uint64_t watcher__step_events(struct watcher *w, uint64_t now_ns);

/* How much of the time the events of sends and receives were seen, and what they showed. */
struct watcher_events {
	uint64_t seen_ns, all_ns;
	size_t windows; /* periods between two looks at the counts */
	bool sampled;   /* the programs were detached part of the time */
	/* Share of the bytes sent of each kind of call, and its 95 % interval; 0 bytes: none. */
	struct {
		double share, low, high;
	} sent[NIO_CALL_NR];
	double sent_bytes;
};
struct watcher_events watcher__events(const struct watcher *w);

/* Gives a copy of every task to take(); one for which that returns true is deleted. 0 or -errno. */
int watcher__each_task(struct watcher *w,
		       bool (*take)(void *arg, uint32_t tgid, const struct nio_task *t), void *arg);

struct nio_attach_loss watcher__losses(const struct watcher *w);

/* Program runs that the kernel refused or passed over so far; unknown where it does not tell. */
struct num watcher__missed(const struct watcher *w);

/* Which hooks are in use, and why others are not: rows of the plan. Owned by w. */
size_t watcher__plan(const struct watcher *w, const struct plan_row **rows);

/* Is a row's hook of another backend than the one asked for, which has some for its probe, too? */
bool watcher__replaces(const struct plan_row *row, enum backend asked);

/* Is this probe served ("message")? */
bool watcher__has(const struct watcher *w, const char *probe);

#endif
