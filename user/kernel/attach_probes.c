/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs of attach: their targets and events; see attach_probes.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/loop.h"
#include "base/read_file.h"
#include "common/xalloc.h"
#include "kernel_addresses.h"
#include "pidns.h"
#include "attach_probes_internal.h"

/* CLOCK_BOOTTIME offset of our time namespace. Before Linux 5.6 the file does not exist. */
static int64_t boot_offset_ns(void)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	int64_t s, ns, offset = 0;
	char clock[32];

	while (f && fscanf(f, "%31s %" SCNd64 " %" SCNd64, clock, &s, &ns) == 3)
		if (!strcmp(clock, "boottime"))
			offset = s * 1000000000 + ns;
	if (f)
		fclose(f);
	return offset;
}

int attach_probes__configure(struct attach_probes *probes, const struct attach_filter *filter)
{
	struct attach_bpf *skel = probes->skel;
	struct kernel_addresses at;
	int err;

	skel->rodata->nio_by_task = filter->by_task;
	skel->rodata->nio_by_port = filter->ports_nr != 0;
	skel->rodata->nio_follow_children = filter->follow_children;
	skel->rodata->nio_by_cgroup = filter->cgroup >= 0;
	skel->rodata->nio_comms_nr = filter->comms_nr;
	memcpy(skel->rodata->nio_comms, filter->comms, sizeof(filter->comms));
	skel->rodata->nio_sizes_less = filter->sizes_up_to;
	skel->rodata->nio_by_group = filter->by_group;
	skel->rodata->nio_own_tgid = getpid();
	skel->rodata->nio_pidns = pidns__own();
	skel->rodata->nio_boot_offset_ns = boot_offset_ns();
	for (size_t i = 0; i < filter->ports_nr; i++)
		skel->bss->nio_ports[filter->ports[i]] = 1;
	kernel_addresses__find(&at);
	skel->rodata->nio_tcp_sendmsg = at.tcp_sendmsg;
	skel->rodata->nio_tcp_recvmsg = at.tcp_recvmsg;
	skel->rodata->nio_zerocopy_end = at.zerocopy_end;
	skel->rodata->nio_report_end = at.report_end;
	skel->rodata->nio_pcpu_hot = at.pcpu_hot;
	skel->rodata->nio_per_cpu_offset = at.per_cpu_offset;
	err = bpf_map__set_autocreate(skel->maps.nio_cgroups, filter->cgroup >= 0);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.nio_sockets, filter->sockets_max);
	if (!err && filter->by_group)
		err = percpu__size(skel->maps.nio_group_counts, NIO_GROUPS);
	return err ? err : percpu__size(skel->maps.nio_event_counts, 1);
}

/* Settings of the programs that depend on the plan. */
static void configure_plan(struct attach_probes *probes)
{
	if (plan__wants(&probes->plan, "nio_at_maps"))
		bpf_map__set_max_entries(probes->skel->maps.nio_snapshots,
					 bpf_map__max_entries(probes->skel->maps.nio_sockets));
	probes->skel->rodata->nio_sees_calls = probes->plan.chosen[PROBE_MESSAGE];
	probes->skel->rodata->nio_by_push = plan__wants(&probes->plan, "nio_ak_push");
	probes->skel->rodata->nio_completions = plan__completions_by_kernel(&probes->plan);
	probes->skel->rodata->nio_by_arrival =
		!probes->plan.chosen[PROBE_DEFERRED_COPY] ||
		probes->plan.chosen[PROBE_DEFERRED_COPY]->quality != QUALITY_EXACT;
}

static bool is_of_functions(enum backend backend)
{
	return backend == BACKEND_FENTRY || backend == BACKEND_KPROBE;
}

/* A backend of functions that is asked for by name has to work. */
static int choose(struct attach_probes *probes, const struct attach_filter *filter,
		  struct attach_refusal *no)
{
	const struct plan_request req = {.object = OBJECT_ATTACH, .backend = filter->backend};
	const struct plan *plans[MODE_NR] = {&probes->plan}, *none[MODE_NR] = {NULL};
	struct probe_result *probe_results = xcalloc(plan_alternatives_nr, sizeof(*probe_results));
	int err = loader__presume(OBJECT_ATTACH, probe_results, filter->backend);

