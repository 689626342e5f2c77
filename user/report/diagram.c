/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws one mode's path through the kernel; see diagram.h. The sender's memory is top left, the
 * receiver's top right, the kernel's below; data flows from left to right.
 */
#include <math.h>
#include <string.h>

#include "base/printable.h"
#include "common/embed.h"
#include "diagram.h"
#include "figure.h"
#include "common/units.h"
#include "study/phrases.h"

#define WIDTH      920
#define BOX_HEIGHT 54
#define USER_Y     58
#define KERNEL_Y   222
#define RAN_BYTES  0.005 /* bytes per payload byte below which a stage did not run in earnest */

struct box {
	int x, y, width;
	const char *line[2];
};

struct diagram {
	FILE *f;
	const struct analysis *a;
	struct cell *cell;
	struct box fields, buffer, skb, device, queue, target;
	char fields_text[64], device_text[64];
};

void xml__put(FILE *f, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	size_t n;

	for (; *text; text += n ? n : 1) {
		const char *at = strchr(special, *text);

		n = printable__length(text);
		if (!n)
			fputc(*text == '\n' ? '\n' : '?', f);
		else if (at)
			fputs(entities[at - special], f);
		else
			fwrite(text, 1, n, f);
	}
}

static double copies(const struct diagram *d, enum nio_stage stage)
{
	return analysis__estimate(d->a, d->cell, METRIC_STAGE_CPB(stage)).median;
}

/* Unknown did not run, as far as the drawing goes: it is named below. */
static bool ran(const struct diagram *d, enum nio_stage stage)
{
	return copies(d, stage) > RAN_BYTES;
}

bool diagram__possible(const struct analysis *a, struct cell *cell)
{
	int stage;

	for (stage = 0; cell && stage < NIO_STAGE_NR; stage++)
		if (stage != NIO_STAGE_USER_GATHER &&
		    analysis__estimate(a, cell, METRIC_STAGE_CPB(stage)).n)
			return true;
	return false;
}

static void put_text(FILE *f, int x, int y, const char *anchor, const char *class, const char *text)
{
	char plain[256];

	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, class);
	xml__put(f, printable(plain, sizeof(plain), text));
	fputs("</text>\n", f);
}

static void put_box(FILE *f, const struct box *b)
{
	int middle = b->x + b->width / 2;

	fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" class=\"box\"/>\n",
		b->x, b->y, b->width, BOX_HEIGHT);
	put_text(f, middle, b->y + (b->line[1] ? 23 : 32), "middle", "name", b->line[0]);
	if (b->line[1])
		put_text(f, middle, b->y + 41, "middle", "small", b->line[1]);
}

/* Time of a stage in the cell, for each KiB of payload. */
static void stage_time(const struct diagram *d, enum nio_stage stage, char *buf, size_t len)
{
	struct estimate ns = analysis__estimate(d->a, d->cell, METRIC_STAGE_NS(stage));
	struct estimate timed = analysis__estimate(d->a, d->cell, METRIC_STAGE_TIMED(stage));
	struct estimate payload = analysis__estimate(d->a, d->cell, METRIC_PAYLOAD);

	/* The bytes that were timed may be of another round than the payload: see times. */
	if (ns.n && timed.n && timed.median > 0)
		snprintf(buf, len, "%.3g ns per KiB",
			 ns.median / timed.median * copies(d, stage) * 1024);
	else if (ns.n && payload.n && payload.median > 0)
		snprintf(buf, len, "%.3g ns per KiB", ns.median / payload.median * 1024);
	else
		snprintf(buf, len, "time n/a");
}

/* Three lines beside an arrow: the stage, its bytes, its time. */
static void put_label(const struct diagram *d, enum nio_stage stage, int x, int y,
		      const char *anchor)
{
	char text[PHRASE_BUF];

	put_text(d->f, x, y, anchor, "stage", figure__stage(stage));
	snprintf(text, sizeof(text), "%.2f per byte%s", copies(d, stage),
		 stage__is_copy(stage) ? "" : ", no copy");
	put_text(d->f, x, y + 17, anchor, "small", text);
	stage_time(d, stage, text, sizeof(text));
	put_text(d->f, x, y + 33, anchor, "small", text);
}

