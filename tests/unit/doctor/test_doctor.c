/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What doctor makes of invented machines: each check fine and not, stages from invented plans, the
 * text as golden files, and docs/OUTPUT.md against the document. Run from the root of the source
 * tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>

#include "doctor/diagnosis.h"

/* A test is linked with the programs' code alone: helpers are included. */
#include "support/full_result.h"
#include "support/golden.c"

/* A machine on which all is well. */
static void healthy(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	full_environment__fill(&f->env);
	f->env.device_tx_checksum.value = true;
	f->env.taps = (struct taps){.known = true};
	f->btf_size = known(5515646);
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		f->held[i] = true;
	f->root = f->loaded = true;
	strcpy(f->clocksources, "tsc hpet acpi_pm");
	f->clock_ns = (struct real){.value = 21, .known = true};
	f->unprivileged_bpf_disabled = known(2);
	f->bpf_jit_enable = known(1);
	f->perf_event_paranoid = (struct real){.value = 2, .known = true};
	f->path = "loopback";
	f->path_step = "";
}

static void drop(struct facts *f, unsigned int capability)
{
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		if (doctor_capabilities[i].number == capability)
			f->held[i] = false;
}

/* The check of that name (the last, if there are several). */
static const struct check *check(const struct facts *f, const char *name)
{
	static struct check checks[CHECKS_MAX];
	const struct check *found = NULL;
	size_t n = doctor__check(f, checks);

	assert_in_range(n, 1, CHECKS_MAX);
	for (size_t i = 0; i < n; i++) {
		/* What is not fine has a way out, or says why it is not known. */
		assert_true(checks[i].value[0]);
		assert_true(checks[i].state == CHECK_OK || checks[i].remedy[0] ||
			    (checks[i].state == CHECK_UNKNOWN && checks[i].means[0]));
		assert_true(checks[i].state != CHECK_OK || !checks[i].remedy[0]);
		if (!strcmp(checks[i].name, name))
			found = &checks[i];
	}
	if (!found)
		fail_msg("there is no check %s", name);
	return found;
}

static void check_is(const struct facts *f, const char *name, enum check_state state)
{
	assert_string_equal(check_state__key(check(f, name)->state), check_state__key(state));
}

static void all_is_well_but_for_local_delivery(void **state)
{
	struct check checks[CHECKS_MAX];
	struct facts f;
	size_t n;

	(void)state;
	healthy(&f);
	n = doctor__check(&f, checks);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(checks[i].state,
				 strcmp(checks[i].name, "delivery") ? CHECK_OK : CHECK_LIMITED);
}

static void a_kernel_that_preempts_is_a_limit_for_events(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	f.env.machine.preemption = "lazy";
	check_is(&f, "preemption", CHECK_LIMITED);
	assert_non_null(strstr(check(&f, "preemption")->means, "bytes are exact"));
	assert_non_null(strstr(check(&f, "preemption")->remedy, "--backend kprobe"));
	f.env.machine.preemption = NULL;
	check_is(&f, "preemption", CHECK_UNKNOWN);
}

