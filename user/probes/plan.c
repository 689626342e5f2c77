/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice from the table of probes; see plan.h. Pure. */
#include <errno.h>
#include <string.h>

#include "common/word.h"
#include "plan.h"

const char *quality__name(enum quality q)
{
	static const char *const names[] = {
		[QUALITY_UNAVAILABLE] = "unavailable",
		[QUALITY_EXACT] = "exact",
		[QUALITY_DERIVED] = "derived",
		[QUALITY_SAMPLED] = "sampled",
	};

	return names[q];
}

/* The kernel's own "not supported", which user space has no name for. */
#define ENOTSUPP 524

/* Errors of this moment, not of the kernel. */
static bool tells_nothing(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EMFILE || err == -ENFILE ||
	       err == -EINTR || err == -EBUSY;
}

struct probe_result probe_result__from_error(int err)
{
	return (struct probe_result){
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
static const char stock_kernel[] = "use a distribution's stock kernel, built with BTF and not "
				   "locked down; netiotrace doctor tries every hook";
static const char sendpage_is_gone[] =
	"not needed: from Linux 6.5 on, sendfile and splice send through send_return";
static const char free_resources[] =
	"end what else uses memory, files or performance counters, and try again";

/* The reason and remedy for an errno of a hook; the last row is for all others. */
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
	return has_word(alt->programs, name);
}

static bool is_on(const struct alternative *alt, const char *hook)
{
	return !strcmp(alt->hook, hook) || !strcmp(strchr(alt->hook, '/') + 1, hook);
}

/* Can run, or attach, use it? A run knows its sockets: it needs no program that finds them. */
static bool is_for(const struct alternative *alt, enum bpf_object_id who)
{
	if (who == OBJECT_ATTACH)
		return alt->object == OBJECT_ATTACH && !alt->declared;
	return alt->declared || alt->probe < PROBE_SOCKETS;
}

size_t plan__withhold(enum bpf_object_id object, struct probe_result *probe_results,
		      const char *hook)
{
	size_t n = 0;

	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		if (!is_for(&plan_alternatives[i], object) || !is_on(&plan_alternatives[i], hook))
			continue;
		if (probe_results)
			probe_results[i] = probe_result__from_error(-ECANCELED);
		n++;
	}
	return n;
}

int plan__backend_error(enum bpf_object_id object, const struct probe_result *probe_results,
			enum backend backend)
{
	int err = 0;

	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->object != object || alt->backend != backend)
			continue;
		/* Hooks withheld by the user exist in the kernel. */
		if (probe_results[i].answer == ANSWER_YES || probe_results[i].err == -ECANCELED)
			return 0;
		err = err ? err : probe_results[i].err;
	}
	return err ? err : -ENOENT;
}

/*
 * A program on a function costs about 50 ns a send call also between windows: next to nothing for a
 * large message, several percent of a small one, whose bytes the sockets count.
 */
static bool counts_calls(const struct plan_request *req)
{
	return req->count_calls || mode__has(req->mode, MODE_PINS | MODE_SPLICES) ||
	       req->size >= PLAN_COUNT_CALLS_SIZE;
}

static const char too_dear[] = "not used: a program on a function at each send call would cost "
			       "several percent at this message size";
const char plan__records_only[] = "not used: it would see records of kTLS, not payload";
static const char no_tls_times[] = "no probe times the functions of kTLS";

/* Does the mode declare what this probe would show, or send nothing that it would see? */
static bool is_declared(enum probe_id probe, enum mode mode)
{
	bool requests = mode__has(mode, MODE_PINS_BY_URING);

	switch (probe) {
	case PROBE_MESSAGE:
	case PROBE_REQUEST:
		return !requests;
	case PROBE_COMPLETION:
		return requests || !mode__has(mode, MODE_PINS);
	default:
		return false;
	}
}

