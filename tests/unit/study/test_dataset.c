/* SPDX-License-Identifier: GPL-2.0-only */
/* Results read back: columns by name in any order; missing stays missing; damage is refused. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/dataset.h"
#include "support/read_dataset.h"
#include "write/json.h"
#include "write/output.h"
#include "support/golden.c"
#include "support/record.h"
#include "support/full_result.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9 * (1 + fabs(b)))

static void refused(const char *text, const char *words)
{
	must_refuse(text, words);
	record("%s\n", message);
}

DATASET_TEST(columns_of_published_data_are_read)
{
	must_read("Mode,Size,Threads,Throughput_Gbps,Latency_us,Cycles,L1Misses,LLCMisses,"
		  "ContextSwitches\n"
		  "2,16384,4,80,2.5,1000,11,12,13\n"
		  "0,4096,1,8,1.5,2000,21,22,23");
	dataset__finish(&set, 5);
	assert_int_equal(set.rows_nr, 2);
	assert_int_equal(set.rows[0].mode, MODE_TWOCOPY);
	assert_int_equal(set.rows[1].mode, MODE_ZEROCOPY);
	assert_int_equal(set.rows[1].size, 16384);
	assert_int_equal(set.rows[1].threads, 4);
	NEAR(set.rows[1].value[METRIC_GBPS], 80.0);
	NEAR(set.rows[1].value[METRIC_LATENCY], 2500.0);
	NEAR(set.rows[1].value[METRIC_CYCLES], 1000.0);
	NEAR(set.rows[1].value[METRIC_L1D_MISSES], 11.0);
	NEAR(set.rows[1].value[METRIC_LLC_MISSES], 12.0);
	NEAR(set.rows[1].value[METRIC_CONTEXT_SWITCHES], 13.0);
	NEAR(set.rows[1].value[METRIC_PAYLOAD], 50e9);
	NEAR(set.rows[1].value[METRIC_CYCLES_PER_BYTE], 1000 / 50e9);
	assert_true(isnan(set.rows[1].value[METRIC_SEND_P50]));
	assert_true(isnan(set.rows[1].value[METRIC_RX_BYTES]));
}

DATASET_TEST(quotes_line_ends_and_column_order_are_read)
{
	must_read("\xef\xbb\xbfverdict_text,size,\"mode\",unknown_column\r\n"
		  "\"copied, \"\"local\"\"\nhere\",64,one-copy,x\r\n\r\n");
	assert_int_equal(set.rows_nr, 1);
	assert_int_equal(set.rows[0].mode, MODE_ONECOPY);
	assert_int_equal(set.rows[0].threads, 0);
	assert_string_equal(set.rows[0].verdict, "copied, \"local\"\nhere");
}

DATASET_TEST(missing_values_stay_unknown)
{
	static const char *const words[] = {"", "n/a", "NaN", "null", "-", "NA"};
	char text[256];

	for_each_case(word, words) {
		snprintf(text, sizeof(text),
			 "mode,size,app_throughput_gbps,ledger_tx_copy_bytes\n0,64,%s,0\n", *word);
		must_read(text);
		dataset__finish(&set, 5);
		assert_true(isnan(number(METRIC_GBPS)));
		assert_true(isnan(number(METRIC_PAYLOAD)));
		assert_true(number(METRIC_BYTES_TX_COPY) == 0);
	}
}

DATASET_TEST(damaged_files_are_refused_with_the_line)
{
	refused("", "empty");
	refused("mode,size\n", "no run");
	refused("\xef\xbb\xbf", "empty");
	refused("\xef\xbb\xbfsize,x\n1,2\n", "no column 'mode'");
	refused("a,b\n1,2\n", "no column 'mode'");
	refused("mode,threads\n0,2\n", "no column 'size'");
	refused("mode,size,cycles\n0,64\n", "line 2: 2 cells where the header has 3");
	refused("mode,size\n0,64\n0,64,3\n", "line 3");
	refused("mode,size\n0,64\n0\n0,64\n", "line 3: 1 cells where the header has 2");
	refused("mode,size,verdict_text\n0,64,\"copied", "never ends");
	refused("mode,size,app_rx_bytes\n0,64,12", "truncated");
	refused("mode,size,cycles\n0,64,many\n", "'many', which is not a number");
	refused("mode,size,cycles\n0,64,0x10\n", "'0x10', which is not a number");
	refused("mode,size,cycles\n0,64,12abc\n", "not a number");
	refused("mode,size,cycles\n0,64,inf\n", "not a number");
	refused("mode,size,cycles\n0,64,-1\n", "'-1', and can hold nothing below 0");
	refused("mode,size\n33,64\n", "'33' is not a mode");
	refused("mode,size\n0,\n", "without a message size");
	refused("mode,size\n0,0\n", "without a message size");
	refused("mode,size\n0,-5\n", "not a valid count");
	refused("mode,size,threads\n0,64,1.5\n", "not a valid count");
	refused("mode,size,Cycles,cycles\n0,64,1,2\n", "the same number");
	refused("{\"schema\": 1}\n", "no column");
}

DATASET_TEST(binary_file_is_refused)
{
	static const char data[] = "mode,size\n0,\0 64\n";

	assert_int_equal(import_csv(&set, "x", data, sizeof(data) - 1, message), -EINVAL);
	assert_non_null(strstr(message, "not a text file"));
	record("%s\n", message);
}

static const struct dataset_row *row_of(const struct dataset *d, enum mode mode)
{
	for (size_t i = 0; i < d->rows_nr; i++)
		if (d->rows[i].mode == mode)
			return &d->rows[i];
	fail_msg("mode %s was not read", mode__name(mode));
	return NULL;
}

/* The program's own output is read back, in both formats. */
static void check_full(const struct dataset *d)
{
	const struct dataset_row *row = &d->rows[1];

	assert_int_equal(d->rows_nr, 2);
	assert_int_equal(d->rows[0].mode, MODE_TWOCOPY);
	assert_int_equal(row->mode, MODE_ZEROCOPY);
	assert_int_equal(row->size, 65536);
	assert_int_equal(row->round, 1);
	NEAR(row->value[METRIC_TX_BYTES], 1000000001.0);
	NEAR(row->value[METRIC_GBPS], 8.0);
	NEAR(row->value[METRIC_CPU_PER_GB], 0.25);
	NEAR(row->value[METRIC_ZC_COPIED], 75.0);
	NEAR(row->value[METRIC_BYTES_USER_GATHER], 1000.0);
	NEAR(row->value[METRIC_NS_OTHER_COPY], 10009.0);
	NEAR(row->value[METRIC_UNACCOUNTED_TX], -12.0);
	NEAR(row->value[METRIC_PATH_RELEASE], 20007.0);
	NEAR(row->value[METRIC_R_CYCLES], 40000.0);
	NEAR(row->value[METRIC_CYCLES], row->value[METRIC_S_CYCLES] + row->value[METRIC_R_CYCLES]);
	assert_string_equal(row->verdict, "copied, \"local\"");
	assert_string_equal(json_string_value(json_object_get(d->environment, "cpu")),
			    "A CPU, 2 GHz");
}

