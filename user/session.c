/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading, attaching and reading the BPF programs; see session.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "log.h"
#include "session.h"
#include "netiotrace.skel.h"

struct session {
	struct netiotrace_bpf *skel;
	int cpus;
	void *percpu;            /* one element of the largest per-CPU map, for every CPU */
	struct bpf_link **links; /* by alternative; NULL: not attached */
};

__attribute__((format(printf, 2, 0))) static int print_nothing(enum libbpf_print_level level,
							       const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* libbpf speaks only when asked to (-vv): its messages describe attempts that are meant to fail. */
__attribute__((format(printf, 2, 0))) static int print_debug(enum libbpf_print_level level,
							     const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, args);
}

static void set_libbpf_output(void)
{
	libbpf_set_print(log_level() >= LOG_DEBUG ? print_debug : print_nothing);
}

static struct bpf_program *program_of(struct netiotrace_bpf *skel, const struct alternative *alt)
{
	return bpf_object__find_program_by_name(skel->obj, alt->program);
}

static int size_maps(struct netiotrace_bpf *skel, unsigned int slots)
{
	int err;

	err = bpf_map__set_max_entries(skel->maps.nio_cells, nio_cell_index(slots, 0, 0));
	if (err)
		return err;
	return bpf_map__set_max_entries(skel->maps.nio_zc, slots);
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

static int try_one(const struct alternative *alt)
{
	struct netiotrace_bpf *skel;
	struct bpf_program *prog;
	struct bpf_link *link;
	int err;

	skel = open_skeleton(1, &err);
	if (!skel)
		return err;
	prog = program_of(skel, alt);
	if (!prog) {
		err = -ENOENT;
		goto out;
	}
	bpf_program__set_autoload(prog, true);
	err = netiotrace_bpf__load(skel);
	if (err)
		goto out;
	link = bpf_program__attach(prog);
	if (!link)
		err = -errno;
	bpf_link__destroy(link);
out:
	netiotrace_bpf__destroy(skel);
	return err;
}

/* Errors that say something about this moment, not about the kernel. */
static bool tells_nothing(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EBUSY || err == -EMFILE || err == -EINTR;
}

int session__try_all(struct offer *offers)
{
	set_libbpf_output();
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		int err = try_one(&plan_alternatives[i]);

		offers[i].err = err;
		offers[i].answer = !err                 ? ANSWER_YES
				   : tells_nothing(err) ? ANSWER_UNKNOWN
							: ANSWER_NO;
	}
	return 0;
}

static bool chosen_by(const struct plan *plan, const struct alternative *alt)
{
	return plan && plan->chosen[alt->probe] == alt;
}

/* Is the program of alternative i that of an earlier one? Then it is loaded and attached as that.
 */
static bool shares_program(size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(plan_alternatives[j].program, plan_alternatives[i].program) == 0)
			return true;
	return false;
}

/* Did plan choose an alternative that this one's program serves? */
static bool wants_program(const struct plan *plan, const struct alternative *alt)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (strcmp(plan_alternatives[i].program, alt->program) == 0 &&
		    chosen_by(plan, &plan_alternatives[i]))
			return true;
	return false;
}

static void select_programs(struct session *s, const struct plan *const *plans, size_t plans_nr)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];
		struct bpf_program *prog = program_of(s->skel, alt);
		bool wanted = false;

		for (size_t p = 0; p < plans_nr; p++)
			wanted |= wants_program(plans[p], alt);
		if (prog)
			bpf_program__set_autoload(prog, wanted);
	}
}

static int allocate(struct session *s)
{
	s->cpus = libbpf_num_possible_cpus();
	if (s->cpus < 0)
		return s->cpus;
	s->links = calloc(plan_alternatives_nr, sizeof(struct bpf_link *));
	s->percpu = calloc(s->cpus, sizeof(struct nio_cell));
	return s->links && s->percpu ? 0 : -ENOMEM;
}

int session__open(struct session **out, const struct plan *const *plans, size_t plans_nr,
		  unsigned int slots)
{
	struct session *s;
	int err;

	if (!slots || slots > NIO_SLOT_MAX)
		return -EINVAL;
	set_libbpf_output();
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	err = allocate(s);
	if (err)
		goto err_out;
	s->skel = open_skeleton(slots, &err);
	if (!s->skel)
		goto err_out;
	select_programs(s, plans, plans_nr);
	err = netiotrace_bpf__load(s->skel);
	if (err)
		goto err_out;
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
	for (size_t i = 0; s->links && i < plan_alternatives_nr; i++)
		detach(s, i);
	netiotrace_bpf__destroy(s->skel);
	free(s->links);
	free(s->percpu);
	free(s);
}

