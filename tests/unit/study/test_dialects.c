/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV of other programs: separators, titles, units, numbers, names of modes, repeated rows. */
#include "support/near.h"
#include "support/read_dataset.h"

/* One two-copy row of 64 KiB, 4 threads, 8.5 Gbit/s, 12345678 cycles, in many notations. */
static const char *const same_row[] = {
	"mode,size,threads,throughput_gbps,cycles\ntwocopy,65536,4,8.5,12345678\n",
	"mode;size;threads;throughput_gbps;cycles\ntwocopy;65536;4;8.5;12345678\n",
	"mode\tsize\tthreads\tthroughput_gbps\tcycles\ntwocopy\t65536\t4\t8.5\t12345678\n",
	"\xef\xbb\xbfmode;size;threads;throughput_gbps;cycles\r\ntwocopy;65536;4;8.5;12345678\r\n",
	"# a comment, with \"quotes\nmode,size,threads,throughput_gbps,cycles\n"
	"# another\ntwocopy,65536,4,8.5,12345678\n",
	"#mode,size,threads,throughput_gbps,cycles\ntwocopy,65536,4,8.5,12345678\n",
	"# mode,size,threads,throughput_gbps,cycles\ntwocopy,65536,4,8.5,12345678\n",
	"Results of June, second try\n\nmode,size,threads,throughput_gbps,cycles\n"
	"twocopy,65536,4,8.5,12345678\n",
	"mode,size,threads,throughput_gbps,cycles,,\ntwocopy,65536,4,8.5,12345678,,\n",
	"mode,size,threads,throughput_gbps,cycles,\ntwocopy,65536,4,8.5,12345678\n",
	"mode,size,threads,throughput_gbps,cycles\ntwocopy,65536,4,8.5,12345678,,\n,,,,\n",
	"mode,size,threads,\"throughput,\n(Gbps)\",cycles\ntwocopy,65536,4,8.5,12345678\n",
	"Mode,Msg Size,Workers,Throughput (Mbps),CPU Cycles\nTwo-Copy,64K,4,8500,\"12,345,678\"\n",
	"variant,message-size,clients,bandwidth [Gbit/s],cycles\nbaseline,64KB,4,8.5,12345678\n",
	"impl,size,connections,GBps,cycles\nclient_2copy,64KiB,4,1.0625,12345678\n",
	"impl,size_kb,num_conns,mbps,cycles\nA1,64,4,8500,1.2345678e7\n",
	"type;size;threads;throughput_gbps;cycles\nTwoCopy;64 KB;4;8,5;12.345.678\n",
	"version,msg_size,threads,total_gbps,cycles\nv1,65536,4,8.5 Gbps,12345678\n"
	"v2,65536,4,1,1\nv3,65536,4,1,1\n",
	"mode,size,threads,throughput_gbps,cycles\n1,65536,4,8.5,12345678\n"
	"2,65536,4,1,1\n3,65536,4,1,1\n",
	"copies,size,threads,throughput_gbps,cycles\n2,65536,4,8.5,12345678\n0,65536,4,1,1\n",
	"sep=;\nmode;size;threads;throughput_gbps;cycles\ntwocopy;65536;4;8.5;12345678\n",
	"mode,field_size,fields,threads,throughput_gbps,cycles\n0,4096,16,4,8.5,12345678\n",
	"mode,field_size,threads,throughput_gbps,cycles\n0,8192,4,8.5,12345678\n",
};

DATASET_TEST(one_row_is_read_in_many_notations)
{

	for (size_t i = 0; i < sizeof(same_row) / sizeof(same_row[0]); i++) {
		if (read_csv(same_row[i]))
			fail_msg("%s\n%s", message, same_row[i]);
		if (set.rows[0].mode != MODE_TWOCOPY || set.rows[0].size != 65536 ||
		    set.rows[0].threads != 4 || fabs(number(METRIC_GBPS) - 8.5) > 1e-9 ||
		    fabs(number(METRIC_CYCLES) - 12345678) > 1e-3)
			fail_msg("read wrongly: %s", same_row[i]);
	}
}

struct name_case {
	const char *name;
	enum metric metric; /* METRIC_NR: the column is not read */
	double scale;
};

