/* SPDX-License-Identifier: GPL-2.0-only */
/* A session of attach, without its outputs; see attach_session.h. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "baseline.h"
#include "base/resource_limits.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "host/environment.h"
#include "host/xdp.h"
#include "kernel/btf_lookup.h"
#include "kernel/pidns.h"
#include "kernel/refusal.h"
#include "attach_session.h"

/* A process may close its sockets for this long after its exit event. */
#define EXIT_NS 1000000000ULL

/* An exit code: EXIT_DONE if err is 0. */
static int failed(int err, const char *verb, const char *object)
{
	if (!err)
		return EXIT_DONE;
	log_error("cannot %s %s: %s.", verb, object, limits__strerror(err));
	return EXIT_RUN_FAILED;
}

static int refuse_pid(pid_t pid, int err)
{
	pid_t process = target__process_of(pid);

	if (process > 0 && process != pid)
		log_error("--pid %d is a thread of process %d: watch that, all its threads are "
			  "with it.",
			  pid, process);
	else if (err == ESRCH || process < 0)
		log_error("--pid %d: there is no such process.", pid);
	else
		log_error("--pid %d cannot be watched: %s.", pid, strerror(err));
	return EXIT_RUN_FAILED;
}

/* From now on the end of each process is seen. */
static int open_pids(struct attach_session *w)
{
	const struct attach_options *o = w->o;

	for (size_t i = 0; i < o->target.pids_nr; i++) {
		w->pidfds[i] = (int)syscall(SYS_pidfd_open, o->target.pids[i], 0);
		if (w->pidfds[i] < 0)
			return refuse_pid(o->target.pids[i], errno);
	}
	return EXIT_DONE;
}

static int open_cgroup(struct attach_session *w)
{
	const char *path = w->o->cgroup;
	char *mount;

	if (!path)
		return EXIT_DONE;
	w->cgroup = target__open_cgroup(path);
	if (w->cgroup >= 0)
		return EXIT_DONE;
	if (w->cgroup != -ENOTSUP)
		return failed(w->cgroup, "read --cgroup", path);
	mount = target__cgroup_mount();
	if (mount)
		log_error("--cgroup %s is not the directory of a cgroup (v2): on this machine they "
			  "are in %s.",
			  path, mount);
	else
		log_error("--cgroup %s is not the directory of a cgroup (v2): none is mounted on "
			  "this machine; mount them with mount -t cgroup2 none DIRECTORY.",
			  path);
	free(mount);
	return EXIT_RUN_FAILED;
}

/* Why --by cgroup will show no names. */
static void warn_of_unknown_cgroups(const struct attach_options *o)
{
	struct flag known_member = btf_lookup__has_member("sock_cgroup_data", "cgroup");
	char *mount;

	if (o->by != BY_CGROUP)
		return;
	mount = target__cgroup_mount();
	if (known_member.known && !known_member.value)
		log_warning("--by cgroup: before Linux 5.15 the cgroups of sockets are unknown.");
	else if (!mount)
		log_warning("--by cgroup: names are unknown, since no cgroups (v2) are mounted on "
			    "this machine; mount them with mount -t cgroup2 none DIRECTORY.");
	free(mount);
}

/* PIDs from users and in attach's output are PIDs in /proc. */
static int check_proc(void)
{
	if (pidns__has_proc())
		return EXIT_DONE;
	log_error("/proc does not have the processes of the PID namespace that netiotrace is in: "
		  "mount it there (mount -t proc proc /proc, unshare --mount-proc), or start "
		  "netiotrace in the other one.");
	return EXIT_RUN_FAILED;
}

static int fill_filter(struct attach_session *w, struct attach_filter *filter)
{
	const struct attach_options *o = w->o;
	int code = check_proc();

	if (!code)
		code = open_pids(w);
	if (!code)
		code = open_cgroup(w);

	*filter = (struct attach_filter){
		.by_task = attach_options__by_task(o),
		.cgroup = w->cgroup,
		.follow_children = o->target.children,
		.comms_nr = o->target.comms_nr,
		.ports = o->target.ports,
		.ports_nr = o->target.ports_nr,
		.sockets_max = (uint32_t)o->sockets_max,
		.count_calls = o->count_calls,
		.backend = o->backend,
		.without = o->without,
		.without_nr = o->without_nr,
	};
	memcpy(filter->comms, o->target.comms, sizeof(filter->comms));
	return code;
}

