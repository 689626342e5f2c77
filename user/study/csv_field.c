/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of CSV columns; see csv_field.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csv_field.h"

#define NAME_MAX_LEN 128 /* no field has a longer name */

struct field {
	const char *name;
	enum column_kind kind;
	enum metric metric;
	enum csv_dimension dimension;
	const char *assumed; /* unit where the header states none; NULL: needs none */
	const char *names;   /* preferred ones first: letters and digits, lower case */
	const char *bare;    /* names that need a unit after them; "." is the unit alone */
};

/* clang-format off */
#define KEY(kind) COLUMN_##kind, METRIC_NR
#define NUMBER(metric) COLUMN_METRIC, METRIC_##metric
#define COUNT(name, metric, names) {name, NUMBER(metric), DIMENSION_COUNT, NULL, names, ""}

/* The one table of field names. docs/reference/report.md, "Columns of other data sets", lists the names. */
static const struct field fields[] = {
	{"mode", KEY(MODE), DIMENSION_NONE, NULL,
	 "mode implementation impl variant approach method copymode sendmode type version", ""},
	{"copies", KEY(MODE), DIMENSION_NONE, NULL, "copies numcopies copycount", ""},
	{"size", KEY(SIZE), DIMENSION_SIZE, NULL,
	 "size messagesize msgsize msgbytes messagebytes messagelength msglen payloadsize buffersize bufsize", ""},
	{"field_size", KEY(FIELD_SIZE), DIMENSION_SIZE, NULL,
	 "fieldsize fieldbytes fieldlength fieldlen bytesperfield", ""},
	{"threads", KEY(THREADS), DIMENSION_COUNT, NULL,
	 "threads threadcount numthreads nthreads nrthreads thread workers workercount numworkers nworkers "
	 "clients clientcount numclients nclients connections connectioncount numconnections conns numconns "
	 "nconns concurrency", ""},
	{"round", KEY(ROUND), DIMENSION_COUNT, NULL,
	 "round roundid run runid runno iteration iter trial repetition repeat rep attempt", ""},
	{"fields", KEY(FIELDS), DIMENSION_COUNT, NULL,
	 "fields numfields nfields fieldcount fieldspermessage", ""},
	{"interrupted", KEY(INTERRUPTED), DIMENSION_NONE, NULL, "interrupted", ""},
	{"verdict_cause", KEY(CAUSE), DIMENSION_NONE, NULL, "verdictcause", ""},
	{"verdict_text", KEY(VERDICT), DIMENSION_NONE, NULL, "verdicttext", ""},
	{"throughput", NUMBER(GBPS), DIMENSION_RATE, "Gbit/s",
	 "throughput totalthroughput aggregatethroughput avgthroughput meanthroughput averagethroughput "
	 "goodput bandwidth bw", ". total aggregate avg mean average rate"},
	{"latency", NUMBER(LATENCY), DIMENSION_NS, "us",
	 "latency avglatency meanlatency averagelatency latencyavg latencymean medianlatency latencymedian "
	 "latencyp50 p50latency latency50 onewaylatency avgoneway weightedavgoneway oneway rtt avgrtt lat avglat",
	 "avg mean average median p50"},
	{"duration", NUMBER(DURATION), DIMENSION_S, "s",
	 "duration elapsed elapsedtime timeelapsed secondstimeelapsed runtime walltime testduration time totaltime", ""},
	{"bytes", NUMBER(RX_BYTES), DIMENSION_BYTES, NULL,
	 "bytes totalbytes bytesreceived receivedbytes rxbytes bytestransferred transferredbytes totaldata",
	 "total received transferred data"},
	{"bytes_sent", NUMBER(TX_BYTES), DIMENSION_BYTES, NULL, "bytessent sentbytes txbytes", "sent"},
	COUNT("messages", RX_MESSAGES, "messages totalmessages msgs totalmsgs nummessages nummsgs messagecount msgcount "
	      "messagesreceived msgsreceived rxmessages"),
	COUNT("messages_sent", TX_MESSAGES, "messagessent msgssent txmessages sentmessages"),
	COUNT("cycles", CYCLES, "cycles cpucycles totalcycles"),
	COUNT("instructions", INSTRUCTIONS, "instructions totalinstructions instr insns"),
	COUNT("l1d_misses", L1D_MISSES, "l1dmisses l1misses l1dcacheloadmisses l1dloadmisses l1miss l1dmiss "
	      "l1cachemisses l1dcachemisses l1loadmisses l1cachemiss"),
	COUNT("llc_references", LLC_REFERENCES, "llcreferences llcrefs llcloads cachereferences cacherefs"),
	COUNT("llc_misses", LLC_MISSES, "llcmisses llcloadmisses llcmiss llccachemisses llcloadmiss l3misses l3cachemisses "
	      "lastlevelcachemisses cachemisses cachemiss"),
	COUNT("dtlb_misses", DTLB_MISSES, "dtlbmisses dtlbloadmisses dtlbmiss tlbmisses"),
	COUNT("branches", BRANCHES, "branches branchinstructions"),
	COUNT("branch_misses", BRANCH_MISSES, "branchmisses branchmiss branchmispredicts"),
	COUNT("context_switches", CONTEXT_SWITCHES, "contextswitches contextswitch ctxswitches ctxswitch ctxtswitches ctxsw "
	      "cswitches csw cs"),
	COUNT("cpu_migrations", CPU_MIGRATIONS, "cpumigrations cpumigration migrations"),
	COUNT("page_faults", PAGE_FAULTS, "pagefaults pagefault pgfaults faults"),
	{"task_clock", NUMBER(TASK_CLOCK_NS), DIMENSION_NS, "ms", "taskclock", ""},
	COUNT("zerocopy_sends", ZC_SENDS, "zerocopysends zcsends"),
	COUNT("completions", ZC_COMPLETED, "completions zerocopycompletions zccompletions"),
	COUNT("copied_completions", ZC_COPIED, "copiedcompletions completionscopied zerocopycopied zccopied"),
	COUNT("enobufs", ZC_ENOBUFS, "enobufs"),
};

