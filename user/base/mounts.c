/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the check of /proc and /sys; see mounts.h. */
#include "mounts.h"

#include <unistd.h>

#include "exit_code.h"
#include "log.h"

int mounts__check_proc(void)
{
	if (!access("/proc/self/fd", F_OK))
		return EXIT_DONE;
	log_error(
		"/proc does not show this process: mount it (mount -t proc proc /proc, or unshare "
		"--mount-proc).");
	return EXIT_RUN_FAILED;
}

bool mounts__has_sys(void)
{
	return !access("/sys/kernel", F_OK);
}

const char mounts__no_sys[] = "/sys is not mounted (mount -t sysfs sysfs /sys)";
