/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of capabilities: what a lowered process has, by /proc/self/status, and that the table
 * of docs/SECURITY.md, the systemd units and the DaemonSet agree. Run from the root of the source
 * tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capabilities.h"
#include "support/test.h"

#define BIT(number) (1ULL << (number))

static const char *const commands[] = {
#define ROW(constant, words) words,
	CAPABILITY_COMMANDS(ROW)
#undef ROW
};

static const char *const moments[] = {
#define ROW(constant, words) words,
	CAPABILITY_MOMENTS(ROW)
#undef ROW
};

static const char *read_text(const char *path)
{
	static char text[1 << 17];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f) {
		fail_msg("%s: %s: run this test from the root of the source tree", path,
			 strerror(errno));
		return NULL;
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	assert_true(n < sizeof(text) - 1);
	text[n] = '\0';
	fclose(f);
	return text;
}

/* How often a file has a text. */
static int count(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* Fails unless a file has the line, and no other line that begins with start. */
static void assert_only_line(const char *path, const char *start, const char *line)
{
	const char *text = read_text(path);
	char whole[512];

	snprintf(whole, sizeof(whole), "\n%s%s\n", start, line);
	if (!strstr(text, whole))
		fail_msg("%s lacks the line %s%s", path, start, line);
	snprintf(whole, sizeof(whole), "\n%s", start);
	assert_int_equal(count(text, whole), 1);
}

/* The names of a command's rows, each after prefix, with separator between them. */
static void names(char *to, size_t len, enum capability_command command, int last_moment,
		  const char *prefix, const char *separator)
{
	const struct capability_row *rows;
	size_t nr, at = 0;

	rows = capabilities__rows(&nr);
	*to = '\0';
	for (size_t i = 0; i < nr; i++)
		if (rows[i].command == command && (int)rows[i].moment <= last_moment)
			at += (size_t)snprintf(to + at, len - at, "%s%s%s", at ? separator : "",
					       prefix, rows[i].name);
}

TEST(security_md_has_each_row_of_the_table_and_no_other)
{
	const struct capability_row *rows;
	char table[1 << 13] = "\n| command | when | capability | for |\n|---|---|---|---|\n";
	size_t nr;

	rows = capabilities__rows(&nr);
	for (size_t i = 0; i < nr; i++) {
		size_t at = strlen(table);

		snprintf(table + at, sizeof(table) - at, "| %s | %s | CAP_%s | %s |\n",
			 commands[rows[i].command], moments[rows[i].moment], rows[i].name,
			 rows[i].reason);
	}
	strcat(table, "\n");
	if (!strstr(read_text("docs/SECURITY.md"), table))
		fail_msg("docs/SECURITY.md lacks this table:%s", table);
}

TEST(systemd_units_have_the_capabilities_of_the_begin_and_no_other)
{
	static const struct {
		const char *path;
		enum capability_command command;
	} cases[] = {
		{"contrib/systemd/netiotrace-export.service", CAPABILITY_OF_EXPORT},
		{"contrib/systemd/netiotrace-serve.service", CAPABILITY_OF_SERVE},
	};

	for_each_case(c, cases) {
		char list[256];

		names(list, sizeof(list), c->command, CAPABILITY_BEGIN, "CAP_", " ");
		assert_only_line(c->path, "AmbientCapabilities=", list);
		assert_only_line(c->path, "CapabilityBoundingSet=", list);
	}
}

TEST(daemonset_adds_the_capabilities_of_the_begin_as_root_and_no_other)
{
	char list[256], line[300];

	names(list, sizeof(list), CAPABILITY_OF_EXPORT, CAPABILITY_BEGIN_AS_ROOT, "", ", ");
	snprintf(line, sizeof(line), "[%s]", list);
	assert_only_line("packaging/kubernetes/daemonset.yaml", "              add: ", line);
	assert_only_line("packaging/kubernetes/daemonset.yaml", "              drop: ", "[ALL]");
}

/* A set of /proc/self/status. */
static uint64_t set_of(const char *key)
{
	const char *at = strstr(read_text("/proc/self/status"), key);

	return at ? strtoull(at + strlen(key), NULL, 16) : 0;
}

static void set_both(uint64_t permitted, uint64_t effective)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{.permitted = (uint32_t)permitted, .effective = (uint32_t)effective},
		{.permitted = (uint32_t)(permitted >> 32),
		 .effective = (uint32_t)(effective >> 32)},
	};

	assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