int session__attach(struct session *s, const struct plan *plan)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];
		bool wanted = !shares_program(i) && wants_program(plan, alt);

		if (!wanted && s->links[i])
			detach(s, i);
		if (!wanted || s->links[i])
			continue;
		s->links[i] = bpf_program__attach(program_of(s->skel, alt));
		if (!s->links[i])
			return -errno;
	}
	return 0;
}

unsigned int session__attached(const struct session *s)
{
	unsigned int n = 0;

	for (size_t i = 0; i < plan_alternatives_nr; i++)
		n += s->links[i] != NULL;
	return n;
}

/* The entry of a cookie in nio_conns, or with cookie 0 wanted: a free one. -ENOENT: none. */
static int find_conn(int fd, uint64_t cookie, uint64_t wanted, uint32_t *index)
{
	for (uint32_t i = 0; i < NIO_CONN_PROBES; i++) {
		struct nio_conn conn;

		*index = nio_conn_index(cookie, i);
		if (bpf_map_lookup_elem(fd, index, &conn))
			return -errno;
		if (conn.cookie == wanted)
			return 0;
	}
	return -ENOENT;
}

static int watch_one(int fd, const struct nio_conn *conn)
{
	uint32_t index;
	int err = find_conn(fd, conn->cookie, 0, &index);

	if (err)
		return err == -ENOENT ? -ENOSPC : err;
	return bpf_map_update_elem(fd, &index, conn, BPF_ANY) ? -errno : 0;
}

int session__watch(struct session *s, const uint64_t *cookies, size_t n, unsigned int slot,
		   enum nio_side side)
{
	int fd = bpf_map__fd(s->skel->maps.nio_conns);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct nio_conn conn = {.cookie = cookies[i], .slot = slot, .side = side};

		err = watch_one(fd, &conn);
	}
	return err;
}

void session__unwatch(struct session *s, const uint64_t *cookies, size_t n)
{
	static const struct nio_conn free_entry;
	int fd = bpf_map__fd(s->skel->maps.nio_conns);

	for (size_t i = 0; i < n; i++) {
		uint32_t index;

		if (!find_conn(fd, cookies[i], cookies[i], &index))
			bpf_map_update_elem(fd, &index, &free_entry, BPF_ANY);
	}
}

/* Sums element i of a per-CPU map over all CPUs; its value is made of u64 only. */
static int sum_percpu(struct session *s, const struct bpf_map *map, uint32_t i, void *out,
		      size_t size)
{
	uint64_t *total = out;

	memset(out, 0, size);
	if (bpf_map_lookup_elem(bpf_map__fd(map), &i, s->percpu))
		return -errno;
	for (int cpu = 0; cpu < s->cpus; cpu++) {
		const uint64_t *value = (const void *)((const char *)s->percpu + cpu * size);

		for (size_t w = 0; w < size / sizeof(*total); w++)
			total[w] += value[w];
	}
	return 0;
}

static int refused_runs(const struct bpf_program *prog, uint64_t *runs)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	int fd = prog ? bpf_program__fd(prog) : -1;

	*runs = 0;
	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	*runs = info.recursion_misses;
	return 0;
}

static int read_missed(const struct session *s, uint64_t *missed)
{
	*missed = 0;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		uint64_t runs;
		int err;

		if (shares_program(i))
			continue;
		err = refused_runs(program_of(s->skel, &plan_alternatives[i]), &runs);
		if (err)
			return err;
		*missed += runs;
	}
	return 0;
}

int session__read(struct session *s, unsigned int slot, struct snapshot *out)
{
	int err;

	for (uint32_t side = 0; side < NIO_SIDE_NR; side++) {
		for (uint32_t stage = 0; stage < NIO_STAGE_NR; stage++) {
			err = sum_percpu(s, s->skel->maps.nio_cells,
					 nio_cell_index(slot, side, stage),
					 &out->cells[side][stage], sizeof(struct nio_cell));
			if (err)
				return err;
		}
	}
	err = sum_percpu(s, s->skel->maps.nio_zc, slot, &out->zc, sizeof(out->zc));
	if (err)
		return err;
	return read_missed(s, &out->missed);
}
