/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads counters from /proc/PID/task. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"

/* Finds the line "name", blanks or a colon, number. 0 or -EPROTO. */
static int number_after(const char *text, const char *name, uint64_t *out)
{
	size_t len = strlen(name);
	const char *line = text;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && strspn(line + len, " \t:"))
			return sscanf(line + len, "%*[ \t:]%" SCNu64, out) == 1 ? 0 : -EPROTO;
	}
	return -EPROTO;
}

int perf_proc__parse_status(const char *text, uint64_t *switches)
{
	uint64_t voluntary, not ;

	if (number_after(text, "voluntary_ctxt_switches", &voluntary) ||
	    number_after(text, "nonvoluntary_ctxt_switches", &not ))
		return -EPROTO;
	*switches = voluntary + not ;
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
	return number_after(text, "se.nr_migrations", migrations);
}

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
static void add_file(struct num *sum, pid_t pid, const char *tid, const char *file,
		     int (*parse)(const char *text, uint64_t *out))
{
	char path[128], text[8192];
	uint64_t value = 0;

	if (!sum->known)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%.32s/%s", pid, tid, file);
	if (read_file(path, text, sizeof(text)) || parse(text, &value))
		*sum = (struct num){.reason = "this kernel does not show it in /proc"};
	sum->value += value;
}

int perf_proc__read(struct perf_proc *p, pid_t pid)
{
	const struct num zero = {.known = true};
	const struct dirent *d;
	char path[64];
	DIR *dir;

	*p = (struct perf_proc){zero, zero, zero, zero};
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((d = readdir(dir))) {
		if (*d->d_name == '.')
			continue;
		add_file(&p->context_switches, pid, d->d_name, "status", perf_proc__parse_status);
		add_file(&p->cpu_migrations, pid, d->d_name, "sched", perf_proc__parse_sched);
		add_file(&p->page_faults, pid, d->d_name, "stat", perf_proc__parse_stat);
		add_file(&p->task_clock_ns, pid, d->d_name, "schedstat",
			 perf_proc__parse_schedstat);
	}
	closedir(dir);
	return 0;
}

static bool shown(const struct perf_proc *p, unsigned int quantity)
{
	switch (quantity) {
	case PERF_CONTEXT_SWITCHES:
		return p->context_switches.known;
	case PERF_CPU_MIGRATIONS:
		return p->cpu_migrations.known;
	case PERF_PAGE_FAULTS:
		return p->page_faults.known;
	case PERF_TASK_CLOCK_NS:
		return p->task_clock_ns.known;
	default:
		return false;
	}
}

void perf_proc__take(struct perf_plan *plan)
{
	struct perf_proc self;

	if (perf_proc__read(&self, getpid()))
		return;
	for (size_t i = 0; i < plan->slots_nr; i++)
		plan->slots[i].proc = shown(&self, plan->slots[i].quantity);
	perf_plan__pack(plan);
}

static void book(struct run_result *r, enum nio_side side, enum perf_counter c, struct num base,
		 struct num now)
{
	struct num *n = &r->perf[side][c];

	if (n->known || !base.known || !now.known || now.value < base.value)
		return;
	*n = (struct num){.value = now.value - base.value, .known = true};
	r->perf_detail[side][c].running = (struct real){.value = 1, .known = true};
}

void perf_proc__book(struct run_result *r, enum nio_side side, const struct perf_proc *base,
		     const struct perf_proc *now)
{
	book(r, side, PERF_CONTEXT_SWITCHES, base->context_switches, now->context_switches);
	book(r, side, PERF_CPU_MIGRATIONS, base->cpu_migrations, now->cpu_migrations);
	book(r, side, PERF_PAGE_FAULTS, base->page_faults, now->page_faults);
	book(r, side, PERF_TASK_CLOCK_NS, base->task_clock_ns, now->task_clock_ns);
}
