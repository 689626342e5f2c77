/* SPDX-License-Identifier: GPL-2.0-only */
/* What the writers of attach share; see findings.h. Pure. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "findings.h"
#include "base/address.h"
#include "base/printable.h"
#include "common/units.h"

/* The probe that feeds a stage. */
static const char *probe_of(enum nio_stage stage)
{
	switch (stage) {
	case NIO_STAGE_TX_COPY:
	case NIO_STAGE_TX_PIN:
		return "send_return";
	case NIO_STAGE_TX_SPLICE:
		return "message";
	case NIO_STAGE_DEFERRED_COPY:
		return "deferred_copy";
	case NIO_STAGE_RX_COPY:
		return "rx_copy";
	default:
		return NULL;
	}
}

#define SAMPLED                                                                                   \
	"of some connections not every call was seen: their bytes, which are exact, are divided " \
	"as those of the calls that were seen"

static const struct plan_row *row_of(const struct findings *r, const char *probe)
{
	for (size_t i = 0; probe && i < r->plan_nr; i++)
		if (!strcmp(r->plan[i].probe, probe))
			return &r->plan[i];
	return NULL;
}

static bool is_of_sends(enum nio_stage stage)
{
	return stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_PIN ||
	       stage == NIO_STAGE_TX_SPLICE;
}

enum quality findings__quality(const struct findings *r, const struct books *b,
			       enum nio_stage stage, const char **reason)
{
	const struct plan_row *row = row_of(r, probe_of(stage));

	if (stage == NIO_STAGE_USER_GATHER) {
		*reason = "user space is not watched: what a program copies within itself is not "
			  "seen";
		return QUALITY_UNAVAILABLE;
	}
	if (!row) {
		*reason = "no hook of attach sees it";
		return QUALITY_UNAVAILABLE;
	}
	*reason = row->reason;
	if (stage == NIO_STAGE_DEFERRED_COPY &&
	    b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_FOREIGN]) {
		*reason = "pages that io_uring sends (SEND_ZC) may be copied later, and no hook of "
			  "attach tells whose they are";
		return QUALITY_UNAVAILABLE;
	}
	if (stage == NIO_STAGE_TX_COPY && !r->told) {
		*reason = "an upper bound: this kernel's hooks do not tell sendfile and splice, "
			  "which copy nothing, from sends that copy";
		return QUALITY_DERIVED;
	}
	if (books__unclassified(b) && is_of_sends(stage)) {
		*reason = "a lower bound: of some bytes no call was seen (uncovered)";
		return QUALITY_DERIVED;
	}
	if (is_of_sends(stage) && b->divided[NIO_SIDE_SENDER]) {
		*reason = SAMPLED;
		return QUALITY_SAMPLED;
	}
	if (stage == NIO_STAGE_RX_COPY && b->divided[NIO_SIDE_RECEIVER]) {
		*reason = SAMPLED;
		return QUALITY_SAMPLED;
	}
	if (stage == NIO_STAGE_DEFERRED_COPY && row->quality == QUALITY_DERIVED &&
	    books__arrivals_missed(b))
		*reason = "a lower bound: the kernel reports every send of a connection as "
			  "copied, yet fewer bytes were seen to arrive than it pinned: they were "
			  "copied on the way out, or in events that no program was shown";
	return row->quality;
}

struct grounds findings__grounds(const struct findings *r, const struct process *p)
{
	return (struct grounds){
		.books = p ? &p->books : &r->table.total,
		.told = r->told,
		.notices = r->notices,
		.read_bytes = p ? p->read_bytes : table__read_bytes(&r->table),
		.baseline = r->baseline,
		.cpu = !r->cpu.known ? NULL
		       : p           ? &p->cpu
				     : &r->cpu.total,
	};
}

char *findings__bytes(char *buf, size_t len, const struct books *b, enum nio_stage stage)
{
	return format_bytes_si(buf, len, (double)b->stages[stage].bytes);
}

char *findings__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			uint16_t port)
{
	char host[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, host, sizeof(host));
	return address__format(buf, len, host, port);
}

const struct groups *findings__groups(const struct findings *r)
{
	switch (r->o->by) {
	case BY_PORT:
		return &r->table.groups[GROUP_PORT];
	case BY_CGROUP:
		return &r->table.groups[GROUP_CGROUP];
	default:
		return NULL;
	}
}

static const char *name_of(const struct group *g)
{
	return g && g->name ? g->name : "(unknown)";
}

char *findings__group(char buf[GROUP_NAME_LEN], const struct findings *r, const struct group *g)
{
	if (r->o->by == BY_PORT && g->id)
		snprintf(buf, GROUP_NAME_LEN, "port %u", (unsigned int)g->id);
	else
		snprintf(buf, GROUP_NAME_LEN, "%s", name_of(g));
	return buf;
}

const char *findings__cgroup(const struct findings *r, const struct sock_state *s)
{
	return name_of(groups__find(&r->table.groups[GROUP_CGROUP], s->cgroup));
}

char *findings__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid)
{
	char whole[17], name[40];

	memcpy(whole, comm, 16);
	whole[16] = '\0';
	printable(name, sizeof(name), whole);
	if (tgid)
		snprintf(buf, OWNER_LEN, "%s %u", name[0] ? name : "?", tgid);
	else
		snprintf(buf, OWNER_LEN, "(unknown)");
	return buf;
}

char *findings__process(char buf[PROCESS_LEN], const struct findings *r, const struct process *p)
{
	size_t turn = table__turn(&r->table, p);
	char owner[OWNER_LEN];

	findings__owner(owner, p->comm, p->tgid);
	if (turn)
		snprintf(buf, PROCESS_LEN, "%s (no. %zu)", owner, turn);
	else
		snprintf(buf, PROCESS_LEN, "%s", owner);
	return buf;
}

bool findings__sees_returns(const struct findings *r)
{
	const struct plan_row *row = row_of(r, "send_return");

	return row && row->quality == QUALITY_EXACT;
}
