/* SPDX-License-Identifier: GPL-2.0-only */
/* See fuzz.h. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void fuzz__fail(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

static void *copy(const void *data, size_t size, size_t room)
{
	char *to = malloc(room);

	FUZZ_CHECK(to || !room);
	if (size)
		memcpy(to, data, size);
	return to;
}

char *fuzz__string(const uint8_t *data, size_t size)
{
	size_t len = size ? strnlen((const char *)data, size) : 0;
	char *text = copy(data, len, len + 1);

	text[len] = '\0';
	return text;
}

uint8_t *fuzz__bytes(const uint8_t *data, size_t size)
{
	return copy(data, size, size);
}

char *fuzz__line(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
	size_t len = end ? (size_t)(end - *data) : *size;
	char *line = fuzz__string(*data, len);

	len += end ? 1 : 0;
	*data += len;
	*size -= len;
	return line;
}

int fuzz__file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(!size || write(fd, data, size) == (ssize_t)size);
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	snprintf(path, FUZZ_PATH_MAX, "/proc/self/fd/%d", fd);
	return fd;
}
