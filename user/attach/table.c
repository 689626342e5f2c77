/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections, processes, ports and cgroups; see table.h. Pure. */
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "table.h"

const char *sort__name(enum sort sort)
{
	static const char *const names[SORT_NR] = {"copied", "bytes", "sent", "received",
						   "zerocopy"};

	return names[sort];
}

uint64_t sort__value(enum sort sort, const struct socket_ledger *ledger)
{
	switch (sort) {
	case SORT_COPIED:
		return socket_ledger__copied_bytes(ledger);
	case SORT_SENT:
		return socket_ledger__payload(ledger, NIO_SIDE_SENDER);
	case SORT_RECEIVED:
		return socket_ledger__payload(ledger, NIO_SIDE_RECEIVER);
	case SORT_ZEROCOPY:
		return socket_ledger__zerocopy_sends(ledger).value;
	default:
		return socket_ledger__bytes(ledger);
	}
}

static void clear_groups(struct groups *g)
{
	for (size_t i = 0; i < g->nr; i++)
		free(g->list[i].name);
	free(g->list);
}

void table__clear(struct table *t)
{
	free(t->open);
	free(t->closed);
	free(t->ranked);
	for (size_t i = 0; i < t->processes_nr; i++)
		clear_groups(&t->processes[i].ports);
	free(t->processes);
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		clear_groups(&t->groups[kind]);
	memset(t, 0, sizeof(*t));
}

/* Ports and cgroups. */

static uint16_t port_of(const struct sock_state *s)
{
	if (!(s->flags & SOCK_STATE_PLACED))
		return 0;
	return (s->flags & SOCK_STATE_CALLER) ? s->remote_port : s->local_port;
}

uint64_t group__id(enum group_kind kind, const struct sock_state *s)
{
	return kind == GROUP_PORT ? port_of(s) : s->cgroup;
}

const struct group *groups__find(const struct groups *g, uint64_t id)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->list[i].id == id)
			return &g->list[i];
	return NULL;
}

/* The group of this id, added if new; NULL: the table is full. */
static struct group *group_of(struct groups *g, uint64_t id, size_t max)
{
	const struct group *found = groups__find(g, id);

	if (found)
		return &g->list[found - g->list];
	if (g->nr == max)
		return NULL;
	g->list = xgrow(g->list, g->nr, sizeof(*g->list));
	g->list[g->nr] = (struct group){.id = id};
	return &g->list[g->nr++];
}

size_t groups__left_out(const struct groups *g)
{
	return g->closed_left_out + g->open_left_out;
}

bool groups__any_encrypts(const struct groups *ports)
{
	for (size_t i = 0; i < ports->nr; i++)
		if (advice__encrypts((uint16_t)ports->list[i].id))
			return true;
	return false;
}

static void add_to_group(struct groups *g, uint64_t id, size_t max, const struct socket_ledger *d,
			 bool closed)
{
	struct group *group = group_of(g, id, max);

	if (group)
		socket_ledger__add(closed ? &group->closed : &group->ledger, d);
	else
		*(closed ? &g->closed_left_out : &g->open_left_out) += 1;
}

/* The closed connections, to which the open ones are added. */
static void begin_groups(struct groups *g)
{
	g->open_left_out = 0;
	for (size_t i = 0; i < g->nr; i++)
		g->list[i].ledger = g->list[i].closed;
}

static void set_gaps(struct socket_ledger *ledger, const struct socket_ledger *total)
{
	ledger->left_out = total->left_out;
	ledger->refused_runs = total->refused_runs;
	ledger->evidence = total->evidence;
}

static void set_gaps_of_groups(struct groups *g, const struct socket_ledger *total)
{
	for (size_t i = 0; i < g->nr; i++)
		set_gaps(&g->list[i].ledger, total);
}

/* Processes. */

static struct process *find_process(const struct table *t, uint32_t tgid, uint64_t started)
{
	for (size_t i = 0; i < t->processes_nr; i++)
		if (t->processes[i].tgid == tgid && t->processes[i].started == started)
			return &t->processes[i];
	return NULL;
}

struct process *table__process(struct table *t, uint32_t tgid, uint64_t started)
{
	struct process *p = find_process(t, tgid, started);