/* Both formats of one result have the same numbers. */
static void check_same_numbers(const struct dataset *csv, const struct dataset *document)
{
	assert_int_equal(csv->rows_nr, document->rows_nr);
	for (size_t i = 0; i < document->rows_nr; i++) {
		const struct dataset_row *theirs = &document->rows[i];
		const struct dataset_row *row = row_of(csv, theirs->mode);

		for (int m = 0; m < METRIC_READ_NR; m++)
			if (isnan(row->value[m]) != isnan(theirs->value[m]) ||
			    fabs(row->value[m] - theirs->value[m]) > 1e-9 * fabs(theirs->value[m]))
				fail_msg("%s of %s is %g in CSV, %g in the document",
					 metric__path((enum metric)m), mode__name(row->mode),
					 row->value[m], theirs->value[m]);
	}
}

/* The result of full_result.h, but with these modes. */
static void check_modes(enum mode first, enum mode second)
{
	struct full_result f;
	struct dataset csv = {0}, document = {0};
	json_t *object;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	full_result__init(&f);
	f.runs[0].mode = first;
	f.runs[1].mode = second;
	assert_int_equal(output__csv(&f.result, stream), 0);
	fclose(stream);
	if (import_csv(&csv, "x", text, size, message))
		fail_msg("%s", message);
	object = json_document__result(&f.result);
	assert_int_equal(dataset__add_document(&document, "x", object, message), 0);
	dataset__finish(&csv, (double)NAN);
	dataset__finish(&document, (double)NAN);
	check_same_numbers(&csv, &document);
	if (first == MODE_TWOCOPY && second == MODE_ZEROCOPY)
		check_full(&csv);
	json_decref(object);
	dataset__clear(&csv);
	dataset__clear(&document);
	free(text);
	full_result__clear(&f);
}

