/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of sampled functions, and its drawing; see flame.h. */
#include "flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "diagram.h"
#include "figure.h"
#include "model/stack_rules.h"
#include "study/phrases.h"

#define WIDTH      960.0
#define ROW        17.0
#define HEAD       46.0
#define FOOT       40.0  /* two rows of a legend */
#define OPACITY    "0.6" /* black on the darkest colour can be read: a contrast of 4.5 to 1 */
#define CHAR_WIDTH 6.3   /* of the font below, 10.5 px */
#define NARROWEST  0.4   /* of a box, px */
#define DEPTH_MAX  140

struct node {
	char *name;
	double weight[2]; /* of each input, callees included */
	struct node *child, *next;
};

struct tree {
	struct node root;
	unsigned int depth;
	bool merged; /* of two inputs */
};

static void free_nodes(struct node *n)
{
	while (n) {
		struct node *next = n->next;

		free_nodes(n->child);
		free(n->name);
		free(n);
		n = next;
	}
}

/* The child of that name, made if it is not there. */
static struct node *child_of(struct node *n, const char *name, size_t len)
{
	struct node **at = &n->child;

	while (*at && (strncmp((*at)->name, name, len) != 0 || (*at)->name[len]))
		at = &(*at)->next;
	if (!*at) {
		*at = xcalloc(1, sizeof(**at));
		(*at)->name = xstrndup(name, len);
	}
	return *at;
}

static void add_stack(struct tree *t, const char *owner, const char *frames, int input,
		      double weight)
{
	struct node *n = child_of(&t->root, owner, strlen(owner));
	unsigned int depth = 2;

	t->root.weight[input] += weight;
	for (;;) {
		size_t len = strcspn(frames, ";");

		n->weight[input] += weight;
		if (!len || depth == DEPTH_MAX)
			break;
		depth++;
		n = child_of(n, frames, len);
		frames += len + (frames[len] == ';');
	}
	t->depth = depth > t->depth ? depth : t->depth;
}

/*
 * Without the system call's entry: modes use different calls, which would split the functions they
 * share below.
 */
static const char *below_syscall(const char *frames)
{
	for (;;) {
		size_t len = strcspn(frames, ";");

		if (!frames[len] || stack_rules__class(&frames, 1).class != CPU_CLASS_SYSCALL)
			return frames;
		frames += len + 1;
	}
}

static void add_input(struct tree *t, const struct flame_input *in, int input)
{
	for (size_t i = 0; i < in->profile->nr; i++) {
		const struct profile_stack *s = &in->profile->stacks[i];

		if (in->weight[s->owner] > 0)
			add_stack(t, cpu_time__whose(s->owner),
				  t->merged ? below_syscall(s->frames) : s->frames, input,
				  (double)s->count * in->weight[s->owner]);
	}
}

struct picture {
	FILE *f;
	const struct tree *t;
	bool gathers;
	double scale, height;
	const char *path[DEPTH_MAX]; /* names down to the box in hand */
	bool drawn[CPU_CLASS_NR];    /* for the legend */
};

static double both(const struct node *n)
{
	return n->weight[0] + n->weight[1];
}

/* The class a sample with this box innermost would have. */
static enum cpu_class class_of(const struct picture *d, unsigned int depth)
{
	const char *frames[DEPTH_MAX];
	size_t n = 0;

	if (d->path[depth][0] == '[')
		return stack_rules__user(d->path[depth] + 1, d->gathers);
	for (unsigned int i = depth; i >= 2; i--)
		frames[n++] = d->path[i];
	return stack_rules__class(frames, n).class;
}

/* The two lowest rows, "all" and the side, are no functions: they are grey. */
static const char *class_colour(struct picture *d, unsigned int depth)
{
	enum cpu_class class;

	if (depth < 2)
		return "#eeeeee";
	class = class_of(d, depth);
	d->drawn[class] = true;
	return cpu_class__colour(class);
}

/* From blue (all a's) over white to red (all b's). */
static void difference_colour(char colour[8], const struct node *n)
{
	double share = both(n) > 0 ? n->weight[1] / both(n) : 0.5;
	unsigned int fade = (unsigned int)lround(255 - fabs(share - 0.5) * 2 * 175);

	if (share > 0.5)
		snprintf(colour, 8, "#ff%02x%02x", fade, fade);
	else
		snprintf(colour, 8, "#%02x%02xff", fade, fade);
}

static void put_tip(const struct picture *d, const struct node *n)
{
	fputs("<title>", d->f);
	xml__put(d->f, n->name);
	if (d->t->merged)
		fprintf(d->f, ": %.2f and %.2f ns/KiB", n->weight[0], n->weight[1]);
	else
		fprintf(d->f, ": %.2f ns/KiB, %.1f %%", n->weight[0],
			100 * n->weight[0] / d->t->root.weight[0]);
	fputs("</title>", d->f);
}

