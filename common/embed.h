/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file as a text of the program, with a NUL behind it, at name_end. The Makefile lets the object
 * file depend on it.
 */
#ifndef COMMON_EMBED_H
#define COMMON_EMBED_H

/* In a help text, the line in place of the list of options. */
#define HELP_LINE "\n---\n"

#define EMBED(name, path)                                                        \
	__asm__(".pushsection .rodata\n" #name ":\n.incbin \"" path "\"\n" #name \
		"_end:\n.byte 0\n.popsection\n");                                \
	extern const char name[], name##_end[]

#endif
