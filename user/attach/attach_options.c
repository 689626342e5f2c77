/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of attach; see attach_options.h. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "attach_options.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/atomic_file.h"
#include "base/setting.h"
#include "common/units.h"

enum key {
	KEY_PID = 'p',
	KEY_COMM = 256,
	KEY_CGROUP,
	KEY_PORT,
	KEY_CHILDREN,
	KEY_DURATION,
	KEY_INTERVAL,
	KEY_SORT,
	KEY_BY,
	KEY_TOP,
	KEY_BASELINE,
	KEY_SOCKETS,
	KEY_BACKEND,
	KEY_WITHOUT,
	KEY_COUNT_CALLS,
	KEY_NO_CPU,
	KEY_JSON,
	KEY_CSV,
	KEY_FOLDED,
	KEY_ASSERT,
	KEY_READY_FILE,
};

static const char doc[] =
	"Keeps the copy ledger of any program: of running processes, or of a command that attach "
	"starts and watches to its end.\n"
	"\n"
	"  sudo netiotrace attach --pid 4242\n"
	"  sudo netiotrace attach --comm nginx --duration 10s --json out.json\n"
	"  sudo netiotrace attach -- iperf3 -c 192.0.2.7 -Z\n"
	"  sudo netiotrace attach --assert 'copied_fraction == 0' -- ./my-test"
	"\v"
	"--pid, --comm and --cgroup add up. --port limits them to connections with that port; "
	"alone, it selects connections of any process. Ends on Ctrl-C, after --duration, when the "
	"command ends, when no process of --pid is left, or when the cgroup is removed.\n"
	"\n"
	"Exit status: that of the command; without a command 0 success, 1 failure, 2 usage error, "
	"3 not supported by this kernel, 4 missing privileges, 130 Ctrl-C. 5: an --assert is "
	"false, or nothing was watched.";

static const struct argp_option options[] = {
	{NULL, 0, NULL, 0, "Target:", 1},
	{"pid", KEY_PID, "PID", 0, "process with all its threads; repeatable", 1},
	{"comm", KEY_COMM, "NAME", 0,
	 "processes with this name (its first 15 bytes), also those that start later; repeatable",
	 1},
	{"cgroup", KEY_CGROUP, "PATH", 0, "processes of this cgroup (v2) and its descendants", 1},
	{"port", KEY_PORT, "PORT", 0, "connections with this local or remote port; repeatable", 1},
	{"children", KEY_CHILDREN, NULL, 0,
	 "also child processes, existing and later ones; always on for a command", 1},
	{NULL, 0, NULL, 0, "Measurement:", 2},
	{"duration", KEY_DURATION, "TIME", 0, "stop after this time: 5s, 2m", 2},
	{"interval", KEY_INTERVAL, "TIME", 0, "refresh interval, 50ms to 1h (default 1s)", 2},
	{"backend", KEY_BACKEND, "auto|fentry|kprobe|tracepoint", 0,
	 "type of BPF program (default auto)", 2},
	{"without", KEY_WITHOUT, "HOOK", 0,
	 "pretend that this kernel lacks HOOK, a function or tracepoint; repeatable", 2},
	{"no-cpu", KEY_NO_CPU, NULL, 0, "do not sample CPU time (49 samples per second and CPU)",
	 2},
	{"count-calls", KEY_COUNT_CALLS, NULL, 0,
	 "process every send and receive event (default: above 20 000 events per second, 20 ms of "
	 "each second)",
	 2},
	{"max-sockets", KEY_SOCKETS, "N", 0,
	 "largest number of sockets, up to 1048576 (default 32768, 1 KiB each)", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"by", KEY_BY, BY_WORDS, 0, "what a row is (default process)", 3},
	{"sort", KEY_SORT, SORT_WORDS, 0, "sort rows by this, largest first (default copied)", 3},
	{"top", KEY_TOP, "N", 0, "rows to show and connections to write (default 20)", 3},
	{"baseline", KEY_BASELINE, "DIR", 0,
	 "results of a sweep on this machine, for advice on message sizes", 3},
	{"json", KEY_JSON, "FILE", 0,
	 "write a JSON document (- for stdout; a command's stdout then goes to stderr)", 3},
	{"csv", KEY_CSV, "FILE", 0,
	 "write a row per process, connection, port or cgroup, as in --by", 3},
	{"folded", KEY_FOLDED, "FILE", 0,
	 "write sampled stacks in the format of flame-graph tools (- for stdout)", 3},
	{"assert", KEY_ASSERT, "EXPR", 0,
	 "exit with 5 if EXPR is false, e.g. 'copied_fraction == 0'; repeatable", 3},
	{"ready-file", KEY_READY_FILE, "FILE", 0,
	 "write FILE when all programs are attached; FILE is removed at the end", 3},
	{"quiet", 'q', NULL, 0, "no progress, no final text, errors only", 3},
	{"verbose", 'v', NULL, 0, "print progress; -vv: also libbpf's messages", 3},
	{0},
};

