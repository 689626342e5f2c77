/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures as data, drawings and pages: what is in them, and what must not get out of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diagram.h"
#include "study/test_family.h"
#include "report/figure.h"
#include "report/doc.h"
#include "support/test.h"

#define KIB(n) ((uint64_t)(n)*1024)

struct study {
	struct dataset d;
	struct analysis a;
};

static struct dataset_row *put(struct study *s, enum mode mode, uint64_t size, unsigned int threads,
			       double gbps)
{
	struct dataset_row *row = dataset__new_row(&s->d);

	assert_non_null(row);
	row->mode = mode;
	row->size = size;
	row->threads = threads;
	row->value[METRIC_GBPS] = gbps;
	return row;
}

static void study__finish(struct study *s)
{
	dataset__finish(&s->d, (double)NAN);
	analysis__init(&s->a, &s->d);
}

static void study__clear(struct study *s)
{
	analysis__clear(&s->a);
	dataset__clear(&s->d);
}

static void made(struct figure *f, enum figure_id id, const struct study *s, const char *system)
{
	assert_int_equal(figure__make(f, id, &s->a, system), 0);
}

static void check_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not in:\n%s", words, text);
}

TEST(a_line_has_its_points)
{
	struct study s = {0};
	struct figure f;
	int i;

	for (i = 0; i < 3; i++)
		put(&s, MODE_TWOCOPY, KIB(4), 1, 10 + i);
	put(&s, MODE_ZEROCOPY, KIB(64), 2, 2);
	study__finish(&s);
	made(&f, FIGURE_THROUGHPUT, &s, "Linux 6.18.");
	assert_string_equal(f.data, "panel,mode,series,x,median,low,high,rounds\n"
				    "1,twocopy,1,4096,11,10,12,3\n"
				    "2,zerocopy,1,65536,2,,,1\n");
	check_has(f.settings, "modes = \"twocopy zerocopy\"\n");
	check_has(f.settings, "xtics = \"'4k' 4096,'64k' 65536\"\n");
	check_has(f.settings, "array panel_title[2] = [\"1 thread\", \"2 threads\"]\n");
	check_has(f.settings, "caption = \"Linux 6.18.\\nMedians of 1 to 3 rounds; bars: intervals "
			      "of 50.0 % and more.\"\n");
	check_has(f.settings, "ylog = 0\n");
	assert_null(f.no_data);
	figure__clear(&f);
	study__clear(&s);
}

TEST(a_wide_range_is_logarithmic)
{
	struct study s = {0};
	struct figure f;

	put(&s, MODE_TWOCOPY, KIB(4), 1, 1);
	put(&s, MODE_TWOCOPY, KIB(8), 1, 21);
	study__finish(&s);
	made(&f, FIGURE_THROUGHPUT, &s, "");
	check_has(f.settings, "ylog = 1\n");
	figure__clear(&f);
	study__clear(&s);
}

/* gnuplot runs what stands between backquotes in a double-quoted string. */
/* Escape, C1 control (CSI), right-to-left override: none may reach a terminal or a page. */
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

TEST(nothing_from_outside_is_executed)
{
	struct study s = {0};
	struct figure f;
	const char *line;

	put(&s, MODE_TWOCOPY, KIB(4), 1, 1);
	study__finish(&s);
	made(&f, FIGURE_THROUGHPUT, &s, "a `reboot` \"; system('reboot') # \\ " TERMINAL " \n end");
	assert_null(strchr(f.settings, '`'));
	check_quiet(f.settings);
	line = strstr(f.settings, "caption = ");
	assert_non_null(line);
	check_has(line, "a 'reboot' \\\"; system('reboot') # \\\\ ?[2J??31m???? \\nend\\n");
	figure__clear(&f);
	study__clear(&s);
}

TEST(pictures_without_data_say_why)
{
	struct study s = {0};
	struct figure f;
	int i;

	put(&s, MODE_TWOCOPY, KIB(4), 1, (double)NAN);
	s.d.reason[METRIC_PATH_COPY] = strdup("this backend cannot see it");
	study__finish(&s);
	for (i = 0; i < FIGURE_NR; i++) {
		made(&f, (enum figure_id)i, &s, "system");
		assert_string_equal(f.template, "nodata");
		assert_non_null(f.no_data);
		check_has(f.settings, "reason = \"No data: ");
		if (i == FIGURE_PATH)
			check_has(f.settings, "No data: neither times (this backend cannot see ");
		figure__clear(&f);
	}
	study__clear(&s);
}

