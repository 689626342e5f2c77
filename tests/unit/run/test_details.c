/* SPDX-License-Identifier: GPL-2.0-only */
/* The details of a run: every field of the document, with its unit, or the reason why it is null.
 */
#include <stdlib.h>
#include <string.h>

#include "common/mode.h"
#include "common/xalloc.h"
#include "run/details.h"
#include "support/test.h"
#include "write/json.h"

/* Unit tests link the programs' code only, so helpers are included as source. */
#include "support/fake_result.c"

static char *details(const struct result *r, unsigned int columns)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	details__print(r, f, columns);
	xclose_memstream(f);
	return text;
}

static void assert_says(const struct result *r, const char *words)
{
	char *text = details(r, 4000);

	if (!strstr(text, words))
		fail_msg("'%s' is not in:\n%s", words, text);
	free(text);
}

static bool is_listed(const char *text, const char *section, const char *key)
{
	char *heading = xasprintf("\n%s\n", section), *end;
	char *from = strstr(text, heading), *row = xasprintf(" %s", key), *at;

	end = from ? strstr(from + 1, "\n\n") : NULL;
	at = from ? strstr(from, row) : NULL;
	free(heading);
	free(row);
	return at && (!end || at < end);
}

/* The object's own numbers, and those of the objects below. Returns how many are listed. */
static size_t check_numbers(const char *text, const char *section, json_t *object)
{
	size_t nr = 0;
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		char *below = xasprintf("%s.%s", section, key);

		if (json_is_object(value))
			nr += check_numbers(text, below, value);
		free(below);
		if (!json_is_number(value) || json_number_value(value) == 0 ||
		    (json_object_get(object, "value") &&
		     json_number_value(json_object_get(object, "value")) == 0))
			continue;
		if (!is_listed(text, section, key))
			fail_msg("no %s.%s in:\n%s", section, key, text);
		nr++;
	}
	return nr;
}

/* The document is the witness: no number of a mode's total is forgotten. */
TEST(every_number_of_the_document_is_listed)
{
	struct result *r = fake_result__new(3);
	char *text;

	fake_result__fentry(r);
	text = details(r, 4000);
	for (size_t i = 0; i < r->summary_nr; i++) {
		json_t *total = json_document__run(&r->summary[i].total);

		json_object_del(total, "size");
		assert_true(check_numbers(text, "total.app", json_object_get(total, "app")) > 20);
		assert_true(check_numbers(text, "total.ledger", json_object_get(total, "ledger")) >
			    20);
		check_numbers(text, "total.path_ns", json_object_get(total, "path_ns"));
		check_numbers(text, "total.cpu", json_object_get(total, "cpu"));
		check_numbers(text, "total.perf", json_object_get(total, "perf"));
		check_numbers(text, "total.health", json_object_get(total, "health"));
		json_decref(total);
	}
	free(text);
	fake_result__free(r);
}

static void assert_row(const struct result *r, const char *name, const char *two, const char *one,
		       const char *zero)
{
	char *row = xasprintf("\n  %-26s  %15s  %15s  %15s\n", name, two, one, zero);

	assert_says(r, row);
	free(row);
}

TEST(columns_have_modes_units_and_unknown_values)
{
	struct result *r = fake_result__new(3);

	assert_row(r, "", "two-copy", "one-copy", "zero-copy");
	assert_says(r, "\ntotal.app\n  tx_bytes (bytes) ");
	assert_row(r, "tx_bytes (bytes)", "1 000 013 824", "1 000 013 824", "1 000 013 824");
	assert_row(r, "copied_fraction (0..1)", "n/a", "n/a", "1.0");
	r->summary[1].total.unaccounted_tx = -7;
	assert_row(r, "unaccounted_tx (bytes)", "0", "-7", "0");
	fake_result__free(r);
}

/* A stage with further fields of its own; one of their values is known for one mode only. */
TEST(lists_are_sections_and_their_stage_keeps_its_units)
{
	struct result *r = fake_result__new(3);

	fake_result__fentry(r);
	assert_row(r, "bytes (bytes)", "0", "0", "1 000 013 824");
	assert_says(r, "\ntotal.ledger.deferred_copy.places[0]\n");
	assert_row(r, "comm", "n/a", "n/a", "nio-sender");
	fake_result__free(r);
}

/* An object after members that are a family. */
TEST(an_object_beside_a_family_keeps_its_own_units)
{
	struct result *r = fake_result__new(1);

	r->summary[0].total.cpu.by[NIO_SAMPLE_ELSEWHERE].samples = 50;
	assert_says(r, "\ntotal.cpu.softirq\n  ns_per_kib (ns/KiB) ");
	assert_says(r, "\n  ns_per_kib_at_most (ns/KiB) ");
	fake_result__free(r);
}

TEST(reasons_name_all_their_fields)
{
	struct result *r = fake_result__new(2);
	struct stage_result *rx = &r->summary[0].total.stages[NIO_STAGE_RX_COPY];

	assert_says(r, " " FAKE_OTHER_REASON ": total.ledger.other_copy");
	assert_says(r, " no hardware counters: virtual machine without a PMU: "
		       "total.perf.sender.cycles, .instructions, ");
	/* An estimate has a value and a reason. */
	rx->quality = QUALITY_DERIVED;
	rx->reason = "from tcp_rcv_space_adjust";
	assert_says(r, " from tcp_rcv_space_adjust: total.ledger.rx_copy\n");
	r->summary[0].total.health.dropped = (struct num){.reason = "not counted here"};
	assert_says(r, " not counted here: total.health.dropped\n");
	fake_result__free(r);
}

/* The names of processes come from outside. */
TEST(control_characters_are_not_printed)
{
	struct result *r = fake_result__new(1);
	char *text;

	r->env.taps.nr = 1;
	r->env.taps.list[0] = (struct tap){.device = "lo", .process = "a\033[2Jb\n"};
	snprintf(r->summary[0].total.verdict.text, 20, "x\033]0;y");
	text = details(r, 100);
	assert_null(strchr(text, '\033'));
	free(text);
	fake_result__free(r);
}

TEST(an_empty_result_has_no_columns)
{
	struct result *r = fake_result__new(0);

	assert_says(r, "\ntool\n");
	fake_result__free(r);
}
