/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading the programs of attach, and what they watch; see watcher.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/loop.h"
#include "grace_period.h"
#include "kernel_addresses.h"
#include "libbpf_output.h"
#include "pidns.h"
#include "timens.h"
#include "watcher_skeleton.h"

static int configure(struct watcher *w, const struct watcher_filter *filter)
{
	struct attach_bpf *skel = w->skel;
	struct kernel_addresses at;
	int err;

	skel->rodata->nio_by_task = filter->by_task;
	skel->rodata->nio_by_port = filter->ports_nr != 0;
	skel->rodata->nio_follow_children = filter->follow_children;
	skel->rodata->nio_by_cgroup = filter->cgroup >= 0;
	skel->rodata->nio_comms_nr = filter->comms_nr;
	memcpy(skel->rodata->nio_comms, filter->comms, sizeof(filter->comms));
	skel->rodata->nio_own_tgid = getpid();
	skel->rodata->nio_pidns = pidns__own();
	skel->rodata->nio_boot_offset_ns = timens__boot_offset_ns();
	for (size_t i = 0; i < filter->ports_nr; i++)
		skel->bss->nio_ports[filter->ports[i]] = 1;
	w->streams_max = filter->streams_max;
	kernel_addresses__find(&at);
	skel->rodata->nio_tcp_sendmsg = at.tcp_sendmsg;
	skel->rodata->nio_tcp_recvmsg = at.tcp_recvmsg;
	skel->rodata->nio_zerocopy_end = at.zerocopy_end;
	err = bpf_map__set_autocreate(skel->maps.nio_cgroups, filter->cgroup >= 0);
	return err ? err : bpf_map__set_max_entries(skel->maps.nio_streams, filter->streams_max);
}

static int set_cgroup(struct watcher *w, int cgroup)
{
	const uint32_t first = 0;

	if (cgroup < 0)
		return 0;
	return bpf_map_update_elem(bpf_map__fd(w->skel->maps.nio_cgroups), &first, &cgroup, BPF_ANY)
		       ? -errno
		       : 0;
}

static int attach_all(struct watcher *w)
{
	for (size_t i = 0; i < w->programs_nr; i++) {
		if (loop__is_to_end())
			return -EINTR;
		w->links[i] = bpf_program__attach(w->programs[i]);
		if (!w->links[i])
			return -errno;
	}
	return 0;
}

int watcher__open(struct watcher **out, const struct watcher_filter *filter,
		  struct watcher_refusal *no)
{
	struct watcher *w = calloc(1, sizeof(*w));
	int err;

	*no = (struct watcher_refusal){0};
	if (!w)
		return -ENOMEM;
	libbpf_output__set();
	w->skel = attach_bpf__open();
	err = w->skel ? 0 : -errno;
	if (!err)
		err = configure(w, filter);
	if (!err)
		err = watcher__choose(w, filter, no);
	if (!err)
		err = loop__is_to_end() ? -EINTR : attach_bpf__load(w->skel);
	if (!err)
		err = set_cgroup(w, filter->cgroup);
	if (!err)
		err = attach_all(w);
	if (err)
		watcher__close(w);
	else
		*out = w;
	return err;
}

void watcher__close(struct watcher *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->programs_nr; i++)
		bpf_link__destroy(w->links[i]);
	attach_bpf__destroy(w->skel);
	free(w);
}

int watcher__add_task(struct watcher *w, uint32_t tgid, const struct nio_task *task)
{
	int fd = bpf_map__fd(w->skel->maps.nio_tasks);
	uint64_t how = task->named ? BPF_NOEXIST : BPF_ANY;

	if (bpf_map_update_elem(fd, &tgid, task, how) && errno != EEXIST)
		return -errno;
	w->skel->bss->nio_task_known[tgid & (NIO_KNOWN_NR - 1)] = 1;
	return 0;
}

/* Each once: by its next use, the programs would count it again. */
static void leave_out(struct watcher *w, uint64_t cookie)
{
	uint32_t one = 1;

	if (!bpf_map_update_elem(bpf_map__fd(w->skel->maps.nio_left_out), &cookie, &one,
				 BPF_NOEXIST))
		__sync_fetch_and_add(&w->skel->bss->nio_attach_losses.streams_full, 1);
}

int watcher__add_socket(struct watcher *w, uint64_t cookie, uint32_t tgid, uint64_t started,
			const char *comm)
{
	struct nio_stream *s = calloc(1, sizeof(*s));
	int err = 0;

	if (!s)
		return -ENOMEM;
	s->cookie = cookie;
	s->tgid = tgid;
	s->started = started;
	snprintf(s->comm, sizeof(s->comm), "%s", comm);
	if (bpf_map_update_elem(bpf_map__fd(w->skel->maps.nio_streams), &cookie, s, BPF_NOEXIST))
		err = errno == EEXIST ? 0 : -errno;
	if (err == -E2BIG)
		leave_out(w, cookie);
	free(s);
	if (!err)
		w->skel->bss->nio_stream_known[nio_known_index(cookie)] = 1;
	return err;
}

int watcher__tasks(const struct watcher *w)
{
	return bpf_map__fd(w->skel->maps.nio_tasks);
}

void watcher__arm(struct watcher *w)
{
	w->skel->bss->nio_armed = true;
}

bool watcher__finds_sockets(const struct watcher *w)
{
	return w->may_adopt;
}

static void say_over(struct watcher *w, enum nio_over what)
{
	*(volatile __u32 *)&w->skel->bss->nio_over = what;
}

/*
 * The ends of sockets first: one that ends later is taken for open, whose last call is not in
 * doubt, and not for closed with bytes that nobody saw. Then what follows a send (completions,
 * copies), so that nothing is told of a send that is not booked. Sends and receives end for all
 * CPUs at one moment: what is known of calls in progress is of that moment, too, and no receive is
 * seen to be taken whose copy was not. Runs that are refused later would have booked nothing.
 *
 * After each, no program is at work that did not see it.
 *
 * The programs stay attached until watcher__close(), since detaching takes seconds, and return
 * at what they would book.
 */
int watcher__stop(struct watcher *w)
{
	int err;

	say_over(w, NIO_OVER_ENDS);
	err = grace_period__pass();
	w->skel->bss->nio_armed = false;
	if (err)
		return err;
	say_over(w, NIO_OVER_ALL);
	watcher__count_last_missed(w);
	return grace_period__pass();
}

int watcher__open_pass(const struct watcher *w)
{
	for (size_t i = 0; i < w->programs_nr; i++) {
		int fd;

		if (w->programs[i] != w->skel->progs.nio_at_pass)
			continue;
		fd = bpf_iter_create(bpf_link__fd(w->links[i]));
		return fd < 0 ? -errno : fd;
	}
	return -EOPNOTSUPP;
}
