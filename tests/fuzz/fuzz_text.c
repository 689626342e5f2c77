/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from outside: made printable, wrapped, quoted for a shell. The first byte is the width. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/read_file.h"
#include "fuzz.h"

static void check_printable(const char *text)
{
	char buf[16], again[16];

	printable(buf, sizeof(buf), text);
	FUZZ_CHECK(strlen(buf) < sizeof(buf));
	for (const char *c = buf; *c; c++)
		FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 127);
	/* Printable text stays unchanged. */
	FUZZ_CHECK(!strcmp(printable(again, sizeof(again), buf), buf));
}

/* Wrapping drops only spaces and line ends, and every line advances. */
static void check_wrap(const char *text, size_t width)
{
	const char *line, *before = text;
	size_t len;

	while ((len = wrap__next(&text, width, &line))) {
		FUZZ_CHECK(line >= before && line + len <= text && text > before);
		before = text;
	}
}

static void check_shell(const char *text)
{
	char *word = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&word, &len);

	FUZZ_CHECK(f);
	shell__put_word(f, text);
	FUZZ_CHECK(!fclose(f) && len >= strlen(text));
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = fuzz__string(data + 1, size - 1);
	check_printable(text);
	check_shell(text);
	check_wrap(text, 1 + *data % 120);
	printable__in_place(text);
	check_wrap(text, 1 + *data % 120);
	text__trim(text);
	free(text);
	return 0;
}
