/* SPDX-License-Identifier: GPL-2.0-only */
/* Random tokens and the kernel's boot id. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "session_id.h"

int session_id__make(uint8_t token[WIRE_TOKEN_SIZE])
{
	ssize_t n;

	do {
		n = getrandom(token, WIRE_TOKEN_SIZE, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == WIRE_TOKEN_SIZE ? 0 : -EIO;
}

void session_id__boot(uint8_t id[WIRE_TOKEN_SIZE])
{
	char text[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned int byte, n = 0;
	const char *p = text;

	memset(id, 0, WIRE_TOKEN_SIZE);
	if (!f)
		return;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	while (n < WIRE_TOKEN_SIZE && *p) {
		if (*p == '-') {
			p++;
			continue;
		}
		if (sscanf(p, "%2x", &byte) != 1)
			break;
		id[n++] = (uint8_t)byte;
		p += 2;
	}
	if (n < WIRE_TOKEN_SIZE)
		memset(id, 0, WIRE_TOKEN_SIZE);
}

bool session_id__same_boot(const uint8_t a[WIRE_TOKEN_SIZE], const uint8_t b[WIRE_TOKEN_SIZE])
{
	static const uint8_t unknown[WIRE_TOKEN_SIZE];

	return !memcmp(a, b, WIRE_TOKEN_SIZE) && memcmp(a, unknown, WIRE_TOKEN_SIZE) != 0;
}
