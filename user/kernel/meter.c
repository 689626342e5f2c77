/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs of the meter, their sockets and counters; see meter.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common/xalloc.h"
#include "kernel_addresses.h"
#include "loader.h"
#include "meter.skel.h"
#include "percpu.h"
#include "perf/event.h"
#include "meter.h"
#include "symbols.h"

#define CONNS_SIZE (NIO_CONN_SLOTS * sizeof(struct nio_conn))

enum meter_map {
	METER_CELLS,
	METER_ZC,
	METER_PATHS,
	METER_LOSSES,
	METER_PERF,
	METER_MAPS_NR,
};

struct meter {
	struct loader loader;
	struct plan plan;       /* whose programs are attached */
	struct nio_conn *conns; /* nio_conns, mapped */
	uint32_t ring;          /* first free entry of nio_zc_sends */
	struct percpu_rows maps[METER_MAPS_NR];
	bool has_read_symbols;
	struct symbols *symbols; /* NULL: not known */
	struct perf_stage *perf;
	const char *no_perf[NIO_PERF_EVENT_NR]; /* why there is none; NULL: there is */
};

/* rows: on one CPU. */
static const struct statistics {
	const char *map;
	uint32_t rows;
	size_t size; /* of a row */
} statistics[METER_MAPS_NR] = {
	[METER_CELLS] = {"nio_cells", NIO_STAGE_NR, sizeof(struct nio_cell)},
	[METER_ZC] = {"nio_zc", 1, sizeof(struct nio_zc)},
	[METER_PATHS] = {"nio_paths", 1, sizeof(struct nio_path)},
	[METER_LOSSES] = {"nio_losses", 1, sizeof(struct nio_loss)},
	[METER_PERF] = {"nio_perf_cells", NIO_PERF_WINDOW_NR, sizeof(struct nio_perf_cell)},
};

static struct bpf_map *map_of(const struct meter *m, enum meter_map which)
{
	return bpf_object__find_map_by_name(m->loader.object, statistics[which].map);
}

static int size_maps(struct meter *m)
{
	int err = 0;

	for (int i = 0; i < METER_MAPS_NR && !err; i++)
		err = percpu__size(map_of(m, i), statistics[i].rows);
	return err;
}

static int configure(struct meter_bpf *skel, const struct num *optmem_max)
{
	struct kernel_addresses at;

	kernel_addresses__find(&at);
	skel->rodata->nio_tcp_sendmsg = at.tcp_sendmsg;
	skel->rodata->nio_tcp_recvmsg = at.tcp_recvmsg;
	skel->rodata->nio_zerocopy_end = at.zerocopy_end;
	skel->rodata->nio_pcpu_hot = at.pcpu_hot;
	skel->rodata->nio_per_cpu_offset = at.per_cpu_offset;
	if (optmem_max->known && optmem_max->value <= UINT32_MAX)
		skel->rodata->nio_optmem_max = optmem_max->value;
	return bpf_map__set_max_entries(skel->maps.nio_zc_sends, NIO_ZC_SENDS);
}

static bool times_calls(const struct plan *const *plans, size_t plans_nr)
{
	for (size_t p = 0; p < plans_nr; p++)
		if (plans[p] && plans[p]->chosen[PROBE_CALL_TIME])
			return true;
	return false;
}

static const char no_ends[] = "no program at both ends of the stages: see plan, call_time";

/* Counters inside the stages are read by the programs that take their times. */
static int plan_perf(struct meter *m, const struct plan *const *plans, size_t plans_nr,
		     const char *const no_perf[NIO_PERF_EVENT_NR])
{
	memcpy(m->no_perf, no_perf, sizeof(m->no_perf));
	if (!m->no_perf[NIO_PERF_CYCLES] && !times_calls(plans, plans_nr))
		m->no_perf[NIO_PERF_CYCLES] = no_ends;
	if (m->no_perf[NIO_PERF_CYCLES])
		return 0;
	m->loader.meter->rodata->nio_perf_every = PERF_STAGE_EVERY;
	return bpf_map__set_max_entries(m->loader.meter->maps.nio_rx_perf, 4096);
}

static void open_perf(struct meter *m)
{
	const int fds[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = bpf_map__fd(m->loader.meter->maps.nio_perf_cycles),
		[NIO_PERF_LLC_MISSES] = m->no_perf[NIO_PERF_LLC_MISSES]
						? -1
						: bpf_map__fd(m->loader.meter->maps.nio_perf_llc),
	};

	if (m->no_perf[NIO_PERF_CYCLES])
		return;
	if (perf_stage__open(&m->perf, NULL, fds))
		m->no_perf[NIO_PERF_CYCLES] =
			"the CPUs' counters could not be opened for the programs";
}

