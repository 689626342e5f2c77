/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the names of Kubernetes pods; see pod_names.h. */
#include "pod_names.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define HEX      "0123456789abcdef"
#define ID_LEN   (CONTAINER_ID_MAX - 1)
#define NAME_SET "abcdefghijklmnopqrstuvwxyz0123456789.-"

/* Copies text of at least one and fewer than max characters, all of them in set. */
static bool copy_name(char *to, size_t max, const char *text, size_t len, const char *set)
{
	if (!len || len >= max || strspn(text, set) < len)
		return false;
	memcpy(to, text, len);
	to[len] = '\0';
	return true;
}

/* kubepods-burstable-podUID.slice (systemd driver) or podUID (cgroupfs driver). */
static bool is_pod(const char *part, size_t len, struct pod_id *id)
{
	const char *uid = part + strlen("pod"), *end = part + len;

	if (len > strlen(".slice") && !strncmp(end - strlen(".slice"), ".slice", 6)) {
		uid = memmem(part, len, "-pod", 4);
		uid = uid ? uid + 4 : end;
		end -= strlen(".slice");
	} else if (strncmp(part, "pod", 3) != 0) {
		return false;
	}
	if (uid >= end || !copy_name(id->uid, sizeof(id->uid), uid, (size_t)(end - uid), HEX "-_"))
		return false;
	for (char *c = id->uid; *c; c++)
		if (*c == '_')
			*c = '-';
	return true;
}

/* cri-containerd-ID.scope, crio-ID.scope (systemd driver) or ID (cgroupfs driver). */
static bool is_container(const char *part, size_t len, struct pod_id *id)
{
	if (len > strlen(".scope") && !strncmp(part + len - strlen(".scope"), ".scope", 6))
		len -= strlen(".scope");
	return len >= ID_LEN && (len == ID_LEN || part[len - ID_LEN - 1] == '-') &&
	       copy_name(id->container, sizeof(id->container), part + len - ID_LEN, ID_LEN, HEX);
}

/* A directory above the pods: a slice, or one that the kubelet makes with the cgroupfs driver. */
static bool is_above_pods(const char *part, size_t len)
{
	static const char *const names[] = {"kubepods", "besteffort", "burstable", "guaranteed"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !strncmp(part, names[i], len))
			return true;
	return len > strlen(".slice") && !strncmp(part + len - strlen(".slice"), ".slice", 6);
}

bool pod_id__of_cgroup(const char *path, struct pod_id *id)
{
	bool in_pods = false;
	size_t len;

	*id = (struct pod_id){0};
	for (path += strspn(path, "/"); *path; path += len, path += strspn(path, "/")) {
		len = strcspn(path, "/");
		if (in_pods && is_pod(path, len, id)) {
			path += len + strspn(path + len, "/");
			is_container(path, strcspn(path, "/"), id);
			return true;
		}
		if (!is_above_pods(path, len))
			return false;
		in_pods = in_pods || memmem(path, len, "kubepods", strlen("kubepods"));
	}
	return false;
}

/* Three names separated by '_'. */
static bool split(const char *text, size_t len, char *const names[3])
{
	for (size_t i = 0; i < 3; i++) {
		const char *end = i < 2 ? memchr(text, '_', len) : text + len;
		size_t n = end ? (size_t)(end - text) : len;

		if (!end || !copy_name(names[i], POD_NAME_MAX, text, n, NAME_SET))
			return false;
		text += n + 1;
		len -= n + (i < 2);
	}
	return true;
}

/* NAMESPACE_POD_UID */
static bool is_directory_of(const char *entry, const struct pod_id *id, struct pod_names *names)
{
	char uid[POD_NAME_MAX] = "";

	return split(entry, strlen(entry), (char *[]){names->namespace, names->pod, uid}) &&
	       !strcmp(uid, id->uid);
}

/* POD_NAMESPACE_CONTAINER-ID.log */
static bool is_log_of(const char *entry, const struct pod_id *id, struct pod_names *names)
{
	size_t len = strlen(entry), tail = 1 + ID_LEN + strlen(".log");

	return id->container[0] && len > tail && !strcmp(entry + len - 4, ".log") &&
	       entry[len - tail] == '-' &&
	       !strncmp(entry + len - tail + 1, id->container, ID_LEN) &&
	       split(entry, len - tail, (char *[]){names->pod, names->namespace, names->container});
}

static bool search(const char *root, const char *directory, const struct pod_id *id,
		   bool (*is)(const char *, const struct pod_id *, struct pod_names *),
		   struct pod_names *names)
{
	struct pod_names found = {0};
	const struct dirent *entry;
	bool ok = false;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, directory);
	dir = opendir(path);
	while (dir && !ok && (entry = readdir(dir)))
		ok = is(entry->d_name, id, &found);
	if (dir)
		closedir(dir);
	if (ok)
		*names = found;
	return ok;
}

bool pod_names__find(const char *root, const struct pod_id *id, struct pod_names *names)
{
	*names = (struct pod_names){0};
	return search(root, "/var/log/containers", id, is_log_of, names) ||
	       search(root, "/var/log/pods", id, is_directory_of, names);
}
