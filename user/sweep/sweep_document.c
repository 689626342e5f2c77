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

static json_t *option_json(const struct options *o, const struct option_row *row)
{
	char buf[OPTION_TEXT_MAX];
	uint64_t n;

	if (option__is_text(row))
		return json_value__text(option__text(row, o, buf));
	if (row->kind == OPTION_CHOICE)
		return json_value__text(option__word(row, o, buf));
	n = option__number(row, o);
	if (row->kind == OPTION_FLAG)
		return json_boolean(n);
	return n || row->zero ? json_value__u64(n) : json_null();
}

static void put_word(FILE *f, const char *option, const char *word)
{
	fprintf(f, " %s ", option);
	shell__put_word(f, word);
}

static void put_option(FILE *f, const struct options *o, const struct option_row *row)
{
	char buf[OPTION_TEXT_MAX];
	const char *text = option__text(row, o, buf);

	if (text)
		fprintf(f, " --%s", row->name);
	if (text && *text) {
		fputc(' ', f);
		shell__put_word(f, text);
	}
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
	const struct workload *t = &run->workload;
	const struct option_row *row;
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
	json_object_set_new(s, "preset", json_value__text(o->preset));
	json_object_set_new(s, "seed", json_value__u64(o->seed));
	json_object_set_new(s, "backend", json_value__text(backend__name(run->backend)));
	json_object_set_new(s, "times", json_value__text(times_names[run->times]));
	for (size_t i = 0; (row = options__of_sweep(i)); i++)
		json_object_set_new(s, row->key, option_json(run, row));
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

/* In the largest unit that divides it. */
static const char *exact_size(char buf[OPTION_TEXT_MAX], uint64_t bytes)
{
	unsigned int shift = (bytes % (1 << 10)) ? 0 : (bytes % (1 << 20)) ? 10 : 20;

	snprintf(buf, OPTION_TEXT_MAX, "%" PRIu64 "%s", bytes >> shift,
		 !shift        ? ""
		 : shift == 10 ? "k"
			       : "m");
	return buf;
}

static void put_lists(FILE *f, const struct sweep_grid *g)
{
	char buf[OPTION_TEXT_MAX];

	for (size_t i = 0; i < g->modes_nr; i++)
		fprintf(f, "%s%s", i ? "," : " --modes ", mode__name(g->modes[i]));
	for (size_t i = 0; i < g->sizes_nr; i++)
		fprintf(f, "%s%s", i ? "," : " --sizes ", exact_size(buf, g->sizes[i]));
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
	const struct workload *t = &run->workload;
	char *command, text[ADDRESS_TEXT_MAX], buf[OPTION_TEXT_MAX];
	const struct option_row *row;
	size_t size;
	FILE *f = xopen_memstream(&command, &size);

	shell__put_word(f, run->argv[0]);
	fputs(" sweep", f);
	if (o->preset)
		put_word(f, "--preset", o->preset);
	put_lists(f, &o->grid);
	if (run->remote)
		put_word(f, "--connect", connect_text(run, text));
	else
		put_word(f, "--path", netpath__name(run->path));
	if (t->duration_ns)
		put_word(f, "--duration", option__time(buf, t->duration_ns));
	put_word(f, "--warmup", option__time(buf, t->warmup_ns));
	fprintf(f, " --seed %" PRIu64, o->seed);
	put_word(f, "--backend", backend__name(run->backend));
	if (run->times != TIMES_APART)
		fputs(run->times == TIMES_ON ? " --times" : " --no-times", f);
	/* Which CPUs are chosen depends on the machine: the table has the chosen ones. */
	for (size_t i = 0; (row = options__of_sweep(i)); i++)
		put_option(f, run, row);
	if (!t->sender_cpus && !t->receiver_cpus)
		fputs(" --no-pin", f);
	put_word(f, "-o", o->directory);
	xclose_memstream(f);
	return command;
}
