/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts perf events and /proc counters over the measured phase. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "event.h"
#include "model/perf_figures.h"
#include "watch.h"

static const char not_asked[] = "counters were switched off (--perf-events none)";
static const char unwatched[] = "the kernel was not watched (--backend none)";
static const char elsewhere[] = "the process runs on another machine";

void perf_watch__init(struct perf_watch *w, const struct perf_spec *asked, size_t asked_nr,
		      bool virtual_machine)
{
	perf_plan__init(&w->plan, asked, asked_nr);
	w->facts.virtual_machine = virtual_machine;
	if (!w->off) {
		perf_event__probe(&w->plan, &w->facts);
		perf_proc__find_known(&w->plan);
	}
	log_info("counters: %zu groups of events, %u registers a group", w->plan.groups_nr,
		 w->plan.registers);
}

const char *perf_watch__no_stage_event(const struct perf_watch *w, enum nio_perf_event event)
{
	static const enum perf_counter counters[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = PERF_CYCLES,
		[NIO_PERF_LLC_MISSES] = PERF_LLC_MISSES,
	};

	if (w->off)
		return not_asked;
	return perf_plan__missing(&w->plan, counters[event], PERF_WHOLE, &w->facts);
}

void perf_watch__begin(const struct perf_watch *w, struct run_result *r)
{
	const struct perf_slot *s;

	run_result__no_windows(r, unwatched);
	for (size_t i = 0; i < w->plan.slots_nr; i++) {
		s = &w->plan.slots[i];
		if (s->quantity >= PERF_NR)
			r->perf_asked[r->perf_asked_nr++].name = s->spec.name;
	}
}

static void book_nothing(struct run_result *r, enum nio_side side, const char *reason)
{
	const struct num none = num__unknown(reason);
	const struct real never = real__unknown(reason);

	for (int c = 0; c < PERF_NR; c++) {
		r->perf[side][c] = none;
		r->perf_detail[side][c].user = none;
		r->perf_detail[side][c].kernel = none;
		r->perf_detail[side][c].running = never;
	}
	for (size_t i = 0; i < r->perf_asked_nr; i++) {
		r->perf_asked[i].count[side] = none;
		r->perf_asked[i].running[side] = never;
	}
}

void perf_watch__open(struct perf_watch *w, enum nio_side side, pid_t pid)
{
	struct perf_side *s = &w->sides[side];

	*s = (struct perf_side){.pid = pid};
	if (w->off || !pid)
		return;
	s->err = perf_events__open(&s->events, &w->plan, pid);
	if (s->err)
		log_info("perf events of process %d: %s", pid, strerror(-s->err));
	else
		log_info("perf events of process %d: %u threads", pid,
			 perf_events__threads(s->events));
}

void perf_watch__enable(struct perf_watch *w)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct perf_side *s = &w->sides[side];

		if (w->off || !s->pid)
			continue;
		s->has_base = !perf_proc__read(&s->base, s->pid);
		s->counting = true;
		if (s->events)
			s->err = perf_events__enable(s->events);
	}
}

static void read_side(struct perf_watch *w, enum nio_side side, struct run_result *r)
{
	struct perf_side *s = &w->sides[side];
	struct perf_sum sums[PERF_SLOTS_MAX];
	struct perf_proc now;

	if (s->events && !s->err)
		s->err = perf_events__read(s->events, sums);
	if (s->events && !s->err)
		perf_read__book(r, side, &w->plan, sums, &w->facts);
	else
		book_nothing(r, side, perf_plan__reason(s->err, false, &w->facts));
	if (s->has_base && !perf_proc__read(&now, s->pid))
		perf_proc__book(r, side, &s->base, &now);
}

void perf_watch__read(struct perf_watch *w, enum nio_side side, struct run_result *r)
{
	if (w->off)
		book_nothing(r, side, not_asked);
	else if (!w->sides[side].pid)
		book_nothing(r, side, elsewhere);
	else if (w->sides[side].counting)
		read_side(w, side, r);
}

void perf_watch__finish(struct perf_watch *w, enum nio_side side, struct run_result *r)
{
	struct perf_side *s = &w->sides[side];

	if (s->counting && s->events && !s->err)
		s->err = perf_events__disable(s->events);
	perf_watch__read(w, side, r);
	s->counting = false;
}

void perf_watch__end(struct perf_watch *w)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		perf_events__close(w->sides[side].events);
		w->sides[side] = (struct perf_side){.pid = 0};
	}
}

