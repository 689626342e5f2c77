/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns capability checks; see privileges.h. */
#include <linux/capability.h>
#include <cap-ng.h>
#include <sys/stat.h>

#include "privileges.h"

bool privileges__have(unsigned int capability)
{
	return capng_have_capability(CAPNG_EFFECTIVE, capability) == 1;
}

bool privileges__may_trace(void)
{
	return privileges__have(CAP_SYS_ADMIN) ||
	       (privileges__have(CAP_BPF) && privileges__have(CAP_PERFMON));
}

#define FIRST_USER_NAMESPACE 0xEFFFFFFDU /* PROC_USER_INIT_INO (include/linux/proc_ns.h) */

const char privileges__namespace_text[] =
	"watching the kernel needs root of the machine, and netiotrace is in a user namespace, "
	"which has only one of its own";

bool privileges__in_user_namespace(void)
{
	struct stat ns;

	return !stat("/proc/self/ns/user", &ns) && ns.st_ino != FIRST_USER_NAMESPACE;
}

bool privileges__may_make_path(void)
{
	return privileges__have(CAP_SYS_ADMIN) && privileges__have(CAP_NET_ADMIN);
}
