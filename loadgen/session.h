/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry points of the two sides, each for the main thread of its process. */
#ifndef LOADGEN_SESSION_H
#define LOADGEN_SESSION_H

#include "reporter.h"
#include "settings.h"

struct session_mode {
	bool signals;      /* SIGINT and SIGTERM end the current phase */
	bool after_sender; /* receiver: its threads take the CPUs after the sender's */
};

/* 0; 1: --verify found errors; -errno, reported; -ECANCELED: end of stdin, not reported. */
int sender__run(const struct settings *s, struct reporter *r, struct session_mode mode);
int receiver__run(const struct settings *s, struct reporter *r, struct session_mode mode);

#endif
