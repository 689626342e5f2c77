/* SPDX-License-Identifier: GPL-2.0-only */
/* Advice on cheaper ways to send; see advice.h. Pure. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "base/printable.h"
#include "common/units.h"
#include "cpu_split.h"
#include "model/sampled_share.h"

/* CPU time that an advice would spare: shares of the program's, 0..1. */
struct cost {
	double low, high;
};

static bool is_worth(const struct cost *c)
{
	return c->low >= ADVICE_COST_MIN &&
	       (c->high - c->low < SAMPLED_USEFUL || c->low >= ADVICE_COST_SURE);
}

struct text {
	char *text;
	size_t len;
};

/* Appends a sentence, which begins with the name of the row, if it has one, and a capital. */
__attribute__((format(printf, 3, 4))) static void
append(struct text *t, const struct advice_row *row, const char *format, ...)
{
	size_t begin = strlen(t->text);
	va_list args;

	if (row->name)
		append__text(t->text, t->len, "%s: ", row->name);
	va_start(args, format);
	append__args(t->text, t->len, format, args);
	va_end(args);
	t->text[begin] = (char)toupper((unsigned char)t->text[begin]);
}

/* A cost in a sentence: a format, and its arguments. */
#define COST     "%s of the CPU time"
#define PARTS(c) interval__text((char[INTERVAL_LEN]){0}, (c).low, (c).high)