static const struct name_case name_cases[] = {
	{"LatencyUs", METRIC_LATENCY, 1e3},
	{"latency_ms", METRIC_LATENCY, 1e6},
	{"Avg Latency (\xc2\xb5s)", METRIC_LATENCY, 1e3},
	{"avg_us", METRIC_LATENCY, 1e3},
	{"latency", METRIC_LATENCY, 1e3},
	{"min_us", METRIC_NR, 1},
	{"p99_latency_us", METRIC_NR, 1},
	{"duration_ms", METRIC_DURATION, 1e-3},
	{"seconds time elapsed", METRIC_DURATION, 1},
	{"total_Gb", METRIC_RX_BYTES, 1.25e8},
	{"total_GB", METRIC_RX_BYTES, 1e9},
	{"total bytes", METRIC_RX_BYTES, 1},
	{"L1-dcache-load-misses", METRIC_L1D_MISSES, 1},
	{"L1Miss", METRIC_L1D_MISSES, 1},
	{"l1_misses_per_kb", METRIC_NR, 1},
	{"cycles per byte", METRIC_NR, 1},
	{"cs", METRIC_CONTEXT_SWITCHES, 1},
	{"client_cycles", METRIC_S_CYCLES, 1},
	{"server_llc_misses", METRIC_R_LLC_MISSES, 1},
	{"cycles_server", METRIC_R_CYCLES, 1},
	{"client_latency", METRIC_NR, 1},
	{"Cycles (millions)", METRIC_CYCLES, 1e6},
	{"Throughput (messages/s)", METRIC_NR, 1},
	{"perf_sender_cycles_value", METRIC_S_CYCLES, 1},
	{"", METRIC_NR, 1},
	{"()", METRIC_NR, 1},
};

DATASET_TEST(column_names_give_metric_and_unit)
{
	char text[128];

	for (size_t i = 0; i < sizeof(name_cases) / sizeof(name_cases[0]); i++) {
		const struct name_case *c = &name_cases[i];

		snprintf(text, sizeof(text), "mode,size,%s\n0,64,1\n", c->name);
		must_read(text);
		for (int m = 0; m < METRIC_READ_NR; m++)
			if (isnan(set.rows[0].value[m]) == (m == (int)c->metric) ||
			    (m == (int)c->metric &&
			     fabs(number((enum metric)m) / c->scale - 1) > 1e-12))
				fail_msg("'%s': %s is %g", c->name, metric__words((enum metric)m),
					 set.rows[0].value[m]);
	}
}

DATASET_TEST(uncounted_values_are_unknown)
{
	static const char *const words[] = {
		"<not supported>", "<not counted>", "-", "", "NaN", "n/a", " ", "--"};
	char text[128];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(text, sizeof(text), "mode,size,cycles,cs\n0,64,%s,0\n", words[i]);
		must_read(text);
		assert_true(isnan(number(METRIC_CYCLES)));
		assert_true(number(METRIC_CONTEXT_SWITCHES) == 0);
	}
	/* A run needs cycles: a count of 0 cycles means that hardware counters did not count. */
	must_read("mode,size,cycles,llc_misses,cs\n0,64,0,0,0\n");
	assert_true(isnan(number(METRIC_CYCLES)));
	assert_true(isnan(number(METRIC_LLC_MISSES)));
	assert_true(number(METRIC_CONTEXT_SWITCHES) == 0);
	assert_int_equal(set.notes_nr, 2); /* how modes are read, and that */
}

/* A specific column wins over another name of its field, in any order. */
DATASET_TEST(more_specific_name_is_read)
{
	static const char *const texts[] = {
		"mode,size,cache_misses,llc_misses\n0,64,100,7\n",
		"mode,size,llc_misses,cache_misses\n0,64,7,100\n",
		"mode,size,LLC-load-misses,cache_misses\n0,64,7,100\n",
	};
	static const char *const column[] = {"cache_misses=llc_misses"};
	static const struct dataset_names told = {.column = column, .column_nr = 1};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		must_read(texts[i]);
		assert_true(number(METRIC_LLC_MISSES) == 7);
		assert_int_equal(read_csv_as(&told, texts[i]), 0);
		assert_true(number(METRIC_LLC_MISSES) == 100);
	}
}