/* A signal came before watching began: there is nothing to write. */
static int end_early(const struct attach_session *w)
{
	const char *held = w->launch.pid ? w->o->target.command[0] : NULL;

	log_warning("ended before the watching began: %s%snothing is written.", held ? held : "",
		    held ? " was not started, " : "");
	return EXIT_SIGNAL_BASE + loop__ending_signal();
}

static int load(struct attach_session *w, const struct attach_filter *filter)
{
	struct attach_refusal no;
	int err = attach_probes__open(&w->probes, filter, &no);

	if (err == -EINTR && loop__is_to_end())
		return end_early(w);
	return err ? refusal__say("attach", w->o->backend, err, &no) : EXIT_DONE;
}

/* Names each hook that replaces one of the requested backend. */
static void say_replaced(const struct attach_session *w)
{
	for (size_t i = 0; i < w->found.plan_nr; i++) {
		const struct plan_row *row = &w->found.plan[i];

		if (attach_probes__replaces(row, w->o->backend))
			log_warning("this kernel has no hook of backend %s for %s: %s is used.",
				    backend__name(w->o->backend), row->stage, row->hook);
	}
}

/* new: the process began while it was watched. Its PID may be in use by another by now. */
static void take_read(struct attach_session *w, pid_t pid, uint64_t started, bool new)
{
	uint64_t bytes;

	if (!target__read_bytes(pid, &bytes) && target__started(pid) == started)
		table__take_read(&w->found.table, pid, started, bytes, new);
}

static void take_process(struct attach_session *w, pid_t pid, bool named)
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
	if (attach_probes__add_task(w->probes, pid, &task))
		log_warning("process %d is not watched: the map of processes is full.", pid);
	table__take_task(&w->found.table, pid, &task);
	take_read(w, pid, task.started, false);
}

/* The processes of one --comm (named), or of the cgroup. */
struct several {
	struct attach_session *w;
	bool named;
	size_t nr;
};

static void take_one(void *arg, pid_t pid)
{
	struct several *several = arg;

	if (pid == getpid())
		return;
	several->nr++;
	take_process(several->w, pid, several->named);
}

/* No process is a warning, not an error: the service may be about to start. */
static void take_name(struct attach_session *w, size_t i)
{
	const char *comm = w->o->target.comms[i], *asked = w->o->target.comms_asked[i];
	struct several several = {.w = w, .named = true};

	if (strlen(asked) > 15)
		log_warning("--comm %s: the kernel keeps 15 bytes of a name, so that every process "
			    "called '%s' is watched.",
			    asked, comm);
	target__by_comm(comm, take_one, &several);
	if (!several.nr)
		log_warning("--comm %s: no process of this name runs now; later ones are watched.",
			    comm);
}

static void take_cgroup(struct attach_session *w, const char *path)
{
	struct several several = {.w = w};

	target__by_cgroup(path, take_one, &several);
	if (!several.nr)
		log_warning("--cgroup %s: no process is in it or below it now; later ones are "
			    "watched.",
			    path);
}

/*
 * Processes that the watched ones have started already. Programs see the children that a process
 * starts after it was added.
 */
static void take_children(struct attach_session *w)
{
	const struct table *t = &w->found.table;
	uint32_t *parents = xcalloc(t->processes_nr + 1, sizeof(*parents));
	struct several found = {.w = w};
	size_t nr = 0;
	int err;

	for (; nr < t->processes_nr; nr++)
		parents[nr] = t->processes[nr].tgid;
	err = target__descendants(parents, nr, take_one, &found);
	if (err)
		log_warning("--children: processes that were started before are not watched: %s.",
			    strerror(-err));
	free(parents);
}

static void take_everybody(struct attach_session *w)
{
	const struct attach_options *o = w->o;

	for (size_t i = 0; i < o->target.pids_nr; i++)
		take_process(w, o->target.pids[i], false);
	for (size_t i = 0; i < o->target.comms_nr; i++)
		take_name(w, i);
	if (o->cgroup)
		take_cgroup(w, o->cgroup);
	if (w->launch.pid)
		take_process(w, w->launch.pid, false);
	else if (o->target.children)
		take_children(w);
}

static void take_sockets(struct attach_session *w)
{
	int err = attach_probes__take_existing(w->probes);

	if (err)
		log_warning("connections that exist already may be missing: %s.", strerror(-err));
}

