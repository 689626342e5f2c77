/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDRESS:PORT of both programs: an accepted address is written back as it was read. */
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "fuzz.h"
#include "loadgen/lg_options.h"

static void check_address(const char *text)
{
	struct address a, again;
	char buf[ADDRESS_TEXT_MAX];

	if (address__parse(text, true, &a))
		return;
	FUZZ_CHECK(a.host[0] && a.port <= 65535);
	address__format(buf, sizeof(buf), a.host, a.port);
	FUZZ_CHECK(!address__parse(buf, true, &again));
	FUZZ_CHECK(!strcmp(a.host, again.host) && a.port == again.port);
}

static void check_endpoint(const char *text)
{
	struct endpoint e = {0};

	if (!endpoint__parse(text, &e))
		FUZZ_CHECK(e.len && e.len <= sizeof(e.addr));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size);

	check_address(text);
	check_endpoint(text);
	free(text);
	return 0;
}