TEST(own_csv_of_every_mode_is_read_back_as_its_document)
{
	for (int m = 0; m < MODE_NR; m++)
		if (m != MODE_ZEROCOPY)
			check_modes((enum mode)m, MODE_ZEROCOPY);
}

TEST(own_document_is_read_back)
{
	struct full_result f;
	struct dataset d = {0};
	json_t *document;
	size_t i, completions = 0;

	full_result__init(&f);
	document = json_document__result(&f.result);
	assert_int_equal(dataset__add_document(&d, "x", document, message), 0);
	dataset__finish(&d, (double)NAN);
	check_full(&d);
	for (i = 0; i < d.hists_nr; i++)
		completions += d.hists[i].kind == DATASET_HIST_LATENCY + LATENCY_COMPLETION &&
			       d.hists[i].buckets_nr > 0;
	assert_true(completions > 0);
	json_decref(document);
	dataset__clear(&d);
	full_result__clear(&f);
}

/* Rounds with different settings are not pooled: 8 and 64 fields are different cells. */
DATASET_TEST(rounds_of_other_settings_are_not_pooled)
{
	static const char *const differing[] = {
		"mode,size,environment_mtu\n0,64,1500\n1,64,9000\n",
		"mode,size,environment_path\n0,64,veth\n0,64,loopback\n",
		"mode,size,environment_kernel\n0,64,6.1\n0,64,6.12\n",
		"mode,size,fields\n0,64,8\n0,64,64\n",
	};

	refused("fields,mode,size\n8,0,64\n64,0,64\n", "are not pooled");
	for_each_case(text, differing)
		refused(*text, "are not pooled");
	must_read("mode,size,fields,environment_mtu\n0,64,8,\n1,64,8,1500\n");
}

/*
 * Runs with several congestion controls are several data sets: one is used, the others are named.
 */
DATASET_TEST(congestion_controls_are_separate_data_sets)
{
	static const char csv[] = "mode,size,round,environment_congestion_control\n0,64,0,bbr\n"
				  "0,64,0,reno\n1,64,0,reno\n0,64,0,cubic\n0,64,1,\n";

	must_read(csv);
	assert_int_equal(set.rows_nr, 2); /* with bbr, and the run without a name */
	assert_string_equal(set.congestion, "bbr");
	assert_int_equal(set.others_nr, 2);
	assert_string_equal(set.others[0], "reno");
	assert_string_equal(set.others[1], "cubic");
	assert_int_equal(read_csv_as(&(struct dataset_names){.congestion = "reno"}, csv), 0);
	assert_int_equal(set.rows_nr, 2); /* the run without a name is left out */
	assert_string_equal(set.congestion, "reno");
	assert_int_equal(set.others_nr, 2);
}

DATASET_TEST(runs_that_were_ended_early_are_counted)
{
	must_read("mode,size,round,interrupted\n0,64,0,true\n0,64,1,false\n"
		  "1,64,0,True\n1,64,1,\n2,64,0,trues\n");
	assert_int_equal(set.rows_nr, 5);
	assert_int_equal(set.interrupted, 2);
}

/* Modes in data sets: the name in any spelling, the number, or the part of the exercise. */
TEST(modes_are_read_by_name_number_or_part)
{
	static const char *const names[][6] = {
		{"twocopy", "two-copy", "Two Copy", "0", "A1", "a1"},
		{"onecopy", "one_copy", "ONECOPY", "1", "A2", "a2"},
		{"zerocopy", "zero-copy", "Zero-Copy", "2", "A3", "a3"}};
	static const char *const none[] = {"",   "33",  "00", "A",   "A0",
					   "A9", "A11", "B1", "two", "-1"};
	enum mode mode;

	for (int m = 0; m <= MODE_ZEROCOPY; m++)
		for (size_t i = 0; i < 6; i++) {
			mode = MODE_NR;
			assert_int_equal(dataset__parse_mode(names[m][i], &mode), 0);
			assert_int_equal(mode, m);
		}
	mode = MODE_ONECOPY;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(dataset__parse_mode(none[i], &mode), -EINVAL);
	assert_int_equal(mode, MODE_ONECOPY);
}

