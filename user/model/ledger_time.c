/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of stages, calls and completions; see ledger_time.h. Pure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ledger_time.h"
#include "total.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static struct num unknown(const char *reason)
{
	return (struct num){.reason = reason};
}

struct hist *ledger__hist(const __u64 *base, const __u64 *now, uint64_t sum)
{
	struct hist *h = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	unsigned int occupied = 0;

	if (!h)
		return NULL;
	for (uint32_t i = 0; i < NIO_HIST_BUCKETS; i++) {
		if (now[i] == base[i])
			continue;
		hist__add_bucket(h, i, now[i] - base[i]);
		occupied++;
	}
	if (h->count)
		h->sum = sum;
	if (occupied == 1)
		h->min = h->max = h->sum / h->count;
	return h;
}

static int book_stage_time(struct stage_result *out, const char *reason,
			   const struct nio_cell *base, const struct nio_cell *now)
{
	hist__free(out->times);
	out->times = NULL;
	out->ns = out->timed = unknown(reason);
	if (reason)
		return 0;
	out->ns = known(now->ns - base->ns);
	out->timed = known(now->timed - base->timed);
	out->times = ledger__hist(base->ns_hist, now->ns_hist, out->ns.value);
	return out->times ? 0 : -ENOMEM;
}

/* The stage's cells of both sides together: unexpected copies happen on either. */
static void both_sides(const struct snapshot *s, int stage, struct nio_cell *sum)
{
	const uint64_t *tx = (const uint64_t *)&s->cells[NIO_SIDE_SENDER][stage];
	const uint64_t *rx = (const uint64_t *)&s->cells[NIO_SIDE_RECEIVER][stage];
	uint64_t *out = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*out); i++)
		out[i] = tx[i] + rx[i];
}

static int book_stages(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		       const struct snapshot *now)
{
	struct nio_cell before, after;
	int err = 0;

	for (int stage = 0; stage < NIO_STAGE_NR && !err; stage++) {
		if (stage == NIO_STAGE_USER_GATHER)
			continue;
		both_sides(base, stage, &before);
		both_sides(now, stage, &after);
		err = book_stage_time(&r->stages[stage], plan__no_stage_time(plan, stage), &before,
				      &after);
	}
	return err;
}

static void book_path(struct run_result *r, const struct plan *plan, const struct nio_path *base,
		      const struct nio_path *now)
{
	const struct alternative *calls = plan->chosen[PROBE_CALL_TIME];
	const char *reason = plan__no_probe(plan, PROBE_CALL_TIME);

	r->path_quality = calls ? calls->quality : QUALITY_UNAVAILABLE;
	r->path_reason = calls ? calls->caveat : reason;
	r->path_calls = reason ? unknown(reason) : known(now->calls - base->calls);
	for (int p = 0; p < NIO_PATH_NR; p++) {
		reason = plan__no_path_time(plan, p);
		r->path_ns[PATH_SEND_TOTAL + 1 + p] =
			reason ? unknown(reason) : known(now->ns[p] - base->ns[p]);
	}
}

static int book_latency(struct latency_result *out, const char *reason, const __u64 *base,
			const __u64 *now, uint64_t sum)
{
	hist__free(out->hist);
	out->hist = NULL;
	out->reason = reason;
	if (reason)
		return 0;
	out->hist = ledger__hist(base, now, sum);
	return out->hist ? 0 : -ENOMEM;
}

/* Sum of a histogram by the middle of its buckets, of which the last has none: its exact sum is not
 * kept. */
static uint64_t rough_sum(const __u64 *base, const __u64 *now)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < NIO_HIST_BUCKETS - 1; i++) {
		uint64_t low = hist_bucket_low(i, NIO_HIST_SUB_BITS);
		uint64_t high = hist_bucket_low(i + 1, NIO_HIST_SUB_BITS) - 1;

		sum += (now[i] - base[i]) * ((low + high) / 2);
	}
	return sum;
}

