/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hooks attach uses on this kernel; see watcher.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/loop.h"
#include "kprobes.h"
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

#define AS_IT_BEGINS "counted as it begins: a copy that fails for want of memory is counted, too"
#define AS_ASKED                                                                                   \
	"by the sizes that calls ask for: one that sends less counts as much, so that of several " \
	"kinds on one connection the shares are estimates"

static const struct way ways[] = {
	{"send_return", "tx_copy, tx_pin", BACKEND_TRACEPOINT, "tp_btf/sock_send_length",
	 "nio_at_send", QUALITY_EXACT, NULL, true},
	{"send_return", "tx_copy, tx_pin", BACKEND_TRAMPOLINE, "fexit/tcp_sendmsg_locked",
	 "nio_ae_send nio_ax_send", QUALITY_EXACT, NULL, true},
	{"send_return", "tx_copy, tx_pin", BACKEND_KPROBE, "kprobe/tcp_sendmsg_locked",
	 "nio_ak_send", QUALITY_DERIVED, AS_ASKED, true},
	{"message", "tx_splice", BACKEND_TRACEPOINT, "tp_btf/tcp_sendmsg_locked", "nio_at_turn",
	 QUALITY_EXACT, NULL, false},
	{"message", "tx_splice", BACKEND_TRAMPOLINE, "fentry/tcp_sendmsg_locked", "nio_ae_send",
	 QUALITY_EXACT, NULL, false},
	/* Of these two one is used: obstacle(). */
	{"message", "tx_splice", BACKEND_KPROBE, "kprobe/tcp_sendmsg_locked", "nio_ak_send",
	 QUALITY_EXACT, NULL, false},
	{"message", "tx_splice", BACKEND_KPROBE, "kprobe/tcp_sendmsg_locked", "nio_ak_message",
	 QUALITY_EXACT, NULL, false},
	{"sendpage", "tx_splice", BACKEND_TRAMPOLINE, "fexit/do_tcp_sendpages", "nio_ax_sendpages",
	 QUALITY_EXACT, NULL, false},
	{"sendpage", "tx_splice", BACKEND_KPROBE, "kprobe/do_tcp_sendpages", "nio_ak_sendpages",
	 QUALITY_DERIVED, AS_ASKED, false},
	/* Of tracepoints send_return has it, too. */
	{"mptcp_send", "sent through MPTCP", BACKEND_TRACEPOINT, "tp_btf/sock_send_length",
	 "nio_at_send", QUALITY_EXACT, NULL, false},
	{"mptcp_send", "sent through MPTCP", BACKEND_TRAMPOLINE, "fexit/mptcp_sendmsg",
	 "nio_ax_mptcp", QUALITY_EXACT, NULL, false},
	{"mptcp_send", "sent through MPTCP", BACKEND_KPROBE, "tp_btf/sock_send_length",
	 "nio_ak_mptcp", QUALITY_EXACT, NULL, false},
	{"deferred_copy", "deferred_copy", BACKEND_TRAMPOLINE, "fentry/skb_copy_ubufs",
	 "nio_ae_deferred", QUALITY_DERIVED, AS_IT_BEGINS, false},
	{"deferred_copy", "deferred_copy", BACKEND_KPROBE, "kprobe/skb_copy_ubufs",
	 "nio_ak_deferred", QUALITY_DERIVED, AS_IT_BEGINS, false},
	{"deferred_copy", "deferred_copy", BACKEND_TRACEPOINT, "tp_btf/netif_receive_skb",
	 "nio_at_arrival", QUALITY_DERIVED,
	 "the copy itself has no tracepoint: by the packets with zero-copy pages that arrive here",
	 false},
	{"rx_copy", "rx_copy", BACKEND_TRACEPOINT, "tp_btf/skb_copy_datagram_iovec",
	 "nio_at_receive", QUALITY_EXACT, NULL, true},
	{"splice_read", "received by splice", BACKEND_TRAMPOLINE, "fexit/tcp_splice_read",
	 "nio_ax_splice_read", QUALITY_EXACT, NULL, false},
	{"completion", "zero-copy completions", BACKEND_TRAMPOLINE,
	 "fentry/__msg_zerocopy_callback", "nio_ae_ended", QUALITY_EXACT, NULL, false},
	{"completion", "zero-copy completions", BACKEND_KPROBE, "kprobe/__msg_zerocopy_callback",
	 "nio_ak_ended", QUALITY_EXACT, NULL, false},
	{"completion", "zero-copy completions", BACKEND_KPROBE, "kprobe/sock_zerocopy_callback",
	 "nio_ak_sock_ended", QUALITY_EXACT, NULL, false},
	{"completion", "zero-copy completions", BACKEND_TRACEPOINT, "tp_btf/inet_sk_error_report",
	 "nio_at_report", QUALITY_DERIVED,
	 "from notifications, which the kernel merges without comparing their codes", false},
	{"socket_end", "the sockets' own numbers", BACKEND_TRACEPOINT, "tp_btf/tcp_destroy_sock",
	 "nio_at_state nio_at_state2 nio_at_destroy nio_at_destroy2", QUALITY_EXACT, NULL, true},
	{"tasks", "processes", BACKEND_TRACEPOINT, "tp_btf/sched_process_fork",
	 "nio_at_fork nio_at_exec nio_at_rename nio_at_exit", QUALITY_EXACT, NULL, true},
	{"sockets", "the sockets' own numbers", BACKEND_ITERATOR, "iter/bpf_map_elem",
	 "nio_at_look", QUALITY_EXACT, NULL, true},
	{"earlier_sockets", "sockets that were there before", BACKEND_ITERATOR, "iter/tcp",
	 "nio_at_pass", QUALITY_EXACT, NULL, true},
};

