/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks a path component by component and holds what it finds as descriptors, so that nobody can
 * exchange a directory between the check and the use. docs/SECURITY.md states the rules.
 */
#ifndef NETIOTRACE_PATH_WALK_H
#define NETIOTRACE_PATH_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PATH_WALK_NOBODY ((uid_t)65534) /* stands for several users */

struct path_walk {
	int dir;                 /* the directory of the last component (O_PATH) */
	char name[NAME_MAX + 1]; /* the last component, no symbolic link unless it has changed */
	int fd;                  /* the object (O_PATH); -1: it does not exist */
	struct stat st;          /* of the object */
	bool is_open_file;       /* reached by /proc/PID/fd: it has no name, dir is -1 */
	bool slash;              /* the path ends in a slash */
	/*
	 * Who besides root can choose the object, by owning a link or a directory on the way, or
	 * the object; 0: nobody. link_owner: by a link alone.
	 */
	uid_t controller, link_owner;
};

/*
 * Follows the path of an input. As root it walks with the rights of w->controller from the
 * component on that this user controls. 0 or -errno; to be closed if 0.
 */
int path_walk__find_input(struct path_walk *w, const char *path);

/* Root opens files with the rights of w->controller from now on, or again as root. 0 or -errno. */
int path_walk__act_as_controller(const struct path_walk *w);

/* With its own rights and groups again. */
void path_walk__act_as_self(void);

/*
 * Follows the path of an output. Refuses with -EACCES what another user could redirect: as root, a
 * link of a user other than root and the invoking user, unless it leads to a directory of that
 * user; as anyone, what fs.protected_symlinks refuses, whatever its value is.
 */
int path_walk__find_output(struct path_walk *w, const char *path);

void path_walk__close(struct path_walk *w);

/* May only root and the invoking user choose or change the object? */
bool path_walk__is_trusted(const struct path_walk *w);

#endif
