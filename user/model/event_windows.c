/* SPDX-License-Identifier: GPL-2.0-only */
/* When event programs are attached; see event_windows.h. Pure. */
#include <math.h>

#include "base/num.h"
#include "common/splitmix.h"
#include "event_windows.h"

#define MS 1000000ULL

/* Credit that is kept: of so many seconds. */
#define CREDIT_S 2

const struct window_rule window_rule_run = {
	.period_ns = 500 * MS,
	.window_ns = 50 * MS,
	.events = 2000,
};

/*
 * For events and for attaching: 10 % of a CPU in the first 5 s, two fifths of that at once, so that
 * short commands are exact; 2 % in the first minute, then 0.4 %. 0.1 % while no watched socket
 * moves bytes. Samples of CPU time take 0.13 % more (49 a second of 25 us).
 */
const struct window_rule window_rule_attach = {
	.phases = {{5000 * MS, 60e6, 200e6}, {60000 * MS, 20e6, 40e6}, {0, 4e6, 8e6}},
	.period_ns = 100 * MS,
	.window_ns = 4 * MS,
	.doubled = 40,
	.idle_budget = 1e6,
};

struct window_rule window_rule__steady(double budget)
{
	struct window_rule rule = window_rule_attach;

	rule.phases[0] = (struct window_phase){0, budget, CREDIT_S * budget};
	return rule;
}

/*
 * CPU time of an event of a watched and of another socket, by run time accounting with 50 ns for
 * each run (bench-attach: iperf3 330, redis 360, nginx 385). A receive runs two programs.
 */
#define WATCHED_NS 360.0
#define OTHER_NS   130.0
/* CPU time to attach and detach the programs. */
#define SWITCH_NS 2e6
/* While the programs stay attached, the rate of events is looked at this often. */
#define CHECK_NS (100 * MS)
/* Below this part of the budget the programs stay attached again. */
#define LOW 0.75

/* Of the periods, attaching takes this part of the budget. */
#define SWITCH_PART 0.7

/* The longest period, whatever the events cost. */
#define PERIOD_MOST_NS 3600e9

static double budget_of(const struct event_windows *w)
{
	return w->rule.phases[w->phase].budget;
}

/* The time of the phase decides, and the number of windows in the phase. */
static void note_phase(struct event_windows *w, uint64_t now_ns)
{
	const struct window_phase *p = &w->rule.phases[w->phase];

	if (!p->until_ns || now_ns - w->begun_ns < p->until_ns)
		return;
	w->phase++;
	w->windows = 0;
}

/* Long enough for attaching, and for the shortest window at the last rate of events. */
static uint64_t period_ns(const struct event_windows *w)
{
	bool last = !w->rule.phases[w->phase].until_ns;
	size_t doubled = w->rule.doubled && last ? w->windows / w->rule.doubled : 0;
	double window = SWITCH_NS + w->rate * (double)w->rule.window_ns / 1e9;
	double ns = budget_of(w) ? fmax(SWITCH_NS / SWITCH_PART, window) * 1e9 / budget_of(w) : 0;
	uint64_t period = (uint64_t)fmax((double)w->rule.period_ns, fmin(ns, PERIOD_MOST_NS));

	return period << (doubled < 2 ? doubled : 2);
}

/* The length of a window that the budget allows at the last rate of events. */
static uint64_t window_ns(const struct event_windows *w)
{
	double left = budget_of(w) * (double)w->period_ns / 1e9 - SWITCH_NS;
	double ns = w->rate > 0 && left > 0 ? left * 1e9 / w->rate : 0;
	double most = (double)w->period_ns / 2;

	if (!budget_of(w) || ns < (double)w->rule.window_ns)
		return w->rule.window_ns;
	return (uint64_t)(ns < most ? ns : most);
}

/* Chooses the window of the next period: length, weight and begin. */
static void plan_window(struct event_windows *w, uint64_t now_ns)
{
	uint64_t next = w->period_at_ns + w->period_ns;

	w->period_at_ns = w->in_windows && next + w->period_ns > now_ns ? next : now_ns;
	w->in_windows = true;
	w->period_ns = period_ns(w);
	w->weight = (uint32_t)(w->period_ns / window_ns(w));
	w->window_ns = w->period_ns / w->weight;
	w->due_ns =
		w->period_at_ns + splitmix__next(&w->random) % (w->period_ns - w->window_ns + 1);
	/* A window that was extended is also followed by a pause. */
	if (w->due_ns < now_ns + w->rule.window_ns)
		w->due_ns = now_ns + w->rule.window_ns;
}

