/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice from the table of probes; see plan.h. Pure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan_table.h"

const char plan__apart[] = "taken in a short round of its own, after this one";

const char plan__by_construction[] =
	"0 by construction: without SO_ZEROCOPY no page of this mode's sockets can be pinned";

/*
 * Counting at each send call costs about 50 ns a call: next to nothing for a large message, several
 * percent of a small one. Sockets with SO_ZEROCOPY need it, since only there can bytes be pinned.
 */
static bool counts_calls(const struct plan_request *req)
{
	return req->count_calls || mode__has(req->mode, MODE_PINS) ||
	       req->size >= PLAN_COUNT_CALLS_SIZE;
}

static const char *no_times(enum times times)
{
	switch (times) {
	case TIMES_APART:
		return plan__apart;
	case TIMES_OFF:
		return "not used: --no-times was given";
	default:
		return NULL;
	}
}

static const char *not_wanted(enum probe_id probe, const struct plan_request *req)
{
	if (plan_probe__takes_times(probe))
		return no_times(req->times);
	switch (probe) {
	case PROBE_SEND_RETURN:
		return counts_calls(req) ? NULL
					 : "not used: a probe at each send call would cost several "
					   "percent at this message size";
	case PROBE_TRANSMIT:
		return counts_calls(req) ? "not used: every send call is counted" : NULL;
	case PROBE_DEFERRED_COPY:
		/* It stands in the path of every packet, to say 0. */
		return req->mode == MODE_ZEROCOPY ? NULL : plan__by_construction;
	default:
		return NULL;
	}
}

/* The parts of a send call have a time only within the call's. */
static bool is_part_of_call(enum probe_id probe)
{
	return probe == PROBE_COPY_TIME || probe == PROBE_PIN_TIME || probe == PROBE_WAIT_TIME ||
	       probe == PROBE_TRANSMIT_TIME || probe == PROBE_INLINE_TIME ||
	       probe == PROBE_PREEMPTED_TIME;
}

/*
 * By functions, receive copies are looked at in slices by their tracepoint, which can be left: what
 * rests at a function still has its trampoline. It stands before the copy, so where all events are
 * looked at, the return is, which tells copies that failed.
 */
static bool is_for_slices(const struct alternative *alt)
{
	return !strcmp(alt->programs, plan_rx_in_slices);
}

/* Programs that serve two probes can serve the second only if the first chose them, too. */
static bool fits_plan(const struct plan *plan, const struct alternative *alt,
		      const struct plan_request *req)
{
	const struct alternative *calls = plan->chosen[PROBE_SEND_RETURN];

	if (is_for_slices(alt) && !req->in_slices)
		return false;
	/* Packets do not tell how their bytes were queued; calls of another backend count twice. */
	if (alt->probe == PROBE_SPLICE && (!calls || calls->backend != alt->backend))
		return false;
	if (is_part_of_call(alt->probe) && !plan->chosen[PROBE_CALL_TIME])
		return false;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *other = &plan_alternatives[i];

		if (other->probe < alt->probe && plan->chosen[other->probe] != other &&
		    !strcmp(other->programs, alt->programs))
			return false;
	}
	return true;
}

/*
 * Of several refusals the most telling one is kept: that a kernel lacks one of several names of a
 * function says less than that it refused the program.
 */
static void note_refusal(struct plan *plan, enum probe_id probe, const struct offer *offer,
			 int *told)
{
	int weight =
		offer->err == -ENOENT || offer->err == -ESRCH || offer->err == -EPROTOTYPE ? 1 : 2;

	if (weight < *told)
		return;
	*told = weight;
	plan->reason[probe] = plan__refusal(offer->err);
	plan->remedy[probe] = plan__remedy(offer->err);
}

size_t plan__withhold(struct offer *offers, const char *hook)
{
	size_t n = 0;

	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const char *own = plan_alternatives[i].hook;

		if (strcmp(own, hook) && strcmp(strchr(own, '/') + 1, hook))
			continue;
		if (offers)
			offers[i] = (struct offer){.answer = ANSWER_NO, .err = -ECANCELED};
		n++;
	}
	return n;
}

static void choose(struct plan *plan, enum probe_id probe, const struct offer *offers,
		   const struct plan_request *req)
{
	bool other_backend = false;
	int told = 0;

	plan->reason[probe] = not_wanted(probe, req);
	if (plan->reason[probe])
		return;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->probe != probe)
			continue;
		if (req->backend != BACKEND_AUTO && alt->backend != BACKEND_ITERATOR &&
		    req->backend != alt->backend) {
			other_backend = true;
			continue;
		}
		if (!fits_plan(plan, alt, req))
			continue;
		if (offers[i].answer == ANSWER_YES) {
			plan->chosen[probe] = alt;
			plan->reason[probe] = NULL;
			plan->remedy[probe] = NULL;
			return;
		}
		note_refusal(plan, probe, &offers[i], &told);
	}
	if (plan->reason[probe])
		return;
	if (is_part_of_call(probe) && !plan->chosen[PROBE_CALL_TIME]) {
		plan->reason[probe] = plan->reason[PROBE_CALL_TIME];
	} else if (plan_probes[probe].nothing &&
		   (!other_backend || req->backend == BACKEND_TRACEPOINT)) {
		plan->reason[probe] = plan_probes[probe].nothing;
	} else if (other_backend) {
		plan->reason[probe] = "the backend asked for has no hook for it";
		plan->remedy[probe] = "use --backend auto";
	} else {
		plan->reason[probe] = "not with the hooks chosen for the rest";
	}
}

