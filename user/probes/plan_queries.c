/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries on a plan: stages, times, programs that can be detached, rows; see plan.h. Pure. */
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "bpf/sock_state.h"
#include "plan.h"

const char plan__reason_timed_separately[] = "taken in a short round of its own, after this one";

const char plan__by_construction[] =
	"0 by construction: without SO_ZEROCOPY no page of this mode's sockets can be pinned";

const char plan__by_receiver[] =
	"0 by construction: netio-loadgen's receiver takes each byte by a copy";

static bool is_by_construction(const char *reason)
{
	return reason == plan__by_construction || reason == plan__by_receiver;
}

/* Probes named in NIO_STAGES; none for the load generator's. */
#define PROBE_LOADGEN PROBE_NR

static const struct stage_row {
	const char *key;
	enum probe_id probe;
} stage_rows[] = {
#define X(id, key, head, side, copies, account, probe, ...) [NIO_STAGE_##id] = {key, PROBE_##probe},
	NIO_STAGES(X)
#undef X
};

/* Whether this mode's calls are declared to feed the stage, where no message shows it. */
static const char *declared(const struct plan *plan, enum nio_stage stage)
{
	if (stage == NIO_STAGE_TX_SPLICE && mode__has(plan->mode, MODE_SPLICES))
		return plan_by_mode;
	if ((stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_PIN) &&
	    mode__has(plan->mode, MODE_PINS_BY_URING) && !plan->chosen[PROBE_MESSAGE])
		return plan_requests;
	return NULL;
}

struct stage_source plan__stage(const struct plan *plan, enum nio_stage stage)
{
	struct stage_source source = {.quality = QUALITY_EXACT, .event = "message"};
	enum probe_id probe = stage_rows[stage].probe;
	const struct alternative *alt;
	const char *caveat;

	if (probe == PROBE_LOADGEN)
		return source;
	/* The sockets know whether there are record numbers: ledger_bytes__book(). */
	if (stage == NIO_STAGE_TLS_COPY) {
		source.event = "record";
		return source;
	}
	alt = plan->chosen[probe];
	caveat = declared(plan, stage);
	source.event = plan_probes[probe].event;
	source.quality = !alt ? QUALITY_UNAVAILABLE : caveat ? QUALITY_DERIVED : alt->quality;
	source.reason = !alt ? plan->reason[probe] : caveat ? caveat : alt->caveat;
	if (is_by_construction(source.reason))
		source.quality = QUALITY_DERIVED;
	return source;
}

const char *plan__no_probe(const struct plan *plan, enum probe_id probe)
{
	return plan->chosen[probe] ? NULL : plan->reason[probe];
}

#define BIT(probe) (1U << PROBE_##probe)

/* Probes that the parts of a send call need, besides the call's time and preemption. */
static const uint32_t path_needs[NIO_PATH_NR] = {
	/* Ended by the next event of any kind: all of them must be seen. */
	[NIO_PATH_COPY] = BIT(COPY_TIME) | BIT(TRANSMIT_TIME) | BIT(WAIT_TIME),
	[NIO_PATH_PIN] = BIT(PIN_TIME),
	[NIO_PATH_WAIT] = BIT(WAIT_TIME),
	/* Without the inline time, receive work would be booked as transmit. */
	[NIO_PATH_TRANSMIT] = BIT(TRANSMIT_TIME) | BIT(INLINE_TIME),
	[NIO_PATH_INLINE_RECEIVE] = BIT(INLINE_TIME),
	/* The rest of a call, known if all other parts are. */
	[NIO_PATH_OTHER] = BIT(COPY_TIME) | BIT(PIN_TIME) | BIT(WAIT_TIME) | BIT(TRANSMIT_TIME) |
			   BIT(INLINE_TIME),
};

/* The first of these probes that is missing says why. */
static const char *first_missing(const struct plan *plan, uint32_t needed)
{
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (needed & 1U << probe && !plan->chosen[probe])
			return plan->reason[probe];
	return NULL;
}

const char *plan__no_path_time(const struct plan *plan, enum nio_path_part part)
{
	const char *others = first_missing(plan, BIT(CALL_TIME) | BIT(PREEMPTED_TIME));

	return others ? others : first_missing(plan, path_needs[part]);
}

