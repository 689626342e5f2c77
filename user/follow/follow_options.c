/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of follow; see follow_options.h. */
#include <string.h>

#include "base/command_line.h"
#include "common/embed.h"
#include "base/log.h"
#include "base/option_command.h"
#include "follow_options.h"

EMBED(doc, "user/follow/follow.help");

#define AT(field) .offset = offsetof(struct follow_options, field)

/* clang-format off */
static const struct option_row option_rows[] = {
	OPTION_TITLE_ROW("Target:"),
	TARGET_PID_ROW(AT(target)),
	TARGET_COMM_ROW(AT(target)),
	TARGET_WAIT_ROW(AT(target.wait)),
	TARGET_PORT_ROW(AT(target), "of these processes, only connections with this local or remote port; repeatable"),
	TARGET_CHILDREN_ROW(AT(target.children)),
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

static void parse_name(void *options, const char *arg)
{
	target_options__parse_operand(&((struct follow_options *)options)->target, arg);
}

void follow_options__parse(struct follow_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "follow",
		.doc = doc,
		.args_doc = "[NAME...] [-- COMMAND [ARG...]]",
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
		.operand = parse_name,
		.does = "follow",
	};

	*o = (struct follow_options){
		.duration_ns = 20000000000, .top = 10, .argc = argc, .argv = argv};
	option_command__parse(&command, target_options__parse_command(&o->target, argc, argv), argv,
			      o);
	if (!o->target.pids_nr && !o->target.comms_nr && !o->target.command)
		usage_error("follow needs a target: NAME, --pid, --comm or -- COMMAND.");
	o->to_stdout = command_line__check_outputs(
		(struct output_option[]){{"--json", o->json}, {"--folded", o->folded}}, 2);
	log_set_verbosity(o->quiet, o->verbose);
}
