/* SPDX-License-Identifier: GPL-2.0-only */
/* The published table beside a sweep's figures; see sigcomm21.h. */
#include "sigcomm21.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/stats.h"
#include "common/xalloc.h"
#include "screen/text_cells.h"
#include "write/json_value.h"

/* Figures of a row; per cent for [NIO_SIDE_NR]. */
struct figures {
	double gbps, per_core; /* Gbit/s; per_core: throughput / CPUs of the busier side */
	double cpu[NIO_SIDE_NR], copy[NIO_SIDE_NR];
};

static const struct published {
	const char *name;
	bool offloads, arfs; /* offloads: TSO and GRO */
	unsigned int mtu;
	struct figures figures;
} published[SIGCOMM21_NR] = {
	[SIGCOMM21_NONE] = {"none", false, false, 1500, {9.0, 4.8, {102, 186}, {5.9, 7.4}}},
	[SIGCOMM21_TSO_GRO] = {"TSO/GRO", true, false, 1500, {26.6, 15.0, {80, 175}, {28.6, 29.8}}},
	[SIGCOMM21_JUMBO] = {"+ jumbo", true, false, 9000, {32.5, 27.6, {67, 114}, {36.8, 44.5}}},
	[SIGCOMM21_ARFS] = {"+ aRFS", true, true, 9000, {42.2, 41.2, {60, 100}, {48.0, 54.3}}},
};

/* ---- settings ---- */

enum setting_kind { OFFLOAD, MTU, ARFS };

/* Data goes from the sender's TSO to the receiver's GRO; aRFS also steers acknowledgements. */
static const struct setting {
	const char *words, *path; /* path: in the environment */
	enum setting_kind kind;
} settings[] = {
	{"sender's TSO", "offloads.tso", OFFLOAD},
	{"receiver's GRO", "receiver.gro", OFFLOAD},
	{"sender's MTU", "mtu", MTU},
	{"receiver's MTU", "receiver.mtu", MTU},
	{"sender's aRFS", "arfs", ARFS},
	{"receiver's aRFS", "receiver.arfs", ARFS},
};

static bool is_of_row(const struct published *row, const struct setting *s, const json_t *value)
{
	bool wanted = s->kind == ARFS ? row->arfs : row->offloads;

	if (s->kind == MTU)
		return json_integer_value(value) == row->mtu;
	return json_is_boolean(value) && json_is_true(value) == wanted;
}

static const json_t *value_of(const json_t *environment, const struct setting *s,
			      const char **reason)
{
	const json_t *parent, *value;
	const char *name;

	value = json_value__at(environment, s->path, &parent, &name);
	*reason = json_value__reason(parent, name);
	return value;
}

enum sigcomm21_row sigcomm21__row(const json_t *environment)
{
	const char *reason;

	for (int row = 0; row < SIGCOMM21_NR; row++) {
		size_t i = 0;

		while (i < ARRAY_SIZE(settings) &&
		       is_of_row(&published[row], &settings[i],
				 value_of(environment, &settings[i], &reason)))
			i++;
		if (i == ARRAY_SIZE(settings))
			return row;
	}
	return SIGCOMM21_NR;
}

/* ---- figures: the median of the rounds that have one; NaN: none ---- */

/* The classes of a line of the lower table; the paper's names. */
#define DATA_COPY                                                                                 \
	((1U << CPU_CLASS_GATHER) | (1U << CPU_CLASS_TX_COPY) | (1U << CPU_CLASS_DEFERRED_COPY) | \
	 (1U << CPU_CLASS_RX_COPY) | (1U << CPU_CLASS_OTHER_COPY))
#define NAMED                                                                                      \
	(DATA_COPY | (1U << CPU_CLASS_TCP_IP) | (1U << CPU_CLASS_NETDEV) | (1U << CPU_CLASS_SKB) | \
	 (1U << CPU_CLASS_MEMORY) | (1U << CPU_CLASS_LOCK) | (1U << CPU_CLASS_SCHEDULING))

#define ALL ((1U << CPU_CLASS_NR) - 1)

static const struct {
	const char *words;
	unsigned int classes; /* bits of enum cpu_class */
} class_lines[] = {
	{"data copy", DATA_COPY},
	{"TCP/IP", 1U << CPU_CLASS_TCP_IP},
	{"netdev", 1U << CPU_CLASS_NETDEV},
	{"skb", 1U << CPU_CLASS_SKB},
	{"memory", 1U << CPU_CLASS_MEMORY},
	{"lock", 1U << CPU_CLASS_LOCK},
	{"scheduling", 1U << CPU_CLASS_SCHEDULING},
	{"rest", ALL & ~NAMED},
};

static double gbps(const struct dataset_row *r, enum nio_side side, unsigned int classes)
{
	(void)side;
	(void)classes;
	return r->value[METRIC_GBPS];
}

/* ns per KiB on top of other tasks, of these classes. */
static double elsewhere(const struct dataset_row *r, enum nio_side side, unsigned int classes)
{
	double sum = 0;

	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (classes & 1U << c)
			sum += r->value[METRIC_ELSEWHERE(side, c)];
	return sum;
}

