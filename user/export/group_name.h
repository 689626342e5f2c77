/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the short names of groups: the unit, container or pod of a cgroup. Pure. */
#ifndef EXPORT_GROUP_NAME_H
#define EXPORT_GROUP_NAME_H

#include <stdbool.h>

/*
 * The names of Kubernetes pods: from the names of the kubelet's log files, which every user
 * can list. No API server is asked, and no file is opened.
 *
 *   /var/log/pods/NAMESPACE_POD_UID/CONTAINER/
 *   /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log
 *
 * A name has no '_' (DNS labels and subdomains, RFC 1123), so '_' separates them. The kubelet makes
 * the directory of a pod before it starts a container.
 */
#define POD_NAME_MAX     254 /* a DNS subdomain and its NUL */
#define POD_UID_MAX      37  /* 36 characters; static pods: 32 digits of a hash */
#define CONTAINER_ID_MAX 65

struct pod_id {
	char uid[POD_UID_MAX];            /* with '-', also where systemd's slices have '_' */
	char container[CONTAINER_ID_MAX]; /* 64 digits; "": the pod itself */
};

/* "": not known. */
struct pod_names {
	char namespace[POD_NAME_MAX];
	char pod[POD_NAME_MAX];
	char container[POD_NAME_MAX];
};

/*
 * The pod of a cgroup path, of both cgroup drivers. false: the path is not a pod's. Above a pod are
 * only slices and the kubelet's directories: other parents belong to users and containers, who may
 * make cgroups of any name below.
 */
bool pod_id__of_cgroup(const char *path, struct pod_id *id);

/* Looks id up below root ("" but in tests). Returns whether at least the pod's name was found. */
bool pod_names__find(const char *root, const struct pod_id *id, struct pod_names *names);

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
