/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of attach; see attach_options.h. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach_options.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/atomic_file.h"
#include "common/units.h"
#include "common/word.h"

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
	{"by", KEY_BY, "process|connection|port|cgroup", 0, "what a row is (default process)", 3},
	{"sort", KEY_SORT, "copied|bytes|sent|received|zerocopy", 0,
	 "sort rows by this, largest first (default copied)", 3},
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

static uint64_t take_count(const char *option, const char *arg, uint64_t min, uint64_t max)
{
	uint64_t n;

	if (parse_count(arg, min, max, &n))
		usage_error("--%s takes a number from %llu to %llu, not '%s'.", option,
			    (unsigned long long)min, (unsigned long long)max, arg);
	return n;
}

static pid_t take_pid(const char *arg)
{
	uint64_t pid;

	if (parse_count(arg, 1, INT32_MAX, &pid))
		usage_error(
			"--pid takes the number of a process, not '%s'; processes are chosen by "
			"name "
			"with --comm.",
			arg);
	return (pid_t)pid;
}

static uint64_t take_time(const char *option, const char *arg, uint64_t min, uint64_t max)
{
	uint64_t ns;

	if (parse_duration(arg, &ns) || ns < min || ns > max)
		usage_error("--%s takes a time such as 5s or 500ms, not '%s'.", option, arg);
	return ns;
}

static void take_comm(struct attach_options *o, const char *arg)
{
	size_t len = strlen(arg);

	if (!len || o->comms_nr == NIO_COMMS_MAX)
		usage_error("--comm takes a name, at most %d times.", NIO_COMMS_MAX);
	/* The kernel keeps 15 bytes of a name. */
	o->comms_asked[o->comms_nr] = arg;
	memcpy(o->comms[o->comms_nr++], arg, len < 15 ? len : 15);
}

static void take_expect(struct attach_options *o, const char *arg)
{
	char message[256];

	if (o->expects_nr == EXPECTS_MAX)
		usage_error("--assert can be given %d times.", EXPECTS_MAX);
	if (expect__parse(&o->expects[o->expects_nr], arg, message, sizeof(message)))
		usage_error("%s.", message);
	o->expects_nr++;
}

const char *by__name(enum by by)
{
	static const char *const names[BY_NR] = {"process", "connection", "port", "cgroup"};

	return names[by];
}

static void take_by(struct attach_options *o, const char *arg)
{
	for (int by = 0; by < BY_NR; by++)
		if (same_word(arg, by__name((enum by)by)))
			o->by = (enum by)by;
}

static void take_target(struct attach_options *o, int key, const char *arg)
{
	switch (key) {
	case KEY_PID:
		if (o->pids_nr == ATTACH_PIDS_MAX)
			usage_error("--pid can be given %d times.", ATTACH_PIDS_MAX);
		o->pids[o->pids_nr++] = take_pid(arg);
		break;
	case KEY_COMM:
		take_comm(o, arg);
		break;
	case KEY_CGROUP:
		o->cgroup = arg;
		break;
	case KEY_PORT:
		if (o->ports_nr == ATTACH_PORTS_MAX)
			usage_error("--port can be given %d times.", ATTACH_PORTS_MAX);
		o->ports[o->ports_nr++] = (uint16_t)take_count("port", arg, 1, 65535);
		break;
	default:
		o->children = true;
	}
}

static void take_way(struct attach_options *o, int key, const char *arg)
{
	switch (key) {
	case KEY_DURATION:
		o->duration_ns = take_time("duration", arg, 1000000, UINT64_MAX / 2);
		break;
	case KEY_INTERVAL:
		o->interval_ns = take_time("interval", arg, 50000000, 3600000000000ULL);
		break;
	case KEY_BACKEND:
		backend__parse(arg, &o->backend);
		break;
	case KEY_WITHOUT:
		if (o->without_nr == ATTACH_WITHOUT_MAX)
			usage_error("--without can be given %d times.", ATTACH_WITHOUT_MAX);
		o->without[o->without_nr++] = arg;
		break;
	case KEY_COUNT_CALLS:
		o->count_calls = true;
		break;
	case KEY_NO_CPU:
		o->no_cpu = true;
		break;
	default:
		o->sockets_max = (uint32_t)take_count("max-sockets", arg, 1, NIO_SOCKETS_MAX);
	}
}

static error_t take_output(struct attach_options *o, int key, char *arg)
{
	switch (key) {
	case KEY_SORT:
		sort__parse(arg, &o->sort);
		break;
	case KEY_BY:
		take_by(o, arg);
		break;
	case KEY_TOP:
		o->top = take_count("top", arg, 1, 100000);
		break;
	case KEY_BASELINE:
		o->baseline = arg;
		break;
	case KEY_JSON:
		o->json = arg;
		break;
	case KEY_CSV:
		o->csv = arg;
		break;
	case KEY_FOLDED:
		o->folded = arg;
		break;
	case KEY_READY_FILE:
		o->ready_file = arg;
		break;
	case KEY_ASSERT:
		take_expect(o, arg);
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'v':
		o->verbose++;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct attach_options *o = state->input;

	if (key == KEY_PID || (key >= KEY_COMM && key <= KEY_CHILDREN))
		take_target(o, key, arg);
	else if (key == KEY_DURATION || key == KEY_INTERVAL ||
		 (key >= KEY_SOCKETS && key <= KEY_NO_CPU))
		take_way(o, key, arg);
	else if (key == ARGP_KEY_ARG)
		usage_error("'%s' is not an option; to run and watch a command, put -- before it: "
			    "netiotrace attach -- %s.",
			    arg, arg);
	else
		return take_output(o, key, arg);
	return 0;
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

void attach_options__name_targets(char *buf, size_t len, const struct attach_options *o)
{
	const char *before = "";
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < o->comms_nr && used < len; i++, before = ", ")
		used += snprintf(buf + used, len - used, "%s--comm %s", before, o->comms[i]);
	if (o->cgroup && used < len)
		snprintf(buf + used, len - used, "%s--cgroup %s", before, o->cgroup);
}

static void refuse_same(const char *one, const char *a, const char *other, const char *b)
{
	if (a && b && atomic_file__same(a, b))
		usage_error("%s and %s cannot both have %s.", one, other,
			    strcmp(b, "-") == 0 ? "stdout" : b);
}

static void check(struct attach_options *o)
{
	if (!attach_options__by_task(o) && !o->ports_nr)
		usage_error(
			"attach needs a target: --pid, --comm, --cgroup, --port or -- COMMAND.");
	refuse_same("--json", o->json, "--csv", o->csv);
	refuse_same("--json", o->json, "--folded", o->folded);
	refuse_same("--csv", o->csv, "--folded", o->folded);
	if (o->folded && o->no_cpu)
		usage_error("--folded needs samples of the CPU time: leave out --no-cpu.");
	if (o->folded && !attach_options__by_task(o))
		usage_error("--folded needs processes: name some with --pid, --comm or --cgroup.");
	if (o->command)
		o->children = true;
	log_set_level(o->quiet ? LOG_ERROR
			       : (enum log_level)(LOG_WARNING + (o->verbose > 2 ? 2 : o->verbose)));
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
