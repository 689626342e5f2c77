/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of follow and the hardware watchpoints: one byte each, on every CPU, so that all
 * threads are watched. Descriptors own everything: nothing survives this process.
 */
#ifndef FOLLOW_WATCHPOINTS_H
#define FOLLOW_WATCHPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/follow_event.h"
#include "follow_limits.h"

struct watchpoints;

/*
 * Loads the programs, takes the debug registers, and tries them. ports: of the connections to
 * follow; none: all. Returns EXIT_DONE; or another exit code and in why the reason, a sentence
 * without a full stop. *w is to be closed in both cases.
 */
int watchpoints__open(struct watchpoints **w, const uint16_t *ports, size_t ports_nr,
		      char why[FOLLOW_WHY]);
void watchpoints__close(struct watchpoints *w); /* takes NULL */

unsigned int watchpoints__slots(const struct watchpoints *w); /* debug registers that were free */

/* Shared with the programs, and with child processes. */
volatile struct nio_follow *watchpoints__shared(const struct watchpoints *w);

/* Processes whose calls are seen. 0 or -errno. */
int watchpoints__add_process(struct watchpoints *w, pid_t pid);
void watchpoints__remove_process(struct watchpoints *w, pid_t pid);

/* Sees system calls from now on, or no longer. 0 or -errno. */
int watchpoints__attach(struct watchpoints *w);
void watchpoints__detach(struct watchpoints *w);

/*
 * Shall watchpoints be touched by reads as well as by writes? To change that takes milliseconds:
 * the kernel waits for an RCU grace period. None is set then. 0 or -errno.
 */
int watchpoints__choose(struct watchpoints *w, bool reads);

/* Watches the byte at an address. false: refused. */
bool watchpoints__set(struct watchpoints *w, unsigned int slot, uint64_t address);
void watchpoints__clear(struct watchpoints *w, unsigned int slot);

/* Gives each pending event to handle(). Never sleeps. Their number. */
typedef void (*watchpoints_handler)(void *ctx, const struct nio_follow_event *e);
int watchpoints__read_events(struct watchpoints *w, watchpoints_handler handle, void *ctx);

#endif
