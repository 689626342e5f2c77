/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe table and the choice made from it; see plan.h. Pure. */
#include <errno.h>
#include <string.h>

#include "plan.h"

/* In order of preference within a probe. Other backends are further rows here. */
/* clang-format off */
const struct alternative plan_alternatives[] = {
	{ PROBE_SEND_RETURN, BACKEND_TRACEPOINT, "tp_btf/sock_send_length", "nio_tp_send_return",
	  QUALITY_EXACT, NULL },
	{ PROBE_TRANSMIT, BACKEND_TRACEPOINT, "tp_btf/net_dev_queue", "nio_tp_transmit",
	  QUALITY_EXACT, NULL },
	{ PROBE_ZEROCOPY_ARRIVAL, BACKEND_TRACEPOINT, "tp_btf/netif_receive_skb",
	  "nio_tp_zerocopy_arrival", QUALITY_DERIVED,
	  "counted where zero-copy pages arrive for local delivery, which copies them: "
	  "skb_copy_ubufs itself has no tracepoint" },
	{ PROBE_COMPLETION, BACKEND_TRACEPOINT, "tp_btf/skb_copy_datagram_iovec", "nio_tp_rx_copy",
	  QUALITY_DERIVED,
	  "read as the application takes the notification; the kernel merges those of adjacent sends "
	  "without comparing whether they were copied" },
	{ PROBE_RX_COPY, BACKEND_TRACEPOINT, "tp_btf/skb_copy_datagram_iovec", "nio_tp_rx_copy",
	  QUALITY_EXACT, NULL },
};
/* clang-format on */

const size_t plan_alternatives_nr = sizeof(plan_alternatives) / sizeof(plan_alternatives[0]);

/* What each probe is called and feeds, and why it may have no alternative at all. */
static const struct {
	const char *name;
	const char *stage;
	const char *event;
	const char *nothing;
} probes[PROBE_NR] = {
	[PROBE_SEND_RETURN] = {"send_return", "tx_copy, tx_pin", "send call", NULL},
	[PROBE_TRANSMIT] = {"transmit", "tx_copy", "transmit", NULL},
	[PROBE_ZEROCOPY_ARRIVAL] = {"zerocopy_arrival", "deferred_copy", "skb", NULL},
	[PROBE_COMPLETION] = {"completion", "zero-copy verdict", "notification", NULL},
	[PROBE_RX_COPY] = {"rx_copy", "rx_copy", "skb", NULL},
	[PROBE_SPLICE] = {"splice", "tx_splice", "send call",
			  "no tracepoint tells spliced bytes from copied ones; netio-loadgen never "
			  "calls sendfile or splice"},
	[PROBE_OTHER_COPY] = {"other_copy", "other_copy", "skb",
			      "collapse, linearize and skb_copy have no tracepoint"},
};

static const char *const backend_names[] = {
	[BACKEND_TRAMPOLINE] = "trampoline",
	[BACKEND_KPROBE] = "kprobe",
	[BACKEND_TRACEPOINT] = "tracepoint",
	[BACKEND_AUTO] = "auto",
	[BACKEND_NONE] = "none",
};

const char *backend__name(enum backend b)
{
	return backend_names[b];
}

