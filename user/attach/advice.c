/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a watched program could have for less: sentences that say what was measured, with its
 * numbers, and what would change; none where the numbers do not bear it. Pure.
 */
#include <string.h>

#include "common/units.h"
#include "judge.h"

/* Bytes from which on a habit is worth a sentence. */
#define ADVICE_BYTES (1 << 20)

/* Sends smaller than this pin pages for less than a page of payload. */
#define SMALL_SEND 4096

#define SAY(...) judgement__say(j->advice, sizeof(j->advice), __VA_ARGS__)

static const char *why_copied(const char *cause)
{
	if (!cause)
		return "";
	if (!strcmp(cause, "local"))
		return " because the peer is local";
	if (!strcmp(cause, "delivered_here"))
		return " because its pages arrive on this machine";
	if (!strcmp(cause, "not_pinned"))
		return " because the route does no scatter-gather";
	return "";
}

/* What zero-copy takes that a copy does not, as the CPU time's share is of it. */
static const char *what_costs(const struct books *b)
{
	return b->stages[NIO_STAGE_TX_PIN].bytes ? "pinning, the copy and notifications"
						 : "the copy and notifications";
}

static const char *what_goes(const struct books *b)
{
	return b->stages[NIO_STAGE_TX_PIN].bytes ? "pinning and notifications go"
						 : "notifications go";
}

/* What takes a share of the CPU time that so many samples do not tell; *cpu has some. */
static void say_untold_cost(struct judgement *j, const struct cpu_split *cpu,
			    const struct cpu_part *part)
{
	char samples[UNITS_BUF];

	SAY("%s sample%s of the CPU time %s too few to tell (%.0f to %.0f %%)",
	    format_count(samples, sizeof(samples), cpu->samples.samples),
	    plural(cpu->samples.samples), cpu->samples.samples == 1 ? "is" : "are", part->low * 100,
	    part->high * 100);
}

/* Every zero-copy send was copied: what that took, and what is left of it without MSG_ZEROCOPY. */
static void advise_copied(struct judgement *j, const struct grounds *e)
{
	const struct books *b = e->books;
	struct cpu_part part = e->cpu ? cpu_split__zerocopy(e->cpu) : (struct cpu_part){0};
	char sends[UNITS_BUF];

	if (!b->completed || b->copied != b->completed)
		return;
	SAY("Zero-copy is on and every send is copied%s (%s of %s): ", why_copied(j->cause),
	    format_count(sends, sizeof(sends), b->copied), sends);
	if (cpu_part__tells(&part))
		SAY("it costs %.0f %% of the CPU time (%.0f to %.0f %%) in %s. ",
		    part.share.value * 100, part.low * 100, part.high * 100, what_costs(b));
	else if (part.share.known) {
		SAY("it saves no copy, at a cost that ");
		say_untold_cost(j, e->cpu, &part);
		SAY(". ");
	} else
		SAY("it saves no copy, and what it costs is not known without samples of the CPU "
		    "time. ");
	SAY("Without MSG_ZEROCOPY the copy stays, and %s. ", what_goes(b));
}

static uint64_t mean_of(const struct nio_amount *calls)
{
	return calls->events ? calls->bytes / calls->events : 0;
}

/* Zero-copy sends of a size at which a sweep found the copy cheaper; else by rule of thumb. */
static void advise_pinning(struct judgement *j, const struct grounds *e)
{
	const struct nio_amount *calls = &e->books->calls[NIO_CALL_ZEROCOPY];
	uint64_t mean = mean_of(calls);
	const struct baseline_point *p = e->baseline ? baseline__near(e->baseline, mean) : NULL;
	char sends[UNITS_BUF], size[UNITS_BUF], at[UNITS_BUF], to[UNITS_BUF];

	if (!mean)
		return;
	format_count(sends, sizeof(sends), calls->events);
	format_size(size, sizeof(size), mean);
	if (p && p->order == 1)
		SAY("Zero-copy sends of %s on average (%s): pinning costs more than the copy up to "
		    "about %s on this machine (measured by sweep, %s: %.0f %% more CPU time at "
		    "%s). Without MSG_ZEROCOPY that is spared. ",
		    size, sends,
		    format_size(to, sizeof(to), baseline__dearer_to(e->baseline, p)->size),
		    e->baseline->path, p->change * 100, format_size(at, sizeof(at), p->size));
	else if (!p && mean < SMALL_SEND)
		SAY("Zero-copy sends of %s on average (%s): to pin pages for so little usually "
		    "costs more than the copy that it spares. From which size on it pays here was "
		    "not measured: --baseline DIR takes that from a sweep. ",
		    size, sends);
}

