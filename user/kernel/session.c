/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs of a run, their sockets and counters; see session.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/read_file.h"
#include "btf_lookup.h"
#include "common/xalloc.h"
#include "kernel_addresses.h"
#include "loader.h"
#include "netiotrace.skel.h"
#include "percpu.h"
#include "perf/event.h"
#include "session.h"
#include "symbols.h"

#define CONNS_SIZE (NIO_CONN_SLOTS * sizeof(struct nio_conn))

enum session_map {
	SESSION_CELLS,
	SESSION_ZC,
	SESSION_PATHS,
	SESSION_UNCOVERED,
	SESSION_LOSSES,
	SESSION_PERF,
	SESSION_MAPS_NR,
};

/* Statistics by CPU, mapped: percpu.h. */
struct mapped {
	const void *at;
	size_t len;
	uint32_t rows; /* of one CPU */
};

struct session {
	struct loader loader;
	struct plan plan;       /* whose programs are attached */
	struct nio_conn *conns; /* nio_conns, mapped */
	uint32_t ring;          /* first free entry of nio_zc_sends */
	size_t senders;         /* watched sockets with a ring */
	struct mapped maps[SESSION_MAPS_NR];
	unsigned int cpus; /* that rows are for */
	bool has_read_symbols;
	struct symbols *symbols; /* NULL: not known */
	struct perf_stage *perf;
	const char *no_perf[NIO_PERF_EVENT_NR]; /* why there is none; NULL: there is */
};

/* rows: of each ledger, on one CPU; 0: one row for all ledgers. member: the rows in a snapshot. */
#define STATISTICS(map, rows, type, member)                                \
	{                                                                  \
		map, rows, sizeof(type), offsetof(struct snapshot, member) \
	}

static const struct statistics {
	const char *map;
	uint32_t rows;
	size_t size; /* of a row */
	size_t offset;
} statistics[SESSION_MAPS_NR] = {
	[SESSION_CELLS] =
		STATISTICS("nio_cells", NIO_SIDE_NR *NIO_STAGE_NR, struct nio_cell, cells),
	[SESSION_ZC] = STATISTICS("nio_zc", 1, struct nio_zc, zc),
	[SESSION_PATHS] = STATISTICS("nio_paths", 1, struct nio_path, path),
	[SESSION_UNCOVERED] = STATISTICS("nio_uncovered", NIO_SIDE_NR *NIO_UNCOVERED_NR,
					 struct nio_uncovered, uncovered),
	[SESSION_LOSSES] = STATISTICS("nio_losses", 0, struct nio_loss, loss),
	[SESSION_PERF] =
		STATISTICS("nio_perf_cells", NIO_PERF_WINDOW_NR, struct nio_perf_cell, perf),
};

static struct bpf_map *map_of(const struct session *s, enum session_map which)
{
	return bpf_object__find_map_by_name(s->loader.object, statistics[which].map);
}

/* Rows of one CPU with that many ledgers. */
static uint32_t rows_of(enum session_map which, unsigned int slots)
{
	return statistics[which].rows ? slots * statistics[which].rows : 1;
}

static int size_maps(struct session *s, unsigned int slots)
{
	char text[1024];
	int err = read_file__line("/sys/devices/system/cpu/possible", text, sizeof(text));
	int cpus = err ? err : percpu__rows(text);

	err = cpus < 0 ? cpus : 0;
	s->loader.run->rodata->nio_slots = slots;
	for (int m = 0; m < SESSION_MAPS_NR && !err; m++)
		err = bpf_map__set_max_entries(map_of(s, m), (uint32_t)cpus * rows_of(m, slots));
	return err;
}

/* pcpu_hot is needed only if the kernel has no per-CPU variable __preempt_count. */
static void set_addresses(struct netiotrace_bpf__rodata *rodata, const struct btf_lookup *btf)
{
	struct kernel_addresses at;

	kernel_addresses__find(&at);
	rodata->nio_tcp_sendmsg = at.tcp_sendmsg;
	rodata->nio_tcp_recvmsg = at.tcp_recvmsg;
	rodata->nio_zerocopy_end = at.zerocopy_end;
	if (btf_lookup__variable(btf, "__preempt_count") || !at.per_cpu_offset)
		return;
	rodata->nio_pcpu_hot = at.pcpu_hot;
	rodata->nio_per_cpu_offset = at.per_cpu_offset;
}

