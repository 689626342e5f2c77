/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures as data, drawings and pages: their content, and that hostile names stay harmless. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diagram.h"
#include "report/figure.h"
#include "report/body.h"
#include "report/latex.h"
#include "common/xalloc.h"
#include "support/study.h"

#define KIB(n) ((uint64_t)(n)*1024)

/* The picture of the running test; cleared after it. */
static struct figure fig;

static struct dataset_row *put(enum mode mode, uint64_t size, unsigned int threads, double gbps)
{
	struct dataset_row *row = dataset__new_row(&study.d);

	row->mode = mode;
	row->size = size;
	row->threads = threads;
	row->value[METRIC_GBPS] = gbps;
	return row;
}

static void finish(void)
{
	study__finish(&study, (double)NAN);
}

/* Makes the picture of all rows. */
static void draw(enum figure_id id, const char *system)
{
	finish();
	figure__make(&fig, id, &study.a, system);
}

static int end(void **state)
{
	figure__clear(&fig);
	return study__end(state);
}

#define REPORT_TEST(name) TEST_WITH(name, study__begin, end)

static void check_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not in:\n%s", words, text);
}

REPORT_TEST(line_has_its_points)
{
	int i;

	for (i = 0; i < 3; i++)
		put(MODE_TWOCOPY, KIB(4), 1, 10 + i);
	put(MODE_ZEROCOPY, KIB(64), 2, 2);
	draw(FIGURE_THROUGHPUT, "Linux 6.18.");
	assert_string_equal(fig.data, "panel,mode,series,x,median,low,high,rounds\n"
				      "1,twocopy,1,4096,11,10,12,3\n"
				      "2,zerocopy,1,65536,2,,,1\n");
	check_has(fig.gnuplot_settings, "modes = \"twocopy zerocopy\"\n");
	check_has(fig.gnuplot_settings, "xtics = \"'4k' 4096,'64k' 65536\"\n");
	check_has(fig.gnuplot_settings, "array panel_title[2] = [\"1 thread\", \"2 threads\"]\n");
	check_has(fig.gnuplot_settings,
		  "caption = \"Linux 6.18.\\nMedians of 1 to 3 rounds; bars: intervals "
		  "of 50.0 % and more.\"\n");
	check_has(fig.gnuplot_settings, "ylog = 0\n");
	assert_null(fig.no_data);
}

REPORT_TEST(wide_range_has_a_logarithmic_axis)
{
	put(MODE_TWOCOPY, KIB(4), 1, 1);
	put(MODE_TWOCOPY, KIB(8), 1, 21);
	draw(FIGURE_THROUGHPUT, "");
	check_has(fig.gnuplot_settings, "ylog = 1\n");
}

/* Escape, CSI (C1) and right-to-left override must not reach a terminal or page. */
#define TERMINAL          \
	"\x1b[2J\xc2\x9b" \
	"31m\xe2\x80\xae\x07"