	if (!err && is_of_functions(filter->backend)) {
		err = plan__backend_error(OBJECT_ATTACH, probe_results, filter->backend);
		no->backend = err ? plan__refusal(err) : NULL;
	}
	for (size_t i = 0; i < filter->without_nr; i++)
		plan__withhold(OBJECT_ATTACH, probe_results, filter->without[i]);
	if (!err) {
		err = plan__make(&probes->plan, probe_results, &req);
		if (err == -EOPNOTSUPP)
			plan__missing(&probes->plan, no->missing, sizeof(no->missing));
	}
	free(probe_results);
	probes->rows_nr = err ? 0 : plan__rows(plans, none, probes->rows);
	configure_plan(probes);
	return err;
}

static int set_cgroup(struct attach_probes *probes, int cgroup)
{
	const uint32_t first = 0;

	if (cgroup < 0)
		return 0;
	return bpf_map_update_elem(bpf_map__fd(probes->skel->maps.nio_cgroups), &first, &cgroup,
				   BPF_ANY)
		       ? -errno
		       : 0;
}

/* A reading of the watched sockets. */
struct reading {
	void (*handle)(void *arg, const struct sock_state *s);
	void *arg;
	/* Connections that ended after the iteration began may also be in it. */
	struct ended {
		uint64_t key, first_ns;
	} * ended;
	size_t ended_nr;
	bool remembers;
};

static void remember(struct reading *t, const struct sock_state *s)
{
	t->ended = xgrow(t->ended, t->ended_nr, sizeof(*t->ended));
	t->ended[t->ended_nr++] = (struct ended){s->key, s->first_ns};
}

/*
 * May the connection have moved bytes while it was watched, before it was first met? Either in
 * calls that no program saw; or it has begun since, and the kernel refused that event.
 */
static bool is_unsure(struct attach_probes *probes, const struct sock_state *s)
{
	if (s->met & NIO_MET_CALLS)
		return true;
	if (!s->met || s->first_ns <= probes->births_ns)
		return false;
	attach_probes__note_births(probes);
	return s->first_ns > probes->births_ns;
}

/* A record of the ring buffer, for libbpf. */
static int handle_end(void *arg, void *data, size_t size)
{
	struct attach_probes *probes = arg;
	struct sock_state s = {0};

	if (size < SOCK_STATE_HEAD || !probes->reading)
		return 0;
	memcpy(&s, data, size < sizeof(s) ? SOCK_STATE_HEAD : sizeof(s));
	probes->unsure_ended += is_unsure(probes, &s);
	if (probes->reading->remembers)
		remember(probes->reading, &s);
	probes->reading->handle(probes->reading->arg, &s);
	return 0;
}

static int open_programs(struct attach_probes *probes, const struct attach_filter *filter,
			 struct attach_refusal *no)
{
	const struct plan *plans[] = {&probes->plan};
	int err = loop__is_to_end() ? -EINTR : loader__open(&probes->loader, OBJECT_ATTACH);

	probes->skel = probes->loader.attach;
	probes->loader.interruptible = true;
	if (!err)
		err = attach_probes__configure(probes, filter);
	if (!err)
		err = choose(probes, filter, no);
	if (!err)
		err = loop__is_to_end() ? -EINTR : loader__load(&probes->loader, plans, 1);
	if (!err)
		err = percpu__open(&probes->counts, probes->skel->maps.nio_event_counts, 1);
	if (!err && filter->by_group)
		err = percpu__open(&probes->groups, probes->skel->maps.nio_group_counts,
				   NIO_GROUPS);
	if (!err)
		err = set_cgroup(probes, filter->cgroup);
	if (err)
		return err;
	/* The second programs are loaded, and attached only where the first may be refused. */
	probes->plan.without_seconds = probes->base_plan.without_seconds = true;
	probes->ends = ring_buffer__new(bpf_map__fd(probes->skel->maps.nio_ends), handle_end,
					probes, NULL);
	err = probes->ends ? loader__attach(&probes->loader, &probes->plan) : -errno;
	probes->loader.interruptible = false;
	return err ? err : attach_probes__begin_events(probes, filter);
}

