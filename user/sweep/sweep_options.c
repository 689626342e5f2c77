/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of netiotrace sweep; see sweep_options.h. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
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
 * Half a round, but no more: windows and buffers of a connection grow for some tens of
 * milliseconds, each a little differently, and their size decides what stays in the cache.
 */
#define WARMUP_PART   2
#define WARMUP_NS_MAX 100000000ULL

/* Distinct from the keys of options__pick(). The first belong to axes[], in its order. */
enum key {
	KEY_MODES = 4096,
	KEY_SIZES,
	KEY_THREADS,
	KEY_CONGESTION,
	KEY_SEED,
	KEY_RESUME,
	KEY_QUICK,
	KEY_NO_PIN,
};

static const struct argp_option own_rows[] = {
	{0, 0, 0, 0, "Varied settings:", 1},
	{"modes", KEY_MODES, "LIST", 0, "copy modes: " MODE_NAMES "or all (default)", 0},
	{"sizes", KEY_SIZES, "LIST", 0, "bytes per message (default " DEFAULT_SIZES ")", 0},
	{"threads", KEY_THREADS, "LIST", 0,
	 "threads per side, one connection each (default " DEFAULT_THREADS ")", 0},
	{"congestion", KEY_CONGESTION, "LIST", 0,
	 "congestion controls of the senders; system for the system's default (default: system, but "
	 "cubic or reno on local paths if the system's default paces)",
	 0},
	{"seed", KEY_SEED, "N", 0, "seed of the random order of runs (default 1)", 0},
	{"quick", KEY_QUICK, 0, 0,
	 "take about a minute: defaults of " QUICK_THREADS " threads, 7 rounds and 1.4s per cell",
	 0},
	{0, 0, 0, 0, "Output:", 2},
	{"output", 'o', "DIR", 0,
	 "results directory, created if missing (default " DEFAULT_DIRECTORY ")", 0},
	{"resume", KEY_RESUME, 0, 0,
	 "continue the sweep in DIR: repeat only missing and failed runs", 0},
	{"no-pin", KEY_NO_PIN, 0, 0,
	 "do not pin threads (default: on local paths senders and receivers are pinned to "
	 "different CPUs)",
	 4},
};

