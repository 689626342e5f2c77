/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace sweep; see sweep_options.h. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "common/embed.h"
#include "base/stats.h"
#include "sweep_options.h"
#include "common/units.h"
#include "common/word.h"
#include "common/xalloc.h"

#define DEFAULT_MODES     "all"
#define DEFAULT_SIZES     "1k,4k,16k,64k"
#define DEFAULT_THREADS   "1,2,4,8"
#define DEFAULT_DIRECTORY "results"
#define DEFAULT_SEED      1
/*
 * Many short rounds see drift, and of 12 an interval may leave out the two outermost on either side
 * and still hold in 96 %; of 7 it must have them all (make bench-noise).
 */
#define DEFAULT_ROUNDS  12
#define DEFAULT_CELL_NS 2100000000ULL
/*
 * --quick: 24 cells, 34 s of measuring, a good minute in total; seven rounds are enough for up to
 * 85 comparisons (base/rank_test.h).
 */
#define QUICK_THREADS "1,4"
#define QUICK_ROUNDS  7
#define QUICK_CELL_NS 1400000000ULL
/*
 * --preset sigcomm21: one flow of large buffers, in rounds long enough for the window of a fast
 * NIC. 128k is the size that iperf writes.
 */
#define SIGCOMM21_MODE    "onecopy"
#define SIGCOMM21_SIZE    "128k"
#define SIGCOMM21_CELL_NS 12000000000ULL
/*
 * Half a round, but no more: windows and buffers of a connection grow for some tens of
 * milliseconds, each a little differently, and their size decides what stays in the cache.
 */
#define WARMUP_PART   2
#define WARMUP_NS_MAX 100000000ULL

/* Where the meaning differs from run's. */
static const struct option_help helps[] = {
	{"duration", "measured time per cell, all rounds together (default 2.1s)"},
	{"rounds", "rounds per cell, 1 to 1000 (default 12; fewer than 7 may show no difference)"},
	{"warmup", "warm-up before each run, not counted (default half a round, at most 100ms)"},
	{"quiet", "no progress, no final text, errors only"},
	{0},
};

EMBED(doc, "user/sweep/sweep.help");

static void parse_mode(const char *entry, void *mode)
{
	static const char *const names[] = {MODES(MODE_STRING_AND_COMMA) "all"};

	if (mode__parse(entry, mode))
		choice__refuse("--modes", entry, names, MODE_NR + 1);
}

static void parse_one_size(const char *entry, void *value)
{
	uint64_t *size = value;

	if (parse_size(entry, size) || *size < LIMIT_SIZE_MIN || *size > LIMIT_SIZE_MAX)
		usage_error("--sizes takes sizes from 64 bytes to 16m, not '%s'.", entry);
}

static void parse_threads(const char *entry, void *threads)
{
	uint64_t n = 0;

	if (parse_count(entry, 1, LIMIT_THREADS_MAX, &n))
		usage_error("--threads takes numbers from 1 to %d, not '%s'.", LIMIT_THREADS_MAX,
			    entry);
	*(unsigned int *)threads = (unsigned int)n;
}