static int configure(struct netiotrace_bpf *skel, const struct plan *const *plans, size_t plans_nr,
		     const struct num *optmem_max)
{
	const struct btf_lookup *btf = btf_lookup__kernel();

	skel->rodata->nio_splice_pages =
		btf && !btf_lookup__function(btf, "skb_splice_from_iter", 0);
	set_addresses(skel->rodata, btf);
	if (optmem_max->known && optmem_max->value <= UINT32_MAX)
		skel->rodata->nio_optmem_max = optmem_max->value;
	for (size_t p = 0; p < plans_nr; p++) {
		if (!plans[p])
			continue;
		skel->rodata->nio_completions |= plan__completions_by_kernel(plans[p]);
		skel->rodata->nio_notifications_apart |= plan__notifications_apart(plans[p]);
		if (mode__has(plans[p]->mode, MODE_NOTIFIES) &&
		    bpf_map__set_max_entries(skel->maps.nio_requests, NIO_REQUESTS_MAX))
			return -errno;
	}
	return bpf_map__set_max_entries(skel->maps.nio_zc_sends, NIO_ZC_SENDS);
}

static bool times_calls(const struct plan *const *plans, size_t plans_nr)
{
	for (size_t p = 0; p < plans_nr; p++)
		if (plans[p] && plans[p]->chosen[PROBE_CALL_TIME])
			return true;
	return false;
}

/* Counters inside the stages are read by the programs that take their times. */
static int plan_perf(struct session *s, const struct plan *const *plans, size_t plans_nr,
		     const char *const no_perf[NIO_PERF_EVENT_NR])
{
	memcpy(s->no_perf, no_perf, sizeof(s->no_perf));
	if (!s->no_perf[NIO_PERF_CYCLES] && !times_calls(plans, plans_nr))
		s->no_perf[NIO_PERF_CYCLES] =
			"no program at both ends of the stages: see plan, call_time";
	if (s->no_perf[NIO_PERF_CYCLES])
		return 0;
	s->loader.run->rodata->nio_perf_every = PERF_STAGE_EVERY;
	return bpf_map__set_max_entries(s->loader.run->maps.nio_rx_perf, 4096);
}

static void open_perf(struct session *s)
{
	const int fds[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = bpf_map__fd(s->loader.run->maps.nio_perf_cycles),
		[NIO_PERF_LLC_MISSES] = s->no_perf[NIO_PERF_LLC_MISSES]
						? -1
						: bpf_map__fd(s->loader.run->maps.nio_perf_llc),
	};

	if (s->no_perf[NIO_PERF_CYCLES])
		return;
	if (perf_stage__open(&s->perf, NULL, fds))
		s->no_perf[NIO_PERF_CYCLES] =
			"the CPUs' counters could not be opened for the programs";
}

static int map_conns(struct session *s)
{
	void *conns = mmap(NULL, CONNS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			   bpf_map__fd(s->loader.run->maps.nio_conns), 0);

	if (conns == MAP_FAILED)
		return -errno;
	s->conns = conns;
	return 0;
}