/* In a child process: its sets. Only a pipe comes back. */
struct seen {
	uint64_t lowered, permitted, lowered_again, in_child, raised, raised_again;
};

static struct seen lower_with(uint64_t permitted, uint64_t effective,
			      enum capability_command command)
{
	struct seen seen = {0};
	int ends[2], status;

	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		set_both(permitted, effective);
		capabilities__lower(command);
		seen.lowered = set_of("CapEff:");
		seen.permitted = set_of("CapPrm:");
		capabilities__lower(command);
		seen.lowered_again = set_of("CapEff:");
		if (!fork()) {
			capabilities__raise();
			seen.in_child = set_of("CapEff:");
			_exit(write(ends[1], &seen, sizeof(seen)) != sizeof(seen));
		}
		wait(&status);
		if (read(ends[0], &seen, sizeof(seen)) != sizeof(seen))
			_exit(1);
		capabilities__raise();
		seen.raised = set_of("CapEff:");
		capabilities__raise();
		seen.raised_again = set_of("CapEff:");
		_exit(write(ends[1], &seen, sizeof(seen)) != sizeof(seen));
	}
	wait(&status);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &seen, sizeof(seen)), sizeof(seen));
	close(ends[0]);
	close(ends[1]);
	return seen;
}

TEST(lowering_leaves_what_watching_needs_and_raising_restores_the_effective_set)
{
	const uint64_t tracing = BIT(CAP_BPF) | BIT(CAP_PERFMON);
	const uint64_t all = set_of("CapPrm:");
	const struct {
		uint64_t permitted, effective;
		enum capability_command command;
		uint64_t lowered;
	} cases[] = {
		{all, all, CAPABILITY_OF_RUN, tracing | BIT(CAP_SYS_PTRACE) | BIT(CAP_SYS_ADMIN)},
		{all, all, CAPABILITY_OF_ATTACH,
		 tracing | BIT(CAP_SYS_PTRACE) | BIT(CAP_SYS_ADMIN) | BIT(CAP_DAC_READ_SEARCH)},
		{all, all, CAPABILITY_OF_EXPORT, tracing},
		{tracing, tracing, CAPABILITY_OF_ATTACH, tracing},
		/* CAP_SYS_ADMIN replaces what is missing. */
		{all & ~tracing, all & ~tracing, CAPABILITY_OF_EXPORT, BIT(CAP_SYS_ADMIN)},
		{all & ~BIT(CAP_BPF), all & ~BIT(CAP_BPF), CAPABILITY_OF_EXPORT,
		 BIT(CAP_PERFMON) | BIT(CAP_SYS_ADMIN)},
		/* What was not effective does not become so. */
		{all, tracing | BIT(CAP_CHOWN), CAPABILITY_OF_ATTACH, tracing},
		{0, 0, CAPABILITY_OF_ATTACH, 0},
	};

	if ((all & cases[1].lowered) != cases[1].lowered)
		skip(); /* not root */
	for_each_case(c, cases) {
		const struct seen seen = lower_with(c->permitted, c->effective, c->command);

		assert_int_equal(seen.lowered, c->lowered);
		assert_int_equal(seen.permitted, c->permitted);
		assert_int_equal(seen.lowered_again, c->lowered);
		assert_int_equal(seen.in_child, c->effective);
		assert_int_equal(seen.raised, c->effective);
		assert_int_equal(seen.raised_again, c->effective);
	}
}

TEST(raising_what_was_not_lowered_changes_nothing)
{
	const uint64_t all = set_of("CapPrm:");
	int status;

	if (!all)
		skip();
	if (!fork()) {
		set_both(all, BIT(CAP_BPF) & all);
		capabilities__raise();
		_exit(set_of("CapEff:") != (BIT(CAP_BPF) & all));
	}
	wait(&status);
	assert_int_equal(status, 0);
}
