/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the programs of attach saw; see watcher.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "link_info.h"
#include "watcher_skeleton.h"

/* Entries read at once. */
#define BATCH 256

struct batch {
	int fd;
	uint64_t keys[BATCH];
	struct nio_stream *streams;
	uint32_t nr;
	uint32_t position;
	bool begun, over;
};

/* The next entries of a hash: what is inserted or deleted meanwhile may be met or not. */
static int next_batch(struct batch *b)
{
	uint32_t next = 0;

	b->nr = BATCH;
	if (!bpf_map_lookup_batch(b->fd, b->begun ? &b->position : NULL, &next, b->keys, b->streams,
				  &b->nr, NULL)) {
		b->position = next;
		b->begun = true;
		return 0;
	}
	if (errno != ENOENT)
		return -errno;
	b->over = true;
	return 0;
}

/* The calls in progress that have no place in their sockets' entries. */
struct calls {
	struct nio_call *list;
	size_t nr;
};

static int read_calls(struct watcher *w, struct calls *calls)
{
	int fd = bpf_map__fd(w->skel->maps.nio_calls);
	uint32_t key, *from = NULL;

	calls->list = calloc(NIO_CALLS_MAX, sizeof(*calls->list));
	if (!calls->list)
		return -ENOMEM;
	while (calls->nr < NIO_CALLS_MAX && !bpf_map_get_next_key(fd, from, &key)) {
		from = &key;
		calls->nr += !bpf_map_lookup_elem(fd, &key, &calls->list[calls->nr]);
	}
	return 0;
}

/* In a copy of an entry, whose call then stands for all that are in progress. */
static void add_calls(const struct calls *calls, struct nio_stream *s)
{
	if (!s->caller || s->call.place == NIO_PLACE_OVER)
		s->call.queued = 0;
	for (size_t i = 0; s->crowd && i < calls->nr; i++)
		if (calls->list[i].cookie == s->cookie && calls->list[i].place != NIO_PLACE_OVER)
			s->call.queued += calls->list[i].queued;
}

/* Probes that the kernel passed over; *untold: it does not tell. */
static uint64_t passed_over(const struct watcher *w, size_t i, bool *untold)
{
	uint64_t missed = 0;

	if (!w->links[i] || bpf_program__type(w->programs[i]) != BPF_PROG_TYPE_KPROBE)
		return 0;
	*untold |= link_info__kprobe_missed(bpf_link__fd(w->links[i]), &missed) != 0;
	return missed;
}

/* Runs of a program that the kernel refused or passed over so far. 0 or -errno. */
static int refused_runs(const struct watcher *w, size_t i, uint64_t *runs, bool *untold)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(w->programs[i]), &info, &len))
		return -errno;
	*runs = info.recursion_misses + passed_over(w, i, untold);
	return 0;
}

/*
 * Is it known that the kernel refused events of send calls? Where turns are shown, what they leave
 * over is nothing else: bpf/attach_sends.bpf.h.
 */
static enum nio_refused refused_sends(struct watcher *w)
{
	bool untold = false;

	if (w->skel->rodata->nio_turns)
		return NIO_REFUSED_BOOKED;
	for (size_t i = 0; i < w->programs_nr && !w->sends_refused && !w->stopped; i++) {
		uint64_t runs = 0;

		if (watcher__is_of_sends(w, w->programs[i]) && !refused_runs(w, i, &runs, &untold))
			w->sends_refused = runs != 0;
	}
	return w->sends_refused ? NIO_REFUSED_SOME : NIO_REFUSED_NONE;
}

static bool give(const struct calls *calls, struct nio_stream *s, enum nio_refused refused,
		 bool (*take)(void *, const struct nio_stream *), void *arg)
{
	if (!s->cookie)
		return false;
	add_calls(calls, s);
	s->refused = refused;
	return take(arg, s);
}

