/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep was asked for; see settings_file.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "write/json.h"
#include "settings_file.h"

static json_t *modes_json(const struct grid *g)
{
	json_t *array = json_array();

	for (size_t i = 0; i < g->modes_nr; i++)
		json_array_append_new(array, json_value__text(mode__name(g->modes[i])));
	return array;
}

static json_t *sizes_json(const struct grid *g)
{
	json_t *array = json_array();

	for (size_t i = 0; i < g->sizes_nr; i++)
		json_array_append_new(array, json_value__u64(g->sizes[i]));
	return array;
}

static json_t *threads_json(const struct grid *g)
{
	json_t *array = json_array();

	for (size_t i = 0; i < g->threads_nr; i++)
		json_array_append_new(array, json_value__u64(g->threads[i]));
	return array;
}

/* What 0 stands for is not ours to say: the kernel's default. */
static json_t *or_null(uint64_t value)
{
	return value ? json_value__u64(value) : json_null();
}

/* null: by the path, as a run does. */
static json_t *congestions_json(const struct grid *g)
{
	json_t *array;

	if (!g->congestions_nr)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < g->congestions_nr; i++)
		json_array_append_new(array, json_value__text(g->congestions[i]));
	return array;
}

static const char *path_name(const struct options *run)
{
	return netpath__name(run->remote ? NETPATH_REMOTE : run->path);
}

static json_t *connect_json(const struct options *run)
{
	char text[ADDRESS_TEXT_MAX];

	if (!run->remote)
		return json_null();
	return json_value__text(
		address__format(text, sizeof(text), run->connect.host, run->connect.port));
}

static const char *const times_names[] = {
	[TIMES_APART] = "own_rounds",
	[TIMES_ON] = "always",
	[TIMES_OFF] = "never",
};

json_t *sweep_settings__json(const struct sweep_options *o)
{
	const struct options *run = &o->run;
	json_t *s = json_object();

	json_put(s, "modes", modes_json(&o->grid));
	json_put(s, "sizes", sizes_json(&o->grid));
	json_put(s, "threads", threads_json(&o->grid));
	json_put(s, "path", json_value__text(path_name(run)));
	json_put(s, "connect", connect_json(run));
	json_put_u64(s, "fields", run->traffic.fields);
	json_put_u64(s, "header", run->traffic.header);
	json_put_u64(s, "rounds", run->traffic.rounds);
	json_put(s, "duration_s", json_value__real((double)traffic__round_ns(&run->traffic) / 1e9));
	json_put(s, "warmup_s", json_value__real((double)run->traffic.warmup_ns / 1e9));
	json_put_u64(s, "seed", o->seed);
	json_put(s, "backend", json_value__text(backend__name(run->backend)));
	json_put(s, "count_calls", json_boolean(run->count_calls));
	json_put(s, "times", json_value__text(times_names[run->times]));
	json_put(s, "no_cpu", json_boolean(run->no_cpu));
	json_put(s, "verify", json_boolean(run->traffic.verify));
	json_put(s, "mtu", or_null(run->mtu));
	json_put(s, "ipv6", json_boolean(run->ipv6));
	json_put(s, "sndbuf", or_null(run->traffic.sndbuf));
	json_put(s, "rcvbuf", or_null(run->traffic.rcvbuf));
	json_put(s, "nodelay", json_boolean(run->traffic.nodelay));
	json_put(s, "rate", or_null(run->traffic.rate));
	json_put(s, "request_response", json_boolean(run->traffic.request_response));
	json_put(s, "spin_ns", or_null(run->traffic.spin_ns));
	json_put(s, "rcvlowat", or_null(run->traffic.rcvlowat));
	json_put(s, "congestion", congestions_json(&o->grid));
	json_put(s, "cpu_sender", json_value__text(run->traffic.sender_cpus));
	json_put(s, "cpu_receiver", json_value__text(run->traffic.receiver_cpus));
	return s;
}

/* Real numbers lose digits on their way through a file. */
static bool equal(const json_t *a, const json_t *b)
{
	if (json_is_real(a) || json_is_real(b)) {
		double x = json_number_value(a), y = json_number_value(b), d = x - y;

		return json_is_number(a) && json_is_number(b) &&
		       (d < 0 ? -d : d) <= 1e-9 * (x < 0 ? -x : x);
	}
	return json_equal(a, b);
}

/* 1, or -ENOMEM. */
static int describe(const char *key, const json_t *before, const json_t *now, char *buf, size_t len)
{
	const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(6);
	char *b = before ? json_dumps(before, flags) : NULL;
	char *n = now ? json_dumps(now, flags) : NULL;
	bool failed = (before && !b) || (now && !n);

	snprintf(buf, len, "%s %s, now %s", key, b ? b : "not given", n ? n : "not given");
	free(b);
	free(n);
	return failed ? -ENOMEM : 1;
}

static int lacks(const json_t *a, const json_t *b, char *buf, size_t len)
{
	const char *key;
	json_t *value;

	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)a, key, value) {
		if (json_key__is_reason(key) || json_object_get(b, key))
			continue;
		return describe(key, NULL, value, buf, len);
	}
	return 0;
}