#define WAYS_NR (sizeof(ways) / sizeof(ways[0]))

/* Is the name among these, which are apart by a space? */
static bool names(const char *programs, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = programs; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (!strncmp(p, name, len) && (p[len] == ' ' || !p[len]))
			return true;
	}
	return false;
}

static bool is_on(const struct way *way, const char *name)
{
	return !strcmp(name, way->hook) || !strcmp(name, strchr(way->hook, '/') + 1);
}

bool watcher__names_hook(const char *name)
{
	for (size_t i = 0; i < WAYS_NR; i++)
		if (is_on(&ways[i], name))
			return true;
	return false;
}

static bool is_withheld(const struct way *way, const struct watcher_filter *filter)
{
	for (size_t i = 0; i < filter->without_nr; i++)
		if (is_on(way, filter->without[i]))
			return true;
	return false;
}

static bool is_of_functions(enum backend backend)
{
	return backend == BACKEND_TRAMPOLINE || backend == BACKEND_KPROBE;
}

static int try_program(struct attach_bpf *skel, struct bpf_program *prog)
{
	struct bpf_link *link;
	int err;

	bpf_map__set_max_entries(skel->maps.nio_sockets, 1);
	bpf_program__set_autoload(prog, true);
	err = attach_bpf__load(skel);
	if (err)
		return err;
	link = bpf_program__attach(prog);
	err = link ? 0 : -errno;
	bpf_link__destroy(link);
	return err;
}

/*
 * Can programs of this backend be loaded and attached at all? Tried with one of its own: kernels
 * that lack the functions' trampolines, or are locked down, refuse them all. 0 or -errno.
 */
static int try_backend(enum backend backend)
{
	int err = backend == BACKEND_KPROBE ? kprobes__missing() : 0;
	struct attach_bpf *skel;

	if (err)
		return err;
	skel = attach_bpf__open();
	err = skel ? 0 : -errno;
	if (!err)
		err = try_program(skel, backend == BACKEND_TRAMPOLINE
						? skel->progs.nio_ae_deferred
						: skel->progs.nio_ak_deferred);
	attach_bpf__destroy(skel);
	return err;
}

/*
 * Of functions one backend is used, for all probes: the first that works of those that are wanted.
 * One that is asked for by name has to. 0 or -errno.
 */
static int choose_functions(struct watcher *w, const struct watcher_filter *filter,
			    struct watcher_refusal *no)
{
	int err = -ENOENT;

	w->functions = BACKEND_TRACEPOINT;
	for (int b = BACKEND_TRAMPOLINE; b < BACKEND_TRACEPOINT && err; b++) {
		if (filter->backend != BACKEND_AUTO && filter->backend != (enum backend)b)
			continue;
		if (loop__is_to_end())
			return -EINTR;
		err = try_backend((enum backend)b);
		/* That there was no memory, or no file, says nothing about the backend. */
		if (err && presence__offer(err).answer == ANSWER_UNKNOWN)
			return err;
		if (!err)
			w->functions = (enum backend)b;
	}
	if (!err || !is_of_functions(filter->backend))
		return 0;
	no->backend = plan__refusal(err);
	return err;
}

static const struct plan_row *row_of(const struct watcher *w, const char *probe)
{
	for (size_t i = 0; i < w->rows_nr; i++)
		if (!strcmp(w->rows[i].probe, probe))
			return &w->rows[i];
	return NULL;
}

static bool is_by(const struct watcher *w, const char *probe, enum backend backend)
{
	const struct plan_row *row = row_of(w, probe);

	return row && row->hook && !strcmp(row->backend, backend__name(backend));
}

