/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the walk of a path to descriptors, safe against replaced directories (docs/SECURITY.md). */
#ifndef BASE_PATH_WALK_H
#define BASE_PATH_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PATH_WALK_NOBODY ((uid_t)65534) /* stands for several users */

struct path_walk {
	int dir;                 /* directory of the last component (O_PATH) */
	char name[NAME_MAX + 1]; /* last component; no symbolic link when it was walked */
	int fd;                  /* the object (O_PATH); -1: absent */
	struct stat st;          /* of the object */
	bool is_open_file;       /* reached by /proc/PID/fd: no name, dir is -1 */
	bool slash;              /* the path ends in a slash */
	/* Other users than root who can replace the object (0: none); link_owner: by a link. */
	uid_t controller, link_owner;
};

/* Walks an input's path; root takes the rights of w->controller. 0 or -errno; close w after 0. */
int path_walk__find_input(struct path_walk *w, const char *path);

/* Makes root open files with the rights of w->controller, unless w is trusted. 0 or -EPERM. */
int path_walk__act_as_controller(const struct path_walk *w);

void path_walk__act_as_self(void);

/* Opens the object for reading, without waiting for it. A descriptor or -errno. */
int path_walk__open(const struct path_walk *w);

/*
 * Walks an input's path and opens it with the rights of those who control it. A descriptor or
 * -errno; -EINVAL: it is no regular file.
 */
int path_walk__open_file(const char *path);

/* Walks an output's path. 0 or -errno; -EACCES: another user could redirect the output. */
int path_walk__find_output(struct path_walk *w, const char *path);

/*
 * The same for a file that is made and removed by name in the held directory. -EISDIR: the path is
 * a directory or ends in a slash; -EEXIST: it is an open file of a process.
 */
int path_walk__find_entry(struct path_walk *w, const char *path);

/* Takes the object that was made at w's name: path_walk__remove() removes no other. 0 or -errno. */
int path_walk__open_entry(struct path_walk *w);

/* Removes w's name from its directory if it still is w's object. 0 or -errno; -ESTALE: it is not.
 */
int path_walk__remove(struct path_walk *w);

void path_walk__close(struct path_walk *w);

/*
 * Opens the directory of NAME or SUBDIRECTORY/NAME below dir, not through a link; *base: the NAME.
 * A descriptor or -errno.
 */
int path_walk__open_parent(int dir, const char *name, const char **base);

/* Are these one file? */
bool path_walk__same_object(const struct stat *a, const struct stat *b);

/* Can only root and the invoking user replace or change the object? */
bool path_walk__is_trusted(const struct path_walk *w);

#endif
