/* SPDX-License-Identifier: GPL-2.0-only */
/* The live frame as one line, for a stderr that is no terminal. Pure. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/perf_figures.h"
#include "common/units.h"
#include "model/figures.h"
#include "live_layout.h"

__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t len, const char *fmt,
							 ...)
{
	size_t used = strlen(buf);
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf + used, len - used, fmt, args);
	va_end(args);
}

static const struct live_mode *running_mode(const struct live_frame *f)
{
	size_t i;

	for (i = 0; i < f->modes_nr && i < MODE_NR; i++)
		if (f->modes[i].running)
			return &f->modes[i];
	return NULL;
}

/* The copies every mode makes are always named; other stages when bytes pass through them. */
static bool stage_is_named(const struct live_mode *m, enum nio_stage stage)
{
	return stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_RX_COPY ||
	       (m->total.stages[stage].quality != QUALITY_UNAVAILABLE && m->stage_rate[stage] > 0);
}

static void append_stages(char *buf, size_t len, const struct live_mode *m)
{
	char rate[UNITS_BUF];
	const char *reason;
	int i;

	if (!m->total.ledger_known) {
		append(buf, len, "  ledger n/a");
		return;
	}
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!stage_is_named(m, i))
			continue;
		if (!figures__stage_known(&m->total, i, &reason) || !isfinite(m->stage_rate[i]))
			append(buf, len, "  %s n/a", stage__heading(i));
		else
			append(buf, len, "  %s %s/s", stage__heading(i),
			       format_bytes_si(rate, sizeof(rate), m->stage_rate[i]));
	}
}

/* Cycles where they are counted, else CPU time; of the sides that are here together. */
static void append_cost(char *buf, size_t len, const struct live_mode *m)
{
	enum perf_whose whose = perf_whose__here(&m->total);
	struct real cycles = perf_derive(&m->total, DERIVED_CYCLES_PER_BYTE, whose);
	struct real cpu = perf_derive(&m->total, DERIVED_CPU_NS_PER_KIB, whose);
	struct real switches = perf_derive(&m->total, DERIVED_CONTEXT_SWITCHES_PER_GIB, whose);
	char figure[32];

	append(buf, len, whose == PERF_OF_SENDER ? "  of the sender: " : "  ");
	if (cycles.known)
		append(buf, len, "%s cycles/B", live_layout__cost(figure, sizeof(figure), cycles));
	else
		append(buf, len, "CPU %s ns/KiB", live_layout__cost(figure, sizeof(figure), cpu));
	append(buf, len, "  %s switches/GiB", live_layout__cost(figure, sizeof(figure), switches));
}

static void append_running(char *buf, size_t len, const struct live_frame *f,
			   const struct live_mode *m)
{
	const struct num *missed = &f->health.missed;

	if (isfinite(m->gbps))
		append(buf, len, "  %.1f Gbit/s", m->gbps);
	else
		append(buf, len, "  n/a Gbit/s");
	append_stages(buf, len, m);
	append_cost(buf, len, m);
	if (missed->known)
		append(buf, len, "  missed %llu", (unsigned long long)missed->value);
	else
		append(buf, len, "  missed n/a");
	if (f->health.dropped.known && f->health.dropped.value)
		append(buf, len, "  dropped %llu", (unsigned long long)f->health.dropped.value);
}

char *live_line__format(char *buf, size_t len, const struct live_frame *f)
{
	static const char *const phases[] = {
		[LIVE_STARTING] = "starting",
		[LIVE_WARMUP] = "warm-up: nothing is counted yet",
		[LIVE_RUNNING] = "running",
		[LIVE_SAMPLING] = "sampling where CPU time goes",
		[LIVE_TIMING] = "timing the parts of send calls",
		[LIVE_DRAINING] = "draining: waiting for what is in flight",
		[LIVE_DONE] = "done",
	};
	const struct live_mode *m = running_mode(f);

	snprintf(buf, len, "%5.1fs", (double)f->elapsed_ns / 1e9);
	if (m)
		append(buf, len, " %s", mode__words(m->mode));
	if (f->rounds)
		append(buf, len, " %u/%u", f->round, f->rounds);
	if (f->phase == LIVE_RUNNING && m && m->seen)
		append_running(buf, len, f, m);
	else
		append(buf, len, "  %s", phases[f->phase]);
	return buf;
}
