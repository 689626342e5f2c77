/* SPDX-License-Identifier: GPL-2.0-only */
/* The zero-copy verdict on sockets of any program; see verdict.h. Pure. */
#include <ctype.h>
#include <string.h>

#include "common/units.h"
#include "verdict_internal.h"

/* All calls were seen, and none pinned. */
static bool pinned_nothing(const struct socket_ledger *ledger)
{
	return !ledger->unwatched && !socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER) &&
	       !ledger->stages[NIO_STAGE_TX_PIN].bytes &&
	       !ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING];
}

/* The cause of copied sends of sockets, from pages and addresses. */
static void find_copied_of_sockets(struct verdict *v, const struct socket_ledger *ledger)
{
	if (ledger->zerocopy && ledger->zerocopy_local == ledger->zerocopy)
		add(v, ZC_CAUSE_LOCAL, "the peers are on this machine, %s",
		    verdict_clauses[ZC_CAUSE_LOCAL]);
	else if (ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes)
		add(v, ZC_CAUSE_ARRIVED, "their pages were copied on this machine, %s",
		    verdict_clauses[ZC_CAUSE_ARRIVED]);
	else if (ledger->unwatched || socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER))
		add(v, ZC_CAUSE_UNKNOWN,
		    "why was not seen: calls and packets were not watched all the time");
	else if (pinned_nothing(ledger))
		add(v, ZC_CAUSE_NO_SG,
		    "nothing was pinned, because the route does no scatter-gather or the calls "
		    "made the connections (TCP Fast Open), %s",
		    verdict_clauses[ZC_CAUSE_NO_SG]);
	else
		add(v, ZC_CAUSE_UNKNOWN,
		    "where was not seen: a packet tap on the way out, a device that wants the "
		    "packet in one piece, or one whose packets a program reads (tun, tap)");
}

/* "32 zero-copy sends", "32 seen zero-copy sends" if there may be more. */
#define ENDED_FORMAT "%s%s zero-copy send%s"
#define ENDED_ARGS(ledger, ended) \
	TEXT_COUNT(ended), socket_ledger__misses_requests(ledger) ? " seen" : "", plural(ended)

/* Zero-copy that was requested and refused, or is unknown. */
static void find_refused_of_sockets(struct verdict *v, const struct socket_ledger *ledger)
{
	uint64_t by_uring = ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING];
	uint64_t refused = ledger->refused[NIO_REFUSAL_ENOBUFS];

	if (ledger->zc_without_option)
		add(v, ZC_CAUSE_NO_OPTION,
		    "%s%s send%s with MSG_ZEROCOPY on sockets without SO_ZEROCOPY, %s",
		    ledger->unwatched ? "about " : "", TEXT_COUNT(ledger->zc_without_option),
		    plural(ledger->zc_without_option), verdict_clauses[ZC_CAUSE_NO_OPTION]);
	if (refused)
		add(v, ZC_CAUSE_ENOBUFS,
		    "%s%s send call%s failed with ENOBUFS: read notifications sooner, or raise "
		    "net.core.optmem_max or the limit of locked memory",
		    ledger->unwatched ? "about " : "", TEXT_COUNT(refused), plural(refused));
	if (by_uring && !socket_ledger__requests(ledger))
		add(v, ZC_CAUSE_IO_URING, "%s%s were sent by io_uring's SEND_ZC; %s",
		    socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER) ? "about " : "",
		    TEXT_BYTES(by_uring), verdict_clauses[ZC_CAUSE_IO_URING]);
}

/* Pinned bytes that were copied later. Bytes that were not pinned have their own sentence. */
static void append_deferred(struct verdict *v, const struct socket_ledger *ledger)
{
	uint64_t pinned = ledger->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t deferred = ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes;
	uint64_t most = socket_ledger__at_most(ledger, NIO_STAGE_DEFERRED_COPY);

	if (!pinned)
		return;
	/* Neither number is of all: the pinned bytes are a minimum or an estimate. */
	if (socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER)) {
		if (deferred)
			append(v, " At least %s were copied later.", TEXT_LEAST(deferred));
		return;
	}
	if (deferred && socket_ledger__arrivals_missed(ledger))
		append(v, " Of %s pinned, at least %s were copied later.", TEXT_BYTES(pinned),
		       TEXT_LEAST(u64__least(deferred, pinned)));
	else if (deferred)
		append(v, " Of %s pinned, %s were copied later.", TEXT_BYTES(pinned),
		       TEXT_BYTES(u64__least(deferred, pinned)));
	else if (most)
		append(v, " %s were pinned; at most %s were copied later.", TEXT_BYTES(pinned),
		       TEXT_MOST(most));
	else
		append(v, " %s were pinned, and not seen to be copied on this machine.",
		       TEXT_BYTES(pinned));
	if (ledger->deferred_again)
		append(v, " %s of them were sent again, and copied again.",
		       TEXT_BYTES(ledger->deferred_again));
	/* Packets with pinned bytes are copied whole. */
	if (deferred > pinned + ledger->deferred_again + SURPLUS_MIN(pinned) &&
	    ledger->stages[NIO_STAGE_TX_COPY].bytes)
		append(v,
		       " Besides, %s that were not pinned were copied later: they share packets "
		       "with "
		       "pinned bytes.",
		       TEXT_BYTES(deferred - pinned - ledger->deferred_again));
}