TEST(cost_stands_in_for_counters)
{
	struct study s = {0};
	struct dataset_row *row = put(&s, MODE_TWOCOPY, KIB(4), 1, 8);
	struct figure f;

	row->value[METRIC_RX_BYTES] = 1024000;
	row->value[METRIC_CPU_SENDER] = 0.002;
	row->value[METRIC_CPU_RECEIVER] = 0.001;
	s.d.reason[METRIC_S_L1D_MISSES] = strdup("no PMU");
	study__finish(&s);
	made(&f, FIGURE_CACHE, &s, "system");
	check_has(f.title, "instead of cache misses");
	check_has(f.note, "Cache misses are n/a: no PMU.");
	check_has(f.data, "1,twocopy,1,4096,2000,,,1\n2,twocopy,1,4096,1000,,,1\n");
	figure__clear(&f);
	study__clear(&s);
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

TEST(copies_are_stacked)
{
	struct study s = {0};
	struct figure f;

	ledger(put(&s, MODE_TWOCOPY, KIB(4), 1, 8), 1, 1, 0, 0, 1);
	ledger(put(&s, MODE_ZEROCOPY, KIB(4), 1, 8), 0, 0, 1, 0.5, 1);
	study__finish(&s);
	made(&f, FIGURE_COPIES, &s, "system");
	assert_string_equal(f.data, "mode,size,position,part,from,to\n"
				    "twocopy,4096,1,user_gather,0,1\n"
				    "twocopy,4096,1,tx_copy,1,2\n"
				    "twocopy,4096,1,rx_copy,2,3\n"
				    "zerocopy,4096,3,deferred_copy,0,0.5\n"
				    "zerocopy,4096,3,rx_copy,0.5,1.5\n");
	check_has(f.settings, "parts = \"user_gather tx_copy deferred_copy rx_copy\"\n");
	check_has(f.settings, "groups = \"two-copy 1 zero-copy 3\"\n");
	check_has(f.note, "Not measured, so not in the bars: other_copy.");
	figure__clear(&f);
	study__clear(&s);
}

TEST(parts_of_a_send_call_add_up)
{
	struct study s = {0};
	struct dataset_row *row = put(&s, MODE_TWOCOPY, KIB(4), 1, 8);
	struct figure f;

	row->value[METRIC_TX_MESSAGES] = 10;
	row->value[METRIC_PATH_TOTAL] = 100000;
	row->value[METRIC_PATH_COPY] = 30000;
	row->value[METRIC_PATH_TRANSMIT] = 50000;
	study__finish(&s);
	made(&f, FIGURE_PATH, &s, "system");
	assert_string_equal(f.data, "mode,size,position,part,from,to\n"
				    "twocopy,4096,1,copy,0,3\n"
				    "twocopy,4096,1,transmit,3,8\n"
				    "twocopy,4096,1,rest,8,10\n");
	figure__clear(&f);
	study__clear(&s);
}

TEST(copy_times_are_shares)
{
	struct study s = {0};
	struct dataset_bucket *buckets = calloc(2, sizeof(*buckets));
	struct figure f;
	double share, sum = 0;
	const char *line;

	put(&s, MODE_ONECOPY, KIB(64), 1, 8);
	buckets[0] = (struct dataset_bucket){100, 111, 30};
	buckets[1] = (struct dataset_bucket){1000, 1499, 10};
	s.d.hists = calloc(1, sizeof(*s.d.hists));
	s.d.hists_nr = 1;
	s.d.hists[0] = (struct dataset_hist){
		MODE_ONECOPY, KIB(64), 1, DATASET_HIST_STAGE + NIO_STAGE_RX_COPY, buckets, 2};
	study__finish(&s);
	made(&f, FIGURE_COPY_TIMES, &s, "system");
	assert_null(f.no_data);
	check_has(f.settings, "array panel_title[1] = [\"rx_copy\"]\n");
	check_has(f.data, "1,onecopy,100,75\n");
	for (line = strchr(f.data, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		assert_int_equal(sscanf(line, "\n1,onecopy,%*g,%lg", &share), 1);
		sum += share;
	}
	assert_true(fabs(sum - 100) < 0.01);
	figure__clear(&f);
	study__clear(&s);
}

static void add_stacks(struct study *s, const struct dataset_row *row, const char *const *lines,
		       size_t n)
{
	json_t *stacks = json_array();

	for (size_t i = 0; i < n; i++)
		assert_int_equal(json_array_append_new(stacks, json_string(lines[i])), 0);
	dataset__add_stacks(&s->d, row, stacks);
	json_decref(stacks);
}

/* 10 messages took the sender 100 us, half of whose samples are in send calls. */
TEST(samples_stand_in_for_the_parts_of_a_call)
{
	static const char *const lines[] = {
		"sender;tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter 20",
		"sender;tcp_sendmsg;tcp_sendmsg_locked;tcp_write_xmit;net_rx_action;tcp_v4_rcv 10",
		"sender;__sys_sendmsg;copy_msghdr_from_user 20",
		"sender;[libc.so.6] 50",
		"receiver;tcp_recvmsg;release_sock 100",
	};
	struct study s = {0};
	struct dataset_row *row = put(&s, MODE_TWOCOPY, KIB(4), 1, 8);
	struct figure f;

	row->value[METRIC_TX_MESSAGES] = 10;
	row->value[METRIC_CPU_SENDER] = 100e-6;
	s.d.reason[METRIC_PATH_COPY] = strdup("no fentry here");
	add_stacks(&s, row, lines, sizeof(lines) / sizeof(lines[0]));
	study__finish(&s);
	made(&f, FIGURE_PATH, &s, "system");
	assert_null(f.no_data);
	assert_string_equal(f.data, "mode,size,position,part,from,to\n"
				    "twocopy,4096,1,copy,0,2\n"
				    "twocopy,4096,1,inline_receive,2,3\n"
				    "twocopy,4096,1,rest,3,5\n");
	check_has(f.title, "from samples");
	check_has(f.note,
		  "By samples, because the parts of a call are not timed (no fentry here).");
	check_has(f.settings, "ylabel = \"CPU time per message (us)\"");
	figure__clear(&f);
	study__clear(&s);
}

/* Where calls are timed, samples do not stand in for it. */
TEST(samples_do_not_mix_with_times)
{
	static const char *const lines[] = {"sender;tcp_sendmsg;release_sock 100"};
	struct study s = {0};
	struct dataset_row *row = put(&s, MODE_TWOCOPY, KIB(4), 1, 8);
	struct figure f;

	row->value[METRIC_TX_MESSAGES] = 10;
	row->value[METRIC_CPU_SENDER] = 100e-6;
	row->value[METRIC_PATH_TOTAL] = row->value[METRIC_PATH_COPY] = 30000;
	add_stacks(&s, row, lines, 1);
	study__finish(&s);
	made(&f, FIGURE_PATH, &s, "system");
	assert_string_equal(f.title, "Where the time of a send call goes");
	assert_null(strstr(f.data, "release"));
	figure__clear(&f);
	study__clear(&s);
}

/* Of two rounds one was sampled: the caption speaks of that. */
TEST(samples_stand_in_for_copy_times)
{
	struct study s = {0};
	struct dataset_row *row;
	struct figure f;

	put(&s, MODE_ONECOPY, KIB(64), 1, 8);
	row = put(&s, MODE_ONECOPY, KIB(64), 1, 8);
	row->value[METRIC_CLASS_S_TX_COPY] = 30;
	row->value[METRIC_CLASS_R_TX_COPY] = 0;
	row->value[METRIC_CLASS_S_RX_COPY] = 0;
	row->value[METRIC_CLASS_R_RX_COPY] = 55.5;
	s.d.reason[METRIC_NS_TX_COPY] = strdup("no fentry here");
	study__finish(&s);
	made(&f, FIGURE_COPY_TIMES, &s, "system");
	assert_null(f.no_data);
	assert_string_equal(f.template, "lines");
	assert_string_equal(f.data, "panel,mode,series,x,median,low,high,rounds\n"
				    "1,onecopy,1,65536,30,,,1\n"
				    "2,onecopy,1,65536,55.5,,,1\n");
	check_has(f.settings, "array panel_title[2] = [\"send copy\", \"receive copy\"]\n");
	check_has(f.settings, "Of one round of each cell: no intervals.");
	check_has(f.title, "from samples, instead of how long a copy takes");
	check_has(f.note, "Single copies are not timed (no fentry here). A point at 0: no sample");
	figure__clear(&f);
	study__clear(&s);
}

static char *drawn(const struct study *s, enum mode mode, uint64_t size)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	diagram__write(f, &s->a, analysis__cell(&s->a, mode, size, 1));
	fclose(f);
	return text;
}

TEST(a_diagram_has_what_ran)
{
	struct study s = {0};
	struct dataset_row *row = put(&s, MODE_ZEROCOPY, KIB(64), 1, 8);
	char *svg;

	ledger(row, 0, 0, 1, 1, 1);
	row->value[METRIC_NS_RX_COPY] = 250;
	s.d.reason[METRIC_BYTES_OTHER_COPY] = strdup("no tracepoint <here>");
	study__finish(&s);
	svg = drawn(&s, MODE_ZEROCOPY, KIB(64));
	check_has(svg, ">tx_pin<");
	check_has(svg, ">1.00 per byte, no copy<");
	check_has(svg, ">deferred_copy<");
	check_has(svg, ">rx_copy<");
	check_has(svg, ">256 ns per KiB<");
	check_has(svg, "other_copy not available: no tracepoint &lt;here&gt;");
	check_has(svg, "did not run: user_gather, tx_copy");
	assert_null(strstr(svg, "one buffer"));
	assert_null(strstr(svg, "class=\"stage\">tx_copy"));
	free(svg);
	study__clear(&s);
}

TEST(a_diagram_needs_a_ledger)
{
	struct study s = {0};

	put(&s, MODE_ONECOPY, KIB(64), 1, 8);
	study__finish(&s);
	assert_false(diagram__possible(&s.a, analysis__cell(&s.a, MODE_ONECOPY, KIB(64), 1)));
	assert_false(diagram__possible(&s.a, NULL));
	study__clear(&s);
}

static char *written(void (*write)(FILE *f))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	write(f);
	fclose(f);
	return text;
}