void perf_watch__warn(struct perf_watch *w, const struct run_result *r)
{
	struct real lowest = perf_derive__lowest_running(r);

	if (w->warned || !lowest.known || lowest.value >= PERF_RUNNING_MIN)
		return;
	w->warned = true;
	log_warning("performance counters took turns and are scaled up: one counted %.0f %% of the "
		    "time. Longer runs and fewer --perf-events make that surer.",
		    lowest.value * 100);
}

/* The number behind `name` and blanks or a colon. 0 or -EPROTO. */
static int number_after(const char *text, const char *name, uint64_t *out)
{
	const char *found = strstr(text, name);

	return found && sscanf(found + strlen(name), "%*[ \t:]%" SCNu64, out) == 1 ? 0 : -EPROTO;
}

int perf_proc__parse_status(const char *text, uint64_t *switches)
{
	uint64_t voluntary, involuntary;

	if (number_after(text, "\nvoluntary_ctxt_switches", &voluntary) ||
	    number_after(text, "\nnonvoluntary_ctxt_switches", &involuntary))
		return -EPROTO;
	*switches = voluntary + involuntary;
	return 0;
}

/* proc(5): comm is in brackets and may hold any byte; minflt is field 10, majflt field 12. */
int perf_proc__parse_stat(const char *text, uint64_t *faults)
{
	const char *rest = strrchr(text, ')');
	uint64_t minor, major;

	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
			    &minor, &major) != 2)
		return -EPROTO;
	*faults = minor + major;
	return 0;
}

int perf_proc__parse_schedstat(const char *text, uint64_t *ns)
{
	return sscanf(text, "%" SCNu64, ns) == 1 ? 0 : -EPROTO;
}

int perf_proc__parse_sched(const char *text, uint64_t *migrations)
{
	return number_after(text, "\nse.nr_migrations", migrations);
}

static const struct {
	enum perf_counter counter;
	const char *file;
	int (*parse)(const char *text, uint64_t *out);
} sources[PERF_PROC_NR] = {
	[PERF_PROC_CONTEXT_SWITCHES] = {PERF_CONTEXT_SWITCHES, "status", perf_proc__parse_status},
	[PERF_PROC_CPU_MIGRATIONS] = {PERF_CPU_MIGRATIONS, "sched", perf_proc__parse_sched},
	[PERF_PROC_PAGE_FAULTS] = {PERF_PAGE_FAULTS, "stat", perf_proc__parse_stat},
	[PERF_PROC_TASK_CLOCK_NS] = {PERF_TASK_CLOCK_NS, "schedstat", perf_proc__parse_schedstat},
};

static int read_file(const char *path, char *text, size_t len)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return -errno;
	n = fread(text, 1, len - 1, f);
	text[n] = '\0';
	fclose(f);
	return n ? 0 : -ENODATA;
}

/* Adds one thread's file to a sum; a failure makes the sum unknown. */
static void add_file(struct num *sum, pid_t pid, const char *tid, size_t source)
{
	char path[128], text[8192];
	uint64_t value = 0;

	if (!sum->known)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%.32s/%s", pid, tid, sources[source].file);
	if (read_file(path, text, sizeof(text)) || sources[source].parse(text, &value))
		*sum = num__unknown("this kernel does not show it in /proc");
	sum->value += value;
}

int perf_proc__read(struct perf_proc *p, pid_t pid)
{
	const struct dirent *d;
	char path[64];
	DIR *dir;

	for (size_t i = 0; i < PERF_PROC_NR; i++)
		p->sum[i] = num__known(0);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((d = readdir(dir)))
		for (size_t i = 0; i < PERF_PROC_NR && *d->d_name != '.'; i++)
			add_file(&p->sum[i], pid, d->d_name, i);
	closedir(dir);
	return 0;
}

void perf_proc__find_known(struct perf_plan *plan)
{
	struct perf_proc self;

	if (perf_proc__read(&self, getpid()))
		return;
	for (size_t i = 0; i < plan->slots_nr; i++)
		for (size_t n = 0; n < PERF_PROC_NR; n++)
			plan->slots[i].proc |=
				plan->slots[i].quantity == sources[n].counter && self.sum[n].known;
	perf_plan__pack(plan);
}

void perf_proc__book(struct run_result *r, enum nio_side side, const struct perf_proc *base,
		     const struct perf_proc *now)
{
	for (size_t i = 0; i < PERF_PROC_NR; i++) {
		struct num *n = &r->perf[side][sources[i].counter];

		if (n->known || !base->sum[i].known || !now->sum[i].known ||
		    now->sum[i].value < base->sum[i].value)
			continue;
		*n = num__known(now->sum[i].value - base->sum[i].value);
		r->perf_detail[side][sources[i].counter].running = real__known(1);
	}
}