	if (p)
		return p;
	if (t->processes_nr == TABLE_PROCESSES_MAX)
		return NULL;
	t->processes = xgrow(t->processes, t->processes_nr, sizeof(*p));
	p = &t->processes[t->processes_nr++];
	memset(p, 0, sizeof(*p));
	p->tgid = tgid;
	p->started = started;
	return p;
}

static void set_comm(struct process *p, const char *comm)
{
	memcpy(p->comm, comm, sizeof(p->comm));
	p->comm[sizeof(p->comm) - 1] = '\0';
}

static void add_to_process(struct table *t, const struct sock_state *s,
			   const struct socket_ledger *d)
{
	struct process *p = table__process(t, s->tgid, s->started);

	if (!p) {
		*(s->closed_ns ? &t->processes_closed_left_out : &t->processes_left_out) += 1;
		return;
	}
	if (!p->comm[0])
		set_comm(p, s->comm);
	if (s->shared_with)
		p->shared_with = s->shared_with;
	socket_ledger__add(s->closed_ns ? &p->closed : &p->ledger, d);
	if (port_of(s))
		add_to_group(&p->ports, port_of(s), PROCESS_PORTS_MAX, d, s->closed_ns);
}

static void add_socket(struct table *t, const struct sock_state *s, const struct socket_ledger *d)
{
	socket_ledger__add(s->closed_ns ? &t->closed_sum : &t->total, d);
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		add_to_group(&t->groups[kind], group__id((enum group_kind)kind, s), GROUPS_MAX, d,
			     s->closed_ns);
	add_to_process(t, s, d);
}

const struct process *table__owner(const struct table *t, const struct sock_state *s)
{
	return find_process(t, s->tgid, s->started);
}

bool process__is_listed(const struct process *p)
{
	return p->asked || p->ledger.connections || p->ledger.unconnected;
}

size_t table__ordinal(const struct table *t, const struct process *p)
{
	size_t before = 0, nr = 0;

	for (size_t i = 0; p->tgid && i < t->processes_nr; i++) {
		const struct process *other = &t->processes[i];

		if (other->tgid != p->tgid || !process__is_listed(other))
			continue;
		nr++;
		before += other->started < p->started;
	}
	return nr > 1 ? before + 1 : 0;
}

void table__add_task(struct table *t, uint32_t tgid, const struct nio_task *task)
{
	struct process *p = find_process(t, tgid, task->started);

	/* Earlier processes of this PID are gone, whether their ends were seen or not. */
	for (size_t i = 0; i < t->processes_nr; i++)
		if (t->processes[i].tgid == tgid && t->processes[i].started < task->started)
			t->processes[i].exited = true;
	if (!p && task->asked)
		p = table__process(t, tgid, task->started);
	if (!p)
		return;
	set_comm(p, task->comm);
	p->parent = task->parent;
	p->asked |= task->asked != 0;
	p->exited = task->exit_ns != 0;
}

void table__add_read(struct table *t, uint32_t tgid, uint64_t started, uint64_t bytes, bool new)
{
	struct process *p = find_process(t, tgid, started);

	if (!p)
		return;
	if (!p->read_bytes.known)
		p->read_before = new ? 0 : bytes;
	p->read_bytes = (struct num){.value = bytes - p->read_before, .known = true};
	p->read_refresh = t->refresh;
	p->copied_read = p->ledger.stages[NIO_STAGE_TX_COPY].bytes;
	p->spliced_read = p->ledger.stages[NIO_STAGE_TX_SPLICE].bytes;
	p->received_read = p->ledger.socket_rx;
	for (size_t i = 0; i < p->ports.nr; i++)
		p->ports.list[i].copied_read =
			p->ports.list[i].ledger.stages[NIO_STAGE_TX_COPY].bytes;
}

static void add_samples(struct cpu_samples *to, const struct cpu_samples *from)
{
	to->samples += from->samples;
	for (int c = 0; c < CPU_CLASS_NR; c++)
		to->classes[c] += from->classes[c];
}

bool table__samples_of(const struct table *t, const struct process *only, const char *comm,
		       struct cpu_samples *cpu)
{
	bool any = false;

