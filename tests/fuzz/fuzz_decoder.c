/* SPDX-License-Identifier: GPL-2.0-only */
/* Code and registers of a hostile program: any answer, but within bounds and the same again. */
#include <string.h>

#include "follow/decoder.h"
#include "fuzz.h"

#define ROUNDS 64

/* Bytes of a request, as far as the input reaches: the rest is 0. */
static void take(void *to, size_t len, const uint8_t **data, size_t *size)
{
	size_t n = len < *size ? len : *size;

	memset(to, 0, len);
	memcpy(to, *data, n);
	*data += n;
	*size -= n;
}

static void check(const struct decoder_answer *a)
{
	FUZZ_CHECK(memchr(a->touch.name, 0, sizeof(a->touch.name)));
	FUZZ_CHECK(!a->touch.found || a->touch.reads || a->touch.writes);
	FUZZ_CHECK(a->step <= TAINT_LOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct taint t;

	memset(&t, 0, sizeof(t));
	for (int i = 0; i < ROUNDS && size; i++) {
		struct decoder_request r = {0};
		struct decoder_answer a;
		uint8_t head[3];

		take(head, sizeof(head), &data, &size);
		r.op = head[0] & 1 ? DECODER_STEP : DECODER_TOUCH;
		r.code.before = head[1];
		r.code.after = head[2];
		take(r.code.bytes, sizeof(r.code.bytes), &data, &size);
		take(r.around, sizeof(r.around), &data, &size);
		take(&r.watch, sizeof(r.watch), &data, &size);
		r.places[0] = r.watch;
		take(&r.code.regs, sizeof(r.code.regs), &data, &size);
		decoder__answer(&t, &r, &a);
		check(&a);
	}
	return 0;
}
