/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the text of the metrics page; see metrics_page.h. */
#include "metrics_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

struct page {
	FILE *f;
	bool open; /* OpenMetrics */
	double started;
};

enum type {
	TYPE_COUNTER,
	TYPE_GAUGE,
	TYPE_HISTOGRAM,
	TYPE_INFO,
};

/* A label value: backslash, quote and newline escaped; bytes that are no UTF-8 become U+FFFD. */
static void put_value(FILE *f, const char *text)
{
	for (size_t n; *text; text += n) {
		n = printable__length(text);
		if (*text == '\\' || *text == '"')
			fprintf(f, "\\%c", *text);
		else if (*text == '\n')
			fputs("\\n", f);
		else if (n)
			fwrite(text, 1, n, f);
		else
			fputs("\xef\xbf\xbd", f);
		n = n ? n : 1;
	}
}

/* A bare NULL may be an int where a variadic function expects a pointer. */
#define END_OF_LABELS ((const char *)NULL)

/* Pairs of name and value, ended by END_OF_LABELS. */
static void put_labels(FILE *f, va_list args)
{
	const char *name, *value;
	char before = '{';

	while ((name = va_arg(args, const char *))) {
		value = va_arg(args, const char *);
		fprintf(f, "%c%s=\"", before, name);
		put_value(f, value);
		fputc('"', f);
		before = ',';
	}
	if (before == ',')
		fputc('}', f);
}

/* OpenMetrics names a family without the suffix of its samples. */
static void put_family(const struct page *p, const char *name, enum type type, const char *help)
{
	static const char *const open_types[] = {"counter", "gauge", "histogram", "info"};
	static const char *const types[] = {"counter", "gauge", "histogram", "gauge"};
	const char *suffix = type == TYPE_COUNTER ? "_total" : type == TYPE_INFO ? "_info" : "";

	if (p->open)
		suffix = "";
	fprintf(p->f, "# HELP netiotrace_%s%s %s\n# TYPE netiotrace_%s%s %s\n", name, suffix, help,
		name, suffix, p->open ? open_types[type] : types[type]);
}

static void put_sample(const struct page *p, const char *name, double value, ...)
{
	va_list args;

	fprintf(p->f, "netiotrace_%s", name);
	va_start(args, value);
	put_labels(p->f, args);
	va_end(args);
	/* Counts up to 2^53 are exact; more decimals than a double has would be invented. */
	fprintf(p->f, " %.17g\n", value);
}

/* A counter with its creation time, as OpenMetrics asks. */
#define put_counter(p, name, value, ...)                                                          \
	do {                                                                                      \
		put_sample(p, name "_total", (double)(value), __VA_ARGS__, END_OF_LABELS);        \
		if ((p)->open)                                                                    \
			put_sample(p, name "_created", (p)->started, __VA_ARGS__, END_OF_LABELS); \
	} while (0)

#define for_each_group(g, m)                                \
	for (const struct aggregate *g = (m)->groups->list; \
	     g < (m)->groups->list + (m)->groups->nr; g++)

/* Groups without a connection yet are absent: "other" most of the time. */
static bool is_used(const struct aggregate *g)
{
	return g->out.connections || g->out.opened || g->out.sent || g->out.received;
}

static void put_bytes(const struct page *p, const struct metrics *m)
{
	put_family(p, "tcp_sent_bytes", TYPE_COUNTER,
		   "Payload bytes that applications queued on TCP sockets.");
	for_each_group(g, m)
		if (is_used(g))
			put_counter(p, "tcp_sent_bytes", g->out.sent, "group", g->name);
	put_family(p, "tcp_received_bytes", TYPE_COUNTER,
		   "Payload bytes received in order on TCP sockets, read or not.");
	for_each_group(g, m)
		if (is_used(g))
			put_counter(p, "tcp_received_bytes", g->out.received, "group", g->name);
	put_family(p, "tcp_retransmitted_bytes", TYPE_COUNTER, "Payload bytes sent again.");
	for_each_group(g, m)
		if (is_used(g))
			put_counter(p, "tcp_retransmitted_bytes", g->out.retransmitted, "group",
				    g->name);
}