	for (size_t i = 0; i < t->processes_nr; i++) {
		const struct process *p = &t->processes[i];
		char name[sizeof(p->comm)];

		if ((only && p != only) || !process__is_listed(p) || !comm[0] ||
		    strcmp(printable(name, sizeof(name), p->comm), comm) != 0)
			continue;
		add_samples(cpu, &p->cpu.samples);
		any = true;
	}
	return any;
}

static void add_to_program(struct advice_program *program, const struct process *p)
{
	add_samples(&program->cpu, &p->cpu.samples);
	/* A port whose protocol encrypts explains the samples in libraries that encrypt. */
	if (!groups__any_encrypts(&p->ports))
		program->encrypted += p->cpu.encrypted;
	program->completed += p->ledger.completed;
	if (!p->read_bytes.known)
		return;
	program->read.known = true;
	program->read.value += p->read_bytes.value;
	program->copied += p->copied_read;
	program->spliced += p->spliced_read;
	program->received += p->received_read;
}

bool table__program(const struct table *t, const struct process *only, uint16_t port,
		    struct advice_program *program, uint64_t *copied)
{
	size_t from = only ? (size_t)(only - t->processes) : 0;
	size_t to = only ? from + 1 : t->processes_nr;
	bool any = false;

	*program = (struct advice_program){.read.reason = "of no process"};
	*copied = 0;
	for (size_t i = from; i < to; i++) {
		const struct process *p = &t->processes[i];
		const struct group *at = port ? groups__find(&p->ports, port) : NULL;

		if ((port && !at) || !process__is_listed(p))
			continue;
		add_to_program(program, p);
		*copied += at ? at->copied_read : p->copied_read;
		any = true;
	}
	return any;
}

/* Refreshes. */

void table__begin(struct table *t)
{
	t->open_nr = 0;
	t->ranked_nr = 0;
	t->refresh++;
}

static size_t smallest_closed(const struct table *t)
{
	size_t smallest = 0;

	for (size_t i = 1; i < t->closed_nr; i++)
		if (t->closed_bytes[i] < t->closed_bytes[smallest])
			smallest = i;
	return smallest;
}

/* The largest are kept: a later one takes the place of the smallest. */
static void keep_closed(struct table *t, const struct sock_state *s, uint64_t bytes)
{
	size_t at = t->closed_nr;

	if (!t->closed)
		t->closed = xcalloc(TABLE_CLOSED_MAX, sizeof(*t->closed));
	if (at < TABLE_CLOSED_MAX) {
		t->closed_nr++;
	} else {
		/* Search the minimum only after a replacement: most connections are smaller. */
		if (!t->closed_left_out++ || t->smallest_replaced)
			t->closed_smallest = smallest_closed(t);
		t->smallest_replaced = false;
		at = t->closed_smallest;
		if (bytes <= t->closed_bytes[at])
			return;
		t->smallest_replaced = true;
	}
	t->closed[at] = *s;
	t->closed_bytes[at] = bytes;
}

struct socket_ledger table__ledger_of(const struct table *t, const struct sock_state *s)
{
	struct socket_ledger d = socket_ledger__of(s);

	if (t->rings && *t->rings)
		socket_ledger__hide_pins(&d, s);
	d.evidence = t->evidence;
	if (t->evidence.native_xdp)
		socket_ledger__mark_unknown_by_xdp(&d);
	return d;
}

void table__add(struct table *t, const struct sock_state *s)
{
	struct socket_ledger d;

	if (!s->closed_ns) {
		/* The array keeps its room from one refresh to the next. xgrow() would not. */
		if (t->open_nr == t->open_room) {
			t->open_room = t->open_room ? 2 * t->open_room : 64;
			t->open = xreallocarray(t->open, t->open_room, sizeof(*s));
		}
		t->open[t->open_nr++] = *s;
		return;
	}
	d = table__ledger_of(t, s);
	keep_closed(t, s, socket_ledger__bytes(&d));
	add_socket(t, s, &d);
}

void table__end(struct table *t)
{
	t->total = t->closed_sum;
	t->processes_left_out = t->processes_closed_left_out;
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		begin_groups(&t->groups[kind]);
	for (size_t i = 0; i < t->processes_nr; i++) {
		t->processes[i].ledger = t->processes[i].closed;
		begin_groups(&t->processes[i].ports);
	}
	for (size_t i = 0; i < t->open_nr; i++) {
		struct socket_ledger d = table__ledger_of(t, &t->open[i]);

		add_socket(t, &t->open[i], &d);
	}
}

