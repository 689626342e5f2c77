/* SPDX-License-Identifier: GPL-2.0-only */
/* The document of follow, netiotrace.follow/1, and its stacks: docs/reference/follow.md. Pure. */
#include <inttypes.h>

#include "follow_result.h"
#include "write/field.h"
#include "write/target_json.h"

#define NO_NAMES "no symbol or line is known: debug information is missing, or memory has no file"

static const char *text_or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static const char *const answers[] = {
	[FOLLOW_UNKNOWN] = "unknown",         [FOLLOW_DOES_NOT_COPY] = "does_not_copy",
	[FOLLOW_COPIES_SOME] = "copies_some", [FOLLOW_COPIES_MOST] = "copies_most",
	[FOLLOW_COPIES] = "copies",
};

static const char *const kinds[LINK_KINDS_NR] = {"copy", "transform"};

/* Followed bytes with no copy, one, two, ... */
static json_t *by_copies_json(const struct follow_copies *c)
{
	json_t *list = json_array();
	unsigned int left = follow_copies__followed(c);

	for (int i = 0; left && i <= CHAIN_LINKS_MAX; i++) {
		unsigned int nr = c->counts[i] + c->at_least[i];

		json_array_append_new(list, json_integer(nr));
		left -= nr;
	}
	return list;
}

static const char *end_key(unsigned int i)
{
	return chain_end__name((enum chain_end)(i + 1));
}

/* clang-format off */
#define TARGETS_FIELDS(X)                                                                  \
	TARGET_FIELDS(X, &q->target)                                                       \
	X(u64,  "rate",     "1/s",           q->rate)
FIELDS(targets, (const struct follow_options *q), TARGETS_FIELDS)

#define TOOL_FIELDS(X) OWN_TOOL_FIELDS(X, q)
FIELDS(tool, (const struct follow_options *q), TOOL_FIELDS)

#define FRAME_FIELDS(X)                                                                    \
	X(text,    "function", "text",  text_or_null(m->function))                         \
	X(text,    "file",     "text",  text_or_null(m->file))                             \
	X(or_null, "line",     "count", m->line)                                           \
	X(text,    "object",   "text",  text_or_null(m->object))                           \
	X(text,    "build_id", "text",  text_or_null(m->build_id))                         \
	X(u64,     "offset",   "bytes", m->offset)                                         \
	X(reason,  "reason",   m->function[0] && m->file[0] ? NULL : NO_NAMES)
FIELDS(frame, (const struct frame *m), FRAME_FIELDS)

#define SITE_FIELDS(X)                                                                     \
	X(u64,       "copies",      "count", s->nr)                                        \
	X(bare_real, "share",       "0..1",  real_if(c->copies, (double)s->nr / c->copies)) \
	X(text,      "kind",        "text",  kinds[s->kind])                               \
	X(text,      "instruction", "text",  s->insn)                                      \
	X(text,      "from",        "text",  text_or_null(s->from))                        \
	X(text,      "to",          "text",  text_or_null(s->to))                          \
	X(list,      "frames",      frame, s->frames.nr, &s->frames.frame[i])
FIELDS(site, (const struct follow_copies *c, const struct follow_site *s), SITE_FIELDS)

#define COPIES_FIELDS(X)                                                                 \
	X(text,      "quality",    "text",  quality__name(e.per_byte.known ? QUALITY_SAMPLED : QUALITY_UNAVAILABLE)) \
	X(reason,    "reason",     e.per_byte.known ? NULL : e.per_byte.reason) \
	X(bare_real, "per_byte",   "real",  e.per_byte)                                    \
	X(bare_real, "low",        "real",  real_if(e.per_byte.known, e.mean.low))         \
	X(bare_real, "high",       "real",  real_if(e.per_byte.known, e.mean.high))        \
	X(bare_real, "copied_low",  "0..1", real_if(e.per_byte.known, e.copied.low))       \
	X(bare_real, "copied_high", "0..1", real_if(e.per_byte.known, e.copied.high))      \
	X(text,      "answer",     "text",  answers[e.answer])                             \
	X(or_null,   "times",      "count", e.times)                                       \
	X(u64,       "watched_bytes", "bytes", c->bytes)                                   \
	X(u64,       "watched_calls", "count", c->calls)                                   \
	X(u64,       "followed",   "count", follow_copies__followed(c))                    \
	X(u64,       "unknown",    "count", follow_copies__unknown(c))                     \
	X(u64,       "at_least",   "count", follow_copies__at_least(c))                    \
	X(json,      "by_copies",  "list of count", by_copies_json(c))                     \
	X(u64,       "copies",     "count", c->copies)                                     \
	X(u64,       "transforms", "count", c->transforms)                                 \
	X(u64,       "inspected",  "count", c->looks)                                      \
	X(values,    "ends", "<end>", "count", u64, CHAIN_ENDS_NR - 1, end_key, c->ends[i + 1]) \
	X(list,      "sites", site, c->sites_nr, c, &c->sites[i])                          \
	X(u64,       "sites_left_out", "count", c->sites_left_out)
