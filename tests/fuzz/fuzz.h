/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers of the fuzz targets. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput(): it
 * passes the bytes to a parser and checks what must be true for every input. libFuzzer runs it
 * (`make fuzz`); replay.c runs it on the files of tests/fuzz/corpus/NAME, as a unit test.
 */
#ifndef NETIOTRACE_FUZZ_H
#define NETIOTRACE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a message if the condition is false: a crash for libFuzzer. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz__fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz__fail(const char *condition, const char *file, int line);

/*
 * The bytes up to the first 0, as a string in memory of exactly that size, so that a sanitizer
 * detects the first byte read beyond it. Ends the program if there is no memory. The caller owns
 * the string.
 */
char *fuzz__string(const uint8_t *data, size_t size);

/* A copy of the bytes in memory of exactly that size. */
uint8_t *fuzz__bytes(const uint8_t *data, size_t size);

/*
 * The first line without its end, as a string that the caller owns; an empty string at the end of
 * the input. *data and *size become the remaining input.
 */
char *fuzz__line(const uint8_t **data, size_t *size);

/* A descriptor of a memory file that holds the bytes; path is its name for fopen(). */
#define FUZZ_PATH_MAX 32
int fuzz__file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX]);

#endif
