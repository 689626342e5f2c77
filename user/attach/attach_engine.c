/* SPDX-License-Identifier: GPL-2.0-only */
/* The watching of attach; see attach_engine.h. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach_engine.h"
#include "base/log.h"
#include "host/environment.h"

static int check_pids(const struct attach_options *o)
{
	for (size_t i = 0; i < o->pids_nr; i++) {
		char comm[16];

		if (!target__comm(o->pids[i], comm))
			continue;
		log_error("--pid %d: there is no such process.", o->pids[i]);
		return EXIT_RUN_FAILED;
	}
	return EXIT_DONE;
}

static int check_cgroup(const struct attach_options *o, struct watcher_filter *filter)
{
	int err = o->cgroup ? target__cgroup_id(o->cgroup, &filter->cgroup, &filter->cgroup_level)
			    : 0;

	if (!err)
		return EXIT_DONE;
	if (err == -ENOTSUP)
		log_error("--cgroup %s is not the directory of a cgroup (v2): they are where a "
			  "file system of type cgroup2 is mounted, such as /sys/fs/cgroup.",
			  o->cgroup);
	else
		log_error("--cgroup %s cannot be read: %s.", o->cgroup, strerror(-err));
	return EXIT_RUN_FAILED;
}

static int fill_filter(const struct attach_options *o, struct watcher_filter *filter)
{
	int code = check_pids(o);

	*filter = (struct watcher_filter){
		.by_task = attach_options__by_task(o),
		.follow_children = o->children,
		.comms_nr = o->comms_nr,
		.ports = o->ports,
		.ports_nr = o->ports_nr,
		.streams_max = o->streams_max,
		.backend = o->backend,
		.without = o->without,
		.without_nr = o->without_nr,
	};
	memcpy(filter->comms, o->comms, sizeof(filter->comms));
	return code ? code : check_cgroup(o, filter);
}

static int load(struct attach_engine *e, const struct watcher_filter *filter)
{
	int err = watcher__open(&e->watcher, filter);

	if (!err)
		return EXIT_DONE;
	if (err == -EPERM)
		log_error("the kernel refuses the programs (%s): it may be locked down, or lack "
			  "privileges; netiotrace doctor says what is missing.",
			  strerror(-err));
	else
		log_error("this kernel cannot be watched by attach (%s): netiotrace doctor says "
			  "what is missing.",
			  strerror(-err));
	return EXIT_KERNEL;
}

static void take_pid(void *arg, pid_t pid)
{
	struct attach_engine *e = arg;
	char comm[16];

	if (pid == getpid() || target__comm(pid, comm))
		return;
	if (watcher__add_task(e->watcher, pid, target__parent(pid), comm))
		log_warning("there is no room for process %d.", pid);
	target__add_netns(&e->target, pid);
	target__adopt(&e->target, e->watcher, &pid, 1, e->o->ports, e->o->ports_nr);
}

static void take_everybody(struct attach_engine *e)
{
	const struct attach_options *o = e->o;

	target__add_netns(&e->target, 0);
	for (size_t i = 0; i < o->pids_nr; i++)
		take_pid(e, o->pids[i]);
	for (size_t i = 0; i < o->comms_nr; i++)
		target__by_comm(o->comms[i], take_pid, e);
	if (o->cgroup)
		target__by_cgroup(o->cgroup, take_pid, e);
	if (e->launch.pid)
		take_pid(e, e->launch.pid);
	if (attach_options__by_task(o))
		return;
	target__add_all_netns(&e->target);
	target__adopt(&e->target, e->watcher, NULL, 0, o->ports, o->ports_nr);
}

/* To be told when a process of --pid is gone: where that cannot be had, it is watched for ever. */
static void watch_ends(struct attach_engine *e, struct loop *l)
{
	for (size_t i = 0; i < e->o->pids_nr; i++) {
		e->pidfds[i] = (int)syscall(SYS_pidfd_open, e->o->pids[i], 0);
		if (e->pidfds[i] < 0 || loop__add(l, e->pidfds[i]))
			continue;
		e->alive++;
	}
}

