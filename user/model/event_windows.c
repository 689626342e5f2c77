/* SPDX-License-Identifier: GPL-2.0-only */
/* When event programs are attached; see event_windows.h. Pure. */
#include "event_windows.h"

#include "common/splitmix.h"

#define MS 1000000ULL

const struct window_rule window_rule_run = {
	.period_ns = 500 * MS,
	.window_ns = 50 * MS,
	.events = 2000,
};

/*
 * 0.37 % of a CPU for events and for attaching; 0.1 % while no watched socket moves bytes. With the
 * samples of CPU time, which take 0.13 % (49 a second of 25 us), the programs stay within 0.5 %.
 */
const struct window_rule window_rule_attach = {
	.whole_ns = 3000 * MS,
	.period_ns = 700 * MS,
	.window_ns = 4 * MS,
	.doubled = 40,
	.budget = 3.7e6,
	.idle_budget = 1e6,
};

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
/* Credit that is kept: of so many seconds. */
#define CREDIT_S 2
/* Below this part of the budget the programs stay attached again. */
#define LOW 0.75

static uint64_t period_ns(const struct event_windows *w)
{
	size_t doubled = w->rule->doubled ? w->windows / w->rule->doubled : 0;

	return w->rule->period_ns << (doubled < 2 ? doubled : 2);
}

/* The length of a window that the budget allows at the last rate of events. */
static uint64_t window_ns(const struct event_windows *w)
{
	double left = w->rule->budget * (double)w->period_ns / 1e9 - SWITCH_NS;
	double ns = w->rate > 0 && left > 0 ? left * 1e9 / w->rate : 0;
	double most = (double)w->period_ns / 2;

	if (!w->rule->budget || ns < (double)w->rule->window_ns)
		return w->rule->window_ns;
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
	if (w->due_ns < now_ns + w->rule->window_ns)
		w->due_ns = now_ns + w->rule->window_ns;
}

static void open_window(struct event_windows *w, uint64_t now_ns, struct window_load load)
{
	w->attached = true;
	w->since_ns = w->open_ns = now_ns;
	w->at = load;
	w->opened = load.watched + load.others;
	w->due_ns = now_ns + w->window_ns;
}

static enum window_step stay_attached(struct event_windows *w, uint64_t now_ns,
				      struct window_load load)
{
	bool was_whole = w->attached && !w->in_windows;

	if (!was_whole)
		w->credit = w->rule->budget;
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
		.rule = rule,
		.random = seed,
		.weight = 1,
		.begun_ns = now_ns,
		.period_at_ns = now_ns,
		.period_ns = rule->period_ns,
		.window_ns = rule->budget ? CHECK_NS : rule->window_ns,
		.credit = CREDIT_S * rule->budget,
		.in_windows = !rule->budget,
	};
	open_window(w, now_ns, at);
}

/* Books the events since the last step. */
static void count(struct event_windows *w, uint64_t now_ns, struct window_load load)
{
	uint64_t watched = load.watched - w->at.watched;
	double ns = (double)(now_ns - w->since_ns);
	double cost =
		(double)watched * WATCHED_NS + (double)(load.others - w->at.others) * OTHER_NS;
	double budget = watched ? w->rule->budget : w->rule->idle_budget;

	w->rate = ns > 0 ? cost * 1e9 / ns : 0;
	w->credit += budget * ns / 1e9 - cost;
	if (w->credit > CREDIT_S * w->rule->budget)
		w->credit = CREDIT_S * w->rule->budget;
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
		if (now_ns < w->begun_ns + w->rule->whole_ns || w->credit > 0)
			return stay_attached(w, now_ns, load);
		return detach(w, now_ns);
	}
	if (load.watched + load.others - w->opened < w->rule->events) {
		w->due_ns = now_ns + w->rule->window_ns;
		return WINDOW_STAY;
	}
	w->windows++;
	w->stand_ns += w->period_ns;
	if (w->rate < LOW * w->rule->budget)
		return stay_attached(w, now_ns, load);
	return detach(w, now_ns);
}

enum window_step event_windows__step(struct event_windows *w, uint64_t now_ns,
				     struct window_load load)
{
	if (!w->attached && load.keep)
		return stay_attached(w, now_ns, load);
	if (now_ns < w->due_ns)
		return WINDOW_STAY;
	if (w->attached)
		return step_attached(w, now_ns, load);
	if (w->rule->budget && !load.moves) {
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

double event_windows__scale(const struct event_windows *w, uint64_t now_ns)
{
	bool whole = w->attached && !w->in_windows;
	uint64_t ns = (whole ? w->since_ns : now_ns) - w->begun_ns - w->whole_ns;

	return w->stand_ns ? (double)ns / (double)w->stand_ns : 1;
}