static void check_quiet(const char *text)
{
	static const char *const marks[] = {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\x07"};

	for (size_t i = 0; i < 4; i++)
		if (strstr(text, marks[i]))
			fail_msg("mark %zu of a terminal is in:\n%s", i, text);
}

/* gnuplot executes text between backquotes in a double-quoted string. */
REPORT_TEST(names_from_outside_are_not_executed)
{
	const char *line;

	put(MODE_TWOCOPY, KIB(4), 1, 1);
	finish();
	figure__make(&fig, FIGURE_THROUGHPUT, &study.a,
		     "a `reboot` \"; system('reboot') # \\ " TERMINAL " \n end");
	assert_null(strchr(fig.gnuplot_settings, '`'));
	check_quiet(fig.gnuplot_settings);
	line = strstr(fig.gnuplot_settings, "caption = ");
	assert_non_null(line);
	check_has(line, "a 'reboot' \\\"; system('reboot') # \\\\ ?[2J??31m???? \\nend\\n");
}

REPORT_TEST(pictures_without_data_say_why)
{
	int i;

	put(MODE_TWOCOPY, KIB(4), 1, (double)NAN);
	study.d.reason[METRIC_PATH_COPY] = strdup("this backend cannot see it");
	finish();
	for (i = 0; i < FIGURE_NR; i++) {
		figure__make(&fig, (enum figure_id)i, &study.a, "system");
		assert_non_null(fig.no_data);
		if (i == FIGURE_PATH)
			check_has(fig.no_data, "neither times (this backend cannot see ");
		figure__clear(&fig);
	}
}

REPORT_TEST(cost_replaces_missing_counters)
{
	struct dataset_row *row = put(MODE_TWOCOPY, KIB(4), 1, 8);

	row->value[METRIC_RX_BYTES] = 1024000;
	row->value[METRIC_CPU_SENDER] = 0.002;
	row->value[METRIC_CPU_RECEIVER] = 0.001;
	study.d.reason[METRIC_S_L1D_MISSES] = strdup("no PMU");
	draw(FIGURE_CACHE, "system");
	check_has(fig.title, "instead of cache misses");
	check_has(fig.note, "Cache misses are n/a: no PMU.");
	check_has(fig.data, "1,twocopy,1,4096,2000,,,1\n2,twocopy,1,4096,1000,,,1\n");
}

REPORT_TEST(send_call_replaces_missing_delivery_latency)
{
	put(MODE_TWOCOPY, KIB(4), 1, 8)->value[METRIC_SEND_P50] = 2e7;
	draw(FIGURE_LATENCY, "system");
	check_has(fig.note, "the data has no delivery latency");
	check_has(fig.data, "1,twocopy,1,1,20,,,1\n");
	check_has(fig.gnuplot_settings, "ylabel = \"send call (ms)\"\n");
	check_has(fig.gnuplot_settings, "series = \"median p99\"\n");
}

/* Four panels at most: of a size each for the latency, of a thread count for the throughput. */
REPORT_TEST(caption_says_that_sizes_are_left_out)
{
	for (unsigned int i = 0; i < 5; i++)
		put(MODE_TWOCOPY, KIB(1) << i, 1, 8)->value[METRIC_SEND_P50] = 2000;
	draw(FIGURE_LATENCY, "system");
	check_has(fig.gnuplot_settings, "Not every size and thread count is shown.");
	figure__clear(&fig);
	figure__make(&fig, FIGURE_THROUGHPUT, &study.a, "system");
	assert_null(strstr(fig.gnuplot_settings, "Not every size"));
}

static void ledger(struct dataset_row *row, double gather, double tx, double pin, double deferred,
		   double rx)
{
	row->value[METRIC_RX_BYTES] = 1000;
	row->value[METRIC_BYTES_USER_GATHER] = gather * 1000;
	row->value[METRIC_BYTES_TX_COPY] = tx * 1000;
	row->value[METRIC_BYTES_TX_PIN] = pin * 1000;
	row->value[METRIC_BYTES_DEFERRED_COPY] = deferred * 1000;
	row->value[METRIC_BYTES_RX_COPY] = rx * 1000;
}

REPORT_TEST(copies_are_stacked)
{
	ledger(put(MODE_TWOCOPY, KIB(4), 1, 8), 1, 1, 0, 0, 1);
	ledger(put(MODE_ZEROCOPY, KIB(4), 1, 8), 0, 0, 1, 0.5, 1);
	draw(FIGURE_COPIES, "system");
	assert_string_equal(fig.data, "mode,size,position,part,from,to\n"
				      "twocopy,4096,1,user_gather,0,1\n"
				      "twocopy,4096,1,tx_copy,1,2\n"
				      "twocopy,4096,1,rx_copy,2,3\n"
				      "zerocopy,4096,3,deferred_copy,0,0.5\n"
				      "zerocopy,4096,3,rx_copy,0.5,1.5\n");
	check_has(fig.gnuplot_settings, "parts = \"user_gather tx_copy deferred_copy rx_copy\"\n");
	check_has(fig.gnuplot_settings,
		  "array part_words[4] = [\"gather\", \"send copy\", \"deferred\", \"receive\"]\n");
	check_has(fig.gnuplot_settings, "groups = \"'two-copy' 1 'zero-copy' 3\"\n");
	check_has(fig.note, "Not measured, so not in the bars: other");
}

REPORT_TEST(parts_of_a_send_call_add_up)
{
	struct dataset_row *row = put(MODE_TWOCOPY, KIB(4), 1, 8);

	row->value[METRIC_TX_MESSAGES] = 10;
	row->value[METRIC_PATH_TOTAL] = 100000;
	row->value[METRIC_PATH_COPY] = 30000;
	row->value[METRIC_PATH_TRANSMIT] = 50000;
	draw(FIGURE_PATH, "system");
	assert_string_equal(fig.data, "mode,size,position,part,from,to\n"
				      "twocopy,4096,1,copy,0,3\n"
				      "twocopy,4096,1,transmit,3,8\n"
				      "twocopy,4096,1,rest,8,10\n");
}

REPORT_TEST(copy_times_are_shares_of_the_call)
{
	struct dataset_bucket *buckets = calloc(2, sizeof(*buckets));
	double share, sum = 0;
	const char *line;

	put(MODE_ONECOPY, KIB(64), 1, 8);
	buckets[0] = (struct dataset_bucket){100, 111, 30};
	buckets[1] = (struct dataset_bucket){1000, 1499, 10};
	study.d.hists = calloc(1, sizeof(*study.d.hists));
	study.d.hists_nr = 1;
	study.d.hists[0] = (struct dataset_hist){
		MODE_ONECOPY, KIB(64), 1, DATASET_HIST_STAGE + NIO_STAGE_RX_COPY, buckets, 2};
	draw(FIGURE_COPY_TIMES, "system");
	assert_null(fig.no_data);
	check_has(fig.gnuplot_settings, "array panel_title[1] = [\"receive\"]\n");
	check_has(fig.data, "1,onecopy,100,75\n");
	for (line = strchr(fig.data, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		assert_int_equal(sscanf(line, "\n1,onecopy,%*g,%lg", &share), 1);
		sum += share;
	}
	assert_true(fabs(sum - 100) < 0.01);
}

static void add_stacks(const struct dataset_row *row, const char *const *lines, size_t n)
{
	json_t *stacks = json_array();

	for (size_t i = 0; i < n; i++)
		assert_int_equal(json_array_append_new(stacks, json_string(lines[i])), 0);
	dataset__add_stacks(&study.d, row, stacks);
	json_decref(stacks);
}

/* 10 messages took the sender 100 us; half of its samples are in send calls. */
REPORT_TEST(samples_replace_missing_parts_of_a_call)
{
	static const char *const lines[] = {
		"sender;tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter 20",
		"sender;tcp_sendmsg;tcp_sendmsg_locked;tcp_write_xmit;net_rx_action;tcp_v4_rcv 10",
		"sender;__sys_sendmsg;copy_msghdr_from_user 20",
		"sender;[libc.so.6] 50",
		"receiver;tcp_recvmsg;release_sock 100",
	};
	struct dataset_row *row = put(MODE_TWOCOPY, KIB(4), 1, 8);

	row->value[METRIC_TX_MESSAGES] = 10;
	row->value[METRIC_CPU_SENDER] = 100e-6;
	study.d.reason[METRIC_PATH_COPY] = strdup("no fentry here");
	add_stacks(row, lines, sizeof(lines) / sizeof(lines[0]));
	draw(FIGURE_PATH, "system");
	assert_null(fig.no_data);
	assert_string_equal(fig.data, "mode,size,position,part,from,to\n"
				      "twocopy,4096,1,copy,0,2\n"
				      "twocopy,4096,1,inline_receive,2,3\n"
				      "twocopy,4096,1,rest,3,5\n");
	check_has(fig.title, "from samples");
	check_has(fig.note,
		  "By samples, because the parts of a call are not timed (no fentry here).");
	check_has(fig.gnuplot_settings, "ylabel = \"CPU time per message (us)\"");
}

/* One of two rounds was sampled: the caption says so. */
REPORT_TEST(samples_replace_missing_copy_times)
{
	struct dataset_row *row;

	put(MODE_ONECOPY, KIB(64), 1, 8);
	row = put(MODE_ONECOPY, KIB(64), 1, 8);
	row->value[METRIC_CLASS_S_TX_COPY] = 30;
	row->value[METRIC_CLASS_R_TX_COPY] = 0;
	row->value[METRIC_CLASS_S_RX_COPY] = 0;
	row->value[METRIC_CLASS_R_RX_COPY] = 55.5;
	study.d.reason[METRIC_NS_TX_COPY] = strdup("no fentry here");
	draw(FIGURE_COPY_TIMES, "system");
	assert_null(fig.no_data);
	assert_string_equal(fig.template, "lines");
	assert_string_equal(fig.data, "panel,mode,series,x,median,low,high,rounds\n"
				      "1,onecopy,1,65536,30,,,1\n"
				      "2,onecopy,1,65536,55.5,,,1\n");
	check_has(fig.gnuplot_settings,
		  "array panel_title[2] = [\"send copy\", \"receive copy\"]\n");
	check_has(fig.gnuplot_settings, "Of one round of each cell: no intervals.");
	check_has(fig.title, "from samples, instead of how long a copy takes");
	check_has(fig.note,
		  "Single copies are not timed (no fentry here). A point at 0: no sample");
}

REPORT_TEST(copy_times_without_samples_name_the_thread_count)
{
	put(MODE_ONECOPY, KIB(64), 1, 8);
	put(MODE_ONECOPY, KIB(64), 2, 8)->value[METRIC_CLASS_S_TX_COPY] = 30;
	draw(FIGURE_COPY_TIMES, "system");
	assert_string_equal(fig.no_data, "no sample was taken with 1 thread");
}

static char *drawn(enum mode mode, uint64_t size)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	diagram__write(f, &study.a, analysis__cell(&study.a, mode, size, 1));
	xclose_memstream(f);
	return text;
}

REPORT_TEST(diagram_has_the_stages_that_ran)
{
	struct dataset_row *row = put(MODE_ZEROCOPY, KIB(64), 1, 8);
	char *svg;

	ledger(row, 0, 0, 1, 1, 1);
	row->value[METRIC_NS_RX_COPY] = 250;
	study.d.reason[METRIC_BYTES_OTHER_COPY] = strdup("no tracepoint <here>");
	finish();
	svg = drawn(MODE_ZEROCOPY, KIB(64));
	check_has(svg, ">pin<");
	check_has(svg, ">1.00 per byte, no copy<");
	check_has(svg, ">deferred<");
	check_has(svg, ">receive<");
	check_has(svg, ">256 ns per KiB<");
	check_has(svg, "other not available: no tracepoint &lt;here&gt;");
	check_has(svg, "did not run: gather, send copy");
	assert_null(strstr(svg, "one buffer"));
	assert_null(strstr(svg, "class=\"stage\">send copy"));
	free(svg);
}

REPORT_TEST(diagram_needs_a_ledger)
{
	put(MODE_ONECOPY, KIB(64), 1, 8);
	finish();
	assert_false(
		diagram__possible(&study.a, analysis__cell(&study.a, MODE_ONECOPY, KIB(64), 1)));
	assert_false(diagram__possible(&study.a, NULL));
}

static const char hostile[] = "<script>alert(1)</script> \"q\" & 'x' | `y`" TERMINAL;

/* A page in which all text is hostile. */
static char *hostile_page(const struct doc_form *form)
{
	static const char *const heads[] = {hostile, hostile};
	const struct doc_link links[] = {{.text = hostile}, {.text = hostile, .picture = "p"}};
	char *text;
	size_t len;
	struct doc d = {.form = form, .f = xopen_memstream(&text, &len)};

	form->page(&d, hostile);
	doc__links(&d, DOC_CONTENTS, links, 2);
	form->heading(&d, 2, hostile);
	for (enum doc_part part = DOC_PARAGRAPH; part <= DOC_FOLD_TITLE; part++)
		doc__put(&d, part, "%s", hostile);
	doc__table(&d, heads, 2);
	doc__cell(&d, "%s", hostile);
	doc__cell(&d, "%s", hostile);
	doc__table_end(&d);
	form->picture(&d, "p", "<svg></svg>", hostile);
	doc__end(&d, DOC_PAGE_END);
	xclose_memstream(d.f);
	return text;
}

TEST(html_is_escaped)
{
	char *html = hostile_page(&doc_html);

	assert_null(strstr(html, "<script"));
	check_quiet(html);
	check_has(html, "aria-label=\"&lt;script&gt;alert(1)&lt;/script&gt; &quot;q&quot; &amp; "
			"&#39;x&#39;");
	free(html);
}

TEST(pictures_have_unique_ids_in_the_page)
{
	static const char svg[] = "<?xml version=\"1.0\"?>\n<svg><defs><path id=\"gpPt1\"/>"
				  "<g id='gpDot'/></defs><use xlink:href='#gpPt1'/>"
				  "<path fill=\"url(#gpPat4)\"/></svg>";
	char *html;
	size_t len;
	struct doc d = {.form = &doc_html, .f = xopen_memstream(&html, &len)};

	d.form->picture(&d, "one", svg, "");
	d.form->picture(&d, "two", svg, "");
	xclose_memstream(d.f);
	assert_null(strstr(html, "<?xml"));
	check_has(html, " id=\"one-gpPt1\"");
	check_has(html, " id='one-gpDot'");
	check_has(html, "xlink:href='#one-gpPt1'");
	check_has(html, "url(#two-gpPat4)");
	assert_null(strstr(html, "\"gpPt1"));
	free(html);
}

TEST(markdown_is_escaped)
{
	static const char *const heads[] = {"a|b", "user_gather"};
	const struct doc_link links[] = {{.text = "Copies", .picture = "copies"},
					 {.text = "All cells"}};
	char *md = hostile_page(&doc_markdown);
	size_t len;
	struct doc d = {.form = &doc_markdown};

	check_quiet(md);
	free(md);
	d.f = xopen_memstream(&md, &len);
	doc__table(&d, heads, 2);
	d.form->picture(&d, "copies", "", "x");
	d.form->picture(&d, "diagram-onecopy", "", "x");
	doc__links(&d, DOC_SEE, links, 2);
	xclose_memstream(d.f);
	check_has(md, "| a\\|b | user\\_gather |\n|---|---|\n");
	check_has(md, "![x](copies.png)");
	check_has(md, "![x](diagram-onecopy.svg)");
	check_has(md, "See: [Copies](copies.png), [All cells](#all-cells)\n");
	free(md);
}

/* ---- the whole page ---- */

/* Two modes at 4 KiB, four rounds each; one comparison, so k is 1 (base/rank_test.h). */
static void fill_rounds(enum mode first, enum mode second)
{
	for (int i = 0; i < 4; i++) {
		put(first, KIB(4), 1, 10 + i);
		put(second, KIB(4), 1, 20 + 2 * i);
	}
	finish();
}

REPORT_TEST(relative_picture_has_quotient_of_medians_and_interval)
{
	double x, ratio, low, high;

	fill_rounds(MODE_TWOCOPY, MODE_ONECOPY);
	figure__make(&fig, FIGURE_RELATIVE_THROUGHPUT, &study.a, "system");
	assert_null(fig.no_data);
	assert_int_equal(sscanf(strchr(fig.data, '\n'), " 1,onecopy,1,%lg,%lg,%lg,%lg", &x, &ratio,
				&low, &high),
			 4);
	assert_true(x == 4096 && fabs(ratio - 23 / 11.5) < 1e-9);
	assert_true(fabs(low - 20.0 / 13) < 1e-9 && fabs(high - 26.0 / 10) < 1e-9);
	check_has(fig.gnuplot_settings, "base = 1\n");
	check_has(fig.gnuplot_settings, "modes = \"onecopy\"\n");
}

/* A panel for each thread count, with the changes of the tables: nothing is pooled. */
REPORT_TEST(relative_picture_has_a_panel_for_each_thread_count)
{
	for (unsigned int threads = 1; threads <= 2; threads++) {
		put(MODE_TWOCOPY, KIB(4), threads, 10);
		put(MODE_ONECOPY, KIB(4), threads, threads == 1 ? 15 : 5);
	}
	draw(FIGURE_RELATIVE_THROUGHPUT, "system");
	check_has(fig.gnuplot_settings, "array panel_title[2] = [\"1 thread\", \"2 threads\"]\n");
	check_has(fig.data, "1,onecopy,1,4096,1.5,");
	check_has(fig.data, "2,onecopy,1,4096,0.5,");
}

REPORT_TEST(relative_picture_without_two_copy_says_so)
{
	fill_rounds(MODE_ONECOPY, MODE_ZEROCOPY);
	figure__make(&fig, FIGURE_RELATIVE_THROUGHPUT, &study.a, "system");
	assert_string_equal(fig.no_data, "the data has no two-copy run");
}

static char *page_of(const struct doc_form *form)
{
	char source[] = "results", system[] = "Linux.", command[] = "netiotrace report results";
	char svg[] = "<svg></svg>", *page;
	struct report r = {.source = source,
			   .a = &study.a,
			   .answers = study.answers,
			   .raw = "../",
			   .system = system,
			   .command = command};
	size_t len;
	FILE *f = xopen_memstream(&page, &len);

	for (int i = 0; i < FIGURE_NR; i++) {
		figure__make(&r.figures[i], (enum figure_id)i, &study.a, system);
		r.figures[i].svg = xstrdup(svg);
	}
	body__write(form, f, &r);
	xclose_memstream(f);
	for (int i = 0; i < FIGURE_NR; i++)
		figure__clear(&r.figures[i]);
	return page;
}

/* Columns that no run has are left out; a text from outside is no LaTeX. */
REPORT_TEST(latex_table_has_medians_intervals_and_no_commands_of_others)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	fill_rounds(MODE_TWOCOPY, MODE_ONECOPY);
	latex__write(f, &study.a, "CPU_0 \\input{x} 100 % & ~");
	xclose_memstream(f);
	check_has(text, "CPU\\_0 \\char`\\\\{}input\\{x\\} 100 \\% \\& \\char`\\~{}");
	check_has(text, "mode & size & threads & \\multicolumn{2}{c}{throughput} \\\\\n"
			" & & & \\multicolumn{2}{c}{Gbit/s} \\\\\n");
	check_has(text, "one-copy & 4 KiB & 1 & 23.00 & ");
	assert_null(strstr(text, "delivery"));
	free(text);
}

