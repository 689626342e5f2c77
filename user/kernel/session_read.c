/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the programs counted, as a plain snapshot; see session.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "link_info.h"
#include "skeleton.h"

/* Sums an element of a per-CPU map over all CPUs; its value is made of u64 only. */
static int sum_percpu(struct session *s, const struct bpf_map *map, const void *key, void *out,
		      size_t size)
{
	uint64_t *total = out;

	memset(out, 0, size);
	if (bpf_map_lookup_elem(bpf_map__fd(map), key, s->percpu))
		return -errno;
	for (int cpu = 0; cpu < s->cpus; cpu++) {
		const uint64_t *value = (const void *)((const char *)s->percpu + cpu * size);

		for (size_t w = 0; w < size / sizeof(*total); w++)
			total[w] += value[w];
	}
	return 0;
}

static int read_cells(struct session *s, uint32_t slot, struct snapshot *out)
{
	int err = 0;

	for (uint32_t side = 0; side < NIO_SIDE_NR; side++) {
		for (uint32_t stage = 0; stage < NIO_STAGE_NR && !err; stage++) {
			uint32_t i = nio_cell_index(slot, side, stage);

			err = sum_percpu(s, s->skel->maps.nio_cells, &i, &out->cells[side][stage],
					 sizeof(struct nio_cell));
		}
	}
	return err;
}

static int read_uncovered(struct session *s, uint32_t slot, struct snapshot *out)
{
	int err = 0;

	for (uint32_t side = 0; side < NIO_SIDE_NR; side++) {
		for (uint32_t kind = 0; kind < NIO_UNCOVERED_NR && !err; kind++) {
			uint32_t i = nio_uncovered_index(slot, side, kind);

			err = sum_percpu(s, s->skel->maps.nio_uncovered, &i,
					 &out->uncovered[side][kind], sizeof(struct nio_uncovered));
		}
	}
	return err;
}

static int read_perf(struct session *s, uint32_t slot, struct snapshot *out)
{
	int err = 0;

	out->no_perf = s->no_perf;
	for (uint32_t w = 0; w < NIO_PERF_WINDOW_NR && !err && !s->no_perf; w++) {
		uint32_t i = nio_perf_index(slot, w);

		err = sum_percpu(s, s->skel->maps.nio_perf_cells, &i, &out->perf[w],
				 sizeof(struct nio_perf_cell));
	}
	return err;
}

static int read_places(struct session *s, uint32_t slot, struct snapshot *out)
{
	const struct bpf_map *map = s->skel->maps.nio_places;
	struct nio_place place;
	const void *before = NULL;

	out->places_nr = 0;
	while (!bpf_map_get_next_key(bpf_map__fd(map), before, &place)) {
		struct place_sum *entry = &out->places[out->places_nr];

		before = &place;
		if (place.slot != slot || out->places_nr == NIO_PLACES_MAX)
			continue;
		entry->place = place;
		if (!sum_percpu(s, map, &place, &entry->sum, sizeof(entry->sum)))
			out->places_nr++;
	}
	return 0;
}

/* Asks the kernel's symbols who called skb_copy_bits on this stack. */
static void look_up_caller(struct session *s, int32_t stack, char name[KSYM_NAME_MAX])
{
	struct ksym frames[NIO_STACK_DEPTH] = {{0}};
	uint64_t addresses[NIO_STACK_DEPTH] = {0};
	uint32_t id = stack;

	name[0] = '\0';
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.nio_stacks), &id, addresses))
		return;
	for (size_t i = 0; i < NIO_STACK_DEPTH; i++)
		frames[i].address = addresses[i];
	if (ksym__resolve(frames, NIO_STACK_DEPTH))
		return;
	ksym__caller(frames, NIO_STACK_DEPTH, "skb_copy_bits", name);
	if (!name[0])
		ksym__caller(frames, NIO_STACK_DEPTH, "skb_copy_and_csum_bits", name);
}