FIELDS(copies, (const struct follow_copies *c, struct follow_estimate e), COPIES_FIELDS)

#define HEALTH_FIELDS(X)                                                                   \
	X(u64,       "watchpoints",  "count", r->slots)                                    \
	X(u64,       "stops",        "count", r->stops)                                    \
	X(u64,       "steps",        "count", r->steps)                                    \
	X(u64,       "stopped_ns",   "ns",    r->stopped_ns)                               \
	X(u64,       "longest_ns",   "ns",    r->longest_ns)                               \
	X(u64,       "polled_ns",    "ns",    r->polled_ns)                                \
	X(u64,       "holds",        "count", r->holds)                                    \
	X(u64,       "held_ns",      "ns",    r->held_ns)                                  \
	X(u64,       "holds_late",   "count", r->late)                                     \
	X(u64,       "foreign",      "count", r->touches_elsewhere)                        \
	X(u64,       "lost",         "count", r->lost)                                     \
	X(u64,       "killed",       "count", r->killed)                                   \
	X(or_null,   "killed_by",    "count", r->killed_by)                                \
	X(text,      "ended_early",  "text",  r->ended_early)
FIELDS(health, (const struct follow_result *r), HEALTH_FIELDS)

#define FOLLOW_FIELDS(X)                                                                   \
	X(text,      "schema",      "text", "netiotrace.follow/1")                         \
	X(object,    "tool",        tool, r->o)                                            \
	X(object,    "settings",    targets, r->o)                                         \
	X(text,      "comm",        "text", text_or_null(r->comm))                         \
	X(bare_real, "duration_s",  "s", real_if(true, (double)r->duration_ns / 1e9))      \
	X(bool,      "interrupted", "true/false", r->interrupted)                          \
	X(object,    "received",    copies, &r->of[NIO_FOLLOW_RECEIVED], follow_result__estimate(r, NIO_FOLLOW_RECEIVED)) \
	X(object,    "sent",        copies, &r->of[NIO_FOLLOW_SENT], follow_result__estimate(r, NIO_FOLLOW_SENT)) \
	X(object,    "health",      health, r)
FIELDS(follow, (const struct follow_result *r), FOLLOW_FIELDS)
/* clang-format on */

json_t *follow_result__document(const struct follow_result *r)
{
	return follow_json(r);
}

const struct field *follow_result__fields(void)
{
	return follow_fields;
}

static void write_frame(FILE *f, const struct frame *frame)
{
	if (!frame->function[0]) {
		fprintf(f, "%s+0x%" PRIx64, frame->object[0] ? frame->object : "[no file]",
			frame->offset);
		return;
	}
	/* Semicolons and blanks separate. */
	for (const char *c = frame->function; *c; c++)
		fputc(*c == ';' || *c == ' ' ? '_' : *c, f);
}

static void write_site(FILE *f, const char *direction, const struct follow_site *s)
{
	fputs(direction, f);
	if (!s->frames.nr)
		fputs(";[unknown]", f);
	for (uint32_t n = s->frames.nr; n-- > 0;) {
		fputc(';', f);
		write_frame(f, &s->frames.frame[n]);
	}
	fprintf(f, " %u\n", s->nr);
}

void follow_result__write_folded(FILE *f, const struct follow_result *r)
{
	static const char *const directions[] = {"received", "sent"};

	for (int d = 0; d < NIO_FOLLOW_DIRECTIONS; d++)
		for (size_t i = 0; i < r->of[d].sites_nr; i++)
			write_site(f, directions[d], &r->of[d].sites[i]);
}