/*
 * Units after a name or a number. Only case distinguishes bits from bytes ("Gb", "GB"): these rows
 * come first and are compared exactly; the rest in lower case.
 */
static const struct unit {
	const char *names; /* separated by blanks */
	bool exact;
	enum csv_dimension dimension; /* DIMENSION_NS is also DIMENSION_S */
	double scale;
	const char *shown;
} units[] = {
	{"GBps GBs", true, DIMENSION_RATE, 8, "GB/s"},
	{"MBps MBs", true, DIMENSION_RATE, 8e-3, "MB/s"},
	{"KBps KBs", true, DIMENSION_RATE, 8e-6, "kB/s"},
	{"Bps Bs", true, DIMENSION_RATE, 8e-9, "B/s"},
	{"Gb", true, DIMENSION_BYTES, 1e9 / 8, "Gbit"},
	{"Mb", true, DIMENSION_BYTES, 1e6 / 8, "Mbit"},
	{"Kb", true, DIMENSION_BYTES, 1e3 / 8, "kbit"},
	{"gibps gibs", false, DIMENSION_RATE, 8.589934592, "GiB/s"},
	{"mibps mibs", false, DIMENSION_RATE, 8.388608e-3, "MiB/s"},
	{"bytespersec bytesps bytess", false, DIMENSION_RATE, 8e-9, "B/s"},
	{"gbitps gbits gbitsps gbps gbs", false, DIMENSION_RATE, 1, "Gbit/s"},
	{"mbitps mbits mbitsps mbps mbs", false, DIMENSION_RATE, 1e-3, "Mbit/s"},
	{"kbitps kbits kbps", false, DIMENSION_RATE, 1e-6, "kbit/s"},
	{"bitps bps", false, DIMENSION_RATE, 1e-9, "bit/s"},
	{"milliseconds msecs msec ms", false, DIMENSION_NS, 1e6, "ms"},
	{"microseconds usecs usec us", false, DIMENSION_NS, 1e3, "us"},
	{"nanoseconds nsecs nsec ns", false, DIMENSION_NS, 1, "ns"},
	{"seconds secs sec s", false, DIMENSION_NS, 1e9, "s"},
	{"bytes byte b", false, DIMENSION_SIZE, 1, "B"},
	{"kib kbytes kb k", false, DIMENSION_SIZE, 1024, "KiB"},
	{"mib mbytes mb m", false, DIMENSION_SIZE, 1048576, "MiB"},
	{"gib gb g", false, DIMENSION_SIZE, 1073741824, "GiB"},
	{"bytes byte b", false, DIMENSION_BYTES, 1, "B"},
	{"kib", false, DIMENSION_BYTES, 1024, "KiB"},
	{"mib", false, DIMENSION_BYTES, 1048576, "MiB"},
	{"gib", false, DIMENSION_BYTES, 1073741824, "GiB"},
	{"gbit", false, DIMENSION_BYTES, 1e9 / 8, "Gbit"},
	{"mbit", false, DIMENSION_BYTES, 1e6 / 8, "Mbit"},
	{"kb", false, DIMENSION_BYTES, 1e3, "kB"},
	{"mb", false, DIMENSION_BYTES, 1e6, "MB"},
	{"gb", false, DIMENSION_BYTES, 1e9, "GB"},
	{"billions", false, DIMENSION_COUNT, 1e9, "10^9"},
	{"millions", false, DIMENSION_COUNT, 1e6, "10^6"},
	{"thousands", false, DIMENSION_COUNT, 1e3, "10^3"},
	{"count", false, DIMENSION_COUNT, 1, ""},
};
/* clang-format on */