int sweep_settings__differ(const json_t *before, const json_t *now, char *buf, size_t len)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)before, key, value) {
		const json_t *other = json_object_get(now, key);

		if (json_key__is_reason(key) || equal(value, other))
			continue;
		return describe(key, value, other, buf, len);
	}
	return lacks(now, before, buf, len);
}

/* Exact, in the largest unit that divides it. */
static void put_size(FILE *f, uint64_t bytes)
{
	if (bytes % 1048576 == 0)
		fprintf(f, "%" PRIu64 "m", bytes / 1048576);
	else if (bytes % 1024 == 0)
		fprintf(f, "%" PRIu64 "k", bytes / 1024);
	else
		fprintf(f, "%" PRIu64, bytes);
}

static void put_time(FILE *f, uint64_t ns)
{
	if (ns % 1000000000 == 0)
		fprintf(f, "%" PRIu64 "s", ns / 1000000000);
	else if (ns % 1000000 == 0)
		fprintf(f, "%" PRIu64 "ms", ns / 1000000);
	else
		fprintf(f, "%" PRIu64 "ns", ns);
}

static void put_grid(FILE *f, const struct grid *g)
{
	fputs(" --modes ", f);
	for (size_t i = 0; i < g->modes_nr; i++)
		fprintf(f, "%s%s", i ? "," : "", mode__name(g->modes[i]));
	fputs(" --sizes ", f);
	for (size_t i = 0; i < g->sizes_nr; i++) {
		fputs(i ? "," : "", f);
		put_size(f, g->sizes[i]);
	}
	fputs(" --threads ", f);
	for (size_t i = 0; i < g->threads_nr; i++)
		fprintf(f, "%s%u", i ? "," : "", g->threads[i]);
	for (size_t i = 0; i < g->congestions_nr; i++) {
		fputs(i ? "," : " --congestion ", f);
		shell__put_word(f, g->congestions[i]);
	}
}

static void put_count(FILE *f, const char *option, uint64_t value)
{
	if (value)
		fprintf(f, " %s %" PRIu64, option, value);
}

static void put_flag(FILE *f, const char *option, bool given)
{
	if (given)
		fprintf(f, " %s", option);
}

static void put_word(FILE *f, const char *option, const char *word)
{
	if (!word)
		return;
	fprintf(f, " %s ", option);
	shell__put_word(f, word);
}

static void put_path(FILE *f, const struct options *run)
{
	char text[ADDRESS_TEXT_MAX];

	if (run->remote)
		put_word(f, "--connect",
			 address__format(text, sizeof(text), run->connect.host, run->connect.port));
	else
		put_word(f, "--path", netpath__name(run->path));
}

/* Which CPUs are chosen depends on the machine: what was chosen is written down. */
static void put_cpus(FILE *f, const struct traffic *t)
{
	put_word(f, "--cpu-sender", t->sender_cpus);
	put_word(f, "--cpu-receiver", t->receiver_cpus);
	put_flag(f, "--no-pin", !t->sender_cpus && !t->receiver_cpus);
}

static void put_command(FILE *f, const struct sweep_options *o)
{
	const struct options *run = &o->run;

	shell__put_word(f, run->argv[0]);
	fputs(" sweep", f);
	put_grid(f, &o->grid);
	put_path(f, run);
	put_count(f, "--fields", run->traffic.fields);
	put_count(f, "--header", run->traffic.header);
	put_count(f, "--rounds", run->traffic.rounds);
	fputs(" --duration ", f);
	put_time(f, run->traffic.duration_ns);
	fputs(" --warmup ", f);
	put_time(f, run->traffic.warmup_ns);
	fprintf(f, " --seed %" PRIu64, o->seed);
	put_word(f, "--backend", backend__name(run->backend));
	put_flag(f, "--count-calls", run->count_calls);
	put_flag(f, "--times", run->times == TIMES_ON);
	put_flag(f, "--no-times", run->times == TIMES_OFF);
	put_flag(f, "--no-cpu", run->no_cpu);
	put_flag(f, "--verify", run->traffic.verify);
	put_count(f, "--mtu", run->mtu);
	put_flag(f, "--ipv6", run->ipv6);
	put_count(f, "--sndbuf", run->traffic.sndbuf);
	put_count(f, "--rcvbuf", run->traffic.rcvbuf);
	put_flag(f, "--nodelay", run->traffic.nodelay);
	put_count(f, "--rate", run->traffic.rate);
	put_flag(f, "--request-response", run->traffic.request_response);
	if (run->traffic.spin_ns) {
		fputs(" --spin ", f);
		put_time(f, run->traffic.spin_ns);
	}
	put_count(f, "--rcvlowat", run->traffic.rcvlowat);
	put_cpus(f, &run->traffic);
	put_word(f, "-o", o->directory);
}

char *sweep_settings__command(const struct sweep_options *o)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool failed;

	if (!f)
		return NULL;
	put_command(f, o);
	failed = ferror(f);
	if (fclose(f) || failed) {
		free(text);
		return NULL;
	}
	return text;
}
