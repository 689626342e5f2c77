/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the programs counted, as a plain snapshot; see session.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "link_info.h"
#include "percpu.h"
#include "skeleton.h"

/* The sum over all CPUs of a row, from mapped memory: no system call, so at any time. */
static void sum_rows(const struct session *s, enum session_map which, uint32_t i, void *out,
		     size_t size)
{
	const struct mapped *m = &s->maps[which];

	percpu__sum(m->at, s->cpus, m->rows, i, out, size);
}

static void read_cells(const struct session *s, uint32_t slot, struct snapshot *out)
{
	for (uint32_t side = 0; side < NIO_SIDE_NR; side++)
		for (uint32_t stage = 0; stage < NIO_STAGE_NR; stage++)
			sum_rows(s, SESSION_CELLS, nio_cell_index(slot, side, stage),
				 &out->cells[side][stage], sizeof(struct nio_cell));
}

uint64_t session__events(const struct session *s, unsigned int slot)
{
	static const uint32_t of[][2] = {{NIO_SIDE_SENDER, NIO_STAGE_TX_COPY},
					 {NIO_SIDE_SENDER, NIO_STAGE_TX_PIN},
					 {NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY}};
	const struct mapped *m = &s->maps[SESSION_CELLS];
	uint64_t events = 0;

	/* Without the histograms: this is asked beside a transfer, and they are of each CPU. */
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		events += percpu__sum_one(
			m->at, s->cpus, m->rows, nio_cell_index(slot, of[i][0], of[i][1]),
			sizeof(struct nio_cell), offsetof(struct nio_cell, events));
	return events;
}

static void read_uncovered(const struct session *s, uint32_t slot, struct snapshot *out)
{
	for (uint32_t side = 0; side < NIO_SIDE_NR; side++)
		for (uint32_t kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			sum_rows(s, SESSION_UNCOVERED, nio_uncovered_index(slot, side, kind),
				 &out->uncovered[side][kind], sizeof(struct nio_uncovered));
}

static void read_perf(const struct session *s, uint32_t slot, struct snapshot *out)
{
	memcpy(out->no_perf, s->no_perf, sizeof(out->no_perf));
	for (uint32_t w = 0; w < NIO_PERF_WINDOW_NR && !s->no_perf[NIO_PERF_CYCLES]; w++)
		sum_rows(s, SESSION_PERF, nio_perf_index(slot, w), &out->perf[w],
			 sizeof(struct nio_perf_cell));
}

/*
 * Sums an element of a per-CPU hash map. A map that is read by system call stops kprobe programs on
 * this CPU meanwhile (bpf_prog_active), uncounted before Linux 6.7: only while nothing moves.
 */
static int sum_percpu(struct session *s, const struct bpf_map *map, const void *key,
		      struct nio_sum *out)
{
	*out = (struct nio_sum){0};
	if (bpf_map_lookup_elem(bpf_map__fd(map), key, s->percpu))
		return -errno;
	percpu__sum(s->percpu, s->possible, 1, 0, out, sizeof(*out));
	return 0;
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
		if (!sum_percpu(s, map, &place, &entry->sum))
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
		if (sum_percpu(s, map, &other, &entry->sum))
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

	*untold = s->untold[i] ||
		  (s->links[i] && bpf_program__type(s->programs[i]) == BPF_PROG_TYPE_KPROBE &&
		   link_info__kprobe_missed(bpf_link__fd(s->links[i]), &missed));
	return *untold ? 0 : s->passed_over[i] + missed;
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

int session__read(struct session *s, unsigned int slot, struct snapshot *out, bool still)
{
	int err = 0;

	read_cells(s, slot, out);
	sum_rows(s, SESSION_ZC, slot, &out->zc, sizeof(out->zc));
	sum_rows(s, SESSION_PATHS, slot, &out->path, sizeof(out->path));
	sum_rows(s, SESSION_LOSSES, 0, &out->loss, sizeof(out->loss));
	read_uncovered(s, slot, out);
	read_perf(s, slot, out);
	if (still)
		err = read_places(s, slot, out);
	if (still && !err)
		err = read_others(s, slot, out);
	return err ? err : read_missed(s, out);
}
