/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the search of /proc for network namespaces; see netns_scan.h. */
#include "netns_scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct seen {
	ino_t *inodes;
	size_t nr, room;
};

/* Is it new? Out of memory, a namespace may be visited twice, which is harmless. */
static bool seen__add(struct seen *seen, ino_t inode)
{
	ino_t *grown;

	for (size_t i = 0; i < seen->nr; i++)
		if (seen->inodes[i] == inode)
			return false;
	if (seen->nr == seen->room) {
		grown = realloc(seen->inodes, (seen->room * 2 + 8) * sizeof(*grown));
		if (!grown)
			return true;
		seen->inodes = grown;
		seen->room = seen->room * 2 + 8;
	}
	seen->inodes[seen->nr++] = inode;
	return true;
}

int netns_scan__each(void (*visit)(int fd, void *arg), void *arg)
{
	DIR *proc = opendir("/proc");
	struct seen seen = {0};
	struct dirent *entry;
	struct stat st;
	char path[64];
	int fd;

	if (!proc)
		return -errno;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/ns/net", entry->d_name);
		if (stat(path, &st) || !seen__add(&seen, st.st_ino))
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		visit(fd, arg);
		close(fd);
	}
	closedir(proc);
	free(seen.inodes);
	return 0;
}
