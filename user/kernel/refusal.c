/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel that cannot be watched as asked; see refusal.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/resource_limits.h"
#include "base/log.h"
#include "base/privileges.h"
#include "probes/plan.h"
#include "refusal.h"

const char *refusal__of_moment(int err)
{
	static char text[256];

	if (limits__blame(text, sizeof(text), err))
		return text;
	if (probe_result__from_error(err).answer == ANSWER_UNKNOWN) {
		snprintf(text, sizeof(text),
			 "%s now; end other users of memory, files or BPF programs, and try again",
			 strerror(-err));
		return text;
	}
	return mounts__has_sys() ? NULL : mounts__no_sys;
}

int refusal__log(const char *command, enum backend asked, int err, const struct attach_refusal *no)
{
	const char *why = refusal__of_moment(err);

	if (err == -EPERM && privileges__in_user_namespace()) {
		log_error("%s: start it outside.", privileges__namespace_text);
		return EXIT_PRIVILEGES;
	}
	if (why) {
		log_error("%s cannot watch: %s.", command, why);
		return EXIT_RUN_FAILED;
	}
	if (no->backend)
		log_error("--backend %s is not available: %s; netiotrace doctor says what is "
			  "missing, --backend auto takes any backend.",
			  backend__name(asked), no->backend);
	else if (no->missing[0])
		log_error("this kernel cannot be watched by %s: %s. %s", command, no->missing,
			  asked == BACKEND_AUTO
				  ? "Where programs on functions are refused (netiotrace doctor "
				    "says why), it takes Linux 6.3 or later."
				  : "--backend auto takes any of them.");
	else if (err == -EPERM)
		log_error("the kernel refuses the programs (%s): it may be locked down, or lack "
			  "privileges; netiotrace doctor says what is missing.",
			  strerror(-err));
	else
		log_error("this kernel cannot be watched by %s (%s): -vv shows the kernel's "
			  "messages.",
			  command, strerror(-err));
	return EXIT_KERNEL;
}
