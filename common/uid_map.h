/* SPDX-License-Identifier: GPL-2.0-only */
/* Detects user namespaces that map only root: user_namespaces(7). */
#ifndef COMMON_UID_MAP_H
#define COMMON_UID_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* True if `map` (/proc/PID/uid_map) maps uid 0 to a non-root user, and does not map `uid`. */
bool uid_map__root_only(const char *map, uid_t uid);

/* uid_map__root_only() for this process. False if the map cannot be read. */
bool uid_map__own_root_only(uid_t uid);

/*
 * Draws ids that no user, service or container has: of the ranges that systemd's list of ids calls
 * unused (https://systemd.io/UIDS-GIDS), the first that this user namespace maps. False: it maps
 * none.
 */
bool uid_map__unused(uid_t *uid, gid_t *gid);

/* Does `map` (/proc/PID/uid_map or gid_map) map these `count` ids? */
bool uid_map__has(const char *map, uint32_t first, uint32_t count);

/* Finds the ids of the user nobody. Without such a user, or if its id is 0: 65534. */
void uid_map__nobody(uid_t *uid, gid_t *gid);

#endif
