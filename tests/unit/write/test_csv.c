/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV: fixed columns, cells below their column, quoting, empty cells for unknown. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/output.h"
#include "support/full_result.h"

#define CELLS_MAX 1024

/* One parsed line: RFC 4180, cells unquoted. */
struct row {
	char *cell[CELLS_MAX];
	size_t nr;
};

static void row__clear(struct row *row)
{
	while (row->nr)
		free(row->cell[--row->nr]);
}

/* Reads the cell at *p into buf and advances *p past it. Returns the character that ended it. */
static char read_cell(const char **p, char *buf, size_t len)
{
	bool quoted = **p == '"';
	const char *s = *p + quoted;
	size_t n = 0;

	while (*s && (quoted || (*s != ',' && *s != '\n'))) {
		if (quoted && *s == '"') {
			if (s[1] != '"') {
				quoted = false;
				s++;
				continue;
			}
			s++;
		}
		assert_true(n + 1 < len);
		buf[n++] = *s++;
	}
	buf[n] = '\0';
	*p = *s ? s + 1 : s;
	return *s;
}

static const char *read_row(struct row *row, const char *text)
{
	char buf[1024], end;

	row->nr = 0;
	do {
		end = read_cell(&text, buf, sizeof(buf));
		assert_true(row->nr < CELLS_MAX);
		row->cell[row->nr++] = strdup(buf);
	} while (end == ',');
	return text;
}

static char *written(const struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(output__csv(r, f), 0);
	fclose(f);
	return text;
}

static const char *cell_of(const struct row *header, const struct row *row, const char *column)
{
	size_t i;

	for (i = 0; i < header->nr; i++)
		if (!strcmp(header->cell[i], column))
			return row->cell[i];
	fail_msg("no column %s", column);
	return NULL;
}

TEST(cells_are_below_their_column)
{
	static const struct {
		const char *column, *value;
	} cells[] = {
		{"mode", "zerocopy"},
		{"interrupted", "false"},
		{"app_throughput_gbps", "8.0"},
		{"ledger_unaccounted_tx", "-12"},
		{"kernel_zerocopy_copied", "150"},
		{"verdict_text", "copied, \"local\""},
		{"environment_cpu", "A CPU, 2 GHz"},
		{"environment_lockdown", "none"},
	};
	struct row header, first, second;
	struct full_result f;
	char *text;
	const char *p;
	size_t i;

	full_result__init(&f);
	text = written(&f.result);
	p = read_row(&header, text);
	p = read_row(&first, p);
	p = read_row(&second, p);
	assert_string_equal(p, "");
	assert_int_equal(header.nr, first.nr);
	assert_int_equal(header.nr, second.nr);
	assert_string_equal(cell_of(&header, &first, "mode"), "twocopy");
	for (i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		assert_string_equal(cell_of(&header, &second, cells[i].column), cells[i].value);
	row__clear(&header);
	row__clear(&first);
	row__clear(&second);
	free(text);
	full_result__clear(&f);
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

TEST(columns_are_unique_and_have_no_reasons)
{
	struct result empty = {0};
	struct row header;
	char *text = written(&empty);
	size_t i, j;

	read_row(&header, text);
	assert_true(header.nr > 150);
	for (i = 0; i < header.nr; i++) {
		assert_null(strstr(header.cell[i], "reason"));
		assert_true(strspn(header.cell[i], "abcdefghijklmnopqrstuvwxyz0123456789_") ==
			    strlen(header.cell[i]));
		for (j = 0; j < i; j++)
			assert_string_not_equal(header.cell[i], header.cell[j]);
	}
	row__clear(&header);
	free(text);
}

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
	struct row header, row;
	char *text;
	size_t i;

	run_result__init(&run);
	text = written(&r);
	read_row(&row, read_row(&header, text));
	assert_int_equal(header.nr, row.nr);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		assert_string_equal(cell_of(&header, &row, columns[i]), "");
	assert_string_equal(cell_of(&header, &row, "ledger_tx_copy_quality"), "unavailable");
	row__clear(&header);
	row__clear(&row);
	free(text);
}

TEST(full_disk_gives_ENOSPC)
{
	struct full_result f;
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	full_result__init(&f);
	assert_int_equal(output__csv(&f.result, full), -ENOSPC);
	fclose(full);
	full_result__clear(&f);
}
