/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and attaching the BPF programs, and the sockets they watch; see session.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "base/procfile.h"
#include "kernel_addresses.h"
#include "libbpf_output.h"
#include "percpu.h"
#include "presence.h"
#include "skeleton.h"

#define CONNS_SIZE (NIO_CONN_SLOTS * sizeof(struct nio_conn))

bool session__has_program(const struct alternative *alt, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = alt->programs; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (!strncmp(p, name, len) && (p[len] == ' ' || !p[len]))
			return true;
	}
	return false;
}

struct bpf_map *session__map(const struct netiotrace_bpf *skel, enum session_map which)
{
	switch (which) {
	case SESSION_CELLS:
		return skel->maps.nio_cells;
	case SESSION_ZC:
		return skel->maps.nio_zc;
	case SESSION_PATHS:
		return skel->maps.nio_paths;
	case SESSION_UNCOVERED:
		return skel->maps.nio_uncovered;
	case SESSION_LOSSES:
		return skel->maps.nio_losses;
	default:
		return skel->maps.nio_perf_cells;
	}
}

/* Rows of one CPU, with so many ledgers. */
static uint32_t rows_of(enum session_map which, unsigned int slots)
{
	switch (which) {
	case SESSION_CELLS:
		return nio_cell_index(slots, 0, 0);
	case SESSION_UNCOVERED:
		return nio_uncovered_index(slots, 0, 0);
	case SESSION_PERF:
		return nio_perf_index(slots, 0);
	case SESSION_LOSSES:
		return 1;
	default:
		return slots;
	}
}

static int rows_by_cpu(void)
{
	char text[1024];
	int err = procfile__line("/sys/devices/system/cpu/possible", text, sizeof(text));

	return err ? err : percpu__rows(text);
}

static int size_maps(struct netiotrace_bpf *skel, unsigned int slots)
{
	int cpus = rows_by_cpu(), err = cpus < 0 ? cpus : 0;

	skel->rodata->nio_slots = slots;
	for (int m = 0; m < SESSION_MAPS_NR && !err; m++)
		err = bpf_map__set_max_entries(session__map(skel, m),
					       (uint32_t)cpus * rows_of(m, slots));
	return err;
}

struct netiotrace_bpf *session__open_skeleton(unsigned int slots, int *err)
{
	struct netiotrace_bpf *skel = netiotrace_bpf__open();

	if (!skel) {
		*err = -errno;
		return NULL;
	}
	*err = size_maps(skel, slots);
	if (*err) {
		netiotrace_bpf__destroy(skel);
		return NULL;
	}
	return skel;
}

static int select_programs(struct session *s, const struct plan *const *plans, size_t plans_nr)
{
	struct bpf_program *prog = NULL;

	while ((prog = bpf_object__next_program(s->skel->obj, prog))) {
		bool wanted = false;

		for (size_t p = 0; p < plans_nr; p++)
			wanted |= session__wants(plans[p], bpf_program__name(prog));
		bpf_program__set_autoload(prog, wanted);
		if (!wanted)
			continue;
		if (s->programs_nr == PROGRAMS_MAX)
			return -E2BIG;
		s->programs[s->programs_nr++] = prog;
	}
	return 0;
}

/*
 * Addresses that BTF does not give. Where the preemption count is a variable of its own, programs
 * read it there; pcpu_hot is of the kernels between.
 */
static void tell_addresses(struct netiotrace_bpf *skel, const struct presence *has)
{
	struct kernel_addresses at;

	kernel_addresses__find(&at);
	skel->rodata->nio_tcp_sendmsg = at.tcp_sendmsg;
	skel->rodata->nio_tcp_recvmsg = at.tcp_recvmsg;
	skel->rodata->nio_zerocopy_end = at.zerocopy_end;
	if (presence__variable(has, "__preempt_count") || !at.per_cpu_offset)
		return;
	skel->rodata->nio_pcpu_hot = at.pcpu_hot;
	skel->rodata->nio_per_cpu_offset = at.per_cpu_offset;
}

