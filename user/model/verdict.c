/* SPDX-License-Identifier: GPL-2.0-only */
/* The zero-copy verdict; see verdict.h. Pure. */
#include <ctype.h>
#include <string.h>

#include "common/units.h"
#include "tap_parse.h"
#include "verdict_internal.h"

/* The evidence that distinguishes the causes. */
struct evidence {
	const struct run_result *r;
	const struct environment *env;
	const struct zc_counts *zc;
	bool local;
	struct num pinned, deferred, other; /* bytes */
	uint64_t surplus;                   /* of deferred over pinned */
};

const char *const verdict_clauses[] = {
	[ZC_CAUSE_LOCAL] = "where the kernel copies pinned pages on delivery (skb_copy_ubufs)",
	[ZC_CAUSE_TAP] = "for which the kernel copies pinned pages as packets leave "
			 "(skb_copy_ubufs), whatever its filter",
	[ZC_CAUSE_ARRIVED] = "for a local receiver, a packet tap, a tun device or a TX timestamp "
			     "(skb_copy_ubufs)",
	[ZC_CAUSE_NO_SG] = "so the kernel copied in the send call",
	[ZC_CAUSE_ENOBUFS] = "after ENOBUFS",
	[ZC_CAUSE_NO_OPTION] = "so the kernel ignored the flag and copied: set SO_ZEROCOPY first",
	[ZC_CAUSE_IO_URING] =
		"whether they were copied is not known here: "
		"IORING_SEND_ZC_REPORT_USAGE reports it to the program from Linux 6.2 "
		"on",
};

char *verdict__begin_cause(struct verdict *v, enum zc_cause cause)
{
	struct cause *c = &v->causes[v->causes_nr++];

	c->cause = cause;
	c->evidence[0] = '\0';
	return c->evidence;
}

const struct zc_counts *verdict__completions(const struct run_result *r)
{
	bool all_seen = r->kernel_zc_known && !run_result__sampled_completions(r) &&
			!run_result__completions_missed(r);

	return all_seen ? &r->kernel_zc : &r->app.zc;
}

static struct num bytes_of(const struct run_result *r, enum nio_stage stage)
{
	const struct stage_result *s = &r->stages[stage];

	if (!r->ledger_known || s->quality == QUALITY_UNAVAILABLE)
		return num__unknown(r->ledger_known ? s->reason : r->ledger_reason);
	return num__known(s->bytes);
}

/* A path that stays on this machine: lo leads nowhere else. */
static bool is_local(const struct environment *env)
{
	return !strcmp(env->path, "loopback") || !strcmp(env->path, "veth") ||
	       !strcmp(env->device, "lo");
}

static void gather(struct evidence *e, const struct run_result *r, const struct environment *env)
{
	*e = (struct evidence){
		.r = r,
		.env = env,
		.zc = verdict__completions(r),
		.local = is_local(env),
		.pinned = bytes_of(r, NIO_STAGE_TX_PIN),
		.deferred = bytes_of(r, NIO_STAGE_DEFERRED_COPY),
		.other = bytes_of(r, NIO_STAGE_OTHER_COPY),
	};
	if (e->pinned.known && e->deferred.known && e->deferred.value > e->pinned.value)
		e->surplus = e->deferred.value - e->pinned.value;
}

/* Taps that were open in the run; sending: only those that see packets leave. */
static bool any_tap(const struct environment *env, bool sending)
{
	for (unsigned int i = 0; i < env->taps.nr; i++)
		if (env->taps.list[i].in_run && (!sending || env->taps.list[i].sender))
			return true;
	return false;
}

/* On a local path: what the tap adds, which the ledger shows if skb_copy_ubufs itself is seen. */
static void add_local_tap(struct verdict *v, const struct evidence *e)
{
	const struct stage_result *deferred = &e->r->stages[NIO_STAGE_DEFERRED_COPY];
	static const char further[] = ": it is handed a further copy of each packet as it leaves, ";
	char name[TAPS_NAME_LEN];

	add(v, ZC_CAUSE_TAP, "a packet tap was open on %s", taps__name(&e->env->taps, name));
	if (!any_tap(e->env, true))
		extend(v, ": as the receiving end, it takes the copy that delivery would have "
			  "made, and adds none");
	else if (deferred->quality != QUALITY_EXACT)
		extend(v, "%swhich is not in deferred_copy here (%s)", further,
		       quality__name(deferred->quality));
	else if (e->surplus > e->r->app.tcp_bytes_retrans + SURPLUS_MIN(e->pinned.value))
		extend(v, "%sso deferred_copy is %s above the %s pinned", further,
		       TEXT_BYTES(e->surplus), TEXT_BYTES(e->pinned.value));
	else
		extend(v, ", but no further copy for it was seen");
}

