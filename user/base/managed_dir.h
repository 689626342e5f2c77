/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the rule which files of an output directory may be overwritten. A marker file,
 * MANAGED_DIR_MARKER, names each file of ours before it is written. Only files that the marker
 * names are ever replaced or removed.
 *
 * The marker: a line "netiotrace.files/1 KIND", then one NAME or SUBDIRECTORY/NAME a line. A last
 * line without newline, left by a killed program, does not count. Names that leave the directory
 * and symbolic links are never followed.
 */
#ifndef BASE_MANAGED_DIR_H
#define BASE_MANAGED_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define MANAGED_DIR_MARKER ".netiotrace.files"

struct managed_dir {
	int fd;      /* the directory; -1: not open */
	bool marked; /* it has a marker of the requested kind */
	size_t len;  /* of the marker, up to its last newline */
	char *names; /* of the files, an argz vector (argz_add(3)) */
	size_t names_len;
};

#define MANAGED_DIR_INIT  \
	{                 \
		.fd = -1, \
	}

/* Opens a directory as an output path and reads its marker. 0 or -errno; close in any case. */
int managed_dir__open(struct managed_dir *d, const char *path, const char *kind);

/* The same for a name, not a symbolic link, in an open directory. */
int managed_dir__open_at(struct managed_dir *d, int parent, const char *name, const char *kind);
void managed_dir__close(struct managed_dir *d);

/* Reads the marker again, once the directory is locked. 0 or -errno. */
int managed_dir__read(struct managed_dir *d, const char *kind);

/* Writes the marker, unless the directory is marked. 0 or -errno; -EEXIST: a foreign marker. */
int managed_dir__mark(struct managed_dir *d, const char *kind);

/* Is nothing in it? */
bool managed_dir__is_empty(const struct managed_dir *d);

bool managed_dir__names(const struct managed_dir *d, const char *name);

/*
 * Call before writing a file: adds its name to the marker and creates its directory. 0 or -errno;
 * -EEXIST: a file that the marker does not name is there.
 */
int managed_dir__claim(struct managed_dir *d, const char *name);

/*
 * Opens a file, without following links. flags of a claimed file: O_WRONLY | O_CREAT | O_EXCL. A
 * descriptor or -errno.
 */
int managed_dir__open_file(const struct managed_dir *d, const char *name, int flags);

/* Removes a file; the caller checks that the marker names it. 0, also if absent, or -errno. */
int managed_dir__remove_file(const struct managed_dir *d, const char *name);

/* Finds a file that the marker does not name, here or in a subdirectory of ours; "": none. */
int managed_dir__find_foreign(const struct managed_dir *d, char *name, size_t len);

/* Under sudo, gives the directory and all named files to the invoking user. 0 or -errno. */
int managed_dir__give(const struct managed_dir *d);

/* Removes the named files, the marker and path. 0 or -errno; -ENOTEMPTY: other files were kept. */
int managed_dir__remove(struct managed_dir *d, const char *path);

/* The same for a name in an open directory. */
int managed_dir__remove_at(struct managed_dir *d, int parent, const char *name);

#endif