static int keep(const char *conditions)
{
	return dataset__keep_settings(&set, "c", json_of(conditions), message);
}

/* A value that only a later run has is used. */
DATASET_TEST(settings_are_collected_from_all_runs)
{
	assert_int_equal(keep("{'fields': '8'}"), 0);
	assert_int_equal(keep("{'fields': '8', 'mtu': '1500'}"), 0);
	assert_int_equal(keep("{'mtu': '9000'}"), -EINVAL);
	assert_string_equal(message,
			    "c: made with mtu 9000, other runs here with 1500: runs of different "
			    "settings are not pooled; give each a directory or file of its own.");
	/* With several, the first one present. */
	assert_int_equal(keep("{'mtu': '9000', 'fields': '9'}"), -EINVAL);
	assert_non_null(strstr(message, "made with fields 9, other runs here with 8:"));
	assert_int_equal(json_object_size(set.conditions), 2);
	assert_string_equal(json_string_value(json_object_get(set.conditions, "mtu")), "1500");
}

DATASET_TEST(only_one_congestion_control_is_used)
{
	assert_int_equal(dataset__admits(&set, NULL), 1);
	assert_null(set.congestion);
	assert_int_equal(dataset__admits(&set, "cubic"), 1);
	assert_string_equal(set.congestion, "cubic");
	assert_int_equal(dataset__admits(&set, "bbr"), 0);
	assert_int_equal(dataset__admits(&set, "cubic"), 1);
	assert_int_equal(dataset__admits(&set, "bbr"), 0);
	assert_int_equal(dataset__admits(&set, "reno"), 0);
	assert_int_equal(set.others_nr, 2);
	dataset__clear(&set);
	set.names.congestion = "bbr";
	assert_int_equal(dataset__admits(&set, NULL), 0);
	assert_int_equal(dataset__admits(&set, "cubic"), 0);
	assert_null(set.congestion);
	assert_int_equal(dataset__admits(&set, "bbr"), 1);
	assert_string_equal(set.congestion, "bbr");
}

/* The real headers of two other published data sets of this experiment. */
DATASET_TEST(other_published_columns_are_known)
{
	must_read("impl,msg_size,threads,latency_us,throughput_mbps,cycles,cache_misses,l1_misses,"
		  "context_switches\nA1,1024,2,12.5,9000,1000,10,20,3\n"
		  "A3,1024,2,12.5,8000,1000,10,20,3\n");
	assert_int_equal(set.rows[0].mode, MODE_TWOCOPY);
	assert_int_equal(set.rows[1].mode, MODE_ZEROCOPY);
	NEAR(set.rows[0].value[METRIC_GBPS], 9.0);
	NEAR(set.rows[0].value[METRIC_LATENCY], 12500.0);
	NEAR(set.rows[0].value[METRIC_L1D_MISSES], 20.0);
	NEAR(set.rows[0].value[METRIC_LLC_MISSES], 10.0);
	must_read(
		"Implementation,Threads,MsgSize_Bytes,Duration_s,Throughput_Gbps,Latency_us,Cycles,"
		"Instructions,L1_Cache_Misses,LLC_Misses,Branches,Branch_Misses,Context_Switches\n"
		"Two-Copy,4,65536,5,40,100,8e9,4e9,7,6,5,4,3\n");
	dataset__finish(&set, (double)NAN);
	assert_int_equal(set.rows[0].size, 65536);
	NEAR(set.rows[0].value[METRIC_L1D_MISSES], 7.0);
	NEAR(set.rows[0].value[METRIC_DURATION], 5.0);
	NEAR(set.rows[0].value[METRIC_CYCLES_PER_BYTE], 0.32);
}

/* Any other file, with its names given by options. */
DATASET_TEST(foreign_names_are_given_by_columns_and_modes)
{
	static const char csv[] = "way,bytes_each,bw\nmemcpy,4096,10\nvmsplice,4096,12\n";
	static const struct dataset_names right = {.columns = "mode=way,size=bytes_each,"
							      "throughput_gbps=bw",
						   .modes = "memcpy=twocopy,vmsplice=zerocopy"};
	static const struct dataset_names wrong[] = {
		{.columns = "mode=way,size=bytes_each,throughput_gbps=bandwidth",
		 .modes = "memcpy=twocopy"},
		{.columns = "mode=way,size=bytes_each,speed=bw", .modes = "memcpy=twocopy"},
		{.columns = "mode=way,size=bytes_each", .modes = "memcpy=twocopy"},
		{.columns = "mode=way,size", .modes = "memcpy=twocopy"},
		{.modes = NULL},
	};

	assert_int_equal(read_csv_as(&right, csv), 0);
	assert_int_equal(set.rows[0].mode, MODE_TWOCOPY);
	assert_int_equal(set.rows[1].mode, MODE_ZEROCOPY);
	NEAR(set.rows[1].value[METRIC_GBPS], 12.0);
	for_each_case(names, wrong) {
		assert_int_equal(read_csv_as(names, csv), -EINVAL);
		assert_non_null(strstr(message, "--"));
		record("%s\n", message);
	}
}

