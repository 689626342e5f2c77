/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums of runs; see ledger__add(). Pure. */
#include <stdio.h>
#include <string.h>

#include "ledger.h"
#include "ledger_bytes.h"

#define AT(field) offsetof(struct run_result, field)

/* clang-format off */
/* 64-bit counts, which add up. */
static const size_t counts[] = {
	AT(duration_ns), AT(device_copies), AT(unaccounted_tx), AT(unaccounted_rx),
	AT(app.tx_bytes), AT(app.tx_messages), AT(app.rx_bytes), AT(app.rx_messages),
	AT(app.partial_sends), AT(app.eagain), AT(app.eintr),
	AT(app.tcp_bytes_acked), AT(app.tcp_bytes_received), AT(app.tcp_bytes_retrans),
};

/* Numbers that may be unknown; times have rules of their own. */
static const size_t nums[] = {
	AT(app.rx_uncopied), AT(app.verify_errors), AT(app.sender_cpu_ns), AT(app.receiver_cpu_ns),
	AT(pinned.completed_bytes),
};

static const struct { const struct number_row *rows; size_t at; } tables[] = {
	{zc__numbers, AT(app.zc)}, {zc__numbers, AT(kernel_zc)}, {replies__numbers, AT(app.replies)},
	{sequence__numbers, AT(sequence)}, {tls__numbers, AT(sequence.tls[NIO_SIDE_SENDER])},
	{tls__numbers, AT(sequence.tls[NIO_SIDE_RECEIVER])}, {health__numbers, AT(health)},
	{kernel__numbers, 0},
};
/* clang-format on */

/* A sum keeps the first of these reasons. */
static const size_t reasons[] = {AT(not_final), AT(places_reason), AT(app.rx_reason),
				 AT(app.tcp_received_reason)};

static void add_num(struct num *dst, const struct num *src)
{
	*dst = num__sum(*dst, *src);
}

static void keep_reason(const char **dst, const char *src)
{
	if (!*dst)
		*dst = src;
}

static void add_fields(struct run_result *dst, const struct run_result *src)
{
	const char *from = (const char *)src;
	char *to = (char *)dst;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		num__add_counts(to + counts[i], from + counts[i], sizeof(uint64_t));
	for (size_t i = 0; i < ARRAY_SIZE(nums); i++)
		add_num((struct num *)(to + nums[i]), (const struct num *)(from + nums[i]));
	for (size_t i = 0; i < NIO_REFUSAL_NR; i++)
		add_num(&dst->refused[i], &src->refused[i]);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		keep_reason((const char **)(to + reasons[i]),
			    *(const char *const *)(from + reasons[i]));
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		numbers__add(tables[i].rows, NUMBER_HERE, to + tables[i].at, from + tables[i].at);
	num__add_counts(&dst->uncovered, &src->uncovered, sizeof(dst->uncovered));
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
	add_num(&dst->open_bytes, &src->open_bytes);
	keep_reason(&dst->no_events, src->no_events);
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

			add_num(&dst->perf[side][c], &src->perf[side][c]);
			add_num(&d->user, &s->user);
			add_num(&d->kernel, &s->kernel);
			add_running(&d->running, &s->running);
		}
		for (size_t i = 0; i < dst->perf_asked_nr; i++) {
			add_num(&dst->perf_asked[i].count[side], &src->perf_asked[i].count[side]);
			add_running(&dst->perf_asked[i].running[side],
				    &src->perf_asked[i].running[side]);
		}
	}
}

/* A sum of timed rounds covers the rounds that have one: a missing one does not make it unknown. */
enum adding {
	ADD,
	KEEP, /* dst has such times, src has none */
	TAKE, /* src has, dst has none */
};

static enum adding adding_of(const struct run_result *dst, const struct run_result *src)
{
	bool to = dst->times.source == TIMES_FROM_TIMED_ROUND,
	     from = src->times.source == TIMES_FROM_TIMED_ROUND;

	return to == from ? ADD : to ? KEEP : TAKE;
}

static void add_how(struct num *dst, const struct num *src, enum adding how)
{
	if (how == ADD)
		add_num(dst, src);
	else if (how == TAKE)
		*dst = *src;
}

static void add_stage_time(struct stage_result *dst, const struct stage_result *src,
			   enum adding how)
{
	/* A stage whose time is of the rounds themselves adds up as everything of them does. */
	how = dst->timed_bytes.known || src->timed_bytes.known ? how : ADD;
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
	add_num(&dst->missed, &src->missed);
	add_num(&dst->map_full, &src->map_full);
	add_num(&dst->unmatched, &src->unmatched);
}

/* Adds to the entry of the same place, or to a new one, or to the last if the list is full. */
void ledger__add_place(struct run_result *r, const struct place_result *more)
{
	struct place_result *p = r->places, *end = p + r->places_nr;

	while (p < end && (p->context != more->context || strcmp(p->comm, more->comm) ||
			   strcmp(p->dev, more->dev)))
		p++;
	if (p == r->places + PLACES_SHOWN) {
		p--;
		snprintf(p->comm, sizeof(p->comm), "(others)");
		p->dev[0] = '\0';
		p->context = NIO_CONTEXT_UNKNOWN;
	} else if (p == end) {
		*p = *more;
		r->places_nr++;
		return;
	}
	p->bytes += more->bytes;
	p->events += more->events;
	p->ns += more->ns;
}

void ledger__add_other(struct run_result *r, const struct other_result *more)
{
	struct other_result *o = r->others, *end = o + r->others_nr;

	while (o < end && strcmp(o->caller, more->caller))
		o++;
	if (o == r->others + OTHERS_SHOWN) {
		o--;
		snprintf(o->caller, sizeof(o->caller), "(others)");
	} else if (o == end) {
		*o = *more;
		r->others_nr++;
		return;
	}
	o->bytes += more->bytes;
	o->events += more->events;
	o->ns += more->ns;
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
	for (size_t i = 0; i < src->places_nr; i++)
		ledger__add_place(dst, &src->places[i]);
	for (size_t i = 0; i < src->others_nr; i++)
		ledger__add_other(dst, &src->others[i]);
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

static void add_flags(struct run_result *dst, const struct run_result *src)
{
	struct real *coverage = &dst->health.coverage;

	dst->interrupted |= src->interrupted;
	dst->sender_side |= src->sender_side;
	dst->ledger_known &= src->ledger_known;
	dst->kernel_zc_known &= src->kernel_zc_known;
	dst->balance_known &= src->balance_known;
	if (!src->sequence.source)
		dst->sequence.source = NULL;
	if (coverage->known && !src->health.coverage.known)
		*coverage = src->health.coverage;
	if (coverage->known)
		coverage->value = (double)dst->health.covered_bytes / dst->health.coverable_bytes;
}

void ledger__add(struct run_result *dst, const struct run_result *src)
{
	if (!dst->duration_ns) {
		copy_run(dst, src);
		return;
	}
	/* Before the parts of it are added: a maximum of sums can be less than the sum of maxima.
	 */
	dst->open_copies = num__known(ledger_bytes__open(dst) + ledger_bytes__open(src));
	add_fields(dst, src);
	add_flags(dst, src);
	for (int k = 0; k < LATENCY_NR; k++)
		add_latency(&dst->app.latency[k], &src->app.latency[k]);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		add_stage(&dst->stages[s], &src->stages[s]);
	add_perf(dst, src);
	cpu_time__add(&dst->cpu, &src->cpu);
	add_time(dst, src);
}
