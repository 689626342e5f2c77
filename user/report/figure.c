/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of figures, their captions, and gnuplot's syntax; see figure.h. What each shows is in
 * figure_lines.c, figure_stacks.c and figure_hist.c.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/wrap.h"
#include "figure_text.h"
#include "common/units.h"
#include "study/phrases.h"

#define CAPTION_COLUMNS 112 /* of its small print */
#define REASON_COLUMNS  96
#define TICS_MAX        7

/* clang-format off */
static const struct {
	const char *name, *template;
	void (*make)(struct figure_draft *d);
} figures[FIGURE_NR] = {
	[FIGURE_THROUGHPUT] = {"throughput-size",  "lines",      figure_lines__throughput},
	[FIGURE_LATENCY]    = {"latency-threads",  "lines",      figure_lines__latency},
	[FIGURE_CACHE]      = {"cache-size",       "lines",      figure_lines__cache},
	[FIGURE_CYCLES]     = {"cycles-size",      "lines",      figure_lines__cycles},
	[FIGURE_COPIES]     = {"copies",           "stacks",     figure_stacks__copies},
	[FIGURE_COPY_TIMES] = {"copy-times",       "histograms", figure_hist__copy_times},
	[FIGURE_PATH]       = {"send-call",        "stacks",     figure_stacks__path},
	[FIGURE_CPU]        = {"cpu-class",        "stacks",     figure_stacks__classes},
	[FIGURE_COMPLETION] = {"completion",       "lines",      figure_lines__completion},
};

/*
 * In double quotes gnuplot executes what stands in backquotes, and a backslash or a quote has a
 * meaning: names of CPUs come from outside.
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
	fprintf(d->settings, "%s = ", name);
	put_quoted(d->settings, text);
	fputc('\n', d->settings);
}

void draft__set_number(struct figure_draft *d, const char *name, double value)
{
	fprintf(d->settings, "%s = %.10g\n", name, value);
}

void draft__set_panels(struct figure_draft *d)
{
	unsigned int i;

	draft__set_number(d, "panels", d->panels);
	fprintf(d->settings, "array panel_title[%u] = [", d->panels ? d->panels : 1);
	for (i = 0; i < d->panels; i++) {
		fputs(i ? ", " : "", d->settings);
		put_quoted(d->settings, d->panel_title[i]);
	}
	fputs(d->panels ? "]\n" : "\"\"]\n", d->settings);
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

void draft__set_size_tics(struct figure_draft *d)
{
	char text[TICS_MAX * 2 * UNITS_BUF] = "", tic[2 * UNITS_BUF], size[UNITS_BUF];
	size_t picked[TICS_MAX], i, n = pick_indices(d->a->sizes_nr, TICS_MAX, picked);

	for (i = 0; i < n; i++) {
		format_size_short(size, sizeof(size), d->a->sizes[picked[i]]);
		snprintf(tic, sizeof(tic), "%s'%s' %.0f", i ? "," : "", size,
			 (double)d->a->sizes[picked[i]]);
		strcat(text, tic);
	}
	draft__set_text(d, "xtics", text);
}

void draft__set_thread_tics(struct figure_draft *d)
{
	char text[TICS_MAX * 2 * UNITS_BUF] = "", tic[2 * UNITS_BUF];
	size_t picked[TICS_MAX], i, n = pick_indices(d->a->threads_nr, TICS_MAX, picked);
	unsigned int threads;

	for (i = 0; i < n; i++) {
		threads = d->a->threads[picked[i]];
		if (threads)
			snprintf(tic, sizeof(tic), "%s'%u' %u", i ? "," : "", threads, threads);
		else
			snprintf(tic, sizeof(tic), "%s'n/a' 1", i ? "," : "");
		strcat(text, tic);
	}
	draft__set_text(d, "xtics", text);
}

__attribute__((format(printf, 2, 0))) static void replace(char **text, const char *format,
							  va_list args)
{
	char *old = *text;

	if (vasprintf(text, format, args) < 0)
		*text = NULL;
	free(old);
}

void draft__title(struct figure_draft *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	replace(&d->figure->title, format, args);
	va_end(args);
}

void draft__note(struct figure_draft *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	replace(&d->figure->note, format, args);
	va_end(args);
}

void draft__no_data(struct figure_draft *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	replace(&d->figure->no_data, format, args);
	va_end(args);
}

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

/* A picture that leaves something out says so. */
static unsigned int put_left_out(FILE *f, const struct figure_draft *d)
{
	const struct analysis *a = d->a;
	char text[128];

	if (a->sizes_nr <= FIGURE_POINTS_MAX && a->threads_nr <= FIGURE_PANELS_MAX)
		return 0;
	snprintf(text, sizeof(text), "Not all of the %zu sizes and %zu thread counts are shown.",
		 a->sizes_nr, a->threads_nr);
	fputc('\n', f);
	return wrap(f, text, CAPTION_COLUMNS);
}

