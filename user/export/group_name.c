/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the short names of groups; see group_name.h. */
#include "group_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ID_LEN    64 /* hexadecimal digits of a container id */
#define ID_SHOWN  12 /* as `docker ps` shows */
#define POD_FIRST "pod"

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

/* docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, libpod-ID.scope: RUNTIME-ID. */
static bool put_scope(char *buf, struct part p)
{
	size_t end = p.len - strlen(".scope");

	if (!has_end(p, ".scope") || end <= ID_LEN || p.text[end - ID_LEN - 1] != '-' ||
	    !is_container_id(p.text + end - ID_LEN, ID_LEN))
		return false;
	snprintf(buf, GROUP_NAME_MAX, "%.*s", (int)(end - ID_LEN + ID_SHOWN), p.text);
	return true;
}

/* /docker/ID, /libpod_parent/libpod-ID: the cgroupfs driver. */
static bool put_directory(char *buf, struct part runtime, struct part p)
{
	if (begins(p, "libpod-") && is_container_id(p.text + 7, p.len - 7)) {
		snprintf(buf, GROUP_NAME_MAX, "%.*s", 7 + ID_SHOWN, p.text);
		return true;
	}
	if (!runtime.len || !is_container_id(p.text, p.len))
		return false;
	snprintf(buf, GROUP_NAME_MAX, "%.*s-%.*s", (int)runtime.len, runtime.text, ID_SHOWN,
		 p.text);
	return true;
}

/*
 * kubepods-burstable-podUID.slice (systemd driver; '_' in place of '-' in the UID) or podUID below
 * kubepods (cgroupfs driver).
 */
static bool put_pod(char *buf, struct part p)
{
	size_t len = p.len, begin = 0;

	if (begins(p, "kubepods") && has_end(p, ".slice")) {
		len -= strlen(".slice");
		while (begin + 4 < len && strncmp(p.text + begin, "-pod", 4) != 0)
			begin++;
		begin++;
	}
	if (begin + 3 >= len || strncmp(p.text + begin, POD_FIRST, 3) != 0)
		return false;
	snprintf(buf, GROUP_NAME_MAX, "pod-%.*s", (int)(len - begin - 3), p.text + begin + 3);
	for (char *c = buf; *c; c++)
		if (*c == '_')
			*c = '-';
	return true;
}

/* The unit that the administrator knows, not the manager of a user, which has units below it. */
static bool put_unit(char *buf, struct part p)
{
	if (begins(p, "user@") || (!has_end(p, ".service") && !has_end(p, ".scope") &&
				   !has_end(p, ".socket") && !has_end(p, ".mount")))
		return false;
	snprintf(buf, GROUP_NAME_MAX, "%.*s", (int)p.len, p.text);
	return true;
}

static struct part next_part(const char **rest)
{
	struct part p;

	*rest += strspn(*rest, "/");
	p = (struct part){*rest, strcspn(*rest, "/")};
	*rest += p.len;
	return p;
}

char *group_name__of_cgroup(char buf[GROUP_NAME_MAX], const char *path)
{
	const char *rest = path;
	struct part before = {0}, p;
	bool in_pods = strstr(path, "kubepods") != NULL;

	while ((p = next_part(&rest)).len) {
		if ((in_pods && put_pod(buf, p)) || put_scope(buf, p) ||
		    put_directory(buf, before, p) || put_unit(buf, p))
			return buf;
		before = p;
	}
	path += strspn(path, "/");
	snprintf(buf, GROUP_NAME_MAX, "%s", *path ? path : "root");
	return buf;
}
