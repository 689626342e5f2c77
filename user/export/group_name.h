/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the short names of groups: the unit, container or pod of a cgroup. Pure. */
#ifndef EXPORT_GROUP_NAME_H
#define EXPORT_GROUP_NAME_H

#include <stddef.h>

/* A longer name is cut. */
#define GROUP_NAME_MAX 128

/*
 * Shortens the path of a cgroup below its mount ("/system.slice/nginx.service") to the name of its
 * unit ("nginx.service"), container ("docker-0123456789ab") or pod ("pod-UID"). A path in none of
 * these forms stays whole, without the first slash; the root becomes "root". Fills and returns buf.
 *
 * The forms come from systemd, from docker, containerd, cri-o and podman with the systemd and the
 * cgroupfs driver, and from the kubelet with both.
 */
char *group_name__of_cgroup(char buf[GROUP_NAME_MAX], const char *path);

#endif
