/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results directory of a sweep on disk: its files, and whether it can be continued. Every file
 * is complete or missing (atomic_file.c). docs/reference/sweep.md describes the files.
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
	bool made;                /* by us */
	json_t *sweep;            /* sweep.json found there; NULL: none, the sweep begins */
};

#define SWEEP_DIR_INIT                     \
	{                                  \
		.owned = MANAGED_DIR_INIT, \
	}

/*
 * Makes the directory, or opens an empty one, or with resume one of an earlier sweep, as its marker
 * shows (base/managed_dir.h); only files named in the marker are overwritten. Removes temporary
 * files of a killed sweep. Returns an exit code; a refusal has been reported. name must outlive d.
 */
int sweep_dir__open(struct sweep_dir *d, const char *name, bool resume);

/* Removes a directory that we made and that is still empty. */
void sweep_dir__close(struct sweep_dir *d);

/* Writes environment.json, command and, last of all, sweep.json. Returns an exit code. */
int sweep_dir__begin(struct sweep_dir *d, const json_t *sweep, const char *command);

/*
 * The result document of a run, or NULL when there is none that is whole and of this run. New
 * reference.
 */
json_t *sweep_dir__read(const struct sweep_dir *d, const struct sweep_run *run);

/* A run that was made, one that failed (exit code and reason in words), all rows. Exit codes. */
int sweep_dir__write_result(struct sweep_dir *d, const struct sweep_run *run,
			    const json_t *document);
int sweep_dir__write_failure(struct sweep_dir *d, const struct sweep_run *run, int exit_code,
			     const char *reason);
int sweep_dir__write_csv(struct sweep_dir *d, char *const *rows, size_t rows_nr);

#endif
