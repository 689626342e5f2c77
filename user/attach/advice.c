/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a watched program could have for less: sentences, each with the numbers it rests on, and
 * none where they do not bear it. Pure.
 */
#include <string.h>

#include "common/units.h"
#include "judge.h"

/* Bytes from which on a habit is worth a sentence. */
#define ADVICE_BYTES (1 << 20)

/* Sends smaller than this pin pages for less than a page of payload. */
#define SMALL_SEND 4096

#define SAY(...) judgement__say(j->advice, sizeof(j->advice), __VA_ARGS__)

/* What zero-copy takes of the CPU time, where that is known. */
static void say_cost(struct judgement *j, const struct cpu_split *cpu)
{
	struct cpu_part part = cpu ? cpu_split__zerocopy(cpu) : (struct cpu_part){0};

	if (!part.share.known)
		SAY("it pins pages, sends notifications, and saves no copy here. ");
	else
		SAY("it costs %.0f %% of the CPU time (%.0f to %.0f %%) in pinning, copying after "
		    "all and notifications, and saves no copy. ",
		    part.share.value * 100, part.low * 100, part.high * 100);
}

static void advise_copied(struct judgement *j, const struct grounds *e)
{
	if (!e->books->completed || e->books->copied != e->books->completed)
		return;
	SAY("Zero-copy is on and every send is copied%s: ",
	    j->cause && !strcmp(j->cause, "local") ? " because the peer is local" : "");
	say_cost(j, e->cpu);
}

static uint64_t mean_of(const struct nio_amount *calls)
{
	return calls->events ? calls->bytes / calls->events : 0;
}

/* Zero-copy sends of a size at which a sweep found the copy cheaper; else by rule of thumb. */
static void advise_pinning(struct judgement *j, const struct grounds *e)
{
	uint64_t mean = mean_of(&e->books->calls[NIO_CALL_ZEROCOPY]);
	const struct baseline_point *p = e->baseline ? baseline__near(e->baseline, mean) : NULL;
	char size[UNITS_BUF], at[UNITS_BUF], to[UNITS_BUF];

	format_size(size, sizeof(size), mean);
	if (!mean)
		return;
	if (p && p->order == 1)
		SAY("Zero-copy sends are of %s on average: pinning costs more than the copy, at %s "
		    "%.0f %% more CPU time, and more up to %s (%s). ",
		    size, format_size(at, sizeof(at), p->size), p->change * 100,
		    format_size(to, sizeof(to), baseline__dearer_to(e->baseline, p)->size),
		    e->baseline->path);
	else if (!p && mean < SMALL_SEND)
		SAY("Zero-copy sends are of %s on average: pinning pages for so little usually "
		    "costs more than the copy (--baseline DIR, a sweep's results, says from where "
		    "on). ",
		    size);
}

/* Copying sends of a size at which a sweep found zero-copy cheaper. */
static void advise_zerocopy(struct judgement *j, const struct grounds *e)
{
	const struct books *b = e->books;
	uint64_t bytes = b->calls[NIO_CALL_PLAIN].bytes + b->calls[NIO_CALL_VECTORED].bytes;
	uint64_t calls = b->calls[NIO_CALL_PLAIN].events + b->calls[NIO_CALL_VECTORED].events;
	const struct baseline_point *p;
	char size[UNITS_BUF], at[UNITS_BUF];

	if (!e->baseline || bytes < ADVICE_BYTES || b->calls[NIO_CALL_ZEROCOPY].events)
		return;
	p = baseline__near(e->baseline, bytes / calls);
	if (p->order == -1)
		SAY("Sends are of %s on average: at %s zero-copy costs %.0f %% less CPU time than "
		    "the copy, on the path of %s. ",
		    format_size(size, sizeof(size), bytes / calls),
		    format_size(at, sizeof(at), p->size), -p->change * 100, e->baseline->path);
}

/* What was read otherwise than from sockets and by sendfile. */
static uint64_t read_of_files(const struct grounds *e)
{
	uint64_t other = e->books->stages[NIO_STAGE_TX_SPLICE].bytes +
			 books__booked(e->books, NIO_SIDE_RECEIVER);

	return e->read_bytes.known && e->read_bytes.value > other ? e->read_bytes.value - other : 0;
}

/* Files that are read and sent by copy, or others that are sent by sendfile. */
static void advise_sendfile(struct judgement *j, const struct grounds *e)
{
	uint64_t copied = e->books->stages[NIO_STAGE_TX_COPY].bytes, read = read_of_files(e);
	uint64_t spliced = e->books->stages[NIO_STAGE_TX_SPLICE].bytes;
	char sent[UNITS_BUF], files[UNITS_BUF];

	if (!e->told || copied < ADVICE_BYTES || copied < spliced)
		return;
	format_bytes_si(sent, sizeof(sent), (double)copied);
	format_bytes_si(files, sizeof(files), (double)read);
	if (read >= copied - copied / 10)
		SAY("sendfile is off: %s were read of files or pipes, and %s sent by copy: 1.00 "
		    "copies a byte could be 0. ",
		    files, sent);
	else if (spliced)
		SAY("%s are sent by copy beside what sendfile sends by reference: of files, 1.00 "
		    "copies a byte could be 0. ",
		    sent);
}

void advice__give(struct judgement *j, const struct grounds *e)
{
	advise_copied(j, e);
	advise_pinning(j, e);
	advise_zerocopy(j, e);
	advise_sendfile(j, e);
}
