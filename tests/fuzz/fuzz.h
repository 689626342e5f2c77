/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput(): it gives
 * the bytes to a parser and checks what must hold of any input. libFuzzer drives it (`make fuzz`);
 * replay.c gives it the files of tests/fuzz/corpus/NAME, as a unit test.
 */
#ifndef NETIOTRACE_FUZZ_H
#define NETIOTRACE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with what does not hold: to libFuzzer and to a unit test a crash. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz__fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz__fail(const char *condition, const char *file, int line);

/*
 * The bytes up to the first 0 as a string in memory of exactly that size, so that a sanitizer sees
 * the first byte too many. Ends the program when there is no memory. Owned by the caller.
 */
char *fuzz__string(const uint8_t *data, size_t size);

/* The same bytes, a copy of exactly that size. */
uint8_t *fuzz__bytes(const uint8_t *data, size_t size);

/*
 * The first line, without its end, as a string owned by the caller; *data and *size are what comes
 * behind it. At the end an empty string.
 */
char *fuzz__line(const uint8_t **data, size_t *size);

/* A descriptor of a file in memory that holds the bytes; path is its name for fopen(). */
#define FUZZ_PATH_MAX 32
int fuzz__file(const uint8_t *data, size_t size, char path[FUZZ_PATH_MAX]);

#endif