static int map_statistics(struct session *s, unsigned int slots)
{
	for (int m = 0; m < SESSION_MAPS_NR; m++) {
		const struct bpf_map *map = map_of(s, m);
		size_t len = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
		void *at = mmap(NULL, len, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

		if (at == MAP_FAILED)
			return -errno;
		s->maps[m] = (struct mapped){.at = at, .len = len, .rows = rows_of(m, slots)};
		s->cpus = bpf_map__max_entries(map) / s->maps[m].rows;
	}
	return 0;
}

/* 0 or -errno; the caller closes. */
static int open_session(struct session *s, const struct plan *const *plans, size_t plans_nr,
			unsigned int slots, const struct num *optmem_max,
			const char *const no_perf[NIO_PERF_EVENT_NR])
{
	int err = loader__open(&s->loader, OBJECT_RUN);

	if (!err)
		err = size_maps(s, slots);
	if (!err)
		err = configure(s->loader.run, plans, plans_nr, optmem_max);
	if (!err)
		err = plan_perf(s, plans, plans_nr, no_perf);
	if (!err)
		err = loader__load(&s->loader, plans, plans_nr);
	if (!err)
		err = map_conns(s);
	if (!err)
		err = map_statistics(s, slots);
	if (!err)
		open_perf(s);
	return err;
}

int session__open(struct session **out, const struct plan *const *plans, size_t plans_nr,
		  unsigned int slots, const struct num *optmem_max,
		  const char *const no_perf[NIO_PERF_EVENT_NR])
{
	struct session *s;
	int err;

	if (!slots || slots > NIO_SLOT_MAX)
		return -EINVAL;
	s = xcalloc(1, sizeof(*s));
	err = open_session(s, plans, plans_nr, slots, optmem_max, no_perf);
	if (err)
		session__close(s);
	else
		*out = s;
	return err;
}

void session__close(struct session *s)
{
	if (!s)
		return;
	perf_stage__close(s->perf);
	if (s->conns)
		munmap(s->conns, CONNS_SIZE);
	for (int m = 0; m < SESSION_MAPS_NR; m++)
		if (s->maps[m].at)
			munmap((void *)s->maps[m].at, s->maps[m].len);
	loader__close(&s->loader);
	symbols__free(s->symbols);
	free(s);
}

int session__attach(struct session *s, const struct plan *plan)
{
	s->plan = *plan;
	s->loader.run->bss->nio_resting = false;
	return loader__attach(&s->loader, plan);
}

void session__detach_events(struct session *s, const struct plan *base_plan)
{
	s->loader.run->bss->nio_resting = true;
	loader__detach_others(&s->loader, base_plan);
}

/* The entry of nio_conns whose cookie is `cookie_there` (0: a free one), or NULL. */
static struct nio_conn *find_conn(struct session *s, uint64_t cookie, uint64_t cookie_there)
{
	for (uint32_t i = 0; i < NIO_CONN_PROBES; i++) {
		struct nio_conn *conn = &s->conns[nio_conn_index(cookie, i)];

		if (conn->cookie == cookie_there)
			return conn;
	}
	return NULL;
}

/* Programs find an entry by its cookie, so the cookie is the last that is written. */
static int watch_one(struct session *s, const struct nio_conn *conn)
{
	struct nio_conn *entry = find_conn(s, conn->cookie, 0);

	if (!entry)
		return -ENOSPC;
	memcpy((char *)entry + sizeof(entry->cookie), (const char *)conn + sizeof(conn->cookie),
	       sizeof(*conn) - sizeof(conn->cookie));
	__atomic_store_n(&entry->cookie, conn->cookie, __ATOMIC_RELEASE);
	return 0;
}

int session__watch(struct session *s, const uint64_t *cookies, size_t n, unsigned int slot,
		   enum nio_side side)
{
	uint32_t size = side == NIO_SIDE_SENDER ? nio_ring_size(NIO_ZC_SENDS - s->ring, n) : 0;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct nio_conn conn = {
			.cookie = cookies[i],
			.slot = slot,
			.side = side,
			.ring = size ? s->ring : 0,
			.ring_mask = size ? size - 1 : 0,
		};

		err = watch_one(s, &conn);
		s->ring += size;
		s->senders += size != 0;
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

void session__unwatch(struct session *s, const uint64_t *cookies, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct nio_conn *conn = find_conn(s, cookies[i], cookies[i]);

		if (!conn)
			continue;
		s->senders -= conn->ring_mask != 0;
		__atomic_store_n(&conn->cookie, 0, __ATOMIC_RELEASE);
	}
	if (!s->senders)
		s->ring = 0;
	empty_map(s->loader.run->maps.nio_calls);
	empty_map(s->loader.run->maps.nio_copies);
	empty_map(s->loader.run->maps.nio_rx_perf);
}

void session__forget_streams(struct session *s, const uint64_t *cookies, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct nio_conn *conn = find_conn(s, cookies[i], cookies[i]);

		if (!conn)
			continue;
		conn->seen = NIO_SEEN_AWAY;
		conn->rx_begin = 0;
	}
}

int session__each_socket(struct session *s, pid_t process,
			 void (*handle)(void *arg, const struct nio_socket *socket), void *arg)
{
	struct loader_records r;
	int err = loader__iterate(&s->loader, "nio_sockets", process, &r);
	const struct nio_socket *sockets = (const void *)r.list;

	for (size_t i = 0; i < r.bytes / sizeof(*sockets); i++)
		handle(arg, &sockets[i]);
	free(r.list);
	return err;
}

/* The sums over all CPUs, from mapped memory: no system call, so at any time. */
static void read_statistics(const struct session *s, enum session_map which, uint32_t slot,
			    struct snapshot *out)
{
	const struct statistics *t = &statistics[which];
	const struct mapped *m = &s->maps[which];

