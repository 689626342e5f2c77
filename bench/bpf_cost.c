/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells a script what the BPF programs of a process cost. The kernel counts while this runs.
 *
 *   bpf-cost
 *
 * Reads a PID from each line of stdin. Answers with a line "ID NAME RUNS NS" for each program of
 * that process and for an empty program (prog_stats.h), and an empty line. NS is the time inside
 * the program. Ends at the end of stdin.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "prog_stats.h"

static int list(pid_t pid)
{
	struct prog_stats stats[PROG_STATS_MAX];
	int n = prog_stats__of(pid, stats, PROG_STATS_MAX);

	if (n < 0) {
		fprintf(stderr, "bpf-cost: cannot read the programs of process %d: %s.\n", pid,
			strerror(-n));
		return n;
	}
	for (int i = 0; i < n; i++)
		printf("%u %s %" PRIu64 " %" PRIu64 "\n", stats[i].id, stats[i].name, stats[i].runs,
		       stats[i].ns);
	return 0;
}

static int answer(pid_t pid)
{
	int err = list(pid);

	if (!err)
		err = list(getpid());
	printf("\n");
	return fflush(stdout) ? -1 : err;
}

int main(void)
{
	int held = prog_stats__hold();
	char line[32];

	if (held < 0) {
		fprintf(stderr,
			"bpf-cost: cannot make the kernel count BPF runs (%s): run it as root on "
			"Linux 5.8 or later.\n",
			strerror(-held));
		return EXIT_PRIVILEGES;
	}
	if (prog_stats__attach_empty()) {
		fprintf(stderr, "bpf-cost: cannot attach an empty program to packets received.\n");
		return EXIT_RUN_FAILED;
	}
	while (fgets(line, sizeof(line), stdin)) {
		pid_t pid = (pid_t)strtol(line, NULL, 10);

		if (pid <= 0 || answer(pid))
			return EXIT_RUN_FAILED;
	}
	return EXIT_DONE;
}
