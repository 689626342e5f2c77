/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes the kernel copy without an event; see copy_search.h. */
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/num.h"
#include "common/xalloc.h"
#include "copy_search.h"
#include "model/tap_parse.h"
#include "netlink.h"
#include "netns.h"

/*
 * Native XDP on a veth device copies zero-copy packets before they arrive, and the kernel reports
 * their sends as not copied (docs/KERNELS.md).
 */
static bool is_veth(struct nlattr *info)
{
	struct nlattr *kind = info ? nla_find(nla_data(info), nla_len(info), IFLA_INFO_KIND) : NULL;

	return kind && !nla_strcmp(kind, "veth");
}

struct search {
	bool native, generic;
};

/* XDP_ATTACHED_MULTI: programs of several kinds; on veth these are native and generic. */
static int add_link(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *attrs[IFLA_MAX + 1], *xdp, *attached;
	struct search *found = data;
	unsigned int how;

	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct ifinfomsg), attrs, IFLA_MAX, NULL))
		return 0;
	xdp = attrs[IFLA_XDP];
	attached = xdp ? nla_find(nla_data(xdp), nla_len(xdp), IFLA_XDP_ATTACHED) : NULL;
	how = attached ? nla_get_u8(attached) : XDP_ATTACHED_NONE;
	found->generic |= how == XDP_ATTACHED_SKB || how == XDP_ATTACHED_MULTI;
	found->native |= is_veth(attrs[IFLA_LINKINFO]) &&
			 (how == XDP_ATTACHED_DRV || how == XDP_ATTACHED_MULTI);
	return 0;
}

static int search_here(void *found)
{
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC};
	struct nl_sock *nl;
	int err = netlink__open(&nl, NETLINK_ROUTE);

	if (err)
		return err;
	err = netlink__talk(nl, netlink__request(RTM_GETLINK, NLM_F_DUMP, &info, sizeof(info)),
			    add_link, found);
	netlink__close(nl);
	return err;
}

static void search_in(int netns, void *found)
{
	netns__visit(netns, search_here, found);
}

/*
 * Does a veth device have one, in this network namespace or in another that can be visited? Never
 * fails: namespaces that cannot be read count as without. For single-threaded callers.
 * copies: set if it has, or if any device has a generic program (netif_receive_generic_xdp() copies
 * a packet that is shared or has pages).
 */
static bool xdp__on_veth(bool *copies)
{
	struct search found = {0};

	search_here(&found);
	netns__each(search_in, &found);
	*copies = found.native || found.generic;
	return found.native;
}

#define LOOK_NS    10000000000ULL
#define LOOK_PARTS 1000
#define PROC_NET   "/proc/thread-self/net/"

#define NETSTAT_LINE 16384

struct copy_place {
	ino_t netns;
	int device; /* its ifindex; 0: TCPRcvCollapsed of the namespace */
	uint64_t base, now;
	bool met;                    /* at the last look */
	bool no_checksum, no_gather; /* at any look */
};

struct visit {
	struct copy_search *s;
	ino_t netns;
	uint64_t devices;     /* in this namespace */
	uint64_t tap_devices; /* in all: devices with a tap */
};

void copy_search__add(struct copy_search *s, uint32_t netns)
{
	for (size_t i = 0; i < s->watched_nr; i++)
		if (s->watched[i] == netns)
			return;
	s->watched = xgrow(s->watched, s->watched_nr, sizeof(*s->watched));
	s->watched[s->watched_nr++] = netns;
}

/* What a place had before watching began is its base. */
static struct copy_place *note(const struct visit *v, int device, uint64_t now)
{
	struct copy_search *s = v->s;
	struct copy_place *p;

	for (size_t i = 0; i < s->places_nr; i++) {
		p = &s->places[i];
		if (p->netns == v->netns && p->device == device) {
			/* A smaller number begins anew: both add up. */
			if (now < p->now)
				p->base -= p->now;
			p->now = now;
			p->met = true;
			return p;
		}
	}
	s->places = xgrow(s->places, s->places_nr, sizeof(*s->places));
	p = &s->places[s->places_nr++];
	*p = (struct copy_place){v->netns, device, .base = s->due_ns ? 0 : now, .now = now,
				 .met = true};
	return p;
}

/* false: the device has not got it, or the question is refused. */
static bool has_feature(int fd, const char *device, uint32_t question)
{
	struct ethtool_value value = {.cmd = question};
	struct ifreq ifr = {.ifr_data = (void *)&value};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	return !ioctl(fd, SIOCETHTOOL, &ifr) && value.data;
}

