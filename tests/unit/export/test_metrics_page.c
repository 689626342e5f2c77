/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics page in both formats. promtool and a real Prometheus read it in tests/e2e. */
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "export/metrics_page.h"
#include "support/test.h"

static char *page_of(const struct metrics *m, enum page_format format)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	metrics_page__write(f, format, m);
	xclose_memstream(f);
	return text;
}

struct wanted {
	const char *text;
	bool prometheus, openmetrics; /* whether the page of this format has the text */
};

static void check_pages(const struct metrics *m, const struct wanted *wanted, size_t nr)
{
	for (enum page_format format = PAGE_PROMETHEUS; format <= PAGE_OPENMETRICS; format++) {
		char *text = page_of(m, format);

		for (size_t i = 0; i < nr; i++) {
			bool has = format == PAGE_PROMETHEUS ? wanted[i].prometheus
							     : wanted[i].openmetrics;

			if (!strstr(text, wanted[i].text) == has)
				fail_msg("'%s' is%s in\n%s", wanted[i].text, has ? " not" : "",
					 text);
		}
		free(text);
	}
}

static void add_group(struct aggregates *a, const char *name, uint64_t sent)
{
	struct aggregate *g = &a->list[aggregates__slot(a, name, NULL, true)];

	g->out = (struct published){.sent = sent,
				    .by_quality[0][PART_TX_COPY] = sent,
				    .opened = 1,
				    .refused = {[NIO_REFUSAL_EPIPE] = 2, [NIO_REFUSAL_EAGAIN] = 5}};
}

TEST(pages_have_measured_metrics_in_the_form_of_their_format)
{
	static const struct wanted wanted[] = {
		/* Counters are exact beyond 32 bits. */
		{"\nnetiotrace_tcp_sent_bytes_total{group=\"x\"} 9007199254740991\n", true, true},
		{"{group=\"x\",stage=\"tx_copy\",quality=\"exact\"} ", true, true},
		/* Labels escape quotes and newlines, and replace what is no UTF-8. */
		{"{group=\"a\\\"b\\\\c\\nd\xef\xbf\xbdz\xef\xbf\xbd\"} 1\n", true, true},
		{"# TYPE netiotrace_tcp_sent_bytes counter\n", false, true},
		{"# TYPE netiotrace_tcp_sent_bytes_total counter\n", true, false},
		{"netiotrace_tcp_sent_bytes_created{group=\"x\"} 1000\n", false, true},
		{"# TYPE netiotrace_build info\n", false, true},
		{"_created", false, true},
		{"# EOF\n", false, true},
		/* What is not measured is absent, with a reason. */
		{"events_missed", false, false},
		{"\nnetiotrace_tcp_connections_without_group 3\n", true, true},
		{"\nnetiotrace_snapshot_interval_seconds 1.5\n", true, true},
		{"\nnetiotrace_sends_refused_total{group=\"x\",error=\"epipe\"} 2\n", true, true},
		{"\nnetiotrace_sends_would_block_total{group=\"x\"} 5\n", true, true},
		{"error=\"enobufs\"", false, false},
		{"eagain", false, false},
		{"\nnetiotrace_zerocopy_sends_total{", false, false},
		{"group=\"other\"", false, false},
		{"probe_run_seconds_total", false, false},
		{"stage=\"zerocopy_completion_seconds\",reason=\"", true, true},
		{"stage=\"probe_run_seconds\",reason=\"not counted\"} 1\n", true, true},
	};
	struct aggregates a;
	const struct metrics m = {.groups = &a,
				  .kernel = "6.1",
				  .backend = "tracepoint",
				  .missed = {.reason = "not seen"},
				  .started = 900,
				  .snapshot = 2000.5,
				  .snapshot_s = 0.25,
				  .interval_s = 1.5,
				  .run_times_unknown = "not counted"};
	char *text;

	aggregates__init(&a, 4, 1000);
	a.held = 3;
	add_group(&a, "x", 9007199254740991);
	add_group(&a, "a\"b\\c\nd\xffz\x1b", 1);
	check_pages(&m, wanted, ARRAY_LEN(wanted));
	text = page_of(&m, PAGE_OPENMETRICS);
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
	aggregates__clear(&a);
}

