/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the counters of the exporter by group; see aggregates.h. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "aggregates.h"
#include "common/xalloc.h"

struct refused_name {
	char *name;
	struct refused_use use;
};

static bool in_use(const struct refused_use *use)
{
	return use->now || use->before;
}

void refused_names__clear(struct refused_names *r)
{
	for (size_t i = 0; i < r->nr; i++)
		free(r->list[i].name);
	free(r->list);
	*r = (struct refused_names){0};
}

/* The index of the name, or the one where it belongs. */
static size_t slot_of(const struct refused_names *r, const char *name)
{
	size_t begin = 0, end = r->nr;

	while (begin < end) {
		size_t middle = (begin + end) / 2;

		if (strcmp(r->list[middle].name, name) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static struct refused_name *find(const struct refused_names *r, const char *name)
{
	size_t i = slot_of(r, name);

	return i < r->nr && !strcmp(r->list[i].name, name) ? &r->list[i] : NULL;
}

bool refused_names__must_stay(const struct refused_names *r, const char *name)
{
	const struct refused_name *found = find(r, name);

	/* The sockets that are not remembered may be of any name. */
	return in_use(&r->rest) || (found && in_use(&found->use));
}

static void drop(struct refused_names *r, size_t i)
{
	free(r->list[i].name);
	r->nr--;
	memmove(&r->list[i], &r->list[i + 1], (r->nr - i) * sizeof(*r->list));
}

void refused_names__forget(struct refused_names *r, const char *name)
{
	const struct refused_name *found = find(r, name);

	if (found)
		drop(r, (size_t)(found - r->list));
}

static bool make_room(struct refused_names *r)
{
	if (r->nr < REFUSED_NAMES_MAX)
		return true;
	for (size_t i = 0; i < r->nr; i++)
		if (!in_use(&r->list[i].use)) {
			drop(r, i);
			return true;
		}
	return false;
}

static struct refused_name *insert(struct refused_names *r, const char *name)
{
	size_t i;

	if (!make_room(r))
		return NULL;
	i = slot_of(r, name);
	r->list = xgrow(r->list, r->nr, sizeof(*r->list));
	memmove(&r->list[i + 1], &r->list[i], (r->nr - i) * sizeof(*r->list));
	r->list[i] = (struct refused_name){.name = xstrdup(name)};
	r->nr++;
	r->total++;
	return &r->list[i];
}

void refused_names__note(struct refused_names *r, const char *name, bool open)
{
	struct refused_name *found = find(r, name);
	struct refused_use *use;

	if (!found)
		found = insert(r, name);
	use = found ? &found->use : &r->rest;
	use->now = use->now || open;
}

void refused_names__begin(struct refused_names *r)
{
	for (size_t i = 0; i < r->nr; i++)
		r->list[i].use.now = false;
	r->rest.now = false;
}

void refused_names__end(struct refused_names *r)
{
	for (size_t i = 0; i < r->nr; i++)
		r->list[i].use.before = r->list[i].use.now;
	r->rest.before = r->rest.now;
}

void aggregates__init(struct aggregates *a, size_t max, double now)
{
	*a = (struct aggregates){.max = max + 1, .nr = 1, .begun = now, .since = now};
	a->list = xcalloc(a->max, sizeof(*a->list));
	a->list[AGGREGATES_OTHER].created = now;
	strcpy(a->list[AGGREGATES_OTHER].name, "other");
}

void aggregates__clear(struct aggregates *a)
{
	refused_names__clear(&a->refused);
	free(a->list);
	*a = (struct aggregates){0};
}

static void add_sums(struct sums *to, const struct sums *sums)
{
	socket_ledger__add(&to->ledger, &sums->ledger);
	to->opened += sums->opened;
	for (size_t i = 0; i < COPY_CAUSE_NR; i++)
		to->copied[i] += sums->copied[i];
}

/* A sum has one quality: with the first estimate in it the sum is sampled, and stays so. */
static void publish_qualities(struct published *out, bool sampled)
{
	for (size_t i = 0; i < PART_NR; i++) {
		out->by_quality[sampled][i] =
			out->parts[i] + (i == PART_RX_COPY ? out->parts[PART_RX_PEEKED] : 0);
		out->by_quality[!sampled][i] = 0;
	}
}

/* "other" takes a group's counts. The published ones as well: a page may come before a refresh. */
static void fold(struct aggregate *other, const struct aggregate *g)
{
	add_sums(&other->closed, &g->closed);
	add_sums(&other->all, &g->all);
	num__add_counts(&other->out, &g->out, offsetof(struct published, deferred_unknown));
	other->out.deferred_unknown |= g->out.deferred_unknown;
	other->out.deferred_fell |= g->out.deferred_fell;
	other->out.deferred_hidden |= g->out.deferred_hidden;
	num__add_counts(other->weighted, g->weighted, sizeof(other->weighted));
	num__add_counts(other->credit, g->credit, sizeof(other->credit));
	other->sampled |= g->sampled;
	other->unwatched |= g->unwatched;
	publish_qualities(&other->out, other->sampled);
}

static size_t gone_slot(const struct aggregates *a)
{
	for (size_t i = AGGREGATES_OTHER + 1; i < a->nr; i++)
		if (a->list[i].gone && !a->list[i].busy && !a->list[i].was_busy)
			return i;
	return AGGREGATES_OTHER;
}

/* A slot that was never used, or one that "other" has emptied. AGGREGATES_OTHER: there is none. */
static size_t free_slot(struct aggregates *a)
{
	size_t i;

	if (a->nr < a->max)
		return a->nr++;
	i = gone_slot(a);
	if (i == AGGREGATES_OTHER && a->find_gone && !a->searched) {
		a->searched = true;
		a->find_gone(a->arg, a);
		i = gone_slot(a);
	}
	if (i != AGGREGATES_OTHER)
		fold(&a->list[AGGREGATES_OTHER], &a->list[i]);
	return i;
}

static size_t new_slot(struct aggregates *a, const char *name, const struct pod_names *pod,
		       bool open)
{
	size_t i = AGGREGATES_OTHER;

	if (!refused_names__must_stay(&a->refused, name))
		i = free_slot(a);
	if (i == AGGREGATES_OTHER) {
		refused_names__note(&a->refused, name, open);
		return AGGREGATES_OTHER;
	}
	refused_names__forget(&a->refused, name);
	/* The last finished refresh met no socket of this group. */
	a->list[i] = (struct aggregate){.created = a->since};
	strcpy(a->list[i].name, name);
	if (pod)
		a->list[i].pod = *pod;
	return i;
}

size_t aggregates__slot(struct aggregates *a, const char *name, const struct pod_names *pod,
			bool open)
{
	for (size_t i = 0; i < a->nr; i++)
		if (!strcmp(a->list[i].name, name)) {
			a->list[i].gone = false;
			return i;
		}
	return new_slot(a, name, pod, open);
}

static void add(struct sums *sums, const struct sock_state *s)
{
	const struct socket_ledger d = socket_ledger__weighted(s);

	socket_ledger__add(&sums->ledger, &d);
	/* 1: it was there before the exporter. MPTCP sockets are never begun. */
	sums->opened += d.connections && s->begun != 1;
	sums->copied[d.local ? COPY_CAUSE_LOCAL : COPY_CAUSE_UNKNOWN] +=
		d.stages[NIO_STAGE_DEFERRED_COPY].bytes;
	sums->copied[COPY_CAUSE_NO_SG] += socket_ledger__copied_in_calls(&d, s);
}

bool aggregates__hold(struct aggregates *a, const struct sock_state *s, bool final)
{
	bool waits = !final && !s->closed_ns;

	a->held += waits;
	return waits;
}

void aggregates__close(struct aggregates *a, size_t slot, const struct sock_state *s)
{
	add(&a->list[slot].closed, s);
	/* It was open when this refresh began. */
	if (a->refreshing)
		add(&a->list[slot].all, s);
	a->folded_sockets += slot == AGGREGATES_OTHER;
}

void aggregates__begin(struct aggregates *a, double now)
{
	a->refreshing = true;
	a->searched = false;
	a->keep = now > a->begun ? exp2((a->begun - now) / CREDIT_HALF_S) : 1;
	a->begun = now;
	a->held = 0;
	refused_names__begin(&a->refused);
	for (size_t i = 0; i < a->nr; i++) {
		a->list[i].all = a->list[i].closed;
		a->list[i].open = 0;
		a->list[i].busy = false;
	}
}

void aggregates__add_open(struct aggregates *a, size_t slot, const struct sock_state *s)
{
	add(&a->list[slot].all, s);
	a->list[slot].open += s->begun || s->uncovered;
	a->list[slot].busy = true;
}

static void grow(uint64_t *published, uint64_t now)
{
	if (now > *published)
		*published = now;
}

/* The part of `left` bytes that belongs to `share` of the events; both get less by it. */
static uint64_t take(uint64_t *left, uint64_t *events, uint64_t share)
{
	uint64_t part = *left;

	if (share < *events)
		part = (uint64_t)((unsigned __int128)*left * share / *events);
	*left -= part;
	*events -= share;
	return part;
}

/* Takes bytes that are known exactly. */
static void publish_exact(struct aggregate *g, enum part_of_bytes part, uint64_t *left,
			  uint64_t now)
{
	uint64_t fresh = now > g->out.parts[part] ? now - g->out.parts[part] : 0;

	fresh = fresh < *left ? fresh : *left;
	g->out.parts[part] += fresh;
	*left -= fresh;
}

/*
 * Divides the new bytes of a refresh as the events seen since the last one; what these do not stand
 * for, as the credits; the rest is unclassified (the last part).
 */
static void publish_parts(struct aggregate *g, enum part_of_bytes first, const uint64_t *now,
			  size_t n, uint64_t left, double keep)
{
	uint64_t *parts = g->out.parts + first, *weighted = g->weighted + first;
	uint64_t *credit = g->credit + first, want[PART_NR], seen = 0, credits = 0, used, part;

	for (size_t i = 0; i < n; i++) {
		want[i] = now[i] > weighted[i] ? now[i] - weighted[i] : 0;
		weighted[i] += want[i];
		seen += want[i];
		credit[i] = (uint64_t)((double)credit[i] * keep);
		credits += credit[i];
	}
	used = left < seen ? left : seen;
	left -= used;
	for (size_t i = 0; i < n; i++) {
		part = take(&used, &seen, want[i]);
		parts[i] += part;
		credit[i] += want[i] - part;
	}
	used = left < credits ? left : credits;
	parts[n - 1] += left - used;
	for (size_t i = 0; i < n && used; i++) {
		part = take(&used, &credits, credit[i]);
		parts[i] += part;
		credit[i] -= part;
	}
}

/*
 * Bytes that TCP counted and no stage has, of `uncovered` ones: TCP counts none of MPTCP, and not
 * all of a sockmap.
 */
static uint64_t unstaged(uint64_t uncovered, uint64_t counted, uint64_t staged)
{
	return u64__least(uncovered, u64__minus(counted, staged));
}

static void publish_sent(struct aggregate *g, double keep)
{
	const struct socket_ledger *ledger = &g->all.ledger;
	uint64_t now[] = {ledger->stages[NIO_STAGE_TX_COPY].bytes,
			  ledger->stages[NIO_STAGE_TX_PIN].bytes,
			  ledger->stages[NIO_STAGE_TX_SPLICE].bytes, 0};
	uint64_t left;

	now[3] = unstaged(
		u64__sum((const uint64_t *)ledger->uncovered[NIO_SIDE_SENDER], NIO_UNCOVERED_NR) +
			ledger->tls[NIO_SIDE_SENDER].overhead,
		ledger->socket_tx, u64__sum(now, 3) + ledger->tls[NIO_SIDE_SENDER].copied);
	grow(&g->out.sent, ledger->socket_tx);
	left = g->out.sent - u64__sum(g->out.parts + PART_TX_COPY, PART_RX_COPY - PART_TX_COPY);
	publish_exact(g, PART_TX_TLS, &left, ledger->tls[NIO_SIDE_SENDER].copied);
	publish_parts(g, PART_TX_COPY, now, 4, left, keep);
}

static void publish_read(struct aggregate *g, double keep)
{
	const struct socket_ledger *ledger = &g->all.ledger;
	const struct tls_ledger *tls = &ledger->tls[NIO_SIDE_RECEIVER];
	const uint64_t *uncovered = (const uint64_t *)ledger->uncovered[NIO_SIDE_RECEIVER];
	uint64_t copied = ledger->stages[NIO_STAGE_RX_COPY].bytes;
	uint64_t peeked = uncovered[NIO_UNCOVERED_PEEKED];
	uint64_t now[] = {u64__minus(copied, peeked), ledger->stages[NIO_STAGE_RX_MAP].bytes,
			  ledger->stages[NIO_STAGE_RX_DISCARD].bytes,
			  ledger->stages[NIO_STAGE_RX_SPLICE].bytes, 0};
	uint64_t left;

	now[4] = unstaged(u64__sum(uncovered, NIO_UNCOVERED_NR) - peeked + tls->overhead,
			  ledger->socket_rx, u64__sum(now, 4) + tls->copied - tls->copied_again);
	grow(&g->out.read, ledger->socket_rx);
	left = g->out.read - u64__sum(g->out.parts + PART_RX_COPY, PART_RX_PEEKED - PART_RX_COPY);
	publish_exact(g, PART_RX_TLS, &left, tls->copied - tls->copied_again);
	publish_parts(g, PART_RX_COPY, now, 5, left, keep);
	/* A copy in progress looks like a peek, but not in two refreshes. */
	grow(&g->out.parts[PART_RX_PEEKED], peeked < g->peeked ? peeked : g->peeked);
	g->peeked = peeked;
}

static void publish_bytes(struct aggregate *g, double keep)
{
	const struct socket_ledger *ledger = &g->all.ledger;
	struct published *out = &g->out;

	grow(&out->received, ledger->received);
	grow(&out->retransmitted, ledger->retrans);
	publish_sent(g, keep);
	publish_read(g, keep);
	grow(&out->decrypted, ledger->tls[NIO_SIDE_RECEIVER].copied);
	g->sampled |= ledger->divided[NIO_SIDE_SENDER] || ledger->divided[NIO_SIDE_RECEIVER];
	publish_qualities(out, g->sampled);
}

static void publish(struct aggregate *g, double keep)
{
	const struct socket_ledger *ledger = &g->all.ledger;
	struct published *out = &g->out;

	publish_bytes(g, keep);
	grow(&out->opened, g->all.opened);
	grow(&out->deferred, ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes);
	out->deferred_fell = ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes < out->deferred;
	out->deferred_unknown = !socket_ledger__stage_bytes(ledger, NIO_STAGE_DEFERRED_COPY).known;
	out->deferred_hidden |= ledger->unwatched && ledger->calls[NIO_CALL_IO_URING].events;
	/* sendfile and splice send in pieces: the number of their calls is not known. */
	for (size_t i = 0; i < NIO_CALL_NR; i++)
		if (i != NIO_CALL_SPLICE)
			grow(&out->sends[i], ledger->calls[i].events);
	grow(&out->zerocopy_sends, ledger->ids);
#define GROW(member, ...) grow(&out->member, ledger->member);
	NIO_SOCK_COUNTS(GROW)
	/* Programs count both while they are read: `copied` may be the later one. */
	if (ledger->completed > ledger->copied)
		grow(&out->not_copied, ledger->completed - ledger->copied);
	for (size_t i = 0; i < NIO_REQUEST_NR; i++)
		grow(&out->requests[i], ledger->requests[i]);
	for (size_t i = 0; i < COPY_CAUSE_NR; i++) {
		grow(&out->copied_bytes[i], g->all.copied[i]);
		out->deferred_fell |= g->all.copied[i] < out->copied_bytes[i];
	}
	for (size_t i = 0; i < NIO_REFUSAL_NR; i++)
		grow(&out->refused[i], ledger->refused[i]);
	for (size_t i = 0; i < NIO_SIZES; i++) {
		grow(&out->tx_sizes[i], ledger->tx_sizes[i]);
		grow(&out->rx_sizes[i], ledger->rx_sizes[i]);
	}
	g->unwatched |= ledger->unwatched != 0;
	grow(&out->tx_sizes_sum, ledger->tx_sizes_sum);
	grow(&out->rx_sizes_sum, ledger->rx_sizes_sum);
	out->connections = g->open;
	out->outstanding = ledger->ids > ledger->completed ? ledger->ids - ledger->completed : 0;
}

void aggregates__end(struct aggregates *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		publish(&a->list[i], a->keep);
		a->list[i].was_busy = a->list[i].busy;
	}
	refused_names__end(&a->refused);
	a->refreshing = false;
	a->since = a->begun;
}
