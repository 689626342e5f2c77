/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of runs; see ledger__add(). A number that one run lacks is unknown in the sum, with the
 * reason of the first run that lacks it. Pure.
 */
#include <stdio.h>
#include <string.h>

#include "ledger.h"
#include "unsupported_paths.h"

void ledger__add_num(struct num *dst, const struct num *src)
{
	if (dst->known && src->known)
		dst->value += src->value;
	else if (dst->known)
		*dst = *src;
}

/* Copies the first reason of a sum. */
static void keep_reason(const char **dst, const char *src)
{
	if (!*dst)
		*dst = src;
}

static void copy_hist(struct hist **dst, const struct hist *src)
{
	hist__free(*dst);
	*dst = hist__dup(src);
}

/* NULL: unknown. Histograms of one kind have one layout. */
static void add_hist(struct hist **dst, const struct hist *src)
{
	if (src && *dst)
		hist__add(*dst, src);
	else
		copy_hist(dst, NULL);
}

static void add_latency(struct latency_result *dst, const struct latency_result *src)
{
	keep_reason(&dst->reason, src->reason);
	add_hist(&dst->hist, src->hist);
}

static void add_zc(struct zc_counts *dst, const struct zc_counts *src)
{
	dst->sends += src->sends;
	dst->completed += src->completed;
	dst->copied += src->copied;
	dst->not_copied += src->not_copied;
	dst->enobufs += src->enobufs;
	dst->fallback_bytes += src->fallback_bytes;
}

static void add_app(struct app_result *dst, const struct app_result *src)
{
	keep_reason(&dst->rx_reason, src->rx_reason);
	keep_reason(&dst->tcp_received_reason, src->tcp_received_reason);
	dst->tx_bytes += src->tx_bytes;
	dst->tx_messages += src->tx_messages;
	dst->rx_bytes += src->rx_bytes;
	dst->rx_messages += src->rx_messages;
	ledger__add_num(&dst->replies.tx_bytes, &src->replies.tx_bytes);
	ledger__add_num(&dst->replies.tx_messages, &src->replies.tx_messages);
	dst->replies.rx_bytes += src->replies.rx_bytes;
	dst->replies.rx_messages += src->replies.rx_messages;
	dst->replies.errors += src->replies.errors;
	dst->partial_sends += src->partial_sends;
	dst->eagain += src->eagain;
	dst->eintr += src->eintr;
	dst->tcp_bytes_acked += src->tcp_bytes_acked;
	dst->tcp_bytes_received += src->tcp_bytes_received;
	dst->tcp_bytes_retrans += src->tcp_bytes_retrans;
	ledger__add_num(&dst->verify_errors, &src->verify_errors);
	add_zc(&dst->zc, &src->zc);
	ledger__add_num(&dst->sender_cpu_ns, &src->sender_cpu_ns);
	ledger__add_num(&dst->receiver_cpu_ns, &src->receiver_cpu_ns);
	for (int k = 0; k < LATENCY_NR; k++)
		add_latency(&dst->latency[k], &src->latency[k]);
}

static void add_stage(struct stage_result *dst, const struct stage_result *src)
{
	dst->bytes += src->bytes;
	dst->events += src->events;
	if (dst->quality != QUALITY_UNAVAILABLE &&
	    (src->quality == QUALITY_UNAVAILABLE ||
	     (dst->quality == QUALITY_EXACT && src->quality != QUALITY_EXACT))) {
		dst->quality = src->quality;
		dst->reason = src->reason;
	}
	add_hist(&dst->sizes, src->sizes);
}

/* A sum with one scaled part is scaled. */
static void add_counter(struct num *dst, const struct num *src)
{
	ledger__add_num(dst, src);
	if (dst->known)
		keep_reason(&dst->reason, src->reason);
}

/* A sum uses the smallest share of its parts, as the safest. */
static void add_running(struct real *dst, const struct real *src)
{
	if (dst->known && (!src->known || src->value < dst->value))
		*dst = *src;
}

static void add_perf(struct run_result *dst, const struct run_result *src)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int c = 0; c < PERF_NR; c++) {
			struct perf_detail *d = &dst->perf_detail[side][c];
			const struct perf_detail *s = &src->perf_detail[side][c];

			add_counter(&dst->perf[side][c], &src->perf[side][c]);
			add_counter(&d->user, &s->user);
			add_counter(&d->kernel, &s->kernel);
			add_running(&d->running, &s->running);
		}
		for (size_t i = 0; i < dst->perf_asked_nr; i++) {
			add_counter(&dst->perf_asked[i].count[side],
				    &src->perf_asked[i].count[side]);
			add_running(&dst->perf_asked[i].running[side],
				    &src->perf_asked[i].running[side]);
		}
	}
}

/*
 * A sum of timed rounds covers those that were made: one missing round does not make the sum
 * unknown.
 */
