/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading, attaching and reading the BPF programs; see session.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "ksym.h"
#include "libbpf_output.h"
#include "link_info.h"
#include "base/log.h"
#include "perf/windows.h"
#include "presence.h"
#include "session.h"
#include "netiotrace.skel.h"

#define PROGRAMS_MAX 96
#define CONNS_SIZE   (NIO_CONN_SLOTS * sizeof(struct nio_conn))

/* What one stack of nio_stacks says about who called. Stacks never change: looked up once. */
struct caller {
	int32_t stack;
	char name[KSYM_NAME_MAX];
};

struct session {
	struct netiotrace_bpf *skel;
	struct nio_conn *conns; /* nio_conns, mapped */
	uint32_t ring;          /* first entry of nio_zc_sends that is nobody's */
	size_t senders;         /* watched, that have a ring */
	int cpus;
	void *percpu; /* one element of the largest per-CPU map, for every CPU */
	struct bpf_program *programs[PROGRAMS_MAX];
	struct bpf_link *links[PROGRAMS_MAX]; /* by program; NULL: not attached */
	size_t programs_nr;
	struct plan plan; /* whose programs are attached */
	struct caller callers[NIO_OTHERS_MAX];
	size_t callers_nr;
	struct perf_stage *perf;
	const char *no_perf; /* why there is none; NULL: there is */
};

/* Is name one of the programs of alt? */
static bool has_program(const struct alternative *alt, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = alt->programs; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (!strncmp(p, name, len) && (p[len] == ' ' || !p[len]))
			return true;
	}
	return false;
}

static int size_maps(struct netiotrace_bpf *skel, unsigned int slots)
{
	int err;

	err = bpf_map__set_max_entries(skel->maps.nio_cells, nio_cell_index(slots, 0, 0));
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_zc, slots);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_paths, slots);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_uncovered,
					       nio_uncovered_index(slots, 0, 0));
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_perf_cells, nio_perf_index(slots, 0));
	return err;
}

static struct netiotrace_bpf *open_skeleton(unsigned int slots, int *err)
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

/* Attaches all programs that are loaded, and detaches them again. */
static int try_attach(struct netiotrace_bpf *skel, const struct alternative *alt)
{
	struct bpf_link *links[8] = {NULL};
	struct bpf_program *prog = NULL;
	size_t n = 0;
	int err = 0;

	while ((prog = bpf_object__next_program(skel->obj, prog))) {
		if (!has_program(alt, bpf_program__name(prog)) || err || n == 8)
			continue;
		links[n] = bpf_program__attach(prog);
		if (!links[n])
			err = -errno;
		n++;
	}
	while (n)
		bpf_link__destroy(links[--n]);
	return err;
}

static int try_one(const struct alternative *alt)
{
	struct netiotrace_bpf *skel;
	struct bpf_program *prog = NULL;
	int err;

	skel = open_skeleton(1, &err);
	if (!skel)
		return err;
	while ((prog = bpf_object__next_program(skel->obj, prog)))
		bpf_program__set_autoload(prog, has_program(alt, bpf_program__name(prog)));
	err = netiotrace_bpf__load(skel);
	if (!err)
		err = try_attach(skel, alt);
	netiotrace_bpf__destroy(skel);
	return err;
}

/* Does the kernel have what alt is to be attached to? 0, -ENOENT, -EPROTOTYPE. */
static int presence_of(const struct btf *btf, struct netiotrace_bpf *skel,
		       const struct alternative *alt)
{
	const char *function = alt->function;
	struct bpf_program *prog = NULL;
	int err;

	while ((prog = bpf_object__next_program(skel->obj, prog))) {
		const char *section = bpf_program__section_name(prog);

		if (!has_program(alt, bpf_program__name(prog)))
			continue;
		err = presence__section(btf, section);
		if (err)
			return err;
		/* args speaks of the function of the last program when no other is named. */
		if (!alt->function)
			function = strchr(section, '/') + 1;
	}
	if (!alt->args && !alt->function)
		return 0;
	return presence__function(btf, function, alt->args);
}