REPORT_TEST(figures_of_counters_by_threads_and_of_bytes_per_cycle)
{
	for (unsigned int threads = 1; threads <= 2; threads++) {
		struct dataset_row *row = put(MODE_TWOCOPY, KIB(4), threads, 8);

		row->value[METRIC_RX_BYTES] = 1024000;
		row->value[METRIC_S_CYCLES] = 256000;
		row->value[METRIC_R_CYCLES] = 256000;
		row->value[METRIC_S_L1D_MISSES] = 2000 * threads;
		row->value[METRIC_R_L1D_MISSES] = 0;
		row->value[METRIC_RECV_P50] = 3000 * threads;
	}
	draw(FIGURE_CACHE_THREADS, "system");
	check_has(fig.data, "1,twocopy,1,1,2,,,1\n1,twocopy,1,2,4,,,1\n");
	figure__clear(&fig);
	figure__make(&fig, FIGURE_BYTES_PER_CYCLE, &study.a, "system");
	check_has(fig.data, "1,twocopy,1,4096,2,,,1\n2,twocopy,1,4096,2,,,1\n");
	figure__clear(&fig);
	figure__make(&fig, FIGURE_RECV, &study.a, "system");
	check_has(fig.data, "1,twocopy,1,1,3,,,1\n1,twocopy,1,2,6,,,1\n");
}

