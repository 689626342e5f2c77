/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a sweep as JSON and as a command line, and their comparison. Pure; see the
 * header.
 */
#include "sweep_document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/printable.h"
#include "common/xalloc.h"
#include "write/json.h"

/* ---- options that are the same in both forms ---- */

struct sweep_setting {
	const char *key, *option;
	enum setting_kind kind; /* 0 is null, except of SETTING_SIZE; the option is left out */
	size_t offset;          /* in struct options */
};

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct sweep_setting table[] = {
	{"fields",           "--fields",           SETTING_UINT,   AT(traffic.fields)},
	{"header",           "--header",           SETTING_SIZE,   AT(traffic.header)},
	{"rounds",           "--rounds",           SETTING_UINT,   AT(traffic.rounds)},
	{"messages",         "--messages",         SETTING_COUNT,  AT(traffic.messages)},
	{"count_calls",      "--count-calls",      SETTING_FLAG,   AT(count_calls)},
	{"no_cpu",           "--no-cpu",           SETTING_FLAG,   AT(no_cpu)},
	{"verify",           "--verify",           SETTING_FLAG,   AT(traffic.verify)},
	{"mtu",              "--mtu",              SETTING_UINT,   AT(mtu)},
	{"ipv6",             "--ipv6",             SETTING_FLAG,   AT(ipv6)},
	{"sndbuf",           "--sndbuf",           SETTING_COUNT,  AT(traffic.sndbuf)},
	{"rcvbuf",           "--rcvbuf",           SETTING_COUNT,  AT(traffic.rcvbuf)},
	{"nodelay",          "--nodelay",          SETTING_FLAG,   AT(traffic.nodelay)},
	{"rate",             "--rate",             SETTING_COUNT,  AT(traffic.rate)},
	{"request_response", "--request-response", SETTING_FLAG,   AT(traffic.request_response)},
	{"spin_ns",          "--spin",             SETTING_TIME,   AT(traffic.spin_ns)},
	{"rcvlowat",         "--rcvlowat",         SETTING_COUNT,  AT(traffic.rcvlowat)},
	{"cpu_sender",       "--cpu-sender",       SETTING_STRING, AT(traffic.sender_cpus)},
	{"cpu_receiver",     "--cpu-receiver",     SETTING_STRING, AT(traffic.receiver_cpus)},
};
/* clang-format on */

#define TABLE_NR (sizeof(table) / sizeof(table[0]))

static const void *value_at(const struct options *o, const struct sweep_setting *s)
{
	return (const char *)o + s->offset;
}

static uint64_t number_of(const struct options *o, const struct sweep_setting *s)
{
	const void *at = value_at(o, s);

	if (s->kind == SETTING_FLAG)
		return *(const bool *)at;
	return s->kind == SETTING_UINT ? *(const unsigned int *)at : *(const uint64_t *)at;
}

static const char *word_of(const struct options *o, const struct sweep_setting *s)
{
	return *(const char *const *)value_at(o, s);
}

static json_t *setting_json(const struct options *o, const struct sweep_setting *s)
{
	uint64_t n;

	if (s->kind == SETTING_STRING)
		return json_value__text(word_of(o, s));
	n = number_of(o, s);
	if (s->kind == SETTING_FLAG)
		return json_boolean(n);
	return n || s->kind == SETTING_SIZE ? json_value__u64(n) : json_null();
}

struct unit {
	uint64_t size;
	const char *name;
};

static const struct unit times[] = {{1000000000, "s"}, {1000000, "ms"}, {1, "ns"}};
static const struct unit sizes[] = {{1 << 20, "m"}, {1 << 10, "k"}, {1, ""}};

/* Exact, in the largest unit that divides it. The last unit is 1. */
static void put_exact(FILE *f, uint64_t value, const struct unit *unit)
{
	while (value % unit->size)
		unit++;
	fprintf(f, "%" PRIu64 "%s", value / unit->size, unit->name);
}

static void put_word(FILE *f, const char *option, const char *word)
{
	fprintf(f, " %s ", option);
	shell__put_word(f, word);
}