const char *plan__no_stage_time(const struct plan *plan, enum nio_stage stage)
{
	const char *no_place = plan->reason[PROBE_PLACES];

	switch (stage) {
	case NIO_STAGE_TX_COPY:
		return plan__no_path_time(plan, NIO_PATH_COPY);
	case NIO_STAGE_TX_PIN:
		return plan__no_path_time(plan, NIO_PATH_PIN);
	case NIO_STAGE_TX_SPLICE:
		return "splicing is not timed: it moves references, no bytes";
	case NIO_STAGE_DEFERRED_COPY:
		return plan->chosen[PROBE_PLACES] || no_place == plan__by_construction ? NULL
										       : no_place;
	case NIO_STAGE_RX_COPY:
		return plan__no_probe(plan, PROBE_RX_TIME);
	case NIO_STAGE_OTHER_COPY:
		return plan__no_probe(plan, PROBE_OTHER_COPY);
	case NIO_STAGE_USER_GATHER:
		return NULL;
	default:
		return "no probe takes its time";
	}
}

/* Zero-copy ones tell by the ids that they take. */
uint32_t plan__calls(const struct plan *plan)
{
	if (mode__has(plan->mode, MODE_PINS_BY_URING))
		return plan->chosen[PROBE_MESSAGE] ? NIO_DECLARED_MESSAGES
						   : NIO_SEEN_CALL | NIO_SEEN_MSG_UBUF;
	if (mode__has(plan->mode, MODE_SPLICES))
		return NIO_SEEN_CALL | NIO_SEEN_SPLICE;
	return mode__has(plan->mode, MODE_PINS) ? 0 : NIO_SEEN_CALL;
}

bool plan__completions_by_kernel(const struct plan *plan)
{
	const struct alternative *alt = plan->chosen[PROBE_COMPLETION];

	return alt && alt->backend != BACKEND_TRACEPOINT;
}

const char *plan__no_completions(const struct plan *plan)
{
	if (!mode__has(plan->mode, MODE_PINS))
		return NULL;
	return plan__no_probe(plan, mode__has(plan->mode, MODE_PINS_BY_URING) ? PROBE_REQUEST
									      : PROBE_COMPLETION);
}

bool plan__keeps_events(const struct plan *plan)
{
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && plan->chosen[probe]->object == OBJECT_RUN &&
		    strchr(plan->chosen[probe]->programs, ' '))
			return true;
	return false;
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
		if (!probe__measures_times(p) || plan->chosen[p])
			continue;
		any |= timed->chosen[p] && !none;
		plan->reason[p] = !timed->chosen[p] ? timed->reason[p]
				  : none            ? none
						    : plan__reason_timed_separately;
		plan->remedy[p] = timed->remedy[p];
	}
	return any;
}

const char *plan__backend(const struct plan_row *rows, size_t n)
{
	for (enum backend b = 0; b < BACKEND_NR; b++)
		for (size_t i = 0; i < n; i++)
			if (rows[i].backend && !strcmp(rows[i].backend, backend__name(b)))
				return rows[i].backend;
	return "none";
}

/* Programs at functions count completions and copies exactly: they stay. */
static bool sees_zerocopy_by_tracepoints(const struct plan *plan)
{
	const struct alternative *deferred = plan->chosen[PROBE_DEFERRED_COPY];
	const struct alternative *completion = plan->chosen[PROBE_COMPLETION];

	return completion && completion->backend == BACKEND_TRACEPOINT &&
	       (!deferred || deferred->backend == BACKEND_TRACEPOINT);
}

bool plan__can_detach(const struct plan *plan, struct plan *base_plan)
{
	static const enum probe_id detached[] = {PROBE_SEND_RETURN,   PROBE_MESSAGE, PROBE_SENDPAGE,
						 PROBE_DEFERRED_COPY, PROBE_RX_COPY, PROBE_TAKEN,
						 PROBE_MPTCP_SEND,    PROBE_REQUEST};
	const struct alternative *calls = plan->chosen[PROBE_SEND_RETURN];

	*base_plan = *plan;
	for (size_t i = 0; i < sizeof(detached) / sizeof(detached[0]); i++) {
		const struct alternative *alt = plan->chosen[detached[i]];

		if (plan->object == OBJECT_RUN || (alt && alt->backend == BACKEND_TRACEPOINT))
			base_plan->chosen[detached[i]] = NULL;
	}
	if (plan->object == OBJECT_ATTACH)
		return calls && calls->backend == BACKEND_TRACEPOINT;
	base_plan->chosen[PROBE_COMPLETION] = NULL;
	/* A request is followed from call to notification. Events of kTLS are booked whole. */
	return !mode__has(plan->mode, MODE_PINS_BY_URING | MODE_ENCRYPTS) &&
	       (!mode__has(plan->mode, MODE_PINS) || sees_zerocopy_by_tracepoints(plan));
}

bool plan__times_by_fentry(const struct plan *plan)
{
	for (int p = 0; p < PROBE_NR; p++)
		if (probe__measures_times(p) && plan->chosen[p] &&
		    plan->chosen[p]->backend == BACKEND_FENTRY)
			return true;
	return false;
}