/* Fills offers with what the kernel's BTF says, in place of having tried. */
static int presume(struct offer *offers)
{
	struct btf *btf = presence__read();
	struct netiotrace_bpf *skel;
	int err;

	skel = open_skeleton(1, &err);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i] =
			presence__offer(skel ? presence_of(btf, skel, &plan_alternatives[i]) : err);
	netiotrace_bpf__destroy(skel);
	presence__free(btf);
	return err;
}

/* The first alternative of a backend that may be there. */
static size_t sample_of(const struct offer *offers, enum backend backend)
{
	size_t i = 0;

	while (i < plan_alternatives_nr &&
	       (plan_alternatives[i].backend != backend || offers[i].answer != ANSWER_YES))
		i++;
	return i;
}

/* Tries one alternative of a backend: a kernel that refuses it refuses them all, and for one
 * reason. */
static void presume_backend(struct offer *offers, enum backend backend)
{
	size_t sample = sample_of(offers, backend);
	struct offer offer;

	if (sample == plan_alternatives_nr)
		return;
	offer = presence__offer(try_one(&plan_alternatives[sample]));
	if (offer.answer == ANSWER_YES)
		return;
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend && offers[i].answer == ANSWER_YES)
			offers[i] = offer;
}

int session__try_all(struct offer *offers)
{
	int err;

	libbpf_output__set();
	err = presume(offers);
	for (int b = BACKEND_TRAMPOLINE; !err && b < BACKEND_TRACEPOINT; b++)
		presume_backend(offers, b);
	for (size_t i = 0; !err && i < plan_alternatives_nr; i++)
		if (offers[i].answer == ANSWER_YES)
			offers[i] = presence__offer(try_one(&plan_alternatives[i]));
	return err;
}

void session__presume(struct offer *offers, enum backend backend)
{
	libbpf_output__set();
	if (presume(offers))
		return;
	for (int b = BACKEND_TRAMPOLINE; b < BACKEND_TRACEPOINT; b++)
		if (backend == BACKEND_AUTO || backend == (enum backend)b)
			presume_backend(offers, b);
}

/* Did plan choose an alternative that this program serves? */
static bool wants_program(const struct plan *plan, const char *name)
{
	for (int probe = 0; plan && probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && has_program(plan->chosen[probe], name))
			return true;
	return false;
}