#define AT(field) .offset = offsetof(struct attach_options, field)

static const struct setting settings[] = {
	{KEY_CGROUP, SETTING_STRING, AT(cgroup)},
	{KEY_CHILDREN, SETTING_FLAG, AT(children)},
	{KEY_DURATION, SETTING_TIME, AT(duration_ns), "--duration", "a time such as 5s or 500ms",
	 1000000, UINT64_MAX / 2},
	{KEY_INTERVAL, SETTING_TIME, AT(interval_ns), "--interval",
	 "a time from 50ms to 1h such as 1s", 50000000, 3600000000000},
	{KEY_COUNT_CALLS, SETTING_FLAG, AT(count_calls)},
	{KEY_NO_CPU, SETTING_FLAG, AT(no_cpu)},
	{KEY_SOCKETS, SETTING_COUNT, AT(sockets_max), "--max-sockets", "a number from 1 to 1048576",
	 1, NIO_SOCKETS_MAX},
	{KEY_BY, SETTING_CHOICE, AT(by), "--by", BY_WORDS},
	{KEY_SORT, SETTING_CHOICE, AT(sort), "--sort", SORT_WORDS},
	{KEY_TOP, SETTING_COUNT, AT(top), "--top", "a number from 1 to 100000", 1, 100000},
	{KEY_BASELINE, SETTING_STRING, AT(baseline)},
	{KEY_JSON, SETTING_STRING, AT(json)},
	{KEY_CSV, SETTING_STRING, AT(csv)},
	{KEY_FOLDED, SETTING_STRING, AT(folded)},
	{KEY_READY_FILE, SETTING_STRING, AT(ready_file)},
	{'q', SETTING_FLAG, AT(quiet)},
	{'v', SETTING_LEVEL, AT(verbose)},
};

const char *by__name(enum by by)
{
	static const char *const names[BY_NR] = {"process", "connection", "port", "cgroup"};

	return names[by];
}

/* One more value of a repeatable option. */
static size_t one_more(size_t *nr, size_t max, const char *option)
{
	if (*nr == max)
		usage_error("%s can be given %zu times.", option, max);
	return (*nr)++;
}

static void take_pid(struct attach_options *o, const char *arg)
{
	uint64_t pid;

	if (parse_count(arg, 1, INT32_MAX, &pid))
		usage_error("--pid takes the number of a process, not '%s'; processes are chosen "
			    "by name with --comm.",
			    arg);
	o->pids[one_more(&o->pids_nr, ATTACH_PIDS_MAX, "--pid")] = (pid_t)pid;
}

static void take_port(struct attach_options *o, const char *arg)
{
	uint64_t port;

	if (parse_count(arg, 1, 65535, &port))
		usage_error("--port takes a number from 1 to 65535, not '%s'.", arg);
	o->ports[one_more(&o->ports_nr, ATTACH_PORTS_MAX, "--port")] = (uint16_t)port;
}

