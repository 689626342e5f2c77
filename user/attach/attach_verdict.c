/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict and the advice of a row of attach; see attach_result.h. Pure. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach_result.h"
#include "base/printable.h"
#include "common/xalloc.h"
#include "model/verdict.h"

/* Ports that the verdict of a process or of the total names, and that its advice is about. */
#define PORTS_NAMED 3

static uint64_t sent_at(const struct group *g)
{
	return row_value__of(VALUE_SENT, &g->ledger);
}

/* The ports at which most was sent, largest first, without those below 1 % of the largest. */
static size_t largest_ports(const struct groups *ports, const struct group *list[PORTS_NAMED])
{
	size_t nr = 0, at;

	for (size_t i = 0; i < ports->nr; i++) {
		const struct group *g = &ports->list[i];

		if (!g->id || (nr == PORTS_NAMED && sent_at(g) <= sent_at(list[nr - 1])))
			continue;
		at = nr < PORTS_NAMED ? nr++ : nr - 1;
		for (; at && sent_at(list[at - 1]) < sent_at(g); at--)
			list[at] = list[at - 1];
		list[at] = g;
	}
	while (nr && sent_at(list[nr - 1]) < sent_at(list[0]) / 100 + 1)
		nr--;
	return nr;
}

/* How many bytes were copied is not known well enough to advise. */
static bool is_wide(const struct attach_result *r, const struct socket_ledger *ledger)
{
	return row_value__amount(VALUE_COPIED, r, ledger).doubt & DOUBT_WIDE;
}

static struct advice_row row_for(const struct attach_result *r, const struct socket_ledger *ledger,
				 uint16_t port, const struct advice_program *program)
{
	return (struct advice_row){
		.ledger = ledger,
		.sees_kinds = r->sees_kinds,
		.encrypts = advice__encrypts(port),
		.program = program,
		.baseline = r->baseline,
	};
}

static void describe(struct attach_verdict *verdict, const struct attach_result *r,
		     const struct advice_row *row)
{
	if (is_wide(r, row->ledger))
		advice__ask_for_calls(verdict->advice, sizeof(verdict->advice), row);
	else
		advice__describe(verdict->advice, sizeof(verdict->advice), row);
}

/*
 * Advice on sockets at one port (0: any) of one process (NULL: of all). name: of the port, or NULL.
 */
static void advise(struct attach_verdict *verdict, const struct attach_result *r,
		   const struct process *only, uint16_t port, const char *name,
		   const struct socket_ledger *ledger)
{
	struct advice_program program;
	struct advice_row row = row_for(r, ledger, port, &program);

	row.name = name;
	if (table__program(&r->table, only, port, &program, &row.copied))
		describe(verdict, r, &row);
}

/* The bytes of a connection and of its process have to be of one refresh. */
static void advise_connection(struct attach_verdict *verdict, const struct attach_result *r,
			      const struct attach_row *row)
{
	const struct process *owner = table__owner(&r->table, row->socket);
	struct advice_program program;
	struct advice_row advice =
		row_for(r, &row->ledger, (uint16_t)group__id(GROUP_PORT, row->socket), &program);

	if (!owner || owner->read_refresh != r->table.refresh ||
	    !table__program(&r->table, owner, 0, &program, &advice.copied))
		return;
	advice.copied = row->ledger.stages[NIO_STAGE_TX_COPY].bytes;
	describe(verdict, r, &advice);
}

/* The figure that the table has, with its interval; 0: it has none. */
static struct verdict_bytes shown(enum row_value v, enum nio_stage stage,
				  const struct attach_result *r, const struct socket_ledger *ledger)
{
	struct amount a = row_value__amount(v, r, ledger),
		      s = attach_result__stage(r, ledger, stage);

	return (struct verdict_bytes){amount__is_known(&a) ? a.value : 0, s.least, s.most};
}

static void ports_verdict(struct attach_verdict *verdict, const struct attach_result *r,
			  const struct attach_row *row)
{
	const struct groups *all =
		row->process ? &row->process->ports : &r->table.groups[GROUP_PORT];
	struct verdict_service services[PORTS_NAMED];
	const struct group *ports[PORTS_NAMED];
	char names[PORTS_NAMED][16];
	size_t nr = largest_ports(all, ports);

	for (size_t i = 0; i < nr; i++) {
		const struct socket_ledger *ledger = &ports[i]->ledger;
		const struct tls_ledger *tls = &ledger->tls[NIO_SIDE_SENDER];

		snprintf(names[i], sizeof(names[i]), "port %u", (uint16_t)ports[i]->id);
		services[i] = (struct verdict_service){
			.name = names[i],
			.copied = shown(VALUE_COPIED, NIO_STAGE_TX_COPY, r, ledger),
			.pinned = shown(VALUE_PINNED, NIO_STAGE_TX_PIN, r, ledger),
			.spliced = shown(VALUE_SPLICED, NIO_STAGE_TX_SPLICE, r, ledger),
			.encrypted = {tls->copied, tls->copied - tls->open, tls->copied},
			.estimate = socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER),
			.unknown = ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS]};
		services[i].unknown +=
			u64__minus(sent_at(ports[i]),
				   services[i].copied.value + services[i].pinned.value +
					   services[i].spliced.value + services[i].encrypted.value);
	}
	verdict__describe_services(verdict->text, sizeof(verdict->text), services, nr);
	for (size_t i = 0; i < nr; i++)
		if (!is_wide(r, &ports[i]->ledger))
			advise(verdict, r, row->process, (uint16_t)ports[i]->id, names[i],
			       &ports[i]->ledger);
	/* Many ports with a little each, or sockets whose port is unknown. */
	if (!verdict->advice[0] && (!nr || all->nr > PORTS_NAMED) && !groups__any_encrypts(all))
		advise(verdict, r, row->process, 0, NULL, &row->ledger);
	for (size_t i = 0; i < nr && !verdict->advice[0]; i++)
		if (is_wide(r, &ports[i]->ledger))
			advise(verdict, r, row->process, (uint16_t)ports[i]->id, names[i],
			       &ports[i]->ledger);
}

