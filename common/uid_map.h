/* SPDX-License-Identifier: GPL-2.0-only */
/* User namespaces in which root is nobody but root: user_namespaces(7). */
#ifndef NETIOTRACE_UID_MAP_H
#define NETIOTRACE_UID_MAP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether `map`, the text of /proc/PID/uid_map, makes uid 0 an ordinary user outside and has no uid
 * `uid` to become. Pure.
 */
bool uid_map__root_only(const char *map, uid_t uid);

/* The same of this process. False where the map cannot be read. */
bool uid_map__own_root_only(uid_t uid);

#endif
