/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns output files that are written whole or not at all. Commit writes a temporary file in the
 * target's directory and renames it to the target. Stdout ("-"), a pipe or a device is written in
 * place at commit. The directory, found by the rules of path_walk.h, stays open until commit.
 */
#ifndef NETIOTRACE_OUTFILE_H
#define NETIOTRACE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile;

/* Prefix of temporary files; a program killed during commit can leave one. */
#define OUTFILE_TEMPORARY ".netiotrace-"

/*
 * Opens name for writing, before anything is measured, to find an unwritable target early. 0 or
 * -errno. The caller owns *f until outfile__commit() or outfile__abort(). Under sudo a new file
 * belongs to the invoking user.
 */
int outfile__open(struct outfile **f, const char *name);
/* The same for NAME or DIR/NAME in an open directory. Replaces a link NAME, refuses a link DIR. */
int outfile__open_below(struct outfile **f, int dir, const char *name);
/* Would one output replace the other? Targets written in place (a pipe) never do; two "-" count. */
bool outfile__same(const char *a, const char *b);
FILE *outfile__stream(struct outfile *f);
int outfile__commit(struct outfile *f); /* fsync, rename; always frees f; 0 or -errno */
void outfile__abort(struct outfile *f); /* discards the output; takes NULL */

/* Flushes and closes stdout. 0 or -errno of the first failed write; -EIO if its errno is lost. */
int outfile__close_stdout(void);

/* Flushes stdout. 0 or -errno, which outfile__close_stdout() returns again. */
int outfile__flush_stdout(void);

/* mkdir(2). Under sudo the directory belongs to the invoking user. 0 or -errno. */
int outfile__make_directory(const char *name);

#endif