#define ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))

/* A name as letters and digits: as written, and in lower case. */
struct flat {
	char text[NAME_MAX_LEN], lower[NAME_MAX_LEN];
	size_t len;
};

/* U+00B5 and U+03BC, micro: written as u. */
static bool is_micro(const char *s)
{
	return !strncmp(s, "\xc2\xb5", 2) || !strncmp(s, "\xce\xbc", 2);
}

static bool flatten(struct flat *f, const char *name, size_t n)
{
	const char *end = name + n;
	char c;

	f->len = 0;
	for (; name < end; name++) {
		c = is_micro(name) ? 'u' : *name;
		if (!isalnum((unsigned char)c))
			continue;
		if (f->len + 1 >= NAME_MAX_LEN)
			return false;
		f->text[f->len] = c;
		f->lower[f->len++] = (char)tolower((unsigned char)c);
	}
	f->text[f->len] = f->lower[f->len] = '\0';
	return true;
}

bool csv_field__same(const char *a, const char *b)
{
	struct flat x, y;

	if (!flatten(&x, a, strlen(a)) || !flatten(&y, b, strlen(b)))
		return !strcmp(a, b);
	return x.len == y.len && !memcmp(x.lower, y.lower, x.len);
}

/* The position of word in list, from 1; 0: not in it. */
static unsigned int place_in(const char *list, const char *word, size_t len)
{
	unsigned int place = 1;
	size_t n;

	for (; *list; list += n + (list[n] == ' '), place++) {
		n = strcspn(list, " ");
		if (n == len && !memcmp(list, word, n))
			return place;
	}
	return 0;
}

/* The unit that is all of f; NULL: the dimension has no such. */
static const struct unit *find_unit(const struct flat *f, enum csv_dimension d)
{
	enum csv_dimension listed = d == DIMENSION_S ? DIMENSION_NS : d;

	for (const struct unit *u = units; u < units + ELEMENTS(units); u++)
		if (u->dimension == listed &&
		    place_in(u->names, u->exact ? f->text : f->lower, f->len))
			return u;
	return NULL;
}

static double scale_of(const struct unit *u, enum csv_dimension d)
{
	return d == DIMENSION_S ? u->scale / 1e9 : u->scale;
}

double csv_field__unit(const char *unit, enum csv_dimension dimension)
{
	const struct unit *u = NULL;
	struct flat f;

	if (flatten(&f, unit, strlen(unit)))
		u = find_unit(&f, dimension);
	return u ? scale_of(u, dimension) : (double)NAN;
}

static void set_match(struct csv_match *m, const struct field *f, const struct unit *u,
		      unsigned int rank)
{
	const char *unit = u ? u->shown : f->assumed;
	double scale = 1;

	if (u)
		scale = scale_of(u, f->dimension);
	else if (unit)
		scale = csv_field__unit(unit, f->dimension);
	else if (f->dimension == DIMENSION_SIZE || f->dimension == DIMENSION_BYTES)
		unit = "B";
	*m = (struct csv_match){.kind = f->kind,
				.metric = f->metric,
				.dimension = f->dimension,
				.scale = scale,
				.field = f->name,
				.unit = unit ? unit : "",
				.rank = rank,
				.assumed = !u && f->assumed};
}

