/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the follow process of an extra round; see followed_round.h. */
#include "followed_round.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/printable.h"
#include "base/resource_limits.h"
#include "write/followed_document.h"

#define DURATION "9s" /* of a phase of FOLLOWED_NS */
#define RATE     "30"
#define END_MS   5000

struct follow_child {
	const struct following *f;
	const char *const *argv;
};

static int become(struct launch_child *c)
{
	const struct follow_child *child = c->arg;

	inherited__restore();
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || dup2(child->f->document, STDOUT_FILENO) < 0 ||
	    dup2(child->f->messages, STDERR_FILENO) < 0)
		return -errno;
	execv("/proc/self/exe", (char *const *)child->argv);
	return -errno;
}

static int start(struct following *f, pid_t pid)
{
	char text[16];
	const char *const argv[] = {"netiotrace", "follow", "--pid",  text,
				    "--duration", DURATION, "--rate", RATE,
				    "-q",         "--json", "-",      NULL};
	struct follow_child child = {f, argv};
	int err;

	snprintf(text, sizeof(text), "%d", (int)pid);
	f->document = memfd_create("follow", MFD_CLOEXEC);
	f->messages = memfd_create("follow-messages", MFD_CLOEXEC);
	if (f->document < 0 || f->messages < 0)
		return -errno;
	err = launch__hold(&f->launch, become, &child);
	return err ? err : launch__go(&f->launch, NULL);
}

void followed_round__start(struct following *f, pid_t pid)
{
	int err;

	*f = (struct following){.launch = LAUNCH_INIT, .document = -1, .messages = -1};
	err = start(f, pid);
	if (err)
		snprintf(f->why, sizeof(f->why), "follow could not be started: %s",
			 limits__strerror(err));
}

/* Its last message, which is why it ended without a document. */
static void read_message(struct following *f)
{
	char text[512] = "";
	ssize_t n = pread(f->messages, text, sizeof(text) - 1, 0);
	const char *end;

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	end = strstr(text, ": ");
	printable(f->why, sizeof(f->why), end ? end + 2 : "follow ended without a result");
	if (*f->why && f->why[strlen(f->why) - 1] == '.')
		f->why[strlen(f->why) - 1] = '\0';
}

void followed_round__stop(struct following *f)
{
	struct followed_document d;

	f->sent = (struct followed){.per_byte = real__unknown("follow has no result")};
	if (!f->why[0]) {
		if (launch__wait(&f->launch, END_MS) == -EAGAIN) {
			kill(f->launch.pid, SIGINT);
			if (launch__wait(&f->launch, END_MS) == -EAGAIN)
				kill(f->launch.pid, SIGKILL);
		}
		lseek(f->document, 0, SEEK_SET);
		if (followed_document__read(f->document, &d))
			read_message(f);
		else
			f->sent = d.sent;
	}
	if (f->why[0])
		memcpy(f->sent.why, f->why, sizeof(f->sent.why));
	launch__close(&f->launch);
	if (f->document >= 0)
		close(f->document);
	if (f->messages >= 0)
		close(f->messages);
}
