/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads counters from /proc/PID/task. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"

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
