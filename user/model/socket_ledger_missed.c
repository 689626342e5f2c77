/* SPDX-License-Identifier: GPL-2.0-only */
/* Divides bytes of connections without a seen call, as their group; see socket_ledger.h. Pure. */
#include <math.h>

#include "socket_ledger_internal.h"

/* A way that bytes were moved in: its parts in the sums of windows are `mask`. */
struct way {
	struct nio_amount *amount;
	struct byte_margin *margin;
	uint32_t mask;
	double share;
};

#define WAYS_MAX NIO_CALL_NR

/* false: the intervals are of no use, or windows showed bytes of the parts `none`. */
static bool find_shares(struct way *ways, size_t n, const struct sampled_sums *sums, uint32_t all,
			uint32_t none, uint64_t total)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct sampled_share s = sampled_share__of(sums, ways[i].mask, all, (double)total);

		if (!s.known || s.high - s.low >= SAMPLED_WIDE)
			return false;
		sum += ways[i].share = s.share;
	}
	for (int i = 0; i < SAMPLED_PARTS; i++)
		if (none >> i & 1 && sums->whole[i] + sums->seen[i] > 0)
			return false;
	return sum > 0;
}

/* Divides `missed` so that the ways get as near to their shares in all bytes as they can. */
static void divide_among(const struct way *ways, size_t n, uint64_t missed)
{
	double want[WAYS_MAX], wants = 0, shares = 0, all = (double)missed;
	uint64_t part[WAYS_MAX], left = missed;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		shares += ways[i].share;
		all += (double)ways[i].amount->bytes;
	}
	for (size_t i = 0; i < n; i++) {
		want[i] = fmax(0, ways[i].share / shares * all - (double)ways[i].amount->bytes);
		wants += want[i];
		most = want[i] > want[most] ? i : most;
	}
	for (size_t i = 0; i < n; i++) {
		part[i] = (uint64_t)(want[i] / wants * (double)missed);
		left -= part[i] = u64__least(part[i], left);
	}
	part[most] += left;
	for (size_t i = 0; i < n; i++) {
		struct nio_amount *a = ways[i].amount;

		if (a->bytes)
			a->events +=
				(uint64_t)((double)a->events * (double)part[i] / (double)a->bytes);
		a->bytes += part[i];
		ways[i].margin->below += part[i];
		ways[i].margin->above += missed - part[i];
	}
}

/* The stages from `first` to `last`, whose parts begin at `moved`. true: divided. */
static bool divide_stages(struct socket_ledger *ledger, enum nio_stage first, enum nio_stage last,
			  enum nio_moved moved, const struct sampled_sums *sums, uint32_t all,
			  uint32_t none, uint64_t total, uint64_t missed)
{
	struct way ways[WAYS_MAX];
	size_t n = 0;

	for (int i = first; i <= (int)last; i++)
		/* What has no zero-copy id was not pinned by MSG_ZEROCOPY. */
		if (i != NIO_STAGE_TX_PIN)
			ways[n++] = (struct way){&ledger->stages[i], &ledger->stage_margin[i],
						 1U << ((int)moved + i - (int)first), 0};
	if (!missed || !find_shares(ways, n, sums, all, none, total))
		return false;
	divide_among(ways, n, missed);
	return true;
}

/* The calls of bytes without a zero-copy id; their number. 0: how they were sent is not known. */
static size_t find_calls(struct way ways[NIO_CALL_NR], struct socket_ledger *ledger)
{
	size_t n = 0;

	for (int i = 0; i < NIO_CALL_NR; i++)
		if (i != NIO_CALL_ZEROCOPY)
			ways[n++] = (struct way){&ledger->calls[i], &ledger->call_margin[i],
						 1U << i, 0};
	/* Calls with MSG_ZEROCOPY on a socket without the option have no id. */
	return !ledger->zc_without_option && find_shares(ways, n, &ledger->seen->calls, SEEN_CALLS,
							 0, ledger->socket_tx)
		       ? n
		       : 0;
}

void socket_ledger__divide_missed(struct socket_ledger *ledger, const struct seen_bytes *seen)
{
	__u64 *sent = &ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED];
	__u64 *read = &ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_MISSED];
	uint64_t missed = u64__minus(*sent, ledger->pinned_open);
	struct way calls[NIO_CALL_NR];
	size_t calls_nr;

	ledger->seen = seen;
	if (!seen)
		return;
	calls_nr = find_calls(calls, ledger);
	if (calls_nr && divide_stages(ledger, NIO_STAGE_TX_COPY, NIO_STAGE_TX_SPLICE,
				      NIO_MOVED_COPIED, &seen->ways, SEEN_WAYS,
				      1U << NIO_MOVED_FOREIGN, ledger->socket_tx, missed)) {
		divide_among(calls, calls_nr, missed);
		/* Requests of io_uring pin without an id, and windows may have met none. */
		if (ledger->pins_hidden)
			ledger->stage_margin[NIO_STAGE_TX_PIN].above += missed;
		*sent -= missed;
		ledger->divided[NIO_SIDE_SENDER] += missed;
	}
	if (divide_stages(ledger, NIO_STAGE_RX_COPY, NIO_STAGE_RX_SPLICE, NIO_MOVED_READ,
			  &seen->reads, SEEN_READS, 1U << NIO_MOVED_UNCOPIED, ledger->socket_rx,
			  *read)) {
		ledger->divided[NIO_SIDE_RECEIVER] += *read;
		*read = 0;
	}
}
