/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections and processes; see table.h. Pure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/word.h"
#include "table.h"

static const char *const sort_names[SORT_NR] = {
	[SORT_COPIED] = "copied",     [SORT_BYTES] = "bytes",       [SORT_SENT] = "sent",
	[SORT_RECEIVED] = "received", [SORT_ZEROCOPY] = "zerocopy",
};

const char *sort__name(enum sort sort)
{
	return sort_names[sort];
}

int sort__parse(const char *text, enum sort *out)
{
	for (int i = 0; i < SORT_NR; i++) {
		if (!same_word(text, sort_names[i]))
			continue;
		*out = (enum sort)i;
		return 0;
	}
	return -EINVAL;
}

uint64_t sort__value(enum sort sort, const struct books *b)
{
	switch (sort) {
	case SORT_COPIED:
		return books__copied_bytes(b);
	case SORT_SENT:
		return books__booked(b, NIO_SIDE_SENDER);
	case SORT_RECEIVED:
		return books__booked(b, NIO_SIDE_RECEIVER);
	case SORT_ZEROCOPY:
		return books__zerocopy_sends(b);
	default:
		return books__bytes(b);
	}
}

void table__clear(struct table *t)
{
	free(t->open);
	free(t->closed);
	free(t->ranked);
	free(t->processes);
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		groups__clear(&t->groups[kind]);
	memset(t, 0, sizeof(*t));
}

int table__error(const struct table *t)
{
	int err = t->err;

	for (int kind = 0; kind < GROUP_KINDS && !err; kind++)
		err = t->groups[kind].err;
	return err;
}

/* Makes room for one more of `size` bytes. */
static void *grown(void *array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void *larger;

	if (nr < *room)
		return array;
	larger = realloc(array, more * size);
	if (larger)
		*room = more;
	return larger;
}

static struct process *find_process(struct table *t, uint32_t tgid, uint64_t started)
{
	for (size_t i = 0; i < t->processes_nr; i++)
		if (t->processes[i].tgid == tgid && t->processes[i].started == started)
			return &t->processes[i];
	return NULL;
}

struct process *table__process(struct table *t, uint32_t tgid, uint64_t started)
{
	struct process *p = find_process(t, tgid, started), *larger;

	if (p)
		return p;
	if (t->processes_nr == TABLE_PROCESSES_MAX)
		return NULL;
	larger = grown(t->processes, t->processes_nr, &t->processes_room, sizeof(*p));
	if (!larger) {
		t->err = -ENOMEM;
		return NULL;
	}
	t->processes = larger;
	p = &t->processes[t->processes_nr++];
	memset(p, 0, sizeof(*p));
	p->tgid = tgid;
	p->started = started;
	return p;
}

size_t table__turn(const struct table *t, const struct process *p)
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

static struct process *process_of(struct table *t, uint32_t tgid, uint64_t started,
				  const char *comm)
{
	struct process *p = table__process(t, tgid, started);

	if (!p || p->comm[0])
		return p;
	memcpy(p->comm, comm, sizeof(p->comm));
	p->comm[sizeof(p->comm) - 1] = '\0';
	return p;
}

void table__begin(struct table *t)
{
	t->open_nr = 0;
	t->ranked_nr = 0;
}

static void keep_open(struct table *t, const struct sock_state *s)
{
	struct sock_state *larger = grown(t->open, t->open_nr, &t->open_room, sizeof(*s));

	if (!larger) {
		t->err = -ENOMEM;
		return;
	}
	t->open = larger;
	t->open[t->open_nr++] = *s;
}

