/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines of both sides of the load generator (docs/reference/loadgen.md). */
#ifndef LOAD_LOADGEN_ARGS_H
#define LOAD_LOADGEN_ARGS_H

#include "common/address.h"
#include "common/mode.h"
#include "common/workload.h"

/* A list that owns its strings. Start from {0}. */
struct arglist {
	char **argv; /* NULL-terminated */
	size_t argc;
};

void arglist__clear(struct arglist *args);

/* Append to args, which the caller frees with arglist__clear(). */
void loadgen_args__receiver(struct arglist *args, const char *program, const struct workload *w,
			    const char *address);
/* A receiver that serves session after session at the resolved address of --listen. */
void loadgen_args__server(struct arglist *args, const char *program, const struct workload *w,
			  const struct address *listen);
void loadgen_args__sender(struct arglist *args, const char *program, const struct workload *w,
			  enum mode mode, const char *address, unsigned int port);
/* A sender that only tries whether the mode, and with `receives` --receive, can run here. */
void loadgen_args__trial(struct arglist *args, const char *program, const struct workload *w,
			 enum mode mode, bool receives);

/* The path of netio-loadgen, beside this program's file. 0 or -errno. */
int loadgen_args__find(char *path, size_t len);

#endif