/* No /proc, no /sys, no path: everything is unknown or missing, nothing is made up. */
static void nothing_readable_is_nothing_known(void **state)
{
	struct facts f = {.path = "loopback", .path_step = "read device lo", .path_err = -ENODEV};
	static const char *const names[] = {
		"lockdown",   "bpf_jit", "clocksource", "unprivileged_bpf", "perf_event_paranoid",
		"optmem_max", "memlock", "device"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_is(&f, names[i], CHECK_UNKNOWN);
	check_is(&f, "btf", CHECK_MISSING);
	check_is(&f, "CAP_BPF", CHECK_MISSING);
}

static void kernel_checks(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	f.btf_size = (struct num){.reason = "none"};
	check_is(&f, "btf", CHECK_MISSING);
	strcpy(f.env.lockdown, "integrity");
	check_is(&f, "lockdown", CHECK_OK);
	strcpy(f.env.lockdown, "confidentiality");
	check_is(&f, "lockdown", CHECK_MISSING);
	f.bpf_jit_enable.value = 0;
	check_is(&f, "bpf_jit", CHECK_LIMITED);
}

static void expensive_clocks(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	strcpy(f.env.clocksource, "hpet");
	check_is(&f, "clocksource", CHECK_OK); /* what it costs counts, not what it is called */
	f.clock_ns.value = 900;
	check_is(&f, "clocksource", CHECK_LIMITED);
	assert_non_null(strstr(check(&f, "clocksource")->value, "hpet, 900 ns"));
	assert_non_null(strstr(check(&f, "clocksource")->remedy, "clocksource=tsc"));
	strcpy(f.clocksources, "hpet acpi_pm");
	assert_non_null(strstr(check(&f, "clocksource")->remedy, "no cheaper one"));
}

static void capabilities(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	drop(&f, CAP_BPF);
	check_is(&f, "CAP_BPF", CHECK_OK);
	assert_non_null(strstr(check(&f, "CAP_BPF")->value, "CAP_SYS_ADMIN stands in"));
	drop(&f, CAP_SYS_ADMIN);
	check_is(&f, "CAP_BPF", CHECK_MISSING);
	check_is(&f, "CAP_PERFMON", CHECK_OK);
	check_is(&f, "CAP_SYS_ADMIN", CHECK_LIMITED);
	assert_non_null(strstr(check(&f, "CAP_BPF")->remedy, "this root is without it"));
	f.root = false;
	assert_non_null(strstr(check(&f, "CAP_BPF")->remedy, "sudo"));
	drop(&f, CAP_SYS_RESOURCE);
	check_is(&f, "CAP_SYS_RESOURCE", CHECK_OK); /* it was not needed */
	f.loaded = false;
	check_is(&f, "CAP_SYS_RESOURCE", CHECK_LIMITED);
}

static void paranoia_matters_without_privileges_only(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	f.perf_event_paranoid.value = 4;
	check_is(&f, "perf_event_paranoid", CHECK_OK);
	memset(f.held, 0, sizeof(f.held));
	check_is(&f, "perf_event_paranoid", CHECK_LIMITED);
	f.perf_event_paranoid.value = -1;
	check_is(&f, "perf_event_paranoid", CHECK_OK);
	assert_string_equal(check(&f, "perf_event_paranoid")->value, "-1");
}

static void limits(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	f.env.optmem_max = known(20480); /* Linux 5.10 */
	check_is(&f, "optmem_max", CHECK_LIMITED);
	f.env.memlock = known(65536);
	check_is(&f, "memlock", CHECK_LIMITED);
	f.env.memlock = known(UINT64_MAX);
	assert_string_equal(check(&f, "memlock")->value, "unlimited");
}

static void device(void **state)
{
	struct facts f;

	(void)state;
	healthy(&f);
	f.env.device_scatter_gather.value = false;
	check_is(&f, "scatter_gather", CHECK_LIMITED);
	assert_non_null(strstr(check(&f, "scatter_gather")->remedy, "ethtool -K lo sg on"));
	f.env.device_tx_checksum = (struct flag){.reason = "could not be asked"};
	check_is(&f, "tx_checksum", CHECK_UNKNOWN);
	f.path_err = -EPERM;
	f.path_step = "create a network namespace";
	f.path = "veth";
	f.root = false;
	check_is(&f, "device", CHECK_UNKNOWN);
	assert_non_null(strstr(check(&f, "device")->means, "create a network namespace"));
	assert_non_null(strstr(check(&f, "device")->remedy, "sudo"));
}

static void taps(void **state)
{
	struct facts f;
	struct tap *t;

	(void)state;
	healthy(&f);
	t = &f.env.taps.list[0];
	f.env.taps.nr = 1;
	*t = (struct tap){.device = "lo", .process = "lldpd", .inode = 7, .function = "packet_rcv"};
	t->pid = known(99);
	check_is(&f, "packet_tap", CHECK_LIMITED);
	assert_string_equal(check(&f, "packet_tap")->value, "lo (lldpd, pid 99), packet_rcv");
	assert_non_null(strstr(check(&f, "packet_tap")->remedy, "end lldpd (pid 99)"));
	t->pid = (struct num){.reason = "only root can see which process holds it"};
	assert_non_null(strstr(check(&f, "packet_tap")->remedy, "only root can see"));
	*t = (struct tap){.device = "lo", .function = "other_recv"};
	assert_non_null(strstr(check(&f, "packet_tap")->remedy, "other_recv"));
	f.env.taps = (struct taps){.reason = "no path was made"};
	check_is(&f, "packet_tap", CHECK_UNKNOWN);
}

/* More taps than there is room for do not write past the list. */
static void checks_have_an_end(void **state)
{
	struct check checks[CHECKS_MAX + 1];
	struct facts f;

	(void)state;
	healthy(&f);
	memset(&checks[CHECKS_MAX], 0x5a, sizeof(checks[0]));
	f.env.taps.nr = TAPS_MAX;
	for (int i = 0; i < TAPS_MAX; i++)
		f.env.taps.list[i] = (struct tap){.inode = 1, .pid = {.reason = "hidden"}};
	assert_in_range(doctor__check(&f, checks), TAPS_MAX, CHECKS_MAX);
	for (size_t i = 0; i < sizeof(checks[0]); i++)
		assert_int_equal(((unsigned char *)&checks[CHECKS_MAX])[i], 0x5a);
}

/* ---- stages ---- */

static const struct plan_row rows[] = {
	{.probe = "send_return",
	 .stage = "tx_copy, tx_pin",
	 .backend = "tracepoint",
	 .hook = "tp_btf/sock_send_length",
	 .quality = QUALITY_EXACT,
	 .modes = 1 << MODE_ZEROCOPY},
	{.probe = "transmit",
	 .stage = "tx_copy",
	 .backend = "tracepoint",
	 .hook = "tp_btf/net_dev_queue",
	 .quality = QUALITY_EXACT,
	 .modes = 1 << MODE_TWOCOPY | 1 << MODE_ONECOPY},
	{.probe = "zerocopy_arrival",
	 .stage = "deferred_copy",
	 .reason = "this kernel has no such hook",
	 .remedy = "another kernel"},
	{.probe = "deferred",
	 .stage = "deferred_copy",
	 .backend = "tracepoint",
	 .hook = "tp_btf/netif_receive_skb",
	 .quality = QUALITY_DERIVED,
	 .reason = "no tracepoint"},
	{.probe = "other_copy", .stage = "other_copy", .reason = "nothing", .remedy = "a kernel"},
	{.probe = "lock", .stage = "lock wait", .reason = "nothing to hook"},
};
#define ROWS_NR (sizeof(rows) / sizeof(rows[0]))

static const struct stage_line *line(const struct stage_line *lines, size_t n, const char *stage,
				     unsigned int expected)
{
	const struct stage_line *found = NULL;
	unsigned int seen = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(lines[i].stage, stage))
			continue;
		found = found ? found : &lines[i];
		seen++;
	}
	assert_int_equal(seen, expected);
	return found;
}

