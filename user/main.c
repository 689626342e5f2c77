/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the table of commands: a command line in, an exit code out. */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/commands.h"
#include "base/exit_code.h"
#include "base/spawn.h"
#include "base/resource_limits.h"
#include "base/log.h"
#include "base/atomic_file.h"
#include "base/option_command.h"
#include "base/sudo_user.h"
#include "base/terminal.h"
#include "base/printable.h"
#include "common/mode.h"
#include "common/word.h"
#include "common/xalloc.h"
#include "write/output.h"

static int help__main(int argc, char **argv);

/* Each parses its own command line; argv[1] is its name. */
static const struct entry {
	const char *name, *summary;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"run", "run the load generator, then print the copy ledger (the default)", run__main},
	{"attach", "watch any program: by pid, name, port or cgroup, or a command", attach__main},
	{"follow", "find the copies that a program makes itself, with the line of code",
	 follow__main},
	{"export", "serve the copy ledger of all services to Prometheus", export__main},
	{"sweep", "run modes x sizes x threads in rounds, into a directory", sweep__main},
	{"report", "draw pictures and answer questions from a sweep or other data", report__main},
	{"compare", "show what changed between two sweeps", compare__main},
	{"serve", "receive for a run with --connect on another machine", serve__main},
	{"doctor", "show what this machine can measure and how to enable the rest", doctor__main},
	{"help", "show this text or a COMMAND's options; --tables: names in results", help__main},
};

#define COMMANDS_NR (sizeof(commands) / sizeof(commands[0]))

static const struct entry *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS_NR; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int refuse_command(const char *name)
{
	const char *list[COMMANDS_NR], *near;
	char names[128] = "";
	enum mode mode;

	for (size_t i = 0; i < COMMANDS_NR; i++) {
		list[i] = commands[i].name;
		append__text(names, sizeof(names), "%s%s", i ? ", " : "", commands[i].name);
	}
	near = choice__nearest(name, list, COMMANDS_NR);
	if (!mode__parse(name, &mode))
		log_error("'%s' is a mode, not a command: netiotrace --mode %s.", name,
			  mode__name(mode));
	else if (near)
		log_error("there is no command '%s'; did you mean %s? The commands are %s.", name,
			  near, names);
	else
		log_error("there is no command '%s'; the commands are %s. A program is watched by "
			  "'netiotrace attach %s' if it runs, and started by 'netiotrace attach -- "
			  "%s'.",
			  name, names, name, name);
	return EXIT_USAGE;
}

static int print_help(void)
{
	printf("Usage: netiotrace [COMMAND] [OPTION...]\n\n"
	       "Where are the bytes of a TCP transfer copied, and was zero-copy zero-copy?\n\n");
	for (size_t i = 0; i < COMMANDS_NR; i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].summary);
	printf("\n"
	       "  sudo netiotrace --mode onecopy --size 64k    live histograms, then the answer\n"
	       "  sudo netiotrace sweep -o results             modes x sizes x threads\n"
	       "  netiotrace report results                    pictures and answers from it\n\n"
	       "netiotrace COMMAND --help lists the options and exit statuses of COMMAND;\n"
	       "--version prints the version.\n");
	return EXIT_DONE;
}

static int help__main(int argc, char **argv)
{
	const struct entry *command = argc > 2 ? find(argv[2]) : NULL;
	char option[] = "--help";
	char *asked[] = {argv[0], argv[argc > 2 ? 2 : 0], option, NULL};

	/* For completion and man pages; see base/option_command.h. */
	if (argc == 3 && strcmp(argv[2], DESCRIBE_OPTION) == 0) {
		for (size_t i = 0; i < COMMANDS_NR; i++)
			printf("command\t%s\t%s\n", commands[i].name, commands[i].summary);
		return EXIT_DONE;
	}
	if (argc == 3 && strcmp(argv[2], "--tables") == 0)
		return output__tables(stdout) ? EXIT_RUN_FAILED : EXIT_DONE;
	if (argc > 3) {
		log_error("help takes one command, not also '%s'.", argv[3]);
		return EXIT_USAGE;
	}
	if (argc > 2 && !command && strcmp(argv[2], "--help") != 0)
		return refuse_command(argv[2]);
	if (!command || command->main == help__main)
		return print_help();
	return command->main(3, asked);
}

static int dispatch(int argc, char **argv)
{
	const struct entry *command;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0))
		return print_help();
	if (argc < 2 || argv[1][0] == '-')
		return run__main(argc, argv);
	command = find(argv[1]);
	return command ? command->main(argc, argv) : refuse_command(argv[1]);
}

/*
 * Reports a failed write to stdout. Handlers registered later run before, so that nothing of theirs
 * is left when it ends the program itself: exit() has the exit status already.
 */
static void finish(int code, void *unused)
{
	int err = atomic_file__close_stdout();

	(void)unused;
	if (!err)
		return;
	log_error("cannot write to stdout: %s.", strerror(-err));
	if (!code)
		_exit(EXIT_RUN_FAILED);
}

/*
 * Opens /dev/null for closed standard descriptors, so that no socket or timer gets their numbers.
 * Like a closed one, each refuses I/O (wrong access mode) and does not survive exec.
 */
static void fill_closed_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) < 0)
			return;
	}
}

/* Root works for the user behind sudo: a variable that does not name one is no "nobody". */
static int check_sudo(void)
{
	const char *name = geteuid() ? NULL : sudo_user__wrong(), *value;

	if (!name)
		return EXIT_DONE;
	value = getenv(name);
	log_error("who called sudo cannot be known: %s is %s%s%s; unset SUDO_UID and SUDO_GID, or "
		  "set both to numbers.",
		  name, value ? "'" : "missing", value ? value : "", value ? "'" : "");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int code;

	on_exit(finish, NULL);
	json_set_alloc_funcs(xmalloc, free);
	inherited__note();
	limits__raise();
	fill_closed_descriptors();
	/* A closed pipe is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
	/* So is a file that grows beyond RLIMIT_FSIZE (ulimit -f). */
	signal(SIGXFSZ, SIG_IGN);
	log_set_columns(terminal__columns(STDERR_FILENO, 0));
	code = check_sudo();
	return code ? code : dispatch(argc, argv);
}