REPORT_TEST(page_has_date_caches_memory_seed_and_raw_data)
{
	char *md;

	fill_rounds(MODE_TWOCOPY, MODE_ONECOPY);
	study.d.environment =
		json_pack("{s:s, s:s, s:I}", "started", "2026-01-02T03:04:05Z", "caches",
			  "L1d 32 KiB, L2 1 MiB", "memory", (json_int_t)8589934592);
	study.d.version = strdup("0.2.0");
	study.d.seed = strdup("7");
	md = page_of(&doc_markdown);
	check_has(
		md,
		"Measured from 2026-01-02T03:04:05Z with netiotrace 0.2.0, in an order of runs by "
		"seed 7.");
	check_has(md, "Caches: L1d 32 KiB, L2 1 MiB. Memory: 8 GiB.");
	check_has(md, "[raw data](../)");
	free(md);
	/* A CSV file has texts. */
	json_object_set_new(study.d.environment, "memory", json_string("4294967296"));
	md = page_of(&doc_markdown);
	check_has(md, "Memory: 4 GiB.");
	free(md);
}

/* A counter without bytes to divide it by is there as its count. */
REPORT_TEST(all_cells_have_each_counter_of_the_data)
{
	char *md;

	for (int m = MODE_TWOCOPY; m <= MODE_ONECOPY; m++) {
		struct dataset_row *row = put((enum mode)m, KIB(4), 1, 8);

		row->value[METRIC_L1D_MISSES] = 2000;
		row->value[METRIC_BRANCHES] = 300;
	}
	finish();
	md = page_of(&doc_markdown);
	check_has(md, "| L1D misses | branches |");
	check_has(md, "| 2 000 | 300 |");
	free(md);
}

