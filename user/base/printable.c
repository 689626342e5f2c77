/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that prints as what it is; see printable.h. */
#include <stdint.h>
#include <string.h>

#include "printable.h"

/* How many bytes the character has, as its first one says; 0: none begins so. */
static size_t length_by_first(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c < 0xe0)
		return 2;
	if (c >= 0xe0 && c < 0xf0)
		return 3;
	return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

/* The bytes of the character at text, or 0 where it is no UTF-8 (RFC 3629) or a control. */
static size_t printable_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = length_by_first(s[0]);
	uint32_t code;

	if (n <= 1)
		return n && s[0] >= 0x20 && s[0] != 0x7f;
	code = s[0] & (0xffU >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	/* C1 controls, encodings longer than need be, surrogates, beyond Unicode */
	if (code < 0xa0 || (n == 3 && code < 0x800) || (n == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return n;
}

char *printable(char *buf, size_t len, const char *text)
{
	size_t used = 0, n;

	if (!len)
		return buf;
	for (; *text; text += n ? n : 1) {
		n = printable_length(text);
		if (used + (n ? n : 1) >= len)
			break;
		if (n)
			memmove(buf + used, text, n);
		else
			buf[used] = '?';
		used += n ? n : 1;
	}
	buf[used] = '\0';
	return buf;
}

char *printable__in_place(char *text)
{
	return printable(text, strlen(text) + 1, text);
}
