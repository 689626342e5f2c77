/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Send calls that were in progress on a socket before its numbers began: none of the watching's.
 *
 * A trampoline shows the return of a call only if it was there when the call began, so such a call
 * ends unseen, and what it queued last lies between two looks at others' calls. It is taken out of
 * the numbers, by moving their beginning up by as much; nothing of it is booked.
 *
 * Whether there are such calls is no guess: while a thread holds the socket's lock, all others'
 * calls wait for memory, and the kernel counts these (sk_write_pending). Where that says that none
 * has ended, bytes that nobody booked stay unaccounted.
 */
#ifndef NETIOTRACE_EARLIER_H
#define NETIOTRACE_EARLIER_H

#include "account.h"
#include "streams.h"

/*
 * A look at a socket under its lock: waits of its calls wait, and of those `beside` began since the
 * numbers did; own: the present one is an earlier one that goes on. True: some earlier ones have
 * ended since the last look.
 */
static inline bool nio_earlier_ended(struct nio_stream *s, __u32 waits, __u32 beside, bool own)
{
	__u32 earlier = (waits > beside ? waits - beside : 0) + own;

	if (earlier >= s->earlier)
		return false;
	s->earlier = earlier;
	return true;
}

/* What was queued since the last look is an earlier call's: the numbers begin behind it. */
static inline void nio_leave_out(struct nio_stream *s, __u32 end)
{
	s->base_tx.sent += end - s->sent_seen;
	s->sent_seen = end;
}

/*
 * The end of a call that is mixed: what it did not return of what was queued at its looks is
 * earlier ones'.
 */
static inline void nio_leave_out_of(struct nio_stream *s, const struct nio_call *call, __s32 ret,
				    __u32 end)
{
	__s32 others = call->queued + (end - s->sent_seen) - (ret > 0 ? ret : 0);

	if (others > 0)
		s->base_tx.sent += others;
	s->sent_seen = end;
}

#endif
