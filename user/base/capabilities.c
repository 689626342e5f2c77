/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the table of capabilities; see capabilities.h. */
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capabilities.h"
#include "log.h"

#define BIT(number) (1ULL << (number))

static const struct capability_row rows[] = {
#define ROW(command, moment, capability, reason) \
	{CAPABILITY_OF_##command, CAPABILITY_##moment, CAP_##capability, #capability, reason},
	CAPABILITY_ROWS(ROW)
#undef ROW
};

#define ROWS_NR (sizeof(rows) / sizeof(rows[0]))

const struct capability_row *capabilities__rows(size_t *nr)
{
	*nr = ROWS_NR;
	return rows;
}

uint64_t capabilities__needed(enum capability_command command, enum capability_moment moment)
{
	uint64_t set = 0;

	for (size_t i = 0; i < ROWS_NR; i++)
		if (rows[i].command == command && rows[i].moment == moment)
			set |= BIT(rows[i].number);
	return set;
}

/* The effective set before capabilities__lower(). */
static uint64_t before;
static bool is_lowered;

struct sets {
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

static int read_sets(struct sets *s)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capget, &head, s->words) ? -errno : 0;
}

static int set_effective(struct sets *s, uint64_t set)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

	s->words[0].effective = (uint32_t)set;
	s->words[1].effective = (uint32_t)(set >> 32);
	return syscall(SYS_capset, &head, s->words) ? -errno : 0;
}

void capabilities__lower(enum capability_command command)
{
	const uint64_t tracing = BIT(CAP_BPF) | BIT(CAP_PERFMON);
	uint64_t kept = capabilities__needed(command, CAPABILITY_WATCHING);
	struct sets s;
	int err;

	if (is_lowered)
		return;
	err = read_sets(&s);
	if (!err) {
		before = s.words[0].effective | (uint64_t)s.words[1].effective << 32;
		if ((before & tracing) != tracing)
			kept |= BIT(CAP_SYS_ADMIN);
		err = set_effective(&s, before & kept);
	}
	is_lowered = !err;
	if (err)
		log_info("all capabilities stay effective: %s.", strerror(-err));
}

void capabilities__raise(void)
{
	struct sets s;

	if (is_lowered && !read_sets(&s))
		is_lowered = set_effective(&s, before) != 0;
}
