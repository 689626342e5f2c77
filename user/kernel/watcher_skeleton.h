/* SPDX-License-Identifier: GPL-2.0-only */
/* The skeleton of attach and what a watcher keeps of it: for the files of watcher.h only. */
#ifndef NETIOTRACE_WATCHER_SKELETON_H
#define NETIOTRACE_WATCHER_SKELETON_H

#include <bpf/libbpf.h>

#include "watcher.h"

/* Needs the types of bpf/streams.h. */
#include "attach.skel.h"

#define WATCHER_PROGRAMS_MAX 32
#define WATCHER_ROWS_MAX     16

struct watcher {
	struct attach_bpf *skel;
	struct bpf_program *programs[WATCHER_PROGRAMS_MAX];
	struct bpf_link *links[WATCHER_PROGRAMS_MAX];
	size_t programs_nr;
	struct plan_row rows[WATCHER_ROWS_MAX];
	size_t rows_nr;
	uint32_t streams_max;
	enum backend functions; /* of programs on functions; BACKEND_TRACEPOINT: there are none */
	bool may_adopt;
	bool sends_refused; /* the kernel is known to have refused events of send calls */
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

/* Does this program tell of send calls? */
bool watcher__is_of_sends(const struct watcher *w, const struct bpf_program *prog);

/* What is passed over from here on is not missed. */
void watcher__count_last_missed(struct watcher *w);

#endif