static int select_programs(struct session *s, const struct plan *const *plans, size_t plans_nr)
{
	struct bpf_program *prog = NULL;

	while ((prog = bpf_object__next_program(s->skel->obj, prog))) {
		bool wanted = false;

		for (size_t p = 0; p < plans_nr; p++)
			wanted |= wants_program(plans[p], bpf_program__name(prog));
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
 * Kernel addresses that BTF does not give, in one pass over the symbols: where programs find out in
 * which context they run, and the functions that tell a MSG_ZEROCOPY send, and a socket that TCP
 * itself serves, from others. An unknown one stays 0, which the programs take for "cannot tell".
 */
static void find_symbols(struct netiotrace_bpf *skel, const struct btf *btf)
{
	enum { HOT, OFFSETS, SENDMSG, RECVMSG, COMPLETE, CALLBACK, SOCK_CALLBACK, SYMBOLS_NR };
	static const char *const names[SYMBOLS_NR] = {
		[HOT] = "pcpu_hot",
		[OFFSETS] = "__per_cpu_offset",
		[SENDMSG] = "tcp_sendmsg",
		[RECVMSG] = "tcp_recvmsg",
		[COMPLETE] = "msg_zerocopy_complete",
		[CALLBACK] = "msg_zerocopy_callback",
		[SOCK_CALLBACK] = "sock_zerocopy_callback",
	};
	uint64_t at[SYMBOLS_NR];

	if (ksym__find(names, at, SYMBOLS_NR))
		return;
	skel->rodata->nio_tcp_sendmsg = at[SENDMSG];
	skel->rodata->nio_tcp_recvmsg = at[RECVMSG];
	skel->rodata->nio_zerocopy_end = at[COMPLETE]   ? at[COMPLETE]
					 : at[CALLBACK] ? at[CALLBACK]
							: at[SOCK_CALLBACK];
	if (presence__variable(btf, "__preempt_count") || !at[OFFSETS])
		return;
	skel->rodata->nio_pcpu_hot = at[HOT];
	skel->rodata->nio_per_cpu_offset = at[OFFSETS];
}

/* What the programs are told before they are loaded. */
static int configure(struct session *s, const struct plan *const *plans, size_t plans_nr,
		     const struct num *optmem_max)
{
	struct btf *btf = presence__read();

	s->skel->rodata->nio_splice_pages =
		btf && !presence__function(btf, "skb_splice_from_iter", 0);
	find_symbols(s->skel, btf);
	presence__free(btf);
	if (optmem_max->known && optmem_max->value <= UINT32_MAX)
		s->skel->rodata->nio_optmem_max = optmem_max->value;
	for (size_t p = 0; p < plans_nr; p++)
		if (plans[p] && plan__completions_by_kernel(plans[p]))
			s->skel->rodata->nio_completions = true;
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
		     const char *no_perf)
{
	s->no_perf = no_perf;
	if (!no_perf && !times_calls(plans, plans_nr))
		s->no_perf = "no program stands at both ends of the stages: see plan, call_time";
	if (s->no_perf)
		return 0;
	s->skel->rodata->nio_perf_every = PERF_STAGE_EVERY;
	return bpf_map__set_max_entries(s->skel->maps.nio_rx_perf, 4096);
}

static void open_perf(struct session *s)
{
	const int fds[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = bpf_map__fd(s->skel->maps.nio_perf_cycles),
		[NIO_PERF_LLC_MISSES] = bpf_map__fd(s->skel->maps.nio_perf_llc),
	};

	if (s->no_perf)
		return;
	if (perf_stage__open(&s->perf, NULL, fds))
		s->no_perf = "the CPUs' counters could not be opened for the programs";
}

static size_t largest_value(void)
{
	return sizeof(struct nio_cell) > sizeof(struct nio_zc) ? sizeof(struct nio_cell)
							       : sizeof(struct nio_zc);
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

int session__open(struct session **out, const struct plan *const *plans, size_t plans_nr,
		  unsigned int slots, const struct num *optmem_max, const char *no_perf)
{
	struct session *s;
	int err;

	if (!slots || slots > NIO_SLOT_MAX)
		return -EINVAL;
	libbpf_output__set();
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->cpus = libbpf_num_possible_cpus();
	err = s->cpus < 0 ? s->cpus : 0;
	if (err)
		goto err_out;
	s->percpu = calloc(s->cpus, largest_value());
	err = s->percpu ? 0 : -ENOMEM;
	if (err)
		goto err_out;
	s->skel = open_skeleton(slots, &err);
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
	if (err)
		goto err_out;
	open_perf(s);
	*out = s;
	return 0;
err_out:
	session__close(s);
	return err;
}

static void detach(struct session *s, size_t i)
{
	bpf_link__destroy(s->links[i]);
	s->links[i] = NULL;
}

void session__close(struct session *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->programs_nr; i++)
		detach(s, i);
	perf_stage__close(s->perf);
	if (s->conns)
		munmap(s->conns, CONNS_SIZE);
	netiotrace_bpf__destroy(s->skel);
	free(s->percpu);
	free(s);
}

int session__attach(struct session *s, const struct plan *plan)
{
	s->plan = *plan;
	for (size_t i = 0; i < s->programs_nr; i++) {
		bool wanted = wants_program(plan, bpf_program__name(s->programs[i]));

		if (!wanted && s->links[i])
			detach(s, i);
		if (!wanted || s->links[i])
			continue;
		s->links[i] = bpf_program__attach(s->programs[i]);
		if (!s->links[i])
			return -errno;
	}
	return 0;
}

unsigned int session__attached(const struct session *s)
{
	unsigned int n = 0;

	for (size_t i = 0; i < s->programs_nr; i++)
		n += s->links[i] != NULL;
	return n;
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
		if (!s->plan.chosen[p] || !has_program(s->plan.chosen[p], name))
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
