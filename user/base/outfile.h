/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files written whole or not at all: a temporary file in the target's directory, renamed
 * over it by commit. "-" is stdout, written at commit. The directory is held as a descriptor from
 * open to commit, and found by the rules of path_walk.h.
 */
#ifndef NETIOTRACE_OUTFILE_H
#define NETIOTRACE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile;

/* How names of temporary files begin: what being killed in the middle of a commit can leave. */
#define OUTFILE_TEMPORARY ".netiotrace-"

/*
 * Opens name for writing, before anything is measured, so that an unwritable target is found then.
 * 0 or -errno. *f is then owned by the caller until outfile__commit() or outfile__abort(). Under
 * sudo the file belongs to the invoking user.
 */
int outfile__open(struct outfile **f, const char *name);
/*
 * The same for a file of a directory that is held open: NAME or SUBDIRECTORY/NAME. No part of it is
 * followed as a symbolic link: one in the place of the file is replaced, one in the place of the
 * directory is refused.
 */
int outfile__open_below(struct outfile **f, int dir, const char *name);
/*
 * Would one of two outputs of these names replace the other, by whatever spelling? Both of "-" mix
 * on stdout. What is written and not replaced (/dev/null, a pipe) takes both, one after the other.
 */
bool outfile__same(const char *a, const char *b);
FILE *outfile__stream(struct outfile *f);
int outfile__commit(struct outfile *f); /* flush, fsync, rename; frees f in any case; 0 or -errno */
void outfile__abort(struct outfile *f); /* removes the temporary; takes NULL */

/*
 * Writes out what stdout still holds and closes it. 0, or -errno of the first write that failed;
 * -EIO where that is no longer known.
 */
int outfile__close_stdout(void);

/* Writes out what stdout holds, for a reader that waits. 0 or -errno; closing says it, too. */
int outfile__flush_stdout(void);

/* mkdir(2); under sudo the directory belongs to the invoking user. 0 or -errno. */
int outfile__make_directory(const char *name);

#endif
