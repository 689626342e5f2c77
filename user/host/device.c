/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the ethtool requests for device features; see device.h. */
#include "device.h"

#include <errno.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>

/* A kernel has about 60 features; refuse absurd counts. */
#define FEATURES_MAX 1024

struct feature_table {
	uint32_t nr;
	struct ethtool_gstrings *names;
	struct ethtool_gfeatures *states;
};

static int device__request(int fd, const char *device, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static int device__count_features(int fd, const char *device, uint32_t *nr)
{
	struct {
		struct ethtool_sset_info header;
		uint32_t count;
	} info = {
		.header = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES},
	};
	int err = device__request(fd, device, &info);

	if (err)
		return err;
	*nr = info.header.sset_mask ? info.count : 0;
	return *nr && *nr <= FEATURES_MAX ? 0 : -EOPNOTSUPP;
}

static void feature_table__clear(struct feature_table *t)
{
	free(t->names);
	free(t->states);
}

static int feature_table__read(struct feature_table *t, int fd, const char *device)
{
	uint32_t blocks;
	int err;

	err = device__count_features(fd, device, &t->nr);
	if (err)
		return err;
	blocks = (t->nr + 31) / 32;
	t->names = calloc(1, sizeof(*t->names) + (size_t)t->nr * ETH_GSTRING_LEN);
	t->states = calloc(1, sizeof(*t->states) + blocks * sizeof(t->states->features[0]));
	if (!t->names || !t->states)
		return -ENOMEM;
	t->names->cmd = ETHTOOL_GSTRINGS;
	t->names->string_set = ETH_SS_FEATURES;
	t->names->len = t->nr;
	err = device__request(fd, device, t->names);
	if (err)
		return err;
	t->states->cmd = ETHTOOL_GFEATURES;
	t->states->size = blocks;
	return device__request(fd, device, t->states);
}

static bool feature_table__find(const struct feature_table *t, const char *name, uint32_t *index)
{
	const char *names = (const char *)t->names->data;

	for (*index = 0; *index < t->nr; ++*index)
		if (!strncmp(names + (size_t)*index * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN))
			return true;
	return false;
}

static bool feature_table__active(const struct feature_table *t, const char *name)
{
	uint32_t i;

	return feature_table__find(t, name, &i) &&
	       (t->states->features[i / 32].active & 1U << i % 32);
}

static int feature_table__judge(const struct feature_table *t, struct device_features *f)
{
	uint32_t i;

	if (!feature_table__find(t, "tx-scatter-gather", &i))
		return -EOPNOTSUPP;
	f->scatter_gather = feature_table__active(t, "tx-scatter-gather");
	f->tx_checksum =
		feature_table__active(t, "tx-checksum-ip-generic") ||
		feature_table__active(t, f->ipv6 ? "tx-checksum-ipv6" : "tx-checksum-ipv4");
	f->tso = feature_table__active(t, f->ipv6 ? "tx-tcp6-segmentation" : "tx-tcp-segmentation");
	f->gso = feature_table__active(t, "tx-generic-segmentation");
	f->gro = feature_table__active(t, "rx-gro");
	return 0;
}

int device__read_features(void *arg)
{
	struct device_features *f = arg;
	struct feature_table table = {0};
	int fd, err;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = feature_table__read(&table, fd, f->device);
	if (!err)
		err = feature_table__judge(&table, f);
	feature_table__clear(&table);
	close(fd);
	return err;
}
