/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules on the names of kernel functions, Linux 5.10 to 7.x, x86 and arm64; see stack_rules.h. */
#include "stack_rules.h"

#include <stdlib.h>
#include <string.h>

#include "common/embed.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define COPY          CPU_CLASS_NR       /* copies: the callers decide the stage */
#define SHIFT         (CPU_CLASS_NR + 1) /* lets interrupts in again: its callers count */
#define RULES_MAX     1024

EMBED(stack_rules, "user/model/stack_rules.txt");

/* Names as in stack_rules.txt. */
struct group {
	int class;
	const char *names;
};

/*
 * Disks and other devices also call these functions: a rule counts only if a caller belongs to the
 * network. Otherwise the callers decide.
 */
static const struct group shared[] = {
	{CPU_CLASS_TX_PIN, "iov_iter_get_pages __iov_iter_get_pages iov_iter_extract_pages gup_ "
			   "internal_get_user_pages get_user_pages __get_user_pages pin_user_pages "
			   "try_grab_ try_get_folio lockless_pages_from_mm iov_iter_revert "
			   "undo_dev_pagemap follow_page get_compound_page"},
	{CPU_CLASS_TCP_IP, "__cgroup_bpf_run selinux_ apparmor_ security_"},
	{CPU_CLASS_NETDEV, "virtqueue_ vring_"},
};

/*
 * Functions whose copies, or whose last call, belong to a class other than their own. 0: the same.
 * hrtimer_start() ends in a tail call of the function that releases its lock, and is then not in
 * the stack; its callers here take no such lock themselves.
 */
static const struct caller {
	struct group group;
	enum cpu_class copy, tail_call;
} callers[] = {
	{{CPU_CLASS_TCP_IP, "tcp_sendmsg"}, CPU_CLASS_TX_COPY, 0},
	{{CPU_CLASS_TX_COPY, "skb_do_copy_data_nocache skb_add_data"}, CPU_CLASS_TX_COPY, 0},
	{{CPU_CLASS_SKB, "skb_try_coalesce skb_condense"}, CPU_CLASS_OTHER_COPY, 0},
	{{CPU_CLASS_TCP_IP, "tcp_write_xmit$ __tcp_transmit_skb$"}, 0, CPU_CLASS_TIMERS},
	{{CPU_CLASS_TIMERS, "tcp_pacing_check"}, 0, CPU_CLASS_TIMERS},
};

static struct rule {
	const char *name;
	size_t len;
	bool exact, shared;
	int class;
	enum cpu_class copy, tail_call;
} rules[RULES_MAX];

static size_t rules_nr;

static int class_of(const char *key, size_t len)
{
	for (enum cpu_class c = 0; c < CPU_CLASS_NR; c++)
		if (!strncmp(cpu_class__key(c), key, len) && !cpu_class__key(c)[len])
			return c;
	if (strncmp(key, "copies:", 7) != 0 && strncmp(key, "shifts:", 7) != 0)
		abort(); /* stack_rules.txt is part of the program */
	return *key == 'c' ? COPY : SHIFT;
}

/* Adds rules like the given one, whose class changes at each word that ends in ':'. */
static void add_rules(const char *names, struct rule rule)
{
	size_t len;

	for (const char *p = names; *p && rules_nr < RULES_MAX; p += len, p += strspn(p, " \n")) {
		len = strcspn(p, *p == '#' ? "\n" : " \n");
		if (*p == '#')
			continue;
		if (p[len - 1] == ':') {
			rule.class = class_of(p, len - 1);
			continue;
		}
		rule.name = p;
		rule.exact = p[len - 1] == '$';
		rule.len = len - rule.exact;
		rules[rules_nr++] = rule;
	}
}

/* Splits the names once: each frame of each sample is compared with all of them. */
static void make_rules(void)
{
	add_rules(stack_rules, (struct rule){0});
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		add_rules(shared[i].names, (struct rule){.shared = true, .class = shared[i].class});
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		add_rules(callers[i].group.names, (struct rule){.class = callers[i].group.class,
								.copy = callers[i].copy,
								.tail_call = callers[i].tail_call});
}

/* The longest rule that fits a name, without what the compiler appended; NULL: none does. */
static const struct rule *rule_of(const char *name)
{
	const struct rule *best = NULL;
	size_t len = strcspn(name, ".;"), most = 0;

	if (!rules_nr)
		make_rules();
	for (const struct rule *r = rules; r < rules + rules_nr; r++) {
		if (r->name[0] != name[0] || r->len > len || r->len + r->exact <= most ||
		    memcmp(r->name, name, r->len) || (r->exact && r->len != len))
			continue;
		most = r->len + r->exact;
		best = r;
	}
	return best;
}

static bool is_of_network(const struct rule *r)
{
	switch (r->class) {
	case CPU_CLASS_TX_COPY:
	case CPU_CLASS_TX_PIN:
	case CPU_CLASS_DEFERRED_COPY:
	case CPU_CLASS_RX_COPY:
	case CPU_CLASS_OTHER_COPY:
	case CPU_CLASS_COMPLETION:
	case CPU_CLASS_TCP_IP:
	case CPU_CLASS_NETDEV:
	case CPU_CLASS_SKB:
		return !r->shared;
	default:
		return false;
	}
}

/* Is one of these functions of the network alone? */
static bool calls_from_network(const char *const *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = rule_of(frames[i]);

		if (r && is_of_network(r))
			return true;
	}
	return false;
}

struct stack_class stack_rules__class(const char *const *frames, size_t n)
{
	struct stack_class out = {.class = CPU_CLASS_OTHER};
	bool copies = false;

	for (size_t i = 0; i < n; i++) {
		const struct rule *r = rule_of(frames[i]);

		if (!r || (r->shared && !calls_from_network(frames + i + 1, n - i - 1)))
			continue;
		if (r->class == SHIFT) {
			out.shifted |= i == 0;
			continue;
		}
		if (r->class == COPY) {
			copies = true;
			continue;
		}
		out.class = r->class;
		if (copies && r->copy)
			out.class = r->copy;
		else if (out.shifted && i == 1 && r->tail_call)
			out.class = r->tail_call;
		break;
	}
	return out;
}

bool stack_rules__is_libc(const char *object)
{
	return !strncmp(object, "libc", 4);
}

enum cpu_class stack_rules__user(const char *object, bool gathers)
{
	return gathers && object && stack_rules__is_libc(object) ? CPU_CLASS_GATHER
								 : CPU_CLASS_USER;
}
