/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows and names for attach's writers; see attach_result.h. Pure. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attach_result.h"
#include "common/address.h"
#include "base/printable.h"
#include "screen/grid.h"

const struct text_column attach_columns[COLUMN_NR] = {
	[VALUE_SENT] = {"sent", "= copied + pinned + spliced: how the send call took the bytes"},
	[VALUE_COPIED] = {"copied", "by the CPU, from the application into the socket",
			  GRID_COPIED},
	[VALUE_PINNED] = {"pinned", "MSG_ZEROCOPY: the kernel refers to the application's pages",
			  GRID_UNCOPIED, 6},
	[VALUE_SPLICED] = {"spliced", "sendfile, splice: page references, no copy", GRID_UNCOPIED,
			   4},
	[VALUE_DEFERRED] = {"deferred", "pinned pages that the kernel copied after all",
			    GRID_COPIED, 3},
	[VALUE_RECEIVED] = {"received", "read by the application", GRID_PLAIN, 7},
	[VALUE_RX_COPIED] = {"rx copy",
			     "of the received bytes: copied by the CPU, to the application",
			     GRID_COPIED, 1},
	[COLUMN_COPIES] = {"copies/B", "copies of each byte sent and received, at this end",
			   GRID_PLAIN, 5},
	[COLUMN_ZEROCOPY] = {"zc cop.", "share of zero-copy sends that were copied after all",
			     GRID_PLAIN, 2},
};

char *attach_result__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			     uint16_t port)
{
	char host[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, host, sizeof(host));
	return address__format(buf, len, host, port);
}

const char *attach_result__cgroup(const struct attach_result *r, const struct sock_state *s)
{
	const struct group *g = groups__find(&r->table.groups[GROUP_CGROUP], s->cgroup);

	return g ? g->name : NULL;
}

char *attach_result__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid)
{
	char whole[17], name[40];

	memcpy(whole, comm, 16);
	whole[16] = '\0';
	printable(name, sizeof(name), whole);
	if (tgid)
		snprintf(buf, OWNER_LEN, "%s %u", name[0] ? name : "(no name)", tgid);
	else
		snprintf(buf, OWNER_LEN, "(unknown)");
	return buf;
}

static const struct groups *groups_of(const struct attach_result *r, enum by by)
{
	return &r->table.groups[by == BY_PORT ? GROUP_PORT : GROUP_CGROUP];
}

static bool process_at(struct attach_row *row, const struct table *t, size_t i)
{
	const struct process *p = &t->processes[i];

	if (i >= t->processes_nr || !process__is_listed(p))
		return false;
	row->process = p;
	row->id = p->started << 32 | p->tgid;
	row->ledger = p->ledger;
	return true;
}

static bool group_at(struct attach_row *row, const struct groups *groups, size_t i)
{
	if (i >= groups->nr)
		return false;
	row->group = &groups->list[i];
	row->id = row->group->id;
	row->ledger = row->group->ledger;
	return true;
}

static bool connection_at(struct attach_row *row, const struct table *t, size_t i)
{
	row->socket = table__connection(t, i);
	if (!row->socket)
		return false;
	row->id = row->socket->key ^ row->socket->first_ns;
	row->ledger = table__ledger_of(t, row->socket);
	row->ledger.refused_runs = t->total.refused_runs;
	return true;
}

bool attach_row__at(struct attach_row *row, const struct attach_result *r, enum by by, size_t i)
{
	const struct table *t = &r->table;

	*row = (struct attach_row){.by = by};
	if (by == BY_PROCESS)
		return process_at(row, t, i);
	if (by == BY_CONNECTION)
		return connection_at(row, t, i);
	return group_at(row, groups_of(r, by), i);
}

struct attach_row attach_row__total(const struct attach_result *r)
{
	return (struct attach_row){.by = BY_NR, .ledger = r->table.total};
}

static void name_connection(char buf[ROW_NAME_LEN], const struct sock_state *s, bool brief)
{
	char local[ADDRESS_TEXT_MAX], remote[ADDRESS_TEXT_MAX], owner[OWNER_LEN];

	attach_result__address(local, sizeof(local), s->family, s->local, s->local_port);
	attach_result__address(remote, sizeof(remote), s->family, s->remote, s->remote_port);
	if (brief)
		snprintf(local, sizeof(local), ":%u", s->local_port);
	snprintf(buf, ROW_NAME_LEN, "%s %s > %s", attach_result__owner(owner, s->comm, s->tgid),
		 local, remote);
}

/* "nginx 42", "nginx 42 (no. 2)" if it is the second process of this PID, "port 80", "/a/b". */
static void name_subject(char buf[ROW_NAME_LEN], const struct attach_result *r,
			 const struct attach_row *row)
{
	size_t nth = row->process ? table__ordinal(&r->table, row->process) : 0;
	char owner[OWNER_LEN];

	if (row->by == BY_PORT && row->id)
		snprintf(buf, ROW_NAME_LEN, "port %u", (uint16_t)row->id);
	else if (row->by != BY_PROCESS)
		snprintf(buf, ROW_NAME_LEN, "%.500s",
			 row->group->name ? row->group->name : "(unknown)");
	else if (nth)
		snprintf(buf, ROW_NAME_LEN, "%s (no. %zu)",
			 attach_result__owner(owner, row->process->comm, row->process->tgid), nth);
	else
		attach_result__owner(buf, row->process->comm, row->process->tgid);
}

char *attach_row__name(char buf[ROW_NAME_LEN], const struct attach_result *r,
		       const struct attach_row *row, bool brief)
{
	size_t nr = row->ledger.connections, len;

	if (row->by == BY_CONNECTION) {
		name_connection(buf, row->socket, brief);
		return buf;
	}
	name_subject(buf, r, row);
	len = strlen(buf);
	if (brief)
		snprintf(buf + len, ROW_NAME_LEN - len, " (%zu)", nr);
	else
		snprintf(buf + len, ROW_NAME_LEN - len, ", %zu connection%s", nr, plural(nr));
	return buf;
}

size_t attach_result__rows(const struct attach_result *r, enum by by)
{
	const struct table *t = &r->table;
	size_t nr = 0;

	if (by == BY_CONNECTION)
		return t->ranked_nr;
	if (by != BY_PROCESS)
		return groups_of(r, by)->nr;
	for (size_t i = 0; i < t->processes_nr; i++)
		nr += t->processes[i].ledger.connections || t->processes[i].ledger.unconnected;
	return nr;
}