/* Settings of a document are read, except those that a data set varies. */
DATASET_TEST(settings_of_a_document_are_read)
{
	static const int sndbuf[] = {4096, 4096, 8192};

	for (int i = 0; i < 3; i++)
		assert_int_equal(
			add_document("{'schema': 'netiotrace.result/1', 'settings': {'size': %d, "
				     "'sndbuf': %d, 'rcvbuf': null}, 'runs': [{'mode': 'onecopy', "
				     "'size': %d, 'fields': 8}]}",
				     64 << i, sndbuf[i], 64 << i),
			i < 2 ? 0 : -EINVAL);
	assert_non_null(strstr(message, "sndbuf 8192, other runs here with 4096"));
}

/* Every number that is read is also written: a renamed field would be missing without a message. */
TEST(every_path_that_is_read_is_written)
{
	struct full_result f;
	const json_t *runs, *o;
	char path[128], *key, *rest;
	json_t *document;
	int m;

	full_result__init(&f);
	document = json_document__result(&f.result);
	runs = json_object_get(document, "runs");
	for (m = 0; m < METRIC_READ_NR; m++) {
		/* Numbers that only foreign data has. */
		if (m == METRIC_LATENCY ||
		    (m >= (int)METRIC_PERF_BOTH(0) && m < (int)METRIC_PERF_BOTH(PERF_NR)))
			continue;
		snprintf(path, sizeof(path), "%s", metric__path((enum metric)m));
		o = json_array_get(runs, 1);
		for (key = strtok_r(path, ".", &rest); key; key = strtok_r(NULL, ".", &rest))
			o = json_object_get(o, key);
		if (!o)
			fail_msg("%s is not in the document", metric__path((enum metric)m));
	}
	json_decref(document);
	full_result__clear(&f);
}

TEST(refusals_match_the_golden_file)
{
	record__check("refusals");
}

DATASET_TEST(blanks_around_numbers_are_ignored)
{
	must_read("mode,size,round,throughput_gbps\n"
		  "twocopy, 4096 ,  3,\t 8.5 \n");
	assert_int_equal(set.rows[0].size, 4096);
	assert_int_equal(set.rows[0].round, 3);
	NEAR(set.rows[0].value[METRIC_GBPS], 8.5);
	must_read("mode,size,cycles\ntwocopy,1, n/a\n");
	assert_true(isnan(set.rows[0].value[METRIC_CYCLES]));
}

DATASET_TEST(every_column_of_the_environment_is_kept)
{
	must_read("environment_device,mode,size,environment_os\nlo,0,64,x\n");
	assert_string_equal(json_string_value(json_object_get(set.environment, "device")), "lo");
	assert_string_equal(json_string_value(json_object_get(set.environment, "os")), "x");
}

/* Other times, load or taps are the same machine; another kernel is not. */
DATASET_TEST(environments_differ_by_machine_values_only)
{
	dataset__keep_environment(&set, json_of("{'kernel': '6.1', 'started': 'monday', "
						"'load_average': 0.5, 'packet_taps': 0}"));
	dataset__keep_environment(&set, json_of("{'kernel': '6.1', 'started': 'tuesday', "
						"'load_average': 0.75, 'packet_taps': 2}"));
	assert_false(set.environment_varies);
	assert_string_equal(json_string_value(json_object_get(set.environment, "started")),
			    "monday");
	dataset__keep_environment(&set, json_of("{'kernel': '6.12'}"));
	assert_true(set.environment_varies);
	assert_string_equal(json_string_value(json_object_get(set.environment, "kernel")), "6.1");
	dataset__keep_environment(&set, json_of("{'kernel': '6.1'}"));
	assert_true(set.environment_varies);
}
