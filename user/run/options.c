/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of options, each within its bounds; see options.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "common/word.h"
#include "model/load_report.h"
#include "options_table.h"

#define DEFAULT_SIZE        (64 * 1024)
#define DEFAULT_INTERVAL_NS 1000000000ULL

enum kind {
	KIND_SIZE,
	KIND_COUNT,
	KIND_TIME,
	KIND_RATE,
	KIND_NUMBER, /* an unsigned int */
	KIND_FLAG,
	KIND_STRING,
	KIND_CPUS,
};

/* An option whose value goes to one field of struct options, within bounds. */
struct setting {
	int key;
	enum kind kind;
	size_t offset;
	uint64_t min, max;
	const char *name;
	const char *range; /* in words, for the refusal */
};

#define AT(field) offsetof(struct options, field)

/* clang-format off */
static const struct setting settings[] = {
	{KEY_SIZE,     KIND_SIZE,  AT(traffic.size), SIZE_BYTES_MIN, SIZE_BYTES_MAX, "--size", "a size from 64 to 16m such as 64k"},
	{KEY_SNDBUF,   KIND_SIZE,  AT(traffic.sndbuf), LIMIT_SOCKBUF_MIN, LIMIT_SOCKBUF_MAX, "--sndbuf", "a size from 4k to 1g"},
	{KEY_RCVBUF,   KIND_SIZE,  AT(traffic.rcvbuf), LIMIT_SOCKBUF_MIN, LIMIT_SOCKBUF_MAX, "--rcvbuf", "a size from 4k to 1g"},
	{KEY_MESSAGES, KIND_COUNT, AT(traffic.messages), 1, LIMIT_MESSAGES_MAX, "--messages", "a number from 1 to 2^48"},
	{KEY_CONNECTIONS, KIND_NUMBER, AT(traffic.connections), 1, LOAD_CONNECTIONS_MAX, "--connections", "a number from 1 to 4096"},
	{KEY_THREADS,  KIND_NUMBER, AT(traffic.threads), 1, THREADS_MAX, "--threads", "a number from 1 to 256"},
	{KEY_FIELDS,   KIND_NUMBER, AT(traffic.fields), 1, LIMIT_FIELDS_MAX, "--fields", "a number from 1 to 64"},
	{KEY_HEADER,   KIND_SIZE,  AT(traffic.header), 0, LIMIT_HEADER_MAX, "--header", "a size from 0 to 64k such as 64"},
	{KEY_ROUNDS,   KIND_NUMBER, AT(traffic.rounds), 1, 1000, "--rounds", "a number from 1 to 1000"},
	{KEY_MTU,      KIND_NUMBER, AT(mtu), 1280, 65535, "--mtu", "a number from 1280 to 65535"},
	{KEY_CPU_SENDER, KIND_CPUS, AT(traffic.sender_cpus), 0, 0, "--cpu-sender", NULL},
	{KEY_CPU_RECEIVER, KIND_CPUS, AT(traffic.receiver_cpus), 0, 0, "--cpu-receiver", NULL},
	{KEY_RATE,     KIND_RATE,  AT(traffic.rate), 1, LIMIT_RATE_MAX, "--rate", "a number of messages a second such as 2000/s, up to 100000000/s"},
	{KEY_SPIN,     KIND_TIME,  AT(traffic.spin_ns), 0, LIMIT_SPIN_MAX, "--spin", "a time from 0 to 1s such as 50us"},
	{KEY_RCVLOWAT, KIND_SIZE,  AT(traffic.rcvlowat), 1, LIMIT_RCVLOWAT_MAX, "--rcvlowat", "a size from 1 to 1m"},
	{KEY_REQUEST_RESPONSE, KIND_FLAG, AT(traffic.request_response), 0, 0, NULL, NULL},
	{KEY_DURATION, KIND_TIME,  AT(traffic.duration_ns), 1, LIMIT_DURATION_MAX, "--duration", "a time such as 5s or 500ms, up to 24h"},
	{KEY_WARMUP,   KIND_TIME,  AT(traffic.warmup_ns), 0, LIMIT_DURATION_MAX, "--warmup", "a time such as 500ms, up to 24h"},
	{KEY_INTERVAL, KIND_TIME,  AT(interval_ns), 50000000, 3600000000000, "--interval", "a time from 50ms to 1h such as 1s"},
	{KEY_IPV6,     KIND_FLAG,  AT(ipv6), 0, 0, NULL, NULL},
	{KEY_NODELAY,  KIND_FLAG,  AT(traffic.nodelay), 0, 0, NULL, NULL},
	{KEY_VERIFY,   KIND_FLAG,  AT(traffic.verify), 0, 0, NULL, NULL},
	{KEY_CONGESTION, KIND_STRING, AT(congestion), 0, 0, "--congestion", NULL},
	{KEY_COUNT_CALLS, KIND_FLAG, AT(count_calls), 0, 0, NULL, NULL},
	{KEY_NO_CPU,   KIND_FLAG,  AT(no_cpu), 0, 0, NULL, NULL},
	{KEY_READY_FILE, KIND_STRING, AT(ready_file), 0, 0, "--ready-file", NULL},
	{KEY_DETAILS,  KIND_FLAG,  AT(details), 0, 0, NULL, NULL},
	{'q',          KIND_FLAG,  AT(quiet), 0, 0, NULL, NULL},
#define X(id, ...) {KEY_##id, KIND_STRING, AT(output[OUTPUT_##id]), 0, 0, NULL, NULL},
	OUTPUTS(X)
#undef X
};
/* clang-format on */

