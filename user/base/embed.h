/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of the source tree as a text of the program, with a NUL behind it. The Makefile lets the
 * object file depend on it.
 */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#define EMBED(name, path)                                                                          \
	__asm__(".pushsection .rodata\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n"); \
	extern const char name[]

#endif