/* A column is the mode column if its values are modes. */
DATASET_TEST(mode_column_is_found_by_its_values)
{

	must_read("version,type,size\n6.1,OneCopy,64\n6.1,ZeroCopy,64\n");
	assert_int_equal(set.rows[0].mode, MODE_ONECOPY);
	assert_int_equal(set.rows[1].mode, MODE_ZEROCOPY);
	must_refuse("impl,size\nalpha,64\nbeta,64\n", "alpha, beta");
	assert_non_null(strstr(message, "--modes"));
	/* A column of any name, if each of its values is the name of another mode. */
	must_read("experiment,size\nTwoCopy,64\nZeroCopy,64\n");
	assert_int_equal(set.rows[1].mode, MODE_ZEROCOPY);
	assert_non_null(strstr(set.notes[0], "'experiment'"));
	must_read("version,Way,size\n6.1,A2,64\n6.2,A3,64\n");
	assert_int_equal(set.rows[0].mode, MODE_ONECOPY);
	must_refuse("a,b,size\nTwoCopy,A1,64\nZeroCopy,A3,64\n", "'a=mode'");
	must_refuse("host,size\ncpu1,64\ncpu2,64\n", "'host=mode'");
	/* Numbers do not identify modes: other columns also have numbers. */
	must_refuse("level,size\n0,64\n2,64\n", "");
	assert_null(strstr(message, "'level' holds"));
}

struct repeat_case {
	const char *text;
	bool refused;
	const char *says; /* of the refusal */
};

static const struct repeat_case repeat_cases[] = {
	{"mode,size,streams,gbps\n0,64,1,1\n0,64,2,2\n", true, "'streams' (1, 2)"},
	{"mode,size,streams,gbps\n0,64,1,1\n0,64,2,2\n", true, "'streams=threads'"},
	{"mode,size,kind,gbps\n0,64,a,1\n0,64,b,2\n", true, "keep the rows of one value"},
	{"mode,size,threads,no,gbps\n0,64,1,1,1\n0,64,1,2,2\n", true, "'no=round'"},
	{"mode,size,gbps,note\n0,64,1,a\n0,64,2,a\n", true, "--rounds-from-repeats"},
	{"mode,size,threads,gbps\n0,64,1,1\n0,64,1,1\n", true, "line 2"},
	{"mode,size,round,gbps\n0,64,1,1\n0,64,1,2\n", true, "and round"},
	{"mode,size,trial,gbps\n0,64,1,1\n0,64,2,2\n", false, NULL},
	{"mode,size,threads,gbps\n0,64,1,1\n0,64,2,2\n", false, NULL},
};

DATASET_TEST(repeated_rows_are_rounds_only_if_an_option_says_so)
{
	static const struct dataset_names rounds = {.rounds_from_repeats = true};

	for (size_t i = 0; i < sizeof(repeat_cases) / sizeof(repeat_cases[0]); i++) {
		const struct repeat_case *c = &repeat_cases[i];

		assert_int_equal(read_csv(c->text), c->refused ? -EINVAL : 0);
		if (c->refused && !strstr(message, c->says))
			fail_msg("'%s' is not in: %s", c->says, message);
		assert_int_equal(read_csv_as(&rounds, c->text), 0);
		assert_true(set.rows[0].round != set.rows[1].round ||
			    set.rows[0].threads != set.rows[1].threads);
	}
}

/* A number of each row in the file is not a round that cells share. */
DATASET_TEST(row_number_is_no_round)
{

	must_read("run,mode,size\n1,0,64\n2,1,64\n3,0,64\n4,1,64\n");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(set.rows[i].round, i / 2);
}

/* Commas in numbers: one unambiguous cell decides for the column. */
DATASET_TEST(unambiguous_cell_gives_the_meaning_of_commas)
{

	must_read("mode;size;gbps\n0;64;1,234\n1;64;0,5\n");
	NEAR(number(METRIC_GBPS), 1.234, 1e-9);
	must_read("mode;size;cycles\n0;64;1,234\n1;64;1,234,567\n");
	NEAR(number(METRIC_CYCLES), 1234, 1e-9);
	must_refuse("mode;size;gbps\n0;64;1,234\n", "decimal");
	must_refuse("mode,size,cycles\n0,64,\"12,34\"\n0,64,\"1,234.5\"\n", "");
}

DATASET_TEST(missing_numbers_are_calculated_from_others)
{

	must_read("mode,size,bytes,duration_s\n0,64,1e9,2\n");
	NEAR(number(METRIC_GBPS), 4.0, 1e-9);
	assert_int_equal(set.notes_nr, 2);
	must_read("mode,size,messages,gbps\n0,1000,1e6,4\n");
	NEAR(number(METRIC_RX_BYTES), 1e9, 1e-9);
	NEAR(number(METRIC_DURATION), 2.0, 1e-9);
	/* 1e9 bytes in 2 s are 4 Gbit/s: equal, then different. */
	must_read("mode,size,bytes,duration_s,gbps\n0,64,1e9,2,4.04\n");
	assert_int_equal(set.notes_nr, 1);
	must_read("mode,size,bytes,duration_s,gbps\n0,64,1e9,2,5\n");
	assert_int_equal(set.notes_nr, 2);
}

