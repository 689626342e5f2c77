/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens, tries, loads, attaches and detaches BPF programs; see loader.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/loop.h"
#include "bpf/netiotrace.h"
#include "bpf/sock_state.h"
#include "attach.skel.h"
#include "btf_lookup.h"
#include "common/xalloc.h"
#include "libbpf_output.h"
#include "loader.h"
#include "model/snapshot.h"
#include "meter.skel.h"

/* The map of sockets: the largest, and what iter/bpf_map_elem iterates over. */
static const char *const socket_maps[OBJECT_NR] = {
	[OBJECT_RUN] = "nio_conns",
	[OBJECT_ATTACH] = "nio_sockets",
};

int loader__open(struct loader *l, enum bpf_object_id id)
{
	const struct btf_lookup *btf = id == OBJECT_ATTACH ? btf_lookup__kernel() : NULL;

	*l = (struct loader){.id = id};
	libbpf_output__set();
	if (id == OBJECT_RUN)
		l->meter = meter_bpf__open();
	else
		l->attach = attach_bpf__open();
	if (!l->meter && !l->attach)
		return -errno;
	/* What programs need to know of this kernel's interfaces, also those that are only tried.
	 */
	if (l->attach) {
		l->attach->rodata->nio_splice_pages =
			btf && !btf_lookup__function(btf, "skb_splice_from_iter", 0);
		l->attach->rodata->nio_completes_by_cqe =
			btf_lookup__tracepoint_args(btf, "io_uring_complete") == 3;
	}
	l->skeleton = l->meter ? l->meter->skeleton : l->attach->skeleton;
	l->object = l->meter ? l->meter->obj : l->attach->obj;
	return 0;
}

int loader__load(struct loader *l, const struct plan *const *plans, size_t plans_nr)
{
	struct bpf_program *program;
	int err;

	bpf_object__for_each_program(program, l->object) {
		bool wanted = false;

		for (size_t p = 0; p < plans_nr; p++)
			wanted |= plans[p] && plan__wants(plans[p], bpf_program__name(program));
		if (wanted && l->programs_nr == LOADER_PROGRAMS_MAX)
			return -E2BIG;
		if (!wanted)
			continue;
		bpf_program__set_autoload(program, true);
		l->programs[l->programs_nr++] = (struct loaded_program){
			.program = program,
			.name = bpf_program__name(program),
		};
	}
	err = bpf_object__load_skeleton(l->skeleton);
	l->trampolines_again = loader__attaches_again();
	return err;
}

/* struct bpf_link_info of a kprobe, as in include/uapi/linux/bpf.h of Linux 6.7. */
struct kprobe_link_info {
	uint32_t type;
	uint32_t id;
	uint32_t prog_id;
	uint32_t pad;
	uint32_t event; /* enum bpf_perf_event_type */
	uint32_t pad2;
	uint64_t func_name;
	uint32_t name_len;
	uint32_t offset;
	uint64_t addr;
	uint64_t missed;
};

_Static_assert(offsetof(struct kprobe_link_info, missed) == 48, "the kernel's layout");

enum { PERF_EVENT_KPROBE = 3, PERF_EVENT_KRETPROBE = 4 };

/* Hits of a program's kprobe that the kernel skipped. false: it does not report them. */
static bool count_skipped(const struct loaded_program *p, uint64_t *skipped)
{
	union {
		struct bpf_link_info info;
		struct kprobe_link_info kprobe;
	} u;
	uint32_t len = sizeof(u);

	*skipped = 0;
	if (!p->link || bpf_program__type(p->program) != BPF_PROG_TYPE_KPROBE)
		return true;
	memset(&u, 0, sizeof(u));
	/* Before 5.15 the descriptor is a perf event, not a link. */
	if (bpf_obj_get_info_by_fd(bpf_link__fd(p->link), &u, &len) || len < sizeof(u.kprobe) ||
	    (u.kprobe.event != PERF_EVENT_KPROBE && u.kprobe.event != PERF_EVENT_KRETPROBE))
		return false;
	*skipped = u.kprobe.missed;
	return true;
}

int loader__missed(const struct loader *l, size_t i, uint64_t *runs, bool *uncounted)
{
	const struct loaded_program *p = &l->programs[i];
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	uint64_t skipped;

	if (bpf_obj_get_info_by_fd(bpf_program__fd(p->program), &info, &len))
		return -errno;
	*uncounted = !count_skipped(p, &skipped) || p->uncounted;
	*runs = info.recursion_misses + (*uncounted ? 0 : p->skipped + skipped);
	return 0;
}

