/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads uid maps. Finds the ids of the user nobody. */
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "uid_map.h"

bool uid_map__root_only(const char *map, uid_t uid)
{
	uint64_t inside, outside, count;
	bool root_is_user = false;
	int used;

	while (sscanf(map, "%" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &inside, &outside, &count,
		      &used) == 3) {
		if (uid >= inside && uid - inside < count)
			return false;
		if (!inside && count && outside)
			root_is_user = true;
		map += used;
	}
	return root_is_user;
}

bool uid_map__own_root_only(uid_t uid)
{
	char map[4096];
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, map, sizeof(map) - 1);
	close(fd);
	if (n <= 0)
		return false;
	map[n] = '\0';
	return uid_map__root_only(map, uid);
}

void uid_map__nobody(uid_t *uid, gid_t *gid)
{
	const struct passwd *pw = getpwnam("nobody");

	*uid = *gid = 65534;
	if (pw && pw->pw_uid && pw->pw_gid) {
		*uid = pw->pw_uid;
		*gid = pw->pw_gid;
	}
}
