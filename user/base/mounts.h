/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the check that /proc and /sys are mounted: without them, errors blame other things. */
#ifndef BASE_MOUNTS_H
#define BASE_MOUNTS_H

#include <stdbool.h>

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