static void put_setting(FILE *f, const struct options *o, const struct sweep_setting *s)
{
	if (s->kind == SETTING_STRING) {
		if (word_of(o, s))
			put_word(f, s->option, word_of(o, s));
		return;
	}
	if (!number_of(o, s))
		return;
	fprintf(f, " %s", s->option);
	if (s->kind == SETTING_FLAG)
		return;
	fputc(' ', f);
	if (s->kind == SETTING_TIME)
		put_exact(f, number_of(o, s), times);
	else
		fprintf(f, "%" PRIu64, number_of(o, s));
}

/* ---- JSON ---- */

static void put_grid(json_t *o, const struct sweep_grid *g)
{
	json_t *modes = json_array(), *bytes = json_array(), *threads = json_array();
	/* Null: chosen by the path, as in a run. */
	json_t *congestions = g->congestions_nr ? json_array() : json_null();

	for (size_t i = 0; i < g->modes_nr; i++)
		json_array_append_new(modes, json_value__text(mode__name(g->modes[i])));
	for (size_t i = 0; i < g->sizes_nr; i++)
		json_array_append_new(bytes, json_value__u64(g->sizes[i]));
	for (size_t i = 0; i < g->threads_nr; i++)
		json_array_append_new(threads, json_value__u64(g->threads[i]));
	for (size_t i = 0; i < g->congestions_nr; i++)
		json_array_append_new(congestions, json_value__text(g->congestions[i]));
	json_object_set_new(o, "modes", modes);
	json_object_set_new(o, "sizes", bytes);
	json_object_set_new(o, "threads", threads);
	json_object_set_new(o, "congestion", congestions);
}

static const char *connect_text(const struct options *run, char text[ADDRESS_TEXT_MAX])
{
	if (!run->remote)
		return NULL;
	return address__format(text, ADDRESS_TEXT_MAX, run->connect.host, run->connect.port);
}

json_t *sweep_document__settings(const struct sweep_options *o)
{
	static const char *const times_names[] = {
		[TIMES_APART] = "own_rounds",
		[TIMES_ON] = "always",
		[TIMES_OFF] = "never",
	};
	const struct options *run = &o->run;
	const struct workload *t = &run->traffic;
	json_t *s = json_object();
	char text[ADDRESS_TEXT_MAX];

	put_grid(s, &o->grid);
	json_object_set_new(
		s, "path",
		json_value__text(netpath__name(run->remote ? NETPATH_REMOTE : run->path)));
	json_object_set_new(s, "connect", json_value__text(connect_text(run, text)));
	json_object_set_new(s, "duration_s",
			    t->messages ? json_null()
					: json_value__real((double)workload__round_ns(t) / 1e9));
	json_object_set_new(s, "warmup_s", json_value__real((double)t->warmup_ns / 1e9));
	json_object_set_new(s, "seed", json_value__u64(o->seed));
	json_object_set_new(s, "backend", json_value__text(backend__name(run->backend)));
	json_object_set_new(s, "times", json_value__text(times_names[run->times]));
	for (size_t i = 0; i < TABLE_NR; i++)
		json_object_set_new(s, table[i].key, setting_json(run, &table[i]));
	return s;
}

/* ---- comparison ---- */

/* Real numbers lose digits in a file. */
static bool equal(const json_t *a, const json_t *b)
{
	if (json_is_real(a) || json_is_real(b)) {
		double x = json_number_value(a), y = json_number_value(b), d = x - y;

		return json_is_number(a) && json_is_number(b) &&
		       (d < 0 ? -d : d) <= 1e-9 * (x < 0 ? -x : x);
	}
	return json_equal(a, b);
}

static bool describe(const char *key, const json_t *before, const json_t *now, char *buf,
		     size_t len)
{
	const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(6);
	char *b = before ? json_dumps(before, flags) : NULL;
	char *n = now ? json_dumps(now, flags) : NULL;

	snprintf(buf, len, "%s %s, now %s", key, b ? b : "not given", n ? n : "not given");
	free(b);
	free(n);
	return true;
}