enum adding {
	ADD,
	KEEP, /* dst has such times, src has none */
	TAKE, /* src has, dst has none */
};

static enum adding adding_of(const struct run_result *dst, const struct run_result *src)
{
	bool to = dst->times.source == TIMES_OF_ITS_OWN,
	     from = src->times.source == TIMES_OF_ITS_OWN;

	return to == from ? ADD : to ? KEEP : TAKE;
}

/* A stage whose time is of the rounds themselves adds up as everything of them does. */
static enum adding adding_of_stage(const struct stage_result *dst, const struct stage_result *src,
				   enum adding how)
{
	return dst->timed_bytes.known || src->timed_bytes.known ? how : ADD;
}

static void add_how(struct num *dst, const struct num *src, enum adding how)
{
	if (how == ADD)
		ledger__add_num(dst, src);
	else if (how == TAKE)
		*dst = *src;
}

static void add_stage_time(struct stage_result *dst, const struct stage_result *src,
			   enum adding how)
{
	how = adding_of_stage(dst, src, how);
	add_how(&dst->ns, &src->ns, how);
	add_how(&dst->timed, &src->timed, how);
	add_how(&dst->timed_bytes, &src->timed_bytes, how);
	if (how == ADD)
		add_hist(&dst->times, src->times);
	else if (how == TAKE)
		copy_hist(&dst->times, src->times);
}

static void add_path(struct run_result *dst, const struct run_result *src, enum adding how)
{
	for (int p = 0; p < PATH_NR; p++)
		add_how(&dst->path_ns[p], &src->path_ns[p], how);
	add_how(&dst->path_calls, &src->path_calls, how);
	if (how == TAKE || (how == ADD && dst->path_quality != QUALITY_UNAVAILABLE &&
			    src->path_quality == QUALITY_UNAVAILABLE)) {
		dst->path_quality = src->path_quality;
		dst->path_reason = src->path_reason;
	}
}

static void add_times(struct times_result *dst, const struct times_result *src, enum adding how)
{
	if (how == TAKE)
		*dst = *src;
	if (how != ADD)
		return;
	dst->duration_ns += src->duration_ns;
	dst->payload += src->payload;
	dst->messages += src->messages;
	dst->calls += src->calls;
	ledger__add_num(&dst->missed, &src->missed);
	ledger__add_num(&dst->map_full, &src->map_full);
	ledger__add_num(&dst->unmatched, &src->unmatched);
}

static void add_sum(uint64_t *bytes, uint64_t *events, uint64_t *ns, const struct nio_sum *more)
{
	*bytes += more->bytes;
	*events += more->events;
	*ns += more->ns;
}

/* Adds to the entry of the same place, or to a new one, or to the last if the list is full. */
void ledger__add_place(struct run_result *r, const struct place_result *more)
{
	struct nio_sum sum = {.bytes = more->bytes, .events = more->events, .ns = more->ns};
	struct place_result *p = r->places;
	size_t i;

	for (i = 0; i < r->places_nr; i++)
		if (p[i].context == more->context && !strcmp(p[i].comm, more->comm) &&
		    !strcmp(p[i].dev, more->dev))
			break;
	if (i == PLACES_SHOWN) {
		i--;
		snprintf(p[i].comm, sizeof(p[i].comm), "(others)");
		p[i].dev[0] = '\0';
		p[i].context = NIO_CONTEXT_UNKNOWN;
	} else if (i == r->places_nr) {
		p[i] = *more;
		r->places_nr++;
		return;
	}
	add_sum(&p[i].bytes, &p[i].events, &p[i].ns, &sum);
}

void ledger__add_other(struct run_result *r, const struct other_result *more)
{
	struct nio_sum sum = {.bytes = more->bytes, .events = more->events, .ns = more->ns};
	struct other_result *o = r->others;
	size_t i;

	for (i = 0; i < r->others_nr; i++)
		if (!strcmp(o[i].caller, more->caller))
			break;
	if (i == OTHERS_SHOWN) {
		i--;
		snprintf(o[i].caller, sizeof(o[i].caller), "(others)");
	} else if (i == r->others_nr) {
		o[i] = *more;
		r->others_nr++;
		return;
	}
	add_sum(&o[i].bytes, &o[i].events, &o[i].ns, &sum);
}