static void name_stages(char *buf, size_t len, enum bpf_object_id object, enum probe_id probe)
{
	const struct probe_row *row = &plan_probes[probe];
	const char *stage =
		object == OBJECT_ATTACH && row->attach_stage ? row->attach_stage : row->stage;

	snprintf(buf, len, "%s", stage ? stage : "");
	for (int s = 0; !stage && s < NIO_STAGE_NR; s++)
		if (stage_rows[s].probe == probe)
			append__text(buf, len, "%s%s", *buf ? ", " : "", stage_rows[s].key);
}

void plan__missing(const struct plan *plan, char *buf, size_t len)
{
	enum probe_id probe = plan__first_needed(plan);
	const char *before = "; it would take ", *last = "";
	char stage[128];

	buf[0] = '\0';
	if (probe == PROBE_NR)
		return;
	name_stages(stage, sizeof(stage), plan->object, probe);
	append__text(buf, len, "nothing shows %s", stage);
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->probe != probe || alt->declared != (plan->object == OBJECT_RUN) ||
		    !strcmp(alt->hook, last))
			continue;
		append__text(buf, len, "%s%s", before, alt->hook);
		before = " or ";
		last = alt->hook;
	}
}

/* The first plan that chose something for a probe; NULL: none. */
static const struct alternative *chosen_by_any(const struct plan *const plans[MODE_NR],
					       enum probe_id probe)
{
	for (int m = 0; m < MODE_NR; m++)
		if (plans[m] && plans[m]->chosen[probe])
			return plans[m]->chosen[probe];
	return NULL;
}

/* The modes whose plan chose alt, as a mask; 0 if all plans did. */
static unsigned int modes_of(const struct plan *const plans[MODE_NR], enum probe_id probe,
			     const struct alternative *alt)
{
	unsigned int used = 0, all = 0;

	for (int m = 0; m < MODE_NR; m++) {
		all |= (unsigned int)(plans[m] != NULL) << m;
		used |= (unsigned int)(plans[m] && plans[m]->chosen[probe] == alt) << m;
	}
	return used == all ? 0 : used;
}

/* The programs of alt that these plans load: of some alternatives they load a part. */
static void name_programs(char *buf, size_t len, const struct plan *const plans[MODE_NR],
			  enum probe_id probe, const struct alternative *alt)
{
	char list[sizeof(((struct plan_row *)NULL)->programs)], *rest = list, *name;

	snprintf(list, sizeof(list), "%s", alt->programs);
	while ((name = strsep(&rest, " "))) {
		bool wanted = false;

		for (int m = 0; m < MODE_NR && !wanted; m++)
			wanted = plans[m] && plans[m]->chosen[probe] == alt &&
				 plan__wants(plans[m], name);
		if (wanted)
			append__text(buf, len, "%s%s", *buf ? " " : "", name);
	}
}

/* The plan whose reason counts for all modes: a mode that needs no hook has none. */
static const struct plan *telling(const struct plan *const plans[MODE_NR], enum probe_id probe)
{
	const struct plan *first = NULL;

	for (int m = 0; m < MODE_NR; m++) {
		if (plans[m] && !is_by_construction(plans[m]->reason[probe]))
			return plans[m];
		first = first ? first : plans[m];
	}
	return first;
}

size_t plan__rows(const struct plan *const plans[MODE_NR], const struct plan *const timed[MODE_NR],
		  struct plan_row rows[PLAN_ROWS_MAX])
{
	size_t n = 0;

	for (int probe = 0; probe < PROBE_NR; probe++) {
		const struct alternative *own = chosen_by_any(plans, probe);
		const struct alternative *alt = own ? own : chosen_by_any(timed, probe);
		const struct plan *plan = telling(plans, probe);
		struct plan_row *row = &rows[n];

		/* Neither chosen nor missing: the object lacks the probe. */
		if (!plan || (!own && !plan->reason[probe]))
			continue;
		n++;
		*row = (struct plan_row){.probe = plan_probes[probe].name, .apart = alt && !own};
		name_stages(row->stage, sizeof(row->stage), plan->object, probe);
		if (!alt) {
			row->quality = QUALITY_UNAVAILABLE;
			row->reason = plan->reason[probe];
			row->remedy = plan->remedy[probe];
			continue;
		}
		row->quality = alt->quality;
		row->reason = alt->caveat;
		row->backend = backend__name(alt->backend);
		row->hook = alt->hook;
		row->modes = modes_of(own ? plans : timed, probe, alt);
		name_programs(row->programs, sizeof(row->programs), own ? plans : timed, probe,
			      alt);
	}
	return n;
}