static const char hostile[] = "<script>alert(1)</script> \"q\" & 'x' | `y`" TERMINAL;

static void write_hostile_html(FILE *f)
{
	static const char *const row[] = {hostile, hostile};
	char *items[] = {(char *)hostile};

	report_html.begin(f, hostile);
	report_html.heading(f, 2, hostile);
	report_html.paragraph(f, hostile);
	report_html.strong(f, hostile);
	report_html.list(f, items, 1);
	report_html.table_begin(f, row, 2);
	report_html.table_row(f, row, 2);
	report_html.table_end(f);
	report_html.picture(f, "p", "<svg></svg>", hostile, hostile);
	report_html.fold_begin(f, hostile);
	report_html.fold_end(f);
	report_html.end(f);
}

TEST(html_is_escaped)
{
	char *html = written(write_hostile_html);

	assert_null(strstr(html, "<script"));
	check_quiet(html);
	check_has(html, "aria-label=\"&lt;script&gt;alert(1)&lt;/script&gt; &quot;q&quot; &amp; "
			"&#39;x&#39;");
	free(html);
}

static void write_pictures(FILE *f)
{
	static const char svg[] = "<?xml version=\"1.0\"?>\n<svg><defs><path id=\"gpPt1\"/>"
				  "<g id='gpDot'/></defs><use xlink:href='#gpPt1'/>"
				  "<path fill=\"url(#gpPat4)\"/></svg>";

	report_html.picture(f, "one", svg, "", NULL);
	report_html.picture(f, "two", svg, "", NULL);
}

