/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of attach on the declared sockets of a run; see declared_probes.h. */
#include "declared_probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/loop.h"
#include "common/xalloc.h"
#include "attach_probes_internal.h"

/* A state has no events, and is in a map of its own; no other sockets are looked for. */
static int size_maps(const struct attach_bpf *skel, uint32_t sockets_max, uint32_t requests_max)
{
	const struct {
		struct bpf_map *map;
		uint32_t entries;
	} sizes[] = {
		{skel->maps.nio_left_out, 1},
		{skel->maps.nio_earlier, 1},
		{skel->maps.nio_tasks, 1},
		{skel->maps.nio_listeners, 1},
		{skel->maps.nio_sockets, 1},
		{skel->maps.nio_messages, 1},
		{skel->maps.nio_ends, (uint32_t)sysconf(_SC_PAGESIZE)},
		{skel->maps.nio_states, sockets_max},
		{skel->maps.nio_cookies, sockets_max},
		{skel->maps.nio_sock_requests, requests_max},
	};
	int err = bpf_map__set_value_size(skel->maps.nio_states,
					  SOCK_STATE_HEAD + sizeof(struct nio_declared_rest));

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !err; i++)
		err = bpf_map__set_max_entries(sizes[i].map, sizes[i].entries);
	/* There is room for all: none has to make room for others, which costs time. */
	if (!err)
		err = bpf_map__set_type(skel->maps.nio_sock_requests, BPF_MAP_TYPE_HASH);
	return err ? err : percpu__size(skel->maps.nio_seen, NIO_SIDE_NR);
}

static int configure(struct attach_probes *probes, const struct plan *const *plans, size_t plans_nr,
		     uint32_t sockets_max, uint32_t requests_max)
{
	const struct attach_filter nothing = {.cgroup = -1, .sockets_max = 1};
	struct attach_bpf__rodata *rodata = probes->skel->rodata;
	int err = attach_probes__configure(probes, &nothing);

	rodata->nio_declared = true;
	for (size_t p = 0; p < plans_nr; p++) {
		if (!plans[p])
			continue;
		rodata->nio_sees_calls |= plans[p]->chosen[PROBE_MESSAGE] != NULL;
		rodata->nio_by_push |= plan__wants(plans[p], "nio_ak_push");
		rodata->nio_completions |= plan__completions_by_kernel(plans[p]);
		rodata->nio_decrypts |=
			mode__has(plans[p]->mode, MODE_ENCRYPTS) && plans[p]->chosen[PROBE_RX_COPY];
	}
	return err ? err : size_maps(probes->skel, sockets_max, requests_max);
}

static int load(struct attach_probes *probes, const struct plan *const *plans, size_t plans_nr)
{
	int err = loader__load(&probes->loader, plans, plans_nr);

	if (!err)
		err = percpu__open(&probes->counts, probes->skel->maps.nio_event_counts, 1);
	return err ? err : percpu__open(&probes->seen, probes->skel->maps.nio_seen, NIO_SIDE_NR);
}

int declared_probes__open(struct attach_probes **out, const struct plan *const *plans,
			  size_t plans_nr, uint32_t sockets_max, uint32_t requests_max)
{
	struct attach_probes *probes = xcalloc(1, sizeof(*probes));
	int err = loader__open(&probes->loader, OBJECT_ATTACH);

	probes->skel = probes->loader.attach;
	if (!err)
		err = configure(probes, plans, plans_nr, sockets_max, requests_max);
	if (!err)
		err = load(probes, plans, plans_nr);
	/* Attaching waits for RCU grace periods; after a signal the first round ends the run. */
	for (size_t p = 0; p < plans_nr && !err && !loop__is_to_end(); p++)
		if (plans[p])
			err = declared_probes__attach(probes, plans[p]);
	if (err == -EINTR && loop__is_to_end())
		err = 0;
	if (!err)
		err = declared_probes__rest(probes);
	if (err)
		attach_probes__close(probes);
	else
		*out = probes;
	return err;
}

/* Only what reads the sockets. */
static struct plan iterator_of(const struct attach_probes *probes)
{
	struct plan plan = probes->plan;

	for (int probe = 0; probe < PROBE_NR; probe++)
		if (probe != PROBE_SOCKETS)
			plan.chosen[probe] = NULL;
	return plan;
}

