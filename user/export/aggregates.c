/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the counters of the exporter by group; see aggregates.h. */
#include "aggregates.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

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
		out->by_quality[sampled][i] = out->parts[i];
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
	other->out.deferred_hidden |= g->out.deferred_hidden;
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
	const struct socket_ledger d = socket_ledger__of(s);

	socket_ledger__add(&sums->ledger, &d);
	/* 1: it was there before the exporter. MPTCP sockets are never begun. */
	sums->opened += d.connections && s->begun != 1;
	sums->copied[d.local ? COPY_CAUSE_LOCAL : COPY_CAUSE_UNKNOWN] +=
		s->stages[NIO_STAGE_DEFERRED_COPY].bytes;
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

/*
 * Publishes parts of a sum. An estimate by samples may shift bytes from one part to another, but a
 * published part only grows: new bytes go to the parts that are behind their estimate, in
 * proportion, so the parts always add up to the sum.
 */
static void publish_parts(uint64_t *published, const uint64_t *now, size_t n, uint64_t sum)
{
	uint64_t had = 0, behind = 0, fresh, given = 0;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		had += published[i];
		behind += now[i] > published[i] ? now[i] - published[i] : 0;
		if (now[i] &&
		    (int64_t)(now[i] - published[i]) > (int64_t)(now[most] - published[most]))
			most = i;
	}
	if (sum <= had)
		return;
	fresh = sum - had;
	for (size_t i = 0; i < n && behind; i++) {
		uint64_t want = now[i] > published[i] ? now[i] - published[i] : 0;
		uint64_t part = (uint64_t)((unsigned __int128)fresh * want / behind);

		published[i] += part;
		given += part;
	}
	published[most] += fresh - given;
}

static uint64_t sum_of(const __u64 *values, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static void publish_bytes(struct aggregate *g)
{
	const struct socket_ledger *b = &g->all.ledger;
	const uint64_t sent[] = {b->stages[NIO_STAGE_TX_COPY].bytes,
				 b->stages[NIO_STAGE_TX_PIN].bytes,
				 b->stages[NIO_STAGE_TX_SPLICE].bytes,
				 sum_of(b->uncovered[NIO_SIDE_SENDER], NIO_UNCOVERED_NR) +
					 b->tls[NIO_SIDE_SENDER].overhead,
				 b->tls[NIO_SIDE_SENDER].copied};
	const struct tls_ledger *rx = &b->tls[NIO_SIDE_RECEIVER];
	uint64_t read[] = {
		b->stages[NIO_STAGE_RX_COPY].bytes,    b->stages[NIO_STAGE_RX_MAP].bytes,
		b->stages[NIO_STAGE_RX_DISCARD].bytes, b->stages[NIO_STAGE_RX_SPLICE].bytes,
		rx->copied - rx->copied_again,         b->socket_rx};
	struct published *out = &g->out;

	/* The rest is unclassified. */
	for (int i = 0; i < 5; i++)
		read[5] -= read[i] < read[5] ? read[i] : read[5];

	grow(&out->sent, b->socket_tx);
	grow(&out->received, b->received);
	grow(&out->read, b->socket_rx);
	grow(&out->retransmitted, b->retrans);
	publish_parts(&out->parts[PART_TX_COPY], sent, 5, out->sent);
	publish_parts(&out->parts[PART_RX_COPY], read, 6, out->read);
	grow(&out->decrypted, rx->copied);
	g->sampled |= b->divided[NIO_SIDE_SENDER] || b->divided[NIO_SIDE_RECEIVER];
	publish_qualities(out, g->sampled);
}

static void publish(struct aggregate *g)
{
	const struct socket_ledger *b = &g->all.ledger;
	struct published *out = &g->out;

	publish_bytes(g);
	grow(&out->opened, g->all.opened);
	grow(&out->deferred, b->stages[NIO_STAGE_DEFERRED_COPY].bytes);
	out->deferred_unknown = !socket_ledger__stage_bytes(b, NIO_STAGE_DEFERRED_COPY).known;
	out->deferred_hidden |= b->unwatched && b->calls[NIO_CALL_IO_URING].events;
	for (size_t i = 0; i < NIO_CALL_NR; i++)
		grow(&out->sends[i], b->calls[i].events);
	grow(&out->zerocopy_sends, b->ids);
	grow(&out->completed, b->completed);
	grow(&out->copied, b->copied);
	out->not_copied = out->completed - out->copied;
	for (size_t i = 0; i < NIO_REQUEST_NR; i++)
		grow(&out->requests[i], b->requests[i]);
	for (size_t i = 0; i < COPY_CAUSE_NR; i++)
		grow(&out->copied_bytes[i], g->all.copied[i]);
	for (size_t i = 0; i < NIO_REFUSAL_NR; i++)
		grow(&out->refused[i], b->refused[i]);
	for (size_t i = 0; i < NIO_SIZES; i++) {
		grow(&out->tx_sizes[i], b->tx_sizes[i]);
		grow(&out->rx_sizes[i], b->rx_sizes[i]);
	}
	g->unwatched |= b->unwatched != 0;
	grow(&out->tx_sizes_sum, b->tx_sizes_sum);
	grow(&out->rx_sizes_sum, b->rx_sizes_sum);
	out->connections = g->open;
	out->outstanding = b->ids > b->completed ? b->ids - b->completed : 0;
}

void aggregates__end(struct aggregates *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		publish(&a->list[i]);
		a->list[i].was_busy = a->list[i].busy;
	}
	refused_names__end(&a->refused);
	a->refreshing = false;
	a->since = a->begun;
}