/* Bytes that the same sockets sent without zero-copy. */
static void append_unpinned(struct verdict *v, const struct socket_ledger *ledger)
{
	uint64_t pinned = ledger->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t asked =
		ledger->calls[NIO_CALL_ZEROCOPY].bytes + ledger->calls[NIO_CALL_IO_URING].bytes;
	uint64_t copied = ledger->stages[NIO_STAGE_TX_COPY].bytes;
	uint64_t by_zerocopy = asked > pinned ? asked - pinned : 0;

	if (pinned && copied > by_zerocopy + SURPLUS_MIN(pinned))
		append(v, " %s%s were sent without zero-copy and copied in the send call.",
		       socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER) ? "About " : "",
		       TEXT_BYTES(copied - by_zerocopy));
}

/* Requests of which the kernel says nothing, or something that is not so. */
static void append_requests(struct verdict *v, const struct socket_ledger *ledger)
{
	uint64_t unreported = ledger->requests[NIO_REQUEST_UNREPORTED];
	uint64_t misreported = ledger->requests[NIO_REQUEST_MISREPORTED];

	if (misreported)
		append(v,
		       " The program's own flags (IORING_NOTIF_USAGE_ZC_COPIED) say that %s%s "
		       "more %s copied: the kernel reports a request as copied if its bytes share "
		       "a packet "
		       "with an earlier request's.",
		       ledger->unwatched ? "at least " : "", TEXT_COUNT(misreported),
		       misreported == 1 ? "was" : "were");
	if (unreported)
		append(v,
		       "%s%s%s zero-copy request%s of io_uring ended without a report of copies "
		       "(IORING_SEND_ZC_REPORT_USAGE).",
		       v->text[0] ? " " : "", ledger->unwatched ? "At least " : "",
		       TEXT_COUNT(unreported), plural(unreported));
}

/* Were copies seen, or must the calls of requests without a report have copied? */
static bool saw_copies(const struct socket_ledger *ledger)
{
	return socket_ledger__ended_copied(ledger) ||
	       ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes ||
	       (ledger->requests[NIO_REQUEST_UNREPORTED] &&
		ledger->calls[NIO_CALL_IO_URING].bytes && pinned_nothing(ledger));
}

static void append_ended(struct verdict *v, const struct socket_ledger *ledger)
{
	uint64_t ended = socket_ledger__ended(ledger), copied = socket_ledger__ended_copied(ledger);

	if (copied)
		append(v,
		       "The kernel reports %s of " ENDED_FORMAT " as copied (it merges sends, and "
		       "reports them all if it copied a part of one).",
		       TEXT_COUNT(copied), ENDED_ARGS(ledger, ended));
	else
		append(v, "The kernel reports none of " ENDED_FORMAT " as copied.",
		       ENDED_ARGS(ledger, ended));
}

static void verdict_of_sends(struct verdict *v, const struct socket_ledger *ledger, bool notices)
{
	uint64_t ended = socket_ledger__ended(ledger), copied = socket_ledger__ended_copied(ledger);
	uint64_t unreported = ledger->requests[NIO_REQUEST_UNREPORTED];
	uint64_t zerocopy = ledger->ids > ledger->calls[NIO_CALL_ZEROCOPY].events
				    ? ledger->ids
				    : ledger->calls[NIO_CALL_ZEROCOPY].events;
	uint64_t sends = zerocopy + ledger->calls[NIO_CALL_IO_URING].events;

	if (ended && !copied && ledger->under_xdp) {
		v->cause = ZC_CAUSE_UNKNOWN;
		append(v,
		       "The kernel reports none of " ENDED_FORMAT " as copied, but native XDP on a "
		       "veth device of this machine copies zero-copy packets without a report.",
		       ENDED_ARGS(ledger, ended));
		return;
	}
	if (ended && !unreported && !saw_copies(ledger)) {
		v->cause = ZC_CAUSE_NOT_COPIED;
		append(v, "None of " ENDED_FORMAT " was copied.", ENDED_ARGS(ledger, ended));
		return;
	}
	if (saw_copies(ledger))
		find_copied_of_sockets(v, ledger);
	else if (unreported)
		add(v, ZC_CAUSE_IO_URING, "%s", verdict_clauses[ZC_CAUSE_IO_URING]);
	if (ended)
		append_ended(v, ledger);
	else if (zerocopy || !unreported)
		append(v, "%s%s send%s asked for zero-copy; %s.",
		       ledger->unwatched && sends > ledger->ids ? "About " : "", TEXT_COUNT(sends),
		       plural(sends),
		       notices ? "none was seen to complete"
			       : "this kernel does not tell of completions");
}

