/* SPDX-License-Identifier: GPL-2.0-only */
/* A session of attach, without its outputs; see attach_session.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/path_walk.h"
#include "common/xalloc.h"
#include "advice.h"
#include "base/resource_limits.h"
#include "host/environment.h"
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
static int open_pids(struct attach_session *session)
{
	const struct attach_options *o = session->o;

	for (size_t i = 0; i < o->target.pids_nr; i++) {
		session->pidfds[i] = (int)syscall(SYS_pidfd_open, o->target.pids[i], 0);
		if (session->pidfds[i] < 0)
			return refuse_pid(o->target.pids[i], errno);
	}
	return EXIT_DONE;
}

static int open_cgroup(struct attach_session *session)
{
	const char *path = session->o->cgroup;
	char *mount;

	if (!path)
		return EXIT_DONE;
	session->cgroup = target__open_cgroup(path);
	if (session->cgroup >= 0)
		return EXIT_DONE;
	if (session->cgroup != -ENOTSUP)
		return failed(session->cgroup, "read --cgroup", path);
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

static int fill_filter(struct attach_session *session, struct attach_filter *filter)
{
	const struct attach_options *o = session->o;
	int code = check_proc();

	if (!code)
		code = open_pids(session);
	if (!code)
		code = target__check_names(&session->o->target, "attach");
	if (!code)
		code = open_cgroup(session);

	*filter = (struct attach_filter){
		.by_task = attach_options__by_task(o),
		.cgroup = session->cgroup,
		.follow_children = o->target.children,
		.comms_nr = o->target.comms_nr,
		.ports = o->target.ports,
		.ports_nr = o->target.ports_nr,
		.sockets_max = (uint32_t)o->sockets_max,
		.by_group = !o->count_calls,
		.count_calls = o->count_calls,
		.rule = o->budget > 0 ? window_rule__steady(o->budget * 1e7) : window_rule_attach,
		.backend = o->backend,
		.without = o->without,
		.without_nr = o->without_nr,
	};
	memcpy(filter->comms, o->target.comms, sizeof(filter->comms));
	return code;
}

/* A signal came before watching began: there is nothing to write. */
static int end_early(const struct attach_session *session)
{
	const char *held = session->launch.pid ? session->o->target.command[0] : NULL;

	log_warning("ended before the watching began: %s%snothing is written.", held ? held : "",
		    held ? " was not started, " : "");
	return EXIT_SIGNAL_BASE + loop__ending_signal();
}

static int load(struct attach_session *session)
{
	struct attach_refusal no;
	int err = attach_probes__open(&session->probes, &session->filter, &no);

	if (err == -EINTR && loop__is_to_end())
		return end_early(session);
	return err ? refusal__log("attach", session->o->backend, err, &no) : EXIT_DONE;
}

/* Names each hook that replaces one of the requested backend. */
static void warn_replaced(const struct attach_session *session)
{
	for (size_t i = 0; i < session->found.plan_nr; i++) {
		const struct plan_row *row = &session->found.plan[i];

		if (attach_probes__replaces(row, session->o->backend))
			log_warning("this kernel has no hook of backend %s for %s: %s is used.",
				    backend__name(session->o->backend), row->stage, row->hook);
	}
}

static void add_sockets(struct attach_session *session)
{
	int err = attach_probes__find_existing(session->probes);

	if (err)
		log_warning("connections that exist already may be missing: %s.", strerror(-err));
}

/* The loop reports the end of each process of --pid. */
static int watch_ends(struct attach_session *session, struct loop *l)
{
	int err = 0;

	for (size_t i = 0; i < session->o->target.pids_nr && !err; i++)
		err = loop__add(l, session->pidfds[i]);
	session->alive = session->o->target.pids_nr;
	return failed(err, "wait for the end of", "a process");
}

static int hold_command(struct attach_session *session)
{
	const struct command command = {session->o->target.command, session->o->to_stdout};

	return command.argv
		       ? failed(spawn__hold(&session->launch, &command), "start", command.argv[0])
		       : EXIT_DONE;
}

static int let_go(struct attach_session *session, struct loop *l)
{
	int err = loop__add(l, session->launch.pidfd);

	if (!err)
		err = launch__go(&session->launch, NULL);
	return failed(err, "run", session->o->target.command[0]);
}

static void begin_sampling(struct attach_session *session)
{
	struct cpu_result *cpu = &session->found.cpu;

	if (session->o->no_cpu)
		snprintf(cpu->reason, sizeof(cpu->reason), "--no-cpu was given");
	else if (!attach_options__by_task(session->o))
		snprintf(cpu->reason, sizeof(cpu->reason),
			 "--port alone watches connections, and no process: name some with --pid, "
			 "--comm or --cgroup");
	else
		cpu_sampling__open(&session->sampling, attach_probes__tasks(session->probes),
				   session->found.begun_ns, cpu);
}