/* Copying sends of a size at which a sweep found zero-copy cheaper. */
static void advise_zerocopy(struct judgement *j, const struct grounds *e)
{
	const struct books *b = e->books;
	uint64_t bytes = b->calls[NIO_CALL_PLAIN].bytes + b->calls[NIO_CALL_VECTORED].bytes;
	uint64_t calls = b->calls[NIO_CALL_PLAIN].events + b->calls[NIO_CALL_VECTORED].events;
	const struct baseline_point *p;
	char sends[UNITS_BUF], size[UNITS_BUF], at[UNITS_BUF];

	if (!e->baseline || bytes < ADVICE_BYTES || !calls || b->calls[NIO_CALL_ZEROCOPY].events)
		return;
	p = baseline__near(e->baseline, bytes / calls);
	if (p->order == -1)
		SAY("Sends of %s on average (%s) are copied: at %s zero-copy costs %.0f %% less "
		    "CPU "
		    "time than the copy (measured by sweep, %s). MSG_ZEROCOPY would spare as much "
		    "on a path like the sweep's. ",
		    format_size(size, sizeof(size), bytes / calls),
		    format_count(sends, sizeof(sends), calls), format_size(at, sizeof(at), p->size),
		    -p->change * 100, e->baseline->path);
}

/* What was read otherwise than from sockets and by sendfile. */
static uint64_t read_of_files(const struct grounds *e)
{
	uint64_t other = e->books->stages[NIO_STAGE_TX_SPLICE].bytes +
			 books__booked(e->books, NIO_SIDE_RECEIVER);

	return e->read_bytes.known && e->read_bytes.value > other ? e->read_bytes.value - other : 0;
}

/* What the copy in the send call takes, where that is known. */
static void say_cost_of_copy(struct judgement *j, const struct cpu_split *cpu)
{
	struct cpu_part part = cpu ? cpu_split__part(cpu, CPU_CLASS_TX_COPY) : (struct cpu_part){0};

	if (cpu_part__tells(&part)) {
		SAY(", which costs %.0f %% of the CPU time (%.0f to %.0f %%)",
		    part.share.value * 100, part.low * 100, part.high * 100);
	} else if (part.share.known) {
		SAY(", at a cost that ");
		say_untold_cost(j, cpu, &part);
	}
}

/* Files that are read and sent by copy, or others that are sent by sendfile. */
static void advise_sendfile(struct judgement *j, const struct grounds *e)
{
	uint64_t copied = e->books->stages[NIO_STAGE_TX_COPY].bytes, read = read_of_files(e);
	uint64_t spliced = e->books->stages[NIO_STAGE_TX_SPLICE].bytes;
	bool off = read >= copied - copied / 10;
	char sent[UNITS_BUF], other[UNITS_BUF];

	if (!e->told || copied < ADVICE_BYTES || copied < spliced || (!off && !spliced))
		return;
	format_bytes_si(sent, sizeof(sent), (double)copied);
	format_bytes_si(other, sizeof(other), (double)(off ? read : spliced));
	if (off)
		SAY("%s%s were read of files, pipes or sockets other than TCP's, and %s sent by "
		    "copy",
		    spliced ? "" : "nothing is sent by sendfile: ", other, sent);
	else
		SAY("%s are sent by copy, beside %s that sendfile sends by reference", sent, other);
	say_cost_of_copy(j, e->cpu);
	SAY(off ? ". Where they are the same bytes, of a file, sendfile spares that copy and the "
		  "reading. "
		: ". What of them is of files, sendfile would send without that copy. ");
}

void advice__give(struct judgement *j, const struct grounds *e)
{
	advise_copied(j, e);
	advise_pinning(j, e);
	advise_zerocopy(j, e);
	advise_sendfile(j, e);
}
