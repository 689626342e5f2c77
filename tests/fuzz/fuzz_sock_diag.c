/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message of a sock_diag dump, by its payload: messages are libmnl's to tell apart. The source is
 * taken in whole, for its static functions.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "host/sock_diag.c"

static void take_socket(void *arg, const struct nio_socket *socket)
{
	(void)socket;
	(*(size_t *)arg)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Messages are padded. */
	uint8_t *buf = calloc(1, MNL_NLMSG_HDRLEN + MNL_ALIGN(size));
	struct nlmsghdr *nlh;
	size_t taken = 0;
	struct visitor v = {.take = take_socket, .arg = &taken};

	FUZZ_CHECK(buf);
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_len = (uint32_t)(MNL_NLMSG_HDRLEN + size);
	if (size)
		memcpy(mnl_nlmsg_get_payload(nlh), data, size);
	FUZZ_CHECK(take_message(nlh, &v) == MNL_CB_OK && taken <= 1);
	free(buf);
	return 0;
}
