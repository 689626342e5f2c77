/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the books balance and whether events were missed, over all modes and rounds. */
#include "common/units.h"
#include "text_end.h"
#include "text_list.h"

/* What adds up over the modes whose totals are of one moment. */
struct sums {
	uint64_t sent, received, unclassified, retransmitted;
	bool received_known, told;
	struct num missed, lost; /* lost: on the way, unmatched, for want of room */
	unsigned int modes;      /* in the sums */
	const char *not_final;   /* why one is not */
};

static void add_num(struct num *sum, const struct num *n)
{
	if (!n->known)
		sum->known = false;
	else
		sum->value += n->value;
}

static void add_events(struct sums *sums, const struct health *h)
{
	const struct num *const lost[] = {&h->dropped, &h->unmatched, &h->map_full};

	add_num(&sums->missed, &h->missed);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		sums->lost.value += lost[i]->known ? lost[i]->value : 0;
}

static struct sums sum_up(const struct result *r)
{
	struct sums sums = {.received_known = true, .missed = {.known = true}};

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		add_events(&sums, &run->health);
		sums.retransmitted += run->app.tcp_bytes_retrans;
		if (run->not_final) {
			sums.not_final = run->not_final;
			continue;
		}
		sums.modes++;
		sums.sent += run_result__sent(run);
		sums.received += run_result__received(run);
		sums.received_known &= !run->app.rx_reason;
		sums.told |= run->sender_side;
		if (run->unclassified.known)
			sums.unclassified += run->unclassified.value;
	}
	return sums;
}

static void say_bytes(FILE *f, const struct sums *sums)
{
	char sent[UNITS_BUF], received[UNITS_BUF];

	if (!sums->modes) {
		fprintf(f, "n/a: %s", sums->not_final);
		return;
	}
	fprintf(f, "Total %s sent", format_bytes_si(sent, sizeof(sent), (double)sums->sent));
	if (!sums->received_known)
		fputs(", n/a received", f);
	else
		fprintf(f, "%s%s received%s", sums->sent == sums->received ? " = " : ", ",
			format_bytes_si(received, sizeof(received), (double)sums->received),
			sums->told ? " (as the receiver reports)" : "");
	if (sums->not_final)
		fprintf(f, " (without a mode that was %s)", sums->not_final);
}

static void say_gap(FILE *f, const char *lead, int64_t bytes, const char *what)
{
	uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
	char buf[UNITS_BUF];

	fprintf(f, "%s%s%s B %s", lead, bytes < 0 ? "-" : "", format_count(buf, sizeof(buf), size),
		what);
}

/* Mode by mode: opposite signs must not cancel out. */
static bool say_unbalanced(FILE *f, const struct result *r)
{
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (!run->balance_known || (!run->unaccounted_tx && !run->unaccounted_rx))
			continue;
		fprintf(f, "%s%s", any ? "; " : "UNACCOUNTED: ", mode__words(r->summary[i].mode));
		say_gap(f, " ", run->unaccounted_tx, "sent");
		if (!run->sender_side)
			say_gap(f, ", ", run->unaccounted_rx, "received");
		any = true;
	}
	return any;
}

/* Why a balance is not known, other than that the totals are not final. */
static const char *unknown_balance(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (run->balance_known || run->not_final)
			continue;
		if (!run->ledger_known)
			return run->ledger_reason ? run->ledger_reason : "there is no ledger";
		return "bytes sent or received are not known";
	}
	return NULL;
}

static void say_balance(FILE *f, const struct result *r, const struct sums *sums)
{
	const char *unknown = unknown_balance(r);
	char buf[UNITS_BUF];

	if (say_unbalanced(f, r))
		return;
	if (unknown)
		fprintf(f, "unaccounted n/a: %s", unknown);
	else if (sums->modes)
		fputs("0 B unaccounted", f);
	if (sums->unclassified)
		fprintf(f, ", %s unclassified (events were missed)",
			format_bytes_si(buf, sizeof(buf), (double)sums->unclassified));
}

static void say_events(FILE *f, const struct result *r, const struct sums *sums)
{
	char buf[UNITS_BUF];

	if (!r->summary[0].total.ledger_known)
		return;
	if (sums->missed.known)
		fprintf(f, "%s event%s missed", format_count(buf, sizeof(buf), sums->missed.value),
			plural(sums->missed.value));
	else
		fputs("events missed n/a", f);
	if (sums->lost.value)
		fprintf(f, ", %s lost", format_count(buf, sizeof(buf), sums->lost.value));
}

static void say_retransmitted(FILE *f, const struct sums *sums)
{
	char buf[UNITS_BUF];

	if (sums->retransmitted)
		fprintf(f, "%s retransmitted",
			format_bytes_si(buf, sizeof(buf), (double)sums->retransmitted));
}

int text_checked__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines)
{
	const struct text_list_form form = {
		.label = "CHECKED", .separator = ", ", .columns = columns, .lines = lines};
	struct sums sums = sum_up(r);
	struct text_list l;
	int err = text_list__begin(&l);

	if (err)
		return err;
	say_bytes(l.f, &sums);
	text_list__next(&l);
	say_balance(l.f, r, &sums);
	text_list__next(&l);
	say_events(l.f, r, &sums);
	text_list__next(&l);
	say_retransmitted(l.f, &sums);
	text_list__next(&l);
	return text_list__end(&l, f, &form);
}