static int book_pinned(struct run_result *r, const struct plan *plan, const struct nio_zc *base,
		       const struct nio_zc *now)
{
	const char *no_completion = plan__no_probe(plan, PROBE_COMPLETION);
	const char *no_time = plan__no_probe(plan, PROBE_CALL_TIME);
	const char *no_refusal = plan__no_probe(plan, PROBE_REFUSAL);
	struct pinned_result *p = &r->pinned;
	int err;

	if (!no_completion && !plan__completions_by_kernel(plan))
		no_completion = "completions are seen only as the application reads of them";
	if (!no_completion && !plan->chosen[PROBE_SEND_RETURN])
		no_completion = "send calls are not counted one by one";
	p->completed_bytes =
		no_completion ? unknown(no_completion) : known(now->bytes - base->bytes);
	err = book_latency(&p->completion, no_completion ? no_completion : no_time, base->ns_hist,
			   now->ns_hist, now->ns - base->ns);
	if (!err)
		err = book_latency(&p->outstanding, no_completion, base->outstanding_hist,
				   now->outstanding_hist,
				   rough_sum(base->outstanding_hist, now->outstanding_hist));
	r->enobufs_optmem = no_refusal ? unknown(no_refusal)
				       : known(now->enobufs_optmem - base->enobufs_optmem);
	r->enobufs_memlock = no_refusal ? unknown(no_refusal)
					: known(now->enobufs_memlock - base->enobufs_memlock);
	return err;
}

static void add_sum(uint64_t *bytes, uint64_t *events, uint64_t *ns, const struct nio_sum *more)
{
	*bytes += more->bytes;
	*events += more->events;
	*ns += more->ns;
}

static struct nio_sum since(struct nio_sum now, const struct nio_sum *base)
{
	now.bytes -= base->bytes;
	now.events -= base->events;
	now.ns -= base->ns;
	return now;
}

/* Adds to the entry of the same place, or to a new one, or when there is no more room to the last.
 */
static void add_place(struct run_result *r, const struct place_result *more)
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

static void add_other(struct run_result *r, const struct other_result *more)
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

static const struct nio_sum *place_before(const struct snapshot *base,
					  const struct nio_place *place)
{
	static const struct nio_sum none;

	for (size_t i = 0; i < base->places_nr; i++)
		if (!memcmp(&base->places[i].place, place, sizeof(*place)))
			return &base->places[i].sum;
	return &none;
}

static const struct nio_sum *other_before(const struct snapshot *base,
					  const struct nio_other *other)
{
	static const struct nio_sum none;

	for (size_t i = 0; i < base->others_nr; i++)
		if (!memcmp(&base->others[i].other, other, sizeof(*other)))
			return &base->others[i].sum;
	return &none;
}

static void book_places(struct run_result *r, const struct plan *plan, const struct snapshot *base,
			const struct snapshot *now)
{
	r->places_nr = 0;
	r->places_reason = plan__no_stage_time(plan, NIO_STAGE_DEFERRED_COPY);
	for (size_t i = 0; i < now->places_nr; i++) {
		const struct place_sum *entry = &now->places[i];
		struct nio_sum sum = since(entry->sum, place_before(base, &entry->place));
		struct place_result place = {
			.context = entry->place.context,
			.bytes = sum.bytes,
			.events = sum.events,
			.ns = sum.ns,
		};

		if (!sum.events)
			continue;
		snprintf(place.comm, sizeof(place.comm), "%.15s", entry->place.comm);
		snprintf(place.dev, sizeof(place.dev), "%.15s", entry->place.dev);
		add_place(r, &place);
	}
}

static void book_others(struct run_result *r, const struct snapshot *base,
			const struct snapshot *now)
{
	r->others_nr = 0;
	for (size_t i = 0; i < now->others_nr; i++) {
		const struct other_sum *entry = &now->others[i];
		struct nio_sum sum = since(entry->sum, other_before(base, &entry->other));
		struct other_result other = {
			.bytes = sum.bytes, .events = sum.events, .ns = sum.ns};

		if (!sum.events)
			continue;
		snprintf(other.caller, sizeof(other.caller), "%s", entry->caller);
		add_other(r, &other);
	}
}