/* The loop reports the end of each process of --pid. */
static int watch_ends(struct attach_session *w, struct loop *l)
{
	int err = 0;

	for (size_t i = 0; i < w->o->target.pids_nr && !err; i++)
		err = loop__add(l, w->pidfds[i]);
	w->alive = w->o->target.pids_nr;
	return failed(err, "wait for the end of", "a process");
}

static int hold_command(struct attach_session *w)
{
	const struct command command = {w->o->target.command, attach_options__to_stdout(w->o)};

	return command.argv ? failed(spawn__hold(&w->launch, &command), "start", command.argv[0])
			    : EXIT_DONE;
}

static int let_go(struct attach_session *w, struct loop *l)
{
	int err = loop__add(l, w->launch.pidfd);

	if (!err)
		err = launch__go(&w->launch, NULL);
	return failed(err, "run", w->o->target.command[0]);
}

static void begin_sampling(struct attach_session *w)
{
	struct cpu_result *cpu = &w->found.cpu;

	if (w->o->no_cpu)
		snprintf(cpu->reason, sizeof(cpu->reason), "--no-cpu was given");
	else if (!attach_options__by_task(w->o))
		snprintf(cpu->reason, sizeof(cpu->reason),
			 "--port alone watches connections, and no process: name some with --pid, "
			 "--comm or --cgroup");
	else
		cpu_sampling__open(&w->sampling, attach_probes__tasks(w->probes), w->found.begun_ns,
				   cpu);
}

static int read_baseline(struct attach_session *w)
{
	char message[600];

	if (!w->o->baseline ||
	    !baseline__read(&w->baseline, w->o->baseline, message, sizeof(message)))
		return EXIT_DONE;
	log_error("%s", message);
	return EXIT_USAGE;
}

static void describe(struct attach_session *w)
{
	environment__read(&w->found.env, NULL, (struct flag){.reason = "taps are not looked for"});
	w->found.plan_nr = attach_probes__plan(w->probes, &w->found.plan);
	w->found.table.native_xdp = xdp__on_veth();
	w->found.sees_kinds = attach_probes__has(w->probes, PROBE_MESSAGE);
	w->found.sees_completions = attach_probes__has(w->probes, PROBE_COMPLETION);
	w->found.sees_splices = attach_probes__has(w->probes, PROBE_SPLICE_READ);
	if (w->o->baseline)
		w->found.baseline = &w->baseline;
	say_replaced(w);
}

static void begin(struct attach_session *w)
{
	attach_probes__arm(w->probes);
	w->found.begun_ns = loop__now_ns();
	w->found.ended_ns = w->found.begun_ns;
	begin_sampling(w);
	take_everybody(w);
	take_sockets(w);
	attach_probes__adopt_used(w->probes);
	w->next_step_ns = loop__now_ns();
}

static int say_ready(struct attach_session *w)
{
	size_t n = w->found.table.processes_nr;

	if (attach_options__by_task(w->o))
		log_notice("watching %zu process%s.", n, n == 1 ? "" : "es");
	else
		log_notice("watching the ports of every process.");
	log_info("watching: backend %s.", w->found.plan[0].backend);
	return ready__say(&w->ready, NULL);
}

int attach_session__open(struct attach_session *w, const struct attach_options *o, struct loop *l)
{
	struct attach_filter filter;
	int code;

	w->o = o;
	w->found.o = o;
	code = ready__open(&w->ready, o->ready_file);
	if (!code)
		code = read_baseline(w);
	if (!code)
		code = fill_filter(w, &filter);
	if (!code)
		code = hold_command(w);
	if (!code)
		code = load(w, &filter);
	if (code)
		return code;
	describe(w);
	warn_of_unknown_cgroups(o);
	if (!loop__is_to_end())
		begin(w);
	if (loop__is_to_end())
		return end_early(w);
	code = watch_ends(w, l);
	if (code)
		return code;
	loop__add(l, attach_probes__ends_fd(w->probes));
	code = say_ready(w);
	if (code)
		return code;
	return o->target.command ? let_go(w, l) : EXIT_DONE;
}

void attach_session__close(struct attach_session *w)
{
	ready__close(&w->ready);
	launch__close(&w->launch);
	for (size_t i = 0; w->o && i < w->o->target.pids_nr; i++)
		if (w->pidfds[i] > 0)
			close(w->pidfds[i]);
	if (w->cgroup >= 0)
		close(w->cgroup);
	table__clear(&w->found.table);
	profile__clear(&w->found.cpu.profile);
	cpu_sampling__close(&w->sampling);
	attach_probes__close(w->probes);
}

