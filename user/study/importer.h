/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs contrib/import-csv, which makes result documents of CSV files. The program has a copy of it,
 * and python3 runs that in a process without root. Nothing else of this program reads CSV.
 */
#ifndef STUDY_IMPORTER_H
#define STUDY_IMPORTER_H

#include "dataset.h"

/* A CSV file in memory, and its name in messages. */
struct import_file {
	const char *name, *data;
	size_t len;
};

/*
 * Adds the runs of files of one experiment to d, with d->names. 0, or -errno with the sentence:
 * -EINVAL: a file is refused; -EBADR: an option is wrong; -ENOENT: there is no python3.
 */
int importer__add(struct dataset *d, const struct import_file *files, size_t nr,
		  char message[DATASET_MESSAGE_MAX]);

/* Prints how each column is read, also of a refused file. Errors are as above. */
int importer__explain(const struct dataset_names *names, const struct import_file *files, size_t nr,
		      FILE *f, char message[DATASET_MESSAGE_MAX]);

#endif
