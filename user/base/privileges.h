/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the check and the loss of privileges, and the check that /proc and /sys are mounted: without
 * them, errors blame other things.
 */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* May this process load tracing BPF programs? CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN. */
bool privileges__may_trace(void);
/* The same, and mounts__check_proc(), as an exit code: a refusal was reported. */
int privileges__check_trace(void);

/* Is this process in a user namespace other than the first? Root there may not load BPF. */
bool privileges__in_user_namespace(void);

/* Half a sentence: why root of a user namespace may not trace. */
extern const char privileges__namespace_text[];

/* Is a capability of <linux/capability.h> effective? */
bool privileges__have(unsigned int capability);

struct identity {
	uid_t uid;
	gid_t gid;
	const char *name; /* of the user whose supplementary groups it has; NULL: it has none */
};

/*
 * Becomes a user (NULL: stays an ordinary user) without any capability, and cannot get them back.
 * may_stay: where the kernel refuses the user, root without capabilities will do. 0 or -errno.
 */
int privileges__become(const struct identity *id, bool may_stay);

/* Empties the bounding set, if CAP_SETPCAP is held. 0 or -EPERM. */
int privileges__clear_bounding_set(void);

/*
 * As root, becomes the user behind sudo, with the groups of that user, or else a user that no other
 * process is: one of nobody could take its descriptors (ptrace(2), pidfd_getfd(2)). Where there is
 * no such user (uid_map__unused()): nobody. Drops all capabilities and cannot get them back. Stays
 * root without capabilities where there is no other user (a container without CAP_SETUID). 0 or
 * -errno. Call before any thread exists.
 */
int step_down(void);

/*
 * EXIT_DONE if /proc shows this process, else EXIT_RUN_FAILED and a message. Programs are found and
 * files are opened by links in /proc.
 */
int mounts__check_proc(void);

/* Is sysfs mounted on /sys? */
bool mounts__has_sys(void);

/* The remedy where it is not, a clause. */
extern const char mounts__no_sys[];

#endif
