/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the text of the metrics page; see metrics_page.h. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/read_file.h"
#include "metrics_page.h"

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

/* Pairs of name and value, ended by END_OF_LABELS. A label without a value (NULL) is absent. */
static void put_labels(FILE *f, va_list args)
{
	const char *name, *value;
	char before = '{';

	while ((name = va_arg(args, const char *))) {
		value = va_arg(args, const char *);
		if (!value)
			continue;
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

static void put_sample(const struct page *p, const char *name, const char *suffix, double value,
		       ...)
{
	va_list args;

	fprintf(p->f, "netiotrace_%s%s", name, suffix);
	va_start(args, value);
	put_labels(p->f, args);
	va_end(args);
	/* Counts up to 2^53 are exact; more decimals than a double has would be invented. */
	fprintf(p->f, " %.17g\n", value);
}

#define for_each_group(g, m)                                \
	for (const struct aggregate *g = (m)->groups->list; \
	     g < (m)->groups->list + (m)->groups->nr; g++)

/* The groups that have a sample. */
enum shown {
	SHOWN_USED,     /* those that have had a connection; "other" mostly has not */
	SHOWN_ZEROCOPY, /* those that have pinned pages */
	SHOWN_DEFERRED, /* of these and those with io_uring's SEND_ZC, those in which copies were
			   seen, or would have been; without those whose requests were hidden */
	SHOWN_NONZERO,  /* a series appears with its first count and stays */
};

/* A sample for each group. The series of a family follow one another; the first has its help. */
struct series {
	const char *family, *help;
	enum type type;
	enum shown shown;
	size_t offset;            /* in struct published: a uint64_t */
	const char *labels[2][2]; /* names and values besides the group; NULL: none */
};

/* clang-format off */
#define AT(field)        offsetof(struct published, field)
#define STAGE(name, part)                                                                           \
	{"stage_bytes", NULL, TYPE_COUNTER, SHOWN_NONZERO, AT(by_quality[0][part]),                 \
	 {{"stage", name}, {"quality", "exact"}}},                                                  \
	{"stage_bytes", NULL, TYPE_COUNTER, SHOWN_NONZERO, AT(by_quality[1][part]),                 \
	 {{"stage", name}, {"quality", "sampled"}}}

#define REFUSED(key, error)                                                                         \
	{"sends_refused", "Send calls that failed, by error. EAGAIN is no refusal.",                \
	 TYPE_COUNTER, SHOWN_NONZERO, AT(refused[NIO_REFUSAL_##error]), {{"error", key}}}

static const struct series all_series[] = {
	{"tcp_sent_bytes", "Payload bytes that applications queued on TCP sockets.",
	 TYPE_COUNTER, SHOWN_USED, AT(sent), {{NULL}}},
	{"tcp_received_bytes", "Payload bytes received in order on TCP sockets, read or not.",
	 TYPE_COUNTER, SHOWN_USED, AT(received), {{NULL}}},
	{"tcp_retransmitted_bytes", "Payload bytes sent again.",
	 TYPE_COUNTER, SHOWN_USED, AT(retransmitted), {{NULL}}},
	{"tcp_read_bytes", "Payload bytes that applications took from TCP sockets, peeks not included.",
	 TYPE_COUNTER, SHOWN_USED, AT(read), {{NULL}}},
	{"tcp_connections", "Open TCP connections.",
	 TYPE_GAUGE, SHOWN_USED, AT(connections), {{NULL}}},
	{"tcp_connections_opened", "TCP connections that began while the exporter ran.",
	 TYPE_COUNTER, SHOWN_USED, AT(opened), {{NULL}}},
	{"stage_bytes", "Payload bytes by the stage that moved them. deferred_copy bytes are also in tx_pin; "
	 "bytes that were peeked at are in rx_copy twice.",
	 TYPE_COUNTER, SHOWN_DEFERRED, AT(deferred), {{"stage", "deferred_copy"}, {"quality", "derived"}}},
	STAGE("tx_copy", PART_TX_COPY),
	STAGE("tx_pin", PART_TX_PIN),
	STAGE("tx_splice", PART_TX_SPLICE),
	STAGE("rx_copy", PART_RX_COPY),
	STAGE("rx_map", PART_RX_MAP),
	STAGE("rx_discard", PART_RX_DISCARD),
	STAGE("rx_splice", PART_RX_SPLICE),
	{"tls_bytes", "Plaintext that kTLS copied to encrypt or decrypt it, by the numbers of its records. "
	 "Decrypted bytes of TLS 1.3 are also in rx_copy, unless spliced.",
	 TYPE_COUNTER, SHOWN_NONZERO, AT(parts[PART_TX_TLS]), {{"direction", "sent"}}},
	{"tls_bytes", NULL,
	 TYPE_COUNTER, SHOWN_NONZERO, AT(decrypted), {{"direction", "received"}}},
	{"unclassified_bytes", "Payload bytes whose stage is not known.",
	 TYPE_COUNTER, SHOWN_USED, AT(parts[PART_TX_UNCLASSIFIED]), {{"direction", "sent"}}},
	{"unclassified_bytes", NULL,
	 TYPE_COUNTER, SHOWN_USED, AT(parts[PART_RX_UNCLASSIFIED]), {{"direction", "received"}}},
#define X(id, key, text)                                                                            \
	{"sends", "Send calls by how they send. Where events are sampled, each call seen counts for the "     \
	 "time of its window.",                                                                     \
	 TYPE_COUNTER, SHOWN_NONZERO, AT(sends[NIO_CALL_##id]), {{"way", key}}},
	NIO_SEND_KINDS(X)
#undef X
	REFUSED("enobufs",    ENOBUFS),
	REFUSED("epipe",      EPIPE),
	REFUSED("econnreset", ECONNRESET),
	REFUSED("efault",     EFAULT),
	REFUSED("other",      OTHER),
	{"sends_would_block", "Send calls that must not block and would have blocked (EAGAIN).",
	 TYPE_COUNTER, SHOWN_NONZERO, AT(refused[NIO_REFUSAL_EAGAIN]), {{NULL}}},
	{"zerocopy_sends", "Send calls that pinned pages (MSG_ZEROCOPY), by the ids of the sockets.",
	 TYPE_COUNTER, SHOWN_ZEROCOPY, AT(zerocopy_sends), {{NULL}}},
	{"zerocopy_completed", "Completed zero-copy sends.",
	 TYPE_COUNTER, SHOWN_ZEROCOPY, AT(copied), {{"result", "copied"}}},
	{"zerocopy_completed", NULL,
	 TYPE_COUNTER, SHOWN_ZEROCOPY, AT(not_copied), {{"result", "not_copied"}}},
	{"io_uring_requests", "Completed zero-copy requests of io_uring (SEND_ZC), by what their notifications say. "
	 "Where events are sampled, only those whose message was seen.",
	 TYPE_COUNTER, SHOWN_NONZERO, AT(requests[NIO_REQUEST_COPIED]), {{"result", "copied"}}},
	{"io_uring_requests", NULL,
	 TYPE_COUNTER, SHOWN_NONZERO, AT(requests[NIO_REQUEST_NOT_COPIED]), {{"result", "not_copied"}}},
	{"io_uring_requests", NULL,
	 TYPE_COUNTER, SHOWN_NONZERO, AT(requests[NIO_REQUEST_UNREPORTED]), {{"result", "unreported"}}},
	{"zerocopy_copied_bytes", "Bytes of zero-copy sends that the kernel copied after all, as far as seen.",
	 TYPE_COUNTER, SHOWN_DEFERRED, AT(copied_bytes[COPY_CAUSE_LOCAL]), {{"cause", "local"}}},
	{"zerocopy_copied_bytes", NULL,
	 TYPE_COUNTER, SHOWN_DEFERRED, AT(copied_bytes[COPY_CAUSE_NO_SG]), {{"cause", "no_scatter_gather"}}},
	{"zerocopy_copied_bytes", NULL,
	 TYPE_COUNTER, SHOWN_DEFERRED, AT(copied_bytes[COPY_CAUSE_UNKNOWN]), {{"cause", "unknown"}}},
	{"zerocopy_fallbacks", "Zero-copy sends refused with ENOBUFS; applications then copy. "
	 "Estimated where events are sampled.",
	 TYPE_COUNTER, SHOWN_NONZERO, AT(refused[NIO_REFUSAL_ENOBUFS]), {{"limit", "unknown"}}},
	{"zerocopy_outstanding_sends", "Zero-copy sends without a completion yet.",
	 TYPE_GAUGE, SHOWN_ZEROCOPY, AT(outstanding), {{NULL}}},
};
/* clang-format on */

static const char *known(const char *name)
{
	return *name ? name : NULL;
}

#define LABELS_OF(g)                                                                            \
	"group", (g)->name, "namespace", known((g)->pod.namespace), "pod", known((g)->pod.pod), \
		"container", known((g)->pod.container)

static void put_value_of(const struct page *p, const struct series *s, const char *suffix,
			 double value, const struct aggregate *g)
{
	put_sample(p, s->family, suffix, value, LABELS_OF(g), s->labels[0][0], s->labels[0][1],
		   s->labels[1][0], s->labels[1][1], END_OF_LABELS);
}

static bool is_shown(enum shown shown, const struct published *out, uint64_t value)
{
	switch (shown) {
	case SHOWN_NONZERO:
		return value;
	case SHOWN_DEFERRED:
		return !out->deferred_hidden && !out->deferred_fell &&
		       (out->zerocopy_sends || out->sends[NIO_CALL_IO_URING]) &&
		       (value || !out->deferred_unknown);
	case SHOWN_ZEROCOPY:
		return out->zerocopy_sends;
	default:
		return out->connections || out->opened || out->sent || out->received;
	}
}

static void put_series(const struct page *p, const struct metrics *m, const struct series *s)
{
	if (s == all_series || strcmp(s[-1].family, s->family) != 0)
		put_family(p, s->family, s->type, s->help);
	for_each_group(g, m) {
		const struct published *out = &g->out;
		uint64_t value = *(const uint64_t *)((const char *)out + s->offset);

		if (!is_shown(s->shown, out, value))
			continue;
		put_value_of(p, s, s->type == TYPE_GAUGE ? "" : "_total", (double)value, g);
		/* OpenMetrics asks for the creation time of counters. */
		if (s->type == TYPE_COUNTER && p->open)
			put_value_of(p, s, "_created", g->created, g);
	}
}

/* Buckets by powers of 4 up to 2^30, from the engine's powers of 2. */
static void put_histogram(const struct page *p, const char *name, const struct aggregate *g,
			  const uint64_t sizes[NIO_SIZES], uint64_t bytes)
{
	uint64_t all = 0, sum = 0;
	char bound[32];

	for (size_t i = 0; i < NIO_SIZES; i++)
		all += sizes[i];
	for (size_t i = 0; all && i < NIO_SIZES; i++) {
		sum += sizes[i];
		/* Bucket i holds sizes up to 2^(i + 1), as sizes_up_to of struct attach_filter. */
		if (i % 2 == 0 || i > 29)
			continue;
		snprintf(bound, sizeof(bound), "%" PRIu64, (uint64_t)1 << (i + 1));
		put_sample(p, name, "_bucket", (double)sum, LABELS_OF(g), "le", bound,
			   END_OF_LABELS);
	}
	if (!all)
		return;
	put_sample(p, name, "_bucket", (double)all, LABELS_OF(g), "le", "+Inf", END_OF_LABELS);
	/* Sampled calls are never scaled up to bytes. OpenMetrics has a count only beside a sum. */
	if (!g->unwatched)
		put_sample(p, name, "_sum", (double)bytes, LABELS_OF(g), END_OF_LABELS);
	if (!p->open || !g->unwatched)
		put_sample(p, name, "_count", (double)all, LABELS_OF(g), END_OF_LABELS);
}

static void put_sizes(const struct page *p, const struct metrics *m)
{
	if (m->no_histograms)
		return;
	put_family(p, "send_size_bytes", TYPE_HISTOGRAM,
		   "Bytes per send call, without sendfile and splice. Where events are sampled, "
		   "each call seen counts for the "
		   "time of its window.");
	for_each_group(g, m)
		put_histogram(p, "send_size_bytes", g, g->out.tx_sizes, g->out.tx_sizes_sum);
	put_family(p, "receive_size_bytes", TYPE_HISTOGRAM, "Bytes per receive copy, likewise.");
	for_each_group(g, m)
		put_histogram(p, "receive_size_bytes", g, g->out.rx_sizes, g->out.rx_sizes_sum);
}

static void put_run_times(const struct page *p, const struct metrics *m)
{
	if (m->run_times_unknown)
		return;
	put_family(p, "probe_run_seconds", TYPE_COUNTER,
		   "Time that the BPF programs of a probe ran, as the kernel counts it.");
	for (size_t i = 0; i < PROBE_NR; i++) {
		if (!m->run_ns[i].known)
			continue;
		put_sample(p, "probe_run_seconds", "_total", (double)m->run_ns[i].value / 1e9,
			   "probe", plan_probes[i].name, END_OF_LABELS);
		if (p->open)
			put_sample(p, "probe_run_seconds", "_created", p->started, "probe",
				   plan_probes[i].name, END_OF_LABELS);
	}
}

/* Does a group have sizes without a sum? */
static bool lacks_sums(const struct metrics *m)
{
	for_each_group(g, m)
		if (!m->no_histograms && g->unwatched &&
		    (g->out.tx_sizes_sum || g->out.rx_sizes_sum))
			return true;
	return false;
}

static void put_unmeasured(const struct page *p, const char *stage, const char *reason)
{
	put_sample(p, "stage_unmeasured", "_info", 1, "stage", stage, "reason", reason,
		   END_OF_LABELS);
}

static void put_all_unmeasured(const struct page *p, const struct metrics *m)
{
	put_family(p, "stage_unmeasured", TYPE_INFO,
		   "Stages and metrics that are not measured, and why.");
	for (size_t i = 0; i < m->plan_nr; i++)
		if (!m->plan[i].hook)
			put_unmeasured(p, m->plan[i].probe,
				       m->plan[i].reason ? m->plan[i].reason : "");
	put_unmeasured(p, "cpu_sampled_seconds", "the exporter takes no samples of CPU time");
	put_unmeasured(p, "sends_splice",
		       "sendfile and splice send in pieces, and no hook sees their calls");
	put_unmeasured(p, "zerocopy_completion_seconds", "completions are counted, not timed");
	if (m->run_times_unknown)
		put_unmeasured(p, "probe_run_seconds", m->run_times_unknown);
	if (lacks_sums(m))
		put_unmeasured(p, "size_bytes_sum",
			       "of groups with connections whose calls were not watched all the "
			       "time; --count-calls watches them all");
}

static void put_probes(const struct page *p, const struct metrics *m)
{
	put_family(p, "probe", TYPE_INFO, "Hooks in use.");
	for (size_t i = 0; i < m->plan_nr; i++)
		if (m->plan[i].hook)
			put_sample(p, "probe", "_info", 1, "probe", m->plan[i].probe, "hook",
				   m->plan[i].hook, "backend",
				   m->plan[i].backend ? m->plan[i].backend : "", END_OF_LABELS);
	put_run_times(p, m);
	put_all_unmeasured(p, m);
}

/* A family of one sample. */
static void put_one(const struct page *p, const char *name, enum type type, const char *help,
		    double value)
{
	put_family(p, name, type, help);
	put_sample(p, name, type == TYPE_COUNTER ? "_total" : "", value, END_OF_LABELS);
}

static void put_health(const struct page *p, const struct metrics *m)
{
	if (m->missed.known)
		put_one(p, "events_missed", TYPE_COUNTER,
			"Runs of BPF programs that the kernel refused or skipped.",
			(double)m->missed.value);
	put_one(p, "sockets_left_out", TYPE_COUNTER,
		"Sockets in no group (--max-sockets, or no program saw their end), and "
		"connections whose earlier bytes are not counted.",
		(double)m->left_out);
	put_one(p, "tcp_connections_without_group", TYPE_GAUGE,
		"Open connections in no group yet: their process, or the name of their new "
		"container, is not known.",
		(double)m->groups->held);
	put_one(p, "groups_folded", TYPE_COUNTER,
		"Groups that found no place and count for the group other (--groups).",
		(double)m->groups->refused.total);
	put_one(p, "sockets_folded", TYPE_COUNTER, "Closed connections of folded groups.",
		(double)m->groups->folded_sockets);
	put_one(p, "snapshot_timestamp_seconds", TYPE_GAUGE,
		"When the sockets were last read, in seconds since 1970.", m->snapshot);
	put_one(p, "snapshot_interval_seconds", TYPE_GAUGE,
		"How often the sockets are read (--interval).", m->interval_s);
	put_one(p, "snapshot_duration_seconds", TYPE_GAUGE, "How long that took.", m->snapshot_s);
}

enum page_format page_format__of_accept(const char *accept)
{
	double open = accept__weight(accept, "application/openmetrics-text");

	return open > 0 && open >= accept__weight(accept, "text/plain") ? PAGE_OPENMETRICS
									: PAGE_PROMETHEUS;
}

void metrics_page__write(FILE *f, enum page_format format, const struct metrics *m)
{
	struct page p = {.f = f, .open = format == PAGE_OPENMETRICS, .started = m->started};

	put_family(&p, "build", TYPE_INFO, "Version of the exporter and of the kernel.");
	put_sample(&p, "build", "_info", 1, "version", NETIOTRACE_VERSION, "backend", m->backend,
		   "kernel", m->kernel, END_OF_LABELS);
	for (size_t i = 0; i < sizeof(all_series) / sizeof(all_series[0]); i++)
		put_series(&p, m, &all_series[i]);
	put_sizes(&p, m);
	put_probes(&p, m);
	put_health(&p, m);
	if (p.open)
		fputs("# EOF\n", f);
}

#define STARTTIME_FIELD 22 /* proc_pid_stat(5), in clock ticks since boot */

static void put(FILE *f, bool open, const char *name, bool counter, const char *help, double value)
{
	const char *suffix = counter ? "_total" : "";

	/* OpenMetrics names the family of a counter without its suffix. */
	fprintf(f, "# HELP %s%s %s\n# TYPE %s%s %s\n%s%s %.17g\n", name, open ? "" : suffix, help,
		name, open ? "" : suffix, counter ? "counter" : "gauge", name, suffix, value);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Fields are counted from 3, after the name, which may contain spaces and parentheses. */
static bool read_start(double *since_epoch)
{
	unsigned long long ticks;
	char line[1024], *rest;
	int n = 2;

	if (read_file__line("/proc/self/stat", line, sizeof(line)))
		return false;
	rest = strrchr(line, ')');
	while (rest && n < STARTTIME_FIELD && (rest = strchr(rest + 1, ' ')))
		n++;
	if (!rest || sscanf(rest, "%llu", &ticks) != 1)
		return false;
	*since_epoch = now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME) +
		       (double)ticks / (double)sysconf(_SC_CLK_TCK);
	return true;
}

static size_t count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	/* ".", ".." and the directory itself. */
	return nr > 3 ? nr - 3 : 0;
}

void process_metrics__write(FILE *f, bool open)
{
	unsigned long pages, resident;
	struct rlimit limit;
	struct rusage used;
	double start;
	char line[128];
	size_t fds = count_fds();

	if (!getrusage(RUSAGE_SELF, &used))
		put(f, open, "process_cpu_seconds", true,
		    "User and system CPU time of the exporter, in seconds.",
		    seconds(used.ru_utime) + seconds(used.ru_stime));
	if (read_start(&start))
		put(f, open, "process_start_time_seconds", false,
		    "Start of the exporter, in seconds since 1970.", start);
	if (!read_file__line("/proc/self/statm", line, sizeof(line)) &&
	    sscanf(line, "%lu %lu", &pages, &resident) == 2) {
		put(f, open, "process_virtual_memory_bytes", false,
		    "Virtual memory of the exporter.",
		    (double)pages * (double)sysconf(_SC_PAGESIZE));
		put(f, open, "process_resident_memory_bytes", false,
		    "Resident memory of the exporter.",
		    (double)resident * (double)sysconf(_SC_PAGESIZE));
	}
	if (fds)
		put(f, open, "process_open_fds", false, "Open file descriptors.", (double)fds);
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		put(f, open, "process_max_fds", false, "Limit of open file descriptors.",
		    (double)limit.rlim_cur);
}

static double weight_of(const char *entry, size_t len)
{
	const char *q = memmem(entry, len, ";q=", 3);

	if (!q)
		q = memmem(entry, len, "; q=", 4);
	return q ? strtod(strchr(q, '=') + 1, NULL) : 1;
}

static bool names(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(entry, name, len) && (!entry[len] || strchr(" ;,", entry[len]));
}

double accept__weight(const char *header, const char *name)
{
	double weight, best = 0;
	size_t len;

	for (; header && *header; header += len + (header[len] == ',')) {
		header += strspn(header, " ");
		len = strcspn(header, ",");
		weight = names(header, name) ? weight_of(header, len) : 0;
		if (weight > best)
			best = weight;
	}
	return best;
}
