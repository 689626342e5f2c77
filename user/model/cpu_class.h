/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What CPU time is spent on: the classes of samples, each one row. The copies and the pinning are
 * stages of the ledger, the rest is the taxonomy of "Understanding Host Network Stack Overheads"
 * (SIGCOMM 2021), with pacing and timers, zero-copy notifications, and what the application does
 * apart. Pure.
 */
#ifndef NETIOTRACE_CPU_CLASS_H
#define NETIOTRACE_CPU_CLASS_H

#include <stdbool.h>

/* clang-format off */
/* Classes: id; key in data; on screen; what it is; colour in pictures. */
#define CPU_CLASSES(X)                                                                              \
	X(GATHER, "gather", "gather",                                                               \
	  "the application packs its fields into one buffer (two-copy mode)", "#56B4E9")            \
	X(TX_COPY, "tx_copy", "send copy", "user memory to socket buffer", "#0072B2")                 \
	X(TX_PIN, "tx_pin", "pin", "user pages pinned for MSG_ZEROCOPY", "#CC79A7")                 \
	X(DEFERRED_COPY, "deferred_copy", "deferred copy", "pinned pages copied after all",         \
	  "#D55E00")                                                                                \
	X(RX_COPY, "rx_copy", "receive copy", "socket buffer to user memory", "#009E73")                 \
	X(OTHER_COPY, "other_copy", "other copy", "payload copied elsewhere in the kernel",         \
	  "#994F00")                                                                                \
	X(COMPLETION, "completion", "completion",                                                    \
	  "MSG_ZEROCOPY notifications: made, queued, read", "#882255")                              \
	X(TCP_IP, "tcp_ip", "TCP/IP", "TCP and IP processing, and the socket layer's", "#E69F00")   \
	X(TIMERS, "timers", "pacing/timers", "timers started, moved and run; pacing", "#F0E442")    \
	X(NETDEV, "netdev", "net device", "queueing disciplines, devices, their softirq", "#999933") \
	X(SKB, "skb", "skb", "socket buffers made, cloned, freed", "#44AA99")                       \
	X(MEMORY, "memory", "memory", "pages and slab objects got and given back, page faults",     \
	  "#117733")                                                                                \
	X(LOCK, "lock", "lock", "locks taken, waited for, released", "#332288")                     \
	X(SCHEDULING, "scheduling", "scheduling", "sleeping, waking others, switching tasks",       \
	  "#AA4499")                                                                                \
	X(SYSCALL, "syscall", "system call", "entry, exit, arguments, descriptors", "#888888")      \
	X(IRQ, "irq", "interrupts", "hardware interrupts and softirq dispatch", "#661100")          \
	X(TRACING, "tracing", "tracing", "BPF programs and tracing, those of netiotrace among them",        \
	  "#A6761D")                                                                                        \
	X(USER, "user", "application", "the application itself, but gathering", "#BBBBBB")          \
	X(OTHER, "other", "unclassified", "no rule knows the stack", "#DDDDDD")

enum cpu_class {
#define X(id, ...) CPU_CLASS_##id,
	CPU_CLASSES(X)
#undef X
	CPU_CLASS_NR,
};
/* clang-format on */

const char *cpu_class__key(enum cpu_class c);     /* "tx_copy" */
const char *cpu_class__heading(enum cpu_class c); /* "send copy" */
const char *cpu_class__help(enum cpu_class c);
const char *cpu_class__colour(enum cpu_class c); /* "#0072B2" */

#endif