/* What the programs are told before they are loaded. */
static int configure(struct session *s, const struct plan *const *plans, size_t plans_nr,
		     const struct num *optmem_max)
{
	const struct presence *has = presence__kernel();

	s->skel->rodata->nio_splice_pages =
		has && !presence__function(has, "skb_splice_from_iter", 0);
	tell_addresses(s->skel, has);
	if (optmem_max->known && optmem_max->value <= UINT32_MAX)
		s->skel->rodata->nio_optmem_max = optmem_max->value;
	for (size_t p = 0; p < plans_nr; p++) {
		if (!plans[p])
			continue;
		s->skel->rodata->nio_completions |= plan__completions_by_kernel(plans[p]);
		s->skel->rodata->nio_notifications_apart |= plan__notifications_apart(plans[p]);
	}
	return bpf_map__set_max_entries(s->skel->maps.nio_zc_sends, NIO_ZC_SENDS);
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
			"no program stands at both ends of the stages: see plan, call_time";
	if (s->no_perf[NIO_PERF_CYCLES])
		return 0;
	s->skel->rodata->nio_perf_every = PERF_STAGE_EVERY;
	return bpf_map__set_max_entries(s->skel->maps.nio_rx_perf, 4096);
}

static void open_perf(struct session *s)
{
	const int fds[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = bpf_map__fd(s->skel->maps.nio_perf_cycles),
		[NIO_PERF_LLC_MISSES] = s->no_perf[NIO_PERF_LLC_MISSES]
						? -1
						: bpf_map__fd(s->skel->maps.nio_perf_llc),
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
			   bpf_map__fd(s->skel->maps.nio_conns), 0);

	if (conns == MAP_FAILED)
		return -errno;
	s->conns = conns;
	return 0;
}

static int map_statistics(struct session *s, unsigned int slots)
{
	for (int m = 0; m < SESSION_MAPS_NR; m++) {
		const struct bpf_map *map = session__map(s->skel, m);
		size_t len = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
		void *at = mmap(NULL, len, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

		if (at == MAP_FAILED)
			return -errno;
		s->maps[m] = (struct mapped){.at = at, .len = len, .rows = rows_of(m, slots)};
		s->cpus = bpf_map__max_entries(map) / s->maps[m].rows;
	}
	return 0;
}

static void unmap(struct session *s)
{
	if (s->conns)
		munmap(s->conns, CONNS_SIZE);
	for (int m = 0; m < SESSION_MAPS_NR; m++)
		if (s->maps[m].at)
			munmap((void *)s->maps[m].at, s->maps[m].len);
}

int session__open(struct session **out, const struct plan *const *plans, size_t plans_nr,
		  unsigned int slots, const struct num *optmem_max,
		  const char *const no_perf[NIO_PERF_EVENT_NR])
{
	struct session *s;
	int err;

	if (!slots || slots > NIO_SLOT_MAX)
		return -EINVAL;
	libbpf_output__set();
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->possible = libbpf_num_possible_cpus();
	err = s->possible < 0 ? s->possible : 0;
	if (err)
		goto err_out;
	s->percpu = calloc(s->possible, sizeof(*s->percpu));
	err = s->percpu ? 0 : -ENOMEM;
	if (err)
		goto err_out;
	s->skel = session__open_skeleton(slots, &err);
	if (!s->skel)
		goto err_out;
	err = select_programs(s, plans, plans_nr);
	if (!err)
		err = configure(s, plans, plans_nr, optmem_max);
	if (!err)
		err = plan_perf(s, plans, plans_nr, no_perf);
	if (!err)
		err = netiotrace_bpf__load(s->skel);
	if (err)
		goto err_out;
	err = map_conns(s);
	if (!err)
		err = map_statistics(s, slots);
	if (err)
		goto err_out;
	s->trampolines_again = session__attaches_again();
	open_perf(s);
	*out = s;
	return 0;
err_out:
	session__close(s);
	return err;
}

void session__close(struct session *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->programs_nr; i++)
		session__detach(s, i);
	perf_stage__close(s->perf);
	unmap(s);
	netiotrace_bpf__destroy(s->skel);
	free(s->percpu);
	free(s);
}

/* The entry of nio_conns for a cookie that has `cookie_there` in it (0: a free one), or NULL. */
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

/* What threads left behind that are gone when their sockets are: makes room for others. */
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
	empty_map(s->skel->maps.nio_calls);
	empty_map(s->skel->maps.nio_copies);
	empty_map(s->skel->maps.nio_rx_perf);
}

void session__forget_streams(struct session *s, const uint64_t *cookies, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct nio_conn *conn = find_conn(s, cookies[i], cookies[i]);

		if (!conn)
			continue;
		conn->seen = NIO_SEEN_AWAY;
		conn->rx_len = 0;
		conn->rx_begin = 0;
	}
}

int session__open_pass(struct session *s)
{
	for (size_t i = 0; i < s->programs_nr; i++) {
		int fd;

		if (s->programs[i] != s->skel->progs.nio_sockets || !s->links[i])
			continue;
		fd = bpf_iter_create(bpf_link__fd(s->links[i]));
		return fd < 0 ? -errno : fd;
	}
	return -EOPNOTSUPP;
}
