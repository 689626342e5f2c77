/* SPDX-License-Identifier: GPL-2.0-only */
/* Advice on cheaper ways to send; see advice.h. Pure. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "base/printable.h"
#include "common/units.h"
#include "model/sampled_share.h"
#include "study/analysis.h"
#include "study/dataset_files.h"

/* CPU time that an advice would spare: shares of the program's, 0..1. */
struct cost {
	double low, high;
};

static bool is_worth(const struct cost *c)
{
	return c->low >= ADVICE_COST_MIN && c->high - c->low < SAMPLED_USEFUL;
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
#define COST     "%.0f to %.0f %% of the CPU time"
#define PARTS(c) (c).low * 100, (c).high * 100

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
	const struct socket_ledger *b = row->ledger;
	uint64_t pinned = b->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t deferred = u64__minus(b->stages[NIO_STAGE_DEFERRED_COPY].bytes, b->deferred_again);
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
	       TEXT_COUNT(b->copied), TEXT_COUNT(b->completed), pinned ? "pinning and " : "",
	       PARTS(c), more);
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

static struct cost advise_sendfile(struct text *t, const struct advice_row *row)
{
	const struct advice_program *p = row->program;
	struct range file = file_bytes(row);
	double all = p->copied ? (double)p->copied : 1;
	struct cost c = part_of(&p->cpu, CPU_CLASS_TX_COPY, (double)file.least / all,
				(double)file.most / all);
	const char *sent = TEXT_BYTES(row->copied), *least = TEXT_BYTES(file.least);
	const char *most = TEXT_BYTES(file.most);
	char part[96];

	if (!row->sees_kinds || row->encrypts || row->ledger->unmeasured ||
	    row->ledger->tls[NIO_SIDE_SENDER].records || p->encrypted || !is_worth(&c))
		return (struct cost){0};
	if (strcmp(least, most))
		snprintf(part, sizeof(part), "%s to %s of them", least, most);
	else
		snprintf(part, sizeof(part), "%s", strcmp(least, sent) ? least : "as many");
	append(t, row,
	       "%s were sent by copy, and %s were read from files or pipes: this copy costs " COST
	       ". If the program sends the bytes of a file unchanged, sendfile spares that copy "
	       "and "
	       "the reading. ",
	       sent, part, PARTS(c));
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

static bool has_copies(const struct followed *f)
{
	return f->per_byte.known && f->low > 0;
}

static void print_copies(struct text *t, const char *verb, const struct followed *f)
{
	append__text(t->text, t->len, "%s %.2f times (%.2f to %.2f)", verb, f->per_byte.value,
		     f->low, f->high);
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
	append__text(text, len, "%s itself copies each byte that it ", found->comm);
	if (sent)
		print_copies(&t, "sends", &found->sent);
	if (received)
		print_copies(&t, sent ? ", and each that it receives" : "receives",
			     &found->received);
	append__text(text, len,
		     ": part of the " COST
		     " that it takes outside the kernel (measured by follow, %s). ",
		     PARTS(c), path);
}

/*
 * Zero-copy's cost against one-copy's at a size: the smallest difference that is certain at a
 * thread count; none where thread counts disagree.
 */
static struct baseline_point point_of(const struct analysis *a, uint64_t size, enum metric m)
{
	struct baseline_point p = {.size = size, .change = (double)NAN};

	for (size_t t = 0; t < a->threads_nr; t++) {
		struct finding f = analysis__compare_modes(
			a, analysis__cell(a, MODE_ZEROCOPY, size, a->threads[t]),
			analysis__cell(a, MODE_ONECOPY, size, a->threads[t]), m);

		if (!finding__holds(&f))
			continue;
		if (p.order && p.order != f.sign)
			return (struct baseline_point){.size = size, .change = (double)NAN};
		if (!p.order || fabs(f.change) < fabs(p.change))
			p.change = f.change;
		p.order = f.sign;
	}
	return p;
}

static void add_points(struct baseline *b, const struct analysis *a)
{
	enum metric m = analysis__has(a, METRIC_CPU_NS_PER_KIB) ? METRIC_CPU_NS_PER_KIB
								: METRIC_CPU_S_NS_PER_KIB;

	for (size_t i = 0; i < a->sizes_nr && b->nr < BASELINE_SIZES_MAX; i++)
		b->points[b->nr++] = point_of(a, a->sizes[i], m);
}

int baseline__read(struct baseline *b, const char *path, char *message, size_t len)
{
	char problem[DATASET_MESSAGE_MAX] = "";
	struct dataset d = {0};
	struct analysis a;
	int err;

	dataset_files__hold_only(path);
	err = dataset__load(&d, path, (double)NAN, problem);
	dataset_files__release();
	*b = (struct baseline){.path = path};
	if (!err) {
		analysis__init(&a, &d);
		if (a.has_mode[MODE_ZEROCOPY] && a.has_mode[MODE_ONECOPY])
			add_points(b, &a);
		analysis__clear(&a);
	}
	dataset__clear(&d);
	if (!err && !b->nr)
		err = -ENODATA;
	if (err)
		snprintf(message, len, "--baseline %s: %s", path,
			 err == -ENODATA ? "it has no runs of both zerocopy and onecopy."
			 : problem[0]    ? problem
					 : "out of memory.");
	return err;
}
