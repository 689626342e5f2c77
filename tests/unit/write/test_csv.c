/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV: fixed columns, quoting, empty cells for unknown. test_document.c compares whole rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/receive_way.h"
#include "common/xalloc.h"
#include "model/perf_figures.h"
#include "support/csv_text.h"
#include "support/test.h"
#include "write/output.h"
#include "support/full_result.h"

static char *written(const struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(output__csv(r, f), 0);
	fclose(f);
	return text;
}

TEST(text_with_commas_quotes_or_newlines_is_quoted)
{
	struct full_result f;
	char *text;

	full_result__init(&f);
	snprintf(f.runs[0].verdict.text, sizeof(f.runs[0].verdict.text), "two\nlines");
	snprintf(f.result.env.kernel, sizeof(f.result.env.kernel), "6.1\x1b[2J\r\x7f");
	text = written(&f.result);
	assert_non_null(strstr(text, ",\"copied, \"\"local\"\"\","));
	assert_non_null(strstr(text, ",\"two\nlines\","));
	assert_null(strpbrk(text, "\x1b\r"));
	assert_non_null(strstr(text, ",6.1?[2J??,"));
	assert_non_null(strstr(text, ",\"A CPU, 2 GHz\","));
	assert_null(strstr(text, "\"zerocopy\""));
	free(text);
	full_result__clear(&f);
}

/* A spreadsheet executes such cells, also in quotes. */
TEST(text_that_would_be_a_formula_begins_with_a_quote)
{
	static const struct {
		const char *text, *cell;
	} cases[] = {
		{"=cmd|' /C calc'!A0", ",'=cmd|' /C calc'!A0,"},
		{"+1", ",'+1,"},
		{"-1,5", ",\"'-1,5\","},
		{"@SUM(A1)", ",'@SUM(A1),"},
		{"1=1", ",1=1,"},
		{"", ",,"},
	};

	for_each_case(c, cases) {
		struct full_result f;
		char *text;

		full_result__init(&f);
		snprintf(f.result.env.kernel, sizeof(f.result.env.kernel), "%s", c->text);
		text = written(&f.result);
		assert_non_null(strstr(text, c->cell));
		free(text);
		full_result__clear(&f);
	}
}

/* An empty result has the same columns as a full one. */
TEST(columns_are_always_the_same)
{
	struct full_result f;
	struct result empty = {0};
	char *full_text, *empty_text;

	full_result__init(&f);
	full_text = written(&f.result);
	empty_text = written(&empty);
	assert_int_equal(strcspn(full_text, "\n"), strcspn(empty_text, "\n"));
	assert_memory_equal(full_text, empty_text, strcspn(full_text, "\n") + 1);
	assert_int_equal(strlen(empty_text), strcspn(empty_text, "\n") + 1);
	free(full_text);
	free(empty_text);
	full_result__clear(&f);
}

static void assert_row(const char *text, const char *table, const char *key, const char *words)
{
	char *row = xasprintf("%s\t%s\t%s\n", table, key, words);
	const char *at = strstr(text, row);

	if (!at || (at != text && at[-1] != '\n'))
		fail_msg("no row: %s", row);
	free(row);
}

/* For readers in another language. */
TEST(tables_have_all_columns_in_order_with_units)
{
	struct result empty = {0};
	char *header = written(&empty), *text = NULL, *column;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(output__tables(f), 0);
	fclose(f);
	assert_non_null(strstr(text, "mode\turingzc\tio_uring zero-copy\n"));
	for (unsigned int i = 0; i < MODE_NR; i++)
		assert_row(text, "mode", mode__name(i), mode__words(i));
	for (unsigned int i = 0; i < RECEIVE_NR; i++)
		assert_row(text, "receive", receive__name(i), receive__words(i));
	for (unsigned int i = 0; i < NIO_STAGE_NR; i++)
		assert_row(text, "stage", stage__key(i), stage__help(i));
	for (unsigned int i = 0; i < LATENCY_NR; i++)
		assert_row(text, "latency", latency__key(i), latency__help(i));
	for (unsigned int i = 0; i < PATH_NR; i++)
		assert_row(text, "part", path_part__key(i), "");
	for (unsigned int i = 0; i < PERF_NR; i++)
		assert_row(text, "counter", perf_counter__key(i), perf_counter__words(i));
	for (unsigned int i = 0; i < DERIVED_NR; i++)
		assert_row(text, "derived", perf_derived__key(i), perf_derived__unit(i));
	for (unsigned int i = 0; i < CPU_CLASS_NR; i++)
		assert_row(text, "class", cpu_class__key(i), cpu_class__help(i));
	assert_non_null(strstr(text, "\ncolumn\tapp_tx_bytes\tbytes\n"));
	assert_non_null(strstr(text, "\ncolumn\tledger_rx_copy_bytes\tbytes\n"));
	assert_non_null(strstr(text, "\ncolumn\tcpu_sender_ns_per_kib_tx_copy_low\tns/KiB\n"));
	assert_non_null(strstr(text, "\ncolumn\tcpu_softirq_ns_per_kib\tns/KiB\n"));
	column = strstr(text, "\ncolumn\t");
	for (char *name = strtok(header, ",\n"); name; name = strtok(NULL, ",\n")) {
		assert_non_null(column);
		column += strlen("\ncolumn\t");
		assert_int_equal(strcspn(column, "\t"), strlen(name));
		assert_memory_equal(column, name, strlen(name));
		column = strstr(column, "\ncolumn\t");
	}
	assert_null(column);
	free(text);
	free(header);
}

TEST(columns_are_unique_and_have_no_reasons)
{
	struct result empty = {0};
	char *text = written(&empty), *rest = text;
	struct csv_text_row header;

	csv_text__row(&header, &rest);
	assert_true(header.nr > 150);
	for (size_t i = 0; i < header.nr; i++) {
		assert_null(strstr(header.cell[i], "reason"));
		assert_true(strspn(header.cell[i], "abcdefghijklmnopqrstuvwxyz0123456789_") ==
			    strlen(header.cell[i]));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(header.cell[i], header.cell[j]);
	}
	free(text);
}

/* In a run that was not measured, only its settings and counts of the load generator are numbers.
 */
TEST(unknown_number_is_an_empty_cell)
{
	static const char *const columns[] = {
		"duration_s",
		"app_throughput_gbps",
		"app_cpu_s_sender",
		"ledger_tx_copy_bytes",
		"ledger_copies_per_byte",
		"ledger_unaccounted_tx",
		"kernel_zerocopy_sends",
		"verdict_copied_fraction",
		"path_ns_send_total",
		"perf_sender_cycles_value",
		"health_missed",
		"app_latency_ns_delivery_p50",
		"environment_kernel",
		"environment_mtu",
	};
	struct run_result run;
	struct result r = {.runs = &run, .runs_nr = 1};
	struct csv_text_row header, row;
	char *text, *rest;
	size_t empty = 0;

	run_result__init(&run);
	text = rest = written(&r);
	csv_text__row(&header, &rest);
	csv_text__row(&row, &rest);
	assert_int_equal(header.nr, row.nr);
	for (size_t i = 0; i < header.nr; i++)
		for_each_case(column, columns) {
			if (strcmp(*column, header.cell[i]) != 0)
				continue;
			assert_string_equal(row.cell[i], "");
			empty++;
		}
	assert_int_equal(empty, sizeof(columns) / sizeof(columns[0]));
	free(text);
}
