/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers of attach's writers; see attach_result.h. Pure. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "attach_result.h"
#include "base/address.h"
#include "base/printable.h"
#include "common/units.h"
#include "model/verdict.h"

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

static const struct plan_row *row_of(const struct attach_result *r, const char *probe)
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

enum quality attach_result__quality(const struct attach_result *r, const struct socket_ledger *b,
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
	if (b->left_out) {
		*reason = SOCKET_LEDGER_LEFT_OUT;
		return QUALITY_UNAVAILABLE;
	}
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
	if (socket_ledger__unclassified(b) && is_of_sends(stage)) {
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
	    socket_ledger__arrivals_missed(b))
		*reason = "a lower bound: the kernel reports every send of a connection as "
			  "copied, yet fewer bytes were seen to arrive than it pinned: they were "
			  "copied on the way out, or in events that no program was shown";
	return row->quality;
}

/* Ports that the verdict of a process or of the total names, and that its advice is about. */
#define PORTS_NAMED 3

struct named_port {
	char name[16]; /* "port 65535" */
	uint64_t sent;
	const struct group *group;
};

static void put_port(struct named_port list[PORTS_NAMED], size_t *nr, const struct group *g)
{
	uint64_t sent = socket_ledger__booked(&g->books, NIO_SIDE_SENDER);
	size_t at = *nr;

	if (at == PORTS_NAMED && list[--at].sent >= sent)
		return;
	*nr = at + 1;
	for (; at && list[at - 1].sent < sent; at--)
		list[at] = list[at - 1];
	list[at] = (struct named_port){.sent = sent, .group = g};
	snprintf(list[at].name, sizeof(list[at].name), "port %u", (unsigned int)g->id);
}

/* The ports at which most was sent, largest first, without those below 1 % of the largest. */
static size_t largest_ports(const struct groups *ports, struct named_port list[PORTS_NAMED])
{
	size_t nr = 0;

	for (size_t i = 0; i < ports->nr; i++)
		if (ports->list[i].id)
			put_port(list, &nr, &ports->list[i]);
	while (nr && list[nr - 1].sent < list[0].sent / 100 + 1)
		nr--;
	return nr;
}

static void say_services(struct judgement *j, const struct named_port *ports, size_t nr)
{
	struct verdict_service list[PORTS_NAMED];

	for (size_t i = 0; i < nr; i++) {
		const struct nio_amount *stages = ports[i].group->books.stages;

		list[i] = (struct verdict_service){ports[i].name, stages[NIO_STAGE_TX_COPY].bytes,
						   stages[NIO_STAGE_TX_PIN].bytes,
						   stages[NIO_STAGE_TX_SPLICE].bytes};
	}
	verdict__say_services(j->text, sizeof(j->text), list, nr);
}

/* Advice on the sockets of one port (0: of all ports) of one process (NULL: of all). */
static void advise_part(struct judgement *j, const struct attach_result *r,
			const struct process *only, uint16_t port, const char *name,
			const struct socket_ledger *books)
{
	struct advice_program program;
	struct advice_row row = {
		.name = name,
		.books = books,
		.told = r->told,
		.encrypts = advice__encrypts(port),
		.program = &program,
		.baseline = r->baseline,
	};

	if (table__program(&r->table, only, port, &program, &row.copied))
		advice__say(j->advice, sizeof(j->advice), &row);
}

/* The bytes of a connection and of its process have to be of one refresh. */
static void advise_connection(struct judgement *j, const struct attach_result *r,
			      const struct attach_row *row)
{
	const struct process *owner = table__owner(&r->table, row->socket);
	uint64_t port = group__id(GROUP_PORT, row->socket);
	struct advice_program program;
	struct advice_row advice = {
		.books = row->books,
		.told = r->told,
		.encrypts = advice__encrypts((uint16_t)port),
		.program = &program,
		.baseline = r->baseline,
	};

	if (!owner || owner->read_turn != r->table.turn ||
	    !table__program(&r->table, owner, 0, &program, &advice.copied))
		return;
	advice.copied = row->books->stages[NIO_STAGE_TX_COPY].bytes;
	advice__say(j->advice, sizeof(j->advice), &advice);
}

static bool any_encrypts(const struct groups *ports)
{
	for (size_t i = 0; i < ports->nr; i++)
		if (advice__encrypts((uint16_t)ports->list[i].id))
			return true;
	return false;
}

static void judge_ports(struct judgement *j, const struct attach_result *r,
			const struct attach_row *row)
{
	const struct groups *all =
		row->process ? &row->process->ports : &r->table.groups[GROUP_PORT];
	struct named_port ports[PORTS_NAMED];
	size_t nr = largest_ports(all, ports);

	say_services(j, ports, nr);
	for (size_t i = 0; i < nr; i++)
		advise_part(j, r, row->process, (uint16_t)ports[i].group->id, ports[i].name,
			    &ports[i].group->books);
	/* Many ports with a little each, or sockets whose port is unknown. */
	if (!j->advice[0] && (!nr || all->nr > PORTS_NAMED) && !any_encrypts(all))
		advise_part(j, r, row->process, 0, NULL, row->books);
}

/* Sentences end with a space. */
static void end_text(char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] == ' ')
		text[len - 1] = '\0';
}

void attach_result__judge(struct judgement *j, const struct attach_result *r,
			  const struct attach_row *row)
{
	struct verdict v;

	verdict__of_sockets(&v, row->books, r->notices);
	*j = (struct judgement){.copied_fraction = v.copied_fraction};
	if (v.cause != ZC_CAUSE_NONE && v.cause != ZC_CAUSE_NOT_COPIED)
		j->cause = zc_cause__key(v.cause);
	snprintf(j->text, sizeof(j->text), "%s", v.text);
	if (row->socket)
		advise_connection(j, r, row);
	else if (!row->group)
		judge_ports(j, r, row);
	else if (row->kind == GROUP_PORT)
		advise_part(j, r, NULL, (uint16_t)row->group->id, NULL, row->books);
	end_text(j->advice);
}

char *attach_result__bytes(char *buf, size_t len, const struct socket_ledger *b,
			   enum nio_stage stage)
{
	return format_bytes_si(buf, len, (double)b->stages[stage].bytes);
}

char *attach_result__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			     uint16_t port)
{
	char host[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, host, sizeof(host));
	return address__format(buf, len, host, port);
}

const struct groups *attach_result__groups(const struct attach_result *r)
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

char *attach_result__group(char buf[GROUP_NAME_LEN], const struct attach_result *r,
			   const struct group *g)
{
	if (r->o->by == BY_PORT && g->id)
		snprintf(buf, GROUP_NAME_LEN, "port %u", (unsigned int)g->id);
	else
		snprintf(buf, GROUP_NAME_LEN, "%s", name_of(g));
	return buf;
}

const char *attach_result__cgroup(const struct attach_result *r, const struct sock_state *s)
{
	return name_of(groups__find(&r->table.groups[GROUP_CGROUP], s->cgroup));
}

char *attach_result__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid)
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

char *attach_result__process(char buf[PROCESS_LEN], const struct attach_result *r,
			     const struct process *p)
{
	size_t turn = table__turn(&r->table, p);
	char owner[OWNER_LEN];

	attach_result__owner(owner, p->comm, p->tgid);
	if (turn)
		snprintf(buf, PROCESS_LEN, "%s (no. %zu)", owner, turn);
	else
		snprintf(buf, PROCESS_LEN, "%s", owner);
	return buf;
}

bool attach_result__sees_returns(const struct attach_result *r)
{
	const struct plan_row *row = row_of(r, "send_return");

	return row && row->quality == QUALITY_EXACT;
}