/* Options of the run command that a sweep has too; help: where their meaning differs. */
static const struct options_pick shared_rows[] = {
	{NULL, "Workload:"},
	{"duration", "measured time per cell, all rounds together (default 2.1s)"},
	{"messages", "send exactly N messages per round instead"},
	{"rounds", "rounds per cell, 1 to 1000 (default 12; fewer than 7 may show no difference)"},
	{"warmup", "warm-up before each run, not counted (default half a round, at most 100ms)"},
	{"fields", NULL},
	{"header", NULL},
	{"verify", NULL},
	{"rate", NULL},
	{"request-response", NULL},
	{NULL, "Path:"},
	{"path",
	 "loopback (default), or veth: a veth pair between two temporary network namespaces"},
	{"connect", NULL},
	{"mtu", NULL},
	{"ipv6", NULL},
	{"sndbuf", NULL},
	{"rcvbuf", NULL},
	{"nodelay", NULL},
	{"spin", NULL},
	{"rcvlowat", NULL},
	{"cpu-sender", NULL},
	{"cpu-receiver", NULL},
	{NULL, "Measurement:"},
	{"backend", NULL},
	{"count-calls", NULL},
	{"times", NULL},
	{"no-times", NULL},
	{"no-cpu", NULL},
	{"quiet", "no progress, no final text, errors only"},
	{"verbose", NULL},
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TABLE_MAX     (ARRAY_SIZE(own_rows) + ARRAY_SIZE(shared_rows) + 1)

static const char doc[] =
	"Runs every mode with every message size and thread count, several rounds each, in random "
	"order. The results directory gets a JSON document per run, results.csv, and the command "
	"that repeats the sweep.\n"
	"\n"
	"  sudo netiotrace sweep -o results\n"
	"  sudo netiotrace sweep --sizes 4k,1m --threads 1,2 --path veth -o veth\n"
	"  sudo netiotrace sweep --connect 192.0.2.7:5201 -o lan     to that machine\n"
	"\v"
	"Ctrl-C or a crash loses only the current run: the same command with --resume continues. "
	"Exit status: 0 success, 1 runs failed (each is recorded with its reason), 2 usage error, "
	"3 not supported by this kernel, 4 missing privileges, 130 Ctrl-C.";

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

static int compare_uint(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

_Static_assert(sizeof(enum mode) == sizeof(unsigned int), "compare_uint() compares modes");

/* An option that lists the values of an axis. The offsets are in struct sweep_options. */
static const struct axis {
	const char *option;
	size_t array, nr, size; /* size: of a value, bytes */
	void (*parse)(const char *entry, void *value);
	int (*compare)(const void *a, const void *b);
} axes[] = {
#define AXIS(array, nr) offsetof(struct sweep_options, array), offsetof(struct sweep_options, nr)
	{"--modes", AXIS(grid.modes, grid.modes_nr), sizeof(enum mode), parse_mode, compare_uint},
	{"--sizes", AXIS(sizes, grid.sizes_nr), sizeof(uint64_t), parse_one_size, compare_u64},
	{"--threads", AXIS(threads, grid.threads_nr), sizeof(unsigned int), parse_threads,
	 compare_uint},
	{"--congestion", AXIS(congestion_names, grid.congestions_nr), CONGESTION_NAME_LEN,
	 parse_congestion, compare_names},
#undef AXIS
};

/* Sets the axis of `key` to the values between the commas of text, in ascending order. */
static void set_axis(struct sweep_options *o, enum key key, const char *text)
{
	const struct axis *axis = &axes[key - KEY_MODES];
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

static void set_modes(struct sweep_options *o, const char *text)
{
	if (!same_word(text, DEFAULT_MODES)) {
		set_axis(o, KEY_MODES, text);
		return;
	}
	for (int m = 0; m < MODE_NR; m++)
		o->grid.modes[m] = (enum mode)m;
	o->grid.modes_nr = MODE_NR;
}

/* State of parsing besides the result. */
struct parse {
	struct sweep_options *o;
	bool quick;
};

static error_t parse_own(struct parse *p, int key, const char *arg)
{
	struct sweep_options *o = p->o;

	switch (key) {
	case KEY_MODES:
		set_modes(o, arg);
		return 0;
	case KEY_SIZES:
	case KEY_THREADS:
	case KEY_CONGESTION:
		set_axis(o, key, arg);
		return 0;
	case KEY_SEED:
		if (parse_count(arg, 0, INT64_MAX, &o->seed))
			usage_error("--seed takes a number from 0 to 2^63-1, not '%s'.", arg);
		return 0;
	case KEY_NO_PIN:
		o->pin = false;
		return 0;
	case KEY_RESUME:
		o->resume = true;
		return 0;
	case KEY_QUICK:
		p->quick = true;
		return 0;
	case 'o':
		if (!*arg)
			usage_error("the name of the results directory is empty.");
		o->directory = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	error_t err;

	if (key == ARGP_KEY_ARG)
		usage_error(
			"'%s' is one argument too many: the results directory is given with -o.",
			arg);
	err = parse_own(p, key, arg);
	return err == ARGP_ERR_UNKNOWN ? options__take(&p->o->run, key, arg) : err;
}

static void set_defaults(struct sweep_options *o, bool quick)
{
	if (!o->grid.modes_nr)
		set_modes(o, DEFAULT_MODES);
	if (!o->grid.sizes_nr)
		set_axis(o, KEY_SIZES, DEFAULT_SIZES);
	if (!o->grid.threads_nr)
		set_axis(o, KEY_THREADS, quick ? QUICK_THREADS : DEFAULT_THREADS);
	if (!o->run.traffic.rounds)
		o->run.traffic.rounds = quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
	if (!o->run.traffic.duration_ns && !o->run.traffic.messages)
		o->run.traffic.duration_ns = quick ? QUICK_CELL_NS : DEFAULT_CELL_NS;
	if (o->run.traffic.warmup_ns == UINT64_MAX) {
		o->run.traffic.warmup_ns = workload__round_ns(&o->run.traffic) / WARMUP_PART;
		o->run.traffic.warmup_ns -= o->run.traffic.warmup_ns % 1000000;
		if (o->run.traffic.warmup_ns > WARMUP_NS_MAX || o->run.traffic.messages)
			o->run.traffic.warmup_ns = WARMUP_NS_MAX;
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
	o->run.congestion = g->congestions_nr ? g->congestions[0] : NULL;
	g->rounds = o->run.traffic.rounds;
	memcpy(o->run.modes, g->modes, sizeof(g->modes));
	o->run.modes_nr = g->modes_nr;
	o->run.traffic.size = g->sizes[0];
	o->run.traffic.threads = g->threads[0];
	options__finish(&o->run);
	if (o->run.traffic.header + g->sizes[g->sizes_nr - 1] > LIMIT_SIZE_MAX)
		usage_error("header and fields are more than 16 MiB: lower --header or --sizes.");
	if (sweep_grid__runs(g) > SWEEP_RUNS_MAX)
		usage_error(
			"%zu runs are more than a sweep takes (%d): vary less, or lower --rounds.",
			sweep_grid__runs(g), SWEEP_RUNS_MAX);
}

void sweep_options__parse(struct sweep_options *o, int argc, char **argv)
{
	struct argp_option table[TABLE_MAX];
	struct parse parse = {.o = o};
	const struct argp argp = {table, parse_opt, NULL, doc, 0, 0, 0};

	*o = (struct sweep_options){
		.seed = DEFAULT_SEED, .directory = DEFAULT_DIRECTORY, .pin = true};
	options__init(&o->run, argc, argv);
	memcpy(table, own_rows, sizeof(own_rows));
	options__pick(table + ARRAY_SIZE(own_rows), shared_rows, ARRAY_SIZE(shared_rows), 3);
	command_line__parse(&argp, "sweep", argc, argv, &parse);
	set_defaults(o, parse.quick);
	finish(o);
}
