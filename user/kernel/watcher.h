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

#include "bpf/streams.h"
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
	uint32_t streams_max;
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
 * Takes in a task, or a socket by its cookie, which belongs to tgid (0: not known) that began at
 * `started`. 0 or -errno. A task that is there already by its name alone (named) stays as it is.
 */
int watcher__add_task(struct watcher *w, uint32_t tgid, const struct nio_task *task);
int watcher__add_socket(struct watcher *w, uint64_t cookie, uint32_t tgid, uint64_t started,
			const char *comm);

/* The table of watched tasks, a BPF hash of struct nio_task by tgid: a descriptor, owned by w. */
int watcher__tasks(const struct watcher *w);

/* From here on the programs take in what matches the filter. */
void watcher__arm(struct watcher *w);

/*
 * Do the programs find sockets by themselves? Else (before Linux 5.12) those of the watched tasks
 * have to be looked for again and again.
 */
bool watcher__finds_sockets(const struct watcher *w);

/*
 * From here on nothing is booked any more, so that all that is read belongs together. Passes can
 * still be made. Takes two grace periods of RCU. 0 or -errno: then something may still be booked.
 */
int watcher__stop(struct watcher *w);

/*
 * Opens a pass over the TCP sockets of the network namespace the caller is in; reading the
 * descriptor to its end takes the numbers of watched sockets down. Owned by the caller; -errno.
 */
int watcher__open_pass(const struct watcher *w);

/*
 * Gives a copy of every watched socket, or task, to take(); one for which that returns true is
 * deleted. 0 or -errno.
 */
int watcher__each_stream(struct watcher *w, bool (*take)(void *arg, const struct nio_stream *s),
			 void *arg);
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
