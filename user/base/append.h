/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns text that grows in a buffer of fixed size. */
#ifndef BASE_APPEND_H
#define BASE_APPEND_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Appends to the string in buf, whose size is len, at least 4. A text that does not fit is cut, and
 * then ends in "...".
 */
__attribute__((format(printf, 3, 4))) void append__text(char *buf, size_t len, const char *format,
							...);
__attribute__((format(printf, 3, 0))) void append__args(char *buf, size_t len, const char *format,
							va_list args);

#endif
