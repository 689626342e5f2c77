/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packet taps in /proc/net/packet and /proc/net/ptype: sockets and kernel functions that get every
 * packet (ETH_P_ALL) of a device. Pure: lines in, facts out.
 *
 * The sockets are the reliable source: in kernels before 5.17 (and their stable trees before the
 * same fixes), /proc/net/ptype lacks hooks bound to a device, or shows hooks of other namespaces.
 */
#ifndef MODEL_TAP_PARSE_H
#define MODEL_TAP_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "result.h"

/* An AF_PACKET socket: a row of /proc/net/packet. */
struct tap_socket {
	unsigned int protocol; /* ETH_P_*, host byte order */
	int ifindex;           /* 0: every device; negative: its device is gone */
	bool running;          /* it is handed packets */
	uint64_t inode;
};

/* A function that is handed every packet: an ALL row of /proc/net/ptype. */
struct tap_hook {
	char device[sizeof(((struct tap *)0)->device)]; /* empty: every device */
	char function[sizeof(((struct tap *)0)->function)];
};

/* 0, or -EINVAL if it is no such row (such as the heading). */
int tap_parse__socket(const char *line, struct tap_socket *out);

/* 0, -ENOENT for a row of one protocol, -EINVAL if it is no such row. */
int tap_parse__hook(const char *line, struct tap_hook *out);

/* Is a socket handed every packet of the device of that index? */
bool tap_socket__taps(const struct tap_socket *s, int ifindex);

/* Is a hook called for the packets of that device? */
bool tap_hook__taps(const struct tap_hook *h, const char *device);

/* Is it the function of an AF_PACKET socket, which has a row of its own? */
bool tap_hook__is_socket(const struct tap_hook *h);

/* "lo (tcpdump, pid 4242)": device and process, or a substitute. Fills buf and returns it. */
#define TAP_NAME_LEN 128
char *tap__name(const struct tap *t, char buf[TAP_NAME_LEN]);

/* "lo (tcpdump, pid 4242), lo (python3, pid 7) and 2 more": those that were open in the run. */
#define TAPS_NAME_LEN 320
char *taps__name(const struct taps *taps, char buf[TAPS_NAME_LEN]);

#endif