static const struct setting *setting_of(int key)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (settings[i].key == key)
			return &settings[i];
	return NULL;
}

static int parse_within(const struct setting *s, const char *arg, uint64_t *value)
{
	int err;

	if (s->kind == KIND_COUNT || s->kind == KIND_NUMBER)
		return parse_count(arg, s->min, s->max, value);
	if (s->kind == KIND_RATE)
		return parse_rate(arg, s->max, value);
	err = s->kind == KIND_SIZE ? parse_size(arg, value) : parse_duration(arg, value);
	if (err)
		return err;
	return *value >= s->min && *value <= s->max ? 0 : -ERANGE;
}

static void ignore_cpu(unsigned int cpu, void *arg)
{
	(void)cpu;
	(void)arg;
}

static const char *cpu_list(const char *name, const char *arg)
{
	if (parse_cpu_list(arg, CPUS_MAX, ignore_cpu, NULL))
		usage_error("%s takes a list of CPUs such as 0-3,8, not '%s'.", name, arg);
	return arg;
}

static void apply(struct options *o, const struct setting *s, const char *arg)
{
	void *field = (char *)o + s->offset;
	uint64_t value = 0;

	switch (s->kind) {
	case KIND_FLAG:
		*(bool *)field = true;
		return;
	case KIND_STRING:
		if (!*arg)
			usage_error("%s is empty.", s->name ? s->name : "a file name");
		*(const char **)field = arg;
		return;
	case KIND_CPUS:
		*(const char **)field = cpu_list(s->name, arg);
		return;
	default:
		if (strchr(arg, ',') && (s->key == KEY_SIZE || s->key == KEY_THREADS))
			usage_error("%s takes one value, not '%s'; several are compared by "
				    "'netiotrace sweep %s%s %s'.",
				    s->name, arg, s->name, s->key == KEY_SIZE ? "s" : "", arg);
		if (parse_within(s, arg, &value))
			usage_error("%s takes %s, not '%s'.", s->name, s->range, arg);
		if (s->kind == KIND_NUMBER)
			*(unsigned int *)field = value;
		else
			*(uint64_t *)field = value;
	}
}

static void set_modes(struct options *o, const char *arg)
{
	if (same_word(arg, "all")) {
		o->modes_nr = MODE_NR;
		for (int m = 0; m < MODE_NR; m++)
			o->modes[m] = m;
		return;
	}
	o->modes_nr = 1;
	mode__parse(arg, &o->modes[0]);
}

static void set_times(struct options *o, enum times times)
{
	if (o->times != TIMES_APART && o->times != times)
		usage_error("--times and --no-times exclude each other.");
	o->times = times;
}

