/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice from the table of probes, and what follows from it; see plan.h. Pure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"

/* The kernel's own "not supported", which user space has no name for. */
#define ENOTSUPP 524

const char plan__apart[] = "taken in a short round of its own, after this one";

const char plan__by_construction[] =
	"0 by construction: without SO_ZEROCOPY no page of this mode's sockets can be pinned";

/* Errors that say something about this moment, not about the kernel. */
static bool tells_nothing(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EMFILE || err == -ENFILE ||
	       err == -EINTR || err == -EBUSY;
}

struct offer plan__offer(int err)
{
	return (struct offer){
		.err = err,
		.answer = !err                 ? ANSWER_YES
			  : tells_nothing(err) ? ANSWER_UNKNOWN
					       : ANSWER_NO,
	};
}

static const char no_hook[] = "this kernel has no such hook";
static const char denied[] = "this kernel refused the program (permission denied)";
static const char unsupported[] = "this kernel does not support such programs";
static const char no_resource[] = "could not be tried (out of a resource)";
static const char stock_kernel[] = "a distribution's stock kernel, built with BTF and not locked "
				   "down, has it; netiotrace doctor tries every hook";
static const char free_resources[] =
	"end what else uses memory, files or performance counters, and try again";

/* What a hook that gave this errno says, and what helps; the last row is for all others. */
static const struct refusal {
	int err;
	const char *clause, *remedy;
} refusals[] = {
	{0, "not tried", stock_kernel},
	{ENOENT, no_hook, stock_kernel},
	{ESRCH, no_hook, stock_kernel},
	{ECANCELED, "withheld by --without", NULL},
	{EPROTOTYPE, "the function takes other arguments in this kernel", stock_kernel},
	{EPERM, denied, stock_kernel},
	{EACCES, denied, stock_kernel},
	{EOPNOTSUPP, unsupported, stock_kernel},
	{ENOTSUPP, unsupported, stock_kernel},
	{EMFILE, "could not be tried (too many open files)",
	 "allow more open files (ulimit -n), and try again"},
	{ENFILE, no_resource, free_resources},
	{ENOMEM, no_resource, free_resources},
	{EAGAIN, no_resource, free_resources},
	{EBUSY, no_resource, free_resources},
	{-1, "this kernel refused the program", stock_kernel},
};

static const struct refusal *refusal_of(int err)
{
	const struct refusal *r = refusals;

	while (r->err != -1 && r->err != -err)
		r++;
	return r;
}

const char *plan__refusal(int err)
{
	return refusal_of(err)->clause;
}

bool alternative__has_program(const struct alternative *alt, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = alt->programs; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (!strncmp(p, name, len) && (p[len] == ' ' || !p[len]))
			return true;
	}
	return false;
}

static bool is_on(const struct alternative *alt, const char *hook)
{
	return !strcmp(alt->hook, hook) || !strcmp(strchr(alt->hook, '/') + 1, hook);
}

size_t plan__withhold(enum bpf_object_id object, struct offer *offers, const char *hook)
{
	size_t n = 0;

	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		if (plan_alternatives[i].object != object || !is_on(&plan_alternatives[i], hook))
			continue;
		if (offers)
			offers[i] = plan__offer(-ECANCELED);
		n++;
	}
	return n;
}

int plan__backend_error(enum bpf_object_id object, const struct offer *offers, enum backend backend)
{
	int err = 0;

	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->object != object || alt->backend != backend)
			continue;
		/* What the user withholds, the kernel has. */
		if (offers[i].answer == ANSWER_YES || offers[i].err == -ECANCELED)
			return 0;
		err = err ? err : offers[i].err;
	}
	return err ? err : -ENOENT;
}

static bool takes_times(enum probe_id probe)
{
	return probe >= PROBE_CALL_TIME && probe <= PROBE_RX_TIME;
}

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
	if (takes_times(probe))
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
	return probe > PROBE_CALL_TIME && probe <= PROBE_PREEMPTED_TIME;
}

/* Programs that serve two probes can serve the second only if the first chose them. */
static bool fits_plan(const struct plan *plan, const struct alternative *alt,
		      const struct plan_request *req)
{
	const struct alternative *calls = plan->chosen[PROBE_SEND_RETURN];

	/*
	 * A tracepoint can be detached cheaply, a trampoline cannot: the function backends sample
	 * receive copies by tracepoint. It fires before the copy: if all events are counted, the
	 * return of the function is used, which shows copies that failed.
	 */
	if (!strcmp(alt->programs, plan_rx_in_slices) && !req->in_slices)
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
	plan->remedy[probe] = refusal_of(offer->err)->remedy;
}

static bool is_of(const struct alternative *alt, enum bpf_object_id object, enum probe_id probe)
{
	return alt->object == object && alt->probe == probe;
}

