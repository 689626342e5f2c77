/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of time: see time_figures.h. Pure. */
#include "time_figures.h"
#include "figures.h"

static struct real unknown(const char *reason)
{
	return real__unknown(reason ? reason : "the reason was not recorded");
}

uint64_t time_figures__calls(const struct run_result *run)
{
	const struct hist *calls = run->app.latency[LATENCY_SEND_CALL].hist;

	if (run->times.source == TIMES_FROM_TIMED_ROUND)
		return run->times.calls;
	return calls ? calls->count : 0;
}

/* Were the calls timed up to one moment and followed up to another? */
static bool two_moments(const struct run_result *run)
{
	return run->not_final && run->times.source != TIMES_FROM_TIMED_ROUND;
}

/*
 * Divisors of sums. The load generator times all system calls of a message: if every call was
 * followed, the parts are also the message's and add up to its time.
 */
static uint64_t calls_of(const struct run_result *run, enum path_part part)
{
	uint64_t timed = time_figures__calls(run), followed = run->path_calls.value;

	if (part == PATH_SEND_TOTAL)
		return timed;
	/* The kernel's count is of later than the load generator's. */
	if (two_moments(run))
		return followed;
	return timed && timed < followed ? timed : followed;
}

struct real time_figures__part(const struct run_result *run, enum path_part part)
{
	const struct num *ns = &run->path_ns[part];
	uint64_t calls;

	if (!ns->known)
		return unknown(ns->reason);
	if (part != PATH_SEND_TOTAL && !run->path_calls.known)
		return unknown(run->path_calls.reason);
	calls = calls_of(run, part);
	return calls ? real__known((double)ns->value / (double)calls)
		     : unknown("no call was timed");
}

/* Mean ns of a send call inside tcp_sendmsg, by the kernel's clock: the sum of its parts. */
static struct real inside_of(const struct run_result *run)
{
	struct real sum = real__known(0), part;
	int p;

	for (p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++) {
		part = time_figures__part(run, (enum path_part)p);
		if (!part.known)
			return part;
		sum.value += part.value;
	}
	return sum;
}

struct real time_figures__outside(const struct run_result *run)
{
	struct real total = time_figures__part(run, PATH_SEND_TOTAL);
	struct real inside = inside_of(run);

	if (!total.known || !inside.known)
		return total.known ? inside : total;
	if (two_moments(run))
		return unknown(run->not_final);
	if (run->path_calls.value < time_figures__calls(run))
		return unknown("not every call was followed");
	if (total.value < inside.value)
		return unknown("other calls were followed than the load generator timed");
	return real__known(total.value - inside.value);
}

/* The part of the stage's bytes that was timed. */
static double timed_share(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	uint64_t timed = s->timed.known ? s->timed.value : s->events, all = s->events;

	/* The time of the gather stage has been scaled to all messages already. */
	if (stage == NIO_STAGE_USER_GATHER)
		return 1;
	/* Timed call by call, even where bytes are counted packet by packet. */
	if (stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_PIN) {
		timed = run->path_calls.known ? run->path_calls.value : timed;
		all = time_figures__calls(run);
	}
	return timed < all ? (double)timed / (double)all : 1;
}

struct real time_figures__timed_bytes(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	const char *reason = NULL;

	if (!figures__stage_known(run, stage, &reason))
		return unknown(reason);
	if (!s->ns.known)
		return unknown(s->ns.reason);
	if (s->timed_bytes.known)
		return real__known((double)s->timed_bytes.value);
	if (two_moments(run) && stage__account(stage) == STAGE_SENT)
		return unknown(run->not_final);
	return real__known(timed_share(run, stage) * (double)s->bytes);
}

struct real time_figures__per_kib(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	struct real bytes = time_figures__timed_bytes(run, stage);

	if (!bytes.known)
		return bytes;
	if (!s->bytes)
		return real__known(0);
	if (!(bytes.value > 0) || !s->ns.value)
		return unknown("no event was timed");
	return real__known((double)s->ns.value * 1024 / bytes.value);
}