	for (uint32_t i = 0; i < (t->rows ? t->rows : 1); i++)
		percpu__sum(m->at, s->cpus, m->rows, slot * t->rows + i,
			    (char *)out + t->offset + i * t->size, t->size);
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

/*
 * This and read_others() read maps by system calls, which stop kprobe programs on this CPU
 * (bpf_prog_active), uncounted before Linux 6.7: only while nothing moves.
 */
static void read_places(const struct session *s, uint32_t slot, struct snapshot *out)
{
	int map = bpf_map__fd(s->loader.run->maps.nio_places);
	struct nio_place place;
	const void *before = NULL;

	out->places_nr = 0;
	for (; !bpf_map_get_next_key(map, before, &place); before = &place) {
		struct place_sum *entry = &out->places[out->places_nr];

		if (place.slot != slot || out->places_nr == NIO_PLACES_MAX)
			continue;
		entry->place = place;
		if (!percpu__lookup(map, &place, &entry->sum, sizeof(entry->sum)))
			out->places_nr++;
	}
}

/* The function that called skb_copy_bits on this stack; NULL: not known. */
static const char *caller_of(struct session *s, int32_t stack)
{
	int map = bpf_map__fd(s->loader.run->maps.nio_stacks);
	uint64_t addresses[NIO_STACK_DEPTH] = {0};
	const char *names[NIO_STACK_DEPTH];

	if (!s->has_read_symbols)
		symbols__load(&s->symbols);
	s->has_read_symbols = true;
	if (stack < 0 || !s->symbols || bpf_map_lookup_elem(map, &stack, addresses))
		return NULL;
	symbols__stack(s->symbols, (const __u64 *)addresses, NIO_STACK_DEPTH, names);
	for (size_t i = 0; i + 1 < NIO_STACK_DEPTH && addresses[i + 1]; i++)
		if (!strcmp(names[i], "skb_copy_bits") ||
		    !strcmp(names[i], "skb_copy_and_csum_bits"))
			return names[i + 1];
	return NULL;
}

static void read_others(struct session *s, uint32_t slot, struct snapshot *out)
{
	int map = bpf_map__fd(s->loader.run->maps.nio_others);
	struct nio_other other;
	const void *before = NULL;

	out->others_nr = 0;
	for (; !bpf_map_get_next_key(map, before, &other); before = &other) {
		struct other_sum *entry = &out->others[out->others_nr];
		const char *caller = "skb_try_coalesce";

		if (other.slot != slot || out->others_nr == NIO_OTHERS_MAX ||
		    percpu__lookup(map, &other, &entry->sum, sizeof(entry->sum)))
			continue;
		entry->other = other;
		if (other.kind == NIO_OTHER_COPY_BITS)
			caller = caller_of(s, other.stack);
		snprintf(entry->caller, sizeof(entry->caller), "%s",
			 caller ? caller : "skb_copy_bits");
		out->others_nr++;
	}
}

static void add_missed(const struct session *s, const char *program, uint64_t missed,
		       bool uncounted, struct snapshot *out)
{
	out->missed += missed;
	out->missed_unknown |= uncounted;
	for (int p = 0; p < PROBE_NR; p++) {
		if (!s->plan.chosen[p] || !alternative__has_program(s->plan.chosen[p], program))
			continue;
		out->missed_of[p] += missed;
		out->unknown_of[p] |= uncounted;
	}
}

static int read_missed(const struct session *s, struct snapshot *out)
{
	out->missed = 0;
	out->missed_unknown = false;
	memset(out->missed_of, 0, sizeof(out->missed_of));
	memset(out->unknown_of, 0, sizeof(out->unknown_of));
	for (size_t i = 0; i < s->loader.programs_nr; i++) {
		uint64_t missed;
		bool uncounted;
		int err = loader__missed(&s->loader, i, &missed, &uncounted);

		if (err)
			return err;
		add_missed(s, s->loader.programs[i].name, missed, uncounted, out);
	}
	return 0;
}

int session__read(struct session *s, unsigned int slot, struct snapshot *out, bool still)
{
	memcpy(out->no_perf, s->no_perf, sizeof(out->no_perf));
	for (int m = 0; m < SESSION_MAPS_NR; m++)
		if (m != SESSION_PERF || !s->no_perf[NIO_PERF_CYCLES])
			read_statistics(s, m, slot, out);
	if (still) {
		read_places(s, slot, out);
		read_others(s, slot, out);
	}
	return read_missed(s, out);
}