void table__set_gaps(struct table *t, size_t left_out, uint64_t refused_runs)
{
	t->total.left_out = left_out;
	t->total.refused_runs = refused_runs;
	t->total.evidence = t->evidence;
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		set_gaps_of_groups(&t->groups[kind], &t->total);
	for (size_t i = 0; i < t->processes_nr; i++) {
		set_gaps(&t->processes[i].ledger, &t->total);
		set_gaps_of_groups(&t->processes[i].ports, &t->total);
	}
}

/* Groups of the process `tgid`; 0: of all. */
static void divide_groups(struct groups *g, enum seen_kind kind, const struct seen_groups *seen,
			  uint32_t tgid, uint64_t started)
{
	for (struct group *i = g->list; i < g->list + g->nr; i++) {
		uint64_t id = tgid ? seen_groups__process_port(tgid, i->id) : i->id;

		socket_ledger__divide_missed(&i->ledger,
					     seen_groups__find(seen, kind, id, started));
	}
}

void table__divide_missed(struct table *t, const struct attach_events *e)
{
	if (!e->sampled)
		return;
	socket_ledger__divide_missed(&t->total, &e->seen);
	divide_groups(&t->groups[GROUP_PORT], SEEN_PORT, &e->groups, 0, 0);
	divide_groups(&t->groups[GROUP_CGROUP], SEEN_CGROUP, &e->groups, 0, 0);
	/* Processes of other PID namespaces, and unknown ones, share tgid 0. */
	for (struct process *p = t->processes; p < t->processes + t->processes_nr; p++) {
		if (!p->tgid)
			continue;
		socket_ledger__divide_missed(&p->ledger, seen_groups__find(&e->groups, SEEN_PROCESS,
									   p->tgid, p->started));
		divide_groups(&p->ports, SEEN_PROCESS_PORT, &e->groups, p->tgid, p->started);
	}
}

/* Sorting. */

/* Ranks are computed once, not at each comparison. */
static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->class != y->class)
		return x->class > y->class ? -1 : 1;
	return x->value < y->value ? 1 : x->value > y->value ? -1 : 0;
}

static void sort_rows(void *rows, size_t nr, size_t size)
{
	if (nr)
		qsort(rows, nr, size, compare_ranks);
}

/* Whether bytes moved since since_ns, before or after another property. */
static struct rank rank_of(const struct socket_ledger *ledger, enum sort sort, uint64_t since_ns,
			   unsigned int above, unsigned int below)
{
	bool moved = since_ns && ledger->last_ns >= since_ns;

	return (struct rank){above << 2 | moved << 1 | below, sort__value(sort, ledger)};
}

void table__sort(struct table *t, enum sort sort, uint64_t since_ns)
{
	for (size_t i = 0; i < t->processes_nr; i++) {
		struct process *p = &t->processes[i];

		p->rank = rank_of(&p->ledger, sort, since_ns, process__is_listed(p), 0);
	}
	sort_rows(t->processes, t->processes_nr, sizeof(*t->processes));
	for (int kind = 0; kind < GROUP_KINDS; kind++) {
		struct groups *g = &t->groups[kind];

		for (size_t i = 0; i < g->nr; i++)
			g->list[i].rank = rank_of(&g->list[i].ledger, sort, since_ns, 0, 0);
		sort_rows(g->list, g->nr, sizeof(*g->list));
	}
	t->ranked_nr = t->open_nr + t->closed_nr;
	free(t->ranked);
	t->ranked = xcalloc(t->ranked_nr + 1, sizeof(*t->ranked));
	for (size_t i = 0; i < t->ranked_nr; i++) {
		bool open = i < t->open_nr;
		const struct sock_state *s = open ? &t->open[i] : &t->closed[i - t->open_nr];
		struct socket_ledger ledger = table__ledger_of(t, s);

		t->ranked[i] = (struct ranked){rank_of(&ledger, sort, since_ns, 0, open), s};
	}
	sort_rows(t->ranked, t->ranked_nr, sizeof(*t->ranked));
}

const struct sock_state *table__connection(const struct table *t, size_t i)
{
	return i < t->ranked_nr ? t->ranked[i].stream : NULL;
}
