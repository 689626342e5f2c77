/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the congestion control of --congestion. */
#include <errno.h>
#include <string.h>

#include "congestion.h"
#include "sock.h"

int congestion__check(struct reporter *report, const char *name)
{
	int err = sock__try_congestion(name);

	if (err == -ENOENT)
		reporter__error(report, "This kernel has no congestion control '%s' (loaded)",
				name);
	else if (err == -EPERM)
		reporter__error(
			report,
			"Congestion control '%s' is for privileged programs only: add it to "
			"net.ipv4.tcp_allowed_congestion_control",
			name);
	else if (err)
		reporter__error(report, "Congestion control '%s' cannot be set: %s", name,
				strerror(-err));
	return err;
}