static int read_baseline(struct attach_session *session)
{
	if (!session->o->baseline || !baseline__read(&session->baseline, session->o->baseline))
		return EXIT_DONE;
	return loop__is_to_end() ? EXIT_SIGNAL_BASE + loop__ending_signal() : EXIT_USAGE;
}

static int read_follow_result(struct attach_session *session)
{
	const char *path = session->o->follow_result, *why;
	int fd;

	if (!path)
		return EXIT_DONE;
	fd = path_walk__open_file(path);
	why = fd == -EINVAL ? "it is no regular file"
	      : fd < 0      ? limits__strerror(fd)
			    : followed_document__read(fd, &session->followed);
	if (fd >= 0)
		close(fd);
	if (!why)
		return EXIT_DONE;
	log_error("--follow-result %s: %s.", path, why);
	return EXIT_USAGE;
}

static void describe(struct attach_session *session)
{
	environment__read(&session->found.env, NULL, btf_lookup__irq_time());
	session->found.plan_nr = attach_probes__plan(session->probes, &session->found.plan);
	copy_search__look(&session->copies, &session->found.table.evidence, true);
	session->found.sees_kinds = attach_probes__has(session->probes, PROBE_MESSAGE);
	session->found.sees_completions = attach_probes__has(session->probes, PROBE_COMPLETION);
	session->found.sees_requests = attach_probes__has(session->probes, PROBE_REQUEST);
	session->found.table.rings = attach_probes__rings(session->probes);
	session->found.reports_requests =
		btf_lookup__has_member("io_notif_data", "zc_report").value;
	if (session->o->baseline)
		session->found.baseline = &session->baseline;
	if (session->o->follow_result)
		session->found.followed = &session->followed;
	warn_replaced(session);
}

static void begin(struct attach_session *session)
{
	attach_probes__arm(session->probes);
	session->found.begun_ns = loop__now_ns();
	session->found.ended_ns = session->found.begun_ns;
	begin_sampling(session);
	attach_targets__add_all(session);
	add_sockets(session);
	session->next_step_ns = loop__now_ns();
}

static int notify_ready(struct attach_session *session)
{
	size_t n = session->found.table.processes_nr;

	if (attach_options__by_task(session->o))
		log_notice("watching %zu process%s.", n, n == 1 ? "" : "es");
	else
		log_notice("watching the ports of every process.");
	log_info("watching: backend %s.", session->found.plan[0].backend);
	return ready__notify(&session->ready, NULL);
}

int attach_session__open(struct attach_session *session, const struct attach_options *o,
			 struct loop *l)
{
	int code;

	session->o = o;
	session->found.o = o;
	code = ready__open(&session->ready, o->ready_file);
	if (!code)
		code = read_baseline(session);
	if (!code)
		code = read_follow_result(session);
	if (!code)
		code = fill_filter(session, &session->filter);
	if (!code)
		code = hold_command(session);
	if (!code)
		code = load(session);
	if (code)
		return code;
	describe(session);
	warn_of_unknown_cgroups(o);
	if (!loop__is_to_end())
		begin(session);
	if (loop__is_to_end())
		return end_early(session);
	code = watch_ends(session, l);
	if (code)
		return code;
	loop__add(l, attach_probes__ends_fd(session->probes));
	code = notify_ready(session);
	if (code)
		return code;
	return o->target.command ? let_go(session, l) : EXIT_DONE;
}

/* Ends the watching, and keeps the targets. */
static void forget(struct attach_session *session)
{
	table__clear(&session->found.table);
	copy_search__clear(&session->copies);
	profile__clear(&session->found.cpu.profile);
	cpu_sampling__close(&session->sampling);
	attach_probes__close(session->probes);
	session->probes = NULL;
}

int attach_session__restart(struct attach_session *session, struct loop *l)
{
	const struct attach_options *o = session->o;
	struct attach_session *before = xmalloc(sizeof(*before));
	struct attach_refusal no;
	int err;

	*before = *session;
	session->probes = NULL;
	session->found = (struct attach_result){.o = o, .restarts = before->found.restarts + 1};
	session->sampling = (struct cpu_sampling){0};
	session->copies = (struct copy_search){0};
	session->since_ns = 0;
	err = attach_probes__open(&session->probes, &session->filter, &no);
	if (!err) {
		describe(session);
		begin(session);
		if (o->target.children || o->target.command)
			attach_targets__add_again(session, &before->found.table);
	}
	/* A signal cuts begin() short. */
	if (err || loop__is_to_end()) {
		forget(session);
		*session = *before;
	} else {
		loop__remove(l, attach_probes__ends_fd(before->probes));
		loop__add(l, attach_probes__ends_fd(session->probes));
		forget(before);
	}
	free(before);
	return err && !loop__is_to_end() ? refusal__log("attach", o->backend, err, &no) : EXIT_DONE;
}

