/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of figures, their captions, and gnuplot's syntax; see figure.h. figure_lines.c and
 * figure_stacks.c have what each figure shows.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/printable.h"
#include "figure_internal.h"
#include "common/xalloc.h"
#include "study/phrases.h"

#define CAPTION_COLUMNS 112 /* of its small print */
#define NARROW_COLUMNS  58  /* the same in a narrow picture */

static const struct {
	const char *name, *template;
	void (*make)(struct figure_draft *d, enum figure_id id);
} figures[FIGURE_NR] = {
	[FIGURE_RELATIVE_THROUGHPUT] = {"relative-throughput", "lines", figure_lines__relative},
	[FIGURE_RELATIVE_CPU] = {"relative-cpu", "lines", figure_lines__relative},
	[FIGURE_THROUGHPUT] = {"throughput-size", "lines", figure_lines__make},
	[FIGURE_LATENCY] = {"latency-threads", "lines", figure_lines__make},
	[FIGURE_RECV] = {"recv-threads", "lines", figure_lines__make},
	[FIGURE_CACHE] = {"cache-size", "lines", figure_lines__make},
	[FIGURE_CACHE_THREADS] = {"cache-threads", "lines", figure_lines__make},
	[FIGURE_CYCLES] = {"cycles-size", "lines", figure_lines__make},
	[FIGURE_BYTES_PER_CYCLE] = {"bytes-per-cycle", "lines", figure_lines__make},
	[FIGURE_COPIES] = {"copies", "stacks", figure_stacks__make},
	[FIGURE_COPY_TIMES] = {"copy-times", "histograms", figure_lines__copy_times},
	[FIGURE_PATH] = {"send-call", "stacks", figure_stacks__make},
	[FIGURE_CPU] = {"cpu-class", "stacks", figure_stacks__make},
	[FIGURE_COMPLETION] = {"completion", "lines", figure_lines__make},
};

/*
 * gnuplot executes backquoted text in double quotes, and interprets backslashes and quotes: CPU
 * names come from outside.
 */
static void put_quoted(FILE *f, const char *text)
{
	size_t n;

	fputc('"', f);
	for (; *text; text += n ? n : 1) {
		n = printable__length(text);
		if (*text == '\n')
			fputs("\\n", f);
		else if (*text == '`')
			fputc('\'', f);
		else if (!n)
			fputc('?', f);
		else if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, n, f);
	}
	fputc('"', f);
}

void draft__set_text(struct figure_draft *d, const char *name, const char *text)
{
	fprintf(d->gnuplot_settings, "%s = ", name);
	put_quoted(d->gnuplot_settings, text);
	fputc('\n', d->gnuplot_settings);
}

void draft__set_number(struct figure_draft *d, const char *name, double value)
{
	fprintf(d->gnuplot_settings, "%s = %.10g\n", name, value);
}

void draft__set_array(struct figure_draft *d, const char *name, const char *const *texts, size_t n)
{
	fprintf(d->gnuplot_settings, "array %s[%zu] = [", name, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", d->gnuplot_settings);
		put_quoted(d->gnuplot_settings, texts[i]);
	}
	fputs(n ? "]\n" : "\"\"]\n", d->gnuplot_settings);
}

/* One member of each row of the table of modes, separated by spaces. */
#define PUT_MODES(f, setting, format, member)                                                    \
	do {                                                                                     \
		fputs(setting " = \"", f);                                                       \
		for (int m = 0; m < MODE_NR; m++)                                                \
			fprintf(f, "%s" format, m ? " " : "", mode__info((enum mode)m)->member); \
		fputs("\"\n", f);                                                                \
	} while (0)

/* The names, words and styles of all modes, from mode.h. */
static void set_all_modes(struct figure_draft *d)
{
	char names[MODE_LIST_LEN];

	draft__set_text(d, "all_modes", mode__list(names, sizeof(names), ~0U));
	PUT_MODES(d->gnuplot_settings, "all_mode_words", "'%s'", words);
	PUT_MODES(d->gnuplot_settings, "all_mode_colors", "%s", colour);
	PUT_MODES(d->gnuplot_settings, "all_mode_points", "%u", point);
	PUT_MODES(d->gnuplot_settings, "all_mode_open_points", "%u", open_point);
	PUT_MODES(d->gnuplot_settings, "all_mode_dashes", "%u", dash);
}

