/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict and the advice of attach; see judge.h. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "judge.h"

/* Bytes from which on a habit is worth a sentence. */
#define ADVICE_BYTES (1 << 20)

/* Sends smaller than this pin pages for less than a page of payload. */
#define SMALL_SEND 4096

__attribute__((format(printf, 3, 4))) static void say(char *text, size_t len, const char *format,
						      ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, len - used, format, args);
	va_end(args);
}

#define SAY(field, ...) say(j->field, sizeof(j->field), __VA_ARGS__)

/* Where the copies were made, by what was seen of the pages and of the connections. */
static const char *cause_of(const struct books *b)
{
	if (b->zerocopy && b->zerocopy_local == b->zerocopy)
		return "local";
	if (b->stages[NIO_STAGE_DEFERRED_COPY].bytes)
		return "delivered_here";
	if (!b->stages[NIO_STAGE_TX_PIN].bytes)
		return "not_pinned";
	return "unknown";
}

static void say_cause(struct judgement *j)
{
	if (!strcmp(j->cause, "local"))
		SAY(text, "The peers are on this machine, where the kernel copies pinned pages on "
			  "delivery (skb_copy_ubufs). ");
	else if (!strcmp(j->cause, "delivered_here"))
		SAY(text, "Their pages were seen to arrive on this machine, where the kernel "
			  "copies them for a local receiver or a packet tap (skb_copy_ubufs). ");
	else if (!strcmp(j->cause, "not_pinned"))
		SAY(text, "Nothing was pinned: the route does no scatter-gather, so the send call "
			  "copies. ");
	else
		SAY(text, "Where was not seen: a packet tap on the way out, or a device that "
			  "wants the packet in one piece. ");
}

/* Without notifications: what became of the pages is seen where they arrive, if they do here. */
static void judge_by_pages(struct judgement *j, const struct books *b, bool notices)
{
	char sends[UNITS_BUF], pinned[UNITS_BUF], deferred[UNITS_BUF];
	uint64_t bytes = b->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t copied = b->stages[NIO_STAGE_DEFERRED_COPY].bytes;

	SAY(text, "%s sends asked for zero-copy; %s. ",
	    format_count(sends, sizeof(sends), b->calls[NIO_CALL_ZEROCOPY].events),
	    notices ? "none was seen to complete" : "this kernel does not tell of completions");
	format_bytes_si(pinned, sizeof(pinned), (double)bytes);
	format_bytes_si(deferred, sizeof(deferred), (double)copied);
	if (copied) {
		j->cause = cause_of(b);
		SAY(text, "Of %s pinned, %s were copied after all. ", pinned, deferred);
		say_cause(j);
	} else if (bytes) {
		SAY(text, "%s were pinned, and not seen to be copied on this machine. ", pinned);
	}
}

static void judge_by_notices(struct judgement *j, const struct books *b)
{
	char copied[UNITS_BUF], completed[UNITS_BUF];

	format_count(copied, sizeof(copied), b->copied);
	format_count(completed, sizeof(completed), b->completed);
	if (!b->copied) {
		SAY(text, "None of %s zero-copy sends was copied. ", completed);
		return;
	}
	j->cause = cause_of(b);
	SAY(text, "%s of %s zero-copy sends were copied after all. ", copied, completed);
	say_cause(j);
}

static void advise_zerocopy(struct judgement *j, const struct books *b)
{
	const struct nio_amount *sends = &b->calls[NIO_CALL_ZEROCOPY];
	uint64_t mean = sends->events ? sends->bytes / sends->events : 0;
	char size[UNITS_BUF];

	if (b->completed && b->copied == b->completed)
		SAY(advice, "Zero-copy is on and every send is copied: it pins pages, sends "
			    "notifications, and saves no copy here. ");
	if (mean && mean < SMALL_SEND)
		SAY(advice,
		    "Zero-copy sends are of %s on average: pinning pages for so little usually "
		    "costs more than the copy (netiotrace sweep measures from where on). ",
		    format_size(size, sizeof(size), mean));
}

static void advise_splice(struct judgement *j, const struct books *b, bool told)
{
	uint64_t copied = b->stages[NIO_STAGE_TX_COPY].bytes;
	uint64_t spliced = b->stages[NIO_STAGE_TX_SPLICE].bytes;
	char text[UNITS_BUF];

	if (!told || !spliced || copied < ADVICE_BYTES || copied < spliced)
		return;
	SAY(advice,
	    "%s are sent by copy beside what sendfile sends by reference: of files, 1.00 "
	    "copies a byte could be 0. ",
	    format_bytes_si(text, sizeof(text), (double)copied));
}

void judge__give(struct judgement *j, const struct books *b, bool told, bool notices)
{
	memset(j, 0, sizeof(*j));
	j->copied_fraction = books__copied_fraction(b);
	if (b->completed)
		judge_by_notices(j, b);
	else if (b->ids || b->calls[NIO_CALL_ZEROCOPY].events)
		judge_by_pages(j, b, notices);
	advise_zerocopy(j, b);
	advise_splice(j, b, told);
}