/* Sockets that moved nothing: the connections, and what became of the calls. */
static void print_no_bytes(struct attach_verdict *verdict, const struct socket_ledger *ledger)
{
	uint64_t refused = socket_ledger__refused(ledger),
		 blocked = ledger->refused[NIO_REFUSAL_EAGAIN];
	const char *about = ledger->unwatched ? "about " : "";
	char *text = NULL;
	size_t len;
	FILE *f;

	if (ledger->socket_tx || ledger->received || ledger->unmeasured || ledger->left_out ||
	    !(ledger->connections + ledger->unconnected))
		return;
	f = xopen_memstream(&text, &len);
	if (ledger->connections)
		fprintf(f, "No byte was sent or received on %" PRIu64 " connection%s.",
			ledger->connections, plural(ledger->connections));
	if (ledger->unconnected)
		fprintf(f,
			"%s%" PRIu64
			" socket%s had no connection: connect() failed or was not done.",
			ledger->connections ? " " : "", ledger->unconnected,
			plural(ledger->unconnected));
	if (refused)
		fprintf(f, " %s%" PRIu64 " send call%s refused.", about, refused,
			refused == 1 ? " was" : "s were");
	if (blocked)
		fprintf(f, " %s%" PRIu64 " send call%s would have blocked.", about, blocked,
			plural(blocked));
	if (ledger->empty)
		fprintf(f, " %s%" PRIu64 " send call%s 0 bytes.", about, ledger->empty,
			ledger->empty == 1 ? " was of" : "s were of");
	xclose_memstream(f);
	snprintf(verdict->text, sizeof(verdict->text), "%s", text);
	free(text);
}

/* Less than one in this many looks is left to the document. */
#define FEW_WAITS 100

/* What a call with MSG_MORE or TCP_CORK holds back costs time, whichever way the bytes go. */
static void append_tail_waits(struct attach_verdict *verdict, const struct attach_result *r,
			      const struct socket_ledger *ledger)
{
	char waits[UNITS_BUF], looks[UNITS_BUF], apart[UNITS_BUF];

	if (!ledger->tail_waits || ledger->tail_waits * FEW_WAITS < ledger->looks)
		return;
	append__text(
		verdict->text, sizeof(verdict->text),
		"%sIn %s of %s looks at open sockets, %s apart, the last bytes waited for more "
		"with nothing in flight: MSG_MORE, SPLICE_F_MORE or TCP_CORK held them back.",
		verdict->text[0] ? " " : "", format_count(waits, sizeof(waits), ledger->tail_waits),
		format_count(looks, sizeof(looks), ledger->looks),
		format_ns(apart, sizeof(apart), (double)r->o->interval_ns));
}

static void advise_own_copies(struct attach_verdict *verdict, const struct attach_result *r,
			      const struct attach_row *row)
{
	const struct process *only =
		row->by == BY_CONNECTION ? table__owner(&r->table, row->socket) : row->process;
	struct cpu_samples cpu = {0};

	if (!r->followed || row->by == BY_PORT || row->by == BY_CGROUP ||
	    (row->by == BY_CONNECTION && !only))
		return;
	if (table__samples_of(&r->table, only, r->followed->comm, &cpu))
		advice__print_own_copies(verdict->advice, sizeof(verdict->advice), r->followed,
					 r->o->follow_result, &cpu);
	else if (!only)
		append__text(verdict->advice, sizeof(verdict->advice),
			     "%s is a result of follow on %s, which was not watched. ",
			     r->o->follow_result,
			     r->followed->comm[0] ? r->followed->comm : "no program");
}

void attach_result__verdict(struct attach_verdict *verdict, const struct attach_result *r,
			    const struct attach_row *row)
{
	struct verdict v;
	size_t len;

	verdict__of_sockets(&v, &row->ledger, r->sees_completions);
	*verdict = (struct attach_verdict){.copied_fraction = v.copied_fraction};
	if (v.cause != ZC_CAUSE_NONE && v.cause != ZC_CAUSE_NOT_COPIED)
		verdict->cause = zc_cause__key(v.cause);
	print_no_bytes(verdict, &row->ledger);
	len = strlen(verdict->text);
	snprintf(verdict->text + len, sizeof(verdict->text) - len, "%s%s",
		 len && v.text[0] ? " " : "", v.text);
	if (row->by == BY_CONNECTION)
		advise_connection(verdict, r, row);
	else if (row->by == BY_PORT)
		advise(verdict, r, NULL, (uint16_t)row->id, NULL, &row->ledger);
	else if (row->by != BY_CGROUP)
		ports_verdict(verdict, r, row);
	advise_own_copies(verdict, r, row);
	append_tail_waits(verdict, r, &row->ledger);
	/* Sentences end with a space. */
	len = strlen(verdict->advice);
	if (len && verdict->advice[len - 1] == ' ')
		verdict->advice[len - 1] = '\0';
}