bool sweep_document__differ(const json_t *before, const json_t *now, char *buf, size_t len)
{
	const json_t *other;
	const char *key;
	json_t *value;

	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)before, key, value) {
		other = json_object_get(now, key);
		if (!json_key__is_reason(key) && !equal(value, other))
			return describe(key, value, other, buf, len);
	}
	json_object_foreach((json_t *)now, key, value) {
		if (!json_key__is_reason(key) && !json_object_get(before, key))
			return describe(key, NULL, value, buf, len);
	}
	return false;
}

static int refuse_other(const char *directory, const char *difference)
{
	log_error("the sweep in %s was made with other settings (%s): repeat the command in "
		  "%s/command with --resume, or name another directory.",
		  directory, difference, directory);
	return EXIT_USAGE;
}

int sweep_document__check_settings(const char *directory, const json_t *before,
				   const struct sweep_options *o)
{
	json_t *settings;
	char difference[256];
	bool differ;

	if (!before)
		return EXIT_DONE;
	settings = sweep_document__settings(o);
	differ = sweep_document__differ(json_object_get(before, "settings"), settings, difference,
					sizeof(difference));
	json_decref(settings);
	return differ ? refuse_other(directory, difference) : EXIT_DONE;
}

int sweep_document__check_surroundings(const char *directory, const json_t *before,
				       const json_t *now)
{
	const char *version =
		json_string_value(json_object_get(json_object_get(before, "tool"), "version"));
	json_t *b, *n;
	char difference[256];
	bool differ;

	if (!version || strcmp(version, NETIOTRACE_VERSION) != 0) {
		snprintf(difference, sizeof(difference), "netiotrace %s, now %s",
			 version ? version : "of unknown version", NETIOTRACE_VERSION);
		return refuse_other(directory, difference);
	}
	/* Another packet tap makes no other machine: each run's document names its taps. */
	b = json_environment__steady(json_object_get(before, "environment"));
	n = json_environment__steady(json_object_get(now, "environment"));
	differ = sweep_document__differ(b, n, difference, sizeof(difference));
	json_decref(b);
	json_decref(n);
	return differ ? refuse_other(directory, difference) : EXIT_DONE;
}

/* ---- the command line ---- */

static void put_lists(FILE *f, const struct sweep_grid *g)
{
	for (size_t i = 0; i < g->modes_nr; i++)
		fprintf(f, "%s%s", i ? "," : " --modes ", mode__name(g->modes[i]));
	for (size_t i = 0; i < g->sizes_nr; i++) {
		fputs(i ? "," : " --sizes ", f);
		put_exact(f, g->sizes[i], sizes);
	}
	for (size_t i = 0; i < g->threads_nr; i++)
		fprintf(f, "%s%u", i ? "," : " --threads ", g->threads[i]);
	for (size_t i = 0; i < g->congestions_nr; i++) {
		fputs(i ? "," : " --congestion ", f);
		shell__put_word(f, g->congestions[i]);
	}
}

char *sweep_document__command(const struct sweep_options *o)
{
	const struct options *run = &o->run;
	const struct workload *t = &run->traffic;
	char *command, text[ADDRESS_TEXT_MAX];
	size_t size;
	FILE *f = xopen_memstream(&command, &size);

	shell__put_word(f, run->argv[0]);
	fputs(" sweep", f);
	put_lists(f, &o->grid);
	if (run->remote)
		put_word(f, "--connect", connect_text(run, text));
	else
		put_word(f, "--path", netpath__name(run->path));
	if (t->duration_ns) {
		fputs(" --duration ", f);
		put_exact(f, t->duration_ns, times);
	}
	fputs(" --warmup ", f);
	put_exact(f, t->warmup_ns, times);
	fprintf(f, " --seed %" PRIu64, o->seed);
	put_word(f, "--backend", backend__name(run->backend));
	if (run->times != TIMES_APART)
		fputs(run->times == TIMES_ON ? " --times" : " --no-times", f);
	/* Which CPUs are chosen depends on the machine: the table has the chosen ones. */
	for (size_t i = 0; i < TABLE_NR; i++)
		put_setting(f, run, &table[i]);
	if (!t->sender_cpus && !t->receiver_cpus)
		fputs(" --no-pin", f);
	put_word(f, "-o", o->directory);
	xclose_memstream(f);
	return command;
}