/* Whether a probe has alternatives in this object. */
static bool has_probe(enum bpf_object_id object, enum probe_id probe)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (is_of(&plan_alternatives[i], object, probe))
			return true;
	return false;
}

/* Whether the request allows this backend. fallback: attach found none of the backend asked for. */
static bool allows(const struct plan_request *req, enum backend backend, bool fallback)
{
	if (req->backend == BACKEND_AUTO || backend == BACKEND_ITERATOR)
		return true;
	return fallback ? backend == BACKEND_TRACEPOINT : backend == req->backend;
}

/* attach uses kprobes for all probes or for none: only where the kernel refuses trampolines. */
static bool uses_functions(const struct alternative *alt, const struct offer *offers)
{
	return alt->object == OBJECT_RUN || alt->backend != BACKEND_KPROBE ||
	       plan__backend_error(alt->object, offers, BACKEND_TRAMPOLINE);
}

struct choice {
	const struct alternative *chosen;
	bool other_backend; /* alternatives were passed over for their backend */
	int told;
};

static void pick(struct choice *c, struct plan *plan, enum probe_id probe,
		 const struct offer *offers, const struct plan_request *req, bool fallback)
{
	for (size_t i = 0; i < plan_alternatives_nr && !c->chosen; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (!is_of(alt, req->object, probe))
			continue;
		if (!allows(req, alt->backend, fallback)) {
			c->other_backend = true;
			continue;
		}
		if (!fits_plan(plan, alt, req) ||
		    (req->backend == BACKEND_AUTO && !uses_functions(alt, offers)))
			continue;
		if (offers[i].answer == ANSWER_YES)
			c->chosen = alt;
		else
			note_refusal(plan, probe, &offers[i], &c->told);
	}
}