static void put_connections(const struct page *p, const struct metrics *m)
{
	put_family(p, "tcp_connections", TYPE_GAUGE, "Open TCP connections.");
	for_each_group(g, m)
		if (is_used(g))
			put_sample(p, "tcp_connections", (double)g->out.connections, "group",
				   g->name, END_OF_LABELS);
	put_family(p, "tcp_connections_opened", TYPE_COUNTER,
		   "TCP connections that began while the exporter ran.");
	for_each_group(g, m)
		if (is_used(g))
			put_counter(p, "tcp_connections_opened", g->out.opened, "group", g->name);
}

/* A series appears with its first byte and stays. */
static void put_stage(const struct page *p, const struct aggregate *g, const char *stage,
		      enum part_of_bytes part)
{
	static const char *const qualities[] = {"exact", "sampled"};

	for (size_t q = 0; q < 2; q++)
		if (g->out.by_quality[q][part])
			put_counter(p, "stage_bytes", g->out.by_quality[q][part], "group", g->name,
				    "stage", stage, "quality", qualities[q]);
}

static void put_stages(const struct page *p, const struct metrics *m)
{
	static const struct {
		const char *stage;
		enum part_of_bytes part;
	} rows[] = {{"tx_copy", PART_TX_COPY},
		    {"tx_pin", PART_TX_PIN},
		    {"tx_splice", PART_TX_SPLICE},
		    {"rx_copy", PART_RX_COPY}};

	put_family(p, "stage_bytes", TYPE_COUNTER,
		   "Payload bytes by the stage that moved them. deferred_copy bytes are also in "
		   "tx_pin.");
	for_each_group(g, m) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			put_stage(p, g, rows[i].stage, rows[i].part);
		if (g->out.zerocopy_sends)
			put_counter(p, "stage_bytes", g->out.deferred, "group", g->name, "stage",
				    "deferred_copy", "quality", "derived");
	}
	put_family(p, "unclassified_bytes", TYPE_COUNTER,
		   "Payload bytes whose stage is not known.");
	for_each_group(g, m) {
		if (!is_used(g))
			continue;
		put_counter(p, "unclassified_bytes", g->out.parts[PART_TX_UNCLASSIFIED], "group",
			    g->name, "direction", "sent");
		put_counter(p, "unclassified_bytes", g->out.parts[PART_RX_UNCLASSIFIED], "group",
			    g->name, "direction", "received");
	}
}

static void put_sends(const struct page *p, const struct metrics *m)
{
	static const char *const ways[] = {
#define X(id, key, text) [NIO_CALL_##id] = key,
		NIO_SEND_KINDS(X)
#undef X
	};

	put_family(p, "sends", TYPE_COUNTER,
		   "Send calls by how they send. Scaled by bytes where events are sampled.");
	for_each_group(g, m)
		for (size_t way = 0; way < NIO_CALL_NR; way++)
			if (g->out.sends[way])
				put_counter(p, "sends", g->out.sends[way], "group", g->name, "way",
					    ways[way]);
}

static void put_zerocopy(const struct page *p, const struct metrics *m)
{
	static const char *const causes[] = {
		[COPY_CAUSE_LOCAL] = "local",
		[COPY_CAUSE_NO_SG] = "no_scatter_gather",
		[COPY_CAUSE_UNKNOWN] = "unknown",
	};

	put_family(p, "zerocopy_sends", TYPE_COUNTER,
		   "Send calls that pinned pages (MSG_ZEROCOPY), by the ids of the sockets.");
	for_each_group(g, m)
		if (g->out.zerocopy_sends)
			put_counter(p, "zerocopy_sends", g->out.zerocopy_sends, "group", g->name);
	put_family(p, "zerocopy_completed", TYPE_COUNTER, "Completed zero-copy sends.");
	for_each_group(g, m) {
		if (!g->out.zerocopy_sends)
			continue;
		put_counter(p, "zerocopy_completed", g->out.copied, "group", g->name, "result",
			    "copied");
		put_counter(p, "zerocopy_completed", g->out.completed - g->out.copied, "group",
			    g->name, "result", "not_copied");
	}
	put_family(p, "zerocopy_copied_bytes", TYPE_COUNTER,
		   "Bytes of zero-copy sends that the kernel copied after all, as far as seen.");
	for_each_group(g, m) {
		if (!g->out.zerocopy_sends)
			continue;
		for (size_t i = 0; i < COPY_CAUSE_NR; i++)
			put_counter(p, "zerocopy_copied_bytes", g->out.copied_bytes[i], "group",
				    g->name, "cause", causes[i]);
	}
	put_family(p, "zerocopy_fallbacks", TYPE_COUNTER,
		   "Zero-copy sends refused with ENOBUFS; applications then copy.");
	for_each_group(g, m)
		if (g->out.enobufs)
			put_counter(p, "zerocopy_fallbacks", g->out.enobufs, "group", g->name,
				    "limit", "unknown");
	put_family(p, "zerocopy_outstanding_sends", TYPE_GAUGE,
		   "Zero-copy sends without a completion yet.");
	for_each_group(g, m)
		if (g->out.zerocopy_sends)
			put_sample(p, "zerocopy_outstanding_sends", (double)g->out.outstanding,
				   "group", g->name, END_OF_LABELS);
}