static void take_socket(void *arg, const struct sock_state *s)
{
	struct attach_session *w = arg;

	table__take(&w->found.table, s);
}

void attach_session__take_ended(struct attach_session *w)
{
	attach_probes__each_ended(w->probes, take_socket, w);
}

void attach_session__step(struct attach_session *w)
{
	uint64_t now = loop__now_ns();

	if (now >= w->next_step_ns)
		w->next_step_ns = attach_probes__step_events(w->probes, now);
}

static bool take_task(void *arg, uint32_t tgid, const struct nio_task *task)
{
	struct attach_session *w = arg;
	pid_t pid = (pid_t)tgid;

	table__take_task(&w->found.table, tgid, task);
	/* A process closes its sockets after its exit event. */
	if (task->exit_ns)
		return w->finished || task->exit_ns + EXIT_NS < w->found.ended_ns;
	take_read(w, pid, task->started, task->parent && !task->asked);
	if (task->asked || task->parent || task->first_ns < w->since_ns || w->finished)
		return false;
	/* It took a watched name or joined the cgroup, and may have sockets. */
	w->passes_again = true;
	return false;
}

/* At once, since a cgroup may vanish. */
static void name_cgroups(struct groups *g)
{
	for (size_t i = 0; i < g->nr; i++)
		if (!g->list[i].name)
			g->list[i].name = target__cgroup_path(g->list[i].id);
}

void attach_session__sort(struct attach_session *w)
{
	table__sort(&w->found.table, w->o->sort, w->since_ns);
}

int attach_session__refresh(struct attach_session *w)
{
	struct attach_result *r = &w->found;
	int err;

	w->since_ns = w->finished ? 0 : r->ended_ns;
	if (!w->finished)
		r->ended_ns = loop__now_ns();
	table__begin(&r->table);
	err = attach_probes__name_owners(w->probes, w->finished);
	if (!err)
		err = attach_probes__each_socket(w->probes, take_socket, w);
	table__end(&r->table);
	/* Right after the sockets: rchar and the bytes sent are of one moment. */
	if (!err)
		err = attach_probes__each_task(w->probes, take_task, w);
	cpu_sampling__take(&w->sampling, r);
	if (w->passes_again)
		take_sockets(w);
	w->passes_again = false;
	name_cgroups(&r->table.groups[GROUP_CGROUP]);
	attach_session__sort(w);
	r->missed = attach_probes__missed(w->probes);
	r->events = attach_probes__events(w->probes);
	r->loss = attach_probes__losses(w->probes);
	table__set_gaps(&r->table, r->loss.sockets_full + r->loss.tasks_full + r->loss.ends_missed,
			r->missed.known ? r->missed.value : 1);
	return failed(err, "read", "what the programs saw");
}

int attach_session__finish(struct attach_session *w)
{
	int code;

	w->found.ended_ns = loop__now_ns();
	w->finished = true;
	w->next_step_ns = attach_probes__step_events(w->probes, w->found.ended_ns);
	cpu_sampling__stop(&w->sampling);
	/* Each socket is read with its events at one moment, so nothing has to stop first. */
	code = attach_session__refresh(w);
	attach_probes__stop(w->probes);
	return code;
}

const char *attach_session__saw_nothing(const struct attach_session *w)
{
	const struct table *t = &w->found.table;

	if (!attach_options__by_task(w->o))
		return (t->total.connections + t->total.unconnected)
			       ? NULL
			       : "nothing was watched: no connection had such a port";
	return t->processes_nr ? NULL
			       : "nothing was watched: no process with such a name or cgroup ran";
}

static bool has_others(const struct attach_session *w)
{
	return w->alive || w->o->target.comms_nr || w->cgroup >= 0 || w->o->target.command;
}

bool attach_session__lost_cgroup(struct attach_session *w)
{
	if (w->cgroup < 0 || !target__cgroup_is_gone(w->cgroup))
		return false;
	close(w->cgroup);
	w->cgroup = -1;
	log_warning("--cgroup %s is gone, and with it all that could be in it%s.", w->o->cgroup,
		    has_others(w) ? "" : ": the watching ends");
	return !has_others(w);
}

bool attach_session__lost(struct attach_session *w, struct loop *l, int fd)
{
	for (size_t i = 0; i < w->o->target.pids_nr; i++) {
		if (w->pidfds[i] != fd)
			continue;
		loop__remove(l, fd);
		close(fd);
		w->pidfds[i] = -1;
		w->alive--;
	}
	return w->o->target.pids_nr && !has_others(w);
}
