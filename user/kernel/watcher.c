/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading the programs of attach, and what they watch; see watcher.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/loop.h"
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
	kernel_addresses__find(&at);
	skel->rodata->nio_tcp_sendmsg = at.tcp_sendmsg;
	skel->rodata->nio_tcp_recvmsg = at.tcp_recvmsg;
	skel->rodata->nio_zerocopy_end = at.zerocopy_end;
	err = bpf_map__set_autocreate(skel->maps.nio_cgroups, filter->cgroup >= 0);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_sockets, filter->sockets_max);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_sock_events, filter->sockets_max);
	if (err)
		return err;
	return bpf_map__set_max_entries(skel->maps.nio_owners,
					filter->sockets_max > NIO_LEFT_OUT_MAX ? filter->sockets_max
									       : NIO_LEFT_OUT_MAX);
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
	union bpf_iter_link_info map;
	struct bpf_iter_attach_opts over_sockets;

	/* Padding must be 0, too: the kernel and libbpf look at it. */
	memset(&map, 0, sizeof(map));
	memset(&over_sockets, 0, sizeof(over_sockets));
	map.map.map_fd = bpf_map__fd(w->skel->maps.nio_sockets);
	over_sockets.sz = sizeof(over_sockets);
	over_sockets.link_info = &map;
	over_sockets.link_info_len = sizeof(map);
	for (size_t i = 0; i < w->programs_nr; i++) {
		if (loop__is_to_end())
			return -EINTR;
		if (watcher__is_second(w, w->programs[i]))
			continue;
		if (w->programs[i] == w->skel->progs.nio_at_look)
			w->links[i] = bpf_program__attach_iter(w->programs[i], &over_sockets);
		else
			w->links[i] = bpf_program__attach(w->programs[i]);
		if (!w->links[i])
			return -errno;
	}
	return 0;
}

static int open_ends(struct watcher *w)
{
	w->ends = ring_buffer__new(bpf_map__fd(w->skel->maps.nio_ends), watcher__take_end, w, NULL);
	return w->ends ? 0 : -errno;
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
		err = open_ends(w);
	if (!err)
		err = attach_all(w);
	if (!err)
		err = watcher__begin_events(w, filter->count_calls);
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
	ring_buffer__free(w->ends);
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

int watcher__add_owner(struct watcher *w, uint64_t cookie, const struct nio_owner *owner)
{
	int fd = bpf_map__fd(w->skel->maps.nio_owners);

	if (!bpf_map_update_elem(fd, &cookie, owner, BPF_ANY))
		return 0;
	if (errno != E2BIG)
		return -errno;
	__sync_fetch_and_add(&w->skel->bss->nio_attach_losses.sockets_full, 1);
	return -E2BIG;
}

void watcher__adopt_used(struct watcher *w)
{
	*(volatile bool *)&w->skel->bss->nio_adopts = true;
}

void watcher__add_listener(struct watcher *w, uint16_t port)
{
	w->skel->bss->nio_listens[port] = 1;
}

int watcher__tasks(const struct watcher *w)
{
	return bpf_map__fd(w->skel->maps.nio_tasks);
}

void watcher__arm(struct watcher *w)
{
	w->skel->bss->nio_armed = true;
}

void watcher__stop(struct watcher *w)
{
	*(volatile bool *)&w->skel->bss->nio_over = true;
	*(volatile bool *)&w->skel->bss->nio_armed = false;
	*(volatile bool *)&w->skel->bss->nio_adopts = false;
	watcher__count_last_missed(w);
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
