/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results directory of a sweep: its files, and whether the sweep can be resumed. Every file is
 * complete or missing (atomic_file.c). docs/reference/sweep.md describes the files.
 */
#ifndef SWEEP_SWEEP_DIR_H
#define SWEEP_SWEEP_DIR_H

#include <jansson.h>
#include <stdbool.h>

#include "base/managed_dir.h"
#include "run/run_order.h"

struct sweep_dir {
	const char *name;
	struct managed_dir owned; /* locked: one sweep at a time */
	bool made;                /* by this sweep, which has not begun */
	json_t *sweep;            /* the existing sweep.json; NULL: none, the sweep begins */
};

#define SWEEP_DIR_INIT                     \
	{                                  \
		.owned = MANAGED_DIR_INIT, \
	}

/*
 * Makes the directory, or opens an empty one. With resume, also opens one of an earlier sweep,
 * which has a marker (base/managed_dir.h); only files named in the marker are overwritten. Removes
 * temporary files of a killed sweep. Returns an exit code; reports a refusal. name must outlive d.
 */
int sweep_dir__open(struct sweep_dir *d, const char *name, bool resume);

/* Removes the directory if this sweep made it and could not begin, as on a full file system. */
void sweep_dir__close(struct sweep_dir *d);

/* Writes environment.json, command and, last of all, sweep.json. Returns an exit code. */
int sweep_dir__begin(struct sweep_dir *d, const json_t *sweep, const char *command);

/* The result document of a run; NULL: missing, damaged, or of another run. New reference. */
json_t *sweep_dir__read(const struct sweep_dir *d, const struct sweep_run *run);

/* Write a result, a failure (exit code and reason), and all rows. Return exit codes. */
int sweep_dir__write_result(struct sweep_dir *d, const struct sweep_run *run,
			    const json_t *document);
int sweep_dir__write_failure(struct sweep_dir *d, const struct sweep_run *run, int exit_code,
			     const char *reason);
int sweep_dir__write_csv(struct sweep_dir *d, char *const *rows, size_t rows_nr);

#endif