static int map_conns(struct meter *m)
{
	void *conns = mmap(NULL, CONNS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			   bpf_map__fd(m->loader.meter->maps.nio_conns), 0);

	if (conns == MAP_FAILED)
		return -errno;
	m->conns = conns;
	return 0;
}

static int map_statistics(struct meter *m)
{
	int err = 0;

	for (int i = 0; i < METER_MAPS_NR && !err; i++)
		err = percpu__open(&m->maps[i], map_of(m, i), statistics[i].rows);
	return err;
}

/* 0 or -errno; the caller closes. */
static int open_meter(struct meter *m, const struct plan *const *plans, size_t plans_nr,
		      const struct num *optmem_max, const char *const no_perf[NIO_PERF_EVENT_NR])
{
	int err = loader__open(&m->loader, OBJECT_RUN);

	if (!err)
		err = size_maps(m);
	if (!err)
		err = configure(m->loader.meter, optmem_max);
	if (!err)
		err = plan_perf(m, plans, plans_nr, no_perf);
	if (!err)
		err = loader__load(&m->loader, plans, plans_nr);
	if (!err)
		err = map_conns(m);
	if (!err)
		err = map_statistics(m);
	if (!err)
		open_perf(m);
	return err;
}

/* Does any plan have a program of the meter? */
static bool is_wanted(const struct plan *const *plans, size_t plans_nr)
{
	for (size_t p = 0; p < plans_nr; p++)
		for (int probe = 0; plans[p] && probe < PROBE_NR; probe++)
			if (plans[p]->chosen[probe] &&
			    plans[p]->chosen[probe]->object == OBJECT_RUN)
				return true;
	return false;
}

int meter__open(struct meter **out, const struct plan *const *plans, size_t plans_nr,
		const struct num *optmem_max, const char *const no_perf[NIO_PERF_EVENT_NR])
{
	struct meter *m;
	int err;

	*out = NULL;
	if (!is_wanted(plans, plans_nr))
		return 0;
	m = xcalloc(1, sizeof(*m));
	err = open_meter(m, plans, plans_nr, optmem_max, no_perf);
	if (err)
		meter__close(m);
	else
		*out = m;
	return err;
}

void meter__close(struct meter *m)
{
	if (!m)
		return;
	perf_stage__close(m->perf);
	if (m->conns)
		munmap(m->conns, CONNS_SIZE);
	for (int i = 0; i < METER_MAPS_NR; i++)
		percpu__close(&m->maps[i]);
	loader__close(&m->loader);
	symbols__free(m->symbols);
	free(m);
}

int meter__attach(struct meter *m, const struct plan *plan)
{
	if (!m)
		return 0;
	m->plan = *plan;
	return loader__attach(&m->loader, plan);
}

/* The entry of nio_conns whose cookie is `cookie_there` (0: a free one), or NULL. */
static struct nio_conn *find_conn(struct meter *m, uint64_t cookie, uint64_t cookie_there)
{
	for (uint32_t i = 0; i < NIO_CONN_PROBES; i++) {
		struct nio_conn *conn = &m->conns[nio_conn_index(cookie, i)];

		if (conn->cookie == cookie_there)
			return conn;
	}
	return NULL;
}

/* Programs find an entry by its cookie, so the cookie is the last that is written. */
static int watch_one(struct meter *m, const struct nio_conn *conn)
{
	struct nio_conn *entry = find_conn(m, conn->cookie, 0);

	if (!entry)
		return -ENOSPC;
	memcpy((char *)entry + sizeof(entry->cookie), (const char *)conn + sizeof(conn->cookie),
	       sizeof(*conn) - sizeof(conn->cookie));
	__atomic_store_n(&entry->cookie, conn->cookie, __ATOMIC_RELEASE);
	return 0;
}

int meter__watch(struct meter *m, const uint64_t *cookies, size_t n, enum nio_side side)
{
	uint32_t size = m && side == NIO_SIDE_SENDER ? nio_ring_size(NIO_ZC_SENDS - m->ring, n) : 0;
	int err = 0;

	for (size_t i = 0; m && i < n && !err; i++) {
		struct nio_conn conn = {
			.cookie = cookies[i],
			.side = side,
			.ring = size ? m->ring : 0,
			.ring_mask = size ? size - 1 : 0,
		};

		err = watch_one(m, &conn);
		m->ring += size;
	}
	return err;
}

/* Empties a map: entries of threads that ended with their sockets would fill it. */
static void empty_map(const struct bpf_map *map)
{
	char key[16]; /* of any of these maps */
	int fd = bpf_map__fd(map);

	while (!bpf_map_get_next_key(fd, NULL, key))
		if (bpf_map_delete_elem(fd, key))
			return;
}

