/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that others have started, by /proc; see target.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "target.h"

/* Of the kernel's 64-bit builds (PID_MAX_LIMIT). */
#define PIDS_MAX (4 * 1024 * 1024)

struct relation {
	uint32_t pid, parent;
};

struct family {
	unsigned char *known; /* a byte for each process id: it descends from those asked for */
	struct relation *list;
	size_t nr, room;
};

static int add(struct family *f, uint32_t pid)
{
	if (f->nr == f->room) {
		size_t room = f->room ? 2 * f->room : 1024;
		struct relation *larger = realloc(f->list, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		f->list = larger;
		f->room = room;
	}
	f->list[f->nr++] = (struct relation){pid, target__parent((pid_t)pid)};
	return 0;
}

static int list_processes(struct family *f)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!proc)
		return -errno;
	f->nr = 0;
	while (!err && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = add(f, (uint32_t)atoi(entry->d_name));
	closedir(proc);
	return err;
}

/* How many are new. A list may have a child before its parent. */
static size_t take_new(struct family *f, void (*take)(void *arg, pid_t pid), void *arg)
{
	size_t all = 0, found;

	do {
		found = 0;
		for (size_t i = 0; i < f->nr; i++) {
			const struct relation *r = &f->list[i];

			if (r->pid >= PIDS_MAX || r->parent >= PIDS_MAX || f->known[r->pid] ||
			    !f->known[r->parent])
				continue;
			f->known[r->pid] = 1;
			take(arg, (pid_t)r->pid);
			found++;
		}
		all += found;
	} while (found);
	return all;
}

/* Until a list has nobody new: who is taken may have started others while the list was made. */
int target__descendants(const uint32_t *parents, size_t nr, void (*take)(void *arg, pid_t pid),
			void *arg)
{
	struct family f = {.known = calloc(PIDS_MAX, 1)};
	size_t found = 1;
	int err = f.known ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++)
		if (parents[i] && parents[i] < PIDS_MAX)
			f.known[parents[i]] = 1;
	while (!err && found) {
		err = list_processes(&f);
		found = err ? 0 : take_new(&f, take, arg);
	}
	free(f.known);
	free(f.list);
	return err;
}
