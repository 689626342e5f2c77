/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that a session of attach watches from its begin on; see attach_session.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach_session.h"
#include "base/log.h"
#include "common/xalloc.h"

/* The PID may be in use by another by now. */
void attach_targets__add_read(struct attach_session *session, pid_t pid, uint64_t started, bool new)
{
	uint64_t bytes;

	if (!target__read_bytes(pid, &bytes) && target__started(pid) == started)
		table__add_read(&session->found.table, pid, started, bytes, new);
}

/* If not, what was read by its PID before this call is of the process of pidfd. */
static bool was_reaped(int pidfd)
{
	return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) && errno == ESRCH;
}

/* pidfd: of the process that is meant; -1: whichever has this PID. */
static void add_process(struct attach_session *session, pid_t pid, bool named, int pidfd)
{
	struct nio_task task = {.first_ns = 1, .asked = 1, .named = named};
	int err;

	if (pid == getpid() || loop__is_to_end())
		return;
	err = target__comm(pid, task.comm);
	if (err && target__is_short(-err))
		log_warning("process %d is not watched: %s.", pid, strerror(-err));
	if (err)
		return;
	task.started = target__started(pid);
	task.parent = target__parent(pid);
	if (pidfd >= 0 && was_reaped(pidfd))
		return;
	if (attach_probes__add_task(session->probes, pid, &task))
		log_warning("process %d is not watched: the map of processes is full.", pid);
	table__add_task(&session->found.table, pid, &task);
	attach_targets__add_read(session, pid, task.started, false);
}

/* The processes of one --comm (named), or of the cgroup. */
struct several {
	struct attach_session *session;
	bool named;
	size_t nr;
};

static void add_one(void *arg, pid_t pid)
{
	struct several *several = arg;

	if (pid == getpid())
		return;
	several->nr++;
	add_process(several->session, pid, several->named, -1);
}

/* No process is a warning here: with --wait, or if the command may start one. */
static void add_name(struct attach_session *session, size_t i)
{
	const char *comm = session->o->target.comms[i], *asked = session->o->target.comms_asked[i];
	struct several several = {.session = session, .named = true};

	if (strlen(asked) > 15)
		log_warning("--comm %s: the kernel keeps 15 bytes of a name, so that every process "
			    "called '%s' is watched.",
			    asked, comm);
	target__by_comm(comm, add_one, &several);
	if (!several.nr)
		log_warning("--comm %s: no process of this name runs now; later ones are watched.",
			    comm);
}

static void add_cgroup(struct attach_session *session, const char *path)
{
	struct several several = {.session = session};

	target__by_cgroup(path, add_one, &several);
	if (!several.nr)
		log_warning("--cgroup %s: no process is in it or below it now; later ones are "
			    "watched.",
			    path);
}

/*
 * Processes that the watched ones have started already. Programs see the children that a process
 * starts after it was added.
 */
static void add_children(struct attach_session *session)
{
	const struct table *t = &session->found.table;
	uint32_t *parents = xcalloc(t->processes_nr + 1, sizeof(*parents));
	struct several found = {.session = session};
	size_t nr = 0;
	int err;

	for (; nr < t->processes_nr; nr++)
		parents[nr] = t->processes[nr].tgid;
	err = target__descendants(parents, nr, add_one, &found);
	if (err)
		log_warning("--children: processes that were started before are not watched: %s.",
			    strerror(-err));
	free(parents);
}

void attach_targets__add_all(struct attach_session *session)
{
	const struct attach_options *o = session->o;

	for (size_t i = 0; i < o->target.pids_nr; i++)
		if (session->pidfds[i] >= 0)
			add_process(session, o->target.pids[i], false, session->pidfds[i]);
	for (size_t i = 0; i < o->target.comms_nr; i++)
		add_name(session, i);
	if (o->cgroup)
		add_cgroup(session, o->cgroup);
	if (session->launch.pid)
		add_process(session, session->launch.pid, false, session->launch.pidfd);
	if (o->target.children)
		add_children(session);
}

void attach_targets__add_again(struct attach_session *session, const struct table *before)
{
	for (size_t i = 0; i < before->processes_nr; i++) {
		const struct process *p = &before->processes[i];
		const struct sock_state of = {.tgid = p->tgid, .started = p->started};

		if (p->tgid && target__started((pid_t)p->tgid) == p->started &&
		    !table__owner(&session->found.table, &of))
			add_process(session, (pid_t)p->tgid, false, -1);
	}
}