static void set_caption(struct figure_draft *d)
{
	char rounds[256], *text = NULL;
	size_t len;
	unsigned int lines;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	lines = wrap(f, d->system, CAPTION_COLUMNS);
	if (!d->figure->no_data) {
		fputc('\n', f);
		lines += wrap(f, rounds_words(d, rounds, sizeof(rounds)), CAPTION_COLUMNS);
	}
	if (!d->figure->no_data)
		lines += put_left_out(f, d);
	if (d->figure->note && !d->figure->no_data) {
		fputc('\n', f);
		lines += wrap(f, d->figure->note, CAPTION_COLUMNS);
	}
	fclose(f);
	draft__set_text(d, "caption", text ? text : "");
	draft__set_number(d, "caption_lines", lines);
	free(text);
}

/* Text in the middle of an empty picture. */
static void set_reason(struct figure_draft *d)
{
	char *text = NULL, *whole = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	if (asprintf(&whole, "No data: %s.", d->figure->no_data) >= 0) {
		wrap(f, whole, REASON_COLUMNS);
		free(whole);
	}
	fclose(f);
	draft__set_text(d, "reason", text ? text : "");
	free(text);
}

static int finish(struct figure_draft *d)
{
	struct figure *f = d->figure;

	if (f->no_data) {
		f->template = "nodata";
		set_reason(d);
	}
	draft__set_text(d, "title", f->title ? f->title : f->name);
	draft__set_all_modes(d);
	set_caption(d);
	if (fclose(d->data) | fclose(d->settings))
		return -ENOMEM;
	return f->data && f->settings && f->title ? 0 : -ENOMEM;
}

int figure__make(struct figure *f, enum figure_id id, const struct analysis *a, const char *system)
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
	d.data = open_memstream(&f->data, &d.data_len);
	if (!d.data)
		return -ENOMEM;
	d.settings = open_memstream(&f->settings, &d.settings_len);
	if (!d.settings) {
		fclose(d.data);
		return -ENOMEM;
	}
	figures[id].make(&d);
	return finish(&d);
}

void figure__clear(struct figure *f)
{
	free(f->title);
	free(f->note);
	free(f->no_data);
	free(f->data);
	free(f->settings);
	*f = (struct figure){0};
}

/* A value of the environment as text; 0: unknown. */
static bool environment_text(const json_t *environment, const char *key, char *buf, size_t len)
{
	const json_t *value = json_object_get(environment, key);

	if (json_is_string(value) && *json_string_value(value))
		printable(buf, len, json_string_value(value));
	else if (json_is_integer(value))
		snprintf(buf, len, "%lld", (long long)json_integer_value(value));
	else
		return false;
	return true;
}

char *figure__system(const struct dataset *d)
{
	/* clang-format off */
	static const struct {
		const char *key, *format;
	} parts[] = {
		{"kernel", "Linux %s"},
		{"cpu", "%s"},
		{"cpus", "%s CPUs"},
		{"virtualization", "virtualization: %s"},
		{"path", "path %s"},
		{"mtu", "MTU %s"},
		{"clocksource", "clock %s"},
	};
	/* clang-format on */
	char value[160], *text = NULL;
	size_t i, len, n = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!environment_text(d->environment, parts[i].key, value, sizeof(value)))
			continue;
		fputs(n++ ? ", " : "", f);
		/* Each format has one %s. */
		fprintf(f, "%.*s%s%s", (int)strcspn(parts[i].format, "%"), parts[i].format, value,
			strchr(parts[i].format, '%') + 2);
	}
	if (!n)
		fputs("System: the data does not say", f);
	fputs(d->environment_varies ? " (the first run's; it is not the same in all)." : ".", f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
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