void meter__unwatch(struct meter *m, const uint64_t *cookies, size_t n)
{
	if (!m)
		return;
	for (size_t i = 0; i < n; i++) {
		struct nio_conn *conn = find_conn(m, cookies[i], cookies[i]);

		if (conn)
			__atomic_store_n(&conn->cookie, 0, __ATOMIC_RELEASE);
	}
	m->ring = 0;
	empty_map(m->loader.meter->maps.nio_calls);
	empty_map(m->loader.meter->maps.nio_copies);
	empty_map(m->loader.meter->maps.nio_rx_perf);
}

/* The sum over all CPUs of a row, from mapped memory: no system call, so at any time. */
static void read_row(const struct meter *m, enum meter_map which, uint32_t row, void *out)
{
	const struct percpu_rows *r = &m->maps[which];

	percpu__sum(r->at, r->cpus, r->rows, row, out, statistics[which].size);
}

static void read_statistics(const struct meter *m, struct snapshot *out)
{
	for (uint32_t s = 0; s < NIO_STAGE_NR; s++)
		read_row(m, METER_CELLS, s, &out->cells[stage__side(s)][s]);
	read_row(m, METER_ZC, 0, &out->zc);
	read_row(m, METER_PATHS, 0, &out->path);
	read_row(m, METER_LOSSES, 0, &out->loss);
	for (uint32_t w = 0; !m->no_perf[NIO_PERF_CYCLES] && w < NIO_PERF_WINDOW_NR; w++)
		read_row(m, METER_PERF, w, &out->perf[w]);
}

/*
 * This and read_others() read maps by system calls, which stop kprobe programs on this CPU
 * (bpf_prog_active), uncounted before Linux 6.7: only while nothing moves.
 */
static void read_places(const struct meter *m, struct snapshot *out)
{
	int map = bpf_map__fd(m->loader.meter->maps.nio_places);
	struct nio_place place;
	const void *before = NULL;

	out->places_nr = 0;
	for (; !bpf_map_get_next_key(map, before, &place); before = &place) {
		struct place_sum *entry = &out->places[out->places_nr];

		if (out->places_nr == NIO_PLACES_MAX)
			return;
		entry->place = place;
		if (!percpu__lookup(map, &place, &entry->sum, sizeof(entry->sum)))
			out->places_nr++;
	}
}

/* The function that called skb_copy_bits on this stack; NULL: not known. */
static const char *caller_of(struct meter *m, int32_t stack)
{
	int map = bpf_map__fd(m->loader.meter->maps.nio_stacks);
	uint64_t addresses[NIO_STACK_DEPTH] = {0};
	const char *names[NIO_STACK_DEPTH];

	/* While capabilities are lowered, the file has no addresses: callers are read before or
	 * after. */
	if (!m->has_read_symbols)
		symbols__load(&m->symbols);
	m->has_read_symbols = true;
	if (stack < 0 || !m->symbols || bpf_map_lookup_elem(map, &stack, addresses))
		return NULL;
	symbols__stack(m->symbols, (const __u64 *)addresses, NIO_STACK_DEPTH, names);
	for (size_t i = 0; i + 1 < NIO_STACK_DEPTH && addresses[i + 1]; i++)
		if (!strcmp(names[i], "skb_copy_bits") ||
		    !strcmp(names[i], "skb_copy_and_csum_bits"))
			return names[i + 1];
	return NULL;
}

static void read_others(struct meter *m, struct snapshot *out)
{
	int map = bpf_map__fd(m->loader.meter->maps.nio_others);
	struct nio_other other;
	const void *before = NULL;

	out->others_nr = 0;
	for (; !bpf_map_get_next_key(map, before, &other); before = &other) {
		struct other_sum *entry = &out->others[out->others_nr];
		const char *caller = "skb_try_coalesce";

		if (out->others_nr == NIO_OTHERS_MAX ||
		    percpu__lookup(map, &other, &entry->sum, sizeof(entry->sum)))
			continue;
		entry->other = other;
		if (other.kind == NIO_OTHER_COPY_BITS)
			caller = caller_of(m, other.stack);
		snprintf(entry->caller, sizeof(entry->caller), "%s",
			 caller ? caller : "skb_copy_bits");
		out->others_nr++;
	}
}

int meter__read(struct meter *m, struct snapshot *out, bool still)
{
	if (!m) {
		out->no_perf[NIO_PERF_CYCLES] = no_ends;
		return 0;
	}
	memcpy(out->no_perf, m->no_perf, sizeof(out->no_perf));
	read_statistics(m, out);
	if (still) {
		read_places(m, out);
		read_others(m, out);
	}
	return loader__add_missed(&m->loader, &m->plan, out);
}
