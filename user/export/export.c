/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the loop of the exporter: snapshots of all sockets, and the pages made of them. */
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "aggregates.h"
#include "base/atomic_file.h"
#include "base/command_line.h"
#include "base/commands.h"
#include "common/embed.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/option_command.h"
#include "base/privileges.h"
#include "base/ready.h"
#include "cgroup_names.h"
#include "common/xalloc.h"
#include "confinement.h"
#include "http.h"
#include "kernel/attach_probes.h"
#include "kernel/refusal.h"
#include "kernel/target.h"
#include "metrics_page.h"
#include "probes/plan.h"

enum export_by {
	EXPORT_BY_CGROUP,
	EXPORT_BY_COMM,
	EXPORT_BY_PORT,
};

#define EXPORT_FILTERS_MAX 64

struct export_options {
	const char *listen; /* ADDR:PORT or unix:PATH */
	enum export_by by;
	const char *filters[EXPORT_FILTERS_MAX]; /* patterns of group names, fnmatch(3) */
	size_t filters_nr;
	uint64_t groups;
	bool this_netns; /* leave out sockets of other network namespaces */
	uint64_t interval_ns;
	bool once;
	const char *textfile; /* NULL: none */
	const char *ready_file;
	uint64_t sockets_max;
	enum backend backend;
	bool count_calls;
	bool no_histograms;
	bool quiet;
	int verbose;
};

/* In the order of enum export_by. */
#define BY_WORDS "cgroup|comm|port"

EMBED(doc, "user/export/export.help");

static void parse_filter(void *options, const char *arg)
{
	struct export_options *o = options;

	if (o->filters_nr == EXPORT_FILTERS_MAX)
		usage_error("at most %d --filter can be given.", EXPORT_FILTERS_MAX);
	o->filters[o->filters_nr++] = arg;
}

#define AT(field) .offset = offsetof(struct export_options, field)

/* clang-format off */
static const struct option_row option_rows[] = {
	OPTION_TITLE_ROW("Groups:"),
	{"by", BY_WORDS, "one group per unit, container or pod (default cgroup), per process name, or per listening port", OPTION_CHOICE, AT(by)},
	{"filter", "PATTERN", "only matching groups have their own series, e.g. 'nginx*'; the rest counts as other; repeatable", OPTION_OTHER, .parse = parse_filter},
	{"groups", "N", "at most N groups, 1 to 1024 (default 64); the rest counts as other", OPTION_COUNT, AT(groups), "a number from 1 to 1024", 1, AGGREGATES_MAX},
	{"this-netns", NULL, "leave out sockets of other network namespaces (default: all of this machine)", OPTION_FLAG, AT(this_netns)},
	OPTION_TITLE_ROW("Output:"),
	{"listen", "ADDR:PORT", "address of the HTTP server, :PORT for all addresses, or unix:PATH (default 127.0.0.1:9753)", OPTION_STRING, AT(listen)},
	{"textfile", "FILE", "write the page to FILE at each interval instead, for node_exporter", OPTION_STRING, AT(textfile)},
	{"once", NULL, "print the page after one interval, then exit", OPTION_FLAG, AT(once)},
	{"no-histograms", NULL, "leave out the sizes of calls and copies, up to 36 lines per group", OPTION_FLAG, AT(no_histograms)},
	{"ready-file", "FILE", "write FILE when ready, with the address; removed at the end", OPTION_STRING, AT(ready_file)},
	{"quiet", NULL, "errors only", OPTION_FLAG, AT(quiet), .letter = 'q'},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", OPTION_LEVEL, AT(verbose), .letter = 'v'},
	OPTION_TITLE_ROW("Measurement:"),
	{"interval", "TIME", "read the sockets this often, 50ms to 1h (default 5s)", OPTION_TIME, AT(interval_ns), "a time from 50ms to 1h such as 5s", 50000000, 3600000000000},
	{"backend", "auto|fentry|kprobe|tracepoint", "type of BPF program (default auto)", OPTION_OTHER, AT(backend), .parse = backend__store},
	{"max-sockets", "N", "sockets at once, up to 1048576 (default 32768)", OPTION_COUNT, AT(sockets_max), "a number from 1 to 1048576", 1, NIO_SOCKETS_MAX},
	{"count-calls", NULL, "process every send and receive event at any rate; costs several percent", OPTION_FLAG, AT(count_calls)},
};
/* clang-format on */

/* Prints errors and exits with EXIT_USAGE. */
static void export_options__parse(struct export_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "export",
		.doc = doc,
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
	};

	*o = (struct export_options){
		.groups = 64,
		.interval_ns = 5000000000,
		.sockets_max = NIO_SOCKETS_DEFAULT,
		.backend = BACKEND_AUTO,
	};
	option_command__parse(&command, argc, argv, o);
	if (o->once + !!o->textfile + !!o->listen > 1)
		usage_error("--listen, --textfile and --once exclude each other.");
	if (!o->listen)
		o->listen = "127.0.0.1:9753";
	log_set_verbosity(o->quiet, o->verbose);
}

