/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the processes to follow; see processes.h. */
#include <unistd.h>

#include "base/log.h"
#include "kernel/target.h"
#include "processes.h"

/* A new process; one that is traced would be taken from its debugger. */
static bool is_free(struct processes *p, pid_t pid)
{
	pid_t tracer = target__tracer(pid);

	if (!tracer)
		return true;
	if (!p->traced++)
		log_error("process %d is not followed: process %d traces it already (a debugger, "
			  "strace, or another follow).",
			  pid, tracer);
	return false;
}

static void add(void *arg, pid_t pid)
{
	struct processes *p = arg;
	uint64_t started = target__started(pid);

	if (pid == getpid() || !started)
		return;
	for (size_t i = 0; i < p->nr; i++)
		if (p->all[i].pid == pid && p->all[i].started == started) {
			p->all[i].seen = true;
			return;
		}
	if (!is_free(p, pid))
		return;
	if (p->nr == NIO_FOLLOW_TGIDS || watchpoints__add_process(p->watch, pid)) {
		if (!p->left_out++)
			log_warning("only %d processes are followed.", NIO_FOLLOW_TGIDS);
		return;
	}
	p->all[p->nr++] = (struct process_followed){pid, started, true};
	if (!p->found)
		target__comm(pid, p->comm);
	p->found = true;
}

static void add_children(struct processes *p)
{
	uint32_t parents[NIO_FOLLOW_TGIDS];
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		if (p->all[i].seen)
			parents[nr++] = (uint32_t)p->all[i].pid;
	target__descendants(parents, nr, add, p);
}

static void drop_unseen(struct processes *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->nr; i++) {
		/* A child whose parent ended stays. */
		if (p->all[i].seen || target__started(p->all[i].pid) == p->all[i].started)
			p->all[kept++] = p->all[i];
		else
			watchpoints__remove_process(p->watch, p->all[i].pid);
	}
	p->nr = kept;
}

void processes__scan(struct processes *p)
{
	const struct follow_options *o = p->o;

	for (size_t i = 0; i < p->nr; i++)
		p->all[i].seen = false;
	drop_unseen(p);
	for (size_t i = 0; i < o->target.pids_nr; i++) {
		uint64_t started = target__started(o->target.pids[i]);

		/* A PID may be used again by another process once that of --pid has ended. */
		if (!p->started[i])
			p->started[i] = started;
		if (p->started[i] == started)
			add(p, o->target.pids[i]);
	}
	for (size_t i = 0; i < o->target.comms_nr; i++)
		target__by_comm(o->target.comms[i], add, p);
	if (p->command)
		add(p, p->command);
	if (o->target.children)
		add_children(p);
}

bool processes__are_over(const struct processes *p)
{
	return p->found && !p->nr && !p->o->target.comms_nr;
}
