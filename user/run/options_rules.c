/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules on combined options, and defaults; see options.h. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/command_line.h"
#include "options.h"
#include "outputs.h"

#define DEFAULT_DURATION_NS 5000000000ULL
#define DEFAULT_WARMUP_NS   500000000ULL
#define ROUNDS_OF_ALL       5 /* enough for a median and a range */
#define ROUND_NS_MIN        10000000ULL

static void set_all_modes(struct options *o)
{
	o->modes_nr = MODE_NR;
	for (int m = 0; m < MODE_NR; m++)
		o->modes[m] = m;
}

static void set_defaults(struct options *o)
{
	/* As the load generator does: what waits for an answer waits for nothing else. */
	o->traffic.nodelay |= o->traffic.request_response;
	if (!o->modes_nr)
		set_all_modes(o);
	if (!o->traffic.rounds)
		o->traffic.rounds = o->modes_nr > 1 && !o->traffic.messages ? ROUNDS_OF_ALL : 1;
	if (!o->traffic.messages && !o->traffic.duration_ns)
		o->traffic.duration_ns = DEFAULT_DURATION_NS;
	if (o->traffic.warmup_ns == UINT64_MAX) {
		o->traffic.warmup_ns = DEFAULT_WARMUP_NS;
		if (o->traffic.duration_ns &&
		    workload__round_ns(&o->traffic) / 2 < o->traffic.warmup_ns)
			o->traffic.warmup_ns = workload__round_ns(&o->traffic) / 2;
	}
}

/* Options for the receiver's machine, or for local paths. */
static void check_remote(const struct options *o)
{
	if (!o->remote)
		return;
	if (o->path_given)
		usage_error(
			"--path and --connect exclude each other: a path on this machine, or to "
			"another.");
	if (o->mtu)
		usage_error("--mtu is for --path veth: with --connect the MTU is the route's.");
	if (o->ipv6)
		usage_error(
			"--ipv6 is for paths on this machine: --connect says it by the address.");
	if (o->traffic.rcvbuf || o->traffic.receiver_cpus || o->traffic.rcvlowat)
		usage_error(
			"%s is the receiver's: give it to netiotrace serve on the other machine.",
			o->traffic.rcvbuf          ? "--rcvbuf"
			: o->traffic.receiver_cpus ? "--cpu-receiver"
						   : "--rcvlowat");
}

static void check_rules(const struct options *o)
{
	const char *pair[2], *name;

	check_remote(o);
	if (o->traffic.messages && o->traffic.duration_ns)
		usage_error("--messages and --duration exclude each other: a count or a time.");
	if (o->traffic.size < o->traffic.fields)
		usage_error("a message of %" PRIu64 " bytes has no %u fields: lower --fields.",
			    o->traffic.size, o->traffic.fields);
	if (workload__message_size(&o->traffic) > LIMIT_SIZE_MAX)
		usage_error("a header of %" PRIu64 " and fields of %" PRIu64
			    " bytes are more than 16 MiB: "
			    "lower --header or --size.",
			    o->traffic.header, o->traffic.size);
	if (o->traffic.connections && o->traffic.connections < o->traffic.threads)
		usage_error("%u connection%s fewer than %u threads: lower --threads.",
			    o->traffic.connections, o->traffic.connections == 1 ? " is" : "s are",
			    o->traffic.threads);
	if (o->traffic.request_response && o->traffic.rcvlowat)
		usage_error(
			"--request-response and --rcvlowat exclude each other: a message under the "
			"mark would wait for the next for ever.");
	if (o->mtu && o->path != NETPATH_VETH)
		usage_error("--mtu is for --path veth: the loopback device is not ours to change.");
	if (outputs__collide(o->output, pair, &name))
		usage_error("%s and %s cannot both have %s.", pair[0], pair[1],
			    strcmp(name, "-") == 0 ? "stdout" : name);
	if (o->backend == BACKEND_NONE && o->count_calls)
		usage_error("--count-calls needs a backend other than none.");
}

static void check_rounds(const struct options *o)
{
	if (o->traffic.duration_ns && workload__round_ns(&o->traffic) < ROUND_NS_MIN)
		usage_error("%u round%s under 10 ms each: raise --duration or lower --rounds.",
			    o->traffic.rounds, o->traffic.rounds == 1 ? " leaves" : "s leave");
}

static void set_verbosity(const struct options *o)
{
	log_set_verbosity(o->quiet, o->verbose);
}

void options__finish(struct options *o)
{
	check_rules(o);
	set_defaults(o);
	check_rounds(o);
	set_verbosity(o);
}
