/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload and its options; see workload.h. */
#include "workload.h"

#define ROW(X, ...) WORKLOAD_ROW(0, __VA_ARGS__),
const struct option_row workload_options[WORKLOAD_OPTIONS_NR] = {WORKLOAD_OPTIONS(ROW, )};
#undef ROW

const char *workload__conflict(const struct workload *w)
{
	bool hides = receive__has(w->receive, RECEIVE_HIDES);
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{w->messages && w->duration_ns,
		 "--messages and --duration exclude each other: a count or a time"},
		{w->size < w->fields,
		 "a message cannot have more fields than bytes: lower --fields"},
		{workload__message_size(w) > LIMIT_SIZE_MAX,
		 "header and fields are more than 16 MiB: lower --header or --size"},
		{w->connections && w->connections < w->threads,
		 "there are fewer connections than threads: lower --threads"},
		{w->request_response && w->rcvlowat,
		 "--request-response and --rcvlowat exclude each other: a message smaller than "
		 "--rcvlowat would block the receiver forever"},
		{w->uring_depth > 1 && w->rate,
		 "--uring-depth submits several messages together, but with --rate each has its "
		 "own time: leave out one of them"},
		{w->uring_depth > 1 && w->request_response,
		 "--uring-depth submits several messages together, but with --request-response "
		 "each awaits a reply: leave out one of them"},
		{hides && w->verify, "--receive trunc and splice show the receiver no byte that "
				     "--verify could check: leave out --verify"},
		{hides && w->request_response, "--receive trunc and splice show the receiver no "
					       "message to answer: leave out --request-response"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].wrong)
			return rules[i].why;
	return NULL;
}