static void add_missed(const struct plan *plan, const char *program, uint64_t missed,
		       bool uncounted, struct snapshot *out)
{
	out->missed += missed;
	out->missed_unknown |= uncounted;
	for (int p = 0; p < PROBE_NR; p++) {
		if (!plan->chosen[p] || !alternative__has_program(plan->chosen[p], program))
			continue;
		out->missed_of[p] += missed;
		out->unknown_of[p] |= uncounted;
	}
}

int loader__add_missed(const struct loader *l, const struct plan *plan, struct snapshot *out)
{
	for (size_t i = 0; i < l->programs_nr; i++) {
		uint64_t missed;
		bool uncounted;
		int err = loader__missed(l, i, &missed, &uncounted);

		if (err)
			return err;
		add_missed(plan, l->programs[i].name, missed, uncounted, out);
	}
	return 0;
}

/* The count of skipped runs is lost with the link. */
static void detach(struct loaded_program *p)
{
	uint64_t skipped;

	if (count_skipped(p, &skipped))
		p->skipped += skipped;
	else
		p->uncounted = true;
	bpf_link__destroy(p->link);
	p->link = NULL;
}

/* NULL with errno set. */
static struct bpf_link *attach(const struct loader *l, struct bpf_program *program)
{
	union bpf_iter_link_info map;
	struct bpf_iter_attach_opts opts;

	if (!strstr(bpf_program__section_name(program), "iter/bpf_map_elem"))
		return bpf_program__attach(program);
	/* Padding must be 0: the kernel and libbpf check. */
	memset(&map, 0, sizeof(map));
	memset(&opts, 0, sizeof(opts));
	map.map.map_fd = bpf_object__find_map_fd_by_name(l->object, socket_maps[l->id]);
	opts.sz = sizeof(opts);
	opts.link_info = &map;
	opts.link_info_len = sizeof(map);
	return bpf_program__attach_iter(program, &opts);
}

static bool is_at(const struct loaded_program *p, enum bpf_attach_type a, enum bpf_attach_type b)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(p->program);

	return type == a || type == b;
}

int loader__attach(struct loader *l, const struct plan *plan)
{
	int err = 0;

	for (size_t i = 0; i < l->programs_nr; i++) {
		struct loaded_program *p = &l->programs[i];

		if (p->link && !plan__wants(plan, p->name) &&
		    (l->trampolines_again || !is_at(p, BPF_TRACE_FENTRY, BPF_TRACE_FEXIT)))
			detach(p);
	}
	for (size_t i = 0; i < l->programs_nr; i++) {
		struct loaded_program *p = &l->programs[i];

		if (p->link || !plan__wants(plan, p->name))
			continue;
		if (l->interruptible && loop__is_to_end())
			return -EINTR;
		p->link = attach(l, p->program);
		if (!p->link && !err)
			err = -errno;
	}
	return err;
}

void loader__detach_others(struct loader *l, const struct plan *plan)
{
	for (size_t i = 0; i < l->programs_nr; i++)
		if (l->programs[i].link &&
		    is_at(&l->programs[i], BPF_TRACE_RAW_TP, BPF_TRACE_RAW_TP) &&
		    !plan__wants(plan, l->programs[i].name))
			detach(&l->programs[i]);
}

void loader__close(struct loader *l)
{
	for (size_t i = 0; i < l->programs_nr; i++)
		detach(&l->programs[i]);
	meter_bpf__destroy(l->meter);
	attach_bpf__destroy(l->attach);
	*l = (struct loader){0};
}

/* A descriptor of an iterator over the files of one process, or -errno: before Linux 6.1. */
static int open_process(const struct bpf_program *program, pid_t process)
{
	/* bpf_iter_link_info.task, which older headers lack. */
	struct {
		__u32 tid, pid, pid_fd;
	} task = {.pid = (__u32)process};
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int link, fd;

	opts.iter_info = (void *)&task;
	opts.iter_info_len = sizeof(task);
	link = bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_ITER, &opts);
	if (link < 0)
		return link;
	fd = bpf_iter_create(link);
	close(link);
	return fd;
}

static int open_iterator(const struct loader *l, const char *program, pid_t process)
{
	for (size_t i = 0; i < l->programs_nr; i++) {
		const struct loaded_program *p = &l->programs[i];
		int fd = -1;

		if (strcmp(p->name, program) || !p->link)
			continue;
		if (process)
			fd = open_process(p->program, process);
		if (fd < 0)
			fd = bpf_iter_create(bpf_link__fd(p->link));
		return fd < 0 ? -errno : fd;
	}
	return -EOPNOTSUPP;
}

/*
 * EAGAIN: after a million elements the kernel pauses. A read has room for more than the kernel's
 * own buffer holds (bpf_seq_read: 8 pages).
 */
#define READ_MIN 65536

