/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the programs that see each call and packet are attached, for run, attach and export. Pure.
 *
 * Bytes need no events, so events are sampled: the programs are attached for one window in each
 * period, at a random moment of the period, so that no rhythm of a program meets only one kind of
 * moment. attach also watches all events at the beginning, and while they stay within the budget.
 */
#ifndef MODEL_EVENT_WINDOWS_H
#define MODEL_EVENT_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The constants of a policy. Times in ns; budgets in ns of CPU time per second. */
struct window_rule {
	uint64_t whole_ns;  /* all events are watched for this long at the beginning */
	uint64_t period_ns; /* of the first windows */
	uint64_t window_ns; /* the shortest window */
	uint64_t events;    /* a window is extended until it has had as many */
	size_t doubled;     /* the period doubles after as many windows, and again; 0: never */
	double budget;      /* 0: windows only */
	double idle_budget; /* while no watched socket moves bytes */
};

extern const struct window_rule window_rule_run, window_rule_attach;

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
	const struct window_rule *rule;
	uint64_t random;
	bool attached, in_windows;
	bool sampled;    /* the programs have been detached */
	uint32_t weight; /* the period divided by the window; 1 outside of windows */
	uint64_t begun_ns;
	uint64_t since_ns; /* the last step that counted events */
	uint64_t open_ns;  /* begin of the present window */
	uint64_t seen_ns;  /* attached, up to since_ns */
	uint64_t whole_ns; /* of seen_ns: outside of windows */
	uint64_t stand_ns; /* periods that had a window, or in which nothing moved */
	uint64_t due_ns;   /* the next step */
	uint64_t period_at_ns, period_ns, window_ns;
	struct window_load at; /* at since_ns */
	uint64_t opened;       /* events before the present window */
	double credit;         /* ns of CPU time */
	double rate;           /* of the last step, ns of CPU time per second */
	size_t windows;
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
 * The time in which events were watched in windows, divided by the time that these windows stand
 * for: the last period may have had no window yet. 1 without windows.
 */
double event_windows__scale(const struct event_windows *w, uint64_t now_ns);

#endif
