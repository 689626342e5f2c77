/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of samples; see cpu_split.h. Pure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "cpu_split.h"

_Static_assert(CPU_CLASS_GATHER == 0, "the other classes follow");

enum cpu_class cpu_split__class(unsigned int i)
{
	return (enum cpu_class)(CPU_CLASS_GATHER + 1 + i);
}

const char *cpu_split__key(unsigned int i)
{
	return cpu_class__key(cpu_split__class(i));
}

char *interval__text(char buf[INTERVAL_LEN], double low, double high)
{
	low = fmax(round_least(low * 100, 0), 0);
	high = fmin(round_most(high * 100, 0), 100);
	snprintf(buf, INTERVAL_LEN, "%.0f to %.0f %%", low, high);
	return buf;
}

struct cpu_part cpu_split__part(const struct cpu_split *s, enum cpu_class c)
{
	struct cpu_share share = cpu_time__share(&s->samples, c);

	if (!s->samples.samples)
		return (struct cpu_part){.share.reason = "no sample was taken of it"};
	return (struct cpu_part){{.value = share.value, .known = true}, share.low, share.high};
}

void cpu_split__add(struct cpu_split *s, struct stack_class sample, bool encrypted)
{
	s->samples.samples++;
	s->samples.classes[sample.class]++;
	s->samples.shifted += sample.shifted;
	s->encrypted += encrypted;
}

/* Shares are printed if the widest interval reaches at most this far to either side. */
#define UNCERTAINTY_MAX 0.1

/* Half of the widest interval. */
static double uncertainty(const struct cpu_samples *s)
{
	double widest = 0;

	for (int c = 0; c < CPU_CLASS_NR; c++) {
		struct cpu_share share = cpu_time__share(s, (enum cpu_class)c);

		if (s->classes[c])
			widest = fmax(widest, (share.high - share.low) / 2);
	}
	return widest;
}

/* By share, with their intervals, and classes below 1 % as one. */
static void print_classes(FILE *f, const struct cpu_samples *s)
{
	bool said[CPU_CLASS_NR] = {false};
	struct cpu_share share = {0};
	char interval[INTERVAL_LEN];
	double rest = 1;

	for (;;) {
		int most = -1;

		for (int c = 0; c < CPU_CLASS_NR; c++)
			if (!said[c] && (most < 0 || s->classes[c] > s->classes[most]))
				most = c;
		if (most >= 0)
			share = cpu_time__share(s, (enum cpu_class)most);
		if (most < 0 || share.value < 0.01)
			break;
		fprintf(f, "%s%s %.0f %% (%s)", rest < 1 ? ", " : "",
			cpu_class__heading((enum cpu_class)most), share.value * 100,
			interval__text(interval, share.low, share.high));
		rest -= share.value;
		said[most] = true;
	}
	if (rest > 0.0005)
		fprintf(f, ", others %.1f %%", rest * 100);
	fputs(" (intervals of 95 %). ", f);
}

void cpu_split__print(FILE *f, const struct cpu_result *cpu, const struct cpu_split *split)
{
	const struct cpu_samples *s = &split->samples;
	uint64_t lost = cpu->by[NIO_SAMPLE_TASK].lost, left_out = cpu->profile.left_out;
	char count[UNITS_BUF], time[UNITS_BUF];

	if (!cpu->known) {
		fprintf(f, "where it goes: n/a (%s)", cpu->reason);
		return;
	}
	fprintf(f, "%s sample%s by %s", format_count(count, sizeof(count), s->samples),
		plural(s->samples), cpu->source);
	if (cpu->no_cycles[0])
		fprintf(f, " (%s)", cpu->no_cycles);
	fprintf(f, " at %u Hz in %s", cpu->hz,
		format_ns(time, sizeof(time), (double)cpu->duration_ns));
	if (!s->samples || uncertainty(s) > UNCERTAINTY_MAX) {
		fputs(": too few for a table of shares. ", f);
		return;
	}
	fputs(": ", f);
	print_classes(f, s);
	if (lost)
		fprintf(f, "%s sample%s lost. ", format_count(count, sizeof(count), lost),
			plural(lost));
	if (left_out)
		fprintf(f, "The stacks of %s sample%s were not kept. ",
			format_count(count, sizeof(count), left_out), plural(left_out));
}

bool cpu_split__is_of(const struct profile_stack *s, const char *process)
{
	size_t len = strlen(process);

	return !strncmp(s->frames, process, len) && s->frames[len] == ';';
}

void cpu_split__print_stack(FILE *f, const char *frames, size_t columns)
{
	const char *end = frames + strlen(frames);
	size_t used = 0;

	while (end > frames) {
		const char *frame = memrchr(frames, ';', (size_t)(end - frames));
		size_t len;

		frame = frame ? frame + 1 : frames;
		len = (size_t)(end - frame);
		if (used + len + 3 > columns) {
			fputs(used ? " < .." : "..", f);
			return;
		}
		fprintf(f, "%s%.*s", used ? " < " : "", (int)len, frame);
		used += len + (used ? 3 : 0);
		end = frame > frames ? frame - 1 : frames;
	}
}
