/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of attach; see attach_options.h. */
#include <stdlib.h>
#include <string.h>

#include "attach_options.h"
#include "base/command_line.h"
#include "common/embed.h"
#include "base/log.h"
#include "base/option_command.h"

EMBED(doc, "user/attach/attach.help");

const char *by__name(enum by by)
{
	static const char *const names[BY_NR] = {"process", "connection", "port", "cgroup"};

	return names[by];
}

static void parse_assertion(void *options, const char *arg)
{
	struct attach_options *o = options;

	o->assertions[target_options__one_more(&o->assertions_nr, ATTACH_ASSERTIONS_MAX,
					       "--assert")] = arg;
}

static void parse_budget(void *options, const char *arg)
{
	double *budget = &((struct attach_options *)options)->budget;
	char *end;

	*budget = strtod(arg, &end);
	if (end == arg || *end || arg[strspn(arg, "0123456789.")] || *budget < 0.1 || *budget > 100)
		usage_error("--budget takes a percentage from 0.1 to 100, not '%s'.", arg);
}

static void parse_without(void *options, const char *arg)
{
	struct attach_options *o = options;

	if (!plan__withhold(OBJECT_ATTACH, NULL, arg))
		usage_error("no hook of attach is called '%s': its result (--json) lists those in "
			    "use, in plan.",
			    arg);
	o->without[target_options__one_more(&o->without_nr, ATTACH_WITHOUT_MAX, "--without")] = arg;
}

#define AT(field) .offset = offsetof(struct attach_options, field)

/* clang-format off */
static const struct option_row option_rows[] = {
	OPTION_TITLE_ROW("Target:"),
	TARGET_PID_ROW(AT(target)),
	TARGET_COMM_ROW(AT(target)),
	TARGET_WAIT_ROW(AT(target.wait)),
	{"cgroup", "PATH", "processes of this cgroup (v2) and its descendants", OPTION_STRING, AT(cgroup)},
	TARGET_PORT_ROW(AT(target), "connections with this local or remote port; repeatable"),
	TARGET_CHILDREN_ROW(AT(target.children)),
	OPTION_TITLE_ROW("Measurement:"),
	{"duration", "TIME", "stop after this time: 5s, 2m", OPTION_TIME, AT(duration_ns), "a time such as 5s or 500ms", 1000000, UINT64_MAX / 2},
	{"until-pid", "PID", "stop when process PID ends; it is not watched", OPTION_COUNT, AT(until_pid), "the PID of a process", 1, INT32_MAX},
	{"interval", "TIME", "refresh interval, 50ms to 1h (default 1s)", OPTION_TIME, AT(interval_ns), "a time from 50ms to 1h such as 1s", 50000000, 3600000000000},
	{"backend", "auto|fentry|kprobe|tracepoint", "type of BPF program (default auto)", OPTION_OTHER, AT(backend), .parse = backend__store},
	{"without", "HOOK", "pretend that this kernel lacks HOOK, a function or tracepoint; repeatable", OPTION_OTHER, .parse = parse_without},
	{"no-cpu", NULL, "do not sample CPU time (49 samples per second and CPU)", OPTION_FLAG, AT(no_cpu)},
	{"budget", "PERCENT", "watch calls for up to PERCENT of one CPU, then sample them, 0.1 to 100 (default 10 for 5 s, 2 for 1 min, then 0.4)", OPTION_OTHER, .parse = parse_budget},
	{"count-calls", NULL, "process every send and receive event, without a budget", OPTION_FLAG, AT(count_calls)},
	{"max-sockets", "N", "largest number of sockets, up to 1048576 (default 32768, 1.5 KiB each)", OPTION_COUNT, AT(sockets_max), "a number from 1 to 1048576", 1, NIO_SOCKETS_MAX},
	OPTION_TITLE_ROW("Output:"),
	{"by", BY_WORDS, "what a row is (default process)", OPTION_CHOICE, AT(by)},
	{"sort", SORT_WORDS, "sort rows by this, largest first (default copied)", OPTION_CHOICE, AT(sort)},
	{"top", "N", "rows to show, connections to write (default 20)", OPTION_COUNT, AT(top), "a number from 1 to 100000", 1, 100000},
	{"baseline", "DIR", "results of a sweep on this machine, for advice on message sizes", OPTION_STRING, AT(baseline)},
	{"follow-result", "FILE", "JSON document of 'netiotrace follow' on this program, for advice on its own copies", OPTION_STRING, AT(follow_result)},
	{"json", "FILE", "write a JSON document (- for stdout; a command's stdout then goes to stderr)", OPTION_STRING, AT(json)},
	{"json-lines", "FILE", "write a line of JSON at each interval: the total since the beginning (- for stdout)", OPTION_STRING, AT(json_lines)},
	{"csv", "FILE", "write a row per process, connection, port or cgroup, as in --by", OPTION_STRING, AT(csv)},
	{"folded", "FILE", "write sampled stacks in the format of flame-graph tools (- for stdout)", OPTION_STRING, AT(folded)},
	{"assert", "EXPR", "exit with 5 if EXPR is false, e.g. 'copied_fraction == 0'; repeatable", OPTION_OTHER, .parse = parse_assertion},
	{"ready-file", "FILE", "write FILE when all programs are attached; FILE is removed at the end", OPTION_STRING, AT(ready_file)},
	{"quiet", NULL, "no progress, no final text, errors only", OPTION_FLAG, AT(quiet), .letter = 'q'},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", OPTION_LEVEL, AT(verbose), .letter = 'v'},
};
/* clang-format on */

bool attach_options__by_task(const struct attach_options *o)
{
	return o->target.pids_nr || o->target.comms_nr || o->cgroup || o->target.command;
}

static void check(struct attach_options *o)
{
	const struct output_option outputs[] = {{"--json", o->json},
						{"--json-lines", o->json_lines},
						{"--csv", o->csv},
						{"--folded", o->folded}};

	if (!attach_options__by_task(o) && !o->target.ports_nr)
		usage_error("attach needs a target: NAME, --pid, --comm, --cgroup, --port or -- "
			    "COMMAND.");
	o->to_stdout = command_line__check_outputs(outputs, sizeof(outputs) / sizeof(outputs[0]));
	if (o->count_calls && o->budget > 0)
		usage_error("--budget and --count-calls exclude each other.");
	if (o->folded && o->no_cpu)
		usage_error("--folded needs samples of the CPU time: leave out --no-cpu.");
	if (o->folded && !attach_options__by_task(o))
		usage_error("--folded needs processes: name some with --pid, --comm or --cgroup.");
	log_set_verbosity(o->quiet, o->verbose);
}

static void parse_name(void *options, const char *arg)
{
	target_options__parse_operand(&((struct attach_options *)options)->target, arg);
}

void attach_options__parse(struct attach_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "attach",
		.doc = doc,
		.args_doc = "[NAME...] [-- COMMAND [ARG...]]",
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
		.operand = parse_name,
		.does = "watch",
	};

	*o = (struct attach_options){
		.interval_ns = 1000000000,
		.top = 20,
		.sockets_max = NIO_SOCKETS_DEFAULT,
		.backend = BACKEND_AUTO,
		.argc = argc,
		.argv = argv,
	};
	option_command__parse(&command, target_options__parse_command(&o->target, argc, argv), argv,
			      o);
	check(o);
}
