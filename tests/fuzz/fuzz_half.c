/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver's half, by another machine: refused with a printable clause, or joined. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/remote.h"
#include "write/half_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run_result half, run;
	static struct environment env;
	char *text = malloc(size + 1), why[HALF_WHY];

	memcpy(text, data, size);
	text[size] = '\0';
	run_result__init(&half);
	run_result__init(&run);
	remote__begin(&run);
	run.ledger_known = true;
	if (half_document__read(text, &half, &env, why)) {
		FUZZ_CHECK(why[0]);
		for (const char *p = why; *p; p++)
			FUZZ_CHECK((unsigned char)*p >= ' ');
	} else {
		remote__contradiction(&run, &half, 1000000000);
		remote__join(&run, &half, &env);
		for (int c = 0; c < CPU_CLASS_NR; c++)
			FUZZ_CHECK(run.cpu.by[NIO_SAMPLE_RECEIVER].classes[c] <=
				   run.cpu.by[NIO_SAMPLE_RECEIVER].samples);
	}
	run_result__clear(&half);
	run_result__clear(&run);
	free(text);
	return 0;
}
