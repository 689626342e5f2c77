/* SPDX-License-Identifier: GPL-2.0-only */
/* The privileges of this process: no root, no capabilities, no new privileges by exec. */
#ifndef LOADGEN_PRIVILEGES_H
#define LOADGEN_PRIVILEGES_H

#include <stdint.h>

/*
 * Changes root to nobody, drops all capabilities, sets no_new_privs. In a user namespace that maps
 * only one user, root stays: outside, it is an ordinary user. 0; -EPERM: still root; -errno.
 */
int privileges__drop(void);

/* Disables core files; limits descriptors to fds. 0 or -errno. */
int privileges__limit(uint64_t fds);

#endif