/* Buckets by powers of 4 up to 2^30, from the engine's powers of 2. */
static void put_histogram(const struct page *p, const char *name, const char *group,
			  const uint64_t sizes[NIO_SIZES])
{
	char sample[64], bound[32];
	uint64_t sum = 0;

	snprintf(sample, sizeof(sample), "%s_bucket", name);
	for (size_t i = 0; i < NIO_SIZES; i++) {
		sum += sizes[i];
		/* Bucket i holds sizes below 2^(i + 1). */
		if (i % 2 == 0 || i > 29)
			continue;
		snprintf(bound, sizeof(bound), "%" PRIu64, ((uint64_t)1 << (i + 1)) - 1);
		put_sample(p, sample, (double)sum, "group", group, "le", bound, END_OF_LABELS);
	}
	put_sample(p, sample, (double)sum, "group", group, "le", "+Inf", END_OF_LABELS);
	snprintf(sample, sizeof(sample), "%s_count", name);
	put_sample(p, sample, (double)sum, "group", group, END_OF_LABELS);
}

static bool any_size(const uint64_t sizes[NIO_SIZES])
{
	for (size_t i = 0; i < NIO_SIZES; i++)
		if (sizes[i])
			return true;
	return false;
}

static void put_sizes(const struct page *p, const struct metrics *m)
{
	put_family(p, "send_size_bytes", TYPE_HISTOGRAM,
		   "Bytes per send call, of the calls that were seen.");
	for_each_group(g, m)
		if (any_size(g->out.tx_sizes))
			put_histogram(p, "send_size_bytes", g->name, g->out.tx_sizes);
	put_family(p, "receive_size_bytes", TYPE_HISTOGRAM,
		   "Bytes per receive copy, of the copies that were seen.");
	for_each_group(g, m)
		if (any_size(g->out.rx_sizes))
			put_histogram(p, "receive_size_bytes", g->name, g->out.rx_sizes);
}

static void put_run_times(const struct page *p, const struct metrics *m)
{
	if (m->run_times_unknown)
		return;
	put_family(p, "probe_run_seconds", TYPE_COUNTER,
		   "Time that the BPF programs of a probe ran, as the kernel counts it.");
	for (size_t i = 0; i < PROBE_NR; i++)
		if (m->run_ns[i].known)
			put_counter(p, "probe_run_seconds", (double)m->run_ns[i].value / 1e9,
				    "probe", plan_probes[i].name);
}