REPORT_TEST(every_link_of_the_page_has_its_target)
{
	char *html, id[128], target[140];
	int links = 0;

	fill_rounds(MODE_TWOCOPY, MODE_ONECOPY);
	html = page_of(&doc_html);
	for (const char *at = html; (at = strstr(at, "href=\"#")); links++) {
		at += strlen("href=\"#");
		snprintf(id, sizeof(id), "%.*s", (int)strcspn(at, "\""), at);
		snprintf(target, sizeof(target), " id=\"%s\"", id);
		check_has(html, target);
	}
	assert_true(links > QUESTION_NR);
	free(html);
}

REPORT_TEST(page_has_answers_before_pictures_and_the_cheapest_way_last)
{
	static const char *const order[] = {"| Fastest |",
					    "relative-throughput.png",
					    "| Threads | Size | two-copy, Gbit/s |",
					    "## The six questions",
					    "## Pictures",
					    "throughput-size.png",
					    "| Not drawn | Why |",
					    "| What the kernel did |",
					    "## All cells",
					    "## How this was measured",
					    "## At which size is one way to send ahead",
					    "| one-copy | two-copy | 4 KiB (+",
					    "## What is the cheapest way to send here?"};
	const char *at;
	char *md;

	fill_rounds(MODE_TWOCOPY, MODE_ONECOPY);
	md = page_of(&doc_markdown);
	/* Only the best mode is marked. */
	check_has(md, "| 1 | 4 KiB | 11.50 | " DOC_WINNER "23.00 |\n");
	/* Pictures without data are in a list, not in the page. */
	assert_null(strstr(md, "cycles-size.png"));
	assert_null(strstr(md, "\n## What the kernel did"));
	at = md;
	for_each_case(words, order) {
		at = strstr(at, *words);
		if (!at)
			fail_msg("'%s' is not in its place in:\n%s", *words, md);
	}
	free(md);
}