void verdict__of_sockets(struct verdict *v, const struct socket_ledger *ledger, bool notices)
{
	bool sends = socket_ledger__requests(ledger) || ledger->completed ||
		     socket_ledger__pins(ledger) ||
		     ledger->calls[NIO_CALL_ZEROCOPY].events > ledger->zc_without_option;
	unsigned int said;

	*v = (struct verdict){.copied_fraction = socket_ledger__copied_fraction(ledger)};
	if (sends) {
		verdict_of_sends(v, ledger, notices);
		append_requests(v, ledger);
		verdict__append_causes(v, 0);
		append_deferred(v, ledger);
		append_unpinned(v, ledger);
	}
	said = v->causes_nr;
	find_refused_of_sockets(v, ledger);
	verdict__append_causes(v, said);
	if (v->causes_nr && v->cause == ZC_CAUSE_NONE)
		v->cause = v->causes[0].cause;
}

/* How a service sent its bytes. Ways with less than a tenth of the known bytes are left out. */
#define WAYS     4
#define WAY_PART 10

struct ways {
	const char *words[WAYS];
	struct verdict_bytes bytes[WAYS];
	uint64_t sum;
	unsigned int named; /* mask */
};

static struct ways ways_of(const struct verdict_service *s)
{
	struct ways w = {{"copied", "pinned (zero-copy)", "sent by reference (sendfile or splice)",
			  "copied by the cipher of kTLS"},
			 {s->copied, s->pinned, s->spliced, s->encrypted},
			 .sum = s->encrypted.value + s->copied.value + s->pinned.value +
				s->spliced.value};

	for (unsigned int i = 0; i < WAYS; i++)
		if (w.bytes[i].value && w.bytes[i].value >= w.sum / WAY_PART)
			w.named |= 1U << i;
	return w;
}

/* "at least 5 MB"; an estimate is "about 5 MB", or "4 MB to 6 MB" if the ends are far apart. A
 * lower end of 0 is not said. */
static void append_bytes(char *text, size_t len, const struct verdict_bytes *b, bool least,
			 bool estimate, uint64_t sum)
{
	if (least && b->least)
		append__text(text, len, "at least %s", TEXT_LEAST(b->least));
	else if (least)
		append__text(text, len, "an unknown part");
	else if (estimate && b->most > b->least && b->most - b->least >= sum / WAY_PART && b->least)
		append__text(text, len, "%s to %s", TEXT_LEAST(b->least), TEXT_MOST(b->most));
	else if (estimate && b->most > b->least && b->most - b->least >= sum / WAY_PART)
		append__text(text, len, "at most %s", TEXT_MOST(b->most));
	else
		append__text(text, len, "%s%s", estimate ? "about " : "", TEXT_BYTES(b->value));
}

static void append_ways(char *text, size_t len, const struct verdict_service *s)
{
	const struct ways w = ways_of(s);
	bool least = s->unknown > (w.sum + s->unknown) / 1000;
	const char *before = " ";

	append__text(text, len, "%s:", s->name);
	if (!w.named)
		append__text(text, len, " %s", s->unknown ? "unknown" : "nothing sent");
	for (unsigned int i = 0; i < WAYS; i++) {
		if (!(w.named >> i & 1))
			continue;
		append__text(text, len, "%s", before);
		append_bytes(text, len, &w.bytes[i], least, s->estimate, w.sum);
		append__text(text, len, " %s", w.words[i]);
		before = " and ";
	}
}

void verdict__describe_services(char *text, size_t len, const struct verdict_service *list,
				size_t nr)
{
	size_t before = strlen(text), begin;
	bool differ = false;

	for (size_t i = 1; i < nr; i++)
		differ |= ways_of(&list[i]).named != ways_of(&list[0]).named;
	if (!differ)
		return;
	if (before)
		append__text(text, len, " ");
	begin = strlen(text);
	for (size_t i = 0; i < nr; i++) {
		append__text(text, len, "%s", i ? ", " : "");
		append_ways(text, len, &list[i]);
	}
	append__text(text, len, ".");
	text[begin] = (char)toupper((unsigned char)text[begin]);
}