static void put_probes(const struct page *p, const struct metrics *m)
{
	static const char *const never[][2] = {
		{"cpu_sampled_seconds", "the exporter takes no samples of CPU time"},
		{"zerocopy_completion_seconds", "completions are counted, not timed"},
	};

	put_family(p, "probe", TYPE_INFO, "Hooks in use.");
	for (size_t i = 0; i < m->plan_nr; i++)
		if (m->plan[i].hook)
			put_sample(p, "probe_info", 1, "probe", m->plan[i].probe, "hook",
				   m->plan[i].hook, "backend",
				   m->plan[i].backend ? m->plan[i].backend : "", END_OF_LABELS);
	put_run_times(p, m);
	put_family(p, "stage_unmeasured", TYPE_INFO,
		   "Stages and metrics that are not measured, and why.");
	for (size_t i = 0; i < m->plan_nr; i++)
		if (!m->plan[i].hook)
			put_sample(p, "stage_unmeasured_info", 1, "stage", m->plan[i].probe,
				   "reason", m->plan[i].reason ? m->plan[i].reason : "",
				   END_OF_LABELS);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		put_sample(p, "stage_unmeasured_info", 1, "stage", never[i][0], "reason",
			   never[i][1], END_OF_LABELS);
	if (m->run_times_unknown)
		put_sample(p, "stage_unmeasured_info", 1, "stage", "probe_run_seconds", "reason",
			   m->run_times_unknown, END_OF_LABELS);
}

static void put_health(const struct page *p, const struct metrics *m)
{
	if (m->missed.known) {
		put_family(p, "events_missed", TYPE_COUNTER,
			   "Runs of BPF programs that the kernel refused or skipped.");
		put_sample(p, "events_missed_total", (double)m->missed.value, END_OF_LABELS);
	}
	put_family(p, "sockets_left_out", TYPE_COUNTER,
		   "Sockets that were not recorded: no place (--max-sockets), or no program saw "
		   "their end.");
	put_sample(p, "sockets_left_out_total", (double)m->left_out.value, END_OF_LABELS);
	put_family(p, "groups_folded", TYPE_COUNTER,
		   "Groups that count for the group other (--groups).");
	put_sample(p, "groups_folded_total", (double)m->groups->folded_groups, END_OF_LABELS);
	put_family(p, "sockets_folded", TYPE_COUNTER, "Closed connections of folded groups.");
	put_sample(p, "sockets_folded_total", (double)m->groups->folded_sockets, END_OF_LABELS);
	put_family(p, "snapshot_timestamp_seconds", TYPE_GAUGE,
		   "When the sockets were last read, in seconds since 1970.");
	put_sample(p, "snapshot_timestamp_seconds", m->snapshot, END_OF_LABELS);
	put_family(p, "snapshot_duration_seconds", TYPE_GAUGE, "How long that took.");
	put_sample(p, "snapshot_duration_seconds", m->snapshot_s, END_OF_LABELS);
}

/* The q parameter of a media range (RFC 9110, 12.4.2); 1 if there is none. */
static double weight_of(const char *range, size_t len)
{
	const char *q = memmem(range, len, ";q=", 3);

	if (!q)
		q = memmem(range, len, "; q=", 4);
	return q ? strtod(strchr(q, '=') + 1, NULL) : 1;
}

static bool names(const char *range, const char *type)
{
	size_t len = strlen(type);

	return !strncmp(range, type, len) && (!range[len] || strchr(" ;,", range[len]));
}

enum page_format page_format__of_accept(const char *accept)
{
	double open = 0, text = 0, weight;
	size_t len;

	for (; accept && *accept; accept += len + (accept[len] == ',')) {
		accept += strspn(accept, " ");
		len = strcspn(accept, ",");
		weight = weight_of(accept, len);
		if (names(accept, "application/openmetrics-text"))
			open = weight > open ? weight : open;
		else if (names(accept, "text/plain"))
			text = weight > text ? weight : text;
	}
	return open > 0 && open >= text ? PAGE_OPENMETRICS : PAGE_PROMETHEUS;
}

void metrics_page__write(FILE *f, enum page_format format, const struct metrics *m)
{
	struct page p = {.f = f, .open = format == PAGE_OPENMETRICS, .started = m->started};

	put_family(&p, "build", TYPE_INFO, "Version of the exporter and of the kernel.");
	put_sample(&p, "build_info", 1, "version", NETIOTRACE_VERSION, "backend", m->backend,
		   "kernel", m->kernel, END_OF_LABELS);
	put_bytes(&p, m);
	put_connections(&p, m);
	put_stages(&p, m);
	put_sends(&p, m);
	put_zerocopy(&p, m);
	put_sizes(&p, m);
	put_probes(&p, m);
	put_health(&p, m);
	if (p.open)
		fputs("# EOF\n", f);
}