static int hold_command(struct attach_engine *e)
{
	int err = e->o->command ? launch__hold(&e->launch, e->o->command) : 0;

	if (!err)
		return EXIT_DONE;
	log_error("cannot start %s: %s.", e->o->command[0], strerror(-err));
	return EXIT_RUN_FAILED;
}

static int let_go(struct attach_engine *e, struct loop *l)
{
	int err = loop__add(l, e->launch.pidfd);

	if (!err)
		err = launch__go(&e->launch);
	if (!err)
		return EXIT_DONE;
	log_error("cannot run %s: %s.", e->o->command[0], strerror(-err));
	return EXIT_RUN_FAILED;
}

int attach_engine__open(struct attach_engine *e, const struct attach_options *o, struct loop *l)
{
	struct watcher_filter filter;
	int code;

	e->o = o;
	e->report.o = o;
	code = fill_filter(o, &filter);
	if (!code)
		code = hold_command(e);
	if (!code)
		code = load(e, &filter);
	if (code)
		return code;
	environment__read(&e->report.env, NULL, (struct flag){.reason = "taps are not looked for"});
	e->report.plan_nr = watcher__plan(e->watcher, &e->report.plan);
	e->report.told = watcher__has(e->watcher, "message");
	e->report.notices = watcher__has(e->watcher, "completion");
	watcher__arm(e->watcher);
	e->report.begun_ns = loop__now_ns();
	e->report.ended_ns = e->report.begun_ns;
	take_everybody(e);
	watch_ends(e, l);
	log_info("watching: %zu sockets' namespaces, backend %s.", e->target.netns_nr,
		 e->report.plan[0].backend);
	return o->command ? let_go(e, l) : EXIT_DONE;
}

void attach_engine__close(struct attach_engine *e)
{
	launch__close(&e->launch);
	for (size_t i = 0; e->o && i < e->o->pids_nr; i++)
		if (e->pidfds[i] > 0)
			close(e->pidfds[i]);
	table__clear(&e->report.table);
	target__clear(&e->target);
	watcher__close(e->watcher);
}

static bool take_stream(void *arg, const struct nio_stream *s)
{
	struct attach_engine *e = arg;

	table__take(&e->report.table, s);
	return s->closed_ns != 0;
}

static bool take_task(void *arg, uint32_t tgid, const struct nio_task *task)
{
	struct attach_engine *e = arg;

	pid_t pid = (pid_t)tgid;

	table__take_task(&e->report.table, tgid, task);
	if (!task->exit_ns)
		target__add_netns(&e->target, pid);
	if (!task->exit_ns && !watcher__finds_sockets(e->watcher))
		target__adopt(&e->target, e->watcher, &pid, 1, e->o->ports, e->o->ports_nr);
	return task->exit_ns != 0;
}

int attach_engine__refresh(struct attach_engine *e)
{
	struct attach_report *r = &e->report;
	int err;

	if (!e->finished)
		r->ended_ns = loop__now_ns();
	table__begin(&r->table);
	target__pass(&e->target, e->watcher);
	err = watcher__each_stream(e->watcher, take_stream, e);
	table__end(&r->table);
	if (!err)
		err = watcher__each_task(e->watcher, take_task, e);
	table__sort(&r->table, e->o->sort);
	r->loss = watcher__losses(e->watcher);
	r->missed = watcher__missed(e->watcher);
	r->netns = e->target.netns_nr;
	r->netns_left_out = e->target.netns_left_out;
	if (!err)
		err = r->table.err;
	if (!err)
		return EXIT_DONE;
	log_error("what the programs saw cannot be read: %s.", strerror(-err));
	return EXIT_RUN_FAILED;
}

int attach_engine__finish(struct attach_engine *e)
{
	e->report.ended_ns = loop__now_ns();
	e->finished = true;
	watcher__stop(e->watcher);
	return attach_engine__refresh(e);
}

bool attach_engine__lost(struct attach_engine *e, struct loop *l, int fd)
{
	for (size_t i = 0; i < e->o->pids_nr; i++) {
		if (e->pidfds[i] != fd)
			continue;
		loop__remove(l, fd);
		close(fd);
		e->pidfds[i] = -1;
		e->alive--;
	}
	return e->o->pids_nr && !e->alive && !e->o->comms_nr && !e->o->cgroup && !e->o->command;
}