int loader__iterate(const struct loader *l, const char *program, pid_t process,
		    struct loader_records *out)
{
	int fd = open_iterator(l, program, process), err;
	size_t room = 0;
	ssize_t len = 1;

	*out = (struct loader_records){0};
	if (fd < 0)
		return fd;
	while (len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR))) {
		if (room - out->bytes < READ_MIN) {
			room = room ? room * 2 : 1 << 18;
			out->list = xreallocarray(out->list, room, 1);
		}
		len = read(fd, out->list + out->bytes, room - out->bytes);
		out->bytes += len > 0 ? (size_t)len : 0;
	}
	err = len < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* Loads and attaches one alternative, with a small map of sockets, and removes it again. */
static int try_one(const struct alternative *alt)
{
	const struct plan only = {.chosen = {[0] = alt}};
	const struct plan *plans[] = {&only};
	struct loader l;
	int err = loader__open(&l, alt->object);

	if (err)
		return err;
	err = bpf_map__set_max_entries(
		bpf_object__find_map_by_name(l.object, socket_maps[alt->object]), 1);
	if (!err)
		err = loader__load(&l, plans, 1);
	if (!err)
		err = loader__attach(&l, &only);
	loader__close(&l);
	return err;
}

/* Whether BTF has what alt attaches to. 0, -ENOENT, -EPROTOTYPE. */
static int look_up(const struct btf_lookup *btf, const struct loader *l,
		   const struct alternative *alt)
{
	const char *function = alt->function;
	struct bpf_program *program;
	bool is_tracepoint = false;
	int err = 0;

	bpf_object__for_each_program(program, l->object) {
		const char *section = bpf_program__section_name(program);

		if (err || !alternative__has_program(alt, bpf_program__name(program)))
			continue;
		err = btf_lookup__section(btf, section);
		/* Without a name, args is about the function of the last program. */
		if (!alt->function) {
			function = strchr(section, '/') + 1;
			is_tracepoint = strstr(section, "tp_btf/");
		}
	}
	if (err || (!alt->args && !alt->function))
		return err;
	if (is_tracepoint)
		return !btf || btf_lookup__tracepoint_args(btf, function) == alt->args
			       ? 0
			       : -EPROTOTYPE;
	return btf_lookup__function(btf, function, alt->args);
}

/* Offers of an object from BTF alone. 0, or -errno if BTF or the object cannot be read. */
static int results_by_btf(enum bpf_object_id id, struct probe_result *probe_results)
{
	const struct btf_lookup *btf = btf_lookup__kernel();
	int err = btf_lookup__kernel_error();
	struct loader l = {0};

	if (!err)
		err = loader__open(&l, id);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].object == id)
			probe_results[i] = probe_result__from_error(
				err ? err : look_up(btf, &l, &plan_alternatives[i]));
	loader__close(&l);
	return err;
}

/* The first alternative of a backend that may work; NULL: none. */
static const struct alternative *sample_of(const struct probe_result *probe_results,
					   enum backend backend)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].object == OBJECT_ATTACH &&
		    plan_alternatives[i].backend == backend &&
		    probe_results[i].answer == ANSWER_YES)
			return &plan_alternatives[i];
	return NULL;
}

/*
 * Loads a program that only reads memory, as all programs do, and attaches it to a function:
 * without an object, whose load reads the kernel's BTF again. 0 or -errno.
 */
static int try_function(const char *function, enum bpf_attach_type type)
{
	const struct bpf_insn reads[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct bpf_prog_load_opts opts = {.sz = sizeof(opts), .expected_attach_type = type};
	int id = btf_lookup__id(btf_lookup__kernel(), function), fd, link, err = 0;

	if (id < 0)
		return id;
	opts.attach_btf_id = (__u32)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nio_try", "GPL", reads,
			   sizeof(reads) / sizeof(reads[0]), &opts);
	if (fd < 0)
		return -errno;
	/* An iterator's refusal comes with the load. */
	if (type != BPF_TRACE_ITER) {
		link = bpf_raw_tracepoint_open(NULL, fd);
		err = link < 0 ? -errno : 0;
		if (!err)
			close(link);
	}
	close(fd);
	return err;
}

/*
 * Some kernels refuse iterators whose elements a program may write to: unlike functions, one may be
 * refused where another is allowed.
 */
static void try_iterators(struct probe_result *probe_results)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];
		char function[64];

		if (alt->probe != PROBE_SOCKETS || probe_results[i].answer != ANSWER_YES)
			continue;
		snprintf(function, sizeof(function), "bpf_iter_%s", strchr(alt->hook, '/') + 1);
		probe_results[i] = probe_result__from_error(try_function(function, BPF_TRACE_ITER));
	}
}

/*
 * Tries one alternative of a backend, of attach: a kernel that refuses it refuses them all, for the
 * same reason. 0, or an -errno that says nothing about the kernel.
 */