/* kind: a class of the style, and its arrowhead. */
static void put_arrow(const struct diagram *d, const char *kind, double width, int x1, int y1,
		      int x2, int y2)
{
	fprintf(d->f,
		"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\" stroke-width=\"%.1f\" "
		"marker-end=\"url(#%s)\"/>\n",
		x1, y1, x2, y2, kind, width, kind);
}

/* Copies are solid and as wide as their number; references are dashed. */
static void put_stage(const struct diagram *d, enum nio_stage stage, int x1, int y1, int x2, int y2)
{
	if (stage__is_copy(stage))
		put_arrow(d, "copy", 2 + 2 * fmin(copies(d, stage), 3), x1, y1, x2, y2);
	else
		put_arrow(d, "reference", 2.5, x1, y1, x2, y2);
}

/* Payload passed on without a stage of the ledger. */
static void put_flow(const struct diagram *d, int x1, int x2, int y)
{
	put_arrow(d, "flow", 1.5, x1, y, x2, y);
}

EMBED(diagram_style, "user/report/diagram-style.svg");

/* The title, and the line between user space and kernel. */
static void put_head(const struct diagram *d, int height)
{
	char text[2 * PHRASE_BUF];

	snprintf(text, sizeof(text), "What the kernel did: %s", phrases__cell(d->cell).text);
	fprintf(d->f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		"height=\"%d\" role=\"img\" class=\"diagram\">\n<title>",
		WIDTH, height, WIDTH, height);
	xml__put(d->f, text);
	fprintf(d->f,
		"</title>\n%s<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
		"<rect x=\"8\" y=\"196\" width=\"%d\" height=\"98\" fill=\"#f1f3f5\"/>\n"
		"<line x1=\"8\" y1=\"196\" x2=\"%d\" y2=\"196\" stroke=\"#888\" "
		"stroke-dasharray=\"3 3\"/>\n",
		diagram_style, WIDTH, height, WIDTH - 16, WIDTH - 8);
	put_text(d->f, 16, 22, "start", "title", text);
	put_text(d->f, 16, 48, "start", "zone", "sender, user memory");
	put_text(d->f, WIDTH - 16, 48, "end", "zone", "receiver, user memory");
	put_text(d->f, WIDTH / 2, 290, "middle", "zone", "kernel");
}

static void arrange(struct diagram *d)
{
	const json_t *environment = d->a->dataset->environment;
	const char *path = json_string_value(json_object_get(environment, "path"));
	const char *device = json_string_value(json_object_get(environment, "device"));
	char size[UNITS_BUF];

	snprintf(d->fields_text, sizeof(d->fields_text), "message of %s",
		 format_size(size, sizeof(size), d->cell->size));
	printable(d->device_text, sizeof(d->device_text), device ? device : "n/a");
	d->fields = (struct box){24, USER_Y, 150, {"fields", d->fields_text}};
	d->buffer = (struct box){276, USER_Y, 150, {"one buffer", NULL}};
	d->skb = (struct box){ran(d, NIO_STAGE_USER_GATHER) ? 276 : 24,
			      KERNEL_Y,
			      150,
			      {"socket buffer", "sk_buff"}};
	d->device = (struct box){520, KERNEL_Y, 130, {path ? path : "device", d->device_text}};
	d->queue = (struct box){746, KERNEL_Y, 150, {"socket buffer", "receive queue"}};
	d->target = (struct box){746, USER_Y, 150, {"receive buffer", NULL}};
}

static void put_boxes(const struct diagram *d)
{
	put_box(d->f, &d->fields);
	if (ran(d, NIO_STAGE_USER_GATHER))
		put_box(d->f, &d->buffer);
	put_box(d->f, &d->skb);
	put_box(d->f, &d->device);
	put_box(d->f, &d->queue);
	put_box(d->f, &d->target);
}

/* From user memory down into the socket buffer: copied, pinned, spliced, or more than one of them.
 */
