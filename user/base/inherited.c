/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals as they were at the start; see inherited.h. */
#include "inherited.h"

#include <signal.h>
#include <stddef.h>

/* There is no more to note: a handler does not survive exec. */
static sigset_t ignored, blocked;

void inherited__note(void)
{
	sigemptyset(&ignored);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction sa;

		if (!sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_IGN)
			sigaddset(&ignored, sig);
	}
	sigprocmask(SIG_SETMASK, NULL, &blocked);
}

void inherited__restore(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sigismember(&ignored, sig) == 1 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}