size_t pick_indices(size_t n, size_t max, size_t *picked)
{
	size_t i;

	if (n <= max) {
		for (i = 0; i < n; i++)
			picked[i] = i;
		return n;
	}
	for (i = 0; i < max; i++)
		picked[i] = max > 1 ? i * (n - 1) / (max - 1) : 0;
	return max;
}

#define DEFINE_TEXT(name, member)                                           \
	void draft__##name(struct figure_draft *d, const char *format, ...) \
	{                                                                   \
		va_list args;                                               \
                                                                            \
		va_start(args, format);                                     \
		free(d->figure->member);                                    \
		d->figure->member = xvasprintf(format, args);               \
		va_end(args);                                               \
	}

DEFINE_TEXT(title, title)
DEFINE_TEXT(note, note)
DEFINE_TEXT(no_data, no_data)

/* Wraps text at spaces into out; returns the number of lines. */
static unsigned int wrap(FILE *out, const char *text, size_t columns)
{
	unsigned int lines = 0;
	const char *line;
	size_t len;

	while ((len = wrap__next(&text, columns, &line)))
		fprintf(out, "%s%.*s", lines++ ? "\n" : "", (int)len, line);
	return lines;
}

/* Medians and bars, as far as there are any. */
static const char *rounds_words(const struct figure_draft *d, char *buf, size_t len)
{
	size_t min = d->rounds_min ? d->rounds_min : d->a->rounds_min;
	size_t max = d->rounds_max ? d->rounds_max : d->a->rounds_max;
	char bars[64] = "";

	if (d->has_bars)
		snprintf(bars, sizeof(bars), "; bars: intervals of %.1f %%%s",
			 100 * estimate__coverage(min < 2 ? 2 : min), min < max ? " and more" : "");
	if (d->pooled)
		snprintf(buf, len, "All rounds of a cell added up.");
	else if (max < 2 && d->a->rounds_max > 1)
		snprintf(buf, len, "Of one round of each cell%s.",
			 d->has_bars ? ": no intervals" : "");
	else if (max < 2)
		snprintf(buf, len, "One run per cell%s.", d->has_bars ? ": no intervals" : "");
	else if (min == max)
		snprintf(buf, len, "Medians of %zu rounds%s.", max, bars);
	else
		snprintf(buf, len, "Medians of %zu to %zu rounds%s.", min, max, bars);
	return buf;
}

static void set_caption(struct figure_draft *d)
{
	char rounds[256], *caption;
	const char *paragraphs[] = {
		d->system, d->rounds ? d->rounds : rounds_words(d, rounds, sizeof(rounds)),
		d->is_partial ? "Not every size and thread count is shown." : NULL,
		d->figure->note};
	size_t n = sizeof(paragraphs) / sizeof(paragraphs[0]), len;
	unsigned int lines = 0;
	FILE *f = xopen_memstream(&caption, &len);

	for (size_t i = 0; i < n; i++) {
		if (!paragraphs[i])
			continue;
		fputs(i ? "\n" : "", f);
		lines += wrap(f, paragraphs[i], d->width ? NARROW_COLUMNS : CAPTION_COLUMNS);
	}
	xclose_memstream(f);
	draft__set_text(d, "caption", caption);
	draft__set_number(d, "caption_lines", lines);
	free(caption);
}

