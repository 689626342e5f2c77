/* SPDX-License-Identifier: GPL-2.0-only */
/* A text as a CSV file of a data set. */
#ifndef SUPPORT_IMPORT_CSV_H
#define SUPPORT_IMPORT_CSV_H

#include <stdio.h>
#include <stdlib.h>

#include "study/importer.h"

/* The system's python3 before a wrapper of another, which takes long to start. */
static inline void prefer_system_python(void)
{
	static bool done;
	const char *path = getenv("PATH");
	char longer[4096];

	if (done)
		return;
	snprintf(longer, sizeof(longer), "/usr/bin:/bin:%s", path ? path : "/bin");
	setenv("PATH", longer, 1);
	done = true;
}

static inline int import_csv(struct dataset *d, const char *name, const char *text, size_t len,
			     char message[DATASET_MESSAGE_MAX])
{
	prefer_system_python();
	return importer__add(d, &(struct import_file){name, text, len}, 1, message);
}

#endif