bool advice__encrypts(uint16_t port)
{
	/* ssh, https, smtps, nntps, ldaps, dns over tls, ftps, imaps, pop3s, sips, kubernetes. */
	static const uint16_t ports[] = {22,  443, 465, 563,  636,  853, 989,
					 990, 993, 995, 5061, 6443, 8443};

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* The largest size measured that is not above size; if all are above, the smallest. */
static const struct baseline_point *near(const struct baseline *b, uint64_t size)
{
	const struct baseline_point *p = &b->points[0];

	for (size_t i = 1; i < b->nr && b->points[i].size <= size; i++)
		p = &b->points[i];
	return p;
}

/* The last size from p on up to which zero-copy costs more at each size. */
static uint64_t dearer_to(const struct baseline *b, const struct baseline_point *p)
{
	while (p + 1 < b->points + b->nr && p[1].order == 1)
		p++;
	return p->size;
}

/* The part of a program's class of CPU time that low to high of all its bytes take. */
static struct cost part_of(const struct cpu_samples *cpu, enum cpu_class c, double low, double high)
{
	struct cpu_share share = cpu_time__share(cpu, c);

	return (struct cost){share.low * fmin(low, 1), share.high * fmin(high, 1)};
}

/* Pinning and notifications of the zero-copy sends of a row, by their number. */
static struct cost zerocopy_extra(const struct advice_row *row)
{
	struct cpu_samples cpu = row->program->cpu;
	double all = (double)row->program->completed;
	double part = all > 0 ? (double)row->ledger->completed / all : 0;

	cpu.classes[CPU_CLASS_TX_PIN] += cpu.classes[CPU_CLASS_COMPLETION];
	return part_of(&cpu, CPU_CLASS_TX_PIN, part, part);
}

/*
 * What MSG_ZEROCOPY costs beyond a copy in the send call: pinning and notifications, minus the
 * copies that it did spare. These are the sends that completed without one, at the measured cost of
 * the others. A receiver that maps (TCP_ZEROCOPY_RECEIVE) can do so only since its pages were
 * copied later: it would have to copy otherwise.
 */
static struct cost zerocopy_cost(const struct advice_row *row)
{
	struct cost extra = zerocopy_extra(row);
	struct cpu_share copy = cpu_time__share(&row->program->cpu, CPU_CLASS_DEFERRED_COPY);
	struct real copied = socket_ledger__copied_fraction(row->ledger);
	double spared;

	if (!copied.known || copied.value <= 0 || row->ledger->stages[NIO_STAGE_RX_MAP].bytes)
		return (struct cost){0};
	spared = (1 - copied.value) / copied.value;
	return (struct cost){extra.low - spared * copy.high, extra.high - spared * copy.low};
}

static struct cost advise_no_zerocopy(struct text *t, const struct advice_row *row)
{
	const struct socket_ledger *ledger = row->ledger;
	uint64_t pinned = ledger->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t deferred =
		u64__minus(ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes, ledger->deferred_again);
	struct cost c = zerocopy_cost(row);
	char more[96] = "";

	if (!is_worth(&c))
		return (struct cost){0};
	if (deferred > pinned)
		append__text(more, sizeof(more),
			     ", and the later copy of %s that were not pinned goes",
			     TEXT_BYTES(deferred - pinned));
	append(t, row,
	       "%s of %s zero-copy sends were copied, so zero-copy spares too little: "
	       "%snotifications "
	       "cost " COST ". Without MSG_ZEROCOPY the send call copies these bytes%s. ",
	       TEXT_COUNT(ledger->copied), TEXT_COUNT(ledger->completed),
	       pinned ? "pinning and " : "", PARTS(c), more);
	return c;
}

/* Zero-copy sends of a size at which a sweep found the copy cheaper. */
static struct cost advise_copying(struct text *t, const struct advice_row *row)
{
	const struct nio_amount *calls = &row->ledger->calls[NIO_CALL_ZEROCOPY];
	uint64_t mean = calls->events ? calls->bytes / calls->events : 0;
	const struct baseline_point *p = row->baseline && mean ? near(row->baseline, mean) : NULL;
	struct cost c = zerocopy_extra(row);

	if (!p || p->order != 1 || !is_worth(&c))
		return (struct cost){0};
	append(t, row,
	       "zero-copy sends of %s on average (%s): pinning and notifications cost " COST
	       "; up to about %s the copy costs less on this machine (measured by sweep, %s: "
	       "zero-copy "
	       "takes %.0f %% more CPU time at %s). ",
	       TEXT_SIZE(mean), TEXT_COUNT(calls->events), PARTS(c),
	       TEXT_SIZE(dearer_to(row->baseline, p)), row->baseline->path, p->change * 100,
	       TEXT_SIZE(p->size));
	return c;
}

/* Copying sends of a size at which a sweep found zero-copy cheaper. */
static struct cost advise_zerocopy(struct text *t, const struct advice_row *row)
{
	const struct nio_amount *calls = row->ledger->calls;
	uint64_t bytes = calls[NIO_CALL_PLAIN].bytes + calls[NIO_CALL_VECTORED].bytes;
	uint64_t nr = calls[NIO_CALL_PLAIN].events + calls[NIO_CALL_VECTORED].events;
	uint64_t mean = nr ? bytes / nr : 0;
	const struct baseline_point *p = row->baseline && nr ? near(row->baseline, mean) : NULL;
	double part = row->program->copied ? (double)bytes / (double)row->program->copied : 0;
	struct cost c = part_of(&row->program->cpu, CPU_CLASS_TX_COPY, part, part);

	if (!p || p->order != -1 || calls[NIO_CALL_ZEROCOPY].events || !is_worth(&c))
		return (struct cost){0};
	append(t, row,
	       "sends of %s on average (%s) are copied, which costs " COST
	       "; at %s zero-copy takes %.0f %% less CPU time than the copy (measured by sweep, "
	       "%s) "
	       "on "
	       "a path like the sweep's. ",
	       TEXT_SIZE(mean), TEXT_COUNT(nr), PARTS(c), TEXT_SIZE(p->size), -p->change * 100,
	       row->baseline->path);
	return c;
}

/* How many bytes of a row were read from files and sent by copy: from least to most. */
struct range {
	uint64_t least, most;
};

/*
 * rchar counts bytes by read() and sendfile. It includes read() on sockets but not recv(), so
 * between 0 and all of the received bytes are in it. Bytes copied on other sockets may also come
 * from files.
 */
static struct range file_bytes(const struct advice_row *row)
{
	const struct advice_program *p = row->program;
	uint64_t most = p->read.known ? u64__minus(p->read.value, p->spliced) : 0;
	uint64_t least =
		u64__minus(u64__minus(most, p->received), u64__minus(p->copied, row->copied));

	if (most > row->copied)
		most = row->copied;
	return (struct range){least < most ? least : most, most};
}

/*
 * The same at the end, of `sent` bytes: a process that has ended cannot be read again, and what it
 * copied since may come from files or not.
 */
static struct range file_bytes_of(const struct advice_row *row, uint64_t sent)
{
	struct range file = file_bytes(row);

	file.most += u64__minus(sent, row->copied);
	return (struct range){u64__least(file.least, sent), u64__least(file.most, sent)};
}

static struct cost advise_sendfile(struct text *t, const struct advice_row *row)
{
	const struct advice_program *p = row->program;
	uint64_t copied = row->ledger->stages[NIO_STAGE_TX_COPY].bytes;
	struct range file = file_bytes(row), of_all = file_bytes_of(row, copied);
	double all = p->copied ? (double)p->copied : 1;
	struct cost c = part_of(&p->cpu, CPU_CLASS_TX_COPY, (double)file.least / all,
				(double)file.most / all);
	const char *sent = TEXT_BYTES(copied), *least = TEXT_LEAST(of_all.least);
	const char *most = TEXT_MOST(of_all.most);
	const char *about =
		socket_ledger__is_estimate(row->ledger, NIO_SIDE_SENDER) ? "about " : "";
	char part[96];

	if (!row->sees_kinds || row->encrypts || row->ledger->unmeasured ||
	    row->ledger->tls[NIO_SIDE_SENDER].records || p->encrypted || !is_worth(&c))
		return (struct cost){0};
	if (of_all.least < of_all.most)
		snprintf(part, sizeof(part), "%s to %s of them", least, most);
	else
		snprintf(part, sizeof(part), "%s",
			 of_all.least < copied ? TEXT_BYTES(of_all.least) : "as many");
	append(t, row,
	       "%s%s were sent by copy, and %s%s were read from files or pipes: this copy "
	       "costs " COST
	       ". If the program sends these bytes unchanged, sendfile (of a file) or splice (of a "
	       "pipe) spares that copy and the reading. ",
	       about, sent, strcmp(part, "as many") ? about : "", part, PARTS(c));
	return c;
}

double advice__describe(char *text, size_t len, const struct advice_row *row)
{
	struct text t = {text, len};
	struct cost most, next;

	if (row->ledger->left_out || !row->program || !row->program->cpu.samples)
		return 0;
	most = advise_no_zerocopy(&t, row);
	if (most.low <= 0)
		most = advise_copying(&t, row);
	next = advise_zerocopy(&t, row);
	most = next.low > most.low ? next : most;
	next = advise_sendfile(&t, row);
	return next.low > most.low ? next.low : most.low;
}

void advice__ask_for_calls(char *text, size_t len, const struct advice_row *row)
{
	char advice[1024] = "";

	if (advice__describe(advice, sizeof(advice), row) > 0)
		append(&(struct text){text, len}, row,
		       "too few calls were seen for advice on copies: --count-calls watches every "
		       "call. ");
}

static bool has_copies(const struct followed *f)
{
	return f->per_byte.known && f->low > 0;
}

static void print_copies(struct text *t, const char *verb, const struct followed *f)
{
	append__text(t->text, t->len, "%.2f (%.2f to %.2f) copies of each byte that it %s",
		     f->per_byte.value, round_least(f->low, 2), round_most(f->high, 2), verb);
	if (f->function[0])
		append__text(t->text, t->len, ", most often in %s", f->function);
}

void advice__print_own_copies(char *text, size_t len, const struct followed_document *found,
			      const char *path, const struct cpu_samples *cpu)
{
	struct text t = {text, len};
	bool sent = has_copies(&found->sent), received = has_copies(&found->received);
	struct cost c = part_of(cpu, CPU_CLASS_USER, 1, 1);

	if ((!sent && !received) || !is_worth(&c))
		return;
	append__text(text, len, "%s itself makes on average ", found->comm);
	if (sent)
		print_copies(&t, "sends", &found->sent);
	if (sent && received)
		append__text(text, len, ", and ");
	if (received)
		print_copies(&t, "receives", &found->received);
	append__text(text, len,
		     ": part of the " COST
		     " that it takes outside the kernel (measured by follow, %s). ",
		     PARTS(c), path);
}