static int try_backend(struct probe_result *probe_results, enum backend backend)
{
	const struct alternative *sample = sample_of(probe_results, backend);
	struct probe_result probe_result;
	int err;

	if (!sample)
		return 0;
	if (backend == BACKEND_FENTRY)
		err = try_function(strchr(sample->hook, '/') + 1, BPF_TRACE_FENTRY);
	else
		err = kprobes__missing_in("/sys/bus/event_source/devices");
	if (!err && backend == BACKEND_KPROBE)
		err = try_one(sample);
	probe_result = probe_result__from_error(err);
	if (probe_result.answer == ANSWER_YES)
		return 0;
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend &&
		    probe_results[i].answer == ANSWER_YES)
			probe_results[i] = probe_result;
	return probe_result.answer == ANSWER_UNKNOWN ? probe_result.err : 0;
}

int loader__presume(enum bpf_object_id who, struct probe_result *probe_results,
		    enum backend backend)
{
	int err = results_by_btf(OBJECT_ATTACH, probe_results), first;

	if (!err && who == OBJECT_RUN)
		err = results_by_btf(OBJECT_RUN, probe_results);
	first = err;
	if (!err)
		try_iterators(probe_results);
	for (int b = BACKEND_FENTRY; b < BACKEND_TRACEPOINT && !err; b++) {
		int unknown;

		if (backend != BACKEND_AUTO && backend != (enum backend)b)
			continue;
		unknown = try_backend(probe_results, b);
		first = first ? first : unknown;
		/*
		 * Where fentry works, attach uses no kprobes, and run next to none: a trial would
		 * cost as much as loading attach's object.
		 */
		if (!plan__backend_error(OBJECT_ATTACH, probe_results, b))
			break;
	}
	return first;
}

int loader__try_all(struct probe_result *probe_results)
{
	int err = 0;

	for (enum bpf_object_id id = 0; id < OBJECT_NR; id++) {
		int none = results_by_btf(id, probe_results);

		err = err ? err : none;
	}
	for (int b = BACKEND_FENTRY; !err && b < BACKEND_TRACEPOINT; b++)
		try_backend(probe_results, b);
	for (size_t i = 0; !err && i < plan_alternatives_nr; i++)
		if (probe_results[i].answer == ANSWER_YES)
			probe_results[i] = probe_result__from_error(try_one(&plan_alternatives[i]));
	return err;
}

/*
 * Before Linux 5.13 that gives -ENOENT (fixed by f3a95075549e, which changed no type and no name):
 * the helper is of the same release.
 */
bool loader__attaches_again(void)
{
	static int again = -1;

	if (again < 0)
		again = libbpf_probe_bpf_helper(BPF_PROG_TYPE_TRACEPOINT, BPF_FUNC_snprintf,
						NULL) == 1;
	return again;
}

#define BATCH 1024

/* A batch of the map, and the memory for the records. */
struct batch {
	__u64 *keys;
	struct sock_state *states;
	__u32 size;
	size_t room;
};

static void append(struct batch *b, struct loader_records *out, const struct sock_state *s)
{
	uint64_t size = s->has_events ? sizeof(*s) : SOCK_STATE_HEAD;

	if (b->room - out->bytes < sizeof(size) + size) {
		b->room = b->room ? 2 * b->room : 1 << 18;
		out->list = xreallocarray(out->list, b->room, 1);
	}
	memcpy(out->list + out->bytes, &size, sizeof(size));
	memcpy(out->list + out->bytes + sizeof(size), s, size);
	out->bytes += sizeof(size) + size;
}

static void grow(struct batch *b)
{
	b->size = b->size ? 2 * b->size : BATCH;
	b->keys = xreallocarray(b->keys, b->size, sizeof(*b->keys));
	b->states = xreallocarray(b->states, b->size, sizeof(*b->states));
}

int loader__take_states(int snapshots_fd, struct loader_records *out)
{
	struct batch b = {0};
	__u32 cursor, *from = NULL;
	int err = 0;

	*out = (struct loader_records){0};
	grow(&b);
	while (!err) {
		__u32 nr = b.size, next;

		err = bpf_map_lookup_and_delete_batch(snapshots_fd, from, &next, b.keys, b.states,
						      &nr, NULL)
			      ? -errno
			      : 0;
		/* A bucket of the hash is larger than the batch. */
		if (err == -ENOSPC) {
			grow(&b);
			err = 0;
			continue;
		}
		for (__u32 i = 0; (!err || err == -ENOENT) && i < nr; i++)
			append(&b, out, &b.states[i]);
		cursor = next;
		from = &cursor;
	}
	free(b.keys);
	free(b.states);
	return err == -ENOENT ? 0 : err;
}
