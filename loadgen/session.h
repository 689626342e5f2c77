/* SPDX-License-Identifier: GPL-2.0-only */
/* The two sides of a session, each run by the main thread of its process. */
#ifndef LOADGEN_SESSION_H
#define LOADGEN_SESSION_H

#include "herald.h"
#include "settings.h"

/* How a side is run. */
struct session_mode {
	bool signals;      /* SIGINT and SIGTERM end the phase under way */
	bool after_sender; /* receiver: its threads take the CPUs that follow the sender's */
};

/*
 * Both run a whole session and report what happens. 0; 1 when --verify found errors; -errno after
 * the reason was reported; -ECANCELED when stdin ended, which is reported to nobody.
 */
int sender__run(const struct settings *s, struct herald *r, struct session_mode mode);
int receiver__run(const struct settings *s, struct herald *r, struct session_mode mode);

#endif