int backend__parse(const char *s, enum backend *out)
{
	for (size_t i = 0; i < sizeof(backend_names) / sizeof(backend_names[0]); i++) {
		if (strcmp(s, backend_names[i]) == 0) {
			*out = (enum backend)i;
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * Counting at each send call costs about 50 ns a call: next to nothing for a large message, several
 * percent of a small one. Sockets with SO_ZEROCOPY need it, since only there can bytes be pinned.
 */
static bool counts_calls(const struct plan_request *req)
{
	return req->count_calls || req->mode == MODE_ZEROCOPY || req->size >= PLAN_COUNT_CALLS_SIZE;
}

static const char *not_wanted(enum probe_id probe, const struct plan_request *req)
{
	switch (probe) {
	case PROBE_SEND_RETURN:
		return counts_calls(req) ? NULL
					 : "not used: a probe at each send call would cost several "
					   "percent at this message size";
	case PROBE_TRANSMIT:
		return counts_calls(req) ? "not used: every send call is counted" : NULL;
	default:
		return NULL;
	}
}

/* Why none of the alternatives of a probe can be had, by the last one refused. */
static const char *refusal(const struct offer *offer)
{
	switch (-offer->err) {
	case 0:
		return "not tried";
	case ENOENT:
	case ESRCH:
		return "this kernel has no such hook";
	case EPERM:
	case EACCES:
		return "this kernel refused the program (permission denied)";
	case EOPNOTSUPP:
		return "this kernel does not support such programs";
	case ENOMEM:
	case EAGAIN:
	case EBUSY:
		return "could not be tried (out of a resource)";
	default:
		return "this kernel refused the program";
	}
}

static void choose(struct plan *plan, enum probe_id probe, const struct offer *offers,
		   const struct plan_request *req)
{
	bool other_backend = false;

	plan->reason[probe] = not_wanted(probe, req);
	if (plan->reason[probe])
		return;
	plan->reason[probe] = probes[probe].nothing;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *alt = &plan_alternatives[i];

		if (alt->probe != probe)
			continue;
		if (req->backend != BACKEND_AUTO && req->backend != alt->backend) {
			other_backend = true;
			continue;
		}
		if (offers[i].answer == ANSWER_YES) {
			plan->chosen[probe] = alt;
			plan->reason[probe] = NULL;
			plan->remedy[probe] = NULL;
			return;
		}
		plan->reason[probe] = refusal(&offers[i]);
		plan->remedy[probe] =
			"run netiotrace doctor; a kernel built with BTF, 6.3 or later, "
			"has it";
	}
	if (!plan->reason[probe] && other_backend) {
		plan->reason[probe] = "the backend asked for has no hook for it";
		plan->remedy[probe] = "use --backend auto";
	}
}

int plan__make(struct plan *plan, const struct offer *offers, const struct plan_request *req)
{
	memset(plan, 0, sizeof(*plan));
	for (int probe = 0; probe < PROBE_NR; probe++)
		choose(plan, probe, offers, req);
	/* Small messages may fall back to being counted by call, the dearer way; not the reverse.
	 */
	if (!plan->chosen[PROBE_TRANSMIT] && !counts_calls(req)) {
		struct plan_request by_call = *req;

		by_call.count_calls = true;
		choose(plan, PROBE_SEND_RETURN, offers, &by_call);
	}
	if (!plan->chosen[PROBE_SEND_RETURN] && !plan->chosen[PROBE_TRANSMIT])
		return -EOPNOTSUPP;
	return plan->chosen[PROBE_RX_COPY] ? 0 : -EOPNOTSUPP;
}

static enum probe_id probe_of(const struct plan *plan, enum nio_stage stage)
{
	switch (stage) {
	case NIO_STAGE_TX_COPY:
	case NIO_STAGE_TX_PIN:
		return plan->chosen[PROBE_TRANSMIT] ? PROBE_TRANSMIT : PROBE_SEND_RETURN;
	case NIO_STAGE_TX_SPLICE:
		return PROBE_SPLICE;
	case NIO_STAGE_DEFERRED_COPY:
		return PROBE_ZEROCOPY_ARRIVAL;
	case NIO_STAGE_RX_COPY:
		return PROBE_RX_COPY;
	default:
		return PROBE_OTHER_COPY;
	}
}

void plan__stage(const struct plan *plan, enum nio_stage stage, struct stage_result *out)
{
	enum probe_id probe;

	if (stage == NIO_STAGE_USER_GATHER) {
		out->quality = QUALITY_EXACT;
		out->reason = NULL;
		out->event = "message";
		return;
	}
	probe = probe_of(plan, stage);
	out->quality = plan->chosen[probe] ? plan->chosen[probe]->quality : QUALITY_UNAVAILABLE;
	out->reason = plan->chosen[probe] ? plan->chosen[probe]->caveat : plan->reason[probe];
	out->event = probes[probe].event;
}

unsigned int plan__probes(const struct plan *plan)
{
	unsigned int n = 0;

	for (int probe = 0; probe < PROBE_NR; probe++)
		n += plan->chosen[probe] != NULL;
	return n;
}

bool plan__sees_completions(const struct plan *plan)
{
	return plan->chosen[PROBE_COMPLETION] != NULL;
}

/* The modes whose plan chose alt, "twocopy onecopy"; NULL when all plans did. */
static const char *modes_of(const struct plan *const plans[MODE_NR], enum probe_id probe,
			    const struct alternative *alt)
{
	static const char *const names[1 << MODE_NR] = {
		[1] = "twocopy",  [2] = "onecopy",          [3] = "twocopy onecopy",
		[4] = "zerocopy", [5] = "twocopy zerocopy", [6] = "onecopy zerocopy",
	};
	unsigned int used = 0, all = 0;

	for (int m = 0; m < MODE_NR; m++) {
		if (!plans[m])
			continue;
		all |= 1U << m;
		if (plans[m]->chosen[probe] == alt)
			used |= 1U << m;
	}
	return used == all ? NULL : names[used];
}

static const struct alternative *chosen_by_any(const struct plan *const plans[MODE_NR],
					       enum probe_id probe)
{
	for (int m = 0; m < MODE_NR; m++)
		if (plans[m] && plans[m]->chosen[probe])
			return plans[m]->chosen[probe];
	return NULL;
}

static const struct plan *first_plan(const struct plan *const plans[MODE_NR])
{
	for (int m = 0; m < MODE_NR; m++)
		if (plans[m])
			return plans[m];
	return NULL;
}

size_t plan__rows(const struct plan *const plans[MODE_NR], struct plan_row rows[PLAN_ROWS_MAX])
{
	const struct plan *first = first_plan(plans);
	size_t n = 0;

	if (!first)
		return 0;
	for (int probe = 0; probe < PROBE_NR; probe++) {
		const struct alternative *alt = chosen_by_any(plans, probe);

		rows[n++] = (struct plan_row){
			.probe = probes[probe].name,
			.stage = probes[probe].stage,
			.backend = alt ? backend__name(alt->backend) : NULL,
			.hook = alt ? alt->hook : NULL,
			.quality = alt ? alt->quality : QUALITY_UNAVAILABLE,
			.reason = alt ? alt->caveat : first->reason[probe],
			.remedy = alt ? NULL : first->remedy[probe],
			.modes = alt ? modes_of(plans, probe, alt) : NULL,
		};
	}
	return n;
}
