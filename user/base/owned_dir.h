/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may be overwritten: a directory with a marker file, OWNED_DIR_MARKER, that names every file
 * of ours in it, each before it is written. Only a file that the marker names is ever replaced or
 * removed; a directory without a marker is somebody else's.
 *
 * The marker: a line "netiotrace.files/1 KIND", then a name a line, relative to the directory, in
 * it or in one directory below. A last line without its newline, of a writer that was killed, does
 * not count. Names that lead out of the directory, and symbolic links, are never followed.
 */
#ifndef NETIOTRACE_OWNED_DIR_H
#define NETIOTRACE_OWNED_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define OWNED_DIR_MARKER ".netiotrace.files"

struct owned_dir {
	int fd;       /* the directory; -1: not open */
	bool marked;  /* it has a marker of the kind asked for */
	char *marker; /* its text up to here, NULL: none */
};

#define OWNED_DIR_INIT    \
	{                 \
		.fd = -1, \
	}

/*
 * Opens a directory and reads its marker. The path is walked by the rules for outputs
 * (path_walk.h). 0, -ENOENT, -ENOTDIR, -errno. Close it in any case.
 */
int owned_dir__open(struct owned_dir *d, const char *path, const char *kind);

/* The same for a name in a directory that is held open, which may be no symbolic link. */
int owned_dir__open_at(struct owned_dir *d, int parent, const char *name, const char *kind);
void owned_dir__close(struct owned_dir *d);

/* The marker once more: for who locked the directory after it was opened. 0 or -errno. */
int owned_dir__read(struct owned_dir *d, const char *kind);

/* Marks a directory that has no marker. 0, -EEXIST or -errno. */
int owned_dir__mark(struct owned_dir *d, const char *kind);

/* Has nothing been claimed in it? */
bool owned_dir__is_unused(const struct owned_dir *d);

/* Does the marker name it? */
bool owned_dir__names(const struct owned_dir *d, const char *name);

/*
 * To be called before a file is written: names it in the marker, and makes the directory it is in.
 * 0; -EEXIST when a file is there that the marker does not name, which is not ours to overwrite;
 * -errno.
 */
int owned_dir__claim(struct owned_dir *d, const char *name);

/* Opens a file that the marker names for reading. A descriptor or -errno; no link is followed. */
int owned_dir__open_file(const struct owned_dir *d, const char *name);

/* Makes a file that was claimed and is not there yet. A descriptor to write or -errno. */
int owned_dir__create_file(const struct owned_dir *d, const char *name);

/* Removes a file that the marker names. 0 or -errno. */
int owned_dir__remove_file(const struct owned_dir *d, char *name);

/*
 * The first file in it, or in a directory of ours below, that the marker does not name; "" when all
 * is ours. In a directory without a marker every file is a stranger. 0 or -errno.
 */
int owned_dir__stranger(const struct owned_dir *d, char *name, size_t len);

/* Under sudo all that the marker names belongs to the invoking user. 0 or -errno. */
int owned_dir__give(const struct owned_dir *d);

/*
 * Removes what the marker names, the marker, and what directories are empty then, path (which d was
 * opened with) among them. 0, -ENOTEMPTY when something else was there and was kept, -errno.
 */
int owned_dir__remove(struct owned_dir *d, const char *path);

/* The same for the name in a directory that is held open. */
int owned_dir__remove_at(struct owned_dir *d, int parent, const char *name);

#endif
