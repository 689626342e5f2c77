/* SPDX-License-Identifier: GPL-2.0-only */
/* The skeleton of attach and what a watcher keeps of it: for the files of watcher.h only. */
#ifndef NETIOTRACE_WATCHER_SKELETON_H
#define NETIOTRACE_WATCHER_SKELETON_H

#include <bpf/libbpf.h>

#include "watcher.h"

/* Needs the types of bpf/sock_state.h. */
#include "attach.skel.h"

#define WATCHER_PROGRAMS_MAX 32
#define WATCHER_ROWS_MAX     16

/* Sums over periods in which events were seen, for the shares of kinds and their intervals. */
struct watcher_sampling {
	bool windowed; /* the programs may be detached: all of them are on tracepoints */
	bool attached;
	bool sampled;
	bool in_windows;
	bool seconds;      /* the second programs are attached */
	double credit;     /* events that may come before the programs are detached */
	uint64_t begun_ns; /* of all */
	uint64_t since_ns; /* the last step */
	uint64_t next_ns;  /* of the next window */
	uint64_t seen_ns;
	struct nio_event_counts counts; /* at the last step */
	size_t periods;
	double sent, sent2;
	double kind[NIO_CALL_NR], kind2[NIO_CALL_NR], cross[NIO_CALL_NR];
};

struct watcher {
	struct attach_bpf *skel;
	struct bpf_program *programs[WATCHER_PROGRAMS_MAX];
	struct bpf_link *links[WATCHER_PROGRAMS_MAX];
	size_t programs_nr;
	struct plan_row rows[WATCHER_ROWS_MAX];
	size_t rows_nr;
	enum backend functions; /* of programs on functions; BACKEND_TRACEPOINT: there are none */
	struct ring_buffer *ends;
	struct taking *taking; /* who gets what is in it */
	struct watcher_sampling sampling;
	bool stopped;
	struct num
		missed; /* as it was when it was stopped: what is passed over later is not missed */
};

/*
 * Chooses a hook for each probe by what this kernel has, fills w->rows, and switches the chosen
 * programs on. 0 or -errno, as watcher__open().
 */
int watcher__choose(struct watcher *w, const struct watcher_filter *filter,
		    struct watcher_refusal *no);

/* Is this one of the programs that see each call and packet? */
bool watcher__is_of_events(const struct watcher *w, const struct bpf_program *prog);

/*
 * Is this the second program at a hook? It does what the kernel refuses the first one, and is
 * attached only where that may be (watcher_events.c).
 */
bool watcher__is_second(const struct watcher *w, const struct bpf_program *prog);

/* The programs of events are attached: from now on their rate decides. 0 or -errno. */
int watcher__begin_events(struct watcher *w, bool count_calls);

/* A record of the ring buffer, for libbpf. */
int watcher__take_end(void *w, void *data, size_t size);

/* What is passed over from here on is not missed. */
void watcher__count_last_missed(struct watcher *w);

#endif
