/* SPDX-License-Identifier: GPL-2.0-only */
/* --assert of run and attach: parsed or refused; a parsed one is true or has a sentence why not. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "write/assertion.h"

static void check_held(const struct assertion *a)
{
	struct run_result runs[2] = {{.mode = MODE_TWOCOPY}, {.mode = MODE_ZEROCOPY}};
	struct result r = {.runs = runs, .runs_nr = 2};
	char message[256] = "";

	if (!assertion__check(a, &r, message, sizeof(message)))
		FUZZ_CHECK(message[0]);
	FUZZ_CHECK(!strchr(message, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size), message[256] = "";
	struct assertion *a = NULL;

	if (assertion__parse(&a, text, message, sizeof(message))) {
		FUZZ_CHECK(!a && message[0] && !strchr(message, '\n'));
	} else {
		check_held(a);
		assertion__free(a);
	}
	free(text);
	return 0;
}
