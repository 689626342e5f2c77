// SPDX-License-Identifier: GPL-2.0-only
/* The document of attach: docs/OUTPUT.md describes all of it and nothing else. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/findings.h"
#include "model/plan.h"
#include "support/json_names.h"
#include "support/test.h"

static const struct plan_row rows[] = {
	{.probe = "message", .stage = "tx_splice", .backend = "tracepoint", .hook = "tp_btf/x"},
	{.probe = "send_return",
	 .backend = "tracepoint",
	 .hook = "tp_btf/y",
	 .quality = QUALITY_EXACT},
};

static const struct sock_state stream = {
	.key = 1,
	.born_window = 1,
	.window = 1,
	.tgid = 42,
	.started = 12345,
	.last_ns = 2000000000,
	.first_ns = 1500000000,
	.family = 2,
	.local = {10, 0, 0, 1},
	.remote = {10, 0, 0, 2},
	.local_port = 80,
	.remote_port = 4711,
	.comm = "a\x1b[31mb\n",
	.flags = SOCK_STATE_PLACED,
	.now = {.sent = 23, .received = 50, .read = 42},
	.stages = {[NIO_STAGE_TX_COPY] = {23, 1}, [NIO_STAGE_RX_COPY] = {50, 2}},
	.calls = {[NIO_CALL_PLAIN] = {23, 1}},
	.uncovered_bytes = {[NIO_SIDE_RECEIVER] = {[NIO_UNCOVERED_PEEKED] = 8}},
	.tx_sizes = {[4] = 1},
	.rx_sizes = {[4] = 2},
};

static json_t *document_about(const struct sock_state *s, bool told)
{
	static char name[] = "netiotrace", command[] = "attach", *argv[] = {name, command, NULL};
	static struct attach_options o;
	struct findings r = {
		.o = &o,
		.plan = rows,
		.plan_nr = 2,
		.begun_ns = 1000000000,
		.ended_ns = 3000000000,
		.missed = {.known = told, .reason = "not told"},
		.told = told,
		.notices = told,
		.cpu = {.known = told, .reason = "not sampled", .source = "cpu-clock", .hz = 49},
	};
	json_t *document;

	o = (struct attach_options){.pids = {42},
				    .pids_nr = 1,
				    .ports = {80},
				    .ports_nr = 1,
				    .comms_nr = 1,
				    .comms = {"nginx"},
				    .command = argv,
				    .argc = 2,
				    .argv = argv,
				    .top = 10};
	table__begin(&r.table);
	if (s)
		table__take(&r.table, s);
	table__end(&r.table);
	table__sort(&r.table, SORT_COPIED, 0);
	document = findings__document(&r);
	assert_non_null(document);
	table__clear(&r.table);
	return document;
}

/* "rest" of "prefix" + key + rest becomes placeholder + rest. */
static void generalise(char *path, size_t len, const char *prefix, const char *placeholder)
{
	char result[256];
	const char *rest;

	if (strncmp(path, prefix, strlen(prefix)) != 0)
		return;
	rest = path + strlen(prefix);
	rest += strcspn(rest, ".");
	if (!*rest && strncmp(prefix, "<owner>", 7) != 0)
		return;
	snprintf(result, sizeof(result), "%s%s%s", prefix, placeholder, rest);
	snprintf(path, len, "%s", result);
}

/* A path as the documentation writes it; false: it is described elsewhere. */
static bool canonical(char *path, size_t len, const char *name)
{
	static const char *const blocks[] = {"total.", "processes[].", "connections[].", "ports[].",
					     "cgroups[]."};
	static const char *const own[] = {"pid",    "parent", "comm",  "exited",   "local",
					  "remote", "port",   "netns", "open",     "shared",
					  "cgroup", "id",     "path",  "started_s"};
	const char *rest = NULL;

	snprintf(path, len, "%s", name);
	if (!strncmp(name, "environment.", 12) || !strncmp(name, "plan[].", 7) ||
	    !strncmp(name, "tool.", 5))
		return false;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (!strncmp(name, blocks[i], strlen(blocks[i])))
			rest = name + strlen(blocks[i]);
	for (size_t i = 0; rest && i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(rest, own[i]))
			return true;
	if (rest)
		snprintf(path, len, "<%s>.%s", strncmp(rest, "cpu.", 4) ? "block" : "owner", rest);
	generalise(path, len, "<owner>.cpu.share.", "<class>");
	generalise(path, len, "<owner>.cpu.low.", "<class>");
	generalise(path, len, "<owner>.cpu.high.", "<class>");
	generalise(path, len, "<block>.ledger.", "<stage>");
	generalise(path, len, "<block>.sends.", "<way>");
	generalise(path, len, "events.sent.", "<way>");
	if (!strncmp(path, "<block>.refused.", 16) && strcmp(path, "<block>.refused.reason") != 0)
		snprintf(path, len, "<block>.refused.<error>");
	return !strstr(path, "_reason");
}