/* With a tap the surplus is not only retransmissions: it is not named twice. */
static void add_retransmission(struct verdict *v, const struct evidence *e)
{
	uint64_t again = e->r->app.tcp_bytes_retrans;

	if (!again || !e->surplus)
		return;
	add(v, ZC_CAUSE_RETRANSMISSION, "%s were retransmitted, and copied again each time",
	    TEXT_BYTES(again));
	if (!any_tap(e->env, false))
		extend(v, ": deferred_copy is %s above what was pinned", TEXT_BYTES(e->surplus));
}

/* Pinned pages were copied later, by skb_copy_ubufs: on local delivery, or on transmit. */
static void find_deferred(struct verdict *v, const struct evidence *e)
{
	const struct environment *env = e->env;
	const char *reason = env->taps.reason ? env->taps.reason : "the reason was not recorded";
	char name[TAPS_NAME_LEN];

	if (e->local) {
		add(v, ZC_CAUSE_LOCAL, "the path is local (%s), %s", env->device,
		    verdict_clauses[ZC_CAUSE_LOCAL]);
		if (any_tap(env, false))
			add_local_tap(v, e);
	} else if (any_tap(env, true)) {
		add(v, ZC_CAUSE_TAP, "a packet tap was open on %s, %s",
		    taps__name(&env->taps, name), verdict_clauses[ZC_CAUSE_TAP]);
	} else {
		add(v, ZC_CAUSE_UNKNOWN,
		    "pinned pages were copied on their way out (skb_copy_ubufs), ");
		if (env->taps.known)
			extend(v, "yet no packet tap was open on %s", env->device);
		else
			extend(v, "and packet taps could not be looked for: %s", reason);
	}
	add_retransmission(v, e);
}

/* Nothing was pinned: the socket found no scatter-gather on its route. What says the device? */
static void find_unpinned(struct verdict *v, const struct evidence *e)
{
	const struct flag *sg = &e->env->device_scatter_gather;

	add(v, ZC_CAUSE_NO_SG, "nothing was pinned, ");
	if (sg->known && sg->value)
		extend(v,
		       "though the device (%s) does scatter-gather: something else on the route "
		       "does not (a tunnel, IPsec)",
		       e->env->device);
	else
		extend(v, "because the route's device (%s) does no scatter-gather%s",
		       e->env->device, sg->known ? " (ethtool agrees)" : "");
	extend(v, ", %s", verdict_clauses[ZC_CAUSE_NO_SG]);
}

/* Pinned, not copied by skb_copy_ubufs, and yet copied: in front of a device that needs it so. */
static void find_flattened(struct verdict *v, const struct evidence *e)
{
	const struct flag *checksum = &e->env->device_tx_checksum;

	add(v, ZC_CAUSE_NO_SG,
	    "the device (%s) does %s (ethtool says), so the kernel copied each packet into one "
	    "piece in front of it",
	    e->env->device,
	    checksum->known && !checksum->value ? "neither scatter-gather nor checksums"
						: "no scatter-gather");
	if (e->other.known && e->other.value)
		extend(v, ": other_copy is %s", TEXT_BYTES(e->other.value));
}

/*
 * Software segmentation (skb_segment) copies the data into new packets for a device without
 * scatter-gather, and releases the pinned pages as if they had been sent: no completion reports it.
 */
static bool flattened_in_silence(const struct evidence *e)
{
	const struct flag *sg = &e->env->device_scatter_gather;

	return !e->local && sg->known && !sg->value && e->pinned.known && e->pinned.value;
}

static void find_unknown(struct verdict *v, const struct evidence *e)
{
	if (!e->r->ledger_known)
		add(v, ZC_CAUSE_UNKNOWN, "%s",
		    e->r->ledger_reason ? e->r->ledger_reason : "there is no ledger");
	else if (!e->deferred.known)
		add(v, ZC_CAUSE_UNKNOWN, "deferred_copy was not measured (%s)",
		    e->deferred.reason ? e->deferred.reason : "the reason was not recorded");
	else
		add(v, ZC_CAUSE_UNKNOWN,
		    "no stage of the ledger copied pinned pages, and the device does what it "
		    "should");
}

