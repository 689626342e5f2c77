/* SPDX-License-Identifier: GPL-2.0-only */
/* What an invented kernel offers a plan. */
#ifndef NETIOTRACE_TESTS_OFFERS_H
#define NETIOTRACE_TESTS_OFFERS_H

#include "model/plan.h"

#define OFFERS_MAX 128

static inline void offer_all(struct offer *offers)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i] = (struct offer){.answer = ANSWER_YES};
}

/* Offers of everything; the same array at each call. */
static inline struct offer *all_offers(void)
{
	static struct offer offers[OFFERS_MAX];

	offer_all(offers);
	return offers;
}

static inline void withdraw(struct offer *offers, enum probe_id probe, enum answer answer, int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == probe)
			offers[i] = (struct offer){.answer = answer, .err = err};
}

static inline void withdraw_backend(struct offer *offers, enum backend backend, int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend)
			offers[i] = (struct offer){.answer = ANSWER_NO, .err = err};
}

static inline struct plan_request request(enum mode mode, uint64_t size)
{
	return (struct plan_request){
		.backend = BACKEND_AUTO, .mode = mode, .size = size, .times = TIMES_ON};
}

#endif
