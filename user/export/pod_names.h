/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the names of Kubernetes pods: from the names of the kubelet's log files, which every user
 * can list. No API server is asked, and no file is opened.
 *
 *   /var/log/pods/NAMESPACE_POD_UID/CONTAINER/
 *   /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log
 *
 * A name has no '_' (DNS labels and subdomains, RFC 1123), so '_' separates them. The kubelet makes
 * the directory of a pod before it starts a container.
 */
#ifndef EXPORT_POD_NAMES_H
#define EXPORT_POD_NAMES_H

#include <stdbool.h>

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

#endif