int attach_probes__open(struct attach_probes **out, const struct attach_filter *filter,
			struct attach_refusal *no)
{
	struct attach_probes *probes = xcalloc(1, sizeof(*probes));
	int err;

	*no = (struct attach_refusal){0};
	err = open_programs(probes, filter, no);
	if (err)
		attach_probes__close(probes);
	else
		*out = probes;
	return err;
}

void attach_probes__close(struct attach_probes *probes)
{
	if (!probes)
		return;
	ring_buffer__free(probes->ends);
	percpu__close(&probes->counts);
	percpu__close(&probes->seen);
	percpu__close(&probes->groups);
	loader__close(&probes->loader);
	attach_probes__free_groups(probes);
	free(probes);
}

size_t attach_probes__plan(const struct attach_probes *probes, const struct plan_row **rows)
{
	*rows = probes->rows;
	return probes->rows_nr;
}

bool attach_probes__replaces(const struct plan_row *row, enum backend asked)
{
	if (!row->hook || !is_of_functions(asked) || !strcmp(row->backend, backend__name(asked)))
		return false;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->object == OBJECT_ATTACH && alt->backend == asked &&
		    !strcmp(plan_probes[alt->probe].name, row->probe))
			return true;
	}
	return false;
}

bool attach_probes__has(const struct attach_probes *probes, enum probe_id probe)
{
	return probes->plan.chosen[probe];
}

int attach_probes__add_task(struct attach_probes *probes, uint32_t tgid,
			    const struct nio_task *task)
{
	int fd = bpf_map__fd(probes->skel->maps.nio_tasks);
	uint64_t how = task->named ? BPF_NOEXIST : BPF_ANY;

	if (bpf_map_update_elem(fd, &tgid, task, how) && errno != EEXIST)
		return -errno;
	probes->skel->bss->nio_task_known[tgid & (NIO_KNOWN_NR - 1)] = 1;
	return 0;
}

int attach_probes__tasks(const struct attach_probes *probes)
{
	return bpf_map__fd(probes->skel->maps.nio_tasks);
}

void attach_probes__arm(struct attach_probes *probes)
{
	probes->skel->bss->nio_armed = true;
}

/* Runs an iterator that writes nothing. */
static int run_iterator(const struct attach_probes *probes, const char *program)
{
	struct loader_records none;
	int err = loader__iterate(&probes->loader, program, 0, &none);

	free(none.list);
	return err;
}

/* Processes outside the PID namespace are not met: they may use io_uring. */
static bool finds_rings(const struct attach_probes *probes)
{
	return attach_probes__has(probes, PROBE_RINGS) &&
	       attach_probes__has(probes, PROBE_EARLIER_SOCKETS) &&
	       !probes->skel->rodata->nio_pidns;
}

const volatile bool *attach_probes__rings(const struct attach_probes *probes)
{
	return attach_probes__has(probes, PROBE_REQUEST) ? &probes->skel->data->nio_rings : NULL;
}

/* A pass leaves out the sockets that are in use. Few calls last as long as two passes. */
#define PASSES 3

int attach_probes__find_existing(struct attach_probes *probes)
{
	struct attach_bpf__bss *bss = probes->skel->bss;
	volatile uint32_t *in_use = &bss->nio_in_use;
	uint64_t begun_ns = loop__now_ns();
	bool rings = finds_rings(probes);
	int err = 0;

	*(volatile bool *)&probes->skel->data->nio_rings = !rings;
	*in_use = 1;
	for (int pass = 1; pass <= PASSES && *in_use && !err; pass++) {
		*in_use = 0;
		*(volatile bool *)&bss->nio_last_pass = pass == PASSES;
		err = run_iterator(probes, "nio_at_files");
	}
	/* After the files: an instance is registered before its file may be closed. */
	if (rings && !err)
		err = run_iterator(probes, "nio_at_tasks");
	if (err)
		*(volatile bool *)&probes->skel->data->nio_rings = true;
	bss->nio_files_ns = begun_ns;
	*(volatile bool *)&bss->nio_listed = true;
	return err;
}

