/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of the load generator's protocol: decoded or refused. The first byte is the side. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "load/driver.h"

static void decode_lines(const uint8_t *data, size_t size, enum nio_side side)
{
	struct load_report report = {0};
	enum driver_event event;

	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;
		uint8_t *line = fuzz__bytes(data, len);

		event = DRIVER_NOTHING;
		if (driver__decode((const char *)line, len, side, &report, &event))
			FUZZ_CHECK(report.message[0] && !strchr(report.message, '\n'));
		free(line);
		len += end ? 1 : 0;
		data += len;
		size -= len;
	}
	load_report__clear(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	decode_lines(data + 1, size - 1, *data == 'r' ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER);
	return 0;
}
