/* SPDX-License-Identifier: GPL-2.0-only */
/* The PID namespace of this process; see pidns.h. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pidns.h"

#define FIRST_INODE 0xEFFFFFFCU /* PROC_PID_INIT_INO (include/linux/proc_ns.h) */

uint32_t pidns__own(void)
{
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) || ns.st_ino == FIRST_INODE)
		return 0;
	return (uint32_t)ns.st_ino;
}

bool pidns__has_proc(void)
{
	char link[32];
	ssize_t len = readlink("/proc/self", link, sizeof(link) - 1);

	if (len <= 0)
		return false;
	link[len] = '\0';
	return strtol(link, NULL, 10) == getpid();
}