/* "  eth0: 1 2 3 ...": the ninth number is bytes sent. */
static void read_devices(struct visit *v)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	FILE *f = fopen(PROC_NET "dev", "re");
	char line[512], name[IFNAMSIZ];
	uint64_t sent;

	while (f && fgets(line, sizeof(line), f)) {
		struct copy_place *p;
		int device;

		if (sscanf(line, " %15[^:]: %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, name,
			   &sent) != 2)
			continue;
		v->devices++;
		/* A new device with the name of one that is gone has another index. */
		device = if_nametoindex(name);
		if (!device)
			continue;
		p = note(v, device, sent);
		p->no_checksum |= fd >= 0 && !has_feature(fd, name, ETHTOOL_GTXCSUM);
		p->no_gather |= fd >= 0 && !has_feature(fd, name, ETHTOOL_GSG);
	}
	if (f)
		fclose(f);
	if (fd >= 0)
		close(fd);
}

/* Two lines: names, and their numbers. */
static void read_collapsed(struct visit *v)
{
	char names[NETSTAT_LINE], numbers[NETSTAT_LINE], *at, *number, *rest, *more;
	FILE *f = fopen(PROC_NET "netstat", "re");

	if (f && fgets(names, sizeof(names), f) && fgets(numbers, sizeof(numbers), f)) {
		at = strtok_r(names, " \n", &rest);
		number = strtok_r(numbers, " \n", &more);
		while (at && number && strcmp(at, "TCPRcvCollapsed")) {
			at = strtok_r(NULL, " \n", &rest);
			number = strtok_r(NULL, " \n", &more);
		}
		if (at && number)
			note(v, 0, strtoull(number, NULL, 10));
	}
	if (f)
		fclose(f);
}

/* Each device with a tap of its own, or every device: each may copy a packet once more. */
static void read_taps(struct visit *v)
{
	FILE *f = fopen(PROC_NET "packet", "re");
	bool unbound = false;
	int seen[64];
	size_t nr = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		struct tap_socket s;
		size_t i = 0;

		if (tap_parse__socket(line, &s) || s.ifindex < 0 ||
		    !tap_socket__taps(&s, s.ifindex))
			continue;
		unbound |= !s.ifindex;
		while (i < nr && seen[i] != s.ifindex)
			i++;
		if (i == nr && nr < sizeof(seen) / sizeof(seen[0]))
			seen[nr++] = s.ifindex;
	}
	if (f)
		fclose(f);
	v->tap_devices += unbound ? v->devices : nr;
}

static int look_here(void *arg)
{
	struct visit *v = arg;

	v->devices = 0;
	read_devices(v);
	read_collapsed(v);
	read_taps(v);
	return 0;
}

static void look_in(int netns, void *arg)
{
	struct visit *v = arg;
	struct stat st;

	if (fstat(netns, &st))
		return;
	v->netns = st.st_ino;
	netns__visit(netns, look_here, v);
}

static bool is_watched(const struct copy_search *s, ino_t netns)
{
	for (size_t i = 0; i < s->watched_nr; i++)
		if (s->watched[i] == netns)
			return true;
	return false;
}

/* What a device that is gone has sent since it was last met is not known: all that may have been.
 */
static void add_sent(uint64_t *bytes, const struct copy_place *p)
{
	if (!p->met || *bytes == UINT64_MAX)
		*bytes = UINT64_MAX;
	else
		*bytes += p->now - p->base;
}

static void sum_up(struct copy_search *s, uint64_t tap_devices)
{
	struct copy_evidence *e = &s->found;

	if (tap_devices > e->tap_devices)
		e->tap_devices = tap_devices;
	e->no_checksum_bytes = e->no_gather_bytes = 0;
	for (size_t i = 0; i < s->places_nr; i++) {
		const struct copy_place *p = &s->places[i];

		if (p->no_checksum)
			add_sent(&e->no_checksum_bytes, p);
		if (p->no_gather)
			add_sent(&e->no_gather_bytes, p);
		if (!p->device && p->now > p->base && is_watched(s, p->netns))
			e->collapsed = true;
	}
}

/* What devices have sent since the last look is not known: all that may have passed them. */
static void leave_open(const struct copy_search *s, struct copy_evidence *out)
{
	for (size_t i = 0; i < s->places_nr; i++) {
		if (s->places[i].no_checksum)
			out->no_checksum_bytes = UINT64_MAX;
		if (s->places[i].no_gather)
			out->no_gather_bytes = UINT64_MAX;
	}
}

void copy_search__look(struct copy_search *s, struct copy_evidence *out, bool at_once)
{
	struct visit v = {.s = s};
	uint64_t now = loop__now_ns();

	if (!at_once && now < s->due_ns) {
		leave_open(s, out);
		return;
	}
	if (!s->due_ns)
		s->found.native_xdp = xdp__on_veth(&s->found.xdp);
	for (size_t i = 0; i < s->places_nr; i++)
		s->places[i].met = false;
	netns__each(look_in, &v);
	s->due_ns = now + u64__least(LOOK_NS, LOOK_PARTS * (loop__now_ns() - now));
	sum_up(s, v.tap_devices);
	*out = s->found;
}

void copy_search__clear(struct copy_search *s)
{
	free(s->places);
	free(s->watched);
	*s = (struct copy_search){0};
}
