// SPDX-License-Identifier: GPL-2.0-only
/* Memory allocation that ends the program if there is no memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "support/test.h"

/* AddressSanitizer would end the program itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static int cleaned_fd;

static void clean_up(void)
{
	if (write(cleaned_fd, "cleaned", 7) != 7)
		_exit(9);
}

TEST(xgrow_keeps_all_elements)
{
	int *list = NULL;

	for (int i = 0; i < 1000; i++) {
		list = xgrow(list, i, sizeof(*list));
		list[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	free(list);
}

TEST(formatted_text_may_be_empty)
{
	char *empty = xasprintf("%s", ""), *one = xasprintf("%d", 7);

	assert_string_equal(empty, "");
	assert_string_equal(one, "7");
	free(empty);
	free(one);
}

/* Exit handlers run, to remove temporary files. */
TEST(failed_allocation_exits_1_after_the_exit_handlers)
{
	char said[64] = {0};
	int out[2], status;
	pid_t child;

	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0) {
		dup2(out[1], STDERR_FILENO);
		cleaned_fd = out[1];
		atexit(clean_up);
		free(xreallocarray(NULL, SIZE_MAX / 2, 4));
		_exit(0);
	}
	close(out[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	for (size_t len = 0; len < sizeof(said) - 1;) {
		ssize_t n = read(out[0], said + len, sizeof(said) - 1 - len);

		if (n <= 0)
			break;
		len += n;
	}
	close(out[0]);
	assert_non_null(strstr(said, "out of memory\n"));
	assert_non_null(strstr(said, "cleaned"));
}