void figure__make(struct figure *f, enum figure_id id, const struct analysis *a, const char *system)
{
	struct figure_draft d = {
		.figure = f,
		.a = a,
		.system = system,
		.x_min = (double)INFINITY,
		.x_max = -(double)INFINITY,
		.y_min = (double)INFINITY,
		.y_max = -(double)INFINITY,
	};

	*f = (struct figure){.name = figures[id].name, .template = figures[id].template};
	d.data = xopen_memstream(&f->data, &d.data_len);
	d.gnuplot_settings = xopen_memstream(&f->gnuplot_settings, &d.settings_len);
	figures[id].make(&d, id);
	if (d.width)
		draft__set_number(&d, "width", d.width);
	if (d.panel_height)
		draft__set_number(&d, "panel_height", d.panel_height);
	draft__set_text(&d, "title", f->title);
	set_all_modes(&d);
	set_caption(&d);
	xclose_memstream(d.data);
	xclose_memstream(d.gnuplot_settings);
}

void figure__clear(struct figure *f)
{
	free(f->title);
	free(f->note);
	free(f->no_data);
	free(f->data);
	free(f->gnuplot_settings);
	free(f->svg);
	*f = (struct figure){0};
}

const char *figure__stage(enum nio_stage stage)
{
	return stage == NIO_STAGE_TX_COPY ? "send copy" : stage__heading(stage);
}

struct system_part {
	const char *key, *before, *after;
};

static void put_part(FILE *f, const json_t *o, const struct system_part *part, size_t *n)
{
	const json_t *member = json_object_get(o, part->key);
	char value[160];

	if (json_string_length(member))
		printable(value, sizeof(value), json_string_value(member));
	else if (json_is_integer(member))
		snprintf(value, sizeof(value), "%lld", (long long)json_integer_value(member));
	else
		return;
	fprintf(f, "%s%s%s%s", (*n)++ ? ", " : "", part->before, value, part->after);
}

char *figure__system(const struct dataset *d)
{
	static const struct system_part parts[] = {
		{"kernel", "Linux ", ""},      {"cpu", "", ""},
		{"cpus", "", " CPUs"},         {"virtualization", "virtualization: ", ""},
		{"path", "path ", ""},         {"mtu", "MTU ", ""},
		{"clocksource", "clock ", ""},
	};
	static const struct system_part of_receiver[] = {
		{"host", "received by ", ""}, {"kernel", "Linux ", ""}, {"device", "device ", ""}};
	const json_t *receiver = json_object_get(d->environment, "receiver");
	char *text;
	size_t len, n = 0;
	FILE *f = xopen_memstream(&text, &len);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put_part(f, d->environment, &parts[i], &n);
	if (json_is_string(json_object_get(receiver, "host")))
		put_part(f, d->environment, &(struct system_part){"host", "sent by ", ""}, &n);
	for (size_t i = 0; i < sizeof(of_receiver) / sizeof(of_receiver[0]); i++)
		put_part(f, receiver, &of_receiver[i], &n);
	if (!n)
		fputs("System: the data does not say", f);
	fputs(d->environment_varies ? " (the first run's; it is not the same in all)." : ".", f);
	xclose_memstream(f);
	return text;
}

double figure__mean(const struct cell *cell, enum metric m)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < cell->rows_nr; i++) {
		if (isnan(cell->rows[i].value[m]))
			continue;
		sum += cell->rows[i].value[m];
		n++;
	}
	return n > 0 ? sum / n : (double)NAN;
}

static size_t modes_at(const struct analysis *a, uint64_t size, unsigned int threads)
{
	size_t n = 0;
	int m;

	for (m = 0; m < MODE_NR; m++)
		n += analysis__cell(a, (enum mode)m, size, threads) != NULL;
	return n;
}

unsigned int figure__reference_threads(const struct analysis *a)
{
	return a->threads_nr ? a->threads[0] : 0;
}

/* Of the sizes that most modes have, the one nearest to 64 KiB. */
uint64_t figure__reference_size(const struct analysis *a)
{
	unsigned int threads = figure__reference_threads(a);
	double distance, nearest = (double)INFINITY;
	size_t i, modes, most = 0;
	uint64_t size = 0;

	for (i = 0; i < a->sizes_nr; i++) {
		modes = modes_at(a, a->sizes[i], threads);
		distance = fabs(log2((double)a->sizes[i] / 65536));
		if (modes < most || (modes == most && distance >= nearest))
			continue;
		most = modes;
		nearest = distance;
		size = a->sizes[i];
	}
	return size;
}
