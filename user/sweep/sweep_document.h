/* SPDX-License-Identifier: GPL-2.0-only */
/* The document sweep.json: settings, environment and plans that all runs of a sweep share. */
#ifndef NETIOTRACE_SWEEP_DOCUMENT_H
#define NETIOTRACE_SWEEP_DOCUMENT_H

#include <jansson.h>

#include "run/engine.h"
#include "sweep_options.h"

/* A new reference; NULL: out of memory. Uses the engine, which is open, with o->run at the end. */
json_t *sweep_document__make(const struct sweep_options *o, struct engine *e);

#endif