static void take_comm(struct attach_options *o, const char *arg)
{
	size_t i = one_more(&o->comms_nr, NIO_COMMS_MAX, "--comm");

	if (!*arg)
		usage_error("--comm takes a name.");
	o->comms_asked[i] = arg;
	/* The kernel keeps 15 bytes of a name. */
	snprintf(o->comms[i], sizeof(o->comms[i]), "%.15s", arg);
}

static void take_expect(struct attach_options *o, const char *arg)
{
	size_t i = one_more(&o->expects_nr, EXPECTS_MAX, "--assert");
	char message[256];

	if (expect__parse(&o->expects[i], arg, message, sizeof(message)))
		usage_error("%s.", message);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct attach_options *o = state->input;

	switch (key) {
	case KEY_PID:
		take_pid(o, arg);
		return 0;
	case KEY_PORT:
		take_port(o, arg);
		return 0;
	case KEY_COMM:
		take_comm(o, arg);
		return 0;
	case KEY_BACKEND:
		backend__parse(arg, &o->backend);
		return 0;
	case KEY_WITHOUT:
		o->without[one_more(&o->without_nr, ATTACH_WITHOUT_MAX, "--without")] = arg;
		return 0;
	case KEY_ASSERT:
		take_expect(o, arg);
		return 0;
	case ARGP_KEY_ARG:
		usage_error("'%s' is not an option; to run and watch a command, put -- before it: "
			    "netiotrace attach -- %s.",
			    arg, arg);
	default:
		return setting__take(settings, sizeof(settings) / sizeof(settings[0]), key, arg, o)
			       ? 0
			       : ARGP_ERR_UNKNOWN;
	}
}

bool attach_options__to_stdout(const struct attach_options *o)
{
	return (o->json && !strcmp(o->json, "-")) || (o->csv && !strcmp(o->csv, "-")) ||
	       (o->folded && !strcmp(o->folded, "-"));
}

bool attach_options__by_task(const struct attach_options *o)
{
	return o->pids_nr || o->comms_nr || o->cgroup || o->command;
}

static void check(struct attach_options *o)
{
	const struct {
		const char *option, *const *name;
	} files[] = {{"--json", &o->json}, {"--csv", &o->csv}, {"--folded", &o->folded}};

	if (!attach_options__by_task(o) && !o->ports_nr)
		usage_error(
			"attach needs a target: --pid, --comm, --cgroup, --port or -- COMMAND.");
	for (size_t i = 0; i < 3; i++) {
		const char *a = *files[i].name, *b = *files[(i + 1) % 3].name;

		if (a && b && atomic_file__same(a, b))
			usage_error("%s and %s cannot both have %s.", files[i].option,
				    files[(i + 1) % 3].option, strcmp(b, "-") ? b : "stdout");
	}
	if (o->folded && o->no_cpu)
		usage_error("--folded needs samples of the CPU time: leave out --no-cpu.");
	if (o->folded && !attach_options__by_task(o))
		usage_error("--folded needs processes: name some with --pid, --comm or --cgroup.");
	if (o->command)
		o->children = true;
	log_set_verbosity(o->quiet, o->verbose);
}

/* Arguments after -- belong to the command, unchanged. Returns the number of ours. */
static int split(struct attach_options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (i + 1 == argc)
			usage_error("there is no command after --.");
		o->command = argv + i + 1;
		return i;
	}
	return argc;
}

void attach_options__parse(struct attach_options *o, int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = take,
		.args_doc = "[-- COMMAND [ARG...]]",
		.doc = doc,
	};

	*o = (struct attach_options){
		.interval_ns = 1000000000,
		.top = 20,
		.sockets_max = NIO_SOCKETS_DEFAULT,
		.backend = BACKEND_AUTO,
		.argc = argc,
		.argv = argv,
	};
	command_line__parse(&argp, "attach", split(o, argc, argv), argv, o);
	check(o);
}
