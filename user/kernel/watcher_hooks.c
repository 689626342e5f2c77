/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hooks attach uses on this kernel; see watcher.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "presence.h"
#include "watcher_skeleton.h"

/* One way to feed a probe; of those of one probe the first that this kernel has is used. */
struct way {
	const char *probe, *stage;
	enum backend backend;
	const char *hook;
	const char *programs; /* apart by a space */
	enum quality quality;
	const char *caveat;
	bool required;
};

static const struct way ways[] = {
	{"send_return", "tx_copy, tx_pin", BACKEND_TRACEPOINT, "tp_btf/sock_send_length",
	 "nio_at_send", QUALITY_EXACT, NULL, true},
	{"message", "tx_splice", BACKEND_TRACEPOINT, "tp_btf/tcp_sendmsg_locked", "nio_at_turn",
	 QUALITY_EXACT, NULL, false},
	{"deferred_copy", "deferred_copy", BACKEND_TRACEPOINT, "tp_btf/netif_receive_skb",
	 "nio_at_arrival", QUALITY_DERIVED,
	 "the copy itself has no tracepoint: by the packets with zero-copy pages that arrive here",
	 false},
	{"rx_copy", "rx_copy", BACKEND_TRACEPOINT, "tp_btf/skb_copy_datagram_iovec",
	 "nio_at_receive nio_at_copied", QUALITY_EXACT, NULL, true},
	{"completion", "zero-copy completions", BACKEND_TRACEPOINT, "tp_btf/inet_sk_error_report",
	 "nio_at_report", QUALITY_DERIVED,
	 "from notifications, which the kernel merges without comparing their codes", false},
	{"socket_end", "the sockets' own numbers", BACKEND_TRACEPOINT, "tp_btf/tcp_destroy_sock",
	 "nio_at_state nio_at_destroy", QUALITY_EXACT, NULL, true},
	{"tasks", "processes", BACKEND_TRACEPOINT, "tp_btf/sched_process_fork",
	 "nio_at_fork nio_at_exec nio_at_rename nio_at_exit", QUALITY_EXACT, NULL, true},
	{"sockets", "the sockets' own numbers", BACKEND_ITERATOR, "iter/tcp", "nio_at_pass",
	 QUALITY_EXACT, NULL, true},
};

#define WAYS_NR (sizeof(ways) / sizeof(ways[0]))

static bool has_program(const struct way *way, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = way->programs; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (!strncmp(p, name, len) && (p[len] == ' ' || !p[len]))
			return true;
	}
	return false;
}

/* Names the hook, or the function or tracepoint it is on? */
static bool is_withheld(const struct way *way, const struct watcher_filter *filter)
{
	const char *target = strchr(way->hook, '/') + 1;

	for (size_t i = 0; i < filter->without_nr; i++)
		if (!strcmp(filter->without[i], way->hook) || !strcmp(filter->without[i], target))
			return true;
	return false;
}

/* Why this way cannot be gone; NULL: it can. */
static const char *obstacle(struct watcher *w, const struct btf *btf, const struct way *way,
			    const struct watcher_filter *filter)
{
	struct bpf_program *prog = NULL;

	if (is_withheld(way, filter))
		return "withheld by --without";
	while ((prog = bpf_object__next_program(w->skel->obj, prog)))
		if (has_program(way, bpf_program__name(prog)) &&
		    presence__section(btf, bpf_program__section_name(prog)))
			return "this kernel does not have it";
	return NULL;
}

static void add_row(struct watcher *w, const struct way *way, const char *why_not)
{
	struct plan_row *row = &w->rows[w->rows_nr++];

	*row = (struct plan_row){
		.probe = way->probe,
		.backend = why_not ? NULL : backend__name(way->backend),
		.hook = why_not ? NULL : way->hook,
		.programs = why_not ? NULL : way->programs,
		.quality = why_not ? QUALITY_UNAVAILABLE : way->quality,
		.reason = why_not ? why_not : way->caveat,
	};
	snprintf(row->stage, sizeof(row->stage), "%s", way->stage);
}

static int switch_on(struct watcher *w, const struct way *way)
{
	struct bpf_program *prog = NULL;

	while ((prog = bpf_object__next_program(w->skel->obj, prog))) {
		if (!has_program(way, bpf_program__name(prog)))
			continue;
		if (w->programs_nr == WATCHER_PROGRAMS_MAX)
			return -E2BIG;
		bpf_program__set_autoload(prog, true);
		w->programs[w->programs_nr++] = prog;
	}
	return 0;
}

static const struct plan_row *row_of(const struct watcher *w, const char *probe)
{
	for (size_t i = 0; i < w->rows_nr; i++)
		if (!strcmp(w->rows[i].probe, probe))
			return &w->rows[i];
	return NULL;
}

/* Takes the way if its probe is not served yet; notes why not only where no other is left. */
static int consider(struct watcher *w, const struct btf *btf, size_t i,
		    const struct watcher_filter *filter)
{
	const struct way *way = &ways[i];
	const char *why_not = obstacle(w, btf, way, filter);
	bool last = i + 1 == WAYS_NR || strcmp(ways[i + 1].probe, way->probe) != 0;

	if (row_of(w, way->probe) || (why_not && !last))
		return 0;
	add_row(w, way, why_not);
	if (!why_not)
		return switch_on(w, way);
	return way->required ? -EOPNOTSUPP : 0;
}

int watcher__choose(struct watcher *w, const struct watcher_filter *filter)
{
	struct btf *btf = presence__read();
	int err = 0;

	for (size_t i = 0; i < WAYS_NR && !err; i++)
		err = consider(w, btf, i, filter);
	w->skel->rodata->nio_splice_pages =
		btf && !presence__function(btf, "skb_splice_from_iter", 0);
	presence__free(btf);
	w->skel->rodata->nio_told = watcher__has(w, "message");
	return err;
}

size_t watcher__plan(const struct watcher *w, const struct plan_row **rows)
{
	*rows = w->rows;
	return w->rows_nr;
}

bool watcher__has(const struct watcher *w, const char *probe)
{
	const struct plan_row *row = row_of(w, probe);

	return row && row->hook;
}
