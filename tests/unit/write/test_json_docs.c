/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * docs/OUTPUT.md describes what is written as JSON, all of it and nothing else. Run from the root
 * of the source tree.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"
#include "model/perf_figures.h"
#include "write/output.h"
#include "support/full_result.h"
#include "support/json_names.h"

static bool is_stage(const char *key)
{
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++)
		if (!strcmp(key, stage__key((enum nio_stage)i)))
			return true;
	return false;
}

/* Replaces the component after prefix by placeholder: a table row stands for all of them. */
static void generalise(char *path, size_t len, const char *prefix, const char *placeholder)
{
	char result[256];
	const char *key = path + strlen(prefix), *rest;

	if (strncmp(path, prefix, strlen(prefix)))
		return;
	rest = key + strcspn(key, ".");
	snprintf(result, sizeof(result), "%s%s%s", prefix, placeholder, rest);
	snprintf(path, len, "%s", result);
}

/* One row stands for a figure that several counters have. */
static void generalise_figure(char *path, size_t len)
{
	static const char derived[] = "runs[].perf.derived.<whose>.";
	char rest[64];
	size_t key;

	if (strncmp(path, derived, sizeof(derived) - 1))
		return;
	for (int c = 0; c < PERF_NR; c++) {
		key = strlen(perf_counter__key((enum perf_counter)c));
		if (strncmp(path + sizeof(derived) - 1, perf_counter__key((enum perf_counter)c),
			    key))
			continue;
		snprintf(rest, sizeof(rest), "%s", path + sizeof(derived) - 1 + key);
		if (!strcmp(rest, "_per_kib") || !strcmp(rest, "_per_gib"))
			snprintf(path, len, "%s<counter>%s", derived, rest);
	}
}

static void generalise_cpu(char *path, size_t len)
{
	for (int w = 0; w < NIO_SAMPLE_WHOSE_NR; w++) {
		char prefix[64];

		snprintf(prefix, sizeof(prefix), "runs[].cpu.%s.", cpu_time__whose(w));
		if (!strncmp(path, prefix, strlen(prefix)))
			generalise(path, len, "runs[].cpu.", "<whose>");
	}
	if (strcmp(path, "runs[].cpu.<whose>.ns.reason"))
		generalise(path, len, "runs[].cpu.<whose>.ns.", "<class>");
	generalise(path, len, "runs[].cpu.<whose>.ns_per_kib.", "<class>");
}

/* A path as the documentation writes it. */
static void canonical(char *path, size_t len, const char *name)
{
	static const char total[] = "summary[].total.", ledger[] = "runs[].ledger.";
	char key[64];

	if (!strncmp(name, total, sizeof(total) - 1))
		snprintf(path, len, "runs[].%s", name + sizeof(total) - 1);
	else
		snprintf(path, len, "%s", name);
	if (!strncmp(path, ledger, sizeof(ledger) - 1)) {
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(path + sizeof(ledger) - 1, "."),
			 path + sizeof(ledger) - 1);
		if (is_stage(key) && !strstr(path, ".places") && !strstr(path, ".callers"))
			generalise(path, len, ledger, "<stage>");
	}
	generalise(path, len, "runs[].app.latency_ns.", "<kind>");
	if (strcmp(path, "runs[].path_ns.calls") && strcmp(path, "runs[].path_ns.quality") &&
	    strcmp(path, "runs[].path_ns.reason"))
		generalise(path, len, "runs[].path_ns.", "<part>");
	generalise(path, len, "runs[].kernel_zerocopy.completion_ns.", "<figure>");
	generalise(path, len, "runs[].kernel_zerocopy.outstanding_bytes.", "<figure>");
	generalise(path, len, "runs[].perf.derived.", "<whose>");
	generalise_figure(path, len);
	generalise(path, len, "runs[].perf.stages.", "<window>");
	if (strncmp(path, "runs[].perf.events[].name", 25))
		generalise(path, len, "runs[].perf.events[].", "<side>");
	generalise_cpu(path, len);
	if (!strncmp(path, "runs[].perf.sender.", 19) ||
	    !strncmp(path, "runs[].perf.receiver.", 21)) {
		generalise(path, len, "runs[].perf.", "<side>");
		generalise(path, len, "runs[].perf.<side>.", "<counter>");
	}
}

