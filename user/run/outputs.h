/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outputs of a run: the text to the terminal, each of OUTPUTS to its file. Files are opened
 * before the measurement, and written whole or not at all.
 */
#ifndef RUN_OUTPUTS_H
#define RUN_OUTPUTS_H

#include <stdbool.h>

#include "options.h"

struct atomic_file;

struct outputs {
	const struct options *options;
	struct atomic_file *file[OUTPUT_NR];
};

/*
 * Return exit codes; report failures. options must outlive o. Call outputs__abort() in any case: it
 * removes files that were opened and not written.
 */
int outputs__open(struct outputs *o, const struct options *options);
int outputs__write(struct outputs *o, const struct result *r);
void outputs__abort(struct outputs *o);

#endif