/* Why sends completed copied. */
static void find_copied(struct verdict *v, const struct evidence *e)
{
	const struct flag *sg = &e->env->device_scatter_gather;

	if (e->deferred.known && e->deferred.value)
		find_deferred(v, e);
	else if (e->pinned.known && !e->pinned.value)
		find_unpinned(v, e);
	else if (e->deferred.known && sg->known && !sg->value)
		find_flattened(v, e);
	if (!v->causes_nr)
		find_unknown(v, e);
}

static void add_enobufs(struct verdict *v, enum zc_cause cause, uint64_t n, const char *after)
{
	add(v, cause, "%s further send%s fell back to copying %s ", TEXT_COUNT(n), plural(n),
	    after);
}

/* The fallbacks by one limit, with its value if that is known and a limit. */
static void add_limit(struct verdict *v, enum zc_cause cause, uint64_t n, const char *what,
		      const struct num *limit)
{
	if (!n)
		return;
	add_enobufs(v, cause, n, verdict_clauses[ZC_CAUSE_ENOBUFS]);
	extend(v, "(%s", what);
	if (limit->known && limit->value != UINT64_MAX)
		extend(v, ", %s", TEXT_SIZE(limit->value));
	extend(v, ")");
}

/* The share of n fallbacks refused by one limit: known only if the other one refused nothing. */
static uint64_t all_by(const struct num *one, const struct num *other, uint64_t n)
{
	if (!one->known || !other->known || other->value)
		return 0;
	return one->value < n ? one->value : n;
}

/*
 * The kernel accounts for all pages of a call at once. A message of more than the limit is refused
 * and then sent as a copy, whatever else is outstanding.
 */
static bool exceeds_memlock(const struct evidence *e)
{
	return e->env->memlock.known && e->r->size > e->env->memlock.value;
}

/*
 * Both limits give the same errno. The kernel side counts the refusals of each: two of a message
 * that falls back, and one of each that a wait relieved. So two counts name no limit.
 */
static void find_enobufs(struct verdict *v, const struct evidence *e)
{
	const struct num *memlock = &e->r->enobufs_memlock, *optmem = &e->r->enobufs_optmem;
	uint64_t all = e->r->app.zc.enobufs, by_memlock = all_by(memlock, optmem, all);
	uint64_t by_optmem = all_by(optmem, memlock, all);

	if (exceeds_memlock(e)) {
		by_memlock = all;
		by_optmem = 0;
	}
	/* io_uring's zero-copy requests have one limit, and give ENOMEM. */
	if (mode__has(e->r->mode, MODE_PINS_BY_URING)) {
		if (!all)
			return;
		add_enobufs(v, ZC_CAUSE_ENOBUFS_MEMLOCK, all, "after ENOMEM");
		extend(v, "(pinned pages reached RLIMIT_MEMLOCK)");
		return;
	}
	add_limit(v, ZC_CAUSE_ENOBUFS_MEMLOCK, by_memlock, "pinned pages reached RLIMIT_MEMLOCK",
		  &e->env->memlock);
	add_limit(v, ZC_CAUSE_ENOBUFS_OPTMEM, by_optmem,
		  "outstanding notifications reached net.core.optmem_max", &e->env->optmem_max);
	if (all == by_memlock + by_optmem)
		return;
	add_enobufs(v, ZC_CAUSE_ENOBUFS, all - by_memlock - by_optmem,
		    verdict_clauses[ZC_CAUSE_ENOBUFS]);
	extend(v, "(RLIMIT_MEMLOCK or net.core.optmem_max");
	if (memlock->known && memlock->value && optmem->known && optmem->value)
		extend(v, ", which refused %s and %s calls, those that a wait relieved among them",
		       TEXT_COUNT(memlock->value), TEXT_COUNT(optmem->value));
	extend(v, ")");
}

void verdict__append_causes(struct verdict *v, unsigned int from)
{
	for (unsigned int i = from; i < v->causes_nr; i++) {
		const char *evidence = v->causes[i].evidence;

		append(v, "%s%c%s.", v->text[0] ? " " : "", toupper((unsigned char)evidence[0]),
		       evidence[0] ? evidence + 1 : "");
	}
}

/* io_uring's flags alone say how some requests ended: they call copied what shares a packet with
 * it. */
static bool by_flags(const struct run_result *r)
{
	return mode__has(r->mode, MODE_PINS_BY_URING) && r->kernel_zc_known &&
	       run_result__completions_missed(r);
}