static void open_window(struct event_windows *w, uint64_t now_ns, struct window_load load)
{
	w->spent_ns += w->attached ? 0 : SWITCH_NS;
	w->attached = true;
	w->since_ns = now_ns;
	w->at = load;
	w->opened = load.watched + load.others;
	w->due_ns = now_ns + w->window_ns;
}

static enum window_step stay_attached(struct event_windows *w, uint64_t now_ns,
				      struct window_load load)
{
	bool was_whole = w->attached && !w->in_windows;

	if (!was_whole)
		w->credit = budget_of(w);
	if (!w->attached)
		open_window(w, now_ns, load);
	w->in_windows = false;
	w->weight = 1;
	w->due_ns = now_ns + CHECK_NS;
	return was_whole ? WINDOW_STAY : WINDOW_WHOLE;
}

void event_windows__begin(struct event_windows *w, const struct window_rule *rule, uint64_t now_ns,
			  uint64_t seed, struct window_load at)
{
	*w = (struct event_windows){
		.rule = *rule,
		.random = seed,
		.weight = 1,
		.begun_ns = now_ns,
		.period_at_ns = now_ns,
		.period_ns = rule->period_ns,
		.window_ns = rule->phases[0].budget ? CHECK_NS : rule->window_ns,
		.credit = rule->phases[0].credit,
		.in_windows = !rule->phases[0].budget,
	};
	open_window(w, now_ns, at);
}

/* CPU time of the events since the last step. `others` is a difference, which may shrink. */
static double cost_of(const struct event_windows *w, struct window_load load)
{
	return (double)u64__minus(load.watched, w->at.watched) * WATCHED_NS +
	       (double)u64__minus(load.others, w->at.others) * OTHER_NS;
}

/* Books the events since the last step. */
static void count(struct event_windows *w, uint64_t now_ns, struct window_load load)
{
	double ns = (double)(now_ns - w->since_ns), cost = cost_of(w, load);
	double budget = budget_of(w);

	if (load.watched == w->at.watched)
		budget = fmin(budget, w->rule.idle_budget);
	w->rate = cost * 1e9 / ns; /* due_ns is later than since_ns */
	w->credit = fmin(w->credit + budget * ns / 1e9 - cost, w->rule.phases[w->phase].credit);
	w->spent_ns += cost;
	w->seen_ns += now_ns - w->since_ns;
	w->whole_ns += w->in_windows ? 0 : now_ns - w->since_ns;
	w->since_ns = now_ns;
	w->at = load;
}

static enum window_step detach(struct event_windows *w, uint64_t now_ns)
{
	w->attached = false;
	w->sampled = true;
	plan_window(w, now_ns);
	return WINDOW_DETACH;
}

static enum window_step step_attached(struct event_windows *w, uint64_t now_ns,
				      struct window_load load)
{
	count(w, now_ns, load);
	if (load.keep)
		return stay_attached(w, now_ns, load);
	if (!w->in_windows) {
		if (w->credit > 0)
			return stay_attached(w, now_ns, load);
		return detach(w, now_ns);
	}
	if (u64__minus(load.watched + load.others, w->opened) < w->rule.events) {
		w->due_ns = now_ns + w->rule.window_ns;
		return WINDOW_STAY;
	}
	w->windows++;
	w->stand_ns += w->period_ns;
	if (w->rate < LOW * budget_of(w))
		return stay_attached(w, now_ns, load);
	return detach(w, now_ns);
}

enum window_step event_windows__step(struct event_windows *w, uint64_t now_ns,
				     struct window_load load)
{
	note_phase(w, now_ns);
	if (!w->attached && load.keep)
		return stay_attached(w, now_ns, load);
	if (now_ns < w->due_ns)
		return WINDOW_STAY;
	if (w->attached)
		return step_attached(w, now_ns, load);
	if (budget_of(w) && !load.moves) {
		w->stand_ns += w->period_ns;
		plan_window(w, now_ns);
		return WINDOW_STAY;
	}
	open_window(w, now_ns, load);
	return WINDOW_ATTACH;
}

uint64_t event_windows__seen_ns(const struct event_windows *w, uint64_t now_ns)
{
	return w->seen_ns + (w->attached ? now_ns - w->since_ns : 0);
}

double event_windows__spent_ns(const struct event_windows *w, struct window_load load)
{
	return w->spent_ns + (w->attached ? cost_of(w, load) : 0);
}

double event_windows__scale(const struct event_windows *w, uint64_t now_ns)
{
	bool whole = w->attached && !w->in_windows;
	uint64_t ns = (whole ? w->since_ns : now_ns) - w->begun_ns - w->whole_ns;

	return w->stand_ns ? (double)ns / (double)w->stand_ns : 1;
}