int ledger_time__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		      const struct snapshot *now)
{
	int err = book_stages(r, plan, base, now);

	book_path(r, plan, &base->path, &now->path);
	if (!err)
		err = book_pinned(r, plan, &base->zc, &now->zc);
	book_places(r, plan, base, now);
	book_others(r, base, now);
	return err;
}

/*
 * Of times of rounds of their own a sum is of those that were made: what one round lacks does not
 * take away what another has.
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
		total__add_num(dst, src);
	else if (how == TAKE)
		*dst = *src;
}

/* how: ADD or TAKE. */
static int add_hist(struct hist **dst, const struct hist *src, enum adding how)
{
	return how == TAKE ? total__begin_hist(dst, src) : total__add_hist(dst, src);
}

static int add_latency(struct latency_result *dst, const struct latency_result *src,
		       enum adding how)
{
	dst->reason = src->reason;
	return add_hist(&dst->hist, src->hist, how);
}

static int add_hists(struct run_result *dst, const struct run_result *src, enum adding how)
{
	int err = 0;

	for (int s = 0; s < NIO_STAGE_NR && !err; s++) {
		enum adding of_stage = adding_of_stage(&dst->stages[s], &src->stages[s], how);

		if (of_stage != KEEP)
			err = add_hist(&dst->stages[s].times, src->stages[s].times, of_stage);
	}
	if (!err && how != KEEP)
		err = add_latency(&dst->pinned.completion, &src->pinned.completion, how);
	if (!err)
		err = add_latency(&dst->pinned.outstanding, &src->pinned.outstanding, ADD);
	return err;
}

static void add_stage_time(struct stage_result *dst, const struct stage_result *src,
			   enum adding how)
{
	how = adding_of_stage(dst, src, how);
	add_how(&dst->ns, &src->ns, how);
	add_how(&dst->timed, &src->timed, how);
	add_how(&dst->timed_bytes, &src->timed_bytes, how);
}

static void add_path(struct run_result *dst, const struct run_result *src, enum adding how)
{
	for (int p = 0; p < PATH_NR; p++)
		add_how(&dst->path_ns[p], &src->path_ns[p], how);
	add_how(&dst->path_calls, &src->path_calls, how);
	if (how == TAKE || (how == ADD && src->path_quality == QUALITY_UNAVAILABLE)) {
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
	total__add_num(&dst->missed, &src->missed);
	total__add_num(&dst->map_full, &src->map_full);
	total__add_num(&dst->unmatched, &src->unmatched);
}

int ledger_time__own(struct run_result *dst, const struct run_result *src)
{
	int err = 0;

	for (int s = 0; s < NIO_STAGE_NR; s++)
		dst->stages[s].times = NULL;
	dst->pinned.completion.hist = NULL;
	dst->pinned.outstanding.hist = NULL;
	for (int s = 0; s < NIO_STAGE_NR && !err; s++)
		err = total__begin_hist(&dst->stages[s].times, src->stages[s].times);
	if (!err)
		err = add_latency(&dst->pinned.completion, &src->pinned.completion, TAKE);
	if (!err)
		err = add_latency(&dst->pinned.outstanding, &src->pinned.outstanding, TAKE);
	return err;
}

int ledger_time__add(struct run_result *dst, const struct run_result *src)
{
	enum adding how = adding_of(dst, src);
	int err = add_hists(dst, src, how);

	for (int s = 0; s < NIO_STAGE_NR; s++)
		add_stage_time(&dst->stages[s], &src->stages[s], how);
	add_path(dst, src, how);
	add_times(&dst->times, &src->times, how);
	total__add_num(&dst->enobufs_optmem, &src->enobufs_optmem);
	total__add_num(&dst->enobufs_memlock, &src->enobufs_memlock);
	total__add_num(&dst->pinned.completed_bytes, &src->pinned.completed_bytes);
	if (src->places_reason)
		dst->places_reason = src->places_reason;
	for (size_t i = 0; i < src->places_nr; i++)
		add_place(dst, &src->places[i]);
	for (size_t i = 0; i < src->others_nr; i++)
		add_other(dst, &src->others[i]);
	return err;
}