#define NS_PER_S 1000000000ULL
#define TICK_NS  NS_PER_S /* slow clients are looked for this often */

/* The group of sockets whose cgroup is not known. */
#define UNKNOWN "unknown"

struct export
{
	struct export_options o;
	struct loop loop;
	struct attach_probes *probes;
	int textfile_err;    /* of the last write; 0: it worked */
	const char *address; /* where metrics are served */
	struct aggregates groups;
	struct cgroup_names cgroups;
	struct http *http;
	struct ready ready;
	struct utsname kernel;
	uint32_t netns; /* inode number of the own namespace; 0: sockets of all count */
	const struct plan_row *plan;
	size_t plan_nr;
	uint64_t next_step_ns, next_snapshot_ns;
	double started, snapshot, snapshot_s;
	int status; /* exit code */
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool matches(const struct export_options *o, const char *name)
{
	for (size_t i = 0; i < o->filters_nr; i++)
		if (!fnmatch(o->filters[i], name, 0))
			return true;
	return !o->filters_nr;
}

struct group {
	char name[GROUP_NAME_MAX];
	const struct pod_names *pod; /* NULL: none */
	bool final;                  /* false: another name may come */
};

static void find_group(struct export *x, struct group *g, const struct sock_state *s)
{
	const struct cgroup_group *found;

	*g = (struct group){.final = x->o.by != EXPORT_BY_COMM || s->owned};
	if (x->o.by == EXPORT_BY_COMM) {
		group_name__of_comm(g->name, s->comm, s->owned);
	} else if (x->o.by == EXPORT_BY_CGROUP) {
		found = cgroup_names__find(&x->cgroups, s->cgroup, s->first_ns, !s->closed_ns);
		strcpy(g->name, found ? found->name : UNKNOWN);
		g->pod = found ? found->pod : NULL;
		g->final = !found || !found->waits;
	} else if (s->flags & SOCK_STATE_CALLER) {
		/* A port that connect() chose is never a label. */
		strcpy(g->name, "outgoing");
	} else {
		/* The listening port of an accepted connection. */
		snprintf(g->name, GROUP_NAME_MAX, "%u", s->local_port);
	}
}

static void keep_group(void *arg, const char *name)
{
	struct aggregates *a = arg;

	for (size_t i = 0; i < a->nr; i++)
		if (!strcmp(a->list[i].name, name))
			a->list[i].gone = false;
}

/* A group is gone when no cgroup has its name. */
static void find_gone(void *arg, struct aggregates *a)
{
	struct export *x = arg;

	for (size_t i = 0; i < a->nr; i++)
		a->list[i].gone = strcmp(a->list[i].name, UNKNOWN) != 0;
	if (cgroup_names__each(&x->cgroups, keep_group, a))
		for (size_t i = 0; i < a->nr; i++)
			a->list[i].gone = false;
}

static void add_socket(void *arg, const struct sock_state *s)
{
	struct export *x = arg;
	struct group g;
	size_t slot;

	if (x->netns && s->netns != x->netns)
		return;
	find_group(x, &g, s);
	if (aggregates__hold(&x->groups, s, g.final))
		return;
	slot = matches(&x->o, g.name) ? aggregates__slot(&x->groups, g.name, g.pod, !s->closed_ns)
				      : AGGREGATES_OTHER;
	if (s->closed_ns)
		aggregates__close(&x->groups, slot, s);
	else
		aggregates__add_open(&x->groups, slot, s);
}

static int snapshot(struct export *x)
{
	uint64_t begun_ns = loop__now_ns();
	int err;

	cgroup_names__refresh(&x->cgroups);
	/* Connections that have ended first: a refresh begins with the sums of all of them. */
	err = attach_probes__each_ended(x->probes, add_socket, x);
	aggregates__begin(&x->groups, now_s());
	if (!err && x->o.by == EXPORT_BY_COMM)
		err = attach_probes__name_owners(x->probes, false);
	if (!err)
		err = attach_probes__each_socket(x->probes, add_socket, x);
	aggregates__end(&x->groups);
	x->snapshot = now_s();
	x->snapshot_s = (double)(loop__now_ns() - begun_ns) / 1e9;
	x->next_snapshot_ns = begun_ns + x->o.interval_ns;
	if (err)
		log_error("the sockets cannot be read: %s.", strerror(-err));
	return err;
}

static char *render(void *arg, enum page_format format, size_t *len)
{
	struct export *x = arg;
	struct nio_attach_loss loss = attach_probes__losses(x->probes);
	struct metrics m = {
		.groups = &x->groups,
		.kernel = x->kernel.release,
		.backend = plan__backend(x->plan, x->plan_nr),
		.plan = x->plan,
		.plan_nr = x->plan_nr,
		.missed = attach_probes__missed(x->probes),
		.left_out = loss.sockets_full + loss.ends_missed,
		.started = x->started,
		.snapshot = x->snapshot,
		.snapshot_s = x->snapshot_s,
		.interval_s = (double)x->o.interval_ns / 1e9,
		.no_histograms = x->o.no_histograms,
	};
	char *text = NULL;
	FILE *f = xopen_memstream(&text, len);

	m.run_times_unknown = attach_probes__run_times(x->probes, m.run_ns);
	process_metrics__write(f, format == PAGE_OPENMETRICS);
	metrics_page__write(f, format, &m);
	xclose_memstream(f);
	return text;
}

static int write_textfile(struct export *x)
{
	struct atomic_file *file;
	size_t len;
	char *page;
	int err = atomic_file__open(&file, x->o.textfile);

	if (!err) {
		page = render(x, PAGE_PROMETHEUS, &len);
		fwrite(page, 1, len, atomic_file__stream(file));
		free(page);
		err = atomic_file__commit(file);
	}
	/* Once until it works again: the cause may go away, as a full disk. */
	if (err && err != x->textfile_err)
		log_error("cannot write %s: %s.", x->o.textfile, strerror(-err));
	x->textfile_err = err;
	return err;
}

static int try_textfile(void *arg)
{
	const struct export *x = arg;
	struct atomic_file *file;
	int err = atomic_file__open(&file, x->o.textfile);

	if (!err)
		atomic_file__abort(file);
	return err;
}

/* Refuses a file that cannot be written later, without capabilities, before anything is loaded. */
static int check_textfile(struct export *x)
{
	int err = x->o.textfile ? confinement__try(try_textfile, x, true) : 0;
	bool denied = err == -EACCES || err == -EPERM;

	if (!err)
		return EXIT_DONE;
	log_error("cannot write %s: %s%s.", x->o.textfile, strerror(-err),
		  denied ? "; export writes without capabilities: choose a directory and a file "
			   "that its user may write"
			 : "");
	return EXIT_USAGE;
}

static int print_once(struct export *x)
{
	size_t len;
	char *page = render(x, PAGE_PROMETHEUS, &len);

	fwrite(page, 1, len, stdout);
	free(page);
	return EXIT_DONE;
}

static bool add_task(void *arg, uint32_t tgid, const struct nio_task *task)
{
	(void)arg, (void)tgid, (void)task;
	return false;
}

/* One of the calls that the exporter makes for ever. */
static int try_watching(void *arg)
{
	struct export *x = arg;

	return attach_probes__each_task(x->probes, add_task, NULL);
}

/* Files are written and removed by the user who started the exporter, without capabilities. */
static int confine(struct export *x)
{
	bool kprobes =
		strcmp(plan__backend(x->plan, x->plan_nr), backend__name(BACKEND_KPROBE)) == 0;
	bool keep = kprobes || confinement__try(try_watching, x, false);
	int err = confinement__enter(keep, x->o.textfile || x->o.ready_file);

	if (err) {
		log_error("cannot drop privileges: %s.", strerror(-err));
		return EXIT_PRIVILEGES;
	}
	/* Where no filter can be loaded, the exporter runs with what is left. */
	if (SYSCALL_FILTER_FITS && syscall_filter__load(kprobes))
		log_warning("system calls are not filtered: this kernel, or the filter of this "
			    "container, allows no seccomp filter.");
	return EXIT_DONE;
}

static int load(struct export *x)
{
	struct attach_filter filter = {
		.cgroup = -1,
		.sockets_max = (uint32_t)x->o.sockets_max,
		.count_calls = x->o.count_calls,
		.rule = window_rule__steady(WINDOW_BUDGET_STEADY),
		.sizes_up_to = true,
		.backend = x->o.backend,
	};
	struct attach_refusal no;
	int err = attach_probes__open(&x->probes, &filter, &no);

	if (err == -EINTR && loop__is_to_end())
		return EXIT_SIGNAL_BASE + loop__ending_signal();
	return err ? refusal__log("export", x->o.backend, err, &no) : EXIT_DONE;
}

static int begin(struct export *x)
{
	const char *logs;
	struct stat st;
	int err;

	uname(&x->kernel);
	if (x->o.this_netns && !stat("/proc/self/ns/net", &st))
		x->netns = (uint32_t)st.st_ino;
	x->plan_nr = attach_probes__plan(x->probes, &x->plan);
	/* For tests: the root of another tree, of which two directories are listed. */
	logs = getenv("NETIO_LOGS_ROOT");
	cgroup_names__init(&x->cgroups, target__cgroup_mount(), logs ? logs : "");
	/* A single page has each connection. */
	if (x->o.once)
		x->cgroups.wait_ns = 0;
	attach_probes__arm(x->probes);
	x->started = now_s();
	aggregates__init(&x->groups, x->o.groups, x->started);
	x->groups.arg = x;
	if (x->o.by == EXPORT_BY_CGROUP)
		x->groups.find_gone = find_gone;
	/* Connections that were there before count from now on. */
	err = attach_probes__find_existing(x->probes);
	if (err)
		log_warning("existing connections may be missing until they are used: %s.",
			    strerror(-err));
	loop__add(&x->loop, attach_probes__ends_fd(x->probes));
	x->next_step_ns = loop__now_ns();
	return snapshot(x) ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int serve(struct export *x)
{
	struct http_listener l;
	char why[256] = "";
	int passed = http__inherited(&l, why, sizeof(why)), err = 0;

	if (passed < 0) {
		log_error("cannot serve the socket of the service manager: %s.", why);
		return EXIT_USAGE;
	}
	if (!passed)
		err = http__listen(&l, x->o.listen, why, sizeof(why));
	x->address = passed ? "the socket of the service manager (LISTEN_FDS)" : x->o.listen;
	if (err) {
		log_error("cannot listen on %s: %s; choose another address with --listen.",
			  x->o.listen, why);
		return err == -EINVAL ? EXIT_USAGE : EXIT_RUN_FAILED;
	}
	err = http__start(&x->http, &l, render, x);
	if (err) {
		log_error("cannot serve HTTP: %s.", strerror(-err));
		return EXIT_RUN_FAILED;
	}
	loop__add(&x->loop, http__fd(x->http));
	return EXIT_DONE;
}

static bool handle_event(struct export *x, const struct loop_event *ev)
{
	/* SIGHUP takes a snapshot now. Any other signal ends the exporter. */
	if (ev->kind == LOOP_SIGNAL && ev->signo == SIGHUP)
		x->next_snapshot_ns = 0;
	if (ev->kind == LOOP_SIGNAL)
		return ev->signo != SIGHUP && ev->signo != SIGWINCH;
	if (ev->kind == LOOP_READABLE && ev->fd == attach_probes__ends_fd(x->probes))
		attach_probes__each_ended(x->probes, add_socket, x);
	else if (ev->kind == LOOP_READABLE && x->http)
		http__run(x->http);
	else if (ev->kind == LOOP_TICK && x->http)
		http__expire(x->http);
	return false;
}

/* true: the exporter is done. */
static bool handle_snapshot(struct export *x)
{
	if (loop__now_ns() < x->next_snapshot_ns)
		return false;
	if (snapshot(x)) {
		x->status = EXIT_RUN_FAILED;
		return true;
	}
	if (x->o.textfile)
		write_textfile(x);
	return x->o.once;
}

static int run_loop(struct export *x)
{
	struct loop_event ev;
	bool over = false;
	int err = loop__set_timer(&x->loop, TICK_NS, TICK_NS);

	while (!err && !over) {
		err = loop__wait(&x->loop, &ev, u64__least(x->next_step_ns, x->next_snapshot_ns));
		if (!err)
			over = handle_event(x, &ev);
		if (loop__now_ns() >= x->next_step_ns)
			x->next_step_ns = attach_probes__step_events(x->probes, loop__now_ns());
		if (!err && !over)
			over = handle_snapshot(x);
	}
	return err ? loop__report(err) : x->status;
}

static int run(struct export *x)
{
	bool serves = !x->o.once && !x->o.textfile;
	int code = check_textfile(x);

	if (!code)
		code = ready__open(&x->ready, x->o.ready_file);
	if (!code && serves)
		code = serve(x);
	if (!code)
		code = load(x);
	if (!code)
		code = begin(x);
	if (!code)
		code = confine(x);
	if (!code && serves)
		log_notice("serving metrics at %s.", x->address);
	if (!code)
		code = ready__notify(&x->ready, serves ? x->address : NULL);
	if (!code)
		code = run_loop(x);
	return !code && x->o.once ? print_once(x) : code;
}

int export__main(int argc, char **argv)
{
	struct export *x = xcalloc(1, sizeof(*x));
	int code;

	x->loop = (struct loop)LOOP_INIT;
	export_options__parse(&x->o, argc, argv);
	code = privileges__check_trace();
	if (!code)
		code = loop__open(&x->loop);
	if (!code)
		code = run(x);
	http__stop(x->http);
	ready__close(&x->ready);
	attach_probes__close(x->probes);
	cgroup_names__clear(&x->cgroups);
	aggregates__clear(&x->groups);
	loop__close(&x->loop);
	free(x);
	return code;
}