static void stages_from_rows(void **state)
{
	struct stage_line lines[STAGE_LINES_MAX];
	struct offer *offers = calloc(plan_alternatives_nr, sizeof(*offers));
	size_t n = doctor__stages(rows, ROWS_NR, offers, lines);
	const struct stage_line *l;

	(void)state;
	assert_in_range(n, 1, STAGE_LINES_MAX);
	assert_string_equal(lines[0].stage, "user_gather");
	l = line(lines, n, "tx_copy", 2);
	assert_int_equal(l->modes, 1 << MODE_ZEROCOPY);
	line(lines, n, "tx_pin", 1);
	/* A probe that has a hook hides its fellow that has none. */
	l = line(lines, n, "deferred_copy", 1);
	assert_string_equal(l->hook, "tp_btf/netif_receive_skb");
	l = line(lines, n, "other_copy", 1);
	assert_int_equal(l->quality, QUALITY_UNAVAILABLE);
	assert_string_equal(l->remedy, "a kernel");
	l = line(lines, n, "lock wait", 1);
	assert_string_equal(l->reason, "nothing to hook");
	line(lines, n, "rx_copy", 0); /* no row says anything of it */
	line(lines, n, "send_call", 1);
	free(offers);
}

static void stages_nobody_tried(void **state)
{
	struct stage_line lines[STAGE_LINES_MAX];
	size_t n = doctor__stages(rows, ROWS_NR, NULL, lines);

	(void)state;
	assert_non_null(strstr(line(lines, n, "other_copy", 1)->remedy, "sudo"));
}

/* Every row feeds every stage: there is room for that. */
static void stages_have_room(void **state)
{
	struct stage_line *lines = calloc(STAGE_LINES_MAX, sizeof(*lines));
	struct plan_row all[PLAN_ROWS_MAX];

	(void)state;
	for (int i = 0; i < PLAN_ROWS_MAX; i++)
		all[i] = (struct plan_row){
			.stage = "tx_copy, tx_pin, tx_splice, deferred_copy, rx_copy, other_copy",
			.backend = "kprobe",
			.hook = "kprobe/x"};
	assert_in_range(doctor__stages(all, PLAN_ROWS_MAX, NULL, lines), 1, STAGE_LINES_MAX);
	free(lines);
}

/* ---- written forms ---- */

static void diagnosis__fill(struct diagnosis *d)
{
	memset(d, 0, sizeof(*d));
	healthy(&d->facts);
	drop(&d->facts, CAP_SYS_PTRACE);
	full_environment__fill(&d->facts.env);
	d->facts.env.optmem_max = known(20480);
	d->checks_nr = doctor__check(&d->facts, d->checks);
	memcpy(d->rows, rows, sizeof(rows));
	d->rows_nr = ROWS_NR;
	d->offers = calloc(plan_alternatives_nr, sizeof(*d->offers));
	d->tried = d->usable = true;
	d->stages_nr = doctor__stages(d->rows, d->rows_nr, d->offers, d->stages);
}