static uint64_t bytes_of(const struct sock_state *s)
{
	struct books b = {0};

	books__add_socket(&b, s);
	return books__bytes(&b);
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
static void keep_closed(struct table *t, const struct sock_state *s)
{
	size_t at = t->closed_nr;

	if (!t->closed)
		t->closed = calloc(TABLE_CLOSED_MAX, sizeof(*t->closed));
	if (!t->closed) {
		t->err = -ENOMEM;
		return;
	}
	if (at < TABLE_CLOSED_MAX) {
		t->closed_nr++;
	} else {
		/* Found again only after it was replaced: most connections are no larger. */
		if (!t->closed_left_out++ || t->smallest_replaced)
			t->closed_smallest = smallest_closed(t);
		t->smallest_replaced = false;
		at = t->closed_smallest;
		if (bytes_of(s) <= t->closed_bytes[at])
			return;
		t->smallest_replaced = true;
	}
	t->closed[at] = *s;
	t->closed_bytes[at] = bytes_of(s);
}

static void close_books(struct table *t, const struct sock_state *s)
{
	struct process *p = process_of(t, s->tgid, s->started, s->comm);

	for (int kind = 0; kind < GROUP_KINDS; kind++)
		groups__close(&t->groups[kind], group__id((enum group_kind)kind, s), s);
	books__add_socket(&t->closed_sum, s);
	if (p)
		books__add_socket(&p->closed, s);
	else
		t->processes_closed_left_out++;
}

/* Taken in, and nothing ever moved: no connection of whom it was looked for. */
static bool is_idle(const struct sock_state *s)
{
	return !s->last_ns && s->now.sent == s->base.sent && s->now.read == s->base.read &&
	       s->now.received == s->base.received;
}

void table__take(struct table *t, const struct sock_state *s)
{
	if (is_idle(s))
		return;
	if (!s->closed_ns) {
		keep_open(t, s);
		return;
	}
	keep_closed(t, s);
	close_books(t, s);
}

/* Those that had this id before are gone, if their ends were seen or not. */
static void end_earlier(struct table *t, uint32_t tgid, uint64_t started)
{
	for (size_t i = 0; i < t->processes_nr; i++)
		if (t->processes[i].tgid == tgid && t->processes[i].started < started)
			t->processes[i].exited = true;
}

void table__take_task(struct table *t, uint32_t tgid, const struct nio_task *task)
{
	struct process *p = find_process(t, tgid, task->started);

	end_earlier(t, tgid, task->started);
	if (!p && task->asked)
		p = process_of(t, tgid, task->started, task->comm);
	if (!p)
		return;
	memcpy(p->comm, task->comm, sizeof(p->comm));
	p->comm[sizeof(p->comm) - 1] = '\0';
	p->parent = task->parent;
	p->asked |= task->asked != 0;
	p->exited = task->exit_ns != 0;
}

void table__take_read(struct table *t, uint32_t tgid, uint64_t started, uint64_t bytes, bool new)
{
	struct process *p = find_process(t, tgid, started);

	if (!p)
		return;
	if (!p->read_bytes.known)
		p->read_before = new ? 0 : bytes;
	p->read_bytes = (struct num){.value = bytes - p->read_before, .known = true};
}

struct num table__read_bytes(const struct table *t)
{
	struct num sum = {.reason = "of no process"};

	for (size_t i = 0; i < t->processes_nr; i++) {
		if (!t->processes[i].read_bytes.known)
			continue;
		sum.known = true;
		sum.value += t->processes[i].read_bytes.value;
	}
	return sum;
}

static void add_open(struct table *t, const struct sock_state *s)
{
	struct process *p = process_of(t, s->tgid, s->started, s->comm);

	for (int kind = 0; kind < GROUP_KINDS; kind++)
		groups__add_open(&t->groups[kind], group__id((enum group_kind)kind, s), s);
	books__add_socket(&t->total, s);
	if (p)
		books__add_socket(&p->books, s);
	else
		t->processes_left_out++;
}

void table__end(struct table *t)
{
	t->total = t->closed_sum;
	t->processes_left_out = t->processes_closed_left_out;
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		groups__begin(&t->groups[kind]);
	for (size_t i = 0; i < t->processes_nr; i++)
		t->processes[i].books = t->processes[i].closed;
	for (size_t i = 0; i < t->open_nr; i++)
		add_open(t, &t->open[i]);
}

/* What rows are sorted by. */
struct order {
	enum sort sort;
	uint64_t since_ns;
};

static bool has_moved(const struct books *b, const struct order *o)
{
	return o->since_ns && b->last_ns >= o->since_ns;
}

static int first(bool x, bool y)
{
	return x == y ? 0 : x ? -1 : 1;
}

static int by_size(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_books(const struct books *x, const struct books *y, const struct order *o)
{
	int c = first(has_moved(x, o), has_moved(y, o));

	return c ? c : by_size(sort__value(o->sort, x), sort__value(o->sort, y));
}

bool process__is_listed(const struct process *p)
{
	return p->asked || p->books.connections;
}

static int compare_processes(const void *a, const void *b, void *order)
{
	const struct process *x = a, *y = b;
	int c = first(process__is_listed(x), process__is_listed(y));

	return c ? c : compare_books(&x->books, &y->books, order);
}

static int compare_groups(const void *a, const void *b, void *order)
{
	const struct group *x = a, *y = b;

	return compare_books(&x->books, &y->books, order);
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int c = first(x->moved, y->moved);

	if (!c)
		c = first(x->open, y->open);
	return c ? c : by_size(x->value, y->value);
}

/* Values are worked out once: a comparison of thousands of connections would do it again and again.
 */
static void rank(struct table *t, const struct sock_state *streams, size_t nr,
		 const struct order *o)
{
	for (size_t i = 0; i < nr; i++) {
		struct books b = {0};

		books__add_socket(&b, &streams[i]);
		t->ranked[t->ranked_nr++] = (struct ranked){
			.moved = has_moved(&b, o),
			.open = streams == t->open,
			.value = sort__value(o->sort, &b),
			.stream = &streams[i],
		};
	}
}

static bool has_room_to_rank(struct table *t)
{
	size_t nr = t->open_nr + t->closed_nr;
	struct ranked *larger;

	if (nr <= t->ranked_room)
		return true;
	larger = realloc(t->ranked, 2 * nr * sizeof(*larger));
	if (!larger) {
		t->err = -ENOMEM;
		return false;
	}
	t->ranked = larger;
	t->ranked_room = 2 * nr;
	return true;
}

static void sort_groups(struct groups *g, struct order *o)
{
	if (g->nr)
		qsort_r(g->list, g->nr, sizeof(*g->list), compare_groups, o);
}

void table__sort(struct table *t, enum sort sort, uint64_t since_ns)
{
	struct order o = {sort, since_ns};

	if (t->processes_nr)
		qsort_r(t->processes, t->processes_nr, sizeof(*t->processes), compare_processes,
			&o);
	for (int kind = 0; kind < GROUP_KINDS; kind++)
		sort_groups(&t->groups[kind], &o);
	t->ranked_nr = 0;
	if (!has_room_to_rank(t))
		return;
	rank(t, t->open, t->open_nr, &o);
	rank(t, t->closed, t->closed_nr, &o);
	if (t->ranked_nr)
		qsort(t->ranked, t->ranked_nr, sizeof(*t->ranked), compare_ranked);
}

const struct sock_state *table__connection(const struct table *t, size_t i)
{
	return i < t->ranked_nr ? t->ranked[i].stream : NULL;
}
