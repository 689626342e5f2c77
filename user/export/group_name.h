/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the short names of groups: the unit, container or pod of a cgroup. Pure. */
#ifndef EXPORT_GROUP_NAME_H
#define EXPORT_GROUP_NAME_H

#include <stdbool.h>

#include "pod_names.h"

#define GROUP_NAME_MAX 128

/*
 * Names are printable UTF-8, and different for different things. Another byte, and a backslash,
 * becomes \xNN. A name of 128 bytes or more is cut and ends in \# and a hash of all of it.
 *
 * Shortens the path of a cgroup below its mount ("/system.slice/nginx.service") to the name of its
 * unit ("nginx.service"), container ("docker-ID"), or pod and its container ("pod-UID/ID"). Parents
 * other than slices stay in front: a user's unit is "user@1000.service/nginx.service". A path in
 * none of these forms stays whole, with its first slash; the root becomes "root". Fills and returns
 * buf.
 *
 * The forms come from systemd, from docker, containerd, cri-o and podman with the systemd and the
 * cgroupfs driver, and from the kubelet with both.
 */
char *group_name__of_cgroup(char buf[GROUP_NAME_MAX], const char *path);

/* The same for a pod: "pod-UID/CONTAINER", by its id without a name, "pod-UID" without either. */
char *group_name__of_pod(char buf[GROUP_NAME_MAX], const struct pod_id *id, const char *container);

/*
 * The same for the name of the process that owns a connection; "unknown" and "other" begin with an
 * escape, and the empty name is "\x00". owned: false: no process is known, "unknown".
 */
char *group_name__of_comm(char buf[GROUP_NAME_MAX], const char *comm, bool owned);

#endif
