/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of follow; see follow_options.h. */
#include <string.h>

#include "base/atomic_file.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/setting.h"
#include "common/units.h"
#include "follow_options.h"

static const char doc[] =
	"Finds the copies that a program itself makes of the payload it receives and sends, with "
	"the line of code: bytes are chosen at random, and each is followed through the memory of "
	"the program by hardware watchpoints, a received byte until it is sent or overwritten, a "
	"sent byte back to where it came from.\n"
	"\n"
	"  sudo netiotrace follow --comm haproxy\n"
	"  sudo netiotrace follow --pid 4242 --duration 60s --json copies.json\n"
	"  sudo netiotrace follow -- ./my-relay"
	"\v"
	"The program is stopped for some microseconds at each use of a followed byte; the text "
	"says how often and how long. While follow runs, debuggers cannot set hardware "
	"watchpoints.\n"
	"\n"
	"Exit status: that of the command; without a command 0 success, 1 failure, 2 usage error, "
	"3 not supported by this kernel or machine, 4 missing privileges, 130 Ctrl-C.";

static size_t one_more(size_t *nr, size_t max, const char *option)
{
	if (*nr == max)
		usage_error("%s can be given %zu times.", option, max);
	return (*nr)++;
}

static void take_pid(void *options, const char *arg)
{
	struct follow_options *o = options;
	uint64_t pid;

	if (parse_count(arg, 1, INT32_MAX, &pid))
		usage_error("--pid takes the number of a process, not '%s'; processes are chosen "
			    "by name with --comm.",
			    arg);
	o->pids[one_more(&o->pids_nr, FOLLOW_TARGETS_MAX, "--pid")] = (pid_t)pid;
}

static void take_port(void *options, const char *arg)
{
	struct follow_options *o = options;
	uint64_t port;

	if (parse_count(arg, 1, 65535, &port))
		usage_error("--port takes a number from 1 to 65535, not '%s'.", arg);
	o->ports[one_more(&o->ports_nr, NIO_FOLLOW_PORTS, "--port")] = (uint16_t)port;
}

static void take_comm(void *options, const char *arg)
{
	struct follow_options *o = options;

	if (!*arg)
		usage_error("--comm takes a name.");
	o->comms[one_more(&o->comms_nr, FOLLOW_TARGETS_MAX, "--comm")] = arg;
}

static void refuse(void *options, const char *arg)
{
	(void)options;
	usage_error("'%s' is not an option; to run and follow a command, put -- before it: "
		    "netiotrace follow -- %s.",
		    arg, arg);
}

#define AT(field) .offset = offsetof(struct follow_options, field)

/* clang-format off */
static const struct option_row settings[] = {
	OPTION_TITLE_ROW("Target:"),
	{"pid", "PID", "process with all its threads; repeatable", OPTION_OTHER, .take = take_pid, .letter = 'p'},
	{"comm", "NAME", "processes with this name (its first 15 bytes), also those that start later; repeatable", OPTION_OTHER, .take = take_comm},
	{"port", "PORT", "of these processes, only connections with this local or remote port; repeatable", OPTION_OTHER, .take = take_port},
	{"children", NULL, "also child processes, existing and later ones; always on for a command", OPTION_FLAG, AT(children)},
	OPTION_TITLE_ROW("Measurement:"),
	{"duration", "TIME", "stop after this time (default 20s)", OPTION_TIME, AT(duration_ns), "a time such as 20s or 2m", 1000000, UINT64_MAX / 2},
	{"rate", "N", "bytes to follow per second, 1 to 100 (default 5; 2 with less than 4 CPUs)", OPTION_COUNT, AT(rate), "a number from 1 to 100", 1, 100},
	OPTION_TITLE_ROW("Output:"),
	{"top", "N", "places of copies to show (default 10)", OPTION_COUNT, AT(top), "a number from 1 to 1000", 1, 1000},
	{"json", "FILE", "write a JSON document (- for stdout; a command's stdout then goes to stderr)", OPTION_STRING, AT(json)},
	{"folded", "FILE", "write the stacks of all copies in the format of flame-graph tools (- for stdout)", OPTION_STRING, AT(folded)},
	{"quiet", NULL, "no progress, no final text, errors only", OPTION_FLAG, AT(quiet), .letter = 'q'},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", OPTION_LEVEL, AT(verbose), .letter = 'v'},
};
/* clang-format on */

bool follow_options__to_stdout(const struct follow_options *o)
{
	return (o->json && !strcmp(o->json, "-")) || (o->folded && !strcmp(o->folded, "-"));
}

static void check(struct follow_options *o)
{
	if (!o->pids_nr && !o->comms_nr && !o->command)
		usage_error("follow needs a target: --pid, --comm or -- COMMAND.");
	if (o->json && o->folded && atomic_file__same(o->json, o->folded))
		usage_error("--json and --folded cannot both have %s.",
			    strcmp(o->json, "-") ? o->json : "stdout");
	if (o->command)
		o->children = true;
	log_set_verbosity(o->quiet, o->verbose);
}

/* Arguments after -- belong to the command, unchanged. Returns the number of ours. */
static int split(struct follow_options *o, int argc, char **argv)
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

void follow_options__parse(struct follow_options *o, int argc, char **argv)
{
	static const struct setting_command command = {
		.name = "follow",
		.doc = doc,
		.args_doc = "[-- COMMAND [ARG...]]",
		.settings = settings,
		.nr = sizeof(settings) / sizeof(settings[0]),
		.operand = refuse,
	};

	*o = (struct follow_options){
		.duration_ns = 20000000000, .top = 10, .argc = argc, .argv = argv};
	setting__parse(&command, split(o, argc, argv), argv, o);
	check(o);
}