static void put_name(const struct picture *d, const struct node *n, double x, double y,
		     double width)
{
	size_t room = width > 2 * CHAR_WIDTH ? (size_t)((width - 4) / CHAR_WIDTH) : 0;
	size_t len = strlen(n->name);
	char text[128];

	if (room < 3)
		return;
	if (len <= room)
		snprintf(text, sizeof(text), "%s", n->name);
	else
		snprintf(text, sizeof(text), "%.*s..", (int)(room < 120 ? room - 2 : 118), n->name);
	fprintf(d->f, "<text x=\"%.1f\" y=\"%.1f\">", x + 2, y + ROW - 5);
	xml__put(d->f, text);
	fputs("</text>", d->f);
}

static void draw_node(struct picture *d, const struct node *n, unsigned int depth, double x)
{
	double width = both(n) * d->scale, y = d->height - FOOT - (depth + 1) * ROW;
	char colour[8];

	if (width < NARROWEST || depth >= DEPTH_MAX)
		return;
	d->path[depth] = n->name;
	if (d->t->merged)
		difference_colour(colour, n);
	else
		snprintf(colour, sizeof(colour), "%s", class_colour(d, depth));
	fputs("<g>", d->f);
	put_tip(d, n);
	fprintf(d->f,
		"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
		"fill-opacity=\"" OPACITY "\" stroke=\"#fff\" stroke-width=\"0.4\"/>",
		x, y, width, ROW - 1, colour);
	put_name(d, n, x, y, width);
	fputs("</g>\n", d->f);
	for (const struct node *c = n->child; c; c = c->next) {
		draw_node(d, c, depth + 1, x);
		x += both(c) * d->scale;
	}
}

/* The classes that are drawn, in as many rows as they take. */
static void put_legend(const struct picture *d)
{
	double x = 4, y = d->height - FOOT + 14;

	for (int c = 0; c < CPU_CLASS_NR; c++) {
		const char *head = cpu_class__heading((enum cpu_class)c);
		double width = 18 + (double)strlen(head) * 5.6;

		if (!d->drawn[c])
			continue;
		if (x + width > WIDTH) {
			x = 4;
			y += 15;
		}
		fprintf(d->f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"%s\" "
			"fill-opacity=\"" OPACITY
			"\"/><text font-size=\"9.5\" x=\"%.1f\" y=\"%.1f\">",
			x, y - 8, cpu_class__colour((enum cpu_class)c), x + 10, y);
		xml__put(d->f, head);
		fputs("</text>\n", d->f);
		x += width;
	}
}

static void draw(struct picture *d, const char *title)
{
	FILE *f = d->f;

	d->scale = both(&d->t->root) > 0 ? WIDTH / both(&d->t->root) : 0;
	d->height = HEAD + d->t->depth * ROW + FOOT;
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
		"font-size=\"10.5\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text font-size=\"15\" x=\"%.0f\" y=\"22\" text-anchor=\"middle\">",
		WIDTH, d->height, WIDTH, d->height, WIDTH / 2);
	xml__put(f, title);
	fputs("</text>\n", f);
	draw_node(d, &d->t->root, 0, 0);
	put_legend(d);
	fputs("</svg>\n", f);
}

void flame__write(FILE *f, const struct flame_input *in, const struct flame_input *other)
{
	char all[] = "all";
	struct tree t = {.root = {.name = all}, .merged = other};
	struct picture p = {.f = f, .t = &t, .gathers = mode__has(in->mode, MODE_GATHERS)};
	char title[160];

	add_input(&t, in, 0);
	if (other)
		add_input(&t, other, 1);
	if (other)
		snprintf(title, sizeof(title),
			 "CPU time of %s (blue, on average %.0f ns per KiB) and %s (red, %.0f)",
			 phrases__mode(in->mode), t.root.weight[0], phrases__mode(other->mode),
			 t.root.weight[1]);
	else
		snprintf(title, sizeof(title), "CPU time of %s: on average %.0f ns per KiB",
			 phrases__mode(in->mode), t.root.weight[0]);
	draw(&p, title);
	free_nodes(t.root.child);
}

static double samples_of(const struct profile *p, enum nio_sample_owner w)
{
	double n = 0;

	for (size_t i = 0; i < p->nr; i++)
		if (p->stacks[i].owner == w)
			n += (double)p->stacks[i].count;
	return n;
}

bool flame__find(struct flame_input *in, const struct analysis *a, enum mode mode)
{
	static const enum metric cpu[NIO_SIDE_NR] = {METRIC_CPU_S_NS_PER_KIB,
						     METRIC_CPU_R_NS_PER_KIB};
	uint64_t size = figure__reference_size(a);
	unsigned int threads = figure__reference_threads(a);
	struct cell *cell = analysis__cell(a, mode, size, threads);
	bool any = false;

	*in = (struct flame_input){.mode = mode,
				   .profile = dataset__profile(a->dataset, mode, size, threads)};
	for (int side = 0; cell && in->profile && side < NIO_SIDE_NR; side++) {
		double n = samples_of(in->profile, (enum nio_sample_owner)side);
		double ns = figure__mean(cell, cpu[side]);

		if (n > 0 && ns > 0)
			in->weight[side] = ns / n;
		any |= in->weight[side] > 0;
	}
	return any;
}
