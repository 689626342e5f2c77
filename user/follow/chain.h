/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of one byte through the memory of a program: the places that have it, the copies between
 * them, and the end. A received byte is followed forward, a sent byte backward. What a chain needs
 * of the running program it asks through chain_io.
 */
#ifndef FOLLOW_CHAIN_H
#define FOLLOW_CHAIN_H

#include "bpf/follow_event.h"
#include "decoder.h"

#define CHAIN_LINKS_MAX 16
#define CHAIN_FILLS     64
#define STACK_BYTES     24576

/* Registers and the top of the stack, to be unwound later. */
struct stack_copy {
	struct user_regs_struct regs;
	uint32_t tgid, tid;
	uint64_t base; /* address of bytes[0] */
	uint32_t len;
	uint8_t bytes[STACK_BYTES];
};

/* id, name in documents, sentence part. From LATE on the count of copies is not known. */
#define CHAIN_ENDS(X)                                                                  \
	X(NONE, none, "no byte came")                                                  \
	X(SENT, sent, "sent by TCP")                                                   \
	X(WRITTEN, written, "written to another file or socket")                       \
	X(READ_OVER, read_over, "overwritten by a later read")                         \
	X(WRITTEN_OVER, written_over, "overwritten by the program")                    \
	X(KEPT, kept, "still in memory after 0.1 s")                                   \
	X(FILLED, filled, "filled by a receive or read")                               \
	X(STORED, stored, "stored data, sent again and again")                         \
	X(COMPUTED, computed, "computed by the program")                               \
	X(LATE, late, "unknown: the thread was stopped too late")                      \
	X(UNDECODED, undecoded, "unknown: an instruction was not decoded")             \
	X(HELD, held, "unknown: the byte stayed in a register")                        \
	X(INTERRUPTED, interrupted, "unknown: a signal came while the thread stepped") \
	X(SLOW, slow, "unknown: steps took too long, since the CPUs are busy")         \
	X(FAULT, fault, "unknown: an instruction waited for a page of memory")         \
	X(MISPLACED, misplaced, "unknown: the copy was not where it was expected")     \
	X(SOURCE, source, "unknown: where a store took the byte from was not found")   \
	X(NOT_SENT, not_sent, "unknown: the memory was not sent again in time")        \
	X(MANY, many, "unknown: used more than 64 times")                              \
	X(MOVED, moved, "unknown: mremap moved the memory")                            \
	X(FORKED, forked, "unknown: a new child process used the byte")                \
	X(LOST, lost, "unknown: an event was lost")                                    \
	X(GONE, gone, "unknown: the program ended, or a thread did not stop")          \
	X(ENDED, ended, "unknown: the process that followed it was ended")             \
	X(REFUSED, refused, "unknown: a watchpoint was refused")

enum chain_end {
#define X(id, ...) CHAIN_##id,
	CHAIN_ENDS(X)
#undef X
		CHAIN_ENDS_NR,
};

const char *chain_end__name(enum chain_end end); /* "sent" */
const char *chain_end__text(enum chain_end end);
bool chain_end__is_unknown(enum chain_end end);

enum link_kind {
	LINK_COPY,
	LINK_TRANSFORM, /* the stored value was computed from the byte */
	LINK_KINDS_NR,
};

struct chain_link {
	enum link_kind kind;
	char insn[32];
	uint64_t from, to;
	struct stack_copy stack;
};

/* A write of a watched address, of a sent byte. */
struct chain_fill {
	uint64_t ns;
	enum fill_kind {
		FILL_COPY, /* from link.from */
		FILL_CALL, /* by a system call */
		FILL_COMPUTED,
		FILL_UNKNOWN,
	} kind;
	struct chain_link link;
};

struct chain_fills {
	unsigned int nr;    /* so far; the last CHAIN_FILLS are there */
	unsigned int sends; /* of the byte's memory, whose source is not known yet */
	struct chain_fill fill[CHAIN_FILLS];
};

/* What a chain does to the running program. A thread is stopped during all of these. */
struct chain_io {
	void *ctx;
	uint64_t (*now)(void *ctx);
	bool (*read)(void *ctx, uint64_t address, void *to, size_t len);
	/* Executes one instruction; *regs: those after it. NONE; or why the chain ends. */
	enum chain_end (*step)(void *ctx, uint32_t tid, struct user_regs_struct *regs);
	bool (*decode)(void *ctx, struct decoder_request *request, struct decoder_answer *answer);
	/* Watches reads and writes; of a sent byte, writes. */
	bool (*watch)(void *ctx, unsigned int slot, uint64_t address);
	void (*unwatch)(void *ctx, unsigned int slot);
};

#define CALL_IPS_MAX 8

struct chain_place {
	bool on;
	bool expected; /* the store is still to come: the address follows from other stores */
	uint64_t address;
	uint8_t byte; /* its value there */
	uint64_t born_ns;
	unsigned int touch; /* number of the touch whose walk filled it */
	/*
	 * The call that filled it, and its instructions that touched the source or this place. A
	 * copy function may load or store a byte twice, by different instructions. The same
	 * instruction again is another call.
	 */
	uint32_t tid;
	uint64_t sp, ips[CALL_IPS_MAX];
	unsigned int ips_nr;
	unsigned int uses; /* of a sent byte: sends with the content that the place always had */
};

struct chain {
	const struct chain_io *io;
	unsigned int slots;        /* places that can be watched, up to NIO_FOLLOW_PLACES */
	bool backward;             /* the byte was sent */
	struct chain_fills *fills; /* of a sent byte; owned by the caller */
	struct chain_place places[NIO_FOLLOW_PLACES];
	bool begun, over;
	bool at_least; /* a place was given up for a newer one: it may be copied again, unseen */
	enum chain_end end;
	unsigned int links_nr, touches, steps, looks; /* looks: reads without a copy */
	uint64_t touched_ns;
	uint32_t tgid;
	struct chain_link links[CHAIN_LINKS_MAX];
};

/* The thread that received or sent the byte is stopped. */
void chain__begin(struct chain *c, const struct nio_follow_event *e);

/* The thread that touched a watched byte is stopped; regs are its registers. */
void chain__touch(struct chain *c, const struct nio_follow_event *e,
		  const struct user_regs_struct *regs);

/* A later system call read, wrote or moved watched bytes; or a new child process touched one. */
void chain__cover(struct chain *c, const struct nio_follow_event *e);

void chain__finish(struct chain *c, enum chain_end end);

/* The place that watches an address; -1: none does. */
int chain__place_at(const struct chain *c, uint64_t address);

#endif
