/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the signs of the preemption model; see preempt.h. */
#include "preempt.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "base/procfile.h"
#include "model/preemption.h"

/* Read only where debugfs is mounted already. */
#define DEBUGFS "/sys/kernel/debug/sched/preempt"

/* Copies the first preemption option that the file sets to y; leaves option as it is if none. */
static void find_option(const char *path, char *option, size_t len)
{
	static const char prefix[] = "CONFIG_PREEMPT";
	static const char *const options[] = {"", "_NONE", "_VOLUNTARY", "_LAZY"};
	gzFile f = gzopen(path, "re"); /* also reads uncompressed files */
	char line[256], wanted[64];

	while (f && !option[0] && gzgets(f, line, sizeof(line))) {
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
			snprintf(wanted, sizeof(wanted), "%s%s=y\n", prefix, options[i]);
			if (!strcmp(line, wanted))
				snprintf(option, len, "%s%s", prefix, options[i]);
		}
	}
	if (f)
		gzclose(f);
}

static void read_option(const char *release, char *option, size_t len)
{
	char path[128];

	option[0] = '\0';
	find_option("/proc/config.gz", option, len);
	if (option[0])
		return;
	snprintf(path, sizeof(path), "/boot/config-%s", release);
	find_option(path, option, len);
}

const char *preempt__read(void)
{
	char debugfs[64], cmdline[4096], option[64];
	struct preemption_signs signs = {0};
	struct utsname name;

	if (!procfile__line(DEBUGFS, debugfs, sizeof(debugfs)))
		signs.debugfs = debugfs;
	if (!procfile__line("/proc/cmdline", cmdline, sizeof(cmdline)))
		signs.cmdline = cmdline;
	if (uname(&name))
		return preemption__model(&signs);
	signs.version = name.version;
	read_option(name.release, option, sizeof(option));
	if (option[0])
		signs.config = option;
	return preemption__model(&signs);
}