TEST(series_of_a_pod_have_the_labels_that_are_known)
{
	static const struct pod_names whole = {"shop", "web-0", "nginx"},
				      no_name = {"shop", "db", ""};
	static const struct wanted wanted[] = {
		{"sent_bytes_total{group=\"a\",namespace=\"shop\",pod=\"web-0\",container="
		 "\"nginx\"} 5",
		 true, true},
		{"sent_bytes_created{group=\"a\",namespace=\"shop\",pod=\"web-0\",container="
		 "\"nginx\"} ",
		 false, true},
		{"stage_bytes_total{group=\"a\",namespace=\"shop\",pod=\"web-0\",container="
		 "\"nginx\","
		 "stage=\"tx_copy\",quality=\"exact\"} 5",
		 true, true},
		{"size_bytes_bucket{group=\"a\",namespace=\"shop\",pod=\"web-0\",container="
		 "\"nginx\","
		 "le=\"+Inf\"} 1",
		 true, true},
		{"sent_bytes_total{group=\"b\",namespace=\"shop\",pod=\"db\"} 6", true, true},
		{"sent_bytes_total{group=\"c\"} 7", true, true},
	};
	struct aggregates a;
	const struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};

	aggregates__init(&a, 4, 1000);
	aggregates__slot(&a, "a", &whole, true);
	aggregates__slot(&a, "b", &no_name, true);
	add_group(&a, "a", 5);
	add_group(&a, "b", 6);
	add_group(&a, "c", 7);
	a.list[1].out.tx_sizes[3] = 1;
	/* They never change in a group's life. */
	aggregates__slot(&a, "b", &whole, true);
	check_pages(&m, wanted, ARRAY_LEN(wanted));
	aggregates__clear(&a);
}

/* Copies of pinned pages: 0 where they would have been seen, else no series. */
TEST(deferred_copies_that_could_not_be_seen_have_no_series)
{
	static const struct wanted wanted[] = {
		{"stage_bytes_total{group=\"seen\",stage=\"deferred_copy\"", true, true},
		{"stage_bytes_total{group=\"unseen\",stage=\"deferred_copy\"", false, false},
		{"zerocopy_copied_bytes_total{group=\"seen\"", true, true},
		{"zerocopy_copied_bytes_total{group=\"unseen\"", false, false},
		{"zerocopy_sends_total{group=\"unseen\"} 3", true, true},
		{"stage_bytes_total{group=\"requests\",stage=\"deferred_copy\"", true, true},
		{"zerocopy_sends_total{group=\"requests\"", false, false},
		{"io_uring_requests_total{group=\"requests\",result=\"not_copied\"} 7", true, true},
		{"io_uring_requests_total{group=\"requests\",result=\"copied\"}", false, false},
		{"group=\"hidden\",stage=\"deferred_copy\"", false, false},
		{"zerocopy_copied_bytes_total{group=\"hidden\"", false, false},
		{"group=\"fell\",stage=\"deferred_copy\"", false, false},
	};
	struct aggregates a;
	const struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};

	aggregates__init(&a, 6, 1000);
	add_group(&a, "seen", 5);
	add_group(&a, "unseen", 5);
	for (size_t i = 0; i < a.nr; i++) {
		a.list[i].out.zerocopy_sends = 3;
		a.list[i].out.deferred_unknown = !strcmp(a.list[i].name, "unseen");
	}
	add_group(&a, "requests", 5);
	a.list[a.nr - 1].out.sends[NIO_CALL_IO_URING] = 9;
	a.list[a.nr - 1].out.requests[NIO_REQUEST_NOT_COPIED] = 7;
	/* Bytes that were seen are of a part of the requests. */
	add_group(&a, "hidden", 5);
	a.list[a.nr - 1].out = a.list[a.nr - 2].out;
	a.list[a.nr - 1].out.deferred = a.list[a.nr - 1].out.copied_bytes[COPY_CAUSE_LOCAL] = 3;
	a.list[a.nr - 1].out.deferred_hidden = true;
	add_group(&a, "fell", 5);
	a.list[a.nr - 1].out = a.list[a.nr - 2].out;
	a.list[a.nr - 1].out.deferred_hidden = false;
	a.list[a.nr - 1].out.deferred_fell = true;
	check_pages(&m, wanted, ARRAY_LEN(wanted));
	aggregates__clear(&a);
}