/* ns per KiB of the process, and of softirq work on top of other tasks of its machine. */
static double all_ns(const struct dataset_row *r, enum nio_side side)
{
	return r->value[side ? METRIC_CPU_R_NS_PER_KIB : METRIC_CPU_S_NS_PER_KIB] +
	       elsewhere(r, side, ALL);
}

static double cpu(const struct dataset_row *r, enum nio_side side, unsigned int classes)
{
	(void)classes;
	return all_ns(r, side) * r->value[METRIC_PAYLOAD] / 1024 / 1e9 / r->value[METRIC_DURATION] *
	       100;
}

static double per_core(const struct dataset_row *r, enum nio_side side, unsigned int classes)
{
	double sender = cpu(r, NIO_SIDE_SENDER, classes);
	double receiver = cpu(r, NIO_SIDE_RECEIVER, classes);

	(void)side;
	return r->value[METRIC_GBPS] * 100 / (sender > receiver ? sender : receiver) +
	       0 * (sender + receiver); /* unknown if either is */
}

static double share(const struct dataset_row *r, enum nio_side side, unsigned int classes)
{
	double sum = elsewhere(r, side, classes);

	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (classes & 1U << c)
			sum += r->value[METRIC_CLASS(side, c)];
	return 100 * sum / all_ns(r, side);
}

static double median(const struct dataset *d,
		     double (*value)(const struct dataset_row *r, enum nio_side side,
				     unsigned int classes),
		     enum nio_side side, unsigned int classes)
{
	double *values = xcalloc(d->rows_nr + 1, sizeof(*values)), result;

	for (size_t i = 0; i < d->rows_nr; i++)
		values[i] = value(&d->rows[i], side, classes);
	result = stats__median(values, stats__sort(values, d->rows_nr));
	free(values);
	return result;
}

static struct figures measured(const struct dataset *d)
{
	struct figures m = {
		.gbps = median(d, gbps, NIO_SIDE_SENDER, 0),
		.per_core = median(d, per_core, NIO_SIDE_SENDER, 0),
	};

	for (enum nio_side side = 0; side < NIO_SIDE_NR; side++) {
		m.cpu[side] = median(d, cpu, side, 0);
		m.copy[side] = median(d, share, side, DATA_COPY);
	}
	return m;
}

/* ---- the tables ---- */

static void put_number(FILE *f, int width, int digits, double x)
{
	if (isnan(x))
		fprintf(f, " %*s", width, "n/a");
	else
		fprintf(f, " %*.*f", width, digits, x);
}

static void put_row(FILE *f, const char *name, const char *whose, const struct figures *m)
{
	fprintf(f, "%-8s %-9s", name, whose);
	put_number(f, 7, 1, m->gbps);
	put_number(f, 9, 1, m->per_core);
	put_number(f, 7, 0, m->cpu[NIO_SIDE_SENDER]);
	put_number(f, 8, 0, m->cpu[NIO_SIDE_RECEIVER]);
	put_number(f, 7, 1, m->copy[NIO_SIDE_SENDER]);
	put_number(f, 8, 1, m->copy[NIO_SIDE_RECEIVER]);
	fputc('\n', f);
}

static void put_rows(FILE *f, const struct dataset *d, enum sigcomm21_row here)
{
	const struct figures m = measured(d);

	fprintf(f, "%53s%17s\n", "CPU %", "data copy %");
	fputs("                   Gbit/s  per core  sender receiver  sender receiver\n", f);
	for (int row = 0; row < SIGCOMM21_NR; row++) {
		put_row(f, published[row].name, "published", &published[row].figures);
		if (row == (int)here)
			put_row(f, "", "here", &m);
	}
	if (here == SIGCOMM21_NR)
		put_row(f, "no row", "here", &m);
	fputs("\nhere, % of CPU  sender receiver\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(class_lines); i++) {
		fprintf(f, "%-14s", class_lines[i].words);
		for (enum nio_side side = 0; side < NIO_SIDE_NR; side++)
			put_number(f, 7 + (int)side, 1,
				   median(d, share, side, class_lines[i].classes));
		fputc('\n', f);
	}
	fputc('\n', f);
}

/* ---- the notes ---- */

/* A reason is said once. */
static void put_unknown(FILE *f, const char *reason, const char **said)
{
	fputs("n/a", f);
	if (!*said || strcmp(*said, reason) != 0)
		fprintf(f, " (%s)", reason);
	*said = reason;
}

static void put_settings(FILE *f, const struct dataset *d, enum sigcomm21_row here)
{
	const char *said = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		const char *reason;
		const json_t *value = value_of(d->environment, &settings[i], &reason);

		fprintf(f, "%s%s ", i ? ", " : "", settings[i].words);
		if (json_is_integer(value))
			fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		else if (json_is_boolean(value))
			fputs(json_is_true(value) ? "on" : "off", f);
		else
			put_unknown(f, reason ? reason : "not measured", &said);
	}
	if (d->environment_varies)
		fputs(". The environment changed during the sweep: no row.", f);
	else if (here == SIGCOMM21_NR)
		fputs(". No row of the table has these settings.", f);
	else
		fprintf(f, ": the row '%s'.", published[here].name);
}

