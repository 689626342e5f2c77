/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of --control: a known command, or a printable message about an unknown one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "loadgen/control_loop.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH_MAX];
	int fd = fuzz__file(data, size, path);
	enum control_stdin_command command;
	struct control_stdin c = {.fd = fd};

	/* A file never blocks: each call returns a line or a part of one, or the end. */
	for (size_t i = 0; i <= 2 * size + 2; i++) {
		command = control_stdin__next(&c);
		if (command == CONTROL_STDIN_EOF)
			break;
		if (command == CONTROL_STDIN_HALF)
			FUZZ_CHECK(c.have == c.text_len && c.text_len <= HALF_MAX);
		if (command == CONTROL_STDIN_UNKNOWN)
			for (const char *p = c.line; *p; p++)
				FUZZ_CHECK((unsigned char)*p >= ' ');
	}
	FUZZ_CHECK(command == CONTROL_STDIN_EOF);
	free(c.text);
	close(fd);
	return 0;
}
