/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep.json and the command of a sweep: their content, and when a sweep may be resumed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "support/sweep_case.h"
#include "support/test.h"
#include "sweep/sweep_document.h"
#include "write/json.h"

/* Through a file and back, as with --resume. */
static json_t *reread(const struct sweep_options *o)
{
	json_t *settings = sweep_document__settings(o), *again;
	char *text = json_dumps(settings, JSON_REAL_PRECISION(JSON_REAL_DIGITS));

	again = json_loads(text, 0, NULL);
	assert_non_null(again);
	free(text);
	json_decref(settings);
	return again;
}

TEST(settings_that_differ_are_named)
{
	static const struct {
		const char *before, *now;
		const char *difference; /* NULL: none */
	} cases[] = {
		{"n sweep", "n sweep", NULL},
		{"n sweep", "n sweep -o elsewhere --resume -q", NULL},
		{"n sweep --sizes 4k,1k", "n sweep --sizes 1024,4k", NULL},
		{"n sweep --threads 1", "n sweep --threads 1,2", "threads [1], now [1, 2]"},
		{"n sweep", "n sweep --seed 2", "seed 1, now 2"},
		{"n sweep", "n sweep --duration 4200ms --warmup 87ms",
		 "duration_s 0.175, now 0.35"},
		{"n sweep --duration 1200ms", "n sweep --duration 1212ms",
		 "duration_s 0.1, now 0.101"},
		{"n sweep --messages 10", "n sweep --messages 11", "messages 10, now 11"},
		{"n sweep --messages 10 --warmup 87ms", "n sweep", "duration_s null, now 0.175"},
		{"n sweep", "n sweep --path veth", "path \"loopback\", now \"veth\""},
		{"n sweep --connect 192.0.2.7:5201", "n sweep --connect 192.0.2.8:5201",
		 "connect \"192.0.2.7:5201\", now \"192.0.2.8:5201\""},
		{"n sweep --congestion reno,bbr", "n sweep --congestion bbr,reno", NULL},
		{"n sweep --congestion reno", "n sweep --congestion reno,bbr",
		 "congestion [\"reno\"], now [\"bbr\", \"reno\"]"},
		{"n sweep --no-pin", "n sweep", NULL}, /* until CPUs are chosen */
		{"n sweep --cpu-sender 0", "n sweep", "cpu_sender \"0\", now null"},
		{"n sweep", "n sweep --verify", "verify false, now true"},
	};

	for_each_case(c, cases) {
		struct sweep_options o, p;
		json_t *old, *settings;
		char text[256] = "";
		bool differ;

		parse(&o, c->before);
		old = reread(&o);
		parse(&p, c->now);
		settings = sweep_document__settings(&p);
		differ = sweep_document__differ(old, settings, text, sizeof(text));
		assert_int_equal(differ, c->difference != NULL);
		if (differ)
			assert_string_equal(text, c->difference);
		json_decref(old);
		json_decref(settings);
	}
}

TEST(missing_members_differ_but_reasons_do_not)
{
	json_t *a = json_pack("{s:i, s:n, s:s}", "x", 1, "y", "y_reason", "one");
	json_t *b = json_pack("{s:i, s:n, s:s}", "x", 1, "y", "y_reason", "other");
	json_t *c = json_pack("{s:i, s:n, s:i}", "x", 1, "y", "z", 3);
	char text[64];

	assert_int_equal(sweep_document__differ(a, b, text, sizeof(text)), 0);
	assert_int_equal(sweep_document__differ(a, c, text, sizeof(text)), 1);
	assert_string_equal(text, "z not given, now 3");
	assert_int_equal(sweep_document__differ(c, a, text, sizeof(text)), 1);
	assert_string_equal(text, "z 3, now not given");
	assert_int_equal(sweep_document__differ(NULL, a, text, sizeof(text)), 1);
	json_decref(a);
	json_decref(b);
	json_decref(c);
}

/* The written command gives the same options again. */
static void check_command(const char *words, const char *has)
{
	struct sweep_options o, again;
	json_t *before, *after;
	char *command;

	parse(&o, words);
	command = sweep_document__command(&o);
	before = sweep_document__settings(&o);
	parse(&again, command);
	after = sweep_document__settings(&again);
	assert_true(json_equal(before, after));
	assert_string_equal(again.directory, "out");
	assert_int_equal(again.no_pin, strstr(words, "--no-pin") != NULL);
	if (!strstr(command, has))
		fail_msg("no '%s' in: %s", has, command);
	free(command);
	json_decref(before);
	json_decref(after);
}

TEST(command_repeats_the_sweep)
{
	check_command("netiotrace sweep --modes onecopy,zerocopy --sizes 100,5000,64k,1m "
		      "--threads 1,16 --path veth --fields 4 --rounds 2 --duration 1500ms "
		      "--warmup 7001us --seed 42 --backend tracepoint --count-calls --verify "
		      "--mtu 9000 --ipv6 --sndbuf 64k --rcvbuf 8k --nodelay --cpu-sender 0-1 "
		      "--cpu-receiver 1 --congestion reno,bbr -o out",
		      " --sizes 100,5000,64k,1m ");
	check_command("netiotrace sweep --messages 1000 --rate 500 --request-response --spin 5us "
		      "--no-pin "
		      "--no-times --no-cpu -o out",
		      " --messages 1000 ");
	check_command("netiotrace sweep --connect 192.0.2.7:5201 --no-pin -o out",
		      " --connect 192.0.2.7:5201 ");
	check_command("netiotrace sweep --connect host:5201 --no-pin --congestion system -o out",
		      " --congestion system ");
	check_command("netiotrace sweep --preset sigcomm21 --connect host:5201 --no-pin -o out",
		      " --preset sigcomm21 ");
}

TEST(command_is_quoted_for_the_shell)
{
	static char program[] = "/opt/a b/netiotrace", command_word[] = "sweep", o_word[] = "-o",
		    directory[] = "it's; here";
	static char *argv[] = {program, command_word, o_word, directory, NULL};
	struct sweep_options o;
	char *command;

	sweep_options__parse(&o, 4, argv);
	command = sweep_document__command(&o);
	assert_int_equal(strncmp(command, "'/opt/a b/netiotrace' sweep --modes ", 36), 0);
	assert_non_null(strstr(command, " -o 'it'\\''s; here'"));
	free(command);
}

struct change {
	const char *key;
	json_t *(*value)(void); /* the present value */
	int code;
	const char *said; /* NULL: no message */
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

/* A new tap, another load or another time are the same machine. */
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
	json_t *before = sweep_of(&env), *now = sweep_of(&env);
	size_t n;
	int code;

	if (c->key)
		json_object_set_new(json_object_get(now, "environment"), c->key, c->value());
	log_hold();
	code = sweep_document__check_surroundings("out", before, now);
	fflush(log_stream());
	rewind(log_stream());
	n = fread(said, 1, len - 1, log_stream());
	said[n] = '\0';
	log_release();
	json_decref(before);
	json_decref(now);
	return code;
}

TEST(resume_is_refused_on_another_machine_but_not_for_taps_load_or_time)
{
	char said[512];

	for_each_case(c, changes) {
		assert_int_equal(check(c, said, sizeof(said)), c->code);
		if (c->said ? !strstr(said, c->said) : *said)
			fail_msg("%s: '%s' is said", c->key, said);
	}
}