static void add_without(struct options *o, const char *hook)
{
	if (o->without_nr == WITHOUT_MAX)
		usage_error("at most %d --without can be given.", WITHOUT_MAX);
	if (!plan__withhold(OBJECT_RUN, NULL, hook))
		usage_error("no hook is called '%s': netiotrace doctor lists those in use.", hook);
	o->without[o->without_nr++] = hook;
}

static void set_connect(struct options *o, const char *arg)
{
	if (address__parse(arg, false, &o->connect))
		usage_error("--connect takes ADDRESS:PORT such as 192.0.2.7:5201 or "
			    "[2001:db8::7]:5201, "
			    "not '%s'.",
			    arg);
	o->remote = true;
}

static void set_listen(struct options *o, const char *arg)
{
	if (address__parse(arg, true, &o->listen))
		usage_error(
			"--listen takes ADDRESS:PORT such as 0.0.0.0:5201 or [::]:5201, not '%s'.",
			arg);
}

static void add_assertion(struct options *o, const char *arg)
{
	char message[256];

	if (o->assertions_nr == ASSERTIONS_MAX)
		usage_error("at most %d --assert can be given.", ASSERTIONS_MAX);
	if (assertion__parse(&o->assertions[o->assertions_nr], arg, message, sizeof(message)))
		usage_error("%s", message);
	o->assertions_nr++;
}

static void set_perf_events(struct options *o, const char *arg)
{
	char message[256];

	o->perf_none = strcmp(arg, "none") == 0;
	if (!o->perf_none &&
	    perf_names__parse_list(arg, &perf_lookup_sysfs, o->perf_events, PERF_EVENTS_MAX,
				   &o->perf_events_nr, message, sizeof(message)))
		usage_error("--perf-events: %s.", message);
}

/* Options that are not one value within bounds. */
static error_t parse_special(struct options *o, int key, const char *arg)
{
	switch (key) {
	case KEY_MODE:
		set_modes(o, arg);
		return 0;
	case KEY_PATH:
		netpath__parse(arg, &o->path);
		o->path_given = true;
		return 0;
	case KEY_CONNECT:
		set_connect(o, arg);
		return 0;
	case KEY_LISTEN:
		set_listen(o, arg);
		return 0;
	case KEY_BACKEND:
		backend__parse(arg, &o->backend);
		return 0;
	case KEY_TIMES:
		set_times(o, TIMES_ON);
		return 0;
	case KEY_NO_TIMES:
		set_times(o, TIMES_OFF);
		return 0;
	case KEY_WITHOUT:
		add_without(o, arg);
		return 0;
	case KEY_PERF_EVENTS:
		set_perf_events(o, arg);
		return 0;
	case KEY_ASSERT:
		add_assertion(o, arg);
		return 0;
	case 'v':
		o->verbose++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

error_t options__take(struct options *o, int key, const char *arg)
{
	const struct setting *s = setting_of(key);

	if (!s)
		return parse_special(o, key, arg);
	apply(o, s, arg);
	return 0;
}

void options__init(struct options *o, int argc, char **argv)
{
	*o = (struct options){
		.traffic =
			{
				.size = DEFAULT_SIZE,
				.threads = 1,
				.fields = 8,
				.warmup_ns = UINT64_MAX,
			},
		.backend = BACKEND_AUTO,
		.interval_ns = DEFAULT_INTERVAL_NS,
		.argc = argc,
		.argv = argv,
	};
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		usage_error(
			"'%s' is one argument too many: %s takes options only. A command comes "
			"first (netiotrace COMMAND); a program is watched by 'netiotrace attach -- "
			"%s'.",
			arg, state->name, arg);
	return options__take(state->input, key, arg);
}

void options__parse(struct options *o, const struct options_command *c, int argc, char **argv)
{
	struct argp_option table[OPTIONS_TABLE_MAX];
	const struct argp argp = {table, parse_opt, NULL, c->doc, 0, 0, 0};

	options__pick(table, c->picks, c->picks_nr, c->titles);
	options__init(o, argc, argv);
	command_line__parse(&argp, c->name, argc, argv, o);
	options__finish(o);
}

void options__clear(struct options *o)
{
	for (size_t i = 0; i < o->assertions_nr; i++)
		assertion__free(o->assertions[i]);
	o->assertions_nr = 0;
}
