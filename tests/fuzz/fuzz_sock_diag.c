/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payload of one sock_diag message; libnl splits messages. Includes the source for its static
 * functions.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "run/sock_diag.c"

static void count_socket(void *arg, const struct nio_socket *socket)
{
	(void)socket;
	(*(size_t *)arg)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Messages are padded. */
	uint8_t *buf = calloc(1, NLMSG_HDRLEN + NLMSG_ALIGN(size));
	struct nlmsghdr *nlh;
	size_t taken = 0;
	struct visitor v = {.handle = count_socket, .arg = &taken};

	FUZZ_CHECK(buf);
	nlh = (struct nlmsghdr *)buf;
	nlh->nlmsg_len = (uint32_t)(NLMSG_HDRLEN + size);
	if (size)
		memcpy(NLMSG_DATA(nlh), data, size);
	FUZZ_CHECK(parse_message(nlh, &v) == 0 && taken <= 1);
	free(buf);
	return 0;
}