/* A name without a unit, or with one in brackets after it (unit, may be NULL). */
static bool match_whole(const struct flat *name, const struct flat *unit, struct csv_match *m)
{
	for (const struct field *f = fields; f < fields + ELEMENTS(fields); f++) {
		const struct unit *u = unit ? find_unit(unit, f->dimension) : NULL;
		unsigned int rank = place_in(f->names, name->lower, name->len);

		if (!rank && unit)
			rank = place_in(f->bare, name->len ? name->lower : ".",
					name->len ? name->len : 1);
		if (!rank || (unit && !u))
			continue;
		set_match(m, f, u, rank);
		return true;
	}
	return false;
}

/* A name that ends in a unit: latency_us, ThroughputGbps, total_Gb. */
static bool match_suffix(const struct flat *name, struct csv_match *m)
{
	for (size_t len = name->len; len-- > 0;) {
		struct flat base, unit;

		flatten(&base, name->text, len);
		flatten(&unit, name->text + len, name->len - len);
		if (match_whole(&base, &unit, m))
			return true;
	}
	return false;
}

/* Turns a counter of the whole run into that of a side. False: it has no sides. */
static bool set_side(struct csv_match *m, int side)
{
	if (m->kind != COLUMN_METRIC || m->metric < METRIC_PERF_BOTH(0) ||
	    m->metric >= METRIC_PERF_BOTH(PERF_NR))
		return false;
	m->metric = METRIC_PERF(side, m->metric - METRIC_PERF_BOTH(0));
	m->field = metric__path(m->metric);
	return true;
}

/* client_cycles, llc_misses_server: a counter of one side. */
static bool match_side(const struct flat *name, struct csv_match *m)
{
	static const struct {
		const char *word;
		int side;
	} sides[] = {{"client", NIO_SIDE_SENDER},
		     {"sender", NIO_SIDE_SENDER},
		     {"server", NIO_SIDE_RECEIVER},
		     {"receiver", NIO_SIDE_RECEIVER}};

	for (size_t i = 0; i < ELEMENTS(sides); i++) {
		size_t n = strlen(sides[i].word);
		bool before = !strncmp(name->lower, sides[i].word, n);
		bool behind = name->len > n && !strcmp(name->lower + name->len - n, sides[i].word);
		struct flat rest;

		if ((before || behind) &&
		    flatten(&rest, name->text + (before ? n : 0), name->len - n) &&
		    match_whole(&rest, NULL, m))
			return set_side(m, sides[i].side);
	}
	return false;
}

static const struct csv_match ignored = {
	.kind = COLUMN_IGNORED, .metric = METRIC_NR, .scale = 1, .unit = ""};

/* Our own columns, by their exact names. */
static bool match_own(const char *name, struct csv_match *m)
{
	enum metric metric = metric__of_column(name);

	if (metric == METRIC_NR)
		return false;
	*m = (struct csv_match){.kind = COLUMN_METRIC,
				.metric = metric,
				.dimension = DIMENSION_COUNT,
				.scale = 1,
				.field = metric__path(metric),
				.unit = metric__unit(metric)};
	return true;
}

/* "Latency (us)", "Latency [us]": the name and the bracketed text at its end. */
static bool split_brackets(const char *name, struct flat *base, struct flat *unit)
{
	size_t open = strcspn(name, "(["), n;

	if (!name[open])
		return false;
	n = strcspn(name + open + 1, ")]");
	if (!name[open + 1 + n] || name[open + n + 2 + strspn(name + open + n + 2, " \t")])
		return false;
	return flatten(base, name, open) && flatten(unit, name + open + 1, n);
}

bool csv_field__match(const char *name, struct csv_match *m)
{
	struct flat flat, base, unit;

	*m = ignored;
	if (match_own(name, m))
		return true;
	if (!strncmp(name, "environment_", strlen("environment_"))) {
		m->kind = COLUMN_ENVIRONMENT;
		m->field = "environment";
		return true;
	}
	if (split_brackets(name, &base, &unit))
		return match_whole(&base, &unit, m);
	if (!flatten(&flat, name, strlen(name)) || !flat.len)
		return false;
	if (match_whole(&flat, NULL, m) || match_suffix(&flat, m) || match_side(&flat, m))
		return true;
	*m = ignored;
	return false;
}

const char *csv_field__name(size_t i)
{
	return i < ELEMENTS(fields) ? fields[i].name : NULL;
}
