/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The copy modes: they differ in who copies a message. A new mode needs a row here and a struct
 * send_mode in loadgen/send_NAME.c. The hooks and the ledger follow the features of the row.
 */
#ifndef COMMON_MODE_H
#define COMMON_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "workload.h"

/*
 * The modes: id; name on the command line and in data (send_mode_<name> in loadgen/); name in
 * texts; features; colour on a terminal: nearest of 256 and of 8 (ANSI, curses) to that of pictures
 * (analysis/tables.py).
 */
/* clang-format off */
#define MODES(X)                                                                                \
	X(TWOCOPY,  twocopy,  "two-copy",  MODE_GATHERS | MODE_COPIES, 32, 4)                   \
	X(ONECOPY,  onecopy,  "one-copy",  MODE_COPIES, 172, 3)                                 \
	X(ZEROCOPY, zerocopy, "zero-copy", MODE_COPIES | MODE_PINS | MODE_TAKES_IDS, 36, 6)     \
	X(SENDFILE, sendfile, "sendfile",  MODE_SPLICES | MODE_SENDS_FILE | MODE_TRIED, 175, 5) \
	X(SPLICE,   splice,   "splice",    MODE_GATHERS | MODE_SPLICES, 214, 2)                 \
	X(URING,    uring,    "io_uring",  MODE_COPIES | MODE_USES_URING | MODE_TRIED, 74, 7)   \
	X(URINGZC,  uringzc,  "io_uring zero-copy",                                             \
	  MODE_COPIES | MODE_PINS | MODE_PINS_BY_URING | MODE_TRIED, 203, 1)                    \
	X(KTLS,     ktls,     "kTLS",      MODE_ENCRYPTS | MODE_TRIED, 246, 7)

enum mode {
#define X(id, ...) MODE_##id,
	MODES(X)
#undef X
	MODE_NR,
};
/* clang-format on */

/* "all" is the first modes of the list; others run only if they are named. */
#define MODE_ALL_NR    (MODE_ZEROCOPY + 1)
#define MODE_ALL_NAMES "twocopy, onecopy and zerocopy"

struct mode_info {
	const char *name, *words;
	unsigned int features; /* enum mode_feature */
	short colour_256, colour_8;
};

/* Never NULL: a mode outside the enum is "?", in grey. */
const struct mode_info *mode__info(enum mode mode);

const char *mode__name(enum mode mode);  /* "twocopy", ... */
const char *mode__words(enum mode mode); /* "two-copy", ... */
bool mode__has(enum mode mode, enum mode_feature feature);

/* The name of the error that a send gets if the kernel pins no more pages: "ENOBUFS", "ENOMEM". */
const char *mode__refusal(enum mode mode);

/* Message slots of a zero-copy connection. */
#define MODE_SLOTS_MIN 2u
#define MODE_SLOTS_MAX 1024u

/*
 * About 4 MiB of messages keeps a pipe full. All connections take at most 256 MiB, but each gets
 * two slots for each of the `depth` messages that are sent together: half are filled while the
 * others are sent.
 */
static inline unsigned int mode__slots(uint64_t size, unsigned int connections, unsigned int depth)
{
	unsigned int least = MODE_SLOTS_MIN * depth;
	uint64_t budget = (256u << 20) / connections;
	uint64_t n;

	if (budget > 4u << 20)
		budget = 4u << 20;
	n = budget / size;
	if (n < least)
		return least;
	return n < MODE_SLOTS_MAX ? (unsigned int)n : MODE_SLOTS_MAX;
}

/* Sends between two reads of the error queue: frees slots in time, at low cost. */
static inline unsigned int mode__slot_batch(unsigned int slots)
{
	unsigned int n = slots / 4;

	if (n < 1)
		return 1;
	return n < 32 ? n : 32;
}

/*
 * The sender's messages must fit half of `memory`, bytes. 0; -EINVAL with one sentence, without a
 * full stop, in why.
 */
int mode__check_memory(enum mode mode, const struct workload *w, uint64_t memory, char *why,
		       size_t len);

#define MODE_WHY 128

/*
 * Why one of the modes cannot send this workload, or none has an option of it, in one sentence
 * without a full stop, which may be in `why`; NULL: they can. Without modes, of a receiver: why no
 * mode can.
 */
const char *mode__conflict(const enum mode *modes, size_t nr, const struct workload *w,
			   char why[MODE_WHY]);

/* Fields of a message; 0 in the workload stands for the mode's default. */
unsigned int mode__fields(enum mode mode, const struct workload *w);

/* Messages that a connection sends together: --uring-depth, or 1 where the mode has none. */
unsigned int mode__depth(enum mode mode, const struct workload *w);

/* The memory of this machine, bytes. */
static inline uint64_t mode__memory_here(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

int mode__parse(const char *s, enum mode *out); /* 0, or -EINVAL */

/* "twocopy, onecopy, zerocopy, ": for texts that end the list. */
#define MODE_NAME_AND_COMMA(id, name, ...) #name ", "
#define MODE_NAME_AND_SPACE(id, name, ...) #name " "
/* "twocopy", "onecopy", ...: for arrays that continue. */
#define MODE_STRING_AND_COMMA(id, name, ...) #name,
#define MODE_NAMES                           MODES(MODE_NAME_AND_COMMA)
/* "twocopy|onecopy|...|": for the help of options. */
#define MODE_NAME_AND_BAR(id, name, ...) #name "|"
#define MODE_CHOICES                     MODES(MODE_NAME_AND_BAR)

#define MODE_LIST_LEN (MODE_NR * 16)

/* Writes the names of the modes in mask (1 << mode), separated by spaces. Returns buf. */
char *mode__list(char *buf, size_t len, unsigned int mask);

#endif