/* Searching for owners takes at most this part of the time. */
#define SEARCH_PART 1000

int attach_probes__name_owners(struct attach_probes *probes, bool at_once)
{
	volatile bool *ownerless = &probes->skel->bss->nio_ownerless;
	uint64_t now_ns = loop__now_ns();
	int err;

	if (!*ownerless || (now_ns < probes->search_ns && !at_once))
		return 0;
	*ownerless = false;
	*(volatile bool *)&probes->skel->bss->nio_only_owners = true;
	err = run_iterator(probes, "nio_at_files");
	*(volatile bool *)&probes->skel->bss->nio_only_owners = false;
	probes->search_ns = now_ns + (loop__now_ns() - now_ns) * SEARCH_PART;
	return err;
}

static int drain(struct attach_probes *probes, struct reading *t)
{
	int n;

	probes->reading = t;
	n = ring_buffer__consume(probes->ends);
	probes->reading = NULL;
	return n < 0 ? n : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->first_ns < y->first_ns ? -1 : x->first_ns > y->first_ns;
}

static bool has_ended(const struct reading *t, const struct sock_state *s)
{
	struct ended key = {s->key, s->first_ns};

	return t->ended_nr && bsearch(&key, t->ended, t->ended_nr, sizeof(key), by_key);
}

/*
 * The programs count the states of each index: this one is deleted by them or here. They may have
 * replaced it since it was read: a new connection is at the address of the old one.
 */
static void forget(struct attach_probes *probes, const struct sock_state *read)
{
	int states = bpf_map__fd(probes->skel->maps.nio_sockets);
	struct sock_state now;

	if (bpf_map_lookup_elem(states, &read->key, &now) || now.first_ns != read->first_ns)
		return;
	if (!bpf_map_delete_elem(states, &read->key))
		__sync_fetch_and_sub(
			&probes->skel->bss->nio_socket_known[nio_known_index(read->key)], 1);
}

static void give_open(struct attach_probes *probes, struct reading *t,
		      const struct loader_records *open)
{
	if (t->ended_nr)
		qsort(t->ended, t->ended_nr, sizeof(*t->ended), by_key);
	probes->unsure_open = 0;
	for (size_t at = 0; at < open->bytes;) {
		struct sock_state s = {0};
		uint64_t size;

		memcpy(&size, open->list + at, sizeof(size)), at += sizeof(size);
		if (size > sizeof(s) || size > open->bytes - at)
			break;
		memcpy(&s, open->list + at, size);
		at += size;
		if (s.flags & (SOCK_STATE_FOREIGN | SOCK_STATE_MAYBE) || has_ended(t, &s))
			continue;
		if (s.flags & SOCK_STATE_UNSENT) {
			forget(probes, &s);
			probes->unsure_ended += is_unsure(probes, &s);
		} else {
			s.now = s.last_read;
			probes->unsure_open += is_unsure(probes, &s);
		}
		t->handle(t->arg, &s);
	}
	/* Only here is each counted once; a count of losses does not fall. */
	if (probes->unsure_ended + probes->unsure_open > probes->unsure_most)
		probes->unsure_most = probes->unsure_ended + probes->unsure_open;
}

void attach_probes__note_moved(struct attach_probes *probes)
{
	*(volatile bool *)&probes->skel->bss->nio_only_moved = true;
	if (run_iterator(probes, "nio_at_read") == -EOPNOTSUPP)
		run_iterator(probes, "nio_at_maps");
	*(volatile bool *)&probes->skel->bss->nio_only_moved = false;
}

/* Updates all states and reads them, each followed by its events. */
static int read_states(const struct attach_probes *probes, struct loader_records *open)
{
	int err = loader__iterate(&probes->loader, "nio_at_read", 0, open);

	if (err != -EOPNOTSUPP)
		return err;
	probes->skel->bss->nio_snapshot_failed = false;
	err = run_iterator(probes, "nio_at_maps");
	if (!err && probes->skel->bss->nio_snapshot_failed)
		err = -ENOMEM;
	return err ? err : loader__take_states(bpf_map__fd(probes->skel->maps.nio_snapshots), open);
}