/* Why this way cannot be gone; NULL: it can. */
static const char *obstacle(struct watcher *w, const struct presence *has, const struct way *way,
			    const struct watcher_filter *filter)
{
	struct bpf_program *prog = NULL;

	if (is_withheld(way, filter))
		return "withheld by --without";
	if (!strcmp(way->programs, "nio_ak_message") == is_by(w, "send_return", BACKEND_KPROBE) &&
	    way->backend == BACKEND_KPROBE && !strcmp(way->probe, "message"))
		return "this kernel does not have it";
	if (is_of_functions(way->backend) && way->backend != w->functions)
		return "this kernel refused programs on functions, or another backend is in use";
	while ((prog = bpf_object__next_program(w->skel->obj, prog)))
		if (names(way->programs, bpf_program__name(prog)) &&
		    presence__section(has, bpf_program__section_name(prog)))
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
		if (!names(way->programs, bpf_program__name(prog)) || bpf_program__autoload(prog))
			continue;
		if (w->programs_nr == WATCHER_PROGRAMS_MAX)
			return -E2BIG;
		bpf_program__set_autoload(prog, true);
		w->programs[w->programs_nr++] = prog;
	}
	return 0;
}

static bool is_first_of_probe(size_t i)
{
	return !i || strcmp(ways[i - 1].probe, ways[i].probe) != 0;
}

/* The ways of a probe begin at i: the first that can be gone, of `backend` only if that is one. */
static const struct way *find_way(struct watcher *w, const struct presence *has, size_t i,
				  const struct watcher_filter *filter, enum backend backend,
				  const char **why_not)
{
	const char *probe = ways[i].probe;

	for (; i < WAYS_NR && !strcmp(ways[i].probe, probe); i++) {
		if (backend != BACKEND_AUTO && ways[i].backend != backend)
			continue;
		*why_not = obstacle(w, has, &ways[i], filter);
		if (!*why_not)
			return &ways[i];
	}
	return NULL;
}

/* Serves the probe whose ways begin at i: by the backend that was asked for, else in their order.
 */
static int serve(struct watcher *w, const struct presence *has, size_t i,
		 const struct watcher_filter *filter)
{
	const char *why_not = NULL;
	const struct way *way = NULL;

	if (filter->backend != BACKEND_AUTO)
		way = find_way(w, has, i, filter, filter->backend, &why_not);
	if (!way)
		way = find_way(w, has, i, filter, BACKEND_AUTO, &why_not);
	add_row(w, way ? way : &ways[i], way ? NULL : why_not);
	if (way)
		return switch_on(w, way);
	return ways[i].required ? -EOPNOTSUPP : 0;
}

bool watcher__is_of_events(const struct watcher *w, const struct bpf_program *prog)
{
	return bpf_program__autoload(prog) &&
	       (prog == w->skel->progs.nio_at_send || prog == w->skel->progs.nio_at_turn ||
		prog == w->skel->progs.nio_at_receive || prog == w->skel->progs.nio_at_arrival);
}

static bool completions_by_function(const struct watcher *w)
{
	const struct plan_row *row = row_of(w, "completion");

	return row && row->hook && strncmp(row->hook, "tp_btf/", 7) != 0;
}

/* Which hooks would have done, of a probe that there has to be. */
static void say_missing(const struct watcher *w, struct watcher_refusal *no)
{
	const struct plan_row *row = &w->rows[w->rows_nr - 1];
	size_t len = sizeof(no->missing), used;
	const char *before = "";

	used = snprintf(no->missing, len, "nothing shows %s; it would take ", row->stage);

	for (size_t i = 0; i < WAYS_NR && used < len; i++) {
		if (strcmp(ways[i].probe, row->probe) != 0)
			continue;
		used += snprintf(no->missing + used, len - used, "%s%s", before, ways[i].hook);
		before = " or ";
	}
}

int watcher__choose(struct watcher *w, const struct watcher_filter *filter,
		    struct watcher_refusal *no)
{
	const struct presence *has;
	int err = presence__kernel_error();

	if (!err)
		err = choose_functions(w, filter, no);
	if (err)
		return err;
	has = presence__kernel();
	for (size_t i = 0; i < WAYS_NR && !err; i++)
		if (is_first_of_probe(i))
			err = serve(w, has, i, filter);
	if (err == -EOPNOTSUPP)
		say_missing(w, no);
	w->skel->rodata->nio_splice_pages =
		has && !presence__function(has, "skb_splice_from_iter", 0);
	w->skel->rodata->nio_told = watcher__has(w, "message");
	w->skel->rodata->nio_completions = completions_by_function(w);
	return err;
}

size_t watcher__plan(const struct watcher *w, const struct plan_row **rows)
{
	*rows = w->rows;
	return w->rows_nr;
}

bool watcher__replaces(const struct plan_row *row, enum backend asked)
{
	if (!row->hook || !is_of_functions(asked) || !strcmp(row->backend, backend__name(asked)))
		return false;
	for (size_t i = 0; i < WAYS_NR; i++)
		if (ways[i].backend == asked && !strcmp(ways[i].probe, row->probe))
			return true;
	return false;
}

bool watcher__has(const struct watcher *w, const char *probe)
{
	const struct plan_row *row = row_of(w, probe);

	return row && row->hook;
}