static void add_time(struct run_result *dst, const struct run_result *src)
{
	enum adding how = adding_of(dst, src);

	for (int s = 0; s < NIO_STAGE_NR; s++)
		add_stage_time(&dst->stages[s], &src->stages[s], how);
	add_path(dst, src, how);
	if (how == TAKE)
		memcpy(dst->perf_window, src->perf_window, sizeof(dst->perf_window));
	else if (how == ADD)
		ledger__add_windows(dst, src);
	if (how == ADD) {
		add_latency(&dst->pinned.completion, &src->pinned.completion);
	} else if (how == TAKE) {
		dst->pinned.completion.reason = src->pinned.completion.reason;
		copy_hist(&dst->pinned.completion.hist, src->pinned.completion.hist);
	}
	add_times(&dst->times, &src->times, how);
	add_latency(&dst->pinned.outstanding, &src->pinned.outstanding);
	ledger__add_num(&dst->pinned.completed_bytes, &src->pinned.completed_bytes);
	ledger__add_num(&dst->enobufs_optmem, &src->enobufs_optmem);
	ledger__add_num(&dst->enobufs_memlock, &src->enobufs_memlock);
	keep_reason(&dst->places_reason, src->places_reason);
	for (size_t i = 0; i < src->places_nr; i++)
		ledger__add_place(dst, &src->places[i]);
	for (size_t i = 0; i < src->others_nr; i++)
		ledger__add_other(dst, &src->others[i]);
}

static void add_health(struct health *dst, const struct health *src)
{
	ledger__add_num(&dst->missed, &src->missed);
	ledger__add_num(&dst->dropped, &src->dropped);
	ledger__add_num(&dst->map_full, &src->map_full);
	ledger__add_num(&dst->unmatched, &src->unmatched);
	ledger__add_num(&dst->anomalies, &src->anomalies);
}

void ledger__add_bytes(struct run_result *dst, const struct run_result *src)
{
	struct sequence_result *to = &dst->sequence;
	const struct sequence_result *from = &src->sequence;
	struct health *h = &dst->health;

	if (!from->source)
		to->source = NULL;
	ledger__add_num(&to->tx_bytes, &from->tx_bytes);
	ledger__add_num(&to->rx_bytes, &from->rx_bytes);
	ledger__add_num(&to->tx_retrans, &from->tx_retrans);
	ledger__add_num(&to->tx_ids, &from->tx_ids);
	ledger__add_num(&dst->unclassified, &src->unclassified);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		ledger__add_num(&dst->stages[s].open_bytes, &src->stages[s].open_bytes);
		keep_reason(&dst->stages[s].no_events, src->stages[s].no_events);
	}
	h->looked_ns += src->health.looked_ns;
	h->phase_ns += src->health.phase_ns;
	h->covered_bytes += src->health.covered_bytes;
	h->coverable_bytes += src->health.coverable_bytes;
	if (h->coverage.known && !src->health.coverage.known)
		h->coverage = src->health.coverage;
	if (h->coverage.known)
		h->coverage.value = (double)h->covered_bytes / (double)h->coverable_bytes;
}

/* dst is empty: it becomes a copy of src with its own histograms. */
static void copy_run(struct run_result *dst, const struct run_result *src)
{
	run_result__clear(dst);
	*dst = *src;
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		dst->stages[s].sizes = hist__dup(src->stages[s].sizes);
		dst->stages[s].times = hist__dup(src->stages[s].times);
	}
	for (int k = 0; k < LATENCY_NR; k++)
		dst->app.latency[k].hist = hist__dup(src->app.latency[k].hist);
	dst->pinned.completion.hist = hist__dup(src->pinned.completion.hist);
	dst->pinned.outstanding.hist = hist__dup(src->pinned.outstanding.hist);
	dst->cpu = (struct cpu_result){0};
	cpu_time__add(&dst->cpu, &src->cpu);
}

static void add_counts(struct run_result *dst, const struct run_result *src)
{
	dst->duration_ns += src->duration_ns;
	dst->interrupted |= src->interrupted;
	keep_reason(&dst->not_final, src->not_final);
	dst->ledger_known &= src->ledger_known;
	dst->kernel_zc_known &= src->kernel_zc_known;
	dst->balance_known &= src->balance_known;
	dst->unaccounted_tx += src->unaccounted_tx;
	dst->unaccounted_rx += src->unaccounted_rx;
	add_zc(&dst->kernel_zc, &src->kernel_zc);
	ledger__add_num(&dst->notifications, &src->notifications);
	ledger__add_num(&dst->zc_completed, &src->zc_completed);
	ledger__add_num(&dst->zc_filled, &src->zc_filled);
	ledger__add_num(&dst->zc_repeated, &src->zc_repeated);
	ledger__add_num(&dst->zc_unseen, &src->zc_unseen);
	unsupported_paths__add(dst, src);
	ledger__add_bytes(dst, src);
	add_health(&dst->health, &src->health);
	add_perf(dst, src);
}

void ledger__add(struct run_result *dst, const struct run_result *src)
{
	if (!dst->duration_ns) {
		copy_run(dst, src);
		return;
	}
	add_counts(dst, src);
	add_app(&dst->app, &src->app);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		add_stage(&dst->stages[s], &src->stages[s]);
	cpu_time__add(&dst->cpu, &src->cpu);
	add_time(dst, src);
}