/* Why run does without a probe, whatever the kernel has; NULL: it does not. */
static const char *not_wanted(enum probe_id probe, const struct plan_request *req)
{
	/* It would run for every packet, to count 0. */
	if ((probe == PROBE_DEFERRED_COPY || probe == PROBE_PLACES) &&
	    !mode__has(req->mode, MODE_PINS))
		return plan__by_construction;
	if (probe == PROBE_TAKEN && !req->takes)
		return plan__by_receiver;
	if (mode__has(req->mode, MODE_ENCRYPTS) && probe != PROBE_SOCKETS &&
	    (probe != PROBE_RX_COPY || !req->decrypts_directly))
		return probe__measures_times(probe) ? no_tls_times : plan__records_only;
	if (probe == PROBE_COMPLETION_TIME && !mode__has(req->mode, MODE_TAKES_IDS))
		return mode__has(req->mode, MODE_PINS)
			       ? "not counted for io_uring's zero-copy requests"
			       : plan__by_construction;
	if (probe__measures_times(probe) && req->times != TIMES_ON)
		return req->times == TIMES_APART ? plan__reason_timed_separately
						 : "not used: --no-times was given";
	return NULL;
}

/* The parts of a send call have a time only within the call's. */
static bool is_part_of_call(enum probe_id probe)
{
	return probe > PROBE_CALL_TIME && probe <= PROBE_PREEMPTED_TIME;
}

/* The completion of a send is timed from the begin of its call. */
static bool needs_call_time(enum probe_id probe)
{
	return is_part_of_call(probe) || probe == PROBE_COMPLETION_TIME;
}

static bool is_of_functions(const struct alternative *alt)
{
	return alt->backend == BACKEND_FENTRY || alt->backend == BACKEND_KPROBE;
}

/* What does not depend on the other probes of a run. */
static bool fits_run(const struct plan *plan, const struct alternative *alt,
		     const struct plan_request *req)
{
	bool requests = mode__has(req->mode, MODE_PINS_BY_URING);

	if (alt->probe == PROBE_SEND_RETURN && is_of_functions(alt) && !counts_calls(req))
		return false;
	/* Those that know MSG_ZEROCOPY do not see io_uring's requests. */
	if (requests && (alt->probe == PROBE_REFUSAL || alt->probe == PROBE_PLACES))
		return false;
	/* A packet's request is known if its message was seen. */
	return !requests || alt->probe != PROBE_DEFERRED_COPY || plan->chosen[PROBE_MESSAGE];
}

/* Programs that serve two probes can serve the second only if the first chose them. */
static bool fits_plan(const struct plan *plan, const struct alternative *alt,
		      const struct plan_request *req)
{
	if (req->object == OBJECT_RUN && !fits_run(plan, alt, req))
		return false;
	if (needs_call_time(alt->probe) && !plan->chosen[PROBE_CALL_TIME])
		return false;
	/* Only a message shows which socket a request belongs to. */
	if (alt->probe == PROBE_REQUEST && !plan->chosen[PROBE_MESSAGE])
		return false;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *other = &plan_alternatives[i];

		if (other->probe < alt->probe && plan->chosen[other->probe] != other &&
		    !strcmp(other->programs, alt->programs))
			return false;
	}
	return true;
}

/* Errors of a missing function explain less than a refusal of the program. */
static bool is_missing(int err)
{
	return err == -ENOENT || err == -ESRCH || err == -EPROTOTYPE;
}

/* Keeps the most specific of several refusals. *specific: one is kept that is. */
static void note_refusal(struct plan *plan, enum probe_id probe, int err, bool *specific)
{
	if (is_missing(err) && *specific)
		return;
	*specific = !is_missing(err);
	plan->reason[probe] = refusal_of(err)->clause;
	plan->remedy[probe] = refusal_of(err)->remedy;
	if (probe == PROBE_SENDPAGE && is_missing(err)) {
		plan->reason[probe] = sendpage_is_gone;
		plan->remedy[probe] = NULL;
	}
}