static const char *caller_of(struct session *s, int32_t stack)
{
	struct caller *c;

	for (size_t i = 0; i < s->callers_nr; i++)
		if (s->callers[i].stack == stack)
			return s->callers[i].name;
	if (stack < 0 || s->callers_nr == NIO_OTHERS_MAX)
		return "";
	c = &s->callers[s->callers_nr++];
	c->stack = stack;
	look_up_caller(s, stack, c->name);
	return c->name;
}

static void name_other(struct session *s, struct other_sum *entry)
{
	const char *caller = "skb_try_coalesce";

	if (entry->other.kind == NIO_OTHER_COPY_BITS)
		caller = caller_of(s, entry->other.stack);
	snprintf(entry->caller, sizeof(entry->caller), "%s", caller[0] ? caller : "skb_copy_bits");
}

static int read_others(struct session *s, uint32_t slot, struct snapshot *out)
{
	const struct bpf_map *map = s->skel->maps.nio_others;
	struct nio_other other;
	const void *before = NULL;

	out->others_nr = 0;
	while (!bpf_map_get_next_key(bpf_map__fd(map), before, &other)) {
		struct other_sum *entry = &out->others[out->others_nr];

		before = &other;
		if (other.slot != slot || out->others_nr == NIO_OTHERS_MAX)
			continue;
		entry->other = other;
		if (sum_percpu(s, map, &other, &entry->sum, sizeof(entry->sum)))
			continue;
		name_other(s, entry);
		out->others_nr++;
	}
	return 0;
}

/* Hits of its kprobe that the kernel passed over before it came to the program; 0: it is none. */
static uint64_t passed_over(const struct session *s, size_t i, bool *untold)
{
	uint64_t missed = 0;

	*untold = s->links[i] && bpf_program__type(s->programs[i]) == BPF_PROG_TYPE_KPROBE &&
		  link_info__kprobe_missed(bpf_link__fd(s->links[i]), &missed);
	return *untold ? 0 : missed;
}

static void add_missed(const struct session *s, size_t i, uint64_t missed, bool untold,
		       struct snapshot *out)
{
	const char *name = bpf_program__name(s->programs[i]);

	out->missed += missed;
	out->missed_untold |= untold;
	for (int p = 0; p < PROBE_NR; p++) {
		if (!s->plan.chosen[p] || !session__has_program(s->plan.chosen[p], name))
			continue;
		out->missed_of[p] += missed;
		out->untold_of[p] |= untold;
	}
}

static int read_missed(const struct session *s, struct snapshot *out)
{
	out->missed = 0;
	out->missed_untold = false;
	memset(out->missed_of, 0, sizeof(out->missed_of));
	memset(out->untold_of, 0, sizeof(out->untold_of));
	for (size_t i = 0; i < s->programs_nr; i++) {
		struct bpf_prog_info info = {};
		uint32_t len = sizeof(info);
		uint64_t missed;
		bool untold;

		if (bpf_obj_get_info_by_fd(bpf_program__fd(s->programs[i]), &info, &len))
			return -errno;
		missed = passed_over(s, i, &untold);
		add_missed(s, i, missed + info.recursion_misses, untold, out);
	}
	return 0;
}

int session__read(struct session *s, unsigned int slot, struct snapshot *out)
{
	uint32_t i = slot, zero = 0;
	int err;

	err = read_cells(s, slot, out);
	if (!err)
		err = sum_percpu(s, s->skel->maps.nio_zc, &i, &out->zc, sizeof(out->zc));
	if (!err)
		err = sum_percpu(s, s->skel->maps.nio_paths, &i, &out->path, sizeof(out->path));
	if (!err)
		err = sum_percpu(s, s->skel->maps.nio_losses, &zero, &out->loss, sizeof(out->loss));
	if (!err)
		err = read_uncovered(s, slot, out);
	if (!err)
		err = read_perf(s, slot, out);
	if (!err)
		err = read_places(s, slot, out);
	if (!err)
		err = read_others(s, slot, out);
	return err ? err : read_missed(s, out);
}
