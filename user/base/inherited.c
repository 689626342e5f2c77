/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the record of signals and limits at program start; see inherited.h. */
#include "inherited.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* Signal handlers need no record: exec resets them. */
static sigset_t ignored, blocked;
static struct rlimit files;
static bool has_files;

void inherited__note(void)
{
	sigemptyset(&ignored);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction sa;

		if (!sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_IGN)
			sigaddset(&ignored, sig);
	}
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	has_files = !getrlimit(RLIMIT_NOFILE, &files);
}

void inherited__restore(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sigismember(&ignored, sig) == 1 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (has_files)
		setrlimit(RLIMIT_NOFILE, &files);
}
