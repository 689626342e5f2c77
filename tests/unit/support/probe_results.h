/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe results of an invented kernel. */
#ifndef SUPPORT_PROBE_RESULTS_H
#define SUPPORT_PROBE_RESULTS_H

#include "probes/plan.h"
#include "support/test.h"

#define OFFERS_MAX 128

static inline void offer_all_hooks(struct probe_result *probe_results)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		probe_results[i] = (struct probe_result){.answer = ANSWER_YES};
}

/* Results with every hook available; the same array at each call. */
static inline struct probe_result *all_probe_results(void)
{
	static struct probe_result probe_results[OFFERS_MAX];

	offer_all_hooks(probe_results);
	return probe_results;
}

static inline void withdraw(struct probe_result *probe_results, enum probe_id probe,
			    enum answer answer, int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == probe)
			probe_results[i] = (struct probe_result){.answer = answer, .err = err};
}

static inline void withdraw_backend(struct probe_result *probe_results, enum backend backend,
				    int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend)
			probe_results[i] = (struct probe_result){.answer = ANSWER_NO, .err = err};
}

static inline struct plan_request request(enum mode mode, uint64_t size)
{
	return (struct plan_request){
		.backend = BACKEND_AUTO, .mode = mode, .size = size, .times = TIMES_ON};
}

/* The plan of a request that can be met. */
static inline struct plan plan_of(const struct probe_result *probe_results,
				  const struct plan_request *req)
{
	struct plan plan;

	assert_int_equal(plan__make(&plan, probe_results, req), 0);
	return plan;
}

/* The plan of a mode with every hook. */
static inline struct plan plan_of_mode(enum mode mode)
{
	const struct plan_request req = request(mode, 65536);

	return plan_of(all_probe_results(), &req);
}

#endif
