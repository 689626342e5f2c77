/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doctor's stages of invented plans, and its text as golden files. tests/validate compares its
 * document with docs/reference/doctor.md.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/doctor_case.h"
#include "support/golden.c"
#include "support/test.h"

static const struct plan_row rows[] = {
	{.probe = "send_return",
	 .stage = "tx_copy, tx_pin",
	 .backend = "tracepoint",
	 .hook = "tp_btf/sock_send_length",
	 .quality = QUALITY_EXACT,
	 .modes = 1 << MODE_ZEROCOPY},
	{.probe = "transmit",
	 .stage = "tx_copy",
	 .backend = "tracepoint",
	 .hook = "tp_btf/net_dev_queue",
	 .quality = QUALITY_EXACT,
	 .modes = 1 << MODE_TWOCOPY | 1 << MODE_ONECOPY},
	{.probe = "deferred_copy",
	 .stage = "deferred_copy",
	 .reason = "this kernel has no such hook",
	 .remedy = "another kernel"},
	{.probe = "deferred_copy",
	 .stage = "deferred_copy",
	 .backend = "tracepoint",
	 .hook = "tp_btf/netif_receive_skb",
	 .programs = "nio_tp_zerocopy_arrival",
	 .quality = QUALITY_DERIVED,
	 .reason = "no tracepoint"},
	{.probe = "other_copy", .stage = "other_copy", .reason = "nothing", .remedy = "a kernel"},
	{.probe = "lock", .stage = "lock wait", .reason = "nothing to hook"},
};
#define ROWS_NR (sizeof(rows) / sizeof(rows[0]))

static const struct stage_line *line(const struct stage_line *lines, size_t n, const char *stage,
				     unsigned int expected)
{
	const struct stage_line *found = NULL;
	unsigned int seen = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(lines[i].stage, stage))
			continue;
		found = found ? found : &lines[i];
		seen++;
	}
	assert_int_equal(seen, expected);
	return found;
}

TEST(stages_are_made_from_plan_rows)
{
	struct stage_line lines[STAGE_LINES_MAX];
	struct probe_result *probe_results = calloc(plan_alternatives_nr, sizeof(*probe_results));
	size_t n = doctor__stages(rows, ROWS_NR, probe_results, NULL, lines);
	const struct stage_line *l;

	assert_in_range(n, 1, STAGE_LINES_MAX);
	assert_string_equal(lines[0].stage, "user_gather");
	l = line(lines, n, "tx_copy", 2);
	assert_int_equal(l->modes, 1 << MODE_ZEROCOPY);
	line(lines, n, "tx_pin", 1);
	/* A probe with a hook hides its alternative without one. */
	l = line(lines, n, "deferred_copy", 1);
	assert_string_equal(l->hook, "tp_btf/netif_receive_skb");
	l = line(lines, n, "other_copy", 1);
	assert_int_equal(l->quality, QUALITY_UNAVAILABLE);
	assert_string_equal(l->remedy, "a kernel");
	l = line(lines, n, "lock wait", 1);
	assert_string_equal(l->reason, "nothing to hook");
	line(lines, n, "rx_copy", 0); /* no row names it */
	line(lines, n, "send_call", 1);
	free(probe_results);
}

TEST(untried_probes_leave_stages_with_the_remedy_sudo)
{
	struct stage_line lines[STAGE_LINES_MAX];
	size_t n = doctor__stages(rows, ROWS_NR, NULL, "run sudo", lines);

	assert_non_null(strstr(line(lines, n, "other_copy", 1)->remedy, "sudo"));
}

/* Every row feeds every stage, the most there can be. */
TEST(largest_number_of_stages_fits)
{
	struct stage_line *lines = calloc(STAGE_LINES_MAX, sizeof(*lines));
	struct plan_row all[PLAN_ROWS_MAX];

	for (int i = 0; i < PLAN_ROWS_MAX; i++)
		all[i] = (struct plan_row){
			.stage = "tx_copy, tx_pin, tx_splice, deferred_copy, rx_copy, other_copy",
			.backend = "kprobe",
			.hook = "kprobe/x"};
	assert_in_range(doctor__stages(all, PLAN_ROWS_MAX, NULL, NULL, lines), 1, STAGE_LINES_MAX);
	free(lines);
}

static void diagnosis__fill(struct diagnosis *d)
{
	memset(d, 0, sizeof(*d));
	healthy(&d->facts);
	drop(&d->facts, CAP_SYS_PTRACE);
	full_environment__fill(&d->facts.env);
	d->facts.env.optmem_max = known(20480);
	d->checks_nr = doctor__check(&d->facts, d->checks);
	memcpy(d->rows, rows, sizeof(rows));
	d->rows_nr = ROWS_NR;
	memcpy(d->attach_rows, rows, sizeof(rows[0]));
	d->attach_rows_nr = 1;
	d->probe_results = calloc(plan_alternatives_nr, sizeof(*d->probe_results));
	d->tried = d->usable = d->attach_usable = true;
	doctor__attach_lines(d->attach_rows, d->attach_rows_nr, d->probe_results, NULL,
			     d->attach_lines);
	d->stages_nr = doctor__stages(d->rows, d->rows_nr, d->probe_results, NULL, d->stages);
}

static void check_widths(const char *text, size_t width)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > width)
			fail_msg("wider than %zu: %.*s", width, (int)len, text);
		assert_true(!len || text[len - 1] != ' ');
		text += len + (text[len] == '\n');
	}
}

TEST(text_matches_its_golden_file_and_fits_each_width)
{
	static const unsigned int widths[] = {80, 100};
	struct options o = {.workload = {.size = 65536}, .backend = BACKEND_AUTO};
	struct diagnosis *d = calloc(1, sizeof(*d));
	char *text;
	size_t len;
	FILE *f;

	diagnosis__fill(d);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		f = open_memstream(&text, &len);
		doctor__print(f, widths[i], d, &o, NULL);
		fclose(f);
		check_widths(text, widths[i]);
		if (widths[i] == 80)
			golden__check("doctor-80", text);
		free(text);
	}
	free(d->probe_results);
	free(d);
}

TEST(summary_says_each_thing_once)
{
	struct diagnosis *d = calloc(1, sizeof(*d));
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	diagnosis__fill(d);
	d->stages[d->stages_nr++] = (struct stage_line){
		.stage = "rx_copy time", .reason = "nothing", .remedy = "a kernel"};
	doctor__print_summary(f, 80, d);
	d->tried = d->usable = false;
	fputc('\n', f);
	doctor__print_summary(f, 80, d);
	fclose(f);
	check_widths(text, 80);
	golden__check("doctor-summary", text);
	free(text);
	free(d->probe_results);
	free(d);
}

TEST(untried_probes_leave_usable_null_with_a_reason)
{
	struct diagnosis *d = calloc(1, sizeof(*d));
	json_t *document;

	diagnosis__fill(d);
	d->tried = false;
	document = doctor__document(d);
	assert_true(json_is_null(json_object_get(document, "usable")));
	assert_true(json_string_length(json_object_get(document, "usable_reason")) > 0);
	assert_true(json_is_null(json_object_get(document, "attach_usable")));
	json_decref(document);
	free(d->probe_results);
	free(d);
}
