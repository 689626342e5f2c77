/* SPDX-License-Identifier: GPL-2.0-only */
/* XDP programs that have packets copied; see xdp.h. */
#include "xdp.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "netlink.h"
#include "netns.h"

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

bool xdp__on_veth(bool *copies)
{
	struct search found = {0};

	search_here(&found);
	netns__each(search_in, &found);
	*copies = found.native || found.generic;
	return found.native;
}
