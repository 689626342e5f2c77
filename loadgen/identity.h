/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may do: never root, no capability, nothing to gain by executing a program. */
#ifndef LOADGEN_IDENTITY_H
#define LOADGEN_IDENTITY_H

#include <stdint.h>

/*
 * Gives up root for nobody, every capability of every set, and the way to new ones (no_new_privs).
 * Of a user namespace that knows one user only, root cannot become nobody: it stays what it is
 * outside, an ordinary user, without capabilities. 0; -EPERM: it is root still; -errno.
 */
int identity__drop(void);

/* Limits of this process: no core files, and no more descriptors than it needs. */
int identity__limit(uint64_t fds);

#endif
