/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the programs of attach saw; see watcher.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "link_info.h"
#include "watcher_skeleton.h"

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

/* A reading of the watched sockets. */
struct taking {
	void (*take)(void *arg, const struct sock_state *s);
	void *arg;
	/* Of connections that have ended since the iteration began: they may be in it, too. */
	struct ended {
		uint64_t key, first_ns;
	} * ended;
	size_t ended_nr, ended_room;
	bool remembers;
	int err;
};

static void remember(struct taking *t, const struct sock_state *s)
{
	if (t->ended_nr == t->ended_room) {
		size_t room = t->ended_room ? t->ended_room * 2 : 256;
		struct ended *larger = realloc(t->ended, room * sizeof(*larger));

		if (!larger) {
			t->err = -ENOMEM;
			return;
		}
		t->ended = larger;
		t->ended_room = room;
	}
	t->ended[t->ended_nr++] = (struct ended){s->key, s->first_ns};
}

int watcher__take_end(void *arg, void *data, size_t size)
{
	struct watcher *w = arg;
	struct sock_state s = {0};

	if (size < SOCK_STATE_HEAD || !w->taking)
		return 0;
	memcpy(&s, data, size < sizeof(s) ? SOCK_STATE_HEAD : sizeof(s));
	if (w->taking->remembers)
		remember(w->taking, &s);
	w->taking->take(w->taking->arg, &s);
	return 0;
}

static int drain(struct watcher *w, struct taking *t)
{
	int n;

	w->taking = t;
	n = ring_buffer__consume(w->ends);
	w->taking = NULL;
	return n < 0 ? n : t->err;
}

/* States of open connections, as an iteration gave them. */
struct open_states {
	char *list;
	size_t bytes, room;
};

static int read_open(int fd, struct open_states *open)
{
	for (;;) {
		ssize_t len;

		if (open->room - open->bytes < 65536) {
			size_t room = open->room ? open->room * 2 : 1 << 18;
			void *larger = realloc(open->list, room);

			if (!larger)
				return -ENOMEM;
			open->list = larger;
			open->room = room;
		}
		len = read(fd, open->list + open->bytes, open->room - open->bytes);
		if (!len)
			return 0;
		if (len < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		open->bytes += len > 0 ? (size_t)len : 0;
	}
}

static int iterate(struct watcher *w, struct open_states *open)
{
	int err = -EOPNOTSUPP;

	for (size_t i = 0; i < w->programs_nr; i++) {
		int fd;

		if (w->programs[i] != w->skel->progs.nio_at_look)
			continue;
		fd = bpf_iter_create(bpf_link__fd(w->links[i]));
		if (fd < 0)
			return -errno;
		err = read_open(fd, open);
		close(fd);
	}
	return err;
}

static int by_key(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->first_ns < y->first_ns ? -1 : x->first_ns > y->first_ns;
}

static bool has_ended(const struct taking *t, const struct sock_state *s)
{
	struct ended key = {s->key, s->first_ns};

	return t->ended_nr && bsearch(&key, t->ended, t->ended_nr, sizeof(key), by_key);
}

static void forget(struct watcher *w, uint64_t key)
{
	bpf_map_delete_elem(bpf_map__fd(w->skel->maps.nio_sock_events), &key);
	bpf_map_delete_elem(bpf_map__fd(w->skel->maps.nio_sockets), &key);
}

static void give_open(struct watcher *w, struct taking *t, struct open_states *open)
{
	if (t->ended_nr)
		qsort(t->ended, t->ended_nr, sizeof(*t->ended), by_key);
	for (size_t at = 0; at + SOCK_STATE_HEAD <= open->bytes;) {
		struct sock_state s = {0};

		memcpy(&s, open->list + at, SOCK_STATE_HEAD);
		at += SOCK_STATE_HEAD;
		if (s.has_events && at + sizeof(struct sock_events) <= open->bytes)
			memcpy(&s.calls, open->list + at, sizeof(struct sock_events));
		at += s.has_events ? sizeof(struct sock_events) : 0;
		if (s.flags & (SOCK_STATE_FOREIGN | SOCK_STATE_MAYBE) || has_ended(t, &s))
			continue;
		if (s.flags & SOCK_STATE_UNSENT)
			forget(w, s.key);
		else
			s.now = s.looked;
		t->take(t->arg, &s);
	}
}

/*
 * A program sends the end of a connection before it frees the state. So one that the iteration does
 * not meet is in the buffer by then, and one that is in both was open as it was met.
 */
int watcher__each_socket(struct watcher *w, void (*take)(void *arg, const struct sock_state *s),
			 void *arg)
{
	struct taking t = {.take = take, .arg = arg};
	struct open_states open = {0};
	int err = drain(w, &t);

	t.remembers = true;
	if (!err)
		err = iterate(w, &open);
	if (!err)
		err = drain(w, &t);
	if (!err)
		give_open(w, &t, &open);
	free(open.list);
	free(t.ended);
	return err;
}

int watcher__each_ended(struct watcher *w, void (*take)(void *arg, const struct sock_state *s),
			void *arg)
{
	struct taking t = {.take = take, .arg = arg};

	return drain(w, &t);
}

int watcher__ends_fd(const struct watcher *w)
{
	return ring_buffer__epoll_fd(w->ends);
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
	struct num sum = {.known = true,
			  .value = watcher__losses(w).changes_missed +
				   watcher__losses(w).ends_missed +
				   watcher__losses(w).events_lost};
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
	w->missed = watcher__missed(w);
	w->stopped = true;
}