TEST(pictures_have_ids_of_their_own)
{
	char *html = written(write_pictures);

	assert_null(strstr(html, "<?xml"));
	check_has(html, " id=\"one-gpPt1\"");
	check_has(html, " id='one-gpDot'");
	check_has(html, "xlink:href='#one-gpPt1'");
	check_has(html, "url(#two-gpPat4)");
	assert_null(strstr(html, "\"gpPt1"));
	free(html);
}

static void write_markdown(FILE *f)
{
	static const char *const row[] = {"a|b", "user_gather"};
	char *items[] = {(char *)hostile};

	report_markdown.begin(f, hostile);
	report_markdown.heading(f, 2, hostile);
	report_markdown.paragraph(f, hostile);
	report_markdown.strong(f, hostile);
	report_markdown.list(f, items, 1);
	report_markdown.picture(f, "hostile", "", hostile, hostile);
	report_markdown.fold_begin(f, hostile);
	report_markdown.table_begin(f, row, 2);
	report_markdown.picture(f, "copies", "", "x", NULL);
	report_markdown.picture(f, "diagram-onecopy", "", "x", NULL);
}

TEST(markdown_is_escaped)
{
	char *md = written(write_markdown);

	check_quiet(md);
	check_has(md, "| a\\|b | user\\_gather |\n|---|---|\n");
	check_has(md, "![x](copies.png)");
	check_has(md, "![x](diagram-onecopy.svg)");
	free(md);
}