/* OpenMetrics has a count only beside a sum; calls that were sampled have no sum. */
TEST(sizes_have_a_sum_if_each_call_was_watched)
{
	static const struct wanted exact[] = {
		{"\nnetiotrace_send_size_bytes_sum{group=\"x\"} 30\n", true, true},
		{"\nnetiotrace_send_size_bytes_count{group=\"x\"} 3\n", true, true},
		{"\nnetiotrace_receive_size_bytes_sum{group=\"x\"} 5\n", true, true},
		{"stage=\"size_bytes_sum\"", false, false},
	};
	static const struct wanted sampled[] = {
		{"_sum{", false, false},
		{"\nnetiotrace_send_size_bytes_count{group=\"x\"} 3\n", true, false},
		{"stage=\"size_bytes_sum\",reason=\"", true, true},
	};
	struct aggregates a;
	const struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};
	struct published *out;

	aggregates__init(&a, 4, 1000);
	add_group(&a, "x", 30);
	out = &a.list[1].out;
	out->tx_sizes[3] = 3;
	out->tx_sizes_sum = 30;
	out->rx_sizes[2] = 1;
	out->rx_sizes_sum = 5;
	check_pages(&m, exact, ARRAY_LEN(exact));
	a.list[1].unwatched = true;
	check_pages(&m, sampled, ARRAY_LEN(sampled));
	aggregates__clear(&a);
}

/* A call of 65536 bytes is at most 65536 (le), and not at most 16384. */
TEST(buckets_contain_their_bound_and_can_be_left_out)
{
	static const struct wanted shown[] = {
		{"send_size_bytes_bucket{group=\"x\",le=\"16384\"} 1\n", true, true},
		{"send_size_bytes_bucket{group=\"x\",le=\"65536\"} 4\n", true, true},
		{"send_size_bytes_count{group=\"x\"} 4\n", true, true},
		{"size_bytes_sum\",", false, false},
	};
	static const struct wanted left_out[] = {
		{"size_bytes_", false, false},
		{"size_bytes\n", false, false},
		{"tcp_read_bytes_total{group=\"x\"} 40\n", true, true},
	};
	struct aggregates a;
	struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};

	aggregates__init(&a, 4, 1000);
	add_group(&a, "x", 30);
	a.list[1].out.read = 40;
	a.list[1].out.tx_sizes[nio_size_bucket(65536 - 1)] = 3;
	a.list[1].out.tx_sizes[nio_size_bucket(16384 - 1)] = 1;
	check_pages(&m, shown, ARRAY_LEN(shown));
	a.list[1].unwatched = true;
	m.no_histograms = true;
	check_pages(&m, left_out, ARRAY_LEN(left_out));
	aggregates__clear(&a);
}

/* OpenMetrics: the samples of a family follow one another. */
TEST(families_are_not_interrupted)
{
	struct aggregates a;
	const struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};
	char *text, *line, *rest;
	char family[128] = "none";

	aggregates__init(&a, 4, 1000);
	add_group(&a, "x", 1);
	add_group(&a, "y", 1);
	for (size_t i = 0; i < sizeof(struct published) / sizeof(uint64_t); i++)
		((uint64_t *)&a.list[1].out)[i] = 1;
	text = page_of(&m, PAGE_OPENMETRICS);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "# HELP %127s", family) == 1 || *line == '#')
			continue;
		if (strncmp(line, family, strlen(family)) != 0)
			fail_msg("'%s' is below the family %s", line, family);
	}
	free(text);
	aggregates__clear(&a);
}

TEST(run_times_are_seconds_of_the_probes_that_have_programs)
{
	static const struct wanted wanted[] = {
		{"\nnetiotrace_probe_run_seconds_total{probe=\"message\"} 1.5\n", true, true},
		{"probe_run_seconds_total{probe=\"sockets\"}", false, false},
		{"stage=\"probe_run_seconds\"", false, false},
	};
	struct aggregates a;
	struct metrics m = {.groups = &a, .kernel = "6.1", .backend = "fentry"};

	aggregates__init(&a, 4, 1000);
	m.run_ns[PROBE_MESSAGE] = (struct num){.value = 1500000000, .known = true};
	check_pages(&m, wanted, ARRAY_LEN(wanted));
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
