/* SPDX-License-Identifier: GPL-2.0-only */
/* What may have changed when a sweep goes on, and what may not. */
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "support/test.h"
#include "sweep/resume.h"
#include "write/json.h"

struct change {
	const char *key;
	json_t *(*value)(void); /* what it is now */
	int code;
	const char *said; /* NULL: nothing */
};

static json_t *one(void)
{
	return json_integer(1);
}

static json_t *some_tap(void)
{
	return json_pack("[{s:s, s:s}]", "device", "lo", "process", "tcpdump");
}

static json_t *word(void)
{
	return json_string("other");
}

/* A tap that has opened, another load or another hour are no other machine. */
static const struct change changes[] = {
	{NULL, NULL, EXIT_DONE, NULL},
	{"packet_taps", one, EXIT_DONE, NULL},
	{"taps", some_tap, EXIT_DONE, NULL},
	{"started", word, EXIT_DONE, NULL},
	{"load_average", one, EXIT_DONE, NULL},
	{"cpu_steal", one, EXIT_DONE, NULL},
	{"kernel", word, EXIT_USAGE, "kernel"},
	{"congestion_control", word, EXIT_USAGE, "congestion_control"},
	{"mtu", one, EXIT_USAGE, "mtu"},
	{"host", word, EXIT_USAGE, "host"},
};

static json_t *sweep_of(const struct environment *env)
{
	return json_pack("{s:{s:s}, s:o}", "tool", "version", NETIOTRACE_VERSION, "environment",
			 json_document__environment(env));
}

static int check(const struct change *c, char *said, size_t len)
{
	static const struct environment env = {.kernel = "6.12", .mtu = 65536};
	struct sweep_dir dir = {.name = "out", .sweep = sweep_of(&env)};
	json_t *now = sweep_of(&env);
	size_t n;
	int code;

	if (c->key)
		json_object_set_new(json_object_get(now, "environment"), c->key, c->value());
	log_hold();
	code = resume__check_surroundings(&dir, now);
	fflush(log_stream());
	rewind(log_stream());
	n = fread(said, 1, len - 1, log_stream());
	said[n] = '\0';
	log_release();
	json_decref(dir.sweep);
	json_decref(now);
	return code;
}

TEST(what_may_change_meanwhile)
{
	char said[512];

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		assert_int_equal(check(&changes[i], said, sizeof(said)), changes[i].code);
		if (changes[i].said ? !strstr(said, changes[i].said) : *said)
			fail_msg("%s: '%s' is said", changes[i].key, said);
	}
}
