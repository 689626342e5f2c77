/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads uid maps. Finds the ids of the user nobody. */
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/random.h>
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

#define MAP_MAX 4096

static bool read_map(char map[MAP_MAX], const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, map, MAP_MAX - 1);
	close(fd);
	if (n <= 0)
		return false;
	map[n] = '\0';
	return true;
}

bool uid_map__own_root_only(uid_t uid)
{
	char map[MAP_MAX];

	return read_map(map, "/proc/self/uid_map") && uid_map__root_only(map, uid);
}

bool uid_map__has(const char *map, uint32_t first, uint32_t count)
{
	uint64_t inside, outside, n;
	int used;

	for (; sscanf(map, "%" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &inside, &outside, &n, &used) ==
	       3;
	     map += used)
		if (first >= inside && first + (uint64_t)count <= inside + n)
			return true;
	return false;
}

bool uid_map__unused(uid_t *uid, gid_t *gid)
{
	static const struct {
		uint32_t first, count;
	} ranges[] = {{1879048192, 268304384}, {60706, 478}};
	char users[MAP_MAX], groups[MAP_MAX];
	uint32_t random;

	if (!read_map(users, "/proc/self/uid_map") || !read_map(groups, "/proc/self/gid_map") ||
	    getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return false;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint32_t first = ranges[i].first, count = ranges[i].count;

		if (!uid_map__has(users, first, count) || !uid_map__has(groups, first, count))
			continue;
		*uid = *gid = first + random % count;
		return true;
	}
	return false;
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