static bool is_of(const struct alternative *alt, enum bpf_object_id who, enum probe_id probe)
{
	return alt->probe == probe && is_for(alt, who);
}

/* Whether the request allows this backend. fallback: there was none of the backend asked for. */
static bool allows(const struct plan_request *req, enum backend backend, bool fallback)
{
	if (req->backend == BACKEND_AUTO || backend == BACKEND_ITERATOR)
		return true;
	return fallback ? backend == BACKEND_TRACEPOINT : backend == req->backend;
}

/* Events use kprobes for all probes or for none: only if the kernel refuses fentry. */
static bool uses_functions(const struct alternative *alt, const struct probe_result *probe_results)
{
	return alt->object == OBJECT_RUN || alt->backend != BACKEND_KPROBE ||
	       plan__backend_error(alt->object, probe_results, BACKEND_FENTRY);
}

/* Does the kernel show send calls by functions only, which would cost too much? */
static bool is_too_dear(enum probe_id probe, const struct probe_result *probe_results,
			const struct plan_request *req)
{
	if (probe != PROBE_SEND_RETURN || req->object != OBJECT_RUN || counts_calls(req))
		return false;
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == probe && is_of_functions(&plan_alternatives[i]) &&
		    probe_results[i].answer == ANSWER_YES)
			return true;
	return false;
}

/* Chooses the first alternative that works. Returns whether some are of another backend. */
static bool pick(struct plan *plan, enum probe_id probe, const struct probe_result *probe_results,
		 const struct plan_request *req, bool fallback, bool *specific)
{
	bool other_backend = false;

	for (size_t i = 0; i < plan_alternatives_nr && !plan->chosen[probe]; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (!is_of(alt, req->object, probe))
			continue;
		if (!allows(req, alt->backend, fallback)) {
			other_backend = true;
			continue;
		}
		if (!fits_plan(plan, alt, req) ||
		    (req->backend == BACKEND_AUTO && !uses_functions(alt, probe_results)))
			continue;
		if (probe_results[i].answer == ANSWER_YES)
			plan->chosen[probe] = alt;
		else
			note_refusal(plan, probe, probe_results[i].err, specific);
	}
	return other_backend;
}

/* The reason for a missing alternative if no refusal has one. */
static void explain(struct plan *plan, enum probe_id probe, const struct plan_request *req,
		    bool other_backend)
{
	const char *nothing = plan_probes[probe].nothing;

	if (needs_call_time(probe) && !plan->chosen[PROBE_CALL_TIME]) {
		plan->reason[probe] = plan->reason[PROBE_CALL_TIME];
	} else if (nothing && (!other_backend || req->backend == BACKEND_TRACEPOINT)) {
		plan->reason[probe] = nothing;
	} else if (other_backend) {
		plan->reason[probe] = "the backend asked for has no hook for it";
		plan->remedy[probe] = "use --backend auto";
	} else {
		plan->reason[probe] = "not with the hooks chosen for the rest";
	}
}

/* Before Linux 6.5 a sockmap sends by these functions what any mode hands to it. */
static bool shows_foreign_only(enum probe_id probe, const struct plan_request *req)
{
	return req->object == OBJECT_RUN && probe == PROBE_SENDPAGE &&
	       !mode__has(req->mode, MODE_SPLICES);
}

static void choose(struct plan *plan, enum probe_id probe, const struct probe_result *probe_results,
		   const struct plan_request *req)
{
	bool other_backend, specific = false;

	plan->reason[probe] = req->object == OBJECT_RUN ? not_wanted(probe, req) : NULL;
	if (plan->reason[probe])
		return;
	if (req->object == OBJECT_RUN && is_declared(probe, req->mode))
		return;
	other_backend = pick(plan, probe, probe_results, req, false, &specific);
	/* The meter has no hook beside those on functions. */
	if (!plan->chosen[probe])
		other_backend |= pick(plan, probe, probe_results, req, true, &specific);
	if (plan->chosen[probe])
		plan->reason[probe] = plan->remedy[probe] = NULL;
	else if (shows_foreign_only(probe, req))
		plan->reason[probe] = plan->remedy[probe] = NULL;
	else if (is_too_dear(probe, probe_results, req))
		plan->reason[probe] = too_dear, plan->remedy[probe] = "use --count-calls";
	else if (!plan->reason[probe])
		explain(plan, probe, req, other_backend);
}