static void verdict_of_completed(struct verdict *v, const struct evidence *e)
{
	uint64_t copied = e->zc->copied, all = e->zc->completed;
	const char *completed = TEXT_COUNT(all);
	bool most = copied && by_flags(e->r);

	v->copied_fraction =
		most ? real__unknown("the kernel's events do not show how all requests ended, and "
				     "the program's flags call some copied that were not")
		     : real__known((double)copied / all);
	if (copied)
		find_copied(v, e);
	else if (flattened_in_silence(e))
		find_flattened(v, e);
	v->cause = v->causes_nr ? v->causes[0].cause : ZC_CAUSE_NOT_COPIED;
	find_enobufs(v, e);
	if (copied) {
		append(v, "%s%s of %s send%s %s copied after all%s: %s.", most ? "at most " : "",
		       TEXT_COUNT(copied), completed, plural(all), copied == 1 ? "was" : "were",
		       v->cause == ZC_CAUSE_UNKNOWN ? "; the cause was not seen" : "",
		       v->causes[0].evidence);
		verdict__append_causes(v, 1);
		return;
	}
	if (v->cause == ZC_CAUSE_NOT_COPIED)
		append(v, "truly zero-copy: none of %s send%s was copied.", completed, plural(all));
	else
		append(v, "none of %s send%s was reported copied, but %s.", completed, plural(all),
		       all == 1 ? "it was" : "they were");
	verdict__append_causes(v, 0);
}

static void verdict_of_uncompleted(struct verdict *v, const struct evidence *e)
{
	bool zerocopy = mode__has(e->r->mode, MODE_PINS);

	v->copied_fraction = real__unknown(zerocopy ? "no zero-copy send completed"
						    : "no zero-copy sends in this mode");
	if (!zerocopy)
		return;
	find_enobufs(v, e);
	if (v->causes_nr)
		v->cause = v->causes[0].cause;
	append(v, "no zero-copy send completed.");
	verdict__append_causes(v, 0);
}

/* The range left open by the kernel's events. */
static void append_missed(struct verdict *v, const struct run_result *r)
{
	uint64_t missed = run_result__completions_missed(r);

	if (r->kernel_zc_known && r->kernel_zc.completed > r->app.zc.completed)
		append(v,
		       " The kernel ended %s zero-copy sends, and the application read of %s: the "
		       "figures before are the kernel's.",
		       TEXT_COUNT(r->kernel_zc.completed), TEXT_COUNT(r->app.zc.completed));
	if (missed)
		append(v,
		       " The kernel's events do not show how %s of these sends ended: by the "
		       "others, between "
		       "%s and %s of %s sends were copied; the figures before are the "
		       "application's "
		       "own.",
		       TEXT_COUNT(missed), TEXT_COUNT(r->kernel_zc.copied),
		       TEXT_COUNT(r->kernel_zc.copied + missed), TEXT_COUNT(r->app.zc.completed));
}

/*
 * Where io_uring puts bytes of several requests in one packet, the kernel reports all of them but
 * the first as copied, whether they were or not.
 */
static void append_stacked(struct verdict *v, const struct run_result *r)
{
	uint64_t reported = r->app.zc.copied;
	uint64_t most = r->kernel_zc.copied + run_result__completions_missed(r);

	if (!mode__has(r->mode, MODE_PINS_BY_URING) || !r->kernel_zc_known || reported <= most)
		return;
	append(v,
	       " The program's own flags (IORING_NOTIF_USAGE_ZC_COPIED) say that %s %s copied: the "
	       "kernel reports a request as copied if its bytes share a packet with an earlier "
	       "request's.",
	       TEXT_COUNT(reported), reported == 1 ? "was" : "were");
}

/* Only the programs distinguish copied requests from those that are merely reported so. */
static void append_unseen_stacks(struct verdict *v, const struct run_result *r)
{
	if (mode__has(r->mode, MODE_PINS_BY_URING) && !r->kernel_zc_known && r->app.zc.copied)
		append(v, " This is what the kernel reports to the program. It also reports "
			  "requests "
			  "as copied whose bytes share a packet: which of them were is not seen "
			  "here.");
}

void verdict__give(struct run_result *r, const struct environment *env)
{
	struct verdict *v = &r->verdict;
	struct evidence e;

	gather(&e, r, env);
	v->text[0] = '\0';
	v->cause = ZC_CAUSE_NONE;
	v->causes_nr = 0;
	if (r->not_final) {
		v->copied_fraction = real__unknown(r->not_final);
		return;
	}
	if (e.zc->completed)
		verdict_of_completed(v, &e);
	else
		verdict_of_uncompleted(v, &e);
	append_missed(v, r);
	append_stacked(v, r);
	append_unseen_stacks(v, r);
}