/* A bucket with more entries than a batch holds is no batch: then one by one. */
static int each_one(struct watcher *w, const struct calls *calls, struct nio_stream *s,
		    bool (*take)(void *, const struct nio_stream *), void *arg)
{
	int fd = bpf_map__fd(w->skel->maps.nio_streams);
	uint64_t key, next;
	int err = bpf_map_get_next_key(fd, NULL, &next);

	while (!err) {
		key = next;
		err = bpf_map_get_next_key(fd, &key, &next);
		if (!bpf_map_lookup_elem(fd, &key, s) &&
		    give(calls, s, refused_sends(w), take, arg))
			bpf_map_delete_elem(fd, &key);
	}
	return errno == ENOENT ? 0 : -errno;
}

int watcher__each_stream(struct watcher *w, bool (*take)(void *arg, const struct nio_stream *s),
			 void *arg)
{
	struct batch b = {.fd = bpf_map__fd(w->skel->maps.nio_streams)};
	struct calls calls = {0};
	int err = read_calls(w, &calls);
	enum nio_refused refused;

	b.streams = calloc(BATCH, sizeof(*b.streams));
	if (!b.streams)
		err = -ENOMEM;
	while (!err && !b.over) {
		err = next_batch(&b);
		/* After what it may explain. */
		refused = refused_sends(w);
		for (uint32_t i = 0; !err && i < b.nr; i++)
			if (give(&calls, &b.streams[i], refused, take, arg))
				bpf_map_delete_elem(b.fd, &b.keys[i]);
	}
	if (err == -ENOSPC || err == -EINVAL)
		err = each_one(w, &calls, b.streams, take, arg);
	free(b.streams);
	free(calls.list);
	return err;
}

int watcher__each_task(struct watcher *w,
		       bool (*take)(void *arg, uint32_t tgid, const struct nio_task *t), void *arg)
{
	int fd = bpf_map__fd(w->skel->maps.nio_tasks);
	int err = 0, nr = 0;
	uint32_t *keys = calloc(NIO_TASKS_MAX, sizeof(*keys)), *from = NULL;
	struct nio_task task;

	if (!keys)
		return -ENOMEM;
	/* The keys first: an entry that is deleted has none after it. */
	while (nr < NIO_TASKS_MAX && !bpf_map_get_next_key(fd, from, &keys[nr]))
		from = &keys[nr++];
	if (nr < NIO_TASKS_MAX && errno != ENOENT)
		err = -errno;
	for (int i = 0; i < nr; i++)
		if (!bpf_map_lookup_elem(fd, &keys[i], &task) && take(arg, keys[i], &task))
			bpf_map_delete_elem(fd, &keys[i]);
	free(keys);
	return err;
}

struct nio_attach_loss watcher__losses(const struct watcher *w)
{
	return *(const volatile struct nio_attach_loss *)&w->skel->bss->nio_attach_losses;
}

/*
 * One of two programs, of which either does what the kernel refuses the other: what neither did is
 * in changes_missed.
 */
static bool is_twin(const struct bpf_program *prog)
{
	static const char *const twins[] = {"nio_at_state", "nio_at_state2", "nio_at_destroy",
					    "nio_at_destroy2"};
	const char *name = bpf_program__name(prog);

	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		if (!strcmp(name, twins[i]))
			return true;
	return false;
}

struct num watcher__missed(const struct watcher *w)
{
	struct num sum = {.known = true, .value = watcher__losses(w).changes_missed};
	bool untold = false;

	if (w->stopped)
		return w->missed;
	for (size_t i = 0; i < w->programs_nr; i++) {
		uint64_t refused = 0;

		if (is_twin(w->programs[i]))
			continue;
		if (refused_runs(w, i, &refused, &untold))
			return (struct num){.reason = "the kernel does not tell"};
		sum.value += refused;
	}
	if (untold)
		return (struct num){.reason = "this kernel does not count probes that it passes "
					      "over (it does from 6.7 on)"};
	return sum;
}

void watcher__count_last_missed(struct watcher *w)
{
	refused_sends(w);
	w->missed = watcher__missed(w);
	w->stopped = true;
}