static bool has_events(const struct plan *plan)
{
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && plan->chosen[probe]->backend != BACKEND_ITERATOR)
			return true;
	return false;
}

/* Is each byte in some event? */
static bool sees_bytes(const struct plan *plan)
{
	return (plan->chosen[PROBE_SEND_RETURN] || plan->chosen[PROBE_TRANSMIT]) &&
	       plan->chosen[PROBE_RX_COPY];
}

int plan__make(struct plan *plan, const struct offer *offers, const struct plan_request *req)
{
	memset(plan, 0, sizeof(*plan));
	plan->mode = req->mode;
	for (int probe = 0; probe < PROBE_NR; probe++)
		choose(plan, probe, offers, req);
	/* Small messages may fall back to being counted by call, the dearer way; not the reverse.
	 */
	if (!plan->chosen[PROBE_TRANSMIT] && !counts_calls(req)) {
		struct plan_request by_call = *req;

		by_call.count_calls = true;
		choose(plan, PROBE_SEND_RETURN, offers, &by_call);
	}
	if (!has_events(plan) && req->backend != BACKEND_AUTO)
		return -EOPNOTSUPP;
	return plan->chosen[PROBE_SOCKETS] || sees_bytes(plan) ? 0 : -EOPNOTSUPP;
}

/* What the rows of NIO_STAGES name: a probe, or none, where the load generator counts. */
#define PROBE_LOADGEN PROBE_NR

static const enum probe_id stage_probes[] = {
#define X(id, key, head, side, copies, account, done, probe, ...) [NIO_STAGE_##id] = PROBE_##probe,
	NIO_STAGES(X)
#undef X
};

/* What queues bytes is counted by send call or by packet. */
static enum probe_id probe_of(const struct plan *plan, enum nio_stage stage)
{
	if (stage_probes[stage] == PROBE_SEND_RETURN && plan->chosen[PROBE_TRANSMIT])
		return PROBE_TRANSMIT;
	return stage_probes[stage];
}

void plan__stage(const struct plan *plan, enum nio_stage stage, struct stage_result *out)
{
	enum probe_id probe;

	if (stage_probes[stage] == PROBE_LOADGEN) {
		out->quality = QUALITY_EXACT;
		out->reason = NULL;
		out->event = "message";
		return;
	}
	probe = probe_of(plan, stage);
	out->event = plan_probes[probe].event;
	if (plan->reason[probe] == plan__by_construction) {
		out->quality = QUALITY_DERIVED;
		out->reason = plan__by_construction;
		return;
	}
	out->quality = plan->chosen[probe] ? plan->chosen[probe]->quality : QUALITY_UNAVAILABLE;
	out->reason = plan->chosen[probe] ? plan->chosen[probe]->caveat : plan->reason[probe];
}

const char *plan__no_probe(const struct plan *plan, enum probe_id probe)
{
	return plan->chosen[probe] ? NULL : plan->reason[probe];
}

/* The first of these probes that is missing says why. */
static const char *first_missing(const struct plan *plan, const enum probe_id *needed, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!plan->chosen[needed[i]])
			return plan->reason[needed[i]];
	return NULL;
}

#define NEEDS(...)                                                \
	first_missing(plan, (const enum probe_id[]){__VA_ARGS__}, \
		      sizeof((const enum probe_id[]){__VA_ARGS__}) / sizeof(enum probe_id))

const char *plan__no_path_time(const struct plan *plan, enum nio_path_part part)
{
	/* Without it, what other tasks ran would pass for any of them. */
	const char *others = NEEDS(PROBE_CALL_TIME, PROBE_PREEMPTED_TIME);

	if (others)
		return others;
	switch (part) {
	case NIO_PATH_LOCK:
	case NIO_PATH_RELEASE:
	case NIO_PATH_PREEMPTED:
		return NULL;
	case NIO_PATH_COPY:
		/* Ended by whatever comes next: all of that must be seen. */
		return NEEDS(PROBE_COPY_TIME, PROBE_TRANSMIT_TIME, PROBE_WAIT_TIME);
	case NIO_PATH_PIN:
		return NEEDS(PROBE_PIN_TIME);
	case NIO_PATH_WAIT:
		return NEEDS(PROBE_WAIT_TIME);
	case NIO_PATH_TRANSMIT:
		/* Without it, receive work would pass for transmit. */
		return NEEDS(PROBE_TRANSMIT_TIME, PROBE_INLINE_TIME);
	case NIO_PATH_INLINE_RECEIVE:
		return NEEDS(PROBE_INLINE_TIME);
	default:
		/* What is left when all the rest is known. */
		return NEEDS(PROBE_COPY_TIME, PROBE_PIN_TIME, PROBE_WAIT_TIME, PROBE_TRANSMIT_TIME,
			     PROBE_INLINE_TIME);
	}
}

