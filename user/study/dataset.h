/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results read back: the runs of a results directory, a result document or a CSV file as rows of
 * numbers, by name. CSV files are read by another program (importer.h). Missing values are NaN,
 * with the reason if the data have one.
 */
#ifndef STUDY_DATASET_H
#define STUDY_DATASET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "metric.h"
#include "model/result.h"

#define DATASET_MESSAGE_MAX 512

/* One run. */
struct dataset_row {
	enum mode mode;
	uint64_t size;
	unsigned int threads; /* 0: the data does not say */
	unsigned int round;
	bool imported;           /* of another program: its figures may be rounded */
	double value[METRIC_NR]; /* NaN: not measured */
	char *verdict;           /* verdict.text, NULL or empty: none */
};

/* A run that failed. */
struct dataset_failure {
	char *mode;
	uint64_t size;
	unsigned int threads, round;
	char *reason;
};

/* The subject of a histogram: a stage's time, or a latency. */
enum dataset_hist_kind {
	DATASET_HIST_STAGE,
	DATASET_HIST_LATENCY = NIO_STAGE_NR,
	DATASET_HIST_NR = DATASET_HIST_LATENCY + LATENCY_NR,
};

struct dataset_bucket {
	double low, high, count; /* ns, both inclusive; high is low where the document has null */
};

/* All rounds of a cell together; buckets ascend. */
struct dataset_hist {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
	int kind; /* DATASET_HIST_STAGE + stage, or DATASET_HIST_LATENCY + kind of latency */
	struct dataset_bucket *buckets;
	size_t buckets_nr;
};

/* Sampled stacks of all rounds of a cell together. */
struct dataset_profile {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
	struct profile profile;
};

/* The user's options for reading it; NULL: none. */
struct dataset_names {
	/* Names in a foreign CSV file. */
	const char *columns; /* "mode=impl,size=msg_size": ours=theirs */
	const char *modes;   /* "A1=twocopy,A2=onecopy": theirs=ours */
	/* Only runs with this congestion control. NULL: that of the first run with one. */
	const char *congestion;
	/* NAME=FIELD, each from one --column: the column of the file, and the field it is read as.
	 */
	const char *const *column;
	size_t column_nr;
	bool rounds_from_repeats; /* rows that agree in mode, size and threads are rounds */
};

struct dataset {
	struct dataset_names names;
	struct dataset_row *rows; /* in order of mode, size, threads, round */
	size_t rows_nr;
	struct dataset_failure *failures;
	size_t failures_nr;
	struct dataset_hist *hists;
	size_t hists_nr;
	struct dataset_profile *profiles;
	size_t profiles_nr;
	json_t *environment;     /* of the first run; values of a CSV are strings; NULL: unknown */
	bool environment_varies; /* not every run has the same */
	json_t *conditions; /* of all runs (run_conditions.h): runs made otherwise are not pooled */
	char *version, *backend; /* of the tool; NULL: unknown */
	char *seed;              /* of a sweep's order of runs; NULL: unknown */
	char *reason[METRIC_NR]; /* why a number is missing, from the data; NULL: it does not say */
	unsigned int interrupted; /* runs that were ended early */
	/* Of whose copies ledger.copies_per_byte is in these runs; neither: the data does not say.
	 */
	bool copies_of_sender, copies_of_both;
	unsigned int
		copies_exclude; /* stages that it leaves out in some run: 1 << enum nio_stage */
	/*
	 * The senders' congestion control: of these runs (NULL: the data does not say), and of
	 * others that were met and left out, each once, since runs of several are not pooled.
	 */
	char *congestion;
	char **others;
	size_t others_nr;
	/* Of data imported from CSV files of other programs; else NULL and 0. */
	char **notes; /* sentences on how the data was read, for the head of a report */
	size_t notes_nr;
	char *unread;  /* the one on columns that were not read; NULL: all were */
	char *lacking; /* why a number is missing */
};

/*
 * Reads path: a results directory (cells with their .json documents; else any result documents in
 * it), one result document (*.json) or a CSV file. default_duration_s is used for
 * runs without a duration; NaN: none. 0, or -errno with one sentence in message; the data set is
 * then empty; -EBADR: an option in names is wrong. Free with dataset__clear() in any case.
 */
int dataset__load(struct dataset *d, const char *path, double default_duration_s,
		  char message[DATASET_MESSAGE_MAX]);
/*
 * The same, of several CSV files of one experiment: rows are joined by mode, size, threads and
 * round. What did not join is in the notes. One path is as above.
 */
int dataset__load_files(struct dataset *d, const char *const *paths, size_t paths_nr,
			double default_duration_s, const struct dataset_names *names,
			char message[DATASET_MESSAGE_MAX]);

/*
 * Prints how each column of CSV files is read, or that the first path is no CSV file of another
 * program. Errors are as above; a refused file is printed too.
 */
int dataset__explain(const char *const *paths, size_t paths_nr, const struct dataset_names *names,
		     FILE *f, char message[DATASET_MESSAGE_MAX]);

/*
 * Can a report answer any question with it (name: its file)? 0, or -ENODATA with a sentence that
 * names what was read, what was missing, and the remedy.
 */
int dataset__answerable(const struct dataset *d, const char *name,
			char message[DATASET_MESSAGE_MAX]);

void dataset__clear(struct dataset *d); /* takes a zeroed one */

/*
 * The pure parts. name is what messages call the source. Each adds to d; call dataset__finish()
 * after the last one. -EINVAL with the sentence: it is not such data, or is damaged.
 */
int dataset__add_document(struct dataset *d, const char *name, const json_t *document,
			  char message[DATASET_MESSAGE_MAX]);
int dataset__add_failure(struct dataset *d, const json_t *document);

/* Derived numbers, and rows in order. */
void dataset__finish(struct dataset *d, double default_duration_s);

/*
 * A run that a finished data set has twice, by a file or line that is a copy: two runs agree in no
 * nanosecond of their times and no count. Of our own formats only: others round. NULL: there is
 * none.
 */
const struct dataset_row *dataset__copy(const struct dataset *d);

/*
 * Adds the stacks of a run (docs/reference/run.md, cpu.stacks; NULL: none) to its cell. Skips
 * malformed lines.
 */
void dataset__add_stacks(struct dataset *d, const struct dataset_row *row, const json_t *stacks);
/* The stacks of a cell; NULL: none. */
const struct profile *dataset__profile(const struct dataset *d, enum mode mode, uint64_t size,
				       unsigned int threads);

/* Of rows: by mode, size and threads, which make a cell. Below 0, 0, or above 0. */
int dataset__compare_cells(const struct dataset_row *a, const struct dataset_row *b);

/* A new row with all values unknown, valid until the next. For the readers. */
struct dataset_row *dataset__new_row(struct dataset *d);

/* Can a metric have this value (or NaN)? Only unaccounted bytes can be below 0. */
bool dataset__is_possible(enum metric metric, double value);
/*
 * Is a run with this congestion control (NULL: it does not say) one of this data set? For the
 * readers.
 */
bool dataset__admits(struct dataset *d, const char *congestion);
/* "twocopy", "two-copy", "0"...: how data sets write a mode. -EINVAL. */
int dataset__parse_mode(const char *text, enum mode *mode);
void dataset__keep_environment(struct dataset *d, json_t *environment); /* takes it */
/*
 * Takes the settings of a run. -EINVAL with the sentence: other runs were made otherwise; name is
 * where it is from.
 */
int dataset__keep_settings(struct dataset *d, const char *name, json_t *conditions,
			   char message[DATASET_MESSAGE_MAX]);

#endif