/* Why a probe has no alternative, if no refusal has told. */
static void explain(struct plan *plan, enum probe_id probe, const struct plan_request *req,
		    bool other_backend)
{
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

static void choose(struct plan *plan, enum probe_id probe, const struct offer *offers,
		   const struct plan_request *req)
{
	struct choice c = {0};

	plan->reason[probe] = req->object == OBJECT_RUN ? not_wanted(probe, req) : NULL;
	if (plan->reason[probe])
		return;
	pick(&c, plan, probe, offers, req, false);
	if (!c.chosen && req->object == OBJECT_ATTACH)
		pick(&c, plan, probe, offers, req, true);
	plan->chosen[probe] = c.chosen;
	if (c.chosen) {
		plan->reason[probe] = NULL;
		plan->remedy[probe] = NULL;
	} else if (!plan->reason[probe]) {
		explain(plan, probe, req, c.other_backend);
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

/* PROBE_NR: attach has all that it needs. */
static enum probe_id first_needed(const struct plan *plan)
{
	enum probe_id probe = 0;

	while (probe < PROBE_NR && (!plan_probes[probe].attach_needs || plan->chosen[probe]))
		probe++;
	return probe;
}

int plan__make(struct plan *plan, const struct offer *offers, const struct plan_request *req)
{
	*plan = (struct plan){.object = req->object, .mode = req->mode};
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (has_probe(req->object, probe))
			choose(plan, probe, offers, req);
	if (req->object == OBJECT_ATTACH)
		return first_needed(plan) == PROBE_NR ? 0 : -EOPNOTSUPP;
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

static void name_stages(char *buf, size_t len, enum bpf_object_id object, enum probe_id probe)
{
	const struct probe_row *row = &plan_probes[probe];
	const char *stage =
		object == OBJECT_ATTACH && row->attach_stage ? row->attach_stage : row->stage;
	size_t used = 0;

	snprintf(buf, len, "%s", stage ? stage : "");
	for (int s = 0; !stage && s < NIO_STAGE_NR && used < len; s++)
		if (plan__feeds(probe, s))
			used += (size_t)snprintf(buf + used, len - used, "%s%s", used ? ", " : "",
						 stage__key(s));
}

void plan__missing(const struct plan *plan, char *buf, size_t len)
{
	enum probe_id probe = first_needed(plan);
	const char *before = "";
	char stage[128];
	size_t used;

	buf[0] = '\0';
	if (probe == PROBE_NR)
		return;
	name_stages(stage, sizeof(stage), OBJECT_ATTACH, probe);
	used = (size_t)snprintf(buf, len, "nothing shows %s; it would take ", stage);
	for (size_t i = 0; i < plan_alternatives_nr && used < len; i++) {
		if (!is_of(&plan_alternatives[i], OBJECT_ATTACH, probe))
			continue;
		used += (size_t)snprintf(buf + used, len - used, "%s%s", before,
					 plan_alternatives[i].hook);
		before = " or ";
	}
}

bool plan__wants(const struct plan *plan, const char *program)
{
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && alternative__has_program(plan->chosen[probe], program))
			return true;
	return false;
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

#define BIT(probe) (1U << PROBE_##probe)

/* What the parts of a send call need, besides its time and what other tasks ran meanwhile. */
static const uint32_t path_needs[NIO_PATH_NR] = {
	/* Ended by whatever comes next: all of that must be seen. */
	[NIO_PATH_COPY] = BIT(COPY_TIME) | BIT(TRANSMIT_TIME) | BIT(WAIT_TIME),
	[NIO_PATH_PIN] = BIT(PIN_TIME),
	[NIO_PATH_WAIT] = BIT(WAIT_TIME),
	/* Without the inline time, receive work would be booked as transmit. */
	[NIO_PATH_TRANSMIT] = BIT(TRANSMIT_TIME) | BIT(INLINE_TIME),
	[NIO_PATH_INLINE_RECEIVE] = BIT(INLINE_TIME),
	/* What is left when all the rest is known. */
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
	const struct alternative *deferred = plan->chosen[PROBE_DEFERRED_COPY];

	switch (stage) {
	case NIO_STAGE_TX_COPY:
		return plan__no_path_time(plan, NIO_PATH_COPY);
	case NIO_STAGE_TX_PIN:
		return plan__no_path_time(plan, NIO_PATH_PIN);
	case NIO_STAGE_TX_SPLICE:
		return "splicing is not timed: it moves references, no bytes";
	case NIO_STAGE_DEFERRED_COPY:
		if (deferred)
			return deferred->backend == BACKEND_TRACEPOINT ? plan_no_mark : NULL;
		return plan->reason[PROBE_DEFERRED_COPY] == plan__by_construction
			       ? NULL
			       : plan->reason[PROBE_DEFERRED_COPY];
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
		if (!takes_times(p) || plan->chosen[p])
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
	static const enum probe_id resting[] = {PROBE_SEND_RETURN,   PROBE_TRANSMIT, PROBE_SPLICE,
						PROBE_DEFERRED_COPY, PROBE_RX_COPY,  PROBE_MESSAGE,
						PROBE_MPTCP_SEND};
	const struct alternative *calls = plan->chosen[PROBE_SEND_RETURN];

	*rest = *plan;
	for (size_t i = 0; i < sizeof(resting) / sizeof(resting[0]); i++) {
		const struct alternative *alt = plan->chosen[resting[i]];

		if (plan->object == OBJECT_RUN || (alt && alt->backend == BACKEND_TRACEPOINT))
			rest->chosen[resting[i]] = NULL;
	}
	if (plan->object == OBJECT_ATTACH)
		return calls && calls->backend == BACKEND_TRACEPOINT;
	rest->chosen[PROBE_COMPLETION] = NULL;
	return plan->chosen[PROBE_SOCKETS] &&
	       (!mode__has(plan->mode, MODE_PINS) || sees_zerocopy_by_tracepoints(plan));
}

bool plan__times_by_trampoline(const struct plan *plan)
{
	for (int p = 0; p < PROBE_NR; p++)
		if (takes_times(p) && plan->chosen[p] &&
		    plan->chosen[p]->backend == BACKEND_TRAMPOLINE)
			return true;
	return false;
}

bool plan__feeds(enum probe_id probe, enum nio_stage stage)
{
	return stage_probes[stage] == probe;
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

/* The plan that says why no mode has a hook: that one mode needs none says nothing of others. */
static const struct plan *telling(const struct plan *const plans[MODE_NR], enum probe_id probe)
{
	const struct plan *first = NULL;

	for (int m = 0; m < MODE_NR; m++) {
		if (plans[m] && plans[m]->reason[probe] != plan__by_construction)
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
		const struct alternative *alt = chosen_by_any(plans, probe);
		bool apart = !alt && chosen_by_any(timed, probe);
		const struct plan *plan = telling(plans, probe);
		struct plan_row *row = &rows[n];

		if (!plan || !has_probe(plan->object, probe))
			continue;
		n++;
		alt = apart ? chosen_by_any(timed, probe) : alt;
		*row = (struct plan_row){.probe = plan_probes[probe].name, .apart = apart};
		name_stages(row->stage, sizeof(row->stage), plan->object, probe);
		row->quality = alt ? alt->quality : QUALITY_UNAVAILABLE;
		row->reason = alt ? alt->caveat : plan->reason[probe];
		if (!alt) {
			row->remedy = plan->remedy[probe];
			continue;
		}
		row->backend = backend__name(alt->backend);
		row->hook = alt->hook;
		row->programs = alt->programs;
		row->modes = modes_of(apart ? timed : plans, probe, alt);
	}
	return n;
}
