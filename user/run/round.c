/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that make a round share; see round.h. */
#include "round.h"

#include <stdarg.h>

#include "base/printable.h"
#include "model/ledger.h"
#include "model/remote.h"

const char *const round_side_names[NIO_SIDE_NR] = {"sender", "receiver"};

int round__fail(struct round *r, int err, const char *format, ...)
{
	struct runner *runner = r->runner;
	va_list args;

	va_start(args, format);
	if (!runner->reason[0])
		append__args(runner->reason, sizeof(runner->reason), format, args);
	va_end(args);
	return err;
}

bool round__is_remote(const struct round *r)
{
	return r->runner->o->remote;
}

void round__book(struct round *r)
{
	ledger__book(r->out, r->plan, &r->base, &r->now);
	if (round__is_remote(r))
		remote__book(r->out);
}

int round__sides_here(const struct round *r)
{
	return round__is_remote(r) ? NIO_SIDE_RECEIVER : NIO_SIDE_NR;
}

bool round__has(const struct round *r, enum round_event event)
{
	switch (event) {
	case ROUND_LISTENING:
		return r->listening;
	case ROUND_READY:
		return r->ready[NIO_SIDE_SENDER] && r->ready[NIO_SIDE_RECEIVER];
	case ROUND_QUIESCED:
		return r->quiesced;
	case ROUND_HALF:
		return r->half_taken;
	default:
		return r->done[NIO_SIDE_SENDER] && r->done[NIO_SIDE_RECEIVER];
	}
}
