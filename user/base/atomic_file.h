/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns output files that are written whole or not at all, or grow by whole texts. Commit writes a
 * temporary file in the target's directory and renames it to the target. Stdout ("-"), a pipe or a
 * device is written in place at commit. The directory, found by the rules of path_walk.h, stays
 * open until commit.
 */
#ifndef BASE_ATOMIC_FILE_H
#define BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct atomic_file;

/* Prefix of temporary files; a program killed during commit can leave one. */
#define ATOMIC_FILE_TEMPORARY ".netiotrace-"

/*
 * Opens name for writing, before anything is measured, to find an unwritable target early. 0 or
 * -errno. The caller owns *f until atomic_file__commit() or atomic_file__abort(). Under sudo a new
 * file belongs to the invoking user.
 */
int atomic_file__open(struct atomic_file **f, const char *name);
/* The same; nothing for NULL. An exit code: a failure was reported. */
int atomic_file__ask(struct atomic_file **f, const char *name);
/* The same as open() for NAME or DIR/NAME in an open directory. Replaces a link NAME, refuses a
 * link DIR. */
int atomic_file__open_below(struct atomic_file **f, int dir, const char *name);
/* Would one output replace the other? Targets written in place (a pipe) never do; two "-" count. */
bool atomic_file__same(const char *a, const char *b);
FILE *atomic_file__stream(struct atomic_file *f);
/*
 * For a file that is read while it grows: writes text at its end at once, all of it or, into a
 * file, nothing. The first call puts the new file in the target's place; the stream is not used. A
 * pipe whose reader takes nothing for ATOMIC_FILE_STALL_MS may get a part. 0 or -errno; -ETIMEDOUT.
 * Ends with atomic_file__abort().
 */
#define ATOMIC_FILE_STALL_MS 10000
int atomic_file__append(struct atomic_file *f, const char *text, size_t size);
int atomic_file__commit(struct atomic_file *f); /* fsync, rename; always frees f; 0 or -errno */
/*
 * Commits *f, or discards it if err (-errno) is not 0, and clears it. An exit code: a failure was
 * reported under this name.
 */
int atomic_file__finish(struct atomic_file **f, int err, const char *name);
void atomic_file__abort(struct atomic_file *f); /* discards the output; takes NULL */

/* Flushes and closes stdout. 0 or -errno of the first failed write; -EIO if its errno is lost. */
int atomic_file__close_stdout(void);

/* Flushes stdout. 0 or -errno, which atomic_file__close_stdout() returns again. */
int atomic_file__flush_stdout(void);

/* All of data, to any descriptor. 0 or -errno. */
int atomic_file__write_all(int fd, const char *data, size_t size);

/* The mode that open(2) or mkdir(2) would give. Not thread-safe: changes the umask. */
mode_t atomic_file__mode(mode_t mode);

/* mkdir(2). Under sudo the directory belongs to the invoking user. 0 or -errno. */
int atomic_file__make_directory(const char *name);

#endif