static void check_widths(const char *text, size_t width)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > width)
			fail_msg("wider than %zu: %.*s", width, (int)len, text);
		assert_true(!len || text[len - 1] != ' ');
		text += len + (text[len] == '\n');
	}
}

static void text_form(void **state)
{
	static const unsigned int widths[] = {80, 100};
	struct options o = {.traffic = {.size = 65536}, .backend = BACKEND_AUTO};
	struct diagnosis *d = calloc(1, sizeof(*d));
	char name[32], *text;
	size_t len;
	FILE *f;

	(void)state;
	diagnosis__fill(d);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		f = open_memstream(&text, &len);
		doctor__print(f, widths[i], d, &o, NULL);
		fclose(f);
		check_widths(text, widths[i]);
		snprintf(name, sizeof(name), "doctor-%u", widths[i]);
		golden__check(name, text);
		free(text);
	}
	free(d->offers);
	free(d);
}

#define DOCUMENTATION_MAX (1 << 20)

static char *read_documentation(void)
{
	char *text = calloc(1, DOCUMENTATION_MAX);
	FILE *f = fopen("docs/OUTPUT.md", "r");

	size_t len = f && text ? fread(text, 1, DOCUMENTATION_MAX, f) : 0;

	if (!len || len == DOCUMENTATION_MAX)
		fail_msg("docs/OUTPUT.md: %s: run this test from the root of the source tree",
			 strerror(errno));
	if (f)
		fclose(f);
	return text;
}

/* Is key a row of the table? Counts it when it is. */
static void check_documented(const char *section, const char *key, unsigned int *rows_seen)
{
	char row[300];

	snprintf(row, sizeof(row), "\n| `%s` |", key);
	if (!strstr(section, row))
		fail_msg("docs/OUTPUT.md does not describe %s of doctor's document", key);
	++*rows_seen;
}

static void check_members(const char *section, json_t *object, const char *prefix,
			  unsigned int *rows_seen)
{
	char path[256];
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		if (!*prefix && (!strcmp(key, "environment") || !strcmp(key, "plan")))
			continue; /* described with the result document */
		snprintf(path, sizeof(path), "%s%s", prefix, key);
		if (json_is_array(value)) {
			snprintf(path, sizeof(path), "%.64s[].", key);
			check_members(section, json_array_get(value, 0), path, rows_seen);
		} else {
			check_documented(section, path, rows_seen);
		}
	}
}

static unsigned int rows_of(const char *section)
{
	unsigned int n = 0;

	for (const char *p = section; (p = strstr(p, "\n| `")); p++)
		n++;
	return n;
}

static void documentation_is_complete_and_true(void **state)
{
	struct diagnosis *d = calloc(1, sizeof(*d));
	char *text = read_documentation(), *section;
	unsigned int seen = 0;
	json_t *document;

	(void)state;
	section = strstr(text, "\n## What doctor writes");
	assert_non_null(section);
	diagnosis__fill(d);
	document = doctor__document(d);
	check_members(section, document, "", &seen);
	/* Each key once: as many rows as keys means no row without one. */
	assert_int_equal(rows_of(section), seen);
	for (int s = 0; s <= CHECK_UNKNOWN; s++)
		assert_non_null(strstr(section, check_state__key((enum check_state)s)));
	json_decref(document);
	free(d->offers);
	free(d);
	free(text);
}

static void nothing_tried_is_not_unusable(void **state)
{
	struct diagnosis *d = calloc(1, sizeof(*d));
	json_t *document;

	(void)state;
	diagnosis__fill(d);
	d->tried = false;
	document = doctor__document(d);
	assert_true(json_is_null(json_object_get(document, "usable")));
	assert_true(json_string_length(json_object_get(document, "usable_reason")) > 0);
	json_decref(document);
	free(d->offers);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well_but_for_local_delivery),
		cmocka_unit_test(nothing_readable_is_nothing_known),
		cmocka_unit_test(a_kernel_that_preempts_is_a_limit_for_events),
		cmocka_unit_test(kernel_checks),
		cmocka_unit_test(expensive_clocks),
		cmocka_unit_test(capabilities),
		cmocka_unit_test(paranoia_matters_without_privileges_only),
		cmocka_unit_test(limits),
		cmocka_unit_test(device),
		cmocka_unit_test(taps),
		cmocka_unit_test(checks_have_an_end),
		cmocka_unit_test(stages_from_rows),
		cmocka_unit_test(stages_nobody_tried),
		cmocka_unit_test(stages_have_room),
		cmocka_unit_test(text_form),
		cmocka_unit_test(documentation_is_complete_and_true),
		cmocka_unit_test(nothing_tried_is_not_unusable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
