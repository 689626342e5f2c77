/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the inputs that root opens before it becomes another user: what only root can read is then
 * read by a process that can no longer do anything else as root.
 */
#ifndef BASE_HELD_FILES_H
#define BASE_HELD_FILES_H

#include <stdio.h>

/*
 * Opens the file, or cells.tar.xz and the .json files in the directory and its cells/. Data of root
 * on a path controlled by root is opened as root, all else with the rights of the user who controls
 * it. Does nothing unless root called without sudo. Unreadable files are refused later. Call before
 * step_down().
 */
void held_files__hold(const char *path);

/* The same under sudo, for a command that stays root: data of the invoking user is opened as root.
 */
void held_files__hold_as_root(const char *path);
void held_files__release(void);

/*
 * Lets the next program inherit the held descriptors, and writes "PATH NUL FD NUL KIND NUL" for
 * each; KIND is "d" for a directory, else "f".
 */
void held_files__pass_on(FILE *f);

#endif
