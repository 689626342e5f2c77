/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a fuzz target on its corpus as a unit test, in any build: each file once. See fuzz.h. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fuzz.h"

/* The corpus is beside this source file: corpus/NAME, with NAME from .../replay_NAME. */
static const char *corpus_of(const char *program, char *path, size_t len)
{
	const char *slash = strrchr(__FILE__, '/'), *name = strstr(program, "replay_");

	assert_non_null(name);
	snprintf(path, len, "%.*s/corpus/%s", (int)(slash - __FILE__), __FILE__,
		 name + strlen("replay_"));
	return path;
}

static void replay_file(const char *path)
{
	FILE *f = fopen(path, "re");
	uint8_t *data = malloc(1 << 20);
	size_t size;

	if (!f || !data)
		fail_msg("%s cannot be read", path);
	size = fread(data, 1, 1 << 20, f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static void replay(void **state)
{
	char directory[512], path[1024];
	struct dirent *entry;
	size_t files = 0;
	DIR *dir;

	corpus_of(*state, directory, sizeof(directory));
	dir = opendir(directory);
	if (!dir)
		fail_msg("%s cannot be read", directory);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
			replay_file(path);
			files++;
		}
	closedir(dir);
	assert_true(files > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(replay, argc ? argv[0] : NULL),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