static void put_entries(const struct diagram *d)
{
	static const enum nio_stage entries[] = {NIO_STAGE_TX_COPY, NIO_STAGE_TX_PIN,
						 NIO_STAGE_TX_SPLICE};
	int x = d->skb.x + 28;
	size_t i;

	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (!ran(d, entries[i]))
			continue;
		put_stage(d, entries[i], x, USER_Y + BOX_HEIGHT, x, KERNEL_Y - 2);
		put_label(d, entries[i], x + 12, USER_Y + BOX_HEIGHT + 32, "start");
		x += 170;
	}
}

static void put_stages(const struct diagram *d)
{
	int middle = KERNEL_Y + BOX_HEIGHT / 2, up = d->target.x + 110;

	if (ran(d, NIO_STAGE_USER_GATHER)) {
		put_stage(d, NIO_STAGE_USER_GATHER, d->fields.x + 150, USER_Y + 27, d->buffer.x - 2,
			  USER_Y + 27);
		put_label(d, NIO_STAGE_USER_GATHER, 225, USER_Y + 74, "middle");
	}
	put_entries(d);
	put_flow(d, d->skb.x + 150, d->device.x - 2, middle);
	if (ran(d, NIO_STAGE_DEFERRED_COPY)) {
		put_stage(d, NIO_STAGE_DEFERRED_COPY, d->device.x + 130, middle, d->queue.x - 2,
			  middle);
		put_label(d, NIO_STAGE_DEFERRED_COPY, 640, USER_Y + BOX_HEIGHT + 32, "middle");
		fprintf(d->f, "<path d=\"M660 182L690 %d\" stroke=\"#999\" fill=\"none\"/>\n",
			middle - 6);
	} else {
		put_flow(d, d->device.x + 130, d->queue.x - 2, middle);
	}
	if (ran(d, NIO_STAGE_RX_COPY)) {
		put_stage(d, NIO_STAGE_RX_COPY, up, KERNEL_Y, up, USER_Y + BOX_HEIGHT + 2);
		put_label(d, NIO_STAGE_RX_COPY, up - 12, USER_Y + BOX_HEIGHT + 32, "end");
	}
}

/* Stages with an arrow; any other is a line of text. */
static const bool has_arrow[NIO_STAGE_NR] = {
	[NIO_STAGE_USER_GATHER] = true,   [NIO_STAGE_TX_COPY] = true,
	[NIO_STAGE_TX_PIN] = true,        [NIO_STAGE_TX_SPLICE] = true,
	[NIO_STAGE_DEFERRED_COPY] = true, [NIO_STAGE_RX_COPY] = true,
};

/*
 * Lists the stages that are not drawn: a line per unmeasured one, and one for the rest. f NULL:
 * writes nothing. Returns the position of the next line.
 */
static int put_absent(const struct diagram *d, FILE *f, int y)
{
	char idle[256] = "", text[512], reason[112];

	for (int s = 0; s < NIO_STAGE_NR; s++) {
		enum nio_stage stage = (enum nio_stage)s;
		const char *name = figure__stage(stage);

		/* Older results lack these stages. */
		if (stage__is_rare(stage) && stage != NIO_STAGE_TX_SPLICE && !ran(d, stage))
			continue;
		if (isnan(copies(d, stage))) {
			snprintf(text, sizeof(text), "%s not available: %s", name,
				 printable(reason, sizeof(reason),
					   analysis__reason(d->a, METRIC_STAGE_BYTES(s))));
		} else if (!ran(d, stage)) {
			strcat(idle, *idle ? ", " : "did not run: ");
			strcat(idle, name);
			continue;
		} else if (!has_arrow[stage]) {
			snprintf(text, sizeof(text), "%s, wherever it happened: %.2f per byte",
				 name, copies(d, stage));
		} else {
			continue;
		}
		if (f)
			put_text(f, 16, y, "start", "small", text);
		y += 18;
	}
	if (*idle && f)
		put_text(f, 16, y, "start", "small", idle);
	return *idle ? y + 18 : y;
}

void diagram__write(FILE *f, const struct analysis *a, struct cell *cell)
{
	struct diagram d = {.f = f, .a = a, .cell = cell};
	int below = 318;

	arrange(&d);
	put_head(&d, put_absent(&d, NULL, below));
	put_boxes(&d);
	put_stages(&d);
	put_absent(&d, f, below);
	fputs("</svg>\n", f);
}
