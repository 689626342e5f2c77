/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for terminals and shells: printable characters, line breaks, quoting; see printable.h. */
#include <ctype.h>
#include <stdint.h>

#include "printable.h"

/* Length in bytes by the first byte; 0: not a first byte. */
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

/* Characters that change how other text looks: direction marks, separators, byte order mark. */
static bool is_invisible(uint32_t code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       code == 0xfeff;
}

size_t printable__length(const char *text)
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
	/* C1 controls, overlong encodings, surrogates, beyond U+10FFFF */
	if (code < 0xa0 || (n == 3 && code < 0x800) || (n == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return is_invisible(code) ? 0 : n;
}

/* kept: control characters to copy unchanged */
static char *copy(char *buf, size_t len, const char *text, const char *kept)
{
	size_t used = 0, n;

	if (!len)
		return buf;
	for (; *text; text += n ? n : 1) {
		n = strchr(kept, *text) ? 1 : printable__length(text);
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

char *printable(char *buf, size_t len, const char *text)
{
	return copy(buf, len, text, "");
}

char *printable__in_place(char *text)
{
	return copy(text, strlen(text) + 1, text, "");
}

char *printable__lines(char *text)
{
	return copy(text, strlen(text) + 1, text, "\n\t");
}

/* A line may end at a space, but not after a digit: "92 113 sends", "241 MB". */
static bool may_break(const char *text, size_t i)
{
	return text[i] == ' ' && !(i && isdigit((unsigned char)text[i - 1]));
}

size_t wrap__next(const char **text, size_t width, const char **line)
{
	size_t len, cut;

	*text += strspn(*text, " \n");
	*line = *text;
	len = strcspn(*text, "\n");
	if (!width || len <= width) {
		*text += len;
		return len;
	}
	cut = width;
	while (cut && !may_break(*text, cut))
		cut--;
	if (!cut)
		cut = width;
	*text += cut;
	while (cut && (*line)[cut - 1] == ' ')
		cut--;
	return cut;
}

void shell__put_word(FILE *f, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./,:=@%+-";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}

void append__args(char *buf, size_t len, const char *format, va_list args)
{
	size_t used = strlen(buf), cut = len - sizeof("...");

	if ((size_t)vsnprintf(buf + used, len - used, format, args) < len - used)
		return;
	/* Whole characters of UTF-8 stay in front of the mark. */
	while (cut && (buf[cut] & 0xc0) == 0x80)
		cut--;
	strcpy(buf + cut, "...");
}

void append__text(char *buf, size_t len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append__args(buf, len, format, args);
	va_end(args);
}
