/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics page in both formats. promtool and a real Prometheus read it in tests/e2e. */
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "export/metrics_page.h"
#include "support/test.h"

static char *page_of_metrics(const struct metrics *m, enum page_format format)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	metrics_page__write(f, format, m);
	xclose_memstream(f);
	return text;
}

static char *page_of(struct aggregates *a, enum page_format format)
{
	const struct metrics m = {.groups = a,
				  .kernel = "6.1",
				  .backend = "tracepoint",
				  .missed = {.reason = "not told"},
				  .started = 1000,
				  .snapshot = 2000.5,
				  .snapshot_s = 0.25,
				  .run_times_unknown = "not counted"};

	return page_of_metrics(&m, format);
}

static void add_group(struct aggregates *a, const char *name, uint64_t sent)
{
	struct aggregate *g = &a->list[aggregates__place(a, name)];

	g->out = (struct published){.sent = sent, .by_quality[0][PART_TX_COPY] = sent, .opened = 1};
}

TEST(counters_are_exact_beyond_32_bits)
{
	struct aggregates a;
	char *text;

	aggregates__init(&a, 4);
	add_group(&a, "x", 9007199254740991);
	text = page_of(&a, PAGE_PROMETHEUS);
	assert_non_null(
		strstr(text, "\nnetiotrace_tcp_sent_bytes_total{group=\"x\"} 9007199254740991\n"));
	assert_non_null(strstr(text, "{group=\"x\",stage=\"tx_copy\",quality=\"exact\"} "));
	free(text);
	aggregates__clear(&a);
}

TEST(labels_escape_quotes_newlines_and_invalid_utf8)
{
	struct aggregates a;
	char *text;

	aggregates__init(&a, 4);
	add_group(&a, "a\"b\\c\nd\xffz\x1b", 1);
	text = page_of(&a, PAGE_PROMETHEUS);
	assert_non_null(strstr(text, "{group=\"a\\\"b\\\\c\\nd\xef\xbf\xbdz\xef\xbf\xbd\"} 1\n"));
	free(text);
	aggregates__clear(&a);
}

TEST(openmetrics_has_family_names_created_and_eof)
{
	struct aggregates a;
	char *text;

	aggregates__init(&a, 4);
	add_group(&a, "x", 5);
	text = page_of(&a, PAGE_OPENMETRICS);
	assert_non_null(strstr(text, "# TYPE netiotrace_tcp_sent_bytes counter\n"));
	assert_non_null(strstr(text, "netiotrace_tcp_sent_bytes_created{group=\"x\"} 1000\n"));
	assert_non_null(strstr(text, "# TYPE netiotrace_build info\n"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
	text = page_of(&a, PAGE_PROMETHEUS);
	assert_non_null(strstr(text, "# TYPE netiotrace_tcp_sent_bytes_total counter\n"));
	assert_null(strstr(text, "_created"));
	assert_null(strstr(text, "# EOF"));
	free(text);
	aggregates__clear(&a);
}

TEST(unmeasured_metrics_are_absent)
{
	struct aggregates a;
	char *text;

	aggregates__init(&a, 4);
	add_group(&a, "x", 5);
	text = page_of(&a, PAGE_PROMETHEUS);
	assert_null(strstr(text, "events_missed"));
	assert_null(strstr(text, "\nnetiotrace_zerocopy_sends_total{"));
	assert_null(strstr(text, "group=\"other\""));
	assert_non_null(strstr(text, "stage=\"zerocopy_completion_seconds\",reason=\""));
	assert_null(strstr(text, "probe_run_seconds_total"));
	assert_non_null(strstr(text, "stage=\"probe_run_seconds\",reason=\"not counted\"} 1\n"));
	free(text);
	aggregates__clear(&a);
}

TEST(run_times_are_seconds_of_the_probes_that_have_programs)
{
	struct aggregates a;
	struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};
	char *text;

	aggregates__init(&a, 4);
	m.run_ns[PROBE_MESSAGE] = (struct num){.value = 1500000000, .known = true};
	text = page_of_metrics(&m, PAGE_PROMETHEUS);
	assert_non_null(
		strstr(text, "\nnetiotrace_probe_run_seconds_total{probe=\"message\"} 1.5\n"));
	assert_null(strstr(text, "probe_run_seconds_total{probe=\"sockets\"}"));
	assert_null(strstr(text, "stage=\"probe_run_seconds\""));
	free(text);
	aggregates__clear(&a);
}

TEST(accept_header_selects_the_format)
{
	static const struct {
		const char *accept;
		enum page_format format;
	} cases[] = {
		{NULL, PAGE_PROMETHEUS},
		{"*/*", PAGE_PROMETHEUS},
		{"text/plain;version=0.0.4;q=0.5,*/*;q=0.1", PAGE_PROMETHEUS},
		{"application/openmetrics-text;version=1.0.0;q=0.75,text/plain;q=0.5",
		 PAGE_OPENMETRICS},
		{"application/openmetrics-text; version=1.0.0", PAGE_OPENMETRICS},
		{"application/openmetrics-text;q=0, text/plain", PAGE_PROMETHEUS},
		{"text/plain;q=0.9, application/openmetrics-text;q=0.1", PAGE_PROMETHEUS},
	};

	for_each_case(c, cases)
		assert_int_equal(page_format__of_accept(c->accept), c->format);
}