/*
 * A program sends the end of a connection before it frees the state. So one that the iteration does
 * not meet is in the buffer by then, and one that is in both was open as it was met.
 */
int attach_probes__each_socket(struct attach_probes *probes,
			       void (*handle)(void *arg, const struct sock_state *s), void *arg)
{
	struct reading t = {.handle = handle, .arg = arg};
	struct loader_records open = {0};
	int err = drain(probes, &t);

	t.remembers = true;
	if (!err)
		err = read_states(probes, &open);
	if (!err)
		err = drain(probes, &t);
	if (!err)
		give_open(probes, &t, &open);
	free(open.list);
	free(t.ended);
	return err;
}

int attach_probes__each_ended(struct attach_probes *probes,
			      void (*handle)(void *arg, const struct sock_state *s), void *arg)
{
	struct reading t = {.handle = handle, .arg = arg};

	return drain(probes, &t);
}

int attach_probes__ends_fd(const struct attach_probes *probes)
{
	return ring_buffer__epoll_fd(probes->ends);
}

int attach_probes__each_task(struct attach_probes *probes,
			     bool (*handle)(void *arg, uint32_t tgid, const struct nio_task *t),
			     void *arg)
{
	int fd = bpf_map__fd(probes->skel->maps.nio_tasks);
	int err = 0, nr = 0;
	uint32_t *keys = xcalloc(NIO_TASKS_MAX, sizeof(*keys)), *from = NULL;
	struct nio_task task;

	/* The keys first: an entry that is deleted has none after it. */
	while (nr < NIO_TASKS_MAX && !bpf_map_get_next_key(fd, from, &keys[nr]))
		from = &keys[nr++];
	if (nr < NIO_TASKS_MAX && errno != ENOENT)
		err = -errno;
	for (int i = 0; i < nr; i++)
		if (!bpf_map_lookup_elem(fd, &keys[i], &task) && handle(arg, keys[i], &task))
			bpf_map_delete_elem(fd, &keys[i]);
	free(keys);
	return err;
}

/* The first probe that a program serves; PROBE_NR: none. */
static enum probe_id probe_of(const struct plan *plan, const char *program)
{
	enum probe_id probe = 0;

	while (probe < PROBE_NR &&
	       !(plan->chosen[probe] && alternative__has_program(plan->chosen[probe], program)))
		probe++;
	return probe;
}

static void add_run_time(struct num *sum, const struct loaded_program *p)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(p->program), &info, &len))
		return;
	sum->value += info.run_time_ns;
	sum->known = true;
}

const char *attach_probes__run_times(const struct attach_probes *probes, struct num ns[PROBE_NR])
{
	struct num enabled = read_file__num("/proc/sys/kernel/bpf_stats_enabled");
	uint64_t all = 0;

	memset(ns, 0, PROBE_NR * sizeof(*ns));
	for (size_t i = 0; i < probes->loader.programs_nr; i++) {
		const struct loaded_program *p = &probes->loader.programs[i];
		enum probe_id probe = probe_of(&probes->plan, p->name);

		if (probe < PROBE_NR)
			add_run_time(&ns[probe], p);
	}
	for (size_t i = 0; i < PROBE_NR; i++)
		all += ns[i].value;
	/* Times stay when counting ends, and others can enable it (BPF_ENABLE_STATS). */
	if (all || (enabled.known && enabled.value))
		return NULL;
	memset(ns, 0, PROBE_NR * sizeof(*ns));
	return "the kernel counts run times only with sysctl kernel.bpf_stats_enabled=1";
}

void attach_probes__stop(struct attach_probes *probes)
{
	*(volatile bool *)&probes->skel->bss->nio_over = true;
	*(volatile bool *)&probes->skel->bss->nio_armed = false;
	probes->missed = attach_probes__missed(probes);
	probes->stopped = true;
}
