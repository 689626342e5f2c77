/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the short names of groups; see group_name.h. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/read_file.h"
#include "common/xalloc.h"
#include "group_name.h"

#define ID_LEN 64 /* hexadecimal digits of a container id */

struct part {
	const char *text;
	size_t len;
};

static bool has_end(struct part p, const char *end)
{
	size_t len = strlen(end);

	return p.len > len && !strncmp(p.text + p.len - len, end, len);
}

static bool begins(struct part p, const char *begin)
{
	size_t len = strlen(begin);

	return p.len >= len && !strncmp(p.text, begin, len);
}

static bool is_container_id(const char *text, size_t len)
{
	return len == ID_LEN && strspn(text, "0123456789abcdef") >= ID_LEN;
}

/* A name that grows; text has room for the path and more. */
struct name {
	char *text;
	size_t len, before; /* before: len before the last component was added */
};

static void put(struct name *n, const char *text, size_t len)
{
	memcpy(n->text + n->len, text, len);
	n->len += len;
	n->text[n->len] = '\0';
}

/* docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, libpod-ID.scope: RUNTIME-ID. */
static bool put_scope(struct name *n, struct part p)
{
	size_t end = p.len - strlen(".scope");

	if (!has_end(p, ".scope") || end <= ID_LEN || p.text[end - ID_LEN - 1] != '-' ||
	    !is_container_id(p.text + end - ID_LEN, ID_LEN))
		return false;
	put(n, p.text, end);
	return true;
}

/* /docker/ID, /libpod_parent/libpod-ID: the cgroupfs driver. The runtime was added as a parent. */
static bool put_directory(struct name *n, struct part runtime, struct part p)
{
	if (begins(p, "libpod-") && is_container_id(p.text + 7, p.len - 7)) {
		if (begins(runtime, "libpod_parent"))
			n->len = n->before;
		put(n, p.text, p.len);
		return true;
	}
	if (!runtime.len || has_end(runtime, ".slice") || !is_container_id(p.text, p.len))
		return false;
	n->len = n->before;
	put(n, runtime.text, runtime.len);
	put(n, "-", 1);
	put(n, p.text, p.len);
	return true;
}

/* The unit that the administrator knows, not the manager of a user, which has units below it. */
static bool put_unit(struct name *n, struct part p)
{
	if (begins(p, "user@") || (!has_end(p, ".service") && !has_end(p, ".scope") &&
				   !has_end(p, ".socket") && !has_end(p, ".mount")))
		return false;
	put(n, p.text, p.len);
	return true;
}

/* Slices only sort the units of a manager, whose names are unique without them. */
static void put_parent(struct name *n, struct part p)
{
	n->before = n->len;
	if (has_end(p, ".slice"))
		return;
	put(n, p.text, p.len);
	put(n, "/", 1);
}

static struct part next_part(const char **rest)
{
	struct part p;

	*rest += strspn(*rest, "/");
	p = (struct part){*rest, strcspn(*rest, "/")};
	*rest += p.len;
	return p;
}

static bool put_form(struct name *n, const char *path)
{
	struct part before = {0}, p;

	while ((p = next_part(&path)).len) {
		if (put_scope(n, p) || put_directory(n, before, p) || put_unit(n, p))
			return true;
		put_parent(n, p);
		before = p;
	}
	return false;
}

/* Only an escape has a backslash, so two names never look alike. */
static size_t put_character(char *buf, const char *text)
{
	size_t n = *text == '\\' ? 0 : printable__length(text);

	if (n)
		memcpy(buf, text, n);
	else
		sprintf(buf, "\\x%02x", (unsigned char)*text);
	return n;
}

#define HASH_LEN 18 /* \# and 16 digits */

/* Names that begin alike differ in the hash of the whole. */
static char *show(char buf[GROUP_NAME_MAX], const char *text)
{
	const char *begin = text;
	size_t len = 0, cut = 0;

	for (size_t n; *text; text += n ? n : 1) {
		char one[8] = "";

		n = put_character(one, text);
		if (len + strlen(one) >= GROUP_NAME_MAX) {
			sprintf(buf + cut, "\\#%016" PRIx64, text__hash(begin));
			return buf;
		}
		strcpy(buf + len, one);
		len += strlen(one);
		if (len < GROUP_NAME_MAX - HASH_LEN)
			cut = len;
	}
	buf[len] = '\0';
	return buf;
}

char *group_name__of_cgroup(char buf[GROUP_NAME_MAX], const char *path)
{
	struct name n = {.text = xcalloc(strlen(path) + 8, 1)};
	struct pod_id pod;

	if (pod_id__of_cgroup(path, &pod))
		group_name__of_pod(buf, &pod, "");
	else if (put_form(&n, path))
		show(buf, n.text);
	else
		show(buf, path[strspn(path, "/")] ? path : "root");
	free(n.text);
	return buf;
}

char *group_name__of_pod(char buf[GROUP_NAME_MAX], const struct pod_id *id, const char *container)
{
	char text[sizeof("pod-/") + POD_UID_MAX + POD_NAME_MAX];
	const char *which = *container ? container : id->container;

	snprintf(text, sizeof(text), "pod-%s%s%s", id->uid, *which ? "/" : "", which);
	return show(buf, text);
}

char *group_name__of_comm(char buf[GROUP_NAME_MAX], const char *comm, bool owned)
{
	if (!*comm)
		return strcpy(buf, owned ? "\\x00" : "unknown");
	/* A process cannot take a name that export gives. */
	if (!strcmp(comm, "unknown") || !strcmp(comm, "other")) {
		snprintf(buf, GROUP_NAME_MAX, "\\x%02x%s", (unsigned char)*comm, comm + 1);
		return buf;
	}
	return show(buf, comm);
}

#define HEX      "0123456789abcdef"
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