static void parse_congestion(const char *entry, void *name)
{
	if (!*entry || strlen(entry) >= CONGESTION_NAME_LEN || strpbrk(entry, "/ "))
		usage_error("--congestion takes names such as cubic,reno, not '%s'.", entry);
	strcpy(name, entry);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

_Static_assert(!offsetof(struct sweep_options, run), "rows of run store in struct options");
_Static_assert(sizeof(enum mode) == sizeof(unsigned int), "order__uint() compares modes");

/* Options that list the values of an axis. The offsets are in struct sweep_options. */
enum axis_id { AXIS_MODES, AXIS_SIZES, AXIS_THREADS, AXIS_CONGESTION };

static const struct axis {
	const char *option;
	size_t array, nr, size; /* size: of a value, bytes */
	void (*parse)(const char *entry, void *value);
	int (*compare)(const void *a, const void *b);
} axes[] = {
#define AXIS(array, nr) offsetof(struct sweep_options, array), offsetof(struct sweep_options, nr)
	{"--modes", AXIS(grid.modes, grid.modes_nr), sizeof(enum mode), parse_mode, order__uint},
	{"--sizes", AXIS(sizes, grid.sizes_nr), sizeof(uint64_t), parse_one_size, order__u64},
	{"--threads", AXIS(threads, grid.threads_nr), sizeof(unsigned int), parse_threads,
	 order__uint},
	{"--congestion", AXIS(congestion_names, grid.congestions_nr), CONGESTION_NAME_LEN,
	 parse_congestion, compare_names},
#undef AXIS
};

/* Sets an axis to the values between the commas of text, in ascending order. */
static void set_axis(struct sweep_options *o, enum axis_id id, const char *text)
{
	const struct axis *axis = &axes[id];
	char *array = (char *)o + axis->array, *copy = xstrdup(text), *rest = copy, *entry;
	size_t *nr = (size_t *)(void *)((char *)o + axis->nr);

	*nr = 0;
	while ((entry = strsep(&rest, ","))) {
		_Alignas(uint64_t) char value[CONGESTION_NAME_LEN] = "";

		axis->parse(entry, value);
		if (lfind(value, array, nr, axis->size, axis->compare))
			usage_error("%s names %s twice.", axis->option, entry);
		if (*nr == SWEEP_LIST_MAX)
			usage_error("%s takes at most %d values.", axis->option, SWEEP_LIST_MAX);
		memcpy(array + (*nr)++ * axis->size, value, axis->size);
	}
	qsort(array, *nr, axis->size, axis->compare);
	free(copy);
}

static void parse_modes(void *options, const char *text)
{
	struct sweep_options *o = options;

	if (!same_word(text, DEFAULT_MODES)) {
		set_axis(o, AXIS_MODES, text);
		return;
	}
	for (int m = 0; m < MODE_ALL_NR; m++)
		o->grid.modes[m] = (enum mode)m;
	o->grid.modes_nr = MODE_ALL_NR;
}

static void parse_sizes(void *options, const char *text)
{
	set_axis(options, AXIS_SIZES, text);
}

static void parse_thread_list(void *options, const char *text)
{
	set_axis(options, AXIS_THREADS, text);
}

static void parse_congestion_list(void *options, const char *text)
{
	set_axis(options, AXIS_CONGESTION, text);
}

static void parse_preset(void *options, const char *text)
{
	static const char *const names[] = {SIGCOMM21_NAME};

	if (strcmp(text, SIGCOMM21_NAME) != 0)
		choice__refuse("--preset", text, names, ARRAY_SIZE(names));
	((struct sweep_options *)options)->preset = SIGCOMM21_NAME;
}

static void refuse(void *options, const char *arg)
{
	(void)options;
	usage_error("'%s' is one argument too many: the results directory is given with -o.", arg);
}

#define AT(member) .offset = offsetof(struct sweep_options, member)

/* clang-format off */
static const struct option_row own_rows[] = {
	OPTION_TITLE_ROW("Varied settings:"),
	{"modes", "LIST", "ways to send: " MODE_NAMES "or all (default: " MODE_ALL_NAMES ")", OPTION_OTHER, .parse = parse_modes},
	{"sizes", "LIST", "bytes per message (default " DEFAULT_SIZES ")", OPTION_OTHER, .parse = parse_sizes},
	{"threads", "LIST", "threads per side, one connection each (default " DEFAULT_THREADS ")", OPTION_OTHER, .parse = parse_thread_list},
	{"congestion", "LIST", "congestion controls of the senders; system for the system's default (default: system, but cubic or reno on local paths if the system's default paces)",
	 OPTION_OTHER, .parse = parse_congestion_list},
	{"seed", "N", "seed of the random order of runs (default 1)", OPTION_COUNT, AT(seed), "a number from 0 to 2^63-1", 0, INT64_MAX},
	{"quick", NULL, "take about a minute: defaults of " QUICK_THREADS " threads, 7 rounds and 1.4s per cell", OPTION_FLAG, AT(quick)},
	{"preset", "NAME", SIGCOMM21_NAME ": one flow with --connect, beside the published table of a SIGCOMM 2021 paper; reads the settings of both devices and changes none", OPTION_OTHER, .parse = parse_preset},
	OPTION_TITLE_ROW("Output:"),
	{"output", "DIR", "results directory, created if missing (default " DEFAULT_DIRECTORY ")", OPTION_STRING, AT(directory), .letter = 'o'},
	{"resume", NULL, "continue the sweep in DIR: repeat only missing and failed runs", OPTION_FLAG, AT(resume)},
};

static const struct option_row no_pin = /* among the measurement's */
	{"no-pin", NULL, "do not pin threads (default: on local paths senders and receivers are pinned to different CPUs)", OPTION_FLAG, AT(no_pin)};
/* clang-format on */

/* Defaults too: another mode, size and duration may be given, but no second cell. */
static void set_preset(struct sweep_options *o)
{
	if (!o->grid.modes_nr)
		parse_modes(o, SIGCOMM21_MODE);
	if (!o->grid.sizes_nr)
		set_axis(o, AXIS_SIZES, SIGCOMM21_SIZE);
	if (!o->grid.threads_nr)
		set_axis(o, AXIS_THREADS, "1");
	if (!o->run.workload.fields)
		o->run.workload.fields = 1;
	if (!o->run.workload.duration_ns && !o->run.workload.messages && !o->quick)
		o->run.workload.duration_ns = SIGCOMM21_CELL_NS;
	if (!o->run.remote)
		usage_error("--preset " SIGCOMM21_NAME
			    " is for two machines: it needs --connect ADDR:PORT.");
	if (o->grid.modes_nr != 1 || o->grid.sizes_nr != 1 || o->grid.threads_nr != 1 ||
	    o->threads[0] != 1 || o->grid.congestions_nr > 1)
		usage_error("--preset " SIGCOMM21_NAME " is one flow: give at most one mode, size "
			    "and congestion control, and one thread.");
}

static void set_defaults(struct sweep_options *o)
{
	if (o->preset)
		set_preset(o);
	if (!o->grid.modes_nr)
		parse_modes(o, DEFAULT_MODES);
	if (!o->grid.sizes_nr)
		set_axis(o, AXIS_SIZES, DEFAULT_SIZES);
	if (!o->grid.threads_nr)
		set_axis(o, AXIS_THREADS, o->quick ? QUICK_THREADS : DEFAULT_THREADS);
	if (!o->run.workload.rounds)
		o->run.workload.rounds = o->quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
	if (!o->run.workload.duration_ns && !o->run.workload.messages)
		o->run.workload.duration_ns = o->quick ? QUICK_CELL_NS : DEFAULT_CELL_NS;
	if (o->run.workload.warmup_ns == UINT64_MAX) {
		o->run.workload.warmup_ns = workload__round_ns(&o->run.workload) / WARMUP_PART;
		o->run.workload.warmup_ns -= o->run.workload.warmup_ns % 1000000;
		if (o->run.workload.warmup_ns > WARMUP_NS_MAX || o->run.workload.messages)
			o->run.workload.warmup_ns = WARMUP_NS_MAX;
	}
}

/* Completes the shared options: size rules are checked with the smallest size. */
static void finish(struct sweep_options *o)
{
	struct sweep_grid *g = &o->grid;

	g->sizes = o->sizes;
	g->threads = o->threads;
	g->congestions = o->congestions;
	for (size_t i = 0; i < g->congestions_nr; i++)
		o->congestions[i] = o->congestion_names[i];
	o->run.workload.congestion = g->congestions_nr ? g->congestions[0] : NULL;
	g->rounds = o->run.workload.rounds;
	memcpy(o->run.modes, g->modes, sizeof(g->modes));
	o->run.modes_nr = g->modes_nr;
	o->run.workload.size = g->sizes[0];
	o->run.workload.threads = g->threads[0];
	options__finish(&o->run);
	if (o->run.workload.header + g->sizes[g->sizes_nr - 1] > LIMIT_SIZE_MAX)
		usage_error("header and fields are more than 16 MiB: lower --header or --sizes.");
	if (sweep_grid__runs(g) > SWEEP_RUNS_MAX)
		usage_error(
			"%zu runs are more than a sweep takes (%d): vary less, or lower --rounds.",
			sweep_grid__runs(g), SWEEP_RUNS_MAX);
}

void sweep_options__parse(struct sweep_options *o, int argc, char **argv)
{
	static const struct options_command shared = {.bit = OPTIONS_SWEEP, .helps = helps};
	struct option_row rows[OPTION_ROWS_MAX], *next = rows;
	struct option_command command = {
		.name = "sweep", .doc = doc, .option_rows = rows, .operand = refuse};

	*o = (struct sweep_options){.seed = DEFAULT_SEED, .directory = DEFAULT_DIRECTORY};
	options__init(&o->run, argc, argv);
	memcpy(next, own_rows, sizeof(own_rows));
	next += ARRAY_SIZE(own_rows);
	next += options__rows(&shared, next);
	*next++ = no_pin;
	command.nr = (size_t)(next - rows);
	option_command__parse(&command, argc, argv, o);
	set_defaults(o);
	finish(o);
}