/* Whether run, or attach, has alternatives for a probe. */
static bool serves(enum bpf_object_id who, enum probe_id probe)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (is_of(&plan_alternatives[i], who, probe))
			return true;
	return false;
}

/* Is a program of the backend asked for in the plan? */
static bool uses(const struct plan *plan, enum backend backend)
{
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && plan->chosen[probe]->backend == backend)
			return true;
	return false;
}

/* A run declares with its sockets what its calls are: events only add to that. */
static bool is_needed(const struct plan *plan, enum probe_id probe)
{
	return plan->object == OBJECT_RUN ? probe == PROBE_SOCKETS
					  : plan_probes[probe].attach_needs;
}

enum probe_id plan__first_needed(const struct plan *plan)
{
	enum probe_id probe = 0;

	while (probe < PROBE_NR && (!is_needed(plan, probe) || plan->chosen[probe]))
		probe++;
	return probe;
}

/*
 * Every kernel that can be watched has the hooks that read the sockets: the error of trying them
 * says more than the lack of them.
 */
static int error_of_sockets(enum bpf_object_id who, const struct probe_result *probe_results)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (is_of(&plan_alternatives[i], who, PROBE_SOCKETS) &&
		    (probe_results[i].err == -EPERM || tells_nothing(probe_results[i].err)))
			return probe_results[i].err;
	return -EOPNOTSUPP;
}

static int error_of_needed(const struct plan *plan, const struct probe_result *probe_results)
{
	enum probe_id needed = plan__first_needed(plan);

	if (needed == PROBE_NR)
		return 0;
	return needed == PROBE_SOCKETS ? error_of_sockets(plan->object, probe_results)
				       : -EOPNOTSUPP;
}

int plan__make(struct plan *plan, const struct probe_result *probe_results,
	       const struct plan_request *req)
{
	*plan = (struct plan){.object = req->object, .mode = req->mode, .takes = req->takes};
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (serves(req->object, probe))
			choose(plan, probe, probe_results, req);
	if (req->object == OBJECT_RUN && req->backend < BACKEND_NR &&
	    !mode__has(req->mode, MODE_ENCRYPTS) && !uses(plan, req->backend))
		return -EOPNOTSUPP;
	return error_of_needed(plan, probe_results);
}

/* They do what the kernel refuses the first program at the same hook. */
static bool is_second(const char *program)
{
	return !strcmp(program, "nio_at_state2") || !strcmp(program, "nio_at_destroy2") ||
	       !strcmp(program, "nio_at_fork2");
}

/*
 * There are three programs at receive copies. The one that shares notifications with the program at
 * their report needs Linux 5.12.
 */
static bool is_other_receive(const struct plan *plan, const char *program)
{
	static const char receive[] = "nio_at_receive";
	const struct alternative *completion = plan->chosen[PROBE_COMPLETION];
	const char *own = receive;

	if (strncmp(program, receive, strlen(receive)) != 0)
		return false;
	if (completion && completion->declared)
		own = completion->programs;
	else if (completion && completion->backend == BACKEND_TRACEPOINT)
		own = "nio_at_receive_notices";
	return strcmp(program, own) != 0;
}

bool plan__wants(const struct plan *plan, const char *program)
{
	if ((plan->without_seconds && is_second(program)) || is_other_receive(plan, program))
		return false;
	for (int probe = 0; probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && alternative__has_program(plan->chosen[probe], program))
			return true;
	return false;
}