/* Two files of one experiment: joined, or refused with these words. */
static void join(const char *text, const char *other, const char *refusal)
{
	const struct import_file files[] = {{"x.csv", text, strlen(text)},
					    {"y.csv", other, strlen(other)}};

	dataset__clear(&set);
	prefer_system_python();
	if (importer__add(&set, files, 2, message) != (refusal ? -EINVAL : 0))
		fail_msg("%s", message);
	if (refusal && !strstr(message, refusal))
		fail_msg("'%s' is not in: %s", refusal, message);
}

/* Rows with equal keys are joined; contradictions and files without a common key are refused. */
DATASET_TEST(files_are_joined_by_their_keys)
{
	static const char first[] = "mode,size,threads,gbps\n0,64,1,1\n0,64,2,2\n1,64,1,3\n";

	join(first, "mode,size,threads,latency_us\n1,64,1,30\n0,64,1,10\n2,64,1,99\n", NULL);
	assert_int_equal(set.rows_nr, 4);
	NEAR(set.rows[0].value[METRIC_LATENCY], 1e4, 1e-9);
	assert_true(isnan(set.rows[1].value[METRIC_LATENCY]));
	NEAR(set.rows[2].value[METRIC_LATENCY], 3e4, 1e-9);
	assert_true(isnan(set.rows[3].value[METRIC_GBPS]));
	assert_non_null(strstr(set.notes[set.notes_nr - 1], "zero-copy, 64 B, 1 thread"));
	join(first, "mode,size,threads,gbps\n0,64,1,1.5\n", "throughput of two-copy");
	join(first, "mode,size,threads,cycles\n0,128,1,1\n", "not of one experiment");
	join(first, "mode,size,threads,gbps\n0,64,1,1\n", "leave it out");
	join(first, "mode,size,cycles\n0,64,1\n", "threads");
	/* One file per mode is also one experiment. */
	join("mode,size,threads,gbps\n0,64,1,1\n", "mode,size,threads,gbps\n1,64,1,1\n", NULL);
	assert_int_equal(set.rows_nr, 2);
}

/* A file with a repeated letter between two texts. */
static int add_long(const char *before, char fill, size_t n, const char *after)
{
	char *text = malloc(strlen(before) + n + strlen(after) + 1);
	int err;

	assert_non_null(text);
	memset(stpcpy(text, before), fill, n);
	strcpy(text + strlen(before) + n, after);
	err = read_csv(text);
	free(text);
	return err;
}

DATASET_TEST(oversized_and_UTF16_files_are_refused)
{
	static const char wide[] = "\xff\xfem\0o\0d\0e\0,\0s\0i\0z\0e\0";

	assert_int_equal(add_long("mode,size", ',', 10000000, "\n0,64\n"), -EINVAL);
	assert_int_equal(add_long("mode,size,x\n0,64,", 'a', (1 << 20) + 1, "\n"), -EINVAL);
	assert_non_null(strstr(message, "bytes in a cell"));
	assert_int_equal(add_long("mode,size,x\n0,64,", 'a', (1 << 20) - 1, "\n"), 0);
	assert_int_equal(import_csv(&set, "x.csv", wide, sizeof(wide), message), -EINVAL);
	assert_non_null(strstr(message, "UTF-16"));
}

/* No control character of a file reaches the terminal; no line is wider than 80. */
DATASET_TEST(table_of_columns_has_no_control_characters)
{
	static const char table[] =
		"x.csv\n"
		"column                 read as            unit    values\n"
		"mode                   mode                       0 = two-copy, 1 = one-copy\n"
		"size                   size               B       64\n"
		"?[31mred               not read                   ?[0m, x\n"
		"a column with a name   not read                   averyveryveryveryveryver, y\n"
		"that is longer than                               \n"
		"the table is wide and                             \n"
		"then some more words                              \n"
		"for good measure                                  \n"
		"\n";
	static const char csv[] =
		"mode,size,\x1b[31mred,a column with a name that is longer than the table is "
		"wide and then some more words for good measure\n"
		"0,64,\x1b[0m,averyveryveryveryveryverylongvalue\n1,64,x,y\n";
	const struct import_file file = {"x.csv", csv, strlen(csv)};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	prefer_system_python();
	assert_int_equal(importer__explain(&(struct dataset_names){0}, &file, 1, f, message), 0);
	fclose(f);
	assert_memory_equal(text, table, strlen(table));
	free(text);
}
