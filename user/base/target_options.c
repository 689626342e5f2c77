/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads targets from the command line; see target_options.h. */
#include "target_options.h"

#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "common/units.h"

size_t target_options__one_more(size_t *nr, size_t max, const char *option)
{
	if (*nr == max)
		usage_error("%s can be given %zu times.", option, max);
	return (*nr)++;
}

void target_options__parse_pid(void *target, const char *arg)
{
	struct target_options *t = target;
	uint64_t pid;

	if (parse_count(arg, 1, INT32_MAX, &pid))
		usage_error("--pid takes the number of a process, not '%s'; processes are chosen "
			    "by name with --comm.",
			    arg);
	t->pids[target_options__one_more(&t->pids_nr, TARGET_PIDS_MAX, "--pid")] = (pid_t)pid;
}

void target_options__parse_port(void *target, const char *arg)
{
	struct target_options *t = target;
	uint64_t port;

	if (parse_count(arg, 1, 65535, &port))
		usage_error("--port takes a number from 1 to 65535, not '%s'.", arg);
	t->ports[target_options__one_more(&t->ports_nr, TARGET_PORTS_MAX, "--port")] =
		(uint16_t)port;
}

void target_options__parse_comm(void *target, const char *arg)
{
	struct target_options *t = target;
	size_t i = target_options__one_more(&t->comms_nr, TARGET_COMMS_MAX, "--comm");

	if (!*arg)
		usage_error("--comm takes a name.");
	t->comms_asked[i] = arg;
	snprintf(t->comms[i], sizeof(t->comms[i]), "%.15s", arg);
}

void target_options__parse_operand(struct target_options *t, const char *arg)
{
	if (*arg && !arg[strspn(arg, "0123456789")])
		usage_error("'%s' is a number; a process is chosen by it with --pid %s.", arg, arg);
	target_options__parse_comm(t, arg);
}

int target_options__parse_command(struct target_options *t, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (i + 1 == argc)
			usage_error("there is no command after --.");
		t->command = argv + i + 1;
		t->children = true;
		return i;
	}
	return argc;
}
