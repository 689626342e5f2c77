/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans, and the programs they ask for; see kernel_side.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kernel_side.h"

static void plan_request(const struct options *o, enum mode mode, uint64_t size,
			 struct plan_request *req)
{
	*req = (struct plan_request){
		.backend = o->backend,
		.mode = mode,
		.size = size,
		/* A fixed number of messages is asked for to be counted. */
		.count_calls = o->count_calls || o->traffic.messages,
		.times = o->times,
	};
}

/* One plan for each mode of o, by mode, for messages of this size; *pointers: those made. */
static int make_plans(const struct options *o, uint64_t size, struct offer *offers,
		      struct plan plans[MODE_NR], const struct plan *pointers[MODE_NR])
{
	for (size_t i = 0; i < o->without_nr; i++)
		plan__withhold(offers, o->without[i]);
	for (size_t i = 0; i < o->modes_nr; i++) {
		enum mode mode = o->modes[i];
		struct plan_request req;
		int err;

		plan_request(o, mode, size, &req);
		err = plan__make(&plans[mode], offers, &req);
		if (err)
			return err;
		pointers[mode] = &plans[mode];
	}
	return 0;
}

/* Attaches what each plan chose, once: so that a refusal is met before anything runs. */
static int try_attaching(struct engine *e, const struct plan *const *plans, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		if (plans[i])
			err = session__attach(e->session, plans[i]);
	if (err) {
		session__close(e->session);
		e->session = NULL;
	}
	return err;
}

/* Loads what any of the sizes needs, according to the offers. */
static int load_programs(struct engine *e, const uint64_t *sizes, size_t sizes_nr)
{
	size_t n = sizes_nr * MODE_NR;
	struct plan *plans = calloc(n, sizeof(*plans));
	const struct plan **pointers = calloc(n, sizeof(*pointers));
	int err = plans && pointers ? 0 : -ENOMEM;
	const char *no_perf[NIO_PERF_EVENT_NR];

	for (int event = 0; event < NIO_PERF_EVENT_NR; event++)
		no_perf[event] = perf_watch__no_stage_event(&e->perf, event);
	for (size_t i = 0; i < sizes_nr && !err; i++)
		err = make_plans(e->o, sizes[i], e->offers, &plans[i * MODE_NR],
				 &pointers[i * MODE_NR]);
	if (!err)
		err = session__open(&e->session, pointers, n, MODE_NR, &e->result.env.optmem_max,
				    no_perf);
	if (!err)
		err = try_attaching(e, pointers, n);
	free(pointers);
	free(plans);
	return err;
}

/*
 * Plans by what the kernel seems to offer and loads that, which is quick and usually right; only if
 * it is refused is each hook tried by itself and the plan made again from the answers.
 */
static int open_session(struct engine *e, const uint64_t *sizes, size_t sizes_nr)
{
	int err;

	e->offers = calloc(plan_alternatives_nr, sizeof(*e->offers));
	if (!e->offers)
		return -ENOMEM;
	session__presume(e->offers, e->o->backend);
	err = load_programs(e, sizes, sizes_nr);
	if (err && err != -EOPNOTSUPP) {
		log_info("the full set of probes was refused (%s): trying each", strerror(-err));
		session__try_all(e->offers);
		err = load_programs(e, sizes, sizes_nr);
	}
	return err;
}

static unsigned int probes_of(const struct plan_row *rows, size_t n)
{
	unsigned int probes = 0;

	for (size_t i = 0; i < n; i++)
		probes += rows[i].hook != NULL;
	return probes;
}

/* The backend of the plan's first hook: a plan is of one backend, unless a later one mixes. */
static const char *backend_of(const struct plan_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].backend && strcmp(rows[i].backend, backend__name(BACKEND_ITERATOR)))
			return rows[i].backend;
	return "none";
}

int kernel_side__open(struct engine *e, const uint64_t *sizes, size_t sizes_nr)
{
	int err;

	if (e->o->backend == BACKEND_NONE)
		return EXIT_DONE;
	err = open_session(e, sizes, sizes_nr);
	if (err) {
		log_error(
			"this kernel cannot be watched by backend %s (%s): netiotrace doctor says "
			"what is missing; --backend none runs the load generator alone.",
			backend__name(e->o->backend), strerror(-err));
		return EXIT_KERNEL;
	}
	return EXIT_DONE;
}

void kernel_side__describe(struct engine *e)
{
	const struct plan *plans[MODE_NR] = {NULL};
	struct result *res = &e->result;

	res->backend = "none";
	if (!e->session)
		return;
	/* The same offers were enough for these sizes when the programs were loaded. */
	if (make_plans(e->o, e->o->traffic.size, e->offers, e->plans, plans))
		return;
	res->plan_nr = plan__rows(plans, e->rows);
	res->plan = e->rows;
	res->probes = probes_of(e->rows, res->plan_nr);
	res->backend = backend_of(e->rows, res->plan_nr);
}