const char *plan__no_stage_time(const struct plan *plan, enum nio_stage stage)
{
	const struct alternative *deferred = plan->chosen[PROBE_DEFERRED_COPY];

	switch (stage) {
	case NIO_STAGE_TX_COPY:
		return plan__no_path_time(plan, NIO_PATH_COPY);
	case NIO_STAGE_TX_PIN:
		return plan__no_path_time(plan, NIO_PATH_PIN);
	case NIO_STAGE_TX_SPLICE:
		return "splicing is not timed: it moves references, no bytes";
	case NIO_STAGE_DEFERRED_COPY:
		if (deferred && deferred->backend == BACKEND_TRACEPOINT)
			return plan_no_mark;
		if (plan->reason[PROBE_DEFERRED_COPY] == plan__by_construction)
			return NULL;
		return NEEDS(PROBE_DEFERRED_COPY);
	case NIO_STAGE_RX_COPY:
		return NEEDS(PROBE_RX_TIME);
	case NIO_STAGE_OTHER_COPY:
		return NEEDS(PROBE_OTHER_COPY);
	case NIO_STAGE_USER_GATHER:
		return NULL;
	default:
		return "no probe takes its time";
	}
}

bool plan__completions_by_kernel(const struct plan *plan)
{
	const struct alternative *alt = plan->chosen[PROBE_COMPLETION];

	return alt && alt->backend != BACKEND_TRACEPOINT;
}

bool plan__keeps_events(const struct plan *plan)
{
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && strchr(plan->chosen[probe]->programs, ' '))
			return true;
	return false;
}

bool plan__pairs_events(const struct plan *plan)
{
	return plan__keeps_events(plan) ||
	       (mode__has(plan->mode, MODE_PINS) && plan->chosen[PROBE_COMPLETION] &&
		plan->chosen[PROBE_SEND_RETURN]);
}

unsigned int plan__probes(const struct plan *plan)
{
	unsigned int n = 0;

	for (int probe = 0; probe < PROBE_NR; probe++)
		n += plan->chosen[probe] != NULL;
	return n;
}

bool plan__set_apart(struct plan *plan, const struct plan *timed, const char *none)
{
	bool any = false;

	for (int p = 0; p < PROBE_NR; p++) {
		if (!plan_probe__takes_times(p) || plan->chosen[p])
			continue;
		any |= timed->chosen[p] && !none;
		plan->reason[p] = !timed->chosen[p] ? timed->reason[p] : none ? none : plan__apart;
		plan->remedy[p] = timed->remedy[p];
	}
	return any;
}

bool plan__notifications_apart(const struct plan *plan)
{
	const struct alternative *alt = plan->chosen[PROBE_COMPLETION];

	return alt && !strcmp(alt->programs, plan_notifications_apart);
}

/*
 * Programs at functions look each completion up by its send, and count deferred copies exactly at
 * skb_copy_ubufs: they stay attached.
 */
static bool sees_zerocopy_by_tracepoints(const struct plan *plan)
{
	const struct alternative *deferred = plan->chosen[PROBE_DEFERRED_COPY];
	const struct alternative *completion = plan->chosen[PROBE_COMPLETION];

	return completion && completion->backend == BACKEND_TRACEPOINT &&
	       (!deferred || deferred->backend == BACKEND_TRACEPOINT);
}

bool plan__can_rest(const struct plan *plan, struct plan *rest)
{
	static const enum probe_id resting[] = {PROBE_SEND_RETURN,   PROBE_TRANSMIT,
						PROBE_SPLICE,        PROBE_RX_COPY,
						PROBE_DEFERRED_COPY, PROBE_COMPLETION};
	bool pins = mode__has(plan->mode, MODE_PINS);

	*rest = *plan;
	for (size_t i = 0; i < sizeof(resting) / sizeof(resting[0]); i++)
		rest->chosen[resting[i]] = NULL;
	return plan->chosen[PROBE_SOCKETS] && (!pins || sees_zerocopy_by_tracepoints(plan));
}

bool plan__times_by_trampoline(const struct plan *plan)
{
	for (int p = 0; p < PROBE_NR; p++)
		if (plan_probe__takes_times(p) && plan->chosen[p] &&
		    plan->chosen[p]->backend == BACKEND_TRAMPOLINE)
			return true;
	return false;
}

bool plan__feeds(enum probe_id probe, enum nio_stage stage)
{
	return stage_probes[stage] == probe;
}
