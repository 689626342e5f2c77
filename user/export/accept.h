/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the reading of Accept and Accept-Encoding (RFC 9110, 12.4.2 and 12.5). Pure. */
#ifndef EXPORT_ACCEPT_H
#define EXPORT_ACCEPT_H

/* The highest q of a name in a header's list, 1 without q; 0: not named, or header is NULL. */
double accept__weight(const char *header, const char *name);

#endif
