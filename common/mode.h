/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The copy modes: ways of sending the same message that differ in who copies it. Each is one row,
 * which the load generator and the collector share; to add one is to add its row, and a struct
 * send_mode of its name to loadgen/.
 */
#ifndef NETIOTRACE_MODE_H
#define NETIOTRACE_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a mode does: the stages of the ledger it can feed. */
enum mode_feature {
	MODE_GATHERS = 1, /* user_gather: packs the fields, into a second buffer of message size */
	MODE_COPIES = 2,  /* tx_copy: the send call copies */
	MODE_PINS = 4,    /* tx_pin, deferred_copy: MSG_ZEROCOPY, on a socket with SO_ZEROCOPY */
};

/*
 * Modes: id; name on the command line and in data (struct send_mode of the load generator is
 * send_mode_<name>); words; what it does; in pictures: colour (those of Okabe and Ito, told apart
 * by the colour-blind), gnuplot's point types, full and open, and its dash type; on a terminal: the
 * nearest colour of 256, and of 8 (ANSI, curses).
 */
/* clang-format off */
#define MODES(X)                                                                           \
	X(TWOCOPY,  twocopy,  "two-copy",  MODE_GATHERS | MODE_COPIES,                     \
	  "#0072B2", 7, 6, 1, 32, 4)                                                       \
	X(ONECOPY,  onecopy,  "one-copy",  MODE_COPIES,                                    \
	  "#D55E00", 5, 4, 2, 172, 3)                                                      \
	X(ZEROCOPY, zerocopy, "zero-copy", MODE_COPIES | MODE_PINS,                        \
	  "#009E73", 9, 8, 4, 36, 6)

enum mode {
#define X(id, ...) MODE_##id,
	MODES(X)
#undef X
	MODE_NR,
};
/* clang-format on */

struct mode_info {
	const char *name, *words;
	unsigned int features; /* enum mode_feature */
	const char *colour;
	unsigned int point, open_point, dash;
	short colour_256, colour_8;
};

/* Of a mode from outside the enum: "?", in grey. Never NULL. */
const struct mode_info *mode__info(enum mode mode);

const char *mode__name(enum mode mode);  /* "twocopy", ... */
const char *mode__words(enum mode mode); /* "two-copy", ... */
bool mode__has(enum mode mode, enum mode_feature feature);

/* Bytes that the messages of so many connections take in the sender's memory. */
uint64_t mode__memory(enum mode mode, uint64_t size, unsigned int connections);

int mode__parse(const char *s, enum mode *out); /* -EINVAL */

/* "twocopy, onecopy, zerocopy, ": for texts that end the list. */
#define MODE_NAME_AND_COMMA(id, name, ...) #name ", "
#define MODE_NAME_AND_SPACE(id, name, ...) #name " "
/* "twocopy", "onecopy", ...: for arrays that go on. */
#define MODE_STRING_AND_COMMA(id, name, ...) #name,
#define MODE_NAMES                           MODES(MODE_NAME_AND_COMMA)
/* "twocopy|onecopy|...|", as what an option takes. */
#define MODE_NAME_AND_BAR(id, name, ...) #name "|"
#define MODE_CHOICES                     MODES(MODE_NAME_AND_BAR)

#define MODE_LIST_LEN (MODE_NR * 16)

/* The names of the modes in a mask of 1 << mode, apart by spaces. Returns buf. */
char *mode__list(char *buf, size_t len, unsigned int mask);

#endif
