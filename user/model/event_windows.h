/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the programs that see each call and packet are attached, for run, attach and export. Pure.
 *
 * Bytes need no events, so events are sampled: the programs are attached for one window in each
 * period, at a random moment of the period, so that no rhythm of a program meets only one kind of
 * moment. attach also watches all events while they stay within the budget.
 */
#ifndef MODEL_EVENT_WINDOWS_H
#define MODEL_EVENT_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What may be spent until a time. Budgets in ns of CPU time per second; 0: windows only. */
struct window_phase {
	uint64_t until_ns; /* since the beginning; 0: for ever */
	double budget;
	double credit; /* the most that is saved, in ns of CPU time; of the first phase: given */
};

#define WINDOW_PHASES 3

/* The constants of a policy. Times in ns. */
struct window_rule {
	struct window_phase phases[WINDOW_PHASES];
	uint64_t period_ns; /* the shortest period; of a rule without a budget, every period */
	uint64_t window_ns; /* the shortest window */
	uint64_t events;    /* a window is extended until it has had as many */
	/* In the last phase the period doubles after as many windows, and again; 0: never. */
	size_t doubled;
	double idle_budget; /* at most, while no watched socket moves bytes */
};

/* attach: by default, while somebody looks at it; for months: window_rule__steady(). */
extern const struct window_rule window_rule_run, window_rule_attach;

/* 0.4 % of a CPU. */
#define WINDOW_BUDGET_STEADY 4e6

/* The rule of attach with one budget at all times. */
struct window_rule window_rule__steady(double budget);

/* Events so far, and whether watched sockets move bytes (used for detached programs only). */
struct window_load {
	uint64_t watched, others; /* events of watched and of other sockets */
	bool moves;
	bool keep; /* the programs have to stay attached */
};

enum window_step {
	WINDOW_STAY,
	WINDOW_ATTACH,
	WINDOW_DETACH,
	WINDOW_WHOLE, /* attach, or stay attached, until further notice */
};

struct event_windows {
	struct window_rule rule;
	size_t phase; /* of the rule */
	uint64_t random;
	bool attached, in_windows;
	bool sampled;    /* the programs have been detached */
	uint32_t weight; /* the period divided by the window; 1 outside of windows */
	uint64_t begun_ns;
	uint64_t since_ns; /* the last step that counted events */
	uint64_t seen_ns;  /* attached, up to since_ns */
	uint64_t whole_ns; /* of seen_ns: outside of windows */
	uint64_t stand_ns; /* periods that had a window, or in which nothing moved */
	uint64_t due_ns;   /* the next step */
	uint64_t period_at_ns, period_ns, window_ns;
	struct window_load at; /* at since_ns */
	uint64_t opened;       /* events before the present window */
	double credit;         /* ns of CPU time */
	double spent_ns;       /* CPU time of events and of attaching, up to since_ns */
	double rate;           /* of the last step, ns of CPU time per second */
	size_t windows;        /* in this phase */
};

/* The programs are attached. seed: random. at: events so far. */
void event_windows__begin(struct event_windows *w, const struct window_rule *rule, uint64_t now_ns,
			  uint64_t seed, struct window_load at);

/* What to do now. The caller does it, and calls again at due_ns or later. */
enum window_step event_windows__step(struct event_windows *w, uint64_t now_ns,
				     struct window_load load);

/* For how long the programs were attached until now. */
uint64_t event_windows__seen_ns(const struct event_windows *w, uint64_t now_ns);

/*
 * The CPU time that watching took so far, as the budget counts it: an estimate from the number of
 * events and of windows.
 */
double event_windows__spent_ns(const struct event_windows *w, struct window_load load);

/*
 * The time in which events were watched in windows, divided by the time that these windows stand
 * for: the last period may have had no window yet. 1 without windows.
 */
double event_windows__scale(const struct event_windows *w, uint64_t now_ns);

#endif