static const char *text_at(const json_t *environment, const char *path)
{
	const char *text = json_string_value(json_value__at(environment, path, NULL, NULL));

	return text ? text : "n/a";
}

static void put_differences(FILE *f, const json_t *e)
{
	const char *sender = text_at(e, "driver"), *receiver = text_at(e, "receiver.driver");

	fprintf(f,
		"published: Linux 5.4 with three patches, ConnectX-5 (mlx5_core, 100 Gbit/s), no "
		"virtual machine. Here: Linux %s and %s, drivers %s and %s, virtual machine: %s "
		"and %s.",
		text_at(e, "kernel"), text_at(e, "receiver.kernel"), sender, receiver,
		text_at(e, "virtualization"), text_at(e, "receiver.virtualization"));
	if (!strcmp(sender, "veth") || !strcmp(receiver, "veth"))
		fputs(" veth is a virtual path: no packet passes a NIC.", f);
	fputs(" GSO stays on in every row: a stock kernel cannot switch it off for TCP. CPU % is "
	      "of the load generator's processes, and of TCP's softirq work for "
	      "them, as sampled, on top of other tasks; the published one is of all CPUs. Where a "
	      "kernel "
	      "accounts interrupts apart (CONFIG_IRQ_TIME_ACCOUNTING), softirq work on top of the "
	      "load generator is missing.",
	      f);
}

/* Why figures are missing; each reason once. */
static void put_reasons(FILE *f, const struct dataset *d)
{
	static const struct {
		const char *words;
		enum metric metric;
	} causes[] = {
		{"the sender's CPU time", METRIC_CPU_SENDER},
		{"the receiver's CPU time", METRIC_CPU_RECEIVER},
		{"the sender's classes", METRIC_CLASS_S_TX_COPY},
		{"the receiver's classes", METRIC_CLASS_R_RX_COPY},
	};
	const char *before = "";

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		size_t row = 0;

		while (row < d->rows_nr && isnan(d->rows[row].value[causes[i].metric]))
			row++;
		if (row < d->rows_nr)
			continue;
		fprintf(f, "%s%s: %s", before, causes[i].words,
			d->reason[causes[i].metric] ? d->reason[causes[i].metric] : "not measured");
		before = "; ";
	}
}

/* The device's name is a file's or another machine's word: it is printable, and quoted. */
static void put_commands(FILE *f, const struct published *row, const char *machine,
			 const json_t *environment, bool ntuple)
{
	const char *word = json_string_value(json_object_get(environment, "device"));
	char device[64];

	fprintf(f, "  %-8s %-9s ", row->name, machine);
	if (!word) {
		fputs("n/a: its device is not known\n", f);
		return;
	}
	printable(device, sizeof(device), word);
	fputs("ip link set ", f);
	shell__put_word(f, device);
	fprintf(f, " mtu %u; ethtool -K ", row->mtu);
	shell__put_word(f, device);
	fprintf(f, " tso %s gro %s%s\n", row->offloads ? "on" : "off", row->offloads ? "on" : "off",
		row->arfs ? " ntuple on"
		: ntuple  ? " ntuple off"
			  : "");
	if (!row->arfs)
		return;
	fprintf(f,
		"%21secho 32768 >/proc/sys/net/core/rps_sock_flow_entries\n"
		"%21secho 2048 | tee /sys/class/net/",
		"", "");
	shell__put_word(f, device);
	fputs("/queues/rx-*/rps_flow_cnt\n", f);
}

static void put_other_rows(FILE *f, const json_t *e, enum sigcomm21_row here)
{
	const json_t *receiver = json_object_get(e, "receiver");
	bool ntuple = json_is_true(json_object_get(e, "arfs")) ||
		      json_is_true(json_object_get(receiver, "arfs"));

	fputs("\nThe settings of the other rows, for root, then the same sweep into another "
	      "directory:\n",
	      f);
	for (int row = 0; row < SIGCOMM21_NR; row++) {
		if (row == (int)here)
			continue;
		put_commands(f, &published[row], "sender", e, ntuple);
		put_commands(f, &published[row], "receiver", receiver, ntuple);
	}
}

void sigcomm21__write(FILE *f, unsigned int width, const struct dataset *d)
{
	enum sigcomm21_row here =
		d->environment_varies ? SIGCOMM21_NR : sigcomm21__row(d->environment);
	struct text_note n;

	fputs("\n" SIGCOMM21_NAME ": beside \"Understanding Host Network Stack Overheads\"\n\n", f);
	put_rows(f, d, here);
	text_note__begin(&n);
	put_settings(n.f, d, here);
	text_note__end(&n, f, width, "settings");
	text_note__begin(&n);
	put_differences(n.f, d->environment);
	text_note__end(&n, f, width, "differs");
	text_note__begin(&n);
	put_reasons(n.f, d);
	text_note__end(&n, f, width, "n/a");
	put_other_rows(f, d->environment, here);
}