static void collect_emitted(struct names *names, const struct sock_state *s, bool told)
{
	json_t *document = document_about(s, told);
	struct names raw = {0};
	char path[256];

	collect(&raw, document, "");
	for (size_t i = 0; i < raw.nr; i++)
		if (canonical(path, sizeof(path), raw.name[i]))
			names__add(names, path);
	names__clear(&raw);
	json_decref(document);
}

/* Kinds of calls that were seen in part are called so, and add up to the bytes of the socket. */
TEST(divided_bytes_are_sampled)
{
	struct sock_state s = stream;
	json_t *document, *total;
	const char *quality = NULL;
	json_int_t copied = 0, sent = 0, plain = 0;

	s.now.sent = 2300;
	document = document_about(&s, true);
	total = json_object_get(document, "total");
	assert_int_equal(json_unpack(total, "{s:{s:{s:s,s:I}}, s:{s:I}, s:{s:{s:I}}}", "ledger",
				     "tx_copy", "quality", &quality, "bytes", &copied, "socket",
				     "tx_bytes", &sent, "sends", "plain", "bytes", &plain),
			 0);
	assert_string_equal(quality, "sampled");
	assert_int_equal(copied, 2300);
	assert_int_equal(sent, 2300);
	assert_int_equal(plain, 2300);
	json_decref(document);
}

static void collect_documented(struct names *names)
{
	FILE *f = fopen("docs/OUTPUT.md", "r");
	char *text = NULL, *p, *end, path[256];
	size_t size = 0;

	if (!f)
		fail_msg("docs/OUTPUT.md: %s: run this test from the root", strerror(errno));
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	p = strstr(text, "\n## What attach writes");
	assert_non_null(p);
	end = strstr(p + 1, "\n## ");
	assert_non_null(end);
	*end = '\0';
	while ((p = strstr(p, "\n| `"))) {
		p += 4;
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(p, "`"), p);
		if (names__has(names, path))
			fail_msg("docs/OUTPUT.md describes %s twice", path);
		names__add(names, path);
	}
	free(text);
}

/* A list without members is described by what they would be. */
static bool is_described(const struct names *documented, const char *path)
{
	char list[300];

	if (names__has(documented, path))
		return true;
	snprintf(list, sizeof(list), "%s[]", path);
	for (size_t i = 0; i < documented->nr; i++)
		if (!strncmp(documented->name[i], list, strlen(list)))
			return true;
	/* Of the whole, processes and connections: blocks. */
	return !strcmp(path, "processes") || !strcmp(path, "connections") ||
	       !strcmp(path, "ports") || !strcmp(path, "cgroups");
}

static bool is_written(const struct names *emitted, const char *path)
{
	char list[256];
	size_t len = strlen(path);

	snprintf(list, sizeof(list), "%s", path);
	if (len > 2 && !strcmp(list + len - 2, "[]"))
		list[len - 2] = '\0';
	return names__has(emitted, path) || names__has(emitted, list) || !strcmp(path, "tool") ||
	       !strcmp(path, "environment") || !strcmp(path, "plan[]");
}

TEST(documentation_is_complete_and_true)
{
	struct names documented = {0}, emitted = {0};

	collect_documented(&documented);
	collect_emitted(&emitted, &stream, true);
	collect_emitted(&emitted, &stream, false);
	collect_emitted(&emitted, NULL, true);
	for (size_t i = 0; i < emitted.nr; i++)
		if (!is_described(&documented, emitted.name[i]))
			fail_msg("docs/OUTPUT.md does not describe %s", emitted.name[i]);
	for (size_t i = 0; i < documented.nr; i++)
		if (!is_written(&emitted, documented.name[i]))
			fail_msg("docs/OUTPUT.md describes %s, which is never written",
				 documented.name[i]);
	names__clear(&documented);
	names__clear(&emitted);
}

TEST(names_are_fit_for_a_terminal)
{
	json_t *document = document_about(&stream, true);
	const json_t *c = json_array_get(json_object_get(document, "connections"), 0);

	assert_string_equal(json_string_value(json_object_get(c, "comm")), "a?[31mb?");
	assert_string_equal(json_string_value(json_object_get(c, "local")), "10.0.0.1:80");
	json_decref(document);
}

/* What cannot be told is null, with a reason. */
TEST(unknown_is_never_0)
{
	json_t *document = document_about(&stream, false), *total, *ledger;

	total = json_object_get(document, "total");
	ledger = json_object_get(total, "ledger");
	assert_true(json_is_null(json_object_get(json_object_get(ledger, "user_gather"), "bytes")));
	assert_true(json_is_null(json_object_get(json_object_get(ledger, "other_copy"), "bytes")));
	assert_true(json_is_null(json_object_get(json_object_get(total, "zerocopy"), "completed")));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(ledger, "tx_copy"), "quality")),
		"derived");
	json_decref(document);
}