static char *read_documentation(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen("docs/OUTPUT.md", "r");

	if (!f)
		fail_msg("docs/OUTPUT.md: %s: run this test from the root of the source tree",
			 strerror(errno));
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}

/* Rows "| `path` | ..." of the documentation; what attach and doctor write is their tests'. */
static void collect_documented(struct names *names)
{
	static const char begin[] = "\n| `";
	char *text = read_documentation(), *p, path[256];

	p = strstr(text, "\n## What attach writes");
	assert_non_null(p);
	*p = '\0';
	p = text;
	while ((p = strstr(p, begin))) {
		p += sizeof(begin) - 1;
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(p, "`"), p);
		if (names__has(names, path))
			fail_msg("docs/OUTPUT.md describes %s twice", path);
		names__add(names, path);
	}
	free(text);
}

/* "<name>_reason" is described once, for all. */
static bool is_own_reason(const char *path)
{
	size_t len = strlen(path);

	return len > 7 && !strcmp(path + len - 7, "_reason");
}

static void collect_emitted(struct names *names, bool full)
{
	json_t *document = document_of(full);
	struct names raw = {0};
	char path[256];
	size_t i;

	collect(&raw, document, "");
	for (i = 0; i < raw.nr; i++) {
		canonical(path, sizeof(path), raw.name[i]);
		if (!is_own_reason(path))
			names__add(names, path);
	}
	names__clear(&raw);
	json_decref(document);
}

TEST(documentation_is_complete_and_true)
{
	struct names documented = {0}, emitted = {0};
	size_t i;

	collect_documented(&documented);
	collect_emitted(&emitted, true);
	collect_emitted(&emitted, false);
	for (i = 0; i < emitted.nr; i++)
		if (!names__has(&documented, emitted.name[i]))
			fail_msg("docs/OUTPUT.md does not describe %s", emitted.name[i]);
	names__add(&emitted, "summary[].total");
	for (i = 0; i < documented.nr; i++)
		if (!names__has(&emitted, documented.name[i]))
			fail_msg("docs/OUTPUT.md describes %s, which is never written",
				 documented.name[i]);
	names__clear(&documented);
	names__clear(&emitted);
}

static void check_described(const char *text, const char *name)
{
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "`%s`", name);
	if (!strstr(text, quoted))
		fail_msg("docs/OUTPUT.md does not describe %s", quoted);
}

TEST(documentation_names_what_placeholders_stand_for)
{
	char *text = read_documentation();
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++)
		check_described(text, stage__key((enum nio_stage)i));
	for (i = 0; i < LATENCY_NR; i++)
		check_described(text, latency__key((enum latency_kind)i));
	for (i = 0; i < PATH_NR; i++)
		check_described(text, path_part__key((enum path_part)i));
	for (i = 0; i < PERF_NR; i++)
		check_described(text, perf_counter__key((enum perf_counter)i));
	for (i = 0; i < NIO_PERF_WINDOW_NR; i++)
		check_described(text, perf_window__key((enum nio_perf_window)i));
	for (i = 0; i < PERF_WHOSE_NR; i++)
		check_described(text, perf_whose__key((enum perf_whose)i));
	for (i = 0; i < CPU_CLASS_NR; i++)
		check_described(text, cpu_class__key((enum cpu_class)i));
	for (i = 0; i < MODE_NR; i++)
		check_described(text, mode__name((enum mode)i));
	for (i = 0; i <= QUALITY_SAMPLED; i++)
		check_described(text, quality__name((enum quality)i));
	for (i = 0; i <= ZC_CAUSE_UNKNOWN; i++)
		check_described(text, zc_cause__key((enum zc_cause)i));
	free(text);
}

/* Where the environment says, for tests/validate: the fullest and the emptiest document there can
 * be. */
TEST(documents_are_written_for_the_schema)
{
	const char *directory = getenv("NETIOTRACE_DOCUMENTS");
	char path[512];

	for (int full = 0; directory && full < 2; full++) {
		json_t *document = document_of(full);
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s.json", directory, full ? "full" : "empty");
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(json_document__write(f, document), 0);
		fclose(f);
		json_decref(document);
	}
}
