/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, by path and by id; see target.h. */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/printable.h"
#include "target.h"

#define CGROUP2_MAGIC 0x63677270

/* Of kernfs, in the kernel's exportfs.h: the handle is the id, 64 bits since Linux 5.5. */
#define FILEID_KERNFS 0xfe

struct cgroup_handle {
	struct file_handle head;
	uint64_t id;
};

int target__open_cgroup(const char *path)
{
	/* A pipe that somebody put there would block. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	struct statfs fs;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode) && !fstatfs(fd, &fs) &&
	    fs.f_type == CGROUP2_MAGIC)
		return fd;
	close(fd);
	return -ENOTSUP;
}

/* Nothing can be looked up in a directory that was removed, its own files neither. */
bool target__cgroup_is_gone(int cgroup)
{
	return faccessat(cgroup, "cgroup.procs", F_OK, 0) && errno == ENOENT;
}

/* Where cgroups (v2) are mounted first. 0 or -errno. */
static int find_mount(char *path, size_t len)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	int err = -ENOENT;

	if (!f)
		return -errno;
	while (err && (entry = getmntent(f))) {
		if (strcmp(entry->mnt_type, "cgroup2") != 0)
			continue;
		snprintf(path, len, "%s", entry->mnt_dir);
		err = 0;
	}
	endmntent(f);
	return err;
}

static int open_by_id(const char *mount, uint64_t id)
{
	struct cgroup_handle handle = {
		.head = {.handle_bytes = sizeof(uint64_t), .handle_type = FILEID_KERNFS}, .id = id};
	int root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : open_by_handle_at(root, &handle.head, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (root >= 0)
		close(root);
	return err ? err : fd;
}

char *target__cgroup_path(uint64_t id)
{
	char mount[512], link[64], path[4096];
	ssize_t len;
	int fd;

	if (!id || find_mount(mount, sizeof(mount)))
		return NULL;
	fd = open_by_id(mount, id);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (len < 0 || (size_t)len < strlen(mount) || strncmp(path, mount, strlen(mount)) != 0)
		return NULL;
	path[len] = '\0';
	if (!path[strlen(mount)])
		return strdup("/");
	return strdup(printable__in_place(path + strlen(mount)));
}
