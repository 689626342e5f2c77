/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe results of an invented kernel. */
#ifndef SUPPORT_OFFERS_H
#define SUPPORT_OFFERS_H

#include "probes/plan.h"
#include "support/test.h"

#define OFFERS_MAX 128

static inline void offer_all(struct probe_result *offers)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i] = (struct probe_result){.answer = ANSWER_YES};
}

/* Results with every hook available; the same array at each call. */
static inline struct probe_result *all_offers(void)
{
	static struct probe_result offers[OFFERS_MAX];

	offer_all(offers);
	return offers;
}

static inline void withdraw(struct probe_result *offers, enum probe_id probe, enum answer answer,
			    int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == probe)
			offers[i] = (struct probe_result){.answer = answer, .err = err};
}

static inline void withdraw_backend(struct probe_result *offers, enum backend backend, int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend)
			offers[i] = (struct probe_result){.answer = ANSWER_NO, .err = err};
}

static inline struct plan_request request(enum mode mode, uint64_t size)
{
	return (struct plan_request){
		.backend = BACKEND_AUTO, .mode = mode, .size = size, .times = TIMES_ON};
}

/* The plan of a request that can be met. */
static inline struct plan plan_of(const struct probe_result *offers, const struct plan_request *req)
{
	struct plan plan;

	assert_int_equal(plan__make(&plan, offers, req), 0);
	return plan;
}

/* The plan of a mode with every hook. */
static inline struct plan plan_of_mode(enum mode mode)
{
	const struct plan_request req = request(mode, 65536);

	return plan_of(all_offers(), &req);
}

#endif
