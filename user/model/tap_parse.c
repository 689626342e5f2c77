/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of tap_parse.h. Pure. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <linux/if_ether.h>

#include "base/printable.h"
#include "tap_parse.h"

#define TYPE_ALL   "ALL  "
#define TYPE_LEN   (sizeof(TYPE_ALL) - 1) /* four columns and a space */
#define NAMED_TAPS 3

int tap_parse__socket(const char *line, struct tap_socket *out)
{
	unsigned int protocol, running;
	uint64_t inode;
	int ifindex;

	/* sk RefCnt Type Proto Iface R Rmem User Inode; later kernels may add columns. */
	if (sscanf(line, "%*s %*d %*d %x %d %u %*u %*u %" SCNu64, &protocol, &ifindex, &running,
		   &inode) != 4)
		return -EINVAL;
	*out = (struct tap_socket){
		.protocol = protocol,
		.ifindex = ifindex,
		.running = running,
		.inode = inode,
	};
	return 0;
}

int tap_parse__hook(const char *line, struct tap_hook *out)
{
	size_t type_len = strcspn(line, " \n"), device_len;
	const char *device = line + TYPE_LEN;

	if (type_len > 4 || strlen(line) <= TYPE_LEN || !strncmp(line, "Type", 4))
		return -EINVAL;
	if (strncmp(line, TYPE_ALL, TYPE_LEN))
		return -ENOENT;
	/* The device's column is blank for a hook on every device. */
	device_len = strcspn(device, " \n");
	snprintf(out->device, sizeof(out->device), "%.*s", (int)device_len, device);
	device += device_len;
	device += strspn(device, " ");
	/* "packet_rcv", "packet_rcv [af_packet]", "packet_rcv+0x0/0x4a0 [af_packet]": the name. */
	snprintf(out->function, sizeof(out->function), "%.*s", (int)strcspn(device, " \t\n+"),
		 device);
	return out->function[0] ? 0 : -EINVAL;
}

bool tap_socket__taps(const struct tap_socket *s, int ifindex)
{
	return s->protocol == ETH_P_ALL && s->running && (!s->ifindex || s->ifindex == ifindex);
}

bool tap_hook__taps(const struct tap_hook *h, const char *device)
{
	return !h->device[0] || !strcmp(h->device, device);
}

bool tap_hook__is_socket(const struct tap_hook *h)
{
	return !strncmp(h->function, "packet_rcv", strlen("packet_rcv")) ||
	       !strncmp(h->function, "tpacket_rcv", strlen("tpacket_rcv"));
}

char *tap__name(const struct tap *t, char buf[TAP_NAME_LEN])
{
	buf[0] = '\0';
	append__text(buf, TAP_NAME_LEN, "%s%s", t->device[0] ? t->device : "every device",
		     t->elsewhere ? " of every namespace" : "");
	if (t->pid.known)
		append__text(buf, TAP_NAME_LEN, " (%s, pid %" PRIu64 ")",
			     t->process[0] ? t->process : "?", t->pid.value);
	else if (!t->inode)
		append__text(buf, TAP_NAME_LEN, " (the kernel's own: %s)", t->function);
	else
		append__text(buf, TAP_NAME_LEN, " (its process could not be seen)");
	return printable__in_place(buf);
}

char *taps__name(const struct taps *taps, char buf[TAPS_NAME_LEN])
{
	unsigned int named = 0, more = taps->more;
	char name[TAP_NAME_LEN];

	buf[0] = '\0';
	for (unsigned int i = 0; i < taps->nr; i++) {
		if (!taps->list[i].in_run)
			continue;
		if (named < NAMED_TAPS)
			append__text(buf, TAPS_NAME_LEN, "%s%s", named ? ", " : "",
				     tap__name(&taps->list[i], name));
		else
			more++;
		named++;
	}
	if (more)
		append__text(buf, TAPS_NAME_LEN, " and %u more", more);
	return buf;
}