void attach_session__close(struct attach_session *session)
{
	ready__close(&session->ready);
	launch__close(&session->launch);
	for (size_t i = 0; session->o && i < session->o->target.pids_nr; i++)
		if (session->pidfds[i] > 0)
			close(session->pidfds[i]);
	if (session->cgroup >= 0)
		close(session->cgroup);
	forget(session);
}

static void add_socket(void *arg, const struct sock_state *s)
{
	struct attach_session *session = arg;

	copy_search__add(&session->copies, s->netns);
	table__add(&session->found.table, s);
}

void attach_session__add_ended(struct attach_session *session)
{
	attach_probes__each_ended(session->probes, add_socket, session);
}

void attach_session__step(struct attach_session *session)
{
	uint64_t now = loop__now_ns();

	if (now >= session->next_step_ns)
		session->next_step_ns = attach_probes__step_events(session->probes, now);
}

static bool add_task(void *arg, uint32_t tgid, const struct nio_task *task)
{
	struct attach_session *session = arg;
	pid_t pid = (pid_t)tgid;

	table__add_task(&session->found.table, tgid, task);
	/* A process closes its sockets after its exit event. */
	if (task->exit_ns)
		return session->finished || task->exit_ns + EXIT_NS < session->found.ended_ns;
	attach_targets__add_read(session, pid, task->started, task->parent && !task->asked);
	if (task->asked || task->parent || task->first_ns < session->since_ns || session->finished)
		return false;
	/* It took a watched name or joined the cgroup, and may have sockets. */
	session->passes_again = true;
	return false;
}

void attach_session__sort(struct attach_session *session)
{
	table__sort(&session->found.table, session->o->sort, session->since_ns);
}

int attach_session__refresh(struct attach_session *session)
{
	struct attach_result *r = &session->found;
	struct groups *g = &r->table.groups[GROUP_CGROUP];
	int err;

	session->since_ns = session->finished ? 0 : r->ended_ns;
	if (!session->finished)
		r->ended_ns = loop__now_ns();
	table__begin(&r->table);
	err = attach_probes__name_owners(session->probes, session->finished);
	if (!err)
		err = attach_probes__each_socket(session->probes, add_socket, session);
	table__end(&r->table);
	r->events = attach_probes__events(session->probes);
	table__divide_missed(&r->table, &r->events);
	/* Right after the sockets: rchar and the bytes sent are of one moment. */
	if (!err)
		err = attach_probes__each_task(session->probes, add_task, session);
	cpu_sampling__read(&session->sampling, r);
	if (session->passes_again)
		add_sockets(session);
	session->passes_again = false;
	/* A cgroup may vanish. */
	for (size_t i = 0; i < g->nr; i++)
		if (!g->list[i].name)
			g->list[i].name = target__cgroup_path(g->list[i].id);
	attach_session__sort(session);
	r->missed = attach_probes__missed(session->probes);
	r->loss = attach_probes__losses(session->probes);
	copy_search__look(&session->copies, &r->table.evidence, session->finished);
	table__set_gaps(&r->table, r->loss.sockets_full + r->loss.tasks_full + r->loss.ends_missed,
			r->missed.known ? r->missed.value : 1);
	return failed(err, "read", "what the programs saw");
}

int attach_session__finish(struct attach_session *session)
{
	int code;

	session->found.ended_ns = loop__now_ns();
	session->finished = true;
	session->next_step_ns =
		attach_probes__step_events(session->probes, session->found.ended_ns);
	cpu_sampling__stop(&session->sampling);
	/* Each socket is read with its events at one moment, so nothing has to stop first. */
	code = attach_session__refresh(session);
	attach_probes__stop(session->probes);
	return code;
}

const char *attach_session__saw_nothing(const struct attach_session *session)
{
	const struct table *t = &session->found.table;

	if (!attach_options__by_task(session->o))
		return (t->total.connections + t->total.unconnected)
			       ? NULL
			       : "nothing was watched: no connection had such a port";
	return t->processes_nr ? NULL
			       : "nothing was watched: no process with such a name or cgroup ran";
}

static bool has_others(const struct attach_session *session)
{
	return session->alive || session->o->target.comms_nr || session->cgroup >= 0 ||
	       session->o->target.command;
}

bool attach_session__lost_cgroup(struct attach_session *session)
{
	if (session->cgroup < 0 || !target__cgroup_is_gone(session->cgroup))
		return false;
	close(session->cgroup);
	session->cgroup = -1;
	log_warning("--cgroup %s is gone, and with it all that could be in it%s.",
		    session->o->cgroup, has_others(session) ? "" : ": the watching ends");
	return !has_others(session);
}

bool attach_session__lost(struct attach_session *session, struct loop *l, int fd)
{
	for (size_t i = 0; i < session->o->target.pids_nr; i++) {
		if (session->pidfds[i] != fd)
			continue;
		loop__remove(l, fd);
		close(fd);
		session->pidfds[i] = -1;
		session->alive--;
	}
	return session->o->target.pids_nr && !has_others(session);
}
