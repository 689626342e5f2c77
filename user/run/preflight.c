/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of options against this machine; see preflight.h. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/privileges.h"
#include "base/resource_limits.h"
#include "common/cpu_mask.h"
#include "common/time_limit.h"
#include "common/units.h"
#include "kernel/target.h"
#include "load/driver.h"
#include "load/loadgen_args.h"
#include "preflight.h"

struct search {
	struct cpu_mask usable;
	unsigned int missing; /* the first CPU named that is not usable */
	bool found;
};

static void look_up(unsigned int cpu, void *arg)
{
	struct search *s = arg;

	if (s->found || cpu_mask__has(&s->usable, cpu))
		return;
	s->missing = cpu;
	s->found = true;
}

static int check_list(const char *name, const char *list)
{
	struct search s = {.found = false};

	/* If they cannot be read, the load generator reports that. */
	if (!list || sched_getaffinity(0, sizeof(s.usable), cpu_mask__set(&s.usable)) ||
	    parse_cpu_list(list, CPUS_MAX, look_up, &s) || !s.found)
		return EXIT_DONE;
	log_error("%s names CPU %u, which this machine does not have or does not let this process "
		  "use: see Cpus_allowed_list in /proc/self/status.",
		  name, s.missing);
	return EXIT_USAGE;
}

int preflight__check_cpus(const struct workload *t)
{
	int code = mounts__check_proc();

	if (!code)
		code = check_list("--cpu-sender", t->sender_cpus);
	return code ? code : check_list("--cpu-receiver", t->receiver_cpus);
}

/* The load generator would refuse it only when everything else has been set up. */
static int check_memory(enum mode mode, const struct workload *t)
{
	char why[256];

	if (!mode__check_memory(mode, t, mode__memory_here(), why, sizeof(why)))
		return EXIT_DONE;
	log_error("%s.", why);
	return EXIT_USAGE;
}

int preflight__check(const struct options *o)
{
	const struct workload *t = &o->workload;
	int code = EXIT_DONE;

	for (size_t i = 0; i < o->modes_nr && !code; i++)
		code = check_memory(o->modes[i], t);
	return code ? code : preflight__check_cpus(t);
}

int preflight__check_cells(const struct options *o, const struct sweep_grid *g)
{
	int code = EXIT_DONE;

	for (size_t m = 0; m < g->modes_nr; m++)
		for (size_t i = 0; i < g->sizes_nr; i++)
			for (size_t t = 0; t < g->threads_nr && !code; t++) {
				struct workload cell = o->workload;

				cell.size = g->sizes[i];
				cell.connections = g->threads[t];
				code = check_memory(g->modes[m], &cell);
			}
	return code ? code : preflight__check_cpus(&o->workload);
}

/* A busy machine may start the process late. */
#define ANSWER_MS 15000

struct trial {
	const struct workload *w;
	enum mode mode;
	bool receives; /* also tries the way to receive */
	char what[32]; /* "mode uring", "--receive mmap" */
};

static int start(struct driver *d, const struct trial *t, const char **step)
{
	struct arglist args = {0};
	char program[PATH_MAX];
	int err = loadgen_args__find(program, sizeof(program));

	*step = "find netio-loadgen beside netiotrace";
	if (err)
		return err;
	loadgen_args__trial(&args, program, t->w, t->mode, t->receives);
	err = child__start(&d->child, args.argv, -1, step);
	arglist__clear(&args);
	return err;
}

/* 0 with the first event, or -errno. */
static int read_answer(struct driver *d, enum driver_event *event)
{
	struct pollfd p = {.fd = d->child.out, .events = POLLIN};
	int err, n;

	do {
		n = poll(&p, 1, (int)time_limit__ns(ANSWER_MS));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -ETIMEDOUT;
		err = driver__next(d, event);
	} while (!err && *event == DRIVER_NOTHING);
	return err;
}

bool mode_trial__is_of_kernel(int64_t error)
{
	return error == EPERM || error == EACCES || error == ENOSYS || error == EINVAL ||
	       error == EOPNOTSUPP || error == ENOPROTOOPT || error == ENODEV || error == ENOENT;
}

static int refused(const struct load_report *r, const struct trial *t)
{
	log_error("%s.", r->message);
	if (t->w->file_dir && mode__has(t->mode, MODE_SENDS_FILE))
		return r->error <= INT_MAX && target__is_short((int)r->error) ? EXIT_RUN_FAILED
									      : EXIT_USAGE;
	return mode_trial__is_of_kernel(r->error) ? EXIT_KERNEL : EXIT_RUN_FAILED;
}

static int ended(struct driver *d, const struct trial *t)
{
	int status = child__kill(&d->child);
	char how[128] = "for an unknown reason";

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
		log_error("a seccomp filter ended the load generator while it tried %s: allow "
			  "its system calls, or choose another.",
			  t->what);
		return EXIT_KERNEL;
	}
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status))
		snprintf(how, sizeof(how), "with status %d", WEXITSTATUS(status));
	log_error("the load generator ended %s while it tried %s: see dmesg, and whether "
		  "netio-loadgen --version is that of netiotrace.",
		  how, t->what);
	return EXIT_RUN_FAILED;
}

static int try_with(struct driver *d, const struct trial *t)
{
	enum driver_event event = DRIVER_NOTHING;
	const char *step;
	int err = start(d, t, &step);

	if (!err) {
		step = "read its answer";
		err = read_answer(d, &event);
	}
	if (!err && event == DRIVER_USABLE)
		return EXIT_DONE;
	if (!err)
		return event == DRIVER_ERROR ? refused(&d->report, t) : ended(d, t);
	log_error("the load generator cannot try %s (%s): %s.", t->what, step,
		  limits__strerror(err));
	return EXIT_RUN_FAILED;
}

static int try_it(const struct trial *t)
{
	static struct driver d;
	int code;

	driver__init(&d, NIO_SIDE_SENDER);
	code = try_with(&d, t);
	driver__clear(&d);
	return code;
}

int mode_trial__run(const struct options *o, const enum mode *modes, size_t n)
{
	const struct workload *w = &o->workload;
	struct trial t = {.w = w};
	int code = EXIT_DONE;

	for (size_t i = 0; i < n && !code; i++) {
		t.mode = modes[i];
		snprintf(t.what, sizeof(t.what), "mode %s", mode__name(t.mode));
		if (mode__has(t.mode, MODE_TRIED))
			code = try_it(&t);
	}
	/* With --connect the other machine tries the way. */
	if (code || o->remote || !receive__has(w->receive, RECEIVE_TRIED))
		return code;
	t.mode = MODE_ONECOPY;
	t.receives = true;
	snprintf(t.what, sizeof(t.what), "--receive %s", receive__name(w->receive));
	return try_it(&t);
}
