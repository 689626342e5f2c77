/* SPDX-License-Identifier: GPL-2.0-only */
/* Never being root. */
#ifndef LOADGEN_IDENTITY_H
#define LOADGEN_IDENTITY_H

/* As root: becomes nobody for good, and makes sure of it. Otherwise nothing. 0 or -errno. */
int identity__drop_root(void);

#endif
