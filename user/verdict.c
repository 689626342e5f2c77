/* SPDX-License-Identifier: GPL-2.0-only */
/* The zero-copy verdict; see verdict.h. Pure. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"
#include "verdict.h"

__attribute__((format(printf, 2, 3))) static void say(struct verdict *v, const char *format, ...)
{
	size_t len = strlen(v->text);
	va_list args;

	va_start(args, format);
	vsnprintf(v->text + len, sizeof(v->text) - len, format, args);
	va_end(args);
}

/* Completions as the kernel side saw them, which tells merged ones apart; else the application's.
 */
static const struct zc_counts *completions(const struct run_result *r)
{
	return r->kernel_zc_known ? &r->kernel_zc : &r->app.zc;
}

/*
 * The cause follows from which stage did the copying. Copied in the send call: nothing was pinned,
 * so the route cannot do scatter-gather. Copied later: zero-copy pages arrived on this machine.
 */
static enum zc_cause cause_of(const struct run_result *r, const struct zc_counts *zc)
{
	if (!zc->completed)
		return ZC_CAUSE_NONE;
	if (!zc->copied)
		return ZC_CAUSE_NOT_COPIED;
	if (!r->ledger_known)
		return ZC_CAUSE_UNKNOWN;
	if (r->stages[NIO_STAGE_DEFERRED_COPY].quality != QUALITY_UNAVAILABLE &&
	    r->stages[NIO_STAGE_DEFERRED_COPY].bytes)
		return ZC_CAUSE_LOCAL;
	if (r->stages[NIO_STAGE_TX_PIN].quality != QUALITY_UNAVAILABLE &&
	    !r->stages[NIO_STAGE_TX_PIN].bytes)
		return ZC_CAUSE_NO_SG;
	return ZC_CAUSE_UNKNOWN;
}

static void say_cause(struct verdict *v, const struct environment *env)
{
	switch (v->cause) {
	case ZC_CAUSE_LOCAL:
		say(v,
		    ": the path is local (%s), where the kernel copies pinned pages on delivery "
		    "(skb_copy_ubufs).",
		    env->device);
		break;
	case ZC_CAUSE_NO_SG:
		say(v,
		    ": nothing was pinned, because the route's device (%s) does no scatter-gather, "
		    "so "
		    "the kernel copied in the send call.",
		    env->device);
		break;
	default:
		say(v, "; the cause was not seen.");
	}
}

static void say_fallbacks(struct verdict *v, const struct run_result *r)
{
	char n[UNITS_BUF];

	if (r->app.zc.enobufs)
		say(v,
		    " %s further sends fell back to copying after ENOBUFS (RLIMIT_MEMLOCK or "
		    "net.core.optmem_max).",
		    format_count(n, sizeof(n), r->app.zc.enobufs));
}

void verdict__give(struct run_result *r, const struct environment *env)
{
	const struct zc_counts *zc = completions(r);
	struct verdict *v = &r->verdict;
	char copied[UNITS_BUF], completed[UNITS_BUF];

	v->text[0] = '\0';
	v->cause = cause_of(r, zc);
	if (!zc->completed) {
		v->copied_fraction = (struct real){
			.reason = r->mode == MODE_ZEROCOPY ? "no zero-copy send completed"
							   : "no zero-copy sends in this mode"};
		if (r->mode == MODE_ZEROCOPY) {
			say(v, "no zero-copy send completed.");
			say_fallbacks(v, r);
		}
		return;
	}
	v->copied_fraction =
		(struct real){.value = (double)zc->copied / zc->completed, .known = true};
	format_count(copied, sizeof(copied), zc->copied);
	format_count(completed, sizeof(completed), zc->completed);
	if (!zc->copied) {
		say(v, "truly zero-copy: none of %s sends was copied.", completed);
	} else {
		say(v, "%s of %s sends were copied after all", copied, completed);
		say_cause(v, env);
	}
	say_fallbacks(v, r);
}