int declared_probes__declare(struct attach_probes *probes, const uint64_t *cookies, size_t n,
			     uint32_t what)
{
	int fd = bpf_map__fd(probes->skel->maps.nio_cookies);

	for (size_t i = 0; i < n; i++)
		if (bpf_map_update_elem(fd, &cookies[i], &what, BPF_ANY))
			return -errno;
	return 0;
}

void declared_probes__undeclare(struct attach_probes *probes, const uint64_t *cookies, size_t n)
{
	struct attach_bpf__bss *bss = probes->skel->bss;
	int fd = bpf_map__fd(probes->skel->maps.nio_cookies);
	const struct plan iterator = iterator_of(probes);

	declared_probes__pause(probes, &iterator);
	for (size_t i = 0; i < n; i++)
		bpf_map_delete_elem(fd, &cookies[i]);
	memset(bss->nio_socket_known, 0, sizeof(bss->nio_socket_known));
	bss->nio_states_nr = 0;
}

/* Before Linux 6.1, and with process 0, over the files of all processes. */
static int iterate(const struct attach_probes *probes, pid_t process)
{
	struct loader_records none;
	int err = loader__iterate(&probes->loader, "nio_at_declared", process, &none);

	free(none.list);
	return err;
}

int declared_probes__sum(struct attach_probes *probes,
			 const struct declared_side sides[NIO_SIDE_NR], bool begins,
			 struct nio_sums sums[NIO_SIDE_NR])
{
	struct attach_bpf__bss *bss = probes->skel->bss;
	uint64_t full = bss->nio_attach_losses.sockets_full;
	bool all = true;
	int err = 0;

	memset(bss->nio_sums, 0, sizeof(bss->nio_sums));
	bss->nio_pass++;
	bss->nio_phase_begins = begins;
	for (int side = 0; side < NIO_SIDE_NR && !err; side++)
		if (sides[side].sockets)
			err = iterate(probes, sides[side].process);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		all &= bss->nio_sums[side].sockets == sides[side].sockets;
	/* A child of a wrapper of the load generator has them. */
	if (!err && !all)
		err = iterate(probes, 0);
	bss->nio_phase_begins = false;
	memcpy(sums, bss->nio_sums, sizeof(bss->nio_sums));
	if (!err && begins && full != bss->nio_attach_losses.sockets_full)
		return -ENOSPC;
	return err;
}

int declared_probes__attach(struct attach_probes *probes, const struct plan *plan)
{
	uint32_t window = probes->skel->bss->nio_window;
	int err;

	probes->plan = *plan;
	err = loader__attach(&probes->loader, plan);
	attach_probes__change_window(probes, window & 1 ? 2 : 1);
	return err;
}

static void end_window(struct attach_probes *probes)
{
	if (probes->skel->bss->nio_window & 1)
		attach_probes__change_window(probes, 1);
}

void declared_probes__pause(struct attach_probes *probes, const struct plan *base_plan)
{
	end_window(probes);
	loader__detach_others(&probes->loader, base_plan);
}

int declared_probes__rest(struct attach_probes *probes)
{
	const struct plan iterator = iterator_of(probes);

	end_window(probes);
	return loader__attach(&probes->loader, &iterator);
}

void declared_probes__seen(const struct attach_probes *probes, struct nio_seen seen[NIO_SIDE_NR])
{
	const struct percpu_rows *r = &probes->seen;

	for (uint32_t side = 0; side < NIO_SIDE_NR; side++)
		percpu__sum(r->at, r->cpus, r->rows, side, &seen[side], sizeof(seen[side]));
}

uint64_t declared_probes__events(const struct attach_probes *probes)
{
	static const enum nio_stage stages[] = {NIO_STAGE_TX_COPY, NIO_STAGE_TX_PIN,
						NIO_STAGE_TX_SPLICE, NIO_STAGE_RX_COPY};
	const struct percpu_rows *r = &probes->seen;
	uint64_t events = 0;

	for (uint32_t side = 0; side < NIO_SIDE_NR; side++)
		for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
			events += percpu__sum_one(
				r->at, r->cpus, r->rows, side, sizeof(struct nio_seen),
				offsetof(struct nio_seen, events.stages[stages[i]].events));
	return events;
}

int declared_probes__add_missed(const struct attach_probes *probes, struct snapshot *out)
{
	return loader__add_missed(&probes->loader, &probes->plan, out);
}
