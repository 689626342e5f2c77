/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict of attach; see judge.h. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "judge.h"

#define SAY(...) judgement__say(j->text, sizeof(j->text), __VA_ARGS__)

void judgement__say(char *text, size_t len, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, len - used, format, args);
	va_end(args);
}

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
		SAY("The peers are on this machine, where the kernel copies pinned pages on "
		    "delivery (skb_copy_ubufs). ");
	else if (!strcmp(j->cause, "delivered_here"))
		SAY("Their pages were seen to arrive on this machine, where the kernel "
		    "copies them for a local receiver or a packet tap (skb_copy_ubufs). ");
	else if (!strcmp(j->cause, "not_pinned"))
		SAY("Nothing was pinned: the route does no scatter-gather, or the calls made the "
		    "connections (TCP Fast Open); either way the send call copies. ");
	else
		SAY("Where was not seen: a packet tap on the way out, a device that wants the "
		    "packet in one piece, or one whose packets a program reads (tun, tap). ");
}

/* Without notifications: what became of the pages is seen where they arrive, if they do here. */
static void judge_by_pages(struct judgement *j, const struct books *b, bool notices)
{
	char sends[UNITS_BUF], pinned[UNITS_BUF], deferred[UNITS_BUF];
	uint64_t bytes = b->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t copied = b->stages[NIO_STAGE_DEFERRED_COPY].bytes;

	SAY("%s send%s asked for zero-copy; %s. ",
	    format_count(sends, sizeof(sends), books__zerocopy_sends(b)),
	    plural(books__zerocopy_sends(b)),
	    notices ? "none was seen to complete" : "this kernel does not tell of completions");
	format_bytes_si(pinned, sizeof(pinned), (double)bytes);
	format_bytes_si(deferred, sizeof(deferred), (double)copied);
	if (copied) {
		j->cause = cause_of(b);
		SAY("Of %s pinned, %s were copied after all. ", pinned, deferred);
		say_cause(j);
	} else if (bytes) {
		SAY("%s were pinned, and not seen to be copied on this machine. ", pinned);
	}
}

static void judge_by_notices(struct judgement *j, const struct books *b)
{
	char copied[UNITS_BUF], completed[UNITS_BUF];

	format_count(copied, sizeof(copied), b->copied);
	format_count(completed, sizeof(completed), b->completed);
	if (!b->copied) {
		SAY("None of %s zero-copy send%s was copied. ", completed, plural(b->completed));
		return;
	}
	j->cause = cause_of(b);
	SAY("%s of %s zero-copy send%s %s copied after all. ", copied, completed,
	    plural(b->completed), b->copied == 1 ? "was" : "were");
	say_cause(j);
}

/* Zero-copy that was asked for and not had, or of which nothing is known. */
static void judge_refused(struct judgement *j, const struct books *b)
{
	uint64_t foreign = b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_FOREIGN];
	char text[UNITS_BUF];

	if (b->zc_without_option)
		SAY("%s send%s with MSG_ZEROCOPY on sockets without SO_ZEROCOPY: the kernel "
		    "ignores the flag and copies. Set SO_ZEROCOPY first. ",
		    format_count(text, sizeof(text), b->zc_without_option),
		    plural(b->zc_without_option));
	if (b->refused[NIO_REFUSAL_ENOBUFS])
		SAY("%s send call%s failed with ENOBUFS: read notifications sooner, or raise "
		    "net.core.optmem_max or the limit of locked memory. ",
		    format_count(text, sizeof(text), b->refused[NIO_REFUSAL_ENOBUFS]),
		    plural(b->refused[NIO_REFUSAL_ENOBUFS]));
	if (foreign)
		SAY("%s were sent by io_uring's SEND_ZC; whether they were copied is not known "
		    "here: IORING_SEND_ZC_REPORT_USAGE reports it to the program. ",
		    format_bytes_si(text, sizeof(text), (double)foreign));
}

/* Sentences are said with a space after each. */
static void end_text(char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] == ' ')
		text[len - 1] = '\0';
}

void judge__give(struct judgement *j, const struct grounds *e)
{
	const struct books *b = e->books;

	memset(j, 0, sizeof(*j));
	j->copied_fraction = books__copied_fraction(b);
	if (b->completed)
		judge_by_notices(j, b);
	else if (b->ids || b->calls[NIO_CALL_ZEROCOPY].events)
		judge_by_pages(j, b, e->notices);
	judge_refused(j, b);
	advice__give(j, e);
	end_text(j->text);
	end_text(j->advice);
}
